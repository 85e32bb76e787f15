"""One tournament, one SQLite file: what was agreed, who plays, and every match with its full record.

The tables are made for people to query (`sqlite3 NAME.db`):

- `tournament`  key and value (JSON) of everything that was agreed before the first match; `left_out`, by number the
                rounds of blocks that the machine was too busy for, where the next round depends on results;
                `given_up`, who sat in each match that it was too busy for; and `finished`, the number of blocks that
                were agreed on when all of the schedule had been played
- `bot`         name, wave in which it joined, fingerprint of its files, command, and why and from which round on it
                was withdrawn by hand
- `bot_limits`  by name of a bot that may use more or less than the others: what differs (JSON)
- `match`       one row per match that came to its end, keyed by block and rotation; `record` is the whole story as
                msgpack, compressed with Zstandard
- `seat`        one row per seat of a match: bot, place, score, fault, decisions, seconds of thinking in all, and
                `times`, the microseconds of each answer as 32-bit floats (the last without an answer after a timeout)
- `machine`     one row per machine of a cluster and run: its name, what was found out about it (JSON), and its speed
- `match_machine`  on which of them a match was played; it is not there if that was the machine that has the file

Blocks are numbered in schedule order, and everything that counts is read in that order.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby, islice, takewhile
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, quoted
from dalang.engine.record import RecordError
from dalang.harness.blocks import Block, BlockResult, MatchKey, MatchResult
from dalang.harness.match.played import Played
from dalang.harness.statistics.lateness import Lateness
from dalang.harness.tournament.file_errors import one_line_errors
from dalang.harness.tournament.schedule import Entry, Plan
from dalang.harness.tournament.stored import (
    UNREADABLE,
    SeatReader,
    StoredMatch,
    lineup_of,
    match_row,
    microseconds_in,
    played_in,
    result_of,
    seat_rows,
    seconds_of,
)
from dalang.harness.tournament.terms import Terms

FILE_VERSION, OLDEST_FILE_VERSION = 3, 2
"""What is written, and the oldest that can still be read and gone on with: its records are told with their events."""
APPLICATION = 0x44414C41  # "DALA"

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
ADDED = """
create table if not exists bot_limits (name text primary key, limits text not null) without rowid;
create table if not exists machine (
    id integer primary key,
    name text not null,
    speed real not null,
    details text not null
);
create table if not exists match_machine (
    block integer not null,
    rotation integer not null,
    machine integer not null references machine (id),
    primary key (block, rotation)
) without rowid;
create index if not exists match_deal on match (block, rotation, round, deal);
create index if not exists match_late on match (block, rotation) where voided > 0;
create index if not exists seat_fault on seat (block, rotation) where fault <> '';
"""
"""What earlier files do not have: tables of limits and machines, and indexes so that whoever wants to know of all
matches need not read their records, or of a few faults all seats."""
SUBMISSION_TABLE = """
create table if not exists submission (
    number integer primary key,
    time text not null,
    round integer not null,
    name text not null,
    bot text not null,
    what text not null,
    reason text not null,
    digest text not null
);
"""
"""What the season of a league has besides; nothing else may be in a file."""


@dataclass(frozen=True)
class BotRow:
    name: str
    wave: int
    fingerprint: str
    command: str
    withdrawn: str = ""
    withdrawn_from: int = 0


class Found(NamedTuple):
    """A match that was looked up, with its whole story."""

    block: Block
    rotation: int
    played: Played


class Arrival(NamedTuple):
    """A finished match, and by seat the times of its answers as they are kept."""

    number: int
    """Which of all that were kept, in the order in which they came."""
    key: MatchKey
    result: MatchResult
    times: tuple[bytes, ...]


NO_DEAL, NO_MORE_DEALS = (-inf, 0, 0, 0), (inf, 0, 0, 0)
"""What stands before and behind the blocks that were dealt."""
HEADER_BYTES = 100
"""Of a file of SQLite's: among others how many pages it has, and a number that every change counts up."""
FETCHED = 1000
"""Rows that are asked for at once, where there are many."""


class Span(NamedTuple):
    """Matches that follow each other in the schedule, from the first to the last."""

    first: MatchKey
    last: MatchKey


class Store:
    """An open tournament file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self.connection.row_factory = sqlite3.Row
        self.held: Held | None = None
        """The file itself, if we write to it."""

    # ---- What was agreed

    def agreed(self) -> Terms | None:
        """The terms; None if nothing was agreed yet."""
        rows = list(self.rows("select key, value from tournament"))
        try:
            data = {row["key"]: json.loads(row["value"]) for row in rows}
            return Terms.of_data(data) if data else None
        except (ValueError, TypeError, RecursionError, SetupError) as error:
            raise SetupError(
                f"{self.path}: its terms cannot be read: {error}; restore a copy of the file"
            ) from error

    def terms(self) -> Terms:
        """What was agreed, for those who need it to be there."""
        agreed = self.agreed()
        if agreed is None:
            raise SetupError(f"{self.path} holds no tournament yet; begin one with `dalang run`")
        return agreed

    def begin(
        self,
        terms: Terms,
        added: Sequence[BotRow],
        replaced: Mapping[str, str] | None = None,
        fingerprints: Mapping[str, str] | None = None,
        limits: Mapping[str, Plain] | None = None,
    ) -> None:
        """Write down what was agreed, who is new, and who is replaced by whom: all of it or nothing."""
        with self.writing():
            self.agree(terms)
            self.add_bots(added)
            if added:
                self.connection.execute("delete from tournament where key = 'finished'")  # they have to play
            self.connection.executemany(
                "update bot set fingerprint = ? where name = ?",
                [(print_, name) for name, print_ in (fingerprints or {}).items()],
            )
            self.connection.executemany(
                "insert or replace into bot_limits values (?, ?)",
                [(name, json.dumps(own)) for name, own in (limits or {}).items() if own],
            )
            for old, new in (replaced or {}).items():
                self.retire(old, f"replaced by {new}")

    def agree(self, terms: Terms) -> None:
        self.connection.executemany(
            "insert or replace into tournament values (?, ?)",
            [(key, json.dumps(value, ensure_ascii=False)) for key, value in terms.data().items()],
        )

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

    def bot_limits(self) -> dict[str, Plain]:
        """By bot with limits of its own, what differs; files of earlier versions have none."""
        if not any(self.rows("select 1 from sqlite_master where name = 'bot_limits'")):
            return {}
        try:
            return {
                row["name"]: dict(json.loads(row["limits"])) for row in self.rows("select * from bot_limits")
            }
        except (ValueError, TypeError, RecursionError) as error:
            raise self.damage(f"the limits of a bot cannot be read: {error}") from error

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

    def plan(self, terms: Terms, added: Sequence[BotRow] = ()) -> Plan:
        """The plan of a tournament on these terms with the bots of this file, and those that are to be added."""
        entries = tuple(Entry(bot.name, bot.wave) for bot in [*self.bots(), *added])
        return Plan(terms, entries, find_game(terms.game).seats)

    def retired(self) -> dict[str, int]:
        """Who was withdrawn by hand, and from which round on."""
        return {bot.name: bot.withdrawn_from for bot in self.bots() if bot.withdrawn}

    # ---- What was played

    def save(self, matches: Sequence[StoredMatch]) -> None:
        """Keep these matches for good; only then do they count.

        A match that is there already stays as it is: a repetition cannot count twice.
        """
        with self.writing():
            self.connection.executemany(
                "insert into match_machine select :block, :rotation, :machine where not exists "
                "(select 1 from match where block = :block and rotation = :rotation)",
                [
                    {"block": match.block.number, "rotation": match.rotation, "machine": match.machine}
                    for match in matches
                    if match.machine
                ],
            )
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
        [row] = self.rows("select coalesce(max(block), -1) as block from match")
        return int(row["block"])

    def leave_out(self, block: Block) -> None:
        """The next round is drawn without this block."""
        with self.writing():
            self.connection.execute(
                "insert into tournament values ('left_out', json_object(?, ?)) "
                "on conflict do update set value = json_patch(value, excluded.value)",
                (str(block.number), block.round),
            )

    def left_out(self) -> set[int]:
        """The numbers of blocks that later rounds were drawn without; others can still be played."""
        query = (
            "select key from json_each((select value from tournament where key = 'left_out')) "
            "where json_each.value < (select max(round) from match)"
        )
        return {int(row["key"]) for row in self.rows(query)}

    def give_up(self, names: Sequence[str]) -> None:
        """The machine was too busy for a match of these bots, and one of them may have seen to that."""
        with self.writing():
            self.connection.execute(
                "insert into tournament values ('given_up', json_array(json(?))) on conflict do update "
                "set value = json_insert(value, '$[#]', json_extract(excluded.value, '$[0]'))",
                [json.dumps(names, ensure_ascii=False)],
            )

    def lateness(self) -> Lateness:
        """In whose matches the host was late, of all that were played and of those that were given up."""
        sat = self.rows(
            "select bot, count(*) as matches from (select distinct block, rotation, bot from seat) group by bot"
        )
        late = self.rows(
            "select block, rotation, bot from match cross join seat using (block, rotation) where voided > 0"
        )
        given_up = self.rows(
            "select given_up.key as number, seat.value as bot from json_each((select value from tournament "
            "where key = 'given_up')) as given_up, json_each(given_up.value) as seat"
        )
        found = Lateness(self.number_of_matches(), {row["bot"]: row["matches"] for row in sat})
        for _, seats in groupby(late, itemgetter("block", "rotation")):
            found.blame([seat["bot"] for seat in seats])
        for _, seats in groupby(given_up, itemgetter("number")):
            found.add([seat["bot"] for seat in seats], was_late=True)
        return found

    def finish(self, blocks: int) -> None:
        """All that was agreed on has been played."""
        if not self.is_finished(blocks):
            with self.writing():
                self.connection.execute(
                    "insert or replace into tournament values ('finished', ?)", [str(blocks)]
                )

    def is_finished(self, blocks: int) -> bool:
        """Whether a schedule of so many blocks has been played to its end."""
        query = "select value from tournament where key = 'finished'"
        return [row["value"] for row in self.rows(query)] == [str(blocks)]

    def next_round(self) -> int:
        """The first round of which nothing is played yet."""
        [row] = self.rows("select coalesce(max(round), -1) + 1 as round from match")
        return int(row["round"])

    def number_of_matches(self) -> int:
        [row] = self.rows("select count(*) as matches from match")
        return int(row["matches"])

    def matches_before(self, block: int) -> int:
        [row] = self.rows("select count(*) as matches from match where block < ?", block)
        return int(row["matches"])

    def match_keys(self) -> list[MatchKey]:
        """All matches, in schedule order."""
        return [MatchKey(*row) for row in self.rows("select block, rotation from match order by 1, 2")]

    def first_of_blocks_first(self, most: int) -> list[MatchKey]:
        """The first match of each block, then the others; not more than so many."""
        query = "select block, rotation from match order by rotation > 0, block, rotation limit ?"
        return [MatchKey(*row) for row in self.rows(query, min(most, 2**63 - 1))]

    def faulted(self) -> list[MatchKey]:
        """The matches in which somebody broke the contract."""
        query = "select distinct block, rotation from seat where fault <> '' order by 1, 2"
        return [MatchKey(*row) for row in self.rows(query)]

    def unsound(self) -> list[str]:
        """What SQLite itself finds wrong: with an index that leaves rows out, it answers as if they were not there."""
        return [found for (found,) in self.tuples("pragma integrity_check") if found != "ok"]

    def number_of_faults(self) -> int:
        [row] = self.rows("select count(*) as faults from seat where fault <> ''")
        return int(row["faults"])

    def whole_blocks(self, seats: int) -> int:
        """How many blocks from the first on are complete, all tables having this size."""
        rows = self.tuples("select block, count(*) from match group by block order by block")
        whole = takewhile(lambda at: at[1] == (at[0], seats), enumerate(rows))
        return sum(1 for _ in whole)

    def first_fault(self) -> int | None:
        """The first block in which somebody broke the contract."""
        rows = self.rows("select block from seat where fault <> '' order by block limit 1")
        return next((row["block"] for row in rows), None)

    def matches_of(self, block: int) -> dict[int, MatchResult]:
        """The finished matches of a block, by rotation."""
        query = "select rotation, bot, place, score, fault from seat where block = ? order by rotation, seat"
        by_rotation = groupby(self.rows(query, block), itemgetter("rotation"))
        return {rotation: result_of(seats) for rotation, seats in by_rotation}

    def results(self, begin: int = 0) -> Iterator[BlockResult]:
        """The complete blocks from this number on, in schedule order."""
        seats = self.tuples(
            "select block, rotation, bot, place, score, fault from seat where block >= ? "
            "order by block, rotation, seat",
            begin,
        )
        deals = self.rows(
            "select block, count(*), round, deal from match where block >= ? group by block order by block",
            begin,
        )
        reader = SeatReader(bot.name for bot in self.bots())
        number, rotations, round_, deal = NO_DEAL
        for block, of_block in groupby(seats, itemgetter(0)):
            try:
                lineup, matches = reader.block(block, of_block)
            except RecordError as error:
                raise self.damage(f"block {quoted(block)}, {error}") from error
            while number < block:
                number, rotations, round_, deal = next(deals, NO_MORE_DEALS)
            if number == block and rotations == len(matches) == len(lineup):
                yield BlockResult(Block(block, round_, lineup, deal), matches)

    def spans(self, length: int) -> Iterator[Span]:
        """All matches in schedule order, so many at a time."""
        keys = (MatchKey(*row) for row in self.rows("select block, rotation from match order by 1, 2"))
        while some := list(islice(keys, length)):
            yield Span(some[0], some[-1])

    def stories(self, span: Span) -> Iterator[tuple[MatchKey, Found | str]]:
        """These finished matches with their whole stories, in schedule order; or why that cannot be read."""
        query = (
            "select block, rotation, round, deal, record from match "
            "where (block, rotation) between (?, ?) and (?, ?) order by block, rotation"
        )
        for row in self.rows(query, *span.first, *span.last):
            key = MatchKey(row["block"], row["rotation"])
            try:
                played = played_in(row["record"])
                block = Block(key.block, row["round"], lineup_of(played.names, key.rotation), row["deal"])
            except UNREADABLE as error:
                yield key, repr(error)
            else:
                yield key, Found(block, key.rotation, played)

    def story(self, key: MatchKey) -> Played | None:
        """The whole story of a match; None if it is not there."""
        found = list(self.rows("select record from match where block = ? and rotation = ?", *key))
        if not found:
            return None
        try:
            return played_in(found[0]["record"])
        except UNREADABLE as error:
            raise SetupError(
                f"{self.path}: the record of {key} cannot be read: {error}; "
                "`dalang verify` tells what else is wrong"
            ) from error

    def rows_of(self, key: MatchKey) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
        """The rows of a match as `match_row` and `seat_rows` make them, but for the record."""
        columns = "block, rotation, round, deal, ending, voided"
        [match] = self.rows(f"select {columns} from match where block = ? and rotation = ?", *key)
        seats = self.rows("select * from seat where block = ? and rotation = ? order by seat", *key)
        return tuple(match), [tuple(seat) for seat in seats]

    def places(self) -> Iterator[tuple[int, set[tuple[int, int]]]]:
        """Every block of which something is played, in schedule order, with the rounds and deals of its matches."""
        rows = self.rows("select block, round, deal from match order by block, rotation")
        for number, matches in groupby(rows, itemgetter("block")):
            yield number, {(match["round"], match["deal"]) for match in matches}

    def listing(self) -> Iterator[tuple[MatchKey, MatchResult]]:
        """The finished matches: who sat where, and how it ended for each."""
        rows = self.rows(
            "select block, rotation, bot, place, score, fault from seat order by block, rotation, seat"
        )
        for key, seats in groupby(rows, itemgetter("block", "rotation")):
            yield MatchKey(*key), result_of(seats)

    def arrived(self, after: int) -> Iterator[Arrival]:
        """The matches that were kept after the one with this number, in the order in which they came."""
        rows = self.tuples(
            "select match.rowid, block, rotation, bot, place, score, fault, times "
            "from match cross join seat using (block, rotation) where match.rowid > ? order by match.rowid, seat",
            after,
        )
        for number, seats in groupby(rows, itemgetter(0)):
            (block, *_), (rotation, *_), *columns = zip(*(seat[1:] for seat in seats), strict=True)
            yield Arrival(number, MatchKey(block, rotation), MatchResult(*columns[:4]), columns[4])

    def thinking_times(self) -> dict[str, Counter[float]]:
        """By bot the seconds that answers took, and how many took so long."""
        found: dict[str, Counter[float]] = {bot.name: Counter() for bot in self.bots()}
        try:
            for bot, times in self.tuples("select bot, times from seat"):
                found[bot].update(microseconds_in(times))
            return {bot: seconds_of(times) for bot, times in found.items()}
        except UNREADABLE as error:  # or a bot that is none
            raise self.damage(error) from error

    # ---- SQLite

    def tuples(self, query: str, *values: Any) -> Iterator[Any]:
        """Rows without names, where there are many; whoever asks for them checks what they hold."""
        with one_line_errors(self.path):
            cursor = self.connection.cursor()
            cursor.row_factory = None
            cursor.execute(query, values)
            while some := cursor.fetchmany(FETCHED):
                yield from some

    def rows(self, query: str, *values: Any) -> Iterator[Any]:
        """What the file answers, where every column holds what it is to hold."""
        with one_line_errors(self.path):
            found = self.connection.execute(query, values)
            sorts = [SORTS.get(name, object) for name, *_ in found.description]
            for row in found:
                if not all(map(isinstance, row, sorts)):
                    raise self.damage(f"{quoted(tuple(row))} is no row of {query.partition(' from ')[2]}")
                yield row

    def damage(self, what: object) -> SetupError:
        return SetupError(
            f"{self.path} is damaged: {what}; restore a copy of the file, or look with `dalang verify`"
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of it or nothing, and on the disk when the block is left."""
        self.check_in_place()
        with one_line_errors(self.path), self.connection:
            yield
        if self.held:
            self.held.note()
        self.check_in_place()

    def check_in_place(self) -> None:
        """SQLite goes on writing to a file that has no name any more, or is another one by now."""
        if self.held and not (self.held.is_at(self.path) and self.held.is_untouched()):
            raise SetupError(
                f"{self.path} was removed, moved or replaced while it was in use; a file that was moved has all that "
                "was kept, otherwise restore a copy, or run the same command again to begin anew"
            )


SORTS = {
    **dict.fromkeys(("key", "value", "name", "fingerprint", "command", "withdrawn", "limits"), str),
    **dict.fromkeys(("bot", "fault", "ending", "time", "what", "reason", "digest"), str),
    **dict.fromkeys(("wave", "withdrawn_from", "block", "rotation", "round", "deal", "voided"), int),
    **dict.fromkeys(("place", "score"), int),
    "speed": float,
    **dict.fromkeys(("record", "times"), bytes),
}
"""What the columns hold; SQLite itself lets them hold anything."""


class Held:
    """A file that we write to and nobody else does: which it is, and how it was when we last wrote."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.note()

    def note(self) -> None:
        self.noted = self.beginning()

    def beginning(self) -> tuple[int, bytes]:
        """Its length and SQLite's header: `cp` writes another file into it, which keeps its place."""
        return os.fstat(self.descriptor).st_size, os.pread(self.descriptor, HEADER_BYTES, 0)

    def is_untouched(self) -> bool:
        return self.noted == self.beginning()

    def is_at(self, path: Path) -> bool:
        try:
            return os.path.samestat(path.stat(), os.fstat(self.descriptor))
        except OSError:
            return False
