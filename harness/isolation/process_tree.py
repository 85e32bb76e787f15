"""Which process has started which, as the kernel tells it (Linux)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """Of all its threads; none if it has ended."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # a thread that has ended meanwhile
                found.extend(map(int, (task / "children").read_bytes().split()))
    return found


def descendants(pid: int, most: int | None = None) -> list[int]:
    """A process and all that it has started, as far as nobody has taken them from it; `most` of them are enough."""
    found = [pid]
    for each in found:
        if most is not None and len(found) > most:
            break
        found.extend(children(each))
    return found
