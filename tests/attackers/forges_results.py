"""Writes a result into the worker's stdout, in which it has won the match that it is just playing.

Which match that is it reads in the worker's notes. Gained is also a pipe of the worker to which it may write.

Gains at: none as root
"""

import re
import struct
from pathlib import Path

import msgpack
from attack import attack, gained, harness, seen_of

ME, OTHER = "forges_results", "first"
WORKER = re.compile(rb"tournament\.worker\0(\d+)\0")


def forged(block, rotation):
    names = (ME, OTHER) if rotation == 0 else (OTHER, ME)
    ranks, scores = [1 if name == ME else 2 for name in names], [999 if name == ME else 0 for name in names]
    times = [struct.pack("f", 1000.0)] * 2
    story = (names, ranks, scores, ["", ""], "forged", 0, [1, 1], [0.001, 0.001], times, b"")
    return msgpack.packb({"key": [block, rotation], "match": story})


def forge(pid):
    notes = WORKER.search(seen_of(pid, "cmdline"))
    key = struct.unpack_from("qq", Path(f"/proc/{pid}/fd/{int(notes[1])}").read_bytes()) if notes else (0, 0)
    return write(Path(f"/proc/{pid}/fd/1"), forged(*key))


def write(path, message):
    own = {pipe.stat().st_ino for pipe in Path("/proc/self/fd").iterdir() if pipe.exists()}
    if path.stat().st_ino in own:
        return ""  # the sandbox around it has the bot's own pipe
    with path.open("wb", buffering=0) as pipe:
        return pipe.write(message)


def trial():
    return "the worker's pipe" if any(gained(forge, pid) for pid in harness()[:1]) else ""


attack(trial)
