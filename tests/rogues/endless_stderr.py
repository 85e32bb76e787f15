"""flood: plays well, but writes to stderr without end."""

import os

from polite import answer, enter, hear, send

question = enter()
while True:
    for _ in range(100):
        os.write(2, b"thinking aloud " * 4000)
    send(answer(question))
    question = hear("decide")
