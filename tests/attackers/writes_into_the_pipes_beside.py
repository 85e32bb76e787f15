"""Writes nonsense into the pipes of the bots at the same table: what they are told, and what they say.

Gains at: none as root, none as user
"""

from pathlib import Path

from attack import attack, beside, gained

NONSENSE = b"\xc1" * 1000


def write(path):
    with Path(path).open("wb", buffering=0) as pipe:
        return pipe.write(NONSENSE)


def trial():
    return [
        path for pid in beside() for path in (f"/proc/{pid}/fd/1", f"/proc/{pid}/fd/0") if gained(write, path)
    ]


attack(trial)
