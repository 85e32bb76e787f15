"""Plays well, unless it gets through to somebody on the network: then it answers with a move that is none."""

import os
import socket

from dalang.kit import run


def reached():
    try:
        socket.create_connection((os.environ["HOST"], int(os.environ["PORT"])), timeout=5).close()
    except OSError:
        return False
    return True


run(lambda request: -1 if reached() else 0, name="spy")
