"""Results without luck: the same truth, surer, and never misled by luck that explains nothing."""

from __future__ import annotations

from collections.abc import Callable
from operator import mul
from random import Random

import pytest

from dalang.engine.luck import MOST_LUCK
from dalang.harness.compare.sprt import Sprt, Trial
from dalang.harness.compare.verdict import LESSONS
from dalang.harness.statistics.intervals import estimate, mean_and_error, with_room
from dalang.harness.statistics.luck import RARE, Corrected, Sums, Variates, corrected, variance
from dalang.harness.statistics.sample import mean_of

World = Callable[[Random], tuple[float, Variates]]
"""Draws the result of a deal, and what luck did in it."""
SKILL = 0.55


def good(rng: Random) -> tuple[float, Variates]:
    """Luck explains nearly all."""
    luck = rng.choice((-0.4, -0.1, 0.1, 0.4))
    return SKILL + luck + rng.gauss(0, 0.1), (luck,)


def lopsided_luck(rng: Random) -> tuple[float, Variates]:
    """Rare and great, or small; only half of it reaches the result, which is skewed as well."""
    luck = 0.45 if rng.random() < 0.1 else -0.05
    return SKILL + luck / 2 + (0.2 if rng.random() < 0.2 else -0.05), (luck,)


def sharp(rng: Random) -> tuple[float, Variates]:
    """Luck explains nearly everything."""
    luck = rng.choice((-0.4, -0.1, 0.1, 0.4))
    return SKILL + luck + rng.gauss(0, 0.01), (luck,)


def useless(rng: Random) -> tuple[float, Variates]:
    """It has nothing to do with the result."""
    return float(rng.random() < SKILL), (rng.gauss(0, 0.3),)


def mannered(rng: Random) -> tuple[float, Variates]:
    """One of the two bots is daring, which nobody has said, and the other as thought."""
    luck, daring, other = rng.gauss(0, 0.1), rng.gauss(0, 0.1), rng.gauss(0, 0.1)
    return SKILL + luck + daring + rng.gauss(0, 0.03), (luck, daring, other)


def daring_pays_seldom(rng: Random) -> tuple[float, Variates]:
    """What the manner of one bot comes to is rare and great, or small."""
    luck, daring = rng.gauss(0, 0.1), 0.45 if rng.random() < 0.1 else -0.05
    return SKILL + luck + daring + rng.gauss(0, 0.05), (luck, daring, rng.gauss(0, 0.1))


WORLDS = (good, lopsided_luck, useless, mannered)


def deals(world: World, number: int, rng: Random) -> tuple[list[float], list[Variates]]:
    results, luck = zip(*(world(rng) for _ in range(number)), strict=True)
    return list(results), list(luck)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("number", [6, 12, 60])
def test_intervals_without_luck_cover_the_truth(world: World, number: int) -> None:
    rng = Random(f"{world.__name__} {number}")
    runs = 300
    found = [corrected(*deals(world, number, rng), 1.0) for _ in range(runs)]
    estimates = [each.estimate((0.0, 1.0), "seed") for each in found]
    covered = sum(each.low <= SKILL <= each.high for each in estimates) / runs
    assert 0.91 < covered < 0.99
    mean, error = mean_and_error([sum(each.values) / number for each in found])
    assert abs(mean - SKILL) < 4 * error


@pytest.mark.parametrize("number", [12, 60])
def test_without_luck_a_comparison_leaves_room_for_what_is_too_rare_to_be_seen(number: int) -> None:
    """Luck explains all but a difference that one block in twenty makes."""
    rng, truth, runs = Random(f"rare {number}"), 0.05, 300
    covered = 0
    for _ in range(runs):
        luck = [(rng.choice((-0.4, 0.4)),) for _ in range(number)]
        found = corrected([each[0] + (rng.random() < truth) for each in luck], luck, 1.0)
        interval = with_room(found.values, (-1.0, 1.0))
        covered += interval.low <= truth <= interval.high
    assert covered / runs > 0.91


@pytest.mark.parametrize("values", [(0.6, 1.5) * 6, (-0.7, -1.6, -1.0) * 2, (1.2,) * 4])
def test_where_nearly_all_is_won_or_lost_intervals_stay_around_their_mean(values: tuple[float, ...]) -> None:
    for span in ((-1.0, 1.0), (-1.7, 1.7)):
        for each in (with_room(values, span), Corrected(values, 1.0, is_off=False).estimate(span, "seed")):
            assert span[0] <= each.low <= each.mean <= each.high <= span[1]
            assert each.low < each.high


@pytest.mark.parametrize("number", [4, 6, 8])
def test_few_deals_that_were_all_won_are_told_no_surer_than_without_luck(number: int) -> None:
    luck = [(0.1,), (-0.02,)] * (number // 2)
    found = corrected([1.0] * number, luck, 1.0)
    assert found.is_off
    assert found.estimate((0.0, 1.0), "seed") == estimate([1.0] * number, (0.0, 1.0), "seed")


@pytest.mark.parametrize("number", [4, 6, 8, 20])
def test_a_value_that_says_much_too_much_hardly_hurts(number: int) -> None:
    rng = Random(f"much {number}")
    found = []
    for _ in range(200):
        results, luck = deals(useless, number, rng)
        found.append(
            (mean_of(results), mean_of(corrected(results, [(5 * each,) for (each,) in luck], 1.0).values))
        )
    plain, without = map(variance, zip(*found, strict=True))
    assert without < 2 * plain


def test_luck_that_was_not_told_was_not_taken_out() -> None:
    results, _ = deals(good, 20, Random("nothing"))
    found = corrected(results, [(0.0,)] * 20, 1.0)
    assert (found.weight, found.is_off, list(found.values)) == (0, True, pytest.approx(results))


def test_luck_that_explains_the_results_is_worth_many_deals() -> None:
    results, luck = deals(good, 60, Random("good"))
    found = corrected(results, luck, 1.0)
    assert 0.9 < found.weight < 1.1
    assert variance(results) > 4 * variance(found.values)


def test_a_manner_is_found_out_from_the_other_deals() -> None:
    results, luck = deals(mannered, 60, Random("mannered"))
    found = corrected(results, luck, 1.0)
    without = corrected(results, [each[:1] for each in luck], 1.0)
    assert variance(without.values) > 4 * variance(found.values)


def test_luck_is_taken_out_also_where_only_manners_explain_it() -> None:
    """As the seats stand it explains too much: the first weight is 0, and still the results are others."""
    rng = Random("only manners")
    luck = [(rng.gauss(0, 0.1), rng.gauss(0, 0.1)) for _ in range(60)]
    found = corrected([daring - standing / 2 for standing, daring in luck], luck, 0.0)
    assert (found.weight, found.is_off) == (0, False)


def test_where_no_luck_was_told_of_how_the_seats_stand_nothing_counts_as_taken_out() -> None:
    rng = Random("useless manners")
    luck = [(0.0, rng.gauss(0, 0.1)) for _ in range(60)]
    found = corrected([rng.gauss(0, 0.1) for _ in luck], luck, 1.0)
    assert (found.weight, found.is_off) == (0, True)


@pytest.mark.parametrize("number", [30, 60, 300])
def test_an_interval_leaves_room_for_luck_that_is_seldom_told_wrong_but_only_if_any_was_taken_out(
    number: int,
) -> None:
    found = corrected(*deals(sharp, number, Random("room")), 1.0)
    usual, wide = estimate(found.values, (0.0, 1.0), "seed"), found.estimate((0.0, 1.0), "seed")
    assert wide.low < usual.low < usual.high < wide.high
    assert wide.high - wide.low < 1.5 * (usual.high - usual.low)
    untouched = corrected(deals(sharp, number, Random("room"))[0], [(0.0,)] * number, 1.0)
    assert untouched.estimate((0.0, 1.0), "seed") == estimate(untouched.values, (0.0, 1.0), "seed")


@pytest.mark.parametrize("number", [12, 30, 300])
def test_an_interval_leaves_room_for_what_is_skewed(number: int) -> None:
    """Though nothing is near the end of what is possible, there may be more beyond the farthest that was seen."""
    values = [0.5] * (number - 1) + [0.6]
    told = Corrected(tuple(values), 1.0, is_off=False).estimate((0.0, 1.0), "seed")
    rare = with_room(values, (0.0, 1.0), unseen=RARE)
    assert told.low < rare.low < rare.high < told.high


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


@pytest.mark.parametrize(
    ("sprt", "bound"),
    [(Sprt(-0.3, 0.3), None), (Sprt(0.0, 0.5), 1 + 2 * MOST_LUCK)],
    ids=["no bound", "from 0"],
)
@pytest.mark.parametrize("world", [good, lopsided_luck, mannered, daring_pays_seldom])
def test_a_sequential_test_without_luck_is_seldom_wrong_at_its_borders(
    world: World, sprt: Sprt, bound: float | None
) -> None:
    """The true effect is one of the two, as if all luck had been taken out that can be."""
    rng = Random(f"{world.__name__} {sprt.low}")
    known = 1 if bound else None  # with a bound, manners are left alone
    results, luck = deals(world, 2000, rng)
    deviation = variance(corrected(results, [each[:known] for each in luck], 1.0).values) ** 0.5
    for truth, wrong in ((sprt.low, sprt.high), (sprt.high, sprt.low)):
        found = [accepted(world, sprt, bound, truth * deviation - SKILL, rng) for _ in range(60)]
        assert found.count(wrong) <= 8
        assert found.count(truth) >= 30


def accepted(world: World, sprt: Sprt, bound: float | None, shift: float, rng: Random) -> float | None:
    trial, seen = Trial(sprt, bound), Sums()
    for number in range(400):
        if trial.accepted() is not None:
            break
        result, luck = world(rng)
        told = luck[:1] if bound else luck
        weights = seen.weights(1.0, len(told))
        if bound or number >= LESSONS:
            trial.add(result + shift - sum(map(mul, weights, told)))
        seen = seen.and_also(result + shift, told)
    return trial.accepted()
