"""flood: endless small messages."""

from polite import READY, enter, send

enter()
while True:
    send(*[READY] * 50)
