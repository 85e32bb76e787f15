"""Stops the referee for a while, once; the bot itself answers at once."""

import os
import signal
import sys
import time
from pathlib import Path

from dalang.kit import run


def choose(request):
    once = Path(sys.argv[1])
    if not once.exists():
        once.touch()
        host = os.getppid()
        time.sleep(0.05)  # let the referee settle down to wait
        if not os.fork():
            time.sleep(0.8)
            os.kill(host, signal.SIGCONT)
            os._exit(0)
        os.kill(host, signal.SIGSTOP)
    return 0


run(choose, name="stopper")
