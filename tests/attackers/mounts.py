"""Mounts a file system over a folder of its own, in a view of the files of its own if need be.

Gains at: none as root, none as user
"""

import ctypes
import os
import tempfile

from attack import attack

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
VIEWS = (0, CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWNS)


def mounted(libc):
    with tempfile.TemporaryDirectory() as folder:
        target = folder.encode()
        return libc.mount(b"none", target, b"tmpfs", 0, None) == 0 and libc.umount2(target, 0) == 0


def in_a_child(libc, view):
    """So that the bot itself keeps its own view."""
    child = os.fork()
    if child == 0:
        os._exit(0 if (not view or libc.unshare(view) == 0) and mounted(libc) else 1)
    return os.waitpid(child, 0)[1] == 0


def trial():
    libc = ctypes.CDLL(None)
    return [f"a mount with view {view:#x}" for view in VIEWS if in_a_child(libc, view)]


attack(trial)
