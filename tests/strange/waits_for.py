"""Thinks until the file that it is told of is there."""

import sys
import time
from pathlib import Path

from dalang.kit import run


def choose(request):
    while not Path(sys.argv[1]).exists():
        time.sleep(0.001)
    return 0


run(choose, name="waits")
