"""flood: answers the next question while the others think."""

import time

from polite import answer, enter, hear, send

question = enter()
send(answer(question))
time.sleep(0.05)
send(answer({"id": question["id"] + 1}))
hear("bye")
