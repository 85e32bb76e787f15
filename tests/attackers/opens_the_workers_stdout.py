"""Opens the stdout of the processes above it, to write forged results there.

Gains at: none
"""

from pathlib import Path

from attack import ancestors, attack


def trial():
    for pid in ancestors():
        with Path(f"/proc/{pid}/fd/1").open("wb", buffering=0):
            return f"the stdout of process {pid}"


attack(trial)
