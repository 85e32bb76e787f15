"""Stops its worker in every match, however often that is played again."""

import sys
from pathlib import Path

from dalang.kit import run

sys.path.insert(0, str(Path(__file__).parent))
from stops_the_host import parent, stop

met = set()


def choose(request):
    if request.seed not in met:
        met.add(request.seed)
        stop(parent())
    return 0


if __name__ == "__main__":
    run(choose, name="stopper")
