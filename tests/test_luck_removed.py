"""Results without luck: the same truth, surer, and never misled by luck that explains nothing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from dalang.harness.compare.sprt import Sprt, Trial
from dalang.harness.statistics.intervals import mean_and_error
from dalang.harness.statistics.luck import Sums, corrected, variance

World = Callable[[Random], tuple[float, float]]
"""Draws the result of a deal, and what luck did in it."""
SKILL = 0.55


def good(rng: Random) -> tuple[float, float]:
    """Luck explains nearly all."""
    luck = rng.choice((-0.4, -0.1, 0.1, 0.4))
    return SKILL + luck + rng.gauss(0, 0.1), luck


def lopsided_luck(rng: Random) -> tuple[float, float]:
    """Rare and great, or small; only half of it reaches the result, which is skewed as well."""
    luck = 0.45 if rng.random() < 0.1 else -0.05
    return SKILL + luck / 2 + (0.2 if rng.random() < 0.2 else -0.05), luck


def useless(rng: Random) -> tuple[float, float]:
    """It has nothing to do with the result."""
    return float(rng.random() < SKILL), rng.gauss(0, 0.3)


WORLDS = (good, lopsided_luck, useless)


def deals(world: World, number: int, rng: Random) -> tuple[list[float], list[float]]:
    results, luck = zip(*(world(rng) for _ in range(number)), strict=True)
    return list(results), list(luck)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("number", [12, 60])
def test_intervals_without_luck_cover_the_truth(world: World, number: int) -> None:
    rng = Random(f"{world.__name__} {number}")
    runs = 300
    found = [corrected(*deals(world, number, rng), 1.0) for _ in range(runs)]
    estimates = [each.estimate((0.0, 1.0), "seed") for each in found]
    covered = sum(each.low <= SKILL <= each.high for each in estimates) / runs
    assert 0.91 < covered < 0.99
    mean, error = mean_and_error([sum(each.values) / number for each in found])
    assert abs(mean - SKILL) < 4 * error


def test_luck_that_explains_the_results_is_worth_many_deals() -> None:
    results, luck = deals(good, 60, Random("good"))
    found = corrected(results, luck, 1.0)
    assert 0.9 < found.weight < 1.1
    assert variance(results) > 4 * variance(found.values)


def test_luck_that_explains_nothing_is_left_alone() -> None:
    results, luck = deals(useless, 200, Random("useless"))
    found = corrected(results, luck, 0.0)
    assert found.weight == 0
    assert list(found.values) == results


def test_the_weight_of_a_deal_does_not_depend_on_that_deal() -> None:
    results, luck = deals(good, 20, Random("others"))
    before = corrected(results, luck, 1.0).values[7]
    other = corrected([*results[:7], results[7] + 0.3, *results[8:]], luck, 1.0).values[7]
    assert other - before == pytest.approx(0.3)


def test_results_that_are_all_alike_stay_so() -> None:
    _, luck = deals(good, 20, Random("alike"))
    found = corrected([1.0] * 20, luck, 1.0)
    assert found.weight == 0
    assert found.estimate((0.0, 1.0), "seed").mean == 1.0


@pytest.mark.parametrize("world", [good, lopsided_luck])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_sequential_test_without_luck_is_seldom_wrong_at_its_borders(world: World, side: int) -> None:
    """The true effect is one of the two, as if all luck had been taken out that can be."""
    rng = Random(f"{world.__name__} {side}")
    results, luck = deals(world, 4000, rng)
    deviation = variance(corrected(results, luck, 1.0).values) ** 0.5
    wrong = 0
    for _ in range(80):
        wrong += accepted(world, side * 0.3 * deviation - SKILL, rng) == -side * 0.3
    assert wrong <= 8


def accepted(world: World, shift: float, rng: Random) -> float | None:
    trial, seen = Trial(Sprt(-0.3, 0.3), None), Sums()
    while trial.accepted() is None and trial.number < 400:
        result, luck = world(rng)
        trial.add(result + shift - seen.weight(1.0) * luck)
        seen = seen.and_also(result + shift, luck)
    return trial.accepted()
