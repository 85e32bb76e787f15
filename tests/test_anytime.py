"""Intervals and chances that hold at every look."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.harness.statistics.anytime import (
    capital,
    chance_anytime,
    chance_of_anytime,
    estimate_anytime,
    reach_anytime,
)
from dalang.harness.statistics.intervals import ERROR, estimate, student_reach, student_tail
from dalang.harness.statistics.summary import summary
from tests.fields import EQUAL, drawn, field


def of_a_block(random: Random) -> float:
    """The place value of a bot at a table of two, in a block of a lucky deal, if both are equal."""
    luck, form = random.gauss(0, 1), random.gauss(0, 0.4)
    return sum(side * luck + form + random.gauss(0, 1.4) > 0 for side in (-1, 1)) / 2


def skewed(random: Random) -> float:
    """Of 60 values 55 are level, 4 a little below, one far above."""
    return random.choices([0.5, 0.375, 1.0], [55, 4, 1])[0]


@pytest.mark.parametrize(
    ("draw", "mean"), [(of_a_block, 0.5), (skewed, 0.5), (lambda r: r.random() < 0.9, 0.9)]
)
def test_a_run_that_is_watched_at_every_block_is_told_wrongly_in_at_most_5_of_100(
    draw: Callable[[Random], float], mean: float
) -> None:
    random, wrong = Random("watched"), 0
    for _ in range(60):
        counts: dict[float, int] = {}
        for _ in range(100):
            value = float(draw(random))
            counts[value] = counts.get(value, 0) + 1
            other = {1 - each: times for each, times in counts.items()}
            if max(capital(counts, mean), capital(other, 1 - mean)) > log(2 / ERROR):
                wrong += 1
                break
    assert wrong <= 60 * 0.05


def test_looking_at_every_block_would_mislead_with_intervals_for_one_look() -> None:
    random, wrong, safe = Random("one look"), 0, 0
    for _ in range(200):
        total = squares = 0.0
        tails = []
        for number in range(1, 201):
            value = random.gauss(0, 1)
            total, squares = total + value, squares + value**2
            if number >= 5:
                variance = (squares - total**2 / number) / (number - 1)
                tails.append((student_tail(total / (variance * number) ** 0.5, number - 1), number))
        wrong += min(tail for tail, _ in tails) < ERROR
        safe += min(chance_anytime(*each) for each in tails) < ERROR
    assert wrong > 0.2 * 200 and safe <= 0.05 * 200 + 6


@given(
    st.lists(st.floats(-5, 9, allow_subnormal=False), max_size=40),
    st.sampled_from([(-5.0, 9.0), (-9.0, 11.0)]),
)
@settings(deadline=None)
def test_any_values_give_an_interval_within_what_is_possible(
    values: list[float], span: tuple[float, float]
) -> None:
    found = estimate_anytime(values, span)
    assert span[0] <= found.low <= found.mean <= found.high <= span[1]


def test_the_order_of_values_does_not_matter() -> None:
    random = Random("order")
    values = [of_a_block(random) for _ in range(60)]
    assert estimate_anytime(values, (0, 1)) == estimate_anytime(sorted(values), (0, 1))


@pytest.mark.parametrize("number", [20, 100, 1000])
def test_it_is_wider_than_an_interval_for_one_look_but_not_twice_as_wide(number: int) -> None:
    random = Random("wide")
    values = [random.random() for _ in range(number)]
    once, always = estimate(values, (0, 1), "seed"), estimate_anytime(values, (0, 1))
    assert 1 < (always.high - always.low) / (once.high - once.low) < 2.1
    assert 1 < reach_anytime(number) / student_reach(number - 1) < 2


def test_many_different_values_are_told_almost_as_exactly() -> None:
    random = Random("fine")
    values = [random.random() for _ in range(3000)]
    coarse = estimate_anytime([round(value, 2) for value in values], (0, 1))
    fine = estimate_anytime(values, (0, 1))
    assert (fine.low, fine.high) == pytest.approx((coarse.low, coarse.high), abs=0.003)


def test_nothing_is_known_of_nothing_and_equal_values_leave_room() -> None:
    assert estimate_anytime([], (0, 1)).low == 0 and estimate_anytime([0.5], (0, 1)).high > 0.99
    sure = estimate_anytime([1.0] * 20, (0, 1))
    assert sure.mean == sure.high == 1 and 0.6 < sure.low < 0.85
    assert chance_of_anytime([1.0] * 3) > ERROR > chance_of_anytime([1.0] * 20)
    assert chance_of_anytime([0.5] * 9) == chance_of_anytime([]) == 1


def test_units_of_unequal_size_may_lie_beyond_the_range() -> None:
    """As in a tournament with common deals that is looked at before every line-up has played the last of them."""
    found = estimate_anytime([-0.0556, 0.3889, 1.2], (0.0, 1.0))
    assert found.low == 0.0 < found.mean < found.high <= 1.0
    assert 0 < chance_of_anytime([-0.0556, 0.3889]) <= 1
    assert chance_of_anytime([1.1] * 40) < 0.001


def test_an_unfinished_tournament_with_common_deals_has_figures() -> None:
    plan = field("round-robin", 4, 2, 3, "unequal", common_deals=True)
    results = drawn(plan, EQUAL)
    for number in range(1, len(results)):
        for bot in summary(results[:number], plan.names, "seed", live=True).bots:
            assert 0 <= bot.place.low <= bot.place.mean <= bot.place.high <= 1
