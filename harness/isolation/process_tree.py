"""Which process has started which, as the kernel tells it (Linux)."""

from __future__ import annotations

import os
from contextlib import suppress

ENDED_MEANWHILE = (FileNotFoundError, ProcessLookupError, NotADirectoryError)
"""What the kernel says of a process that has ended."""


def children(pid: int) -> list[int]:
    """Of all its threads, as far as we can look; none if it has ended."""
    with suppress(OSError):
        return all_children(pid)
    return []


def all_children(pid: int) -> list[int]:
    """The same for whoever must know: an OSError if we cannot look."""
    found: list[int] = []
    with suppress(*ENDED_MEANWHILE), os.scandir(f"/proc/{pid}/task") as tasks:
        for task in tasks:
            with suppress(*ENDED_MEANWHILE):  # a thread that has ended meanwhile
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
