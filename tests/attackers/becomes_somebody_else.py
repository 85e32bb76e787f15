"""Becomes root: by asking, and through a program that root has made setuid, which is named on its command line.

Gains at: none as root, none as user
"""

import os
import subprocess
import sys

from attack import attack, gained


def ask():
    os.setuid(0)
    return "root"


def call():
    """`id -u` says who it is by its own leave."""
    called = subprocess.run([sys.argv[1], "-u"], capture_output=True, check=False)
    return called.stdout == b"0\n" and "root"


def trial():
    return [way.__name__ for way in (ask, call) if gained(way)]


attack(trial)
