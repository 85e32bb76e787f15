"""Moves to other cores and to another priority.

Gains at: none as root, none as user
"""

import os

from attack import attack, gained


def move():
    os.sched_setaffinity(0, range(os.cpu_count()))
    return "all cores"


def hurry():
    os.setpriority(os.PRIO_PROCESS, 0, 0)
    return "another priority"


def trial():
    return "more than its share" if gained(move) or gained(hurry) else ""


attack(trial)
