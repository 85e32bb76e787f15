"""Attaches to the processes beside it as a debugger would, and reads their memory, or what the kernel tells of them.

The harness itself is closed to ordinary users at every level; other bots are not.

Gains at: none as root, none as user
"""

import ctypes
from pathlib import Path

from attack import attack, beside, first_gain, neighbours

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def seize(pid):
    ptrace = ctypes.CDLL(None).ptrace
    ptrace.argtypes = [ctypes.c_long] * 4
    if ptrace(PTRACE_SEIZE, pid, 0, 0) == 0:
        ptrace(PTRACE_DETACH, pid, 0, 0)
        return "a debugger's hold"


def read_memory(pid):
    with Path(f"/proc/{pid}/mem").open("rb"):
        return Path(f"/proc/{pid}/maps").read_bytes()


def look_at(pid):
    return list(Path(f"/proc/{pid}/fd").iterdir())


def trial():
    others = beside() or neighbours()
    return ", ".join(found for way in (seize, read_memory, look_at) if (found := first_gain(way, others)))


attack(trial)
