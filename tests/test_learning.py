"""The value of Die Augen der Kali is what the trainer in this repository learns, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from random import Random

import numpy as np
import pytest

from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY
from dalang.engine.games.kali import learnt
from dalang.engine.games.kali.state import Kali
from dalang.engine.games.kali.value import (
    features,
    manners_by,
    manners_of,
    nets_in,
    number_of_features,
    value_of,
)
from tests.learning import COURSES, KALI, LEARNT, Course, Lessons, Pupil, learn, page, self_play

TINY = Course(matches=8, rounds=2, steps=5)


def positions(seats: int) -> Iterator[Kali]:
    """Of a game of random moves."""
    rng = Random("positions")
    state = KALI.start(seats, SeededChance("positions"))
    while state.seat != NOBODY:
        assert isinstance(state, Kali)
        yield state
        state.apply(rng.choice(state.moves()))


def test_the_same_course_teaches_the_same_to_the_digit() -> None:
    first, second = (learn(2, TINY) for _ in range(2))
    assert first == second
    assert first != learn(2, Course(9, 2, 5))


def test_the_file_says_what_it_was_learnt_from() -> None:
    assert LEARNT.read_text(encoding="utf-8") == page(learnt.WEIGHTS)
    assert {seats: astuple(course) for seats, course in COURSES.items()} == learnt.COURSES


@pytest.mark.parametrize("seats", sorted(COURSES))
def test_every_table_has_nets_that_fit(seats: int) -> None:
    numbers = learnt.WEIGHTS[seats].split()
    assert len(numbers) == 2 * learnt.HIDDEN * (number_of_features(seats) + 2 * seats + 1)
    for state in positions(seats):
        shares, changes = manners_of(state)
        assert shares == value_of(state)
        assert sum(shares) == pytest.approx(seats / 2)
        assert [sum(change) for change in changes] == pytest.approx([0.0] * seats)


def test_a_net_says_in_plain_python_what_it_was_taught() -> None:
    lessons = Lessons.of([self_play(3, number) for number in range(4)])
    values = np.zeros((len(lessons.seen), 3))
    pupils = [Pupil(lessons, frights) for frights in (0, 1)]
    for pupil in pupils:
        pupil.learn(lessons, lessons.worth(values), 5, 0)
    nets = nets_in(" ".join(pupil.text() for pupil in pupils), 3)
    for state in positions(3):
        pupil = pupils[state.frights]
        shares, changes = manners_by(nets[state.frights], state)
        assert shares == pytest.approx(taught(pupil, state, [0.0] * 3), abs=0.01)
        for seat, change in enumerate(changes):
            daring, careful = ([sign * (each == seat) for each in range(3)] for sign in (1.0, -1.0))
            both = zip(taught(pupil, state, daring), taught(pupil, state, careful), strict=True)
            assert change == pytest.approx([(one - two) / 2 for one, two in both], abs=0.001)


def taught(pupil: Pupil, state: Kali, daring: list[float]) -> list[float]:
    """What a net says of each seat while it learns."""
    told = daring[state.acting :] + daring[: state.acting]
    said = pupil.said(pupil.hidden(pupil.seen(np.array([[*features(state), *told]]))))[0]
    return [said[(seat - state.acting) % 3] for seat in range(3)]
