"""What a knockout and a Swiss tell of themselves: who met whom, who beat whom and by what."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.harness.blocks import BlockResult, MatchResult
from dalang.harness.tournament.bracket import BY_LOT, BracketRound, bracket, bracket_text
from dalang.harness.tournament.schedule import Plan, find_format
from dalang.harness.tournament.swiss_table import meetings_text, swiss_table
from tests.simulated import entries, planned, play, rounds, simulate

NO_FAULTS = ("", "")


def knockout(
    bots: int, seats: int = 2, blocks: int = 1, seed: str = "x", sizes: tuple[int, ...] = ()
) -> Plan:
    return planned("knockout", entries(bots), seats, blocks, seed, sizes=sizes)


def ended(result: BlockResult, ranks: tuple[int, ...], scores: tuple[int, ...]) -> BlockResult:
    """The same block, every match of which ended like this for its line-up."""
    place, score = (dict(zip(result.block.lineup, values, strict=True)) for values in (ranks, scores))
    matches = tuple(
        MatchResult(
            names, tuple(place[name] for name in names), tuple(score[name] for name in names), NO_FAULTS
        )
        for names in result.block.seatings()
    )
    return BlockResult(result.block, matches)


def final_of_two(ranks: tuple[int, ...], scores: tuple[int, ...]) -> BracketRound:
    plan = knockout(2)
    [blocks] = rounds(plan)
    results = [ended(simulate(block), ranks, scores) for block in blocks]
    [final] = bracket(plan, results)
    return final


@settings(deadline=None)
@given(st.integers(2, 24), st.integers(2, 4), st.integers(1, 2), st.text("abc", max_size=2))
def test_a_bracket_tells_the_knockout_as_it_was_played(bots: int, seats: int, blocks: int, seed: str) -> None:
    plan = knockout(max(bots, seats), seats, blocks, seed, sizes=(2, 3, 4))
    played, results = play(plan)
    found = bracket(plan, results)
    assert len(found) == len(played) and all(each.is_over for each in found)
    for this, drawn in zip(found, played, strict=True):
        tables = {frozenset(block.lineup) for block in drawn}
        assert {frozenset(line.name for line in tie.lines) for tie in this.ties} == tables
    for this, following in pairwise(found):
        through = {line.name for tie in this.ties for line in tie.lines if line.goes_on} | {*this.byes}
        there = {line.name for tie in following.ties for line in tie.lines} | {*following.byes}
        assert there == through | {*following.returned}
    champion = [line.name for line in found[-1].ties[0].lines if line.goes_on]
    assert champion == (find_format("knockout").placing(plan, results, ()) or [])[:1]


def test_a_tie_is_decided_by_points_then_by_scores_then_by_lot() -> None:
    assert final_of_two((1, 2), (0, 0)).ties[0].decided_by == "points"
    assert final_of_two((1, 1), (5, 3)).ties[0].decided_by == "sum of scores"
    assert final_of_two((1, 1), (3, 3)).ties[0].decided_by == BY_LOT


def test_a_bot_that_was_taken_out_loses_by_withdrawal() -> None:
    plan = knockout(4)
    first = next(iter(rounds(plan)))
    results = [ended(simulate(block), (1, 2), (1, 0)) for block in first]
    gone = first[0].lineup[0]
    assert bracket(plan, results, {gone: 1})[0].ties[0].decided_by == "withdrawal"


def test_of_a_round_that_is_played_nobody_has_won_yet() -> None:
    plan = knockout(4)
    _, results = play(plan)
    *over, now = bracket(plan, results[:-1])
    assert [each.is_over for each in over] == [True] and not now.is_over
    assert now.name == "final" and not any(line.goes_on for line in now.ties[0].lines)
    assert "not decided" in bracket_text([now], str)


def test_the_bracket_of_a_field_of_four_is_drawn_as_a_tree() -> None:
    plan = knockout(4)
    _, results = play(plan, noise=0.0)
    drawn = bracket_text(bracket(plan, results), str)
    assert "Semi-finals:" in drawn and "Final:\n  b0 1 beat b" in drawn
    tree = drawn.split("\n\n")[-1].splitlines()
    assert [line for line in tree if line.endswith("b0")] == ["            ├─b0"]
    assert Counter("".join(tree))["┐"] == Counter("".join(tree))["┘"] == 3


def test_no_tree_is_drawn_where_several_of_a_table_go_on() -> None:
    plan = knockout(8, seats=4)
    _, results = play(plan)
    assert "┐" not in bracket_text(bracket(plan, results), str)


@pytest.mark.parametrize("bots", [6, 7])
def test_the_table_of_a_swiss_adds_up(bots: int) -> None:
    plan = planned("swiss", entries(bots), 2, 4, "x")
    _, results = play(plan)
    table = swiss_table(plan, results)
    assert [line.name for line in table] == find_format("swiss").placing(plan, results, ())
    points = {line.name: line.points for line in table}
    for line in table:
        assert line.points == pytest.approx(sum(each.points for each in line.meetings))
        met = [points[other] for each in line.meetings for other in each.others]
        assert line.buchholz == pytest.approx(sum(met) / len(met))
        assert [each.round for each in line.meetings] == [1, 2, 3, 4]
    assert sorted((line.points, line.buchholz) for line in table)[::-1] == [
        (line.points, line.buchholz) for line in table
    ]


def test_who_sits_out_a_round_of_a_swiss_has_a_bye_there() -> None:
    plan = planned("swiss", entries(3), 2, 1, "bye")
    _, results = play(plan)
    [idle] = [line for line in swiss_table(plan, results) if not line.meetings[0].others]
    assert meetings_text(idle, str) == "bye 0.5"
    assert idle.points == 0.5
