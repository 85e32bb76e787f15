"""Stops whoever it plays for, for a moment, so that the match is void and played again; once, if it can note that.

Gains at: none as root, none as user
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from attack import attack

TIMES, LONG_ENOUGH, BETWEEN = 3, 1.0, 0.2
"""Several pauses, in seconds: one that falls between two waits of the harness is not noticed."""
NOTE = Path(__file__).parent.parent / "stopped"


def trial():
    worker = os.getppid()
    if worker == 1:
        return ""  # the first process of a world of its own is not the harness
    if NOTE.exists():
        return "a second try"
    for _ in range(TIMES):
        os.kill(worker, signal.SIGSTOP)
        time.sleep(LONG_ENOUGH)
        os.kill(worker, signal.SIGCONT)
        time.sleep(BETWEEN)
    with suppress(OSError):
        NOTE.touch()
    return "a pause"


attack(trial)
