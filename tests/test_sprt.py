"""The sequential test: its arithmetic, and how often it is wrong.

With alpha and beta of 5 %, 8,000 simulated comparisons for each of these tables, at either border, gave wrong verdicts
in 3.7 to 4.7 % of the cases between the effects 0 and 0.3 (66 blocks on average), in 4.1 to 4.6 % between -0.1 and 0.1
(143 blocks), and, on the tables that allow such an effect, in 1.7 to 2.9 % between 0 and 0.6 (25 blocks), where the
first look at 20 blocks is most of the test.
"""

from __future__ import annotations

from math import fsum, inf, isfinite, log, pi, sqrt
from random import Random

import pytest

from dalang.engine.game import SetupError
from dalang.harness.compare.sprt import FIRST_LOOK, Moments, Sprt
from tests.duels import block_difference, decided, effect_of, with_effect

RUNS = 1000


def moments(*differences: float) -> Moments:
    seen = Moments()
    for difference in differences:
        seen.add(difference)
    return seen


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
    """Each rate as far as a thousand runs can tell, all of them together without any allowance."""
    wrong = [
        (
            decided(sprt, with_effect(seats, opponents, usual, sprt.low), RUNS, "low")[0],
            decided(sprt, with_effect(seats, opponents, usual, sprt.high), RUNS, "high")[1],
        )
        for seats, opponents, usual, sprt in TABLES
    ]
    allowance = 2.5 * sqrt(0.05 * 0.95 / RUNS)
    for highs, lows in wrong:
        assert highs <= FAR.alpha + allowance
        assert lows <= FAR.beta + allowance
    assert fsum(highs for highs, _ in wrong) / len(wrong) <= FAR.alpha
    assert fsum(lows for _, lows in wrong) / len(wrong) <= FAR.beta


@pytest.mark.parametrize(("seats", "opponents", "usual", "sprt"), TABLES)
def test_the_borders_are_met_exactly(
    seats: int, opponents: int, usual: tuple[float, ...], sprt: Sprt
) -> None:
    for effect in (sprt.low, sprt.high):
        assert effect_of(with_effect(seats, opponents, usual, effect)) == pytest.approx(effect, abs=1e-6)


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.2), (0.2, 0.01)])
def test_each_error_has_its_own_bound(alpha: float, beta: float) -> None:
    sprt = Sprt(-0.2, 0.2, alpha, beta)
    wrong_high, _, _ = decided(sprt, with_effect(3, 0, EVEN, sprt.low), RUNS, "low")
    _, wrong_low, _ = decided(sprt, with_effect(3, 0, EVEN, sprt.high), RUNS, "high")
    assert alpha / 3 < wrong_high <= alpha
    assert beta / 3 < wrong_low <= beta


def test_beyond_the_borders_it_is_wrong_less_often_and_sooner_done() -> None:
    sprt = Sprt(0.0, 0.3)
    at_border = decided(sprt, with_effect(2, 0, EVEN, 0.3), 500, "x")
    beyond = decided(sprt, with_effect(2, 0, EVEN, 0.5), 500, "x")
    assert beyond[1] < at_border[1]
    assert beyond[2] < at_border[2] / 1.5


def test_it_takes_about_as_many_blocks_as_are_foretold() -> None:
    sprt = Sprt(0.0, 0.3)
    for effect, foretold in zip((0.0, 0.15, 0.3), sprt.expected_blocks(), strict=True):
        _, _, blocks = decided(sprt, with_effect(4, 0, EVEN, effect), 400, "blocks")
        assert 0.8 < blocks / foretold < 1.25


# ---- Arithmetic


def test_the_ratio_is_that_of_the_best_likelihoods_under_either_effect() -> None:
    """Found here by trying deviations one by one."""
    rng = Random(4)
    differences = [rng.choice([-1, -0.5, 0, 0, 0.5, 1]) + 0.1 for _ in range(40)]

    def best(effect: float) -> float:
        return max(log_likelihood(differences, effect * deviation, deviation) for deviation in tried)

    tried = [step / 2000 for step in range(400, 4000)]
    sprt = Sprt(-0.1, 0.4)
    assert sprt.ratio(moments(*differences)) == pytest.approx(best(0.4) - best(-0.1), abs=1e-4)


def log_likelihood(values: list[float], mean: float, deviation: float) -> float:
    squares = sum((value - mean) ** 2 for value in values)
    return -len(values) * log(deviation * (2 * pi) ** 0.5) - squares / (2 * deviation**2)


def test_units_do_not_matter() -> None:
    differences = [0.5, -0.25, 0.0, 1.0, 0.25]
    small, large = (Sprt(0, 0.2).ratio(moments(*(unit * x for x in differences))) for unit in (1, 10.0**12))
    assert small == pytest.approx(large)


@pytest.mark.parametrize(
    ("low", "high", "accepted"), [(0.0, 0.2, 0.0), (-0.2, 0.0, 0.0), (-0.2, 0.2, None), (0.1, 0.3, 0.1)]
)
def test_bots_that_never_differ_have_no_effect(low: float, high: float, accepted: float | None) -> None:
    sprt = Sprt(low, high)
    assert sprt.accepted(moments(*[0.0] * 500)) == accepted
    assert isfinite(sprt.ratio(moments(*[0.0] * 500)))


@pytest.mark.parametrize("difference", [1.0, -1.0, 1e-9, 1e15])
def test_equal_differences_are_no_infinity(difference: float) -> None:
    sprt = Sprt(-0.1, 0.1)
    ratio = sprt.ratio(moments(*[difference] * 30))
    assert isfinite(ratio)
    assert (ratio > 0) == (difference > 0)
    assert sprt.accepted(moments(*[difference] * 30)) == (0.1 if difference > 0 else -0.1)


def test_nothing_is_decided_before_the_first_look() -> None:
    sprt = Sprt(0, 1)
    assert sprt.accepted(moments(*[1.0] * (FIRST_LOOK - 1))) is None
    assert sprt.accepted(moments(*[1.0] * FIRST_LOOK)) == 1


def test_the_bounds_are_walds_outer_ones() -> None:
    sprt = Sprt(0, 0.2, alpha=0.05, beta=0.01)
    assert sprt.upper == pytest.approx(log(20))
    assert sprt.lower == pytest.approx(-log(100))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ((0.2, 0.2, 0.05, 0.05), "LOW below HIGH"),
        ((0.0, 6.0, 0.05, 0.05), "from -5 to 5"),
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
