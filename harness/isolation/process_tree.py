"""Which process has started which, as the kernel tells it (Linux)."""

from __future__ import annotations

import os
from contextlib import suppress


def children(pid: int) -> list[int]:
    """Of all its threads; none if it has ended."""
    found: list[int] = []
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
        for task in tasks:
            with suppress(OSError):  # a thread that has ended meanwhile
                found.extend(map(int, content(f"{task.path}/children").split()))
    return found


def content(path: str) -> bytes:
    """What the kernel tells in a file of its own; bots are looked at so often that a Path would be felt."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(file, MOST_TOLD), b""))
    finally:
        os.close(file)


MOST_TOLD = 65536
"""Bytes that the kernel is asked for at once."""


def descendants(pid: int, most: int | None = None) -> list[int]:
    """A process and all that it has started, as far as nobody has taken them from it; `most` of them are enough."""
    found = [pid]
    for each in found:
        if most is not None and len(found) > most:
            break
        found.extend(children(each))
    return found
