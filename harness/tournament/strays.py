"""What a file tells that belongs to nothing in it: a key that dalang does not write, a bot or a match unknown to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from dalang.engine.game import quoted
from dalang.harness.blocks import MatchKey
from dalang.harness.tournament.machine_tables import stray_matches
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import Terms

TOLD_LATER = {"division", "finished", "given_up", "left_out"}
"""Keys of the tournament that are no terms of it."""


def stray_problems(store: Store) -> Iterator[str]:
    """What is told beside the matches is of a kind that dalang tells, and about what the file knows."""
    for key in without_record(store):
        yield f"{key} has lost its record"
    for key in stray_matches(store):
        yield f"{key} is told of a machine, but the match or the machine is not there"
    for word in unknown_keys(store):
        yield f"{quoted(word)} is a key of the tournament that dalang does not write"
    for name in sorted(store.bot_limits().keys() - {bot.name for bot in store.bots()}):
        yield f"{quoted(name)} has limits of its own, who is no bot of this tournament"
    for name in strangers(store):
        yield f"a match of {quoted(name)} is told as given up, who is no bot of this tournament"


def without_record(store: Store) -> list[MatchKey]:
    """A match, if there is one, of which the table of seats tells, but no record."""
    query = "select block, rotation from seat except select block, rotation from match limit 1"
    return [MatchKey(*row) for row in store.rows(query)]


def unknown_keys(store: Store) -> list[str]:
    told = {row["key"] for row in store.rows("select key from tournament")}
    return sorted(told - {each.name for each in fields(Terms)} - TOLD_LATER)


def strangers(store: Store) -> list[str]:
    """Whoever is told to have sat in a match that was given up, and is no bot of this tournament."""
    query = (
        "select distinct seat.value as bot from json_each((select value from tournament where key = 'given_up')) "
        "as given_up, json_each(given_up.value) as seat where seat.value not in (select name from bot)"
    )
    return [row["bot"] for row in store.rows(query)]
