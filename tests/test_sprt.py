"""The sequential test: its arithmetic, and how often it is wrong.

These are small versions; tests/bench/sequential.py tries more, and tells the figures.
"""

from __future__ import annotations

from itertools import product
from math import exp, fsum, inf, isfinite, log, prod, sqrt
from random import Random

import pytest

from dalang.engine.game import SetupError
from dalang.harness.compare.betting import DoubtOfADeficit, Prospects, Purse, doubt_of, owing_nothing
from dalang.harness.compare.sprt import Sprt, Trial
from tests.duels import Draw, block_difference, decided, drawn, effect_of, lopsided, with_effect

RUNS = 20


def tried(sprt: Sprt, *differences: float, bound: float | None = 1.0) -> Trial:
    trial = Trial(sprt, bound)
    for difference in differences:
        trial.add(difference)
    return trial


# ---- How often it is wrong

EVEN, TIES, SKEWED = (0.3, 0.4, 0.3), (0.1, 0.8, 0.1), (0.1, 0.85, 0.05)
COARSE, HALF = (0.2, 0.8), (0.5, 0.5)
NEAR, FAR, WIDE = Sprt(-0.1, 0.1), Sprt(0.0, 0.3), Sprt(0.0, 0.6)


TABLES = [
    (2, 0, EVEN, FAR),
    (2, 0, TIES, NEAR),
    (2, 1, SKEWED, FAR),
    (3, 0, SKEWED, FAR),
    (3, 0, EVEN, NEAR),
    (4, 0, EVEN, FAR),
    (4, 0, SKEWED, NEAR),
    (4, 2, COARSE, FAR),
    (6, 0, COARSE, FAR),
    (6, 0, HALF, NEAR),
    (3, 0, SKEWED, WIDE),
    (4, 2, COARSE, WIDE),
]
"""Seats, opponents, how the forms are spread, and the test."""


@pytest.mark.slow
def test_at_the_borders_wrong_verdicts_stay_within_alpha_and_beta() -> None:
    """Each rate as far as twenty runs can tell, all of them together without any allowance."""
    wrong = [
        (
            decided(sprt, drawn(with_effect(seats, opponents, usual, sprt.low)), RUNS, "low")[0],
            decided(sprt, drawn(with_effect(seats, opponents, usual, sprt.high)), RUNS, "high")[1],
        )
        for seats, opponents, usual, sprt in TABLES
    ]
    assert_within(wrong)


def assert_within(wrong: list[tuple[float, float]]) -> None:
    allowance = 3 * sqrt(0.05 * 0.95 / RUNS)
    for highs, lows in wrong:
        assert highs <= FAR.alpha + allowance
        assert lows <= FAR.beta + allowance
    assert fsum(highs for highs, _ in wrong) / len(wrong) <= FAR.alpha
    assert fsum(lows for _, lows in wrong) / len(wrong) <= FAR.beta


@pytest.mark.slow
def test_rare_great_differences_on_one_side_make_no_verdict_wrong() -> None:
    """With normal differences in mind, a third of these would be."""
    cases = [
        (win, loss, ties, sprt)
        for win, loss in ((1.0, 0.2), (0.2, 1.0))
        for ties, sprt in ((0.9, Sprt(0.0, 0.3)), (0.9, Sprt(-0.3, 0.0)), (0.97, Sprt(-0.15, 0.15)))
    ]
    assert_within(
        [
            (
                decided(sprt, drawn(lopsided(win, loss, ties, sprt.low)), RUNS, "low")[0],
                decided(sprt, drawn(lopsided(win, loss, ties, sprt.high)), RUNS, "high")[1],
            )
            for win, loss, ties, sprt in cases
        ]
    )


def with_tail(effect: float, sign: int) -> Draw:
    """Scores: most blocks differ a little, one in 25 by fifteen times as much, always for the same bot."""

    def draw(rng: Random) -> float:
        great = 15.0 if rng.random() < 0.04 else 0.0
        return sign * (great - 0.6 + rng.gauss(0, 1)) + effect * sqrt(1 + 15**2 * 0.04 * 0.96)

    return draw


@pytest.mark.slow
def test_without_bounds_an_effect_beyond_0_is_tested_as_safely() -> None:
    sprt = Sprt(-0.3, 0.3)
    assert_within(
        [
            (
                decided(sprt, with_tail(sprt.low, sign), RUNS, "low", None)[0],
                decided(sprt, with_tail(sprt.high, sign), RUNS, "high", None)[1],
            )
            for sign in (1, -1)
        ]
    )


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.2), (-0.2, 0.0), (0.1, 0.3)])
def test_without_bounds_nothing_is_told_of_an_effect_of_0(low: float, high: float) -> None:
    with pytest.raises(SetupError, match="needs LOW below 0 and HIGH above it"):
        Sprt(low, high).check_without_bound()


@pytest.mark.parametrize(("seats", "opponents", "usual", "sprt"), TABLES)
def test_the_borders_are_met_exactly(
    seats: int, opponents: int, usual: tuple[float, ...], sprt: Sprt
) -> None:
    for effect in (sprt.low, sprt.high):
        assert effect_of(with_effect(seats, opponents, usual, effect)) == pytest.approx(effect, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.2), (0.2, 0.01)])
def test_each_error_has_its_own_bound(alpha: float, beta: float) -> None:
    """What may be wrong more often is sooner decided."""
    sprt = Sprt(-0.2, 0.2, alpha, beta)
    wrong_high, _, at_low = decided(sprt, drawn(with_effect(3, 0, EVEN, sprt.low)), 100, "low")
    _, wrong_low, at_high = decided(sprt, drawn(with_effect(3, 0, EVEN, sprt.high)), 100, "high")
    assert wrong_high <= alpha
    assert wrong_low <= beta
    assert (at_low < at_high / 1.5) if beta > alpha else (at_high < at_low / 1.5)


@pytest.mark.slow
def test_beyond_the_borders_it_is_wrong_less_often_and_sooner_done() -> None:
    sprt = Sprt(0.0, 0.3)
    at_border = decided(sprt, drawn(with_effect(2, 0, EVEN, 0.3)), 80, "x")
    beyond = decided(sprt, drawn(with_effect(2, 0, EVEN, 0.5)), 80, "x")
    assert beyond[1] < at_border[1]
    assert beyond[2] < at_border[2] / 1.5


@pytest.mark.slow
def test_it_takes_about_as_many_blocks_as_are_foretold() -> None:
    sprt = Sprt(0.0, 0.3)
    for effect, foretold in zip((0.0, 0.15, 0.3), sprt.expected_blocks(), strict=True):
        _, _, blocks = decided(sprt, drawn(with_effect(4, 0, EVEN, effect)), 60, "blocks")
        assert 0.8 < blocks / foretold < 1.25


# ---- Arithmetic


@pytest.mark.parametrize("most", [-0.3, 0.0, 0.3])
def test_nobody_grows_rich_on_average_while_a_claim_holds(most: float) -> None:
    """The mean wealth after every possible run of six blocks, exactly at the border: no more than at the start."""
    chances = {0.5: 0.3, 0.0: 0.2, -0.3: 0.5}
    deviation = sqrt(sum(chance * value**2 for value, chance in chances.items()))
    moved = {round(value + most * deviation, 12): chance for value, chance in chances.items()}
    assert effect_of(moved) == pytest.approx(most)
    total = 0.0
    for run in product(moved.items(), repeat=6):
        doubt = doubt_of(most, most + 0.4, 1.0)
        if isinstance(doubt, DoubtOfADeficit):
            doubt.purses = [Purse(deviation)]  # the one of the true deviation, which may not win
        for value, _ in run:
            doubt.add(value)
        total += prod(chance for _, chance in run) * exp(doubt.evidence())
    assert 0.5 < total <= 1 + 1e-9


@pytest.mark.parametrize("stakes", [(0.1, 0.0), (0.4, 0.01), (2.0, 0.3), (0.0, 0.9), (5.0, 5.0)])
def test_without_bounds_nothing_is_ever_owed(stakes: tuple[float, float]) -> None:
    for mean, square in ((0.1, 0.01), (0.2, 1.0), (0.5, 9.0), (0.5, 1e16)):
        a, b = owing_nothing(stakes, Prospects(mean, square, 0.0, 2.0))
        assert min(1 + a * u / 50 + b * ((u / 50) ** 2 - 1) for u in range(-5000, 5000)) > 0


def test_units_do_not_matter_where_there_is_no_bound() -> None:
    differences = [0.0, 0.5, -0.25, 0.0, 1.0, 0.25, 30.0]
    small, large = (
        tried(Sprt(-0.1, 0.2), *(unit * x for x in differences), bound=None) for unit in (1, 10.0**12)
    )
    assert small.against_low() == pytest.approx(large.against_low())
    assert small.against_high() == pytest.approx(large.against_high())


@pytest.mark.parametrize(
    ("low", "high", "accepted"), [(0.0, 0.2, 0.0), (-0.2, 0.0, 0.0), (-0.2, 0.2, None), (0.1, 0.3, 0.1)]
)
def test_bots_that_never_differ_have_no_effect(low: float, high: float, accepted: float | None) -> None:
    trial = tried(Sprt(low, high), *[0.0] * 500)
    assert trial.accepted() == accepted
    assert isfinite(trial.against_low()) and isfinite(trial.against_high())


@pytest.mark.parametrize(("difference", "bound"), [(1.0, 1.0), (-1.0, 1.0), (1e-9, None), (1e15, None)])
def test_equal_differences_are_no_infinity(difference: float, bound: float | None) -> None:
    trial = tried(Sprt(-0.1, 0.1), *[difference] * 500, bound=bound)
    assert isfinite(trial.against_low()) and isfinite(trial.against_high())
    assert trial.accepted() == (0.1 if difference > 0 else -0.1)


def test_a_handful_of_blocks_decides_nothing() -> None:
    assert tried(Sprt(0, 0.2), *[1.0] * 8).accepted() is None
    assert tried(Sprt(0, 0.2), *[1.0] * 30).accepted() == 0.2


def test_what_refutes_a_claim_follows_from_its_error() -> None:
    sprt = Sprt(0, 0.2, alpha=0.05, beta=0.01)
    assert sprt.upper == pytest.approx(log(20))
    assert sprt.lower == pytest.approx(-log(100))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ((0.2, 0.2, 0.05, 0.05), "LOW below HIGH"),
        ((0.0, 6.0, 0.05, 0.05), "from -5 to 5"),
        ((0.1, 0.1 + 5e-5, 0.05, 0.05), "HIGH at least 0.0001 above LOW"),
        ((0.0, inf, 0.05, 0.05), "from -5 to 5"),
        ((0.0, float("nan"), 0.05, 0.05), "LOW below HIGH"),
        ((0.0, 0.2, 0.0, 0.05), "--alpha must be between 0 and 0.5"),
        ((0.0, 0.2, 0.05, 0.5), "--beta must be between 0 and 0.5"),
    ],
)
def test_what_cannot_be_tested_is_refused(wrong: tuple[float, float, float, float], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        Sprt(*wrong)


def test_a_distribution_of_duels_is_one() -> None:
    for seats, opponents in ((2, 0), (3, 0), (3, 1), (6, 0)):
        assert sum(block_difference(seats, opponents, COARSE, 0.5).values()) == pytest.approx(1)
        assert effect_of(block_difference(seats, opponents, COARSE, 0.0)) == pytest.approx(0, abs=1e-9)
        assert effect_of(block_difference(seats, opponents, COARSE, 0.5)) > 0.1
