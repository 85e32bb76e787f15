"""A comparison by interval that ends early: wrong no more often than one that is looked at once."""

from __future__ import annotations

from random import Random

import pytest

from dalang.harness.compare.verdict import FINAL_ERROR, LOOKS_ERROR, Comparison, Rule
from dalang.harness.statistics.anytime import Wager, estimate_anytime
from dalang.harness.statistics.intervals import ERROR, with_room
from dalang.harness.statistics.sample import mean_of
from tests.duels import drawn, plan_for, with_effect
from tests.test_compare import compared, report_of
from tests.test_sprt import EVEN

SPAN = (-1.0, 1.0)


def test_a_clear_case_is_over_long_before_the_last_block() -> None:
    for skill, verdict, early in ((3.0, "good", 1), (-3.0, "worse", -1)):
        comparison = compared(Rule(200), 2, 0, skill)
        assert comparison.verdict() == verdict and comparison.early == early
        assert 8 <= len(comparison.blocks) < 50 and comparison.is_over()
        difference = comparison.difference()
        assert difference.low > 0 if early > 0 else difference.high < 0


def test_the_small_print_says_that_it_may_end_early_and_that_it_did() -> None:
    page = report_of(compared(Rule(200), 2, 0, 3.0))
    assert "99.5 % at every look from" in page.text() and "stopped by what it saw" in page.text()
    assert "looks       after every block, and it may end early: 0.5 % of the 5 % error" in page.text()
    assert page.data()["early"] is True
    last = report_of(compared(Rule(6), 2, 0, 3.0))
    assert ", 95 % from" in last.text() and "looks       after every block" in last.text()
    assert last.data()["early"] is False


def test_by_score_and_beyond_all_margins_nothing_ends_early() -> None:
    for rule in (Rule(60, by="score"), Rule(60, margin=1.5)):
        comparison = compared(rule, 2, 0, 3.0)
        assert len(comparison.blocks) == 60 and not comparison.early
        assert "looks       one, after 60 blocks" in report_of(comparison).text()


def test_who_faults_too_often_so_far_is_not_judged_early() -> None:
    comparison = Comparison(plan_for(2, 0, 200), Rule(200))
    assert comparison.may_be_early()
    comparison.seats["baseline"], comparison.faults["baseline"]["crash"] = 100, 1
    assert not comparison.may_be_early()


def test_the_bets_of_a_wager_are_those_of_the_interval() -> None:
    random = Random("bets")
    values = [random.choice((-1.0, -0.5, 0.0, 0.5, 0.5, 1.0)) for _ in range(120)]
    for error in (0.05, 0.005):
        found = estimate_anytime(values, SPAN, error)
        for mean, lies in ((found.low - 1e-5, 1), (found.low + 1e-5, 0), (found.high + 1e-5, -1)):
            wager = Wager(mean, SPAN)
            for value in values:
                wager.add(value)
            assert wager.lies(error) == lies


@pytest.mark.slow
def test_equal_bots_are_told_apart_in_5_of_100_comparisons_in_all() -> None:
    draw, random, runs = drawn(with_effect(2, 0, EVEN, 0.0)), Random("equal"), 400
    early = late = 0
    for _ in range(runs):
        wager, values = Wager(0.0, SPAN), []
        while len(values) < 60 and not wager.lies(LOOKS_ERROR):
            values.append(draw(random))
            wager.add(values[-1])
        found = with_room(values, SPAN, FINAL_ERROR)
        early += len(values) < 60
        late += len(values) == 60 and not found.low <= 0 <= found.high
    assert FINAL_ERROR + LOOKS_ERROR == ERROR
    assert early <= runs * LOOKS_ERROR + 3
    assert early + late <= runs * ERROR + 9


def test_equal_differences_may_end_early_too() -> None:
    assert mean_of(compared(Rule(200), 2, 0, 50.0).differences) == 1
    assert compared(Rule(200), 2, 0, 50.0).early == 1
