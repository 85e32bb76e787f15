"""garbage: nothing for an index."""

from polite import answer, enter, hear, send

send(answer(enter(), None))
hear("bye")
