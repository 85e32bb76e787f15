"""timeout: says hello and is never ready."""

import time

from polite import greet, hear

greet()
hear("start")
time.sleep(600)
