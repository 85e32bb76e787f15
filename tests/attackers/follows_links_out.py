"""Makes links in its own places to files of others, and reads through them.

Gains at: none as root, none as user
"""

import os
import tempfile
from pathlib import Path

from attack import attack, gained

HERE = Path(__file__).parent
WANTED = (HERE.parent / "kali.db", Path("/etc/passwd"))


def by_link(make, target):
    with tempfile.TemporaryDirectory() as folder:
        make(target, f"{folder}/link")
        return Path(f"{folder}/link").read_bytes()


def trial():
    ways = [(make, path) for path in WANTED for make in (os.symlink, os.link)]
    return ", ".join(f"{path.name} by {make.__name__}" for make, path in ways if gained(by_link, make, path))


attack(trial)
