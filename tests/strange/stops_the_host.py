"""Stops the referee for a while, once; the bot itself answers at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from dalang.kit import run


def choose(request):
    once = Path(sys.argv[1])
    if not once.exists():
        once.touch()
        stop(parent())
    return 0


def parent():
    return os.getppid()


def stop(host):
    """As soon as it waits for us, for no less than 0.8 s."""
    waits, stopped = os.pipe()
    if not os.fork():
        os.read(waits, 1)
        time.sleep(0.8)
        os.kill(host, signal.SIGCONT)
        os._exit(0)
    while not subprocess.check_output(["ps", "-o", "stat=", "-p", str(host)]).startswith(b"S"):
        pass
    os.kill(host, signal.SIGSTOP)
    os.write(stopped, b"!")


if __name__ == "__main__":
    run(choose, name="stopper")
