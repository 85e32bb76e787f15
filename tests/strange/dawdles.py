"""Plays the first move, after a while in which it does nothing."""

import time

from dalang.kit import run


def choose(request):
    time.sleep(0.02)
    return 0


run(choose, name="dawdler")
