"""start: never says a word."""

import time

time.sleep(600)
