"""Stops whoever it plays for, for a moment, so that the match is void and played again; once, if it can note that.

Gains at: none as root, none as user
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from attack import attack

LONG_ENOUGH = 3.0
"""Seconds; the harness forgives itself a tenth of the time for a move."""
NOTE = Path(__file__).parent.parent / "stopped"


def trial():
    worker = os.getppid()
    if worker == 1:
        return ""  # the first process of a world of its own is not the harness
    if NOTE.exists():
        return "a second try"
    os.kill(worker, signal.SIGSTOP)
    with suppress(OSError):
        NOTE.touch()
    time.sleep(LONG_ENOUGH)
    os.kill(worker, signal.SIGCONT)
    return "a pause"


attack(trial)
