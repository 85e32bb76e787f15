"""timeout: goes silent in mid-match."""

import time

from polite import second_question

second_question()
time.sleep(600)
