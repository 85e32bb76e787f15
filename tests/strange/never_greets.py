"""Never says a word. Neither it nor its child, which has a session of its own, minds a parent's death."""

import ctypes
import os
import time

PR_SET_PDEATHSIG = 1

ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)
if not os.fork():
    os.setsid()
time.sleep(600)
