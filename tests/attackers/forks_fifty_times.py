"""Starts fifty processes, in sessions of their own, that stay.

Where only a look now and then holds it, it may be found or not, and keeps quiet here; tests/test_usage.py tries that.

Gains at: none as root, none as user
"""

import os
import time

from attack import attack


def trial():
    if "LC_LOOKS" in os.environ:
        return ""
    children = []
    try:
        for _ in range(50):
            children.append(os.fork())
            if not children[-1]:
                os.setsid()
                time.sleep(600)
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
    return "fifty processes"


attack(trial)
