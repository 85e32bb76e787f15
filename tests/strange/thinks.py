"""Thinks for as many milliseconds as it is told, asleep, and keeps no stderr."""

import os
import sys
import time

from dalang.kit import run

os.close(2)


def choose(request):
    time.sleep(int(sys.argv[1]) / 1000)
    return 0


run(choose, name="thinks")
