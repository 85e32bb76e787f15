"""Looks for the operator's seed in the command lines of all processes.

Gains at: none as root, none as user
"""

from attack import attack, processes, seen_of

SECRET = b"operators-" + b"secret"


def trial():
    return [f"the seed, of process {pid}" for pid in processes() if SECRET in seen_of(pid, "cmdline")]


attack(trial)
