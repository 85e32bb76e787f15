"""Makes itself a view of the files of its own, as root of a world of its own if need be, to mount things there.

Gains at: none
"""

import ctypes

from attack import attack

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000


def trial():
    libc = ctypes.CDLL(None)
    if libc.mount(b"none", b"/no/such/folder", b"tmpfs", 0, None) == 0:
        return "a mount"
    return (
        "a namespace" if 0 in (libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), libc.unshare(CLONE_NEWNS)) else ""
    )


attack(trial)
