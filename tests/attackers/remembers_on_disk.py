"""Writes down what it saw wherever it may write, and looks for it in the next match.

Gains at: none as root, none as user
"""

import tempfile
from pathlib import Path

from attack import attack

HERE = Path(__file__).parent
PLACES = {
    *map(Path, ("/tmp", "/dev/shm", "/var/tmp", tempfile.gettempdir())),
    Path.home(),
    *HERE.parents[:-1],  # in the sandbox these are only there to lead to it
    HERE,
}
NAME = f".remembered-{HERE.parent.name}"


def remembered(path):
    try:
        seen = path.exists()
        path.unlink() if seen else path.write_text("seen")
        return seen
    except OSError:
        return False


def trial():
    return "a memory" if [place for place in PLACES if remembered(place / NAME)] else ""


attack(trial)
