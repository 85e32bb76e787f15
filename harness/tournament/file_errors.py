"""What can go wrong with a tournament file, as one line that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dalang.engine.game import SetupError


@contextmanager
def one_line_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:  # SQLite may not even be able to say what is wrong
        reason = " ".join(str(error).split())  # it may quote our schema
        advice = next(
            (advice for words, advice in ADVICE.items() if words in reason), "is it a tournament file?"
        )
        raise SetupError(f"{path}: {reason}; {advice}") from error


ADVICE = {
    "full": "free some space and run the same command again: every finished match is kept",
    "readonly": "make it writable, or choose another file with --db",
    "unable to open": "look at the folder and its permissions, or choose another file with --db",
    "locked": "another program holds it; close that and run the same command again",
    "not a database": "it is something else; choose another file",
    "codec": "it is damaged; restore a copy",
    "malformed": "it is damaged, or has another's -wal beside it; restore a copy, without -wal and -shm beside it, or "
    "save what can be read with `sqlite3 FILE .recover`",
    "disk I/O": "look after the disk and run the same command again: every finished match is kept",
}
