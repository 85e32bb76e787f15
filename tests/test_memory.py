"""A deal cannot be remembered: all rotations of a block share it, but no process meets it twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trio

import dalang
from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match import arena as arenas
from dalang.harness.match.arena import Live, open_arena
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from tests.roomy import ROOMY
from tests.test_tournament import dalang as command

pytestmark = pytest.mark.slow

REMEMBERS = str(Path(__file__).parent / "strange" / "remembers.py")
KALI = find_game("kali")


class Seen(NamedTuple):
    """One match as one bot saw it."""

    deal: str
    bot: str
    process: str
    seed: str
    knew_it: bool


def seen_in(record: dict[str, Any]) -> Iterator[Seen]:
    """What the bots noted in a match, each with the last of its notes."""
    turns, notes = record["record"]["turns"], record["notes"]
    last = {turns[int(turn)][0]: json.loads(notes[turn]) for turn in sorted(notes, key=int)}
    for seat, note in last.items():
        yield Seen(
            record["record"]["seed"], record["names"][seat], note["process"], note["seed"], note["known"]
        )


def rotations(deals: int) -> list[Played]:
    """Both rotations of some deals between two bots that remember, in one arena."""
    a, b = find_entrants([f"a={REMEMBERS}", f"b={REMEMBERS}"])

    async def play() -> list[Played]:
        async with open_arena(ROOMY) as arena:
            return [
                await arena.play(
                    Match(KALI, f"deal {deal}", (x.name, y.name), key=f"{deal}.{x.name}"), [x, y]
                )
                for deal in range(deals)
                for x, y in ((a, b), (b, a))
            ]

    return trio.run(play)


def test_a_bot_that_remembers_deals_never_knows_one(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    command("run", "kali", f"a={REMEMBERS}", f"b={REMEMBERS}", f"c={REMEMBERS}", "--seats", "3", "--seed", "1",
            "--blocks", "8", "--jobs", "1", "--db", str(db))  # fmt: skip
    tournament = dalang.open(db)
    seen = [
        each
        for match in tournament.matches()
        for each in seen_in(tournament.record(match.block, match.rotation))
    ]
    assert len(seen) > 8 * 3 * 2  # who is never asked notes nothing
    assert not any(each.knew_it for each in seen)
    assert len({each.seed for each in seen}) == len(seen)
    in_order = sorted(seen)
    for _, of_deal in groupby(in_order, lambda each: (each.deal, each.bot)):
        processes = [each.process for each in of_deal]
        assert len(set(processes)) == len(processes)
    assert len({each.process for each in seen}) <= 3 * 3  # and they are used again and again


def test_the_same_bot_would_know_them_if_its_process_met_them_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(each.knew_it for played in rotations(4) for each in seen_in(json_of(played)))
    monkeypatch.setattr(Live, "has_met", lambda self, deal: False)
    assert all(each.knew_it for played in rotations(4)[1::2] for each in seen_in(json_of(played)))


def json_of(played: Played) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(played.data()))
    return data


def test_a_process_that_has_met_many_deals_makes_room_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arenas, "MOST_DEALS", 2)
    processes = {each.process for played in rotations(6) for each in seen_in(json_of(played))}
    assert len(processes) == 2 * 6  # twelve matches of two bots, two deals each


def test_where_memory_is_short_the_longest_idle_have_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arenas, "memory_is_short", lambda: True)
    monkeypatch.setattr(arenas, "FEWEST_LIVE_BOTS", 2)

    async def count() -> int:
        async with open_arena(ROOMY) as arena:
            for entrant in find_entrants(["first"] * 5):
                await arena.bot(entrant)
            return len(arena.bots)

    assert trio.run(count) == 2


def test_a_match_of_a_tournament_is_played_again_by_its_deal_and_its_key(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    command("run", "kali", "random", "a=random", "--seed", "1", "--blocks", "2", "--db", str(db))
    tournament = dalang.open(db)
    for match in tournament.matches():
        record = tournament.record(match.block, match.rotation)
        deal, key = record["record"]["seed"], f"{match.block}.{match.rotation}"
        bots = [f"{name}=random" for name in match.bots]
        again = json.loads(command("match", "kali", *bots, "--seed", deal, "--key", key, "--json"))
        assert again["record"] == record["record"]
    assert "it is BLOCK.ROTATION" in command("match", "kali", *bots, "--key", "1,0", code=2)
