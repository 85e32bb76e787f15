"""Learn by self-play how seats stand in Die Augen der Kali, and write that down: `python -m tests.learning [SEATS]`.

Two tempers that count cards play each other in all seats. What a position was worth is the result of its match without
the luck that came after it, as far as is known by then; so every round learns from clearer results than the one before.
It takes about an hour for all tables. Raise the version of the value in engine/games/kali/value.py after it: what
luck did will be told in another way.

After every step weights are moved to a grid. What two machines round differently is finer than that by far, so
they come to the same weights, to the last digit.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from random import Random
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalang.bots.kali_odds import decide
from dalang.engine.catalogue import find_game
from dalang.engine.game import NOBODY, State
from dalang.engine.games.kali import learnt
from dalang.engine.games.kali.foresight import foreseen
from dalang.engine.games.kali.odds import BOLD, CAUTIOUS, Temper
from dalang.engine.games.kali.state import Kali
from dalang.engine.games.kali.value import features
from dalang.engine.luck import Reckoning
from dalang.engine.record import Record
from dalang.engine.value import EVEN, EVEN_SHARE_OF_OTHERS, share_beaten
from tests.playing import Choose, played

KALI = find_game("kali")
LEARNT = Path(learnt.__file__)
TEMPERS = (CAUTIOUS, BOLD)
DARING = (-1.0, 1.0)
"""What a net is told of them."""
GRID = 2.0**20
RATE, SLOWEST = 0.01, 1e-4
"""Of learning, at the beginning of a round and at its end."""
KEEPS, KEEPS_SQUARES = 0.9, 0.999
"""How long slopes are remembered, and their squares (Adam)."""
CALM = 3e-5
"""So strongly weights are drawn towards 0."""
BATCH = 4096
DIGITS = 4

Array = NDArray[Any]


@dataclass(frozen=True)
class Course:
    """How much is learnt for one table size."""

    matches: int
    rounds: int
    steps: int
    """Of a round."""


COURSES = {
    2: Course(4000, 4, 500),
    3: Course(2000, 4, 400),
    4: Course(10000, 5, 600),
    5: Course(2000, 4, 400),
    6: Course(2000, 4, 400),
}


def main() -> None:
    found = dict(learnt.WEIGHTS)
    for seats in [int(word) for word in sys.argv[1:]] or KALI.seats:
        found[seats] = learn(seats, COURSES[seats])
        LEARNT.write_text(page(found), encoding="utf-8")


def learn(seats: int, course: Course) -> str:
    lessons = Lessons.of([self_play(seats, number) for number in range(course.matches)])
    pupils = [Pupil(lessons, frights) for frights in (0, 1)]
    values = np.full((len(lessons.seen), seats), EVEN_SHARE_OF_OTHERS)
    for number in range(course.rounds):
        worth = lessons.worth(values)
        for pupil in pupils:
            pupil.learn(lessons, worth, course.steps, number)
            pupil.judge(lessons, values)
    return " ".join(pupil.text() for pupil in pupils)


# ---- Self-play


def self_play(seats: int, number: int) -> Record:
    return played("kali", list(map(player, tempers(seats, number))), f"learning {number}")


def tempers(seats: int, number: int) -> list[Temper]:
    return [TEMPERS[each] for each in sitting(seats, number)]


def sitting(seats: int, number: int) -> list[int]:
    """Which temper sits where."""
    lots = Random(f"learning {seats} {number}")
    return [lots.choice((0, 1)) for _ in range(seats)]


def player(temper: Temper) -> Choose:
    return lambda request: decide(request, temper)


# ---- What there is to learn


class Position(list[float]):
    """What is seen of one that might have come, when the next card is turned."""

    def __init__(self, state: Kali) -> None:
        super().__init__(features(state))
        self.acting, self.frights = state.acting, state.frights


class Unjudged(Reckoning):
    """Tells what is seen instead of how the seats stand."""

    def __init__(self, record: Record, tempers: Sequence[Temper]) -> None:
        super().__init__(record, KALI, EVEN, {})
        self.tempers = tempers

    def judged(self, state: State) -> Sequence[float]:
        if isinstance(state, Kali) and state.seat != NOBODY:
            return Position(foreseen(state, self.tempers))
        return self.ended(state, ())


@dataclass(frozen=True)
class Lessons:
    """All draws of some matches, with all positions that might have come of them; a row for each."""

    seen: Array
    """Features, and how daring each seat is, the acting one first."""
    acting: Array
    frights: Array
    draw: Array
    """The number of the draw."""
    share: Array
    """1 if it came, minus how likely it was."""
    came: Array
    """The rows that came."""
    match: Array
    """By draw."""
    ended: Array
    """By draw and seat, what those that ended the match add to its luck."""
    results: Array
    """By match and seat, the share of the others that was beaten."""

    @classmethod
    def of(cls, records: Sequence[Record]) -> Lessons:
        rows: list[tuple[Any, ...]] = []
        seen, match, ended = [], [], []
        for number, record in enumerate(records):
            daring = [DARING[each] for each in sitting(record.seats, number)]
            for drawing, values in Unjudged(record, tempers(record.seats, number)).draws():
                left = np.zeros(record.seats)
                for kind, value in values.items():
                    share = (kind == drawing.kind) - drawing.ways[kind] / sum(drawing.ways)
                    if isinstance(value, Position):
                        told = daring[value.acting :] + daring[: value.acting]
                        seen.append(np.array([*value, *told], np.float32))
                        rows.append((value.acting, value.frights, len(match), share, kind == drawing.kind))
                    else:
                        left += share * np.array(value)
                match.append(number)
                ended.append(left)
        acting, frights, draw, shares, came = (np.array(column) for column in zip(*rows, strict=True))
        results = [
            [share_beaten(record.outcome.ranks, seat) for seat in range(record.seats)] for record in records
        ]
        return cls(
            np.array(seen),
            acting,
            frights,
            draw,
            shares,
            np.flatnonzero(came),
            np.array(match),
            np.array(ended),
            np.array(results),
        )

    def luck(self, values: Array) -> Array:
        """By draw and seat, if this is how the seats stand in each row."""
        draws, seats = self.ended.shape
        sums = [np.bincount(self.draw, self.share * values[:, seat], draws) for seat in range(seats)]
        return self.ended + np.stack(sums, 1)

    def worth(self, values: Array) -> Array:
        """By row that came and seat: the result of its match without the luck that came later."""
        luck, worth = self.luck(values), np.zeros(self.ended.shape)
        left = self.results.copy()
        for draw in range(len(luck) - 1, -1, -1):
            worth[draw] = left[self.match[draw]]
            left[self.match[draw]] -= luck[draw]
        return worth[self.draw[self.came]]

    def turned(self, values: Array, rows: Array, back: int = 1) -> Array:
        """From absolute seats to those after the acting one, or back with -1."""
        seats = np.arange(values.shape[1])
        order = (back * self.acting[rows][:, None] + seats) % len(seats)
        return np.take_along_axis(values, order, 1)


# ---- The nets


class Pupil:
    """A net while it learns, for the time before or after the first fright."""

    def __init__(self, lessons: Lessons, frights: int) -> None:
        self.frights, self.seats = frights, lessons.ended.shape[1]
        rows = lessons.seen[lessons.frights == frights].astype(float)
        self.middle, self.spread = snapped(rows.mean(0)), snapped(rows.std(0) + 0.001)
        self.middle[-self.seats :], self.spread[-self.seats :] = 0.0, 1.0
        lots = np.random.RandomState(frights)  # its numbers are promised to stay the same
        width, hidden = rows.shape[1], learnt.HIDDEN
        self.weights = [
            snapped(lots.standard_normal((width, hidden)) / np.sqrt(width)),
            np.zeros(hidden),
            snapped(lots.standard_normal((hidden, self.seats)) * 0.1 / np.sqrt(hidden)),
        ]
        self.slopes = [np.zeros_like(each) for each in self.weights]
        self.squares = [np.zeros_like(each) for each in self.weights]
        self.steps = 0

    def seen(self, rows: Array) -> Array:
        return (rows - self.middle) / self.spread

    def hidden(self, seen: Array) -> Array:
        return np.tanh(seen @ self.weights[0] + self.weights[1])

    def said(self, hidden: Array) -> Array:
        return centred(hidden @ self.weights[2])

    def learn(self, lessons: Lessons, worth: Array, steps: int, number: int) -> None:
        """One round."""
        mine = lessons.frights[lessons.came] == self.frights
        rows = lessons.came[mine]
        wanted = centred(lessons.turned(worth[mine], rows))
        seen = self.seen(lessons.seen[rows])
        lots = np.random.RandomState(100 * number + self.frights)
        for step in range(steps):
            batch = lots.randint(0, len(rows), BATCH)
            self.step(seen[batch], wanted[batch], SLOWEST + RATE * (1 + np.cos(np.pi * step / steps)) / 2)

    def step(self, seen: Array, wanted: Array, rate: float) -> None:
        self.steps += 1
        hidden = self.hidden(seen)
        missed = (self.said(hidden) - wanted) / len(seen)
        back = (missed @ self.weights[2].T) * (1 - hidden * hidden)
        for place, slope in enumerate((seen.T @ back, back.sum(0), hidden.T @ missed)):
            slope = slope + CALM * self.weights[place]
            self.slopes[place] = KEEPS * self.slopes[place] + (1 - KEEPS) * slope
            self.squares[place] = KEEPS_SQUARES * self.squares[place] + (1 - KEEPS_SQUARES) * slope * slope
            mean = self.slopes[place] / (1 - KEEPS**self.steps)
            size = np.sqrt(self.squares[place] / (1 - KEEPS_SQUARES**self.steps)) + 1e-8
            self.weights[place] = snapped(self.weights[place] - rate * mean / size)

    def judge(self, lessons: Lessons, values: Array) -> None:
        """Write down how the seats stand in all rows of this time."""
        rows = np.flatnonzero(lessons.frights == self.frights)
        said = self.said(self.hidden(self.seen(lessons.seen[rows])))
        values[rows] = EVEN_SHARE_OF_OTHERS + lessons.turned(said, rows, -1)

    def text(self) -> str:
        """As `value.py` reads it: for features as they are."""
        inputs = self.weights[0] / self.spread[:, None]
        biases = self.weights[1] - self.middle @ inputs
        parts = (inputs[: -self.seats].T, inputs[-self.seats :], biases, self.weights[2].T)
        return " ".join(f"{number:.{DIGITS}g}" for part in parts for number in part.ravel())


def centred(values: Array) -> Array:
    return values - values.mean(1, keepdims=True)


def snapped(values: Array) -> Array:
    return np.round(values * GRID) / GRID


# ---- The file


def page(found: dict[int, str]) -> str:
    """The module `learnt.py`."""
    lines = [
        f'    {seats}: """\n{fill(" ".join(text.split()), 108)}\n""",\n'
        for seats, text in sorted(found.items())
    ]
    return (
        f'"""What `python -m tests.learning` has learnt for `value.py`; not to be changed by hand."""\n\n'
        f"HIDDEN = {learnt.HIDDEN}\n"
        f'"""Units of the hidden layer."""\n\n'
        f"COURSES = {{\n{courses()}}}\n"
        f'"""By the number of seats: matches, rounds, and steps of a round."""\n\n'
        f"WEIGHTS = {{\n{''.join(lines)}}}\n"
    )


def courses() -> str:
    return "".join(f"    {seats}: {astuple(course)},\n" for seats, course in COURSES.items())


if __name__ == "__main__":
    main()
