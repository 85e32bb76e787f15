"""crash: dies, but a child keeps the pipe open."""

import os
import time

from polite import enter

enter()
if os.fork():
    os._exit(0)
time.sleep(600)
