"""Pilots: as long as they must be, and what they suggest is enough; `tests/bench/planning.py` has the large one."""

from __future__ import annotations

from random import Random

import pytest

from dalang.harness.compare.planning import (
    ALL_ALIKE,
    CALM,
    FIRST_LOOK,
    MOST_OF_A_PILOT,
    Sounding,
    blocks_to_see,
    variances_of,
)
from dalang.harness.compare.verdict import FINAL_ERROR, Rule
from dalang.harness.statistics.intervals import with_room
from dalang.harness.statistics.sample import mean_of
from tests.duels import drawn, lopsided, plan_for, with_effect
from tests.pilots import World, plans
from tests.test_sprt import EVEN, with_tail

PLAIN = World("plain", drawn(with_effect(2, 0, EVEN, 0.15)))
TIED = World("tied", drawn(lopsided(1.0, 0.2, 0.9, 0.15)))
TAILED = World("tailed", with_tail(0.2, 1), "score")
PILOTS = 60


@pytest.mark.parametrize("world", [PLAIN, TIED, TAILED], ids=lambda world: world.name)
def test_in_95_of_100_pilots_blocks_vary_no_more_than_is_allowed_for(world: World) -> None:
    variance = world.moments[1] ** 2
    random = Random("variances")
    found = [world.pilot(random).variances() for _ in range(PILOTS)]
    assert mean_of([variance <= each.high for each in found]) >= 0.95
    assert mean_of([each.low <= variance <= each.high for each in found]) >= 0.9
    assert sorted(each.high for each in found)[PILOTS // 2] < 2.5 * variance, "and not much less, either"


def test_a_pilot_is_as_long_as_it_takes_to_know_how_much_a_block_varies() -> None:
    random = Random("lengths")
    lengths = {
        world: mean_of([len(world.pilot(random).compared.comparison.differences) for _ in range(20)])
        for world in (PLAIN, TIED, TAILED)
    }
    assert FIRST_LOOK["place"] <= lengths[PLAIN] < 40
    assert 4 * lengths[PLAIN] < lengths[TIED] < MOST_OF_A_PILOT
    assert FIRST_LOOK["score"] < lengths[TAILED] < MOST_OF_A_PILOT


def sounded(differences: list[float], wanted: float, grows: bool = True) -> Sounding:
    sounding = Sounding(plan_for(2), Rule(MOST_OF_A_PILOT), wanted=wanted, grows=grows)
    for difference in differences:
        if not sounding.is_settled:
            sounding.differences.append(difference)
            sounding.look()
    return sounding


def test_a_pilot_need_not_be_longer_than_what_it_suggests() -> None:
    random = Random("calm")
    values = [random.gauss(0, 0.05) for _ in range(MOST_OF_A_PILOT)]
    lengths = [len(sounded(values, wanted).differences) for wanted in (0.3, 0.01)]
    assert 2 * lengths[0] < lengths[1]
    variances = variances_of(sounded(values, 0.3))
    assert variances.high > CALM * variances.seen, "it does not know more; there is no need to"


def test_a_pilot_gives_up_where_all_blocks_end_alike() -> None:
    found = sounded([0.0] * MOST_OF_A_PILOT, 0.1)
    assert ALL_ALIKE <= len(found.differences) < 2 * ALL_ALIKE


def test_a_pilot_of_a_given_length_does_not_end_before() -> None:
    assert not sounded([0.5, -0.5] * 100, 0.1, grows=False).is_settled
    assert sounded([0.5, -0.5] * 100, 0.1).is_settled


def test_the_interval_sees_the_difference_in_95_of_100_comparisons_of_the_length_that_it_needs() -> None:
    random = Random("power")
    for wanted, deviation in ((0.2, 0.3), (0.05, 0.05)):
        blocks = blocks_to_see(wanted, deviation**2, 1.0)
        lows = [
            with_room([random.gauss(wanted, deviation) for _ in range(blocks)], (-1, 1), FINAL_ERROR).low
            for _ in range(300)
        ]
        assert 0.92 < mean_of([low > 0 for low in lows]) < 0.99


def test_the_suggested_test_finds_the_difference() -> None:
    random = Random("found")
    found = [PLAIN.is_accepted(needs[2].flags, random)[0] for _, needs in plans(PLAIN, 20)]
    assert mean_of(found) >= 0.9
