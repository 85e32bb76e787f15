"""A launcher after which a command is run by an ordinary user, though the tests are run by root.

What it must read may lie in a folder that is closed to others, as root's home with a Python of pyenv in it. So it gets
a view of the files in which such a folder has nothing but what is needed: `python tests/ordinary.py COMMAND`.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

UID = 65534
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
RUST = tuple(path for path in (Path.home() / ".cargo" / "bin", Path.home() / ".rustup") if path.is_dir())
NEEDED = (*map(Path, (sys.base_prefix, sys.prefix, Path(__file__).resolve().parent.parent)), *RUST)


def as_ordinary(*command: str) -> list[str]:
    return [sys.executable, __file__, *command]


def closed_above(path: Path) -> Path | None:
    """The outermost folder above it that strangers cannot pass."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def open_the_way() -> None:
    """Only what is needed is left of a closed folder, in a view of the files that nobody else has."""
    libc = ctypes.CDLL(None, use_errno=True)
    done(libc.unshare(CLONE_NEWNS))
    done(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    kept = [(path, closed, os.open(path, os.O_PATH)) for path in NEEDED if (closed := closed_above(path))]
    for closed in {closed for _, closed, _ in kept}:
        done(libc.mount(b"none", bytes(closed), b"tmpfs", 0, b"mode=755"))
    for path, _, descriptor in kept:
        path.mkdir(parents=True, exist_ok=True)
        done(libc.mount(f"/proc/self/fd/{descriptor}".encode(), bytes(path), None, MS_BIND | MS_REC, None))
        os.close(descriptor)


def done(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def main() -> None:
    open_the_way()
    with suppress(OSError):
        os.chown(os.ttyname(0), UID, -1)  # a terminal belongs to whoever sits at it
    os.setgroups([])
    os.setgid(UID)
    os.setuid(UID)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
