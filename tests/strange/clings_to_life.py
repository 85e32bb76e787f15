"""Wants to outlive everybody: it minds no parent's death, leaves a daemon behind, and stays when it is told to go."""

import ctypes
import os
import signal
import time

from dalang.kit import run

PR_SET_PDEATHSIG = 1


def leave_a_daemon():
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(600)
        os._exit(0)
    os.wait()


def choose(request):
    return 0


ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
leave_a_daemon()
try:
    run(choose, name="clinging")
finally:
    time.sleep(600)
