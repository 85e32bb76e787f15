"""Stops its worker once in every match, so that the match is void and played again."""

import sys
from pathlib import Path

from dalang.kit import Request, run

sys.path.insert(0, str(Path(__file__).parent))
from stops_the_host import parent, stop


def choose(request: Request) -> int:
    once = Path(sys.argv[1]) / request.seed
    if not once.exists():
        once.touch()
        stop(parent())
    return 0


if __name__ == "__main__":
    run(choose, name="stopper")
