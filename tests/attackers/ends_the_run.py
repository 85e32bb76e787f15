"""Asks whoever it plays for to end, as a service manager would.

Gains at: none as root, none as user
"""

import os
import signal

from attack import attack


def trial():
    if os.getppid() != 1:  # the first process of a world of its own is not the harness
        os.kill(os.getppid(), signal.SIGTERM)
        return "a signal"


attack(trial)
