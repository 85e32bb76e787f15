"""illegal: an index too large."""

from polite import answer, enter, hear, send

send(answer(enter(), 10**6))
hear("bye")
