"""illegal: a negative index."""

from polite import answer, enter, hear, send

send(answer(enter(), -1))
hear("bye")
