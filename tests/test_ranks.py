"""What standings are worth, by small simulations; `tests/bench/ranks.py` has the large ones."""

from __future__ import annotations

from random import Random

import pytest

from tests.fields import EQUAL, agreement, by_skill, by_strength, drawn, field, told_apart

pytestmark = pytest.mark.slow

SIZES = {
    "round-robin": (5, 2, 6),
    "gauntlet": (6, 3, 5),
    "swiss": (8, 2, 12),
    "knockout": (10, 4, 8),
    "ladder": (8, 2, 24),
}
"""By format: bots, seats, blocks."""
FORMATS = sorted(SIZES)
GRADED = {f"b{number}": 0.2 * number for number in range(10)}


@pytest.mark.parametrize("format", FORMATS)
def test_identical_bots_are_told_apart_in_at_most_5_of_100_tournaments(format: str) -> None:
    plans = [field(format, *SIZES[format], f"null {number}") for number in range(60)]
    wrong = sum(bool(told_apart(plan, drawn(plan, EQUAL))) for plan in plans)
    assert wrong <= 60 * 0.05


def test_also_where_deals_are_common() -> None:
    plans = [field("round-robin", 5, 2, 8, f"common {number}", common_deals=True) for number in range(60)]
    wrong = sum(bool(told_apart(plan, drawn(plan, EQUAL))) for plan in plans)
    assert wrong <= 60 * 0.05


@pytest.mark.parametrize("format", FORMATS)
def test_skills_agree_with_the_truth_as_well_as_a_bradley_terry_fit(format: str) -> None:
    skills, strengths = 0.0, 0.0
    for number in range(8):
        bots, seats, blocks = SIZES[format]
        plan = field(format, bots, seats, 2 * blocks, f"graded {number}")
        truth = {name: GRADED[name] for name in plan.names}
        results = drawn(plan, truth)
        skills += agreement(by_skill(plan, results), truth)
        strengths += agreement(by_strength(plan, results), truth)
    assert skills >= 0.98 * strengths - 0.1 and skills > 8 * 0.5


@pytest.mark.parametrize("format", FORMATS)
def test_shuffling_the_blocks_moves_nobody(format: str) -> None:
    plan = field(format, *SIZES[format], "shuffled")
    results = drawn(plan, EQUAL)
    expected = by_skill(plan, results)
    Random("shuffle").shuffle(results)
    assert by_skill(plan, results) == expected


def test_identical_bots_that_are_watched_at_every_block_are_told_apart_in_at_most_5_of_100_runs() -> None:
    wrong = {"live": 0, "one look": 0}
    for number in range(20):
        plan = field("round-robin", 3, 2, 33, f"watched {number}")
        seen = {"live": False, "one look": False}

        def watch(results: list, plan=plan, seen=seen) -> None:
            if len(results) > 5:
                seen["live"] = seen["live"] or bool(told_apart(plan, results, live=True))
                seen["one look"] = seen["one look"] or bool(told_apart(plan, results))

        drawn(plan, EQUAL, watch)
        wrong = {way: times + seen[way] for way, times in wrong.items()}
    assert wrong["live"] <= 20 * 0.05
    assert wrong["one look"] > wrong["live"]


def test_on_a_ladder_bots_of_different_strength_are_told_apart_and_never_the_wrong_way_round() -> None:
    plan = field("ladder", 10, 2, 60, "power")
    results = drawn(plan, {name: 2 * skill for name, skill in GRADED.items()})
    apart, found = told_apart(plan, results), by_strength(plan, results)
    assert len(apart) > 9
    assert all(found[one] < found[other] for one, other in apart)
