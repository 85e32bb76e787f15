"""Kills the bots at the same table, and asks the kernel whether it may send signals to whoever else is near.

Gains at: none as root, none as user
"""

import os
import signal

from attack import attack, beside, first_gain, gained, neighbours


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    return "a kill"


def may_signal(pid):
    os.kill(pid, 0)
    return "leave"


def trial():
    return [pid for pid in beside() if gained(kill, pid)] or first_gain(may_signal, neighbours())


attack(trial)
