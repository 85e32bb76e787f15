"""How a bot with a build command is built, and when that is needed again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import LEFT_OUT, digest, own_files

STAMP = ".dalang-built"
"""The file in a bot's folder that tells what was built: a digest of its files, and the folders that were filled."""
MOST_STAMP = 4096


def build(entrant: Entrant, make: Callable[[Entrant], None], tell: Callable[[str], None]) -> None:
    """Have an entrant made that has a build command, if it never was built or its files have changed since.

    It can take a while, so that it happens is told.
    """
    if not entrant.build or not entrant.folder or is_built(entrant, entrant.folder):
        return
    sources = own_files(entrant)
    made_of = digest(entrant.build, sources)
    stamp = entrant.folder / STAMP
    with suppress(OSError):
        stamp.unlink()  # a build that fails may have spoilt what the last one made
    tell(f"building {entrant.name}: {shlex.join(entrant.build)}")
    make(entrant)
    products = [name for name in sorted(LEFT_OUT) if (entrant.folder / name).is_dir()]
    with suppress(OSError):  # where we may not write, it is built each time
        if digest(entrant.build, sources) == made_of:  # nobody has changed them meanwhile
            # with a lock file that the build may have added
            made_of = digest(entrant.build, own_files(entrant))
            write_new(stamp, " ".join([made_of, *products]))


def write_new(path: Path, text: str) -> None:
    """In the place of whatever the build has put there: a link would lead us elsewhere."""
    path.unlink(missing_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def is_built(entrant: Entrant, folder: Path) -> bool:
    """Whether the last build was of the files that are there now, and what it made is still there."""
    try:
        made_of, *products = read_plain(folder / STAMP).split()
    except (OSError, ValueError):
        return False
    return made_of == digest(entrant.build, own_files(entrant)) and all(
        (folder / name).is_dir() for name in products
    )


def read_plain(path: Path) -> str:
    """A file that somebody else may have put there: no link, and nothing that keeps us waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(descriptor, MOST_STAMP).decode()
    finally:
        os.close(descriptor)
