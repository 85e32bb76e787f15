"""The bots that play by rules of thumb: sensible, quick to examine, and better than no rules at all."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path
from statistics import mean

import pytest
import trio

from dalang.bots.guardian_bot import Court
from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.match.check import examine
from dalang.harness.match.limits import Limits
from tests.playing import chooser, played, some, start
from tests.tables import TABLES
from tests.test_tournament import dalang

PLAYS = {"cautious": "kali", "bold": "kali", "planner": "bali_wrede", "guardian": "bali_rosenberg"}
ROSENBERG = next(table for table in TABLES if table.game.name == "bali_rosenberg")


def share_beaten(bot: str, seats: int, blocks: int, rival: str) -> float:
    """The share of the rivals that a bot beats, from every seat, ties shared."""
    shares = []
    for block in range(blocks):
        for seat in range(seats):
            choosers = [chooser(bot if each == seat else rival) for each in range(seats)]
            ranks = played(PLAYS[bot], choosers, f"block {block}").outcome.ranks
            place = ranks[seat] + (ranks.count(ranks[seat]) - 1) / 2
            shares.append((seats - place) / (seats - 1))
    return mean(shares)


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["random", "first"])
@pytest.mark.parametrize("bot", PLAYS)
def test_a_rule_of_thumb_beats_none(bot: str, rival: str) -> None:
    tables = find_game(PLAYS[bot]).seats
    if PLAYS[bot] == "kali":  # so much luck that only all tables together tell in a moment
        assert mean(share_beaten(bot, seats, 8, rival) for seats in tables) > 0.57
    else:
        assert all(share_beaten(bot, seats, 1, rival) > 0.8 for seats in tables)


@pytest.mark.parametrize("bot", PLAYS)
def test_it_tells_what_it_expects_and_is_reproducible(bot: str) -> None:
    seats = find_game(PLAYS[bot]).seats[-1]
    first, second = [], []
    for notes in (first, second):
        played(PLAYS[bot], [chooser(bot)] * seats, "notes", notes)
    assert first == second
    assert first
    assert all(any(sign.isdigit() for sign in note) for note in first)


def test_a_match_tells_what_the_bots_think_and_its_record_keeps_it(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    story = dalang("match", "kali", "cautious", "bold", "--seed", "7", "--record", str(file))
    assert "    “expects +" in story
    notes = json.loads(file.read_text(encoding="utf-8"))["notes"].values()
    assert all(f"“{note}”" in story for note in notes)


@pytest.mark.parametrize(
    "options", [{"oracle": True}, {"demon": True}, {"oracle": True, "demon": True}], ids=str
)
@pytest.mark.parametrize("seats", [2, 4])
def test_the_planner_plays_the_variants(seats: int, options: dict[str, bool]) -> None:
    choosers = [chooser("planner"), *[chooser("random")] * (seats - 1)]
    assert played("bali_wrede", choosers, "variants", **options).outcome.ranks[0] == 1


def test_the_odds_of_the_guardian_are_those_of_every_hand_that_can_be() -> None:
    court = Court(start(ROSENBERG, "odds").view(0))
    court.unseen = [2, 1, 0, 3, 1, 1, 0, 0, 0, 2, 0]
    cards = [card for card, number in enumerate(court.unseen) for _ in range(number)]
    for kinds, size, least in product([[0], [3], [0, 5, 9], [2]], range(5), (1, 2, 3)):
        hands = [sum(card in kinds for card in hand) >= least for hand in combinations(cards, size)]
        assert court.chance_of(kinds, size, least) == pytest.approx(mean(hands))


def test_the_guardian_knows_what_it_has_not_seen() -> None:
    for state in some(ROSENBERG, 1, every=20):
        court, view = Court(state.view(0)), state.view(0)
        hidden = sum(view["hands"][1:]) + sum(map(sum, view["stacks"][1:])) + sum(view["dealt"][0])
        assert sum(court.unseen) == view["pile"] + hidden


@pytest.mark.slow
@pytest.mark.parametrize("bot", PLAYS)
def test_the_referee_finds_nothing_to_object_to(bot: str) -> None:
    findings = trio.run(examine, find_entrant(bot), Limits())
    assert [finding.remark for finding in findings if not finding.good] == []
