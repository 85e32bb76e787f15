"""One tournament, one SQLite file: what was agreed, who plays, and every match with its full record.

The tables are made for people to query (`sqlite3 NAME.db`):

- `tournament`  key and value (JSON) of everything that was agreed before the first match
- `bot`         name, wave in which it joined, fingerprint of its files, command, and why and from which round on it
                was withdrawn by hand
- `match`       one row per match that came to its end, keyed by block and rotation; `record` is the whole story as
                msgpack, compressed with Zstandard
- `seat`        one row per seat of a match: bot, place, score, fault, decisions, seconds of thinking in all, and
                `times`, the microseconds of each answer as 32-bit floats (the last without an answer after a timeout)

Blocks are numbered in schedule order, and everything that counts is read in that order.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import msgpack

from dalang.engine.game import Plain, SetupError
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.match.referee import checked_record

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

VERSION = 2
APPLICATION = 0x44414C41  # "DALA"
COMPRESSOR = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: True})

SCHEMA = """
create table tournament (key text primary key, value text not null) without rowid;
create table bot (
    name text primary key,
    position integer not null unique,
    wave integer not null,
    fingerprint text not null,
    command text not null,
    withdrawn text not null default '',
    withdrawn_from integer not null default 0
) without rowid;
create table match (
    block integer not null,
    rotation integer not null,
    round integer not null,
    deal integer not null,
    ending text not null,
    voided integer not null,
    record blob not null,
    primary key (block, rotation)
);
create table seat (
    block integer not null,
    rotation integer not null,
    seat integer not null,
    bot text not null references bot (name),
    place integer not null,
    score integer not null,
    fault text not null,
    decisions integer not null,
    seconds real not null,
    times blob not null,
    primary key (block, rotation, seat)
) without rowid;
"""


def packed(data: Plain) -> Plain:
    """A match as a worker sends it: the whole story for the file, beside it what goes into the tables."""
    outcome, times = data["record"]["outcome"], data["microseconds"]
    return {
        "names": data["names"],
        "ranks": data["ranks"],
        "scores": outcome["scores"],
        "faults": faults_of(data),
        "ending": outcome["ending"],
        "voided": data["voided"],
        "decisions": list(map(len, times)),
        "seconds": [sum(each) / 1e6 for each in times],
        "times": [array("f", each).tobytes() for each in times],
        "record": compressed(data),
    }


@dataclass(frozen=True)
class Finished:
    """A match that came to its end, as a worker reports it."""

    block: Block
    rotation: int
    match: Plain
    """What `packed` made of it."""

    def result(self) -> MatchResult:
        return MatchResult(*[tuple(self.match[key]) for key in ("names", "ranks", "scores", "faults")])


def result_of(data: Plain) -> MatchResult:
    return MatchResult(
        names=tuple(data["names"]),
        ranks=tuple(data["ranks"]),
        scores=tuple(data["record"]["outcome"]["scores"]),
        faults=faults_of(data),
    )


def faults_of(data: Plain) -> tuple[str, ...]:
    """By seat, the kind of its fault, or nothing."""
    kinds = {fault["seat"]: fault["kind"] for fault in data["faults"]}
    return tuple(kinds.get(seat, "") for seat in range(len(data["names"])))


@dataclass(frozen=True)
class BotRow:
    name: str
    wave: int
    fingerprint: str
    command: str
    withdrawn: str = ""
    withdrawn_from: int = 0


class Store:
    """An open tournament file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    # ---- What was agreed

    def agreed(self) -> Plain:
        rows = list(self.rows("select key, value from tournament"))
        try:
            return {key: json.loads(value) for key, value in rows}
        except ValueError as error:
            raise SetupError(
                f"{self.path}: its terms cannot be read: {error}; restore a copy of the file"
            ) from error

    def terms(self) -> Plain:
        """What was agreed, for those who need it to be there."""
        agreed = self.agreed()
        if not agreed:
            raise SetupError(f"{self.path} holds no tournament yet; begin one with `dalang run`")
        return agreed

    def begin(self, terms: Plain, bots: Sequence[BotRow], replaced: Mapping[str, str]) -> None:
        """Write down what was agreed, who is new, and who is replaced by whom: all of it or nothing."""
        with self.writing():
            self.connection.executemany(
                "insert or replace into tournament values (?, ?)",
                [(key, json.dumps(value, ensure_ascii=False)) for key, value in terms.items()],
            )
            self.add_bots(bots)
            for old, new in replaced.items():
                self.retire(old, f"replaced by {new}")

    def bots(self) -> list[BotRow]:
        columns = "name, wave, fingerprint, command, withdrawn, withdrawn_from"
        return [BotRow(*row) for row in self.rows(f"select {columns} from bot order by position")]

    def add_bots(self, bots: Sequence[BotRow]) -> None:
        first = len(self.bots())
        self.connection.executemany(
            "insert into bot (position, name, wave, fingerprint, command) values (?, ?, ?, ?, ?)",
            [
                (first + number, bot.name, bot.wave, bot.fingerprint, bot.command)
                for number, bot in enumerate(bots)
            ],
        )

    def withdraw(self, name: str, reason: str) -> None:
        """From the next round on it is left out; of the rounds so far only what it has not played."""
        with self.writing():
            self.retire(name, reason)

    def retire(self, name: str, reason: str) -> None:
        self.connection.execute(
            "update bot set withdrawn = ?, "
            "withdrawn_from = (select coalesce(max(round), -1) + 1 from match) where name = ?",
            (reason, name),
        )

    # ---- What was played

    def save(self, matches: Sequence[Finished]) -> None:
        """Keep these matches for good; only then do they count.

        A match that is there already stays as it is: a repetition cannot count twice.
        """
        with self.writing():
            self.connection.executemany(
                "insert into match values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                map(match_row, matches),
            )
            self.connection.executemany(
                "insert into seat values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                chain.from_iterable(map(seat_rows, matches)),
            )

    def last_block(self) -> int:
        """The highest number of a block of which something is played; -1 if nothing is."""
        [(number,)] = self.rows("select coalesce(max(block), -1) from match")
        return int(number)

    def matches_of(self, block: int) -> dict[int, MatchResult]:
        """The finished matches of a block, by rotation."""
        rows = self.rows(
            "select block, rotation, seat, bot, place, score, fault from seat where block = ? order by rotation, seat",
            block,
        )
        return {
            rotation: seats_to_result(list(seats))
            for rotation, seats in groupby(rows, lambda row: int(row[1]))
        }

    def results(self) -> Iterator[BlockResult]:
        """The complete blocks in schedule order."""
        rows = self.rows(
            "select block, rotation, seat, bot, place, score, fault, round, deal from seat "
            "join match using (block, rotation) order by block, rotation, seat"
        )
        for number, of_block in groupby(rows, lambda row: int(row[0])):
            matches, block = [], None
            for _, seats in groupby(of_block, lambda row: int(row[1])):
                seat_rows = list(seats)
                matches.append(seats_to_result(seat_rows))
                block = block or Block(
                    number, seat_rows[0][7], lineup_of(matches[0].names, seat_rows[0][1]), seat_rows[0][8]
                )
            if block and len(matches) == len(block.lineup):
                yield BlockResult(block, tuple(matches))

    def records(self) -> Iterator[tuple[str, tuple[Block, int, Plain] | str]]:
        """Every finished match by name with its whole story, in schedule order; or why that cannot be read."""
        rows = self.rows("select block, rotation, round, deal, record from match order by block, rotation")
        for number, rotation, round_, deal, blob in rows:
            name = f"block {number}, rotation {rotation}"
            try:
                data = unpacked(blob)
                block = Block(number, round_, lineup_of(tuple(data["names"]), rotation), deal)
            except (zstd.ZstdError, *DAMAGE) as error:
                yield name, repr(error)
            else:
                yield name, (block, rotation, data)

    def record(self, block: int, rotation: int) -> Plain | None:
        """The whole story of a match; None if it is not there."""
        query = "select record from match where block = ? and rotation = ?"
        found = list(self.rows(query, block, rotation))
        if not found:
            return None
        try:
            data = unpacked(found[0][0])
            checked_record(data)
        except (zstd.ZstdError, *DAMAGE) as error:
            raise SetupError(
                f"{self.path}: the record of block {block}, rotation {rotation} cannot be read: {error}; "
                "`dalang verify` tells what else is wrong"
            ) from error
        return data

    def listing(self) -> Iterator[Plain]:
        """The finished matches: who sat where, and how it ended for each."""
        rows = self.rows(
            "select block, rotation, bot, place, score, fault from seat order by block, rotation, seat"
        )
        for (block, rotation), seats in groupby(rows, lambda row: row[:2]):
            names, places, scores, faults = zip(*(row[2:] for row in seats), strict=True)
            yield {
                "match": f"{block}.{rotation}",
                "bots": names,
                "places": places,
                "scores": scores,
                "faults": faults,
            }

    def thinking_times(self) -> dict[str, list[float]]:
        """By bot the seconds of every answer."""
        found: dict[str, list[float]] = {bot.name: [] for bot in self.bots()}
        for name, times in self.rows("select bot, times from seat order by block, rotation, seat"):
            found[name] += [microseconds / 1e6 for microseconds in array("f", times)]
        return found

    # ---- SQLite

    def rows(self, query: str, *values: Any) -> Iterator[Any]:
        with told_plainly(self.path):
            yield from self.connection.execute(query, values)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of it or nothing, and on the disk when the block is left."""
        with told_plainly(self.path), self.connection:
            yield


def match_row(match: Finished) -> tuple[Any, ...]:
    block, data = match.block, match.match
    about = data["ending"], data["voided"], data["record"]
    return block.number, match.rotation, block.round, block.deal, *about


def seat_rows(match: Finished) -> list[tuple[Any, ...]]:
    columns = ("names", "ranks", "scores", "faults", "decisions", "seconds", "times")
    rows = zip(*[match.match[column] for column in columns], strict=True)
    block, rotation = match.block.number, match.rotation
    return [(block, rotation, seat, *row) for seat, row in enumerate(rows)]


def seats_to_result(rows: Sequence[Any]) -> MatchResult:
    _, _, _, names, places, scores, faults = list(zip(*rows, strict=True))[:7]
    return MatchResult(names, places, scores, faults)


def lineup_of(names: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    """The line-up whose rotation these names are; see `Block.seatings`."""
    split = (len(names) - rotation) % len(names)
    return names[split:] + names[:split]


def compressed(data: Plain) -> bytes:
    return COMPRESSOR.compress(msgpack.packb(data), COMPRESSOR.FLUSH_FRAME)


def unpacked(blob: bytes) -> Plain:
    data: Plain = msgpack.unpackb(zstd.decompress(blob), strict_map_key=False)
    return data


# ---- Opening


@contextmanager
def create_or_open(path: Path) -> Iterator[Store]:
    """The file for writing, made if it is not there; nobody else writes to it meanwhile."""
    with only_us(path), opened(path, "mode=rwc") as store:
        with told_plainly(path):
            if store.connection.execute("select count(*) from sqlite_master").fetchone() == (0,):
                store.connection.executescript(
                    f"begin; {SCHEMA} pragma application_id = {APPLICATION}; pragma user_version = {VERSION}; commit;"
                )
        check_version(store)
        with told_plainly(path):
            store.connection.execute("pragma journal_mode = wal")
            store.connection.execute("pragma synchronous = full")
        try:
            yield store
        finally:
            if not any(store.rows("select 1 from tournament")):
                remove(path)  # nothing came of it


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix).unlink(missing_ok=True)


def beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps for this one."""
    return path.with_name(path.name + suffix)


@contextmanager
def open_to_read(path: Path) -> Iterator[Store]:
    if not path.is_file():
        raise SetupError(f"there is no file {path}; `dalang run` makes one")
    with opened(path, way_to_read(path)) as store:
        with told_plainly(path):
            store.connection.execute("pragma query_only = true")
        check_version(store)
        yield store


def way_to_read(path: Path) -> str:
    """How to open a file only to read it.

    Who may write leaves nothing beside the file: the last one to close it tidies up. Who may not can still read a
    file that nobody has open.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return "mode=rw"
    return "mode=ro" if beside(path, "-wal").exists() else "immutable=1"


@contextmanager
def opened(path: Path, way: str) -> Iterator[Store]:
    with told_plainly(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{way}", uri=True, timeout=10)
    try:
        yield Store(path, connection)
    finally:
        connection.close()


def check_version(store: Store) -> None:
    [(application,)] = store.rows("pragma application_id")
    [(version,)] = store.rows("pragma user_version")
    if application != APPLICATION:
        raise SetupError(f"{store.path} is no tournament of dalang; choose another file")
    if version != VERSION:
        raise SetupError(
            f"{store.path} is of file version {version}, this dalang writes version {VERSION}; "
            "use the dalang that made it, or another file with --db"
        )


@contextmanager
def only_us(path: Path) -> Iterator[None]:
    """Nobody else runs a tournament in this file meanwhile; reading is free.

    A lock of another family than SQLite's own, so the two do not meet. It is given back last: closing any
    descriptor of a file also drops SQLite's locks on it.
    """
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SetupError(
            f"{path} cannot be written: {error.strerror}; choose another file with --db"
        ) from error
    try:
        lock_or_complain(lock, path)
        yield
    finally:
        os.close(lock)


def lock_or_complain(lock: int, path: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SetupError(
            f"{path} is in use by another dalang; wait for it, or choose another file with --db"
        ) from None


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """What can go wrong with a file, as one line that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        reason = str(error)
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
    "malformed": "it is damaged; restore a copy, or save what can be read with `sqlite3 FILE .recover`",
    "disk I/O": "look after the disk and run the same command again: every finished match is kept",
}
