"""Writes results in the name of the process that started it: always, or once, which it notes in a file NAME.done."""

import os
import signal
import sys
from pathlib import Path

import msgpack

from dalang.kit import run

MATCH = [
    ["first", "forger"],
    [2, 1],
    [0, 99],
    ["", ""],
    "victory",
    0,
    [1, 1],
    [0.1, 0.1],
    [b"", b""],
    b"story",
]


def choose(request):
    once = Path(f"{sys.argv[1]}.done") if sys.argv[1:] else None
    if once is None or not once.exists():
        if once:
            once.touch()
        with Path(f"/proc/{os.getppid()}/fd/1").open("wb", buffering=0) as stdout:
            for number in range(55):
                key = [number // 2, number % 2]
                stdout.write(msgpack.packb({"key": key, "ticket": os.urandom(8), "match": MATCH}))
        signal.pause()
    return 0


run(choose, name="forger")
