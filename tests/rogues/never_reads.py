"""timeout: never reads what it is told."""

import time

from polite import greet

greet()
time.sleep(600)
