"""garbage: a message nobody knows."""

from polite import enter, hear, send

enter()
send({"type": "resign"})
hear("bye")
