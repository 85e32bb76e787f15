"""Opening a tournament file: for writing by one alone, for reading by anybody."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from dalang.engine.game import SetupError, quoted
from dalang.harness.gate import check_is_kept, there
from dalang.harness.tournament.file_errors import one_line_errors
from dalang.harness.tournament.store import (
    ADDED,
    APPLICATION,
    FILE_VERSION,
    OLDEST_FILE_VERSION,
    SCHEMA,
    SUBMISSION_TABLE,
    Held,
    Store,
)
from dalang.harness.tournament.stored import MOST_RECORD_BYTES

SECONDS_TO_LET_GO = 2.0
"""That a run which has ended, or was killed, may still hold its file."""
LOCK_LOOK_SECONDS = 0.02
"""Between two looks whether it does."""


@contextmanager
def create_or_open(path: Path) -> Iterator[Store]:
    """The file for writing, made if it is not there; nobody else writes to it meanwhile."""
    with only_us(path) as lock, opened(path, "mode=rwc") as store:
        with one_line_errors(path):
            if store.connection.execute("select count(*) from sqlite_master").fetchone()[0] == 0:
                marks = f"pragma application_id = {APPLICATION}; pragma user_version = {FILE_VERSION};"
                store.connection.executescript(f"begin; {SCHEMA} {marks} commit;")
        check_is_ours(store)
        with one_line_errors(path):
            store.connection.execute("pragma journal_mode = wal")
            store.connection.execute("pragma synchronous = full")
            store.connection.executescript(ADDED)  # earlier files have less
            store.connection.execute(f"pragma user_version = {FILE_VERSION}")
        store.held = Held(lock)
        try:
            yield store
        finally:
            if not store.held.is_at(path):
                clear_away(store)
            elif store.held.is_untouched() and not any(store.rows("select 1 from tournament")):
                remove(path)  # nothing came of it


def clear_away(store: Store) -> None:
    """The file was moved or removed: what SQLite keeps beside it goes in, and spoils no copy that takes its place.

    Who runs a tournament in that copy already shares with us what is kept there, so we leave it alone.
    """
    with suppress(sqlite3.Error, SetupError), only_us(store.path) as other:
        [is_read, *_] = store.connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        if not is_read and not os.fstat(other).st_size:
            remove(store.path)


def remove(path: Path) -> None:
    for part in parts(path):
        part.unlink(missing_ok=True)


def parts(path: Path) -> list[Path]:
    """All that a tournament is in."""
    return [beside(path, suffix) for suffix in ("", "-wal", "-shm")]


def beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps for this one."""
    return path.with_name(path.name + suffix)


@contextmanager
def open_to_read(path: Path) -> Iterator[Store]:
    if not path.is_file():
        raise SetupError(f"there is no file {path}; `dalang run` makes one")
    check_is_kept(path)
    with opened(path, way_to_read(path)) as store:
        with one_line_errors(path):
            store.connection.execute("pragma query_only = true")
        check_is_ours(store)
        yield store


def way_to_read(path: Path) -> str:
    """How to open a file only to read it.

    Who may write leaves nothing beside the file: the last one to close it tidies up. Who may not can still read a
    file that nobody has open.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return "mode=rw"
    return "mode=ro" if beside(path, "-wal").exists() else "immutable=1"


def check_journal(path: Path) -> None:
    """What is not in the file yet lies beside it, by its name; where a copy took its place, it is not the copy's."""
    journal = beside(path, "-wal")
    if not there(lambda: journal.stat().st_size > 0):
        return
    alone, with_journal = commitment_by(path, "immutable=1"), commitment_by(path, "mode=ro")
    if alone and with_journal and alone != with_journal:
        raise SetupError(
            f"{journal} belongs to another tournament than {path}, which would be lost: remove it and {path.name}-shm"
        )


def commitment_by(path: Path, way: str) -> str:
    """Which tournament it is, by this way to read it; nothing if that cannot be said."""
    try:
        with closing(connected(path, way)) as connection:
            rows = connection.execute("select value from tournament where key = 'commitment'").fetchall()
    except sqlite3.Error:
        return ""
    return "".join(str(value) for [value] in rows)


def connected(path: Path, way: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{way}", uri=True, timeout=10)


@contextmanager
def opened(path: Path, way: str) -> Iterator[Store]:
    check_journal(path)
    with one_line_errors(path):
        connection = connected(path, way)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_RECORD_BYTES)
    try:
        yield Store(path, connection)
    finally:
        connection.close()


def check_is_ours(store: Store) -> None:
    """Before anything is asked of it."""
    check_version(store)
    check_schema(store)


def check_version(store: Store) -> None:
    [[application]] = store.rows("pragma application_id")
    [[version]] = store.rows("pragma user_version")
    if application != APPLICATION:
        raise SetupError(f"{store.path} is no tournament of dalang; choose another file")
    if not OLDEST_FILE_VERSION <= version <= FILE_VERSION:
        raise SetupError(
            f"{store.path} is of file version {version}, this dalang knows {OLDEST_FILE_VERSION} to {FILE_VERSION}; "
            "use the dalang that made it, or another file with --db"
        )


def check_schema(store: Store) -> None:
    """Nothing is in the file but our tables and indexes, with the columns that we gave them.

    A view in the place of a table can tell everybody something else, or never come to an end; a trigger changes what
    we write.
    """
    for kind, name, sql in store.tuples("select type, name, sql from sqlite_master"):
        if (kind, name, normal(sql)) not in known_schema():
            raise SetupError(
                f"{store.path}: its {quoted(kind)} {quoted(name)} is none that dalang makes; restore a copy of the "
                "file, or drop what somebody has added"
            )


@cache
def known_schema() -> frozenset[tuple[str, str, str]]:
    """What SQLite writes down of our tables and indexes; those of earlier versions were the same, but fewer."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(f"{SCHEMA} {ADDED} {SUBMISSION_TABLE}")
        found = connection.execute("select type, name, sql from sqlite_master").fetchall()
    return frozenset((kind, name, normal(sql)) for kind, name, sql in found)


def normal(sql: Any) -> str:
    """However it is laid out; an index that SQLite makes by itself has none."""
    return " ".join(str(sql).split())


@contextmanager
def only_us(path: Path) -> Iterator[int]:
    """Nobody else runs a tournament in this file meanwhile; reading is free. Gives a descriptor of it.

    A lock of another family than SQLite's own, so the two do not meet. It is given back last: closing any
    descriptor of a file also drops SQLite's locks on it.
    """
    check_is_kept(path)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SetupError(
            f"{path} cannot be written: {error.strerror}; choose another file with --db"
        ) from error
    try:
        lock_or_complain(lock, path)
        yield lock
    finally:
        os.close(lock)


def lock_or_complain(lock: int, path: Path) -> None:
    """A run that has just been killed may not have let go of it yet."""
    deadline = monotonic() + SECONDS_TO_LET_GO
    while not locked(lock):
        if monotonic() > deadline:
            raise SetupError(
                f"{path} is in use by another dalang; wait for it, or choose another file with --db"
            )
        sleep(LOCK_LOOK_SECONDS)


def locked(lock: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
