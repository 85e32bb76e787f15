"""What has happened in a season, in its file: who came, was refused, replaced or left."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from dalang.harness.league.settings import DIVISION
from dalang.harness.tournament.store import SUBMISSION_TABLE, Store
from dalang.harness.tournament.terms import Terms


@dataclass(frozen=True)
class Happening:
    """Something that came of a submission."""

    time: str
    """In UTC."""
    round: int
    """The first round that felt it."""
    name: str
    bot: str
    """The version it is about; of one that was refused, nothing."""
    what: str
    reason: str
    digest: str


def begin_season(store: Store, terms: Terms, division: int) -> None:
    with store.writing():
        store.connection.execute(SUBMISSION_TABLE)
        store.agree(terms)
        store.connection.execute("insert or replace into tournament values ('division', ?)", [str(division)])


def add_happenings(store: Store, added: Sequence[Happening]) -> None:
    store.connection.executemany(
        "insert into submission (time, round, name, bot, what, reason, digest) values (?, ?, ?, ?, ?, ?, ?)",
        map(astuple, added),
    )


def happenings(store: Store) -> list[Happening]:
    """All that has happened, in order; nothing in a file that is no season."""
    if not any(store.rows("select 1 from sqlite_master where name = 'submission'")):
        return []
    columns = "time, round, name, bot, what, reason, digest"
    try:
        return [Happening(*row) for row in store.rows(f"select {columns} from submission order by number")]
    except sqlite3.Error as error:
        raise store.damage(error) from error


def division_of(store: Store) -> int:
    """How many bots a division has."""
    for row in store.rows("select value from tournament where key = 'division'"):
        if row["value"].isdecimal():
            return max(2, int(row["value"]))
    return DIVISION
