"""Talks to a server on this machine: by TCP, by UDP, by an abstract Unix socket.

Gains at: none
"""

import socket
import sys

from attack import attack, gained

PORT = int(sys.argv[1])
WAYS = {
    "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
    "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
    "Unix": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0dalang-{PORT}"),
}


def talk(family, kind, address):
    with socket.socket(family, kind) as line:
        line.settimeout(0.5)
        line.connect(address)
        line.send(b"secret")
        return line.recv(10)


def trial():
    return ", ".join(name for name, way in WAYS.items() if gained(talk, *way))


attack(trial)
