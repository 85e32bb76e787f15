"""The machines of a cluster in the file: what they are, and what was played on them."""

from __future__ import annotations

import json
from typing import NamedTuple

from dalang.engine.game import Plain
from dalang.harness.blocks import MatchKey
from dalang.harness.tournament.store import Store

ON_MACHINE = (
    "left join match_machine using (block, rotation) left join machine on machine.id = match_machine.machine"
)


class MatchesOn(NamedTuple):
    """What was played on a machine."""

    machine: str
    """Empty for the machine that has the file."""
    matches: int
    voided: int
    """How often a match was void there because the host was late."""


class SeatsOn(NamedTuple):
    """What a bot did on a machine."""

    machine: str
    bot: str
    seats: int
    timeouts: int


def add_machine(store: Store, name: str, speed: float, details: Plain) -> int:
    """A machine of a cluster; the number by which its matches name it."""
    with store.writing():
        added = store.connection.execute(
            "insert into machine (name, speed, details) values (?, ?, ?)",
            (name, speed, json.dumps(details, ensure_ascii=False)),
        )
    assert added.lastrowid
    return added.lastrowid


def knows_machines(store: Store) -> bool:
    """Whether anything was played elsewhere; an earlier file cannot tell."""
    has_table = any(store.rows("select 1 from sqlite_master where name = 'match_machine'"))
    return has_table and any(store.rows("select 1 from match_machine limit 1"))


def stray_matches(store: Store) -> list[MatchKey]:
    """A match, if there is one, that is told of a machine, but one of both is not there."""
    if not knows_machines(store):
        return []
    query = (
        "select block, rotation from match_machine where machine not in (select id from machine) or not exists "
        "(select 1 from match where (block, rotation) = (match_machine.block, match_machine.rotation)) limit 1"
    )
    return [MatchKey(*row) for row in store.rows(query)]


def speeds(store: Store) -> dict[str, float]:
    """By name of a machine, how fast it was when it was last measured."""
    return {row["name"]: row["speed"] for row in store.rows("select name, speed from machine order by id")}


def matches_on(store: Store) -> list[MatchesOn]:
    query = (
        "select coalesce(machine.name, '') as name, count(*), sum(voided) as voided "
        f"from match {ON_MACHINE} group by 1 order by 1"
    )
    return [MatchesOn(*row) for row in store.rows(query)]


def seats_on(store: Store) -> list[SeatsOn]:
    query = (
        "select coalesce(machine.name, '') as name, bot, count(*), count(nullif(fault <> 'timeout', 1)) "
        f"from seat {ON_MACHINE} group by 1, 2 order by 1, 2"
    )
    return [SeatsOn(*row) for row in store.rows(query)]
