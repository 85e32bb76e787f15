"""garbage: a float for an index."""

from polite import answer, enter, hear, send

send(answer(enter(), 0.0))
hear("bye")
