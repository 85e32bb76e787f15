"""Stops the bots at the same table, so that their time runs out.

Gains at: none as root, none as user
"""

import os
import signal

from attack import attack, beside, gained


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    return "a stop"


def trial():
    return [pid for pid in beside() if gained(stop, pid)]


attack(trial)
