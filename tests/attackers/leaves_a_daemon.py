"""Leaves a process behind in a session of its own, with nothing of its parents open, and says which it is.

Gains at: nobody
"""

import os
import time

from attack import attack


def trial():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3):
                os.close(descriptor)
            time.sleep(600)
        os._exit(0)
    os.wait()


attack(trial)
