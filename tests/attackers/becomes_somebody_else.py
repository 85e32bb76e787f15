"""Tries to become root, and whether a setuid program would make it so.

Gains at: none
"""

import ctypes
import os

from attack import attack, gained

PR_GET_NO_NEW_PRIVS = 39


def become_root():
    os.setuid(0)
    return "root"


def trial():
    return (
        "root"
        if gained(become_root)
        else ""
        if ctypes.CDLL(None).prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
        else "setuid"
    )


attack(trial)
