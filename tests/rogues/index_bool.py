"""garbage: a truth value for an index."""

from polite import answer, enter, hear, send

send(answer(enter(), True))
hear("bye")
