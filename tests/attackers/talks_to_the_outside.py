"""Talks to a server on this machine: by TCP, by UDP, by a Unix socket with an abstract name and one with a path.

Gains at: none as root, none as user
"""

import os
import socket
from pathlib import Path

from attack import attack, gained

PORT = int(os.environ["LC_PORT"])
WAYS = {
    "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
    "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
    "an abstract name": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0dalang-{PORT}"),
    "a path": (socket.AF_UNIX, socket.SOCK_STREAM, str(Path(__file__).parent.parent / "socket")),
}


def talk(family, kind, address):
    with socket.socket(family, kind) as line:
        line.settimeout(0.5)
        line.connect(address)
        line.send(b"secret")
        return line.recv(10)


def trial():
    return [name for name, way in WAYS.items() if gained(talk, *way)]


attack(trial)
