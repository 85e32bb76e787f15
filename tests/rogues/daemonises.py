"""timeout: hides a child in a session of its own, which spins."""

import os
import time

from polite import enter

enter()
if not os.fork():
    os.setsid()
    if not os.fork():
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        while True:
            pass
    os._exit(0)
time.sleep(600)
