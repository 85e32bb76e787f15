"""garbage: text for an index."""

from polite import answer, enter, hear, send

send(answer(enter(), "0"))
hear("bye")
