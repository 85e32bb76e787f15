"""Hides a child in a session of its own, which computes for ever; then never answers."""

import os
import time

from dalang.kit import run


def choose(request):
    if not os.fork():
        os.setsid()
        if not os.fork():
            for descriptor in (0, 1, 2):
                os.close(descriptor)
            while True:
                pass
        os._exit(0)
    time.sleep(600)


run(choose, name="daemonises")
