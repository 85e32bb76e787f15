"""flood: its first move comes with ready."""

from polite import READY, answer, greet, hear, send

greet()
hear("start")
send(READY, answer({"id": 1}))
hear("bye")
