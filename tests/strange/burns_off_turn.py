"""Answers at once, and has children in sessions of their own that keep the processor busy as long as it lives."""

import ctypes
import os
import signal

from dalang.kit import run

PR_SET_PDEATHSIG = 1


def burn():
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    while True:
        pass


for _ in range(2):
    if os.fork() == 0:
        burn()

run(lambda request: 0, name="burner")
