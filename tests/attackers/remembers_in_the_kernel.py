"""Tells its next process what it saw: by shared memory, by a message queue, by locks on a file that both read.

Gains at: none as root, none as user
"""

import ctypes
import fcntl
import os
import struct
import zlib
from pathlib import Path

from attack import attack, gained

KEY = zlib.crc32(str(Path(__file__).parent).encode()) & 0x7FFFFFFF
IPC_CREATE, IPC_REMOVE = 0o1666, 0
LOCK = struct.Struct("hhqqi4x")
SCRIPT = os.open(__file__, os.O_RDONLY)


def by_shared_memory():
    return left(lambda flags: libc.shmget(KEY, 8, flags), libc.shmctl)


def by_message_queue():
    return left(lambda flags: libc.msgget(KEY, flags), libc.msgctl)


def left(get, control):
    """Whether the last process left one, which is then removed; otherwise this one leaves it."""
    found = get(0)
    if found < 0:
        get(IPC_CREATE)
        return ""
    control(found, IPC_REMOVE, None)
    return "it"


def by_lock():
    """Whoever looks for a lock is told where in the file it begins: that is a number of 63 bits."""
    asked = LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    found = LOCK.unpack(fcntl.fcntl(SCRIPT, fcntl.F_GETLK, asked))
    fcntl.lockf(SCRIPT, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, KEY)
    return found[0] != fcntl.F_UNLCK and found[2] == KEY


def by_flock():
    """One bit: who cannot have the file alone knows that another has it."""
    try:
        fcntl.flock(SCRIPT, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "it"


libc = ctypes.CDLL(None)
WAYS = (by_shared_memory, by_message_queue, by_lock, by_flock)


def trial():
    return [way.__name__ for way in WAYS if gained(way)]


attack(trial)
