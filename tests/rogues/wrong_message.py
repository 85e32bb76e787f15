"""garbage: says ready where a move was asked for."""

from polite import READY, enter, hear, send

enter()
send(READY)
hear("bye")
