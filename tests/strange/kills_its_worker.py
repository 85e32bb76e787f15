"""Kills the process that started it: always, or once, which it notes in a file NAME.done."""

import os
import signal
import sys
from pathlib import Path

from dalang.kit import run


def choose(request):
    once = Path(f"{sys.argv[1]}.done") if sys.argv[1:] else None
    if once is None or not once.exists():
        if once:
            once.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return 0


run(choose, name="killer")
