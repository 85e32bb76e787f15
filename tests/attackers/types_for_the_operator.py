"""Types into the terminal from which it was started.

Gains at: nobody
"""

import fcntl
import os
import termios

from attack import attack, gained


def type_into(path):
    terminal = os.open(path, os.O_RDWR)
    fcntl.ioctl(terminal, termios.TIOCSTI, b"\n")
    return "a key"


def trial():
    return (
        "a key"
        if any(gained(type_into, path) for path in ("/dev/tty", "/dev/stdin", "/dev/stderr", "/dev/console"))
        else ""
    )


attack(trial)
