"""What a process settles with the kernel about itself, on Linux."""

from __future__ import annotations

import ctypes
import shutil
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
SETPRIV = shutil.which("setpriv") if sys.platform == "linux" else None
DIE_WITH_US = [SETPRIV, "--pdeathsig", "KILL", "--"] if SETPRIV else []
"""A launcher after which the kernel kills a child when the thread that started it ends, for whatever reason."""


def prctl(option: int, value: int) -> bool:
    """Whether the kernel agreed."""
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def hide_from_others() -> None:
    """Nobody of the same user reads our memory or opens our files under /proc."""
    if sys.platform == "linux":
        prctl(PR_SET_DUMPABLE, 0)
