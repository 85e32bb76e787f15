"""Attaches to the processes beside it and above it as a debugger would, and reads their memory.

Gains at: none
"""

import ctypes
import os

from attack import ancestors, attack, others

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def trial():
    ptrace = ctypes.CDLL(None).ptrace
    ptrace.argtypes = [ctypes.c_long] * 4
    for pid in {os.getppid(), *ancestors(), *others()} - {1}:
        if ptrace(PTRACE_SEIZE, pid, 0, 0) == 0:
            return f"the memory of process {pid}"


attack(trial)
