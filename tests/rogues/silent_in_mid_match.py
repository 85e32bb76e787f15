"""timeout: goes silent in mid-match."""

import time

from polite import answer, enter, hear, send

send(answer(enter()))
hear("decide")
time.sleep(600)
