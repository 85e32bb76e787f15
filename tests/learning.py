"""Learn by self-play how seats stand in Die Augen der Kali, and write that down: `python -m tests.learning [SEATS]`.

Two tempers that count cards play each other in all seats. What a position was worth is the result of its match without
the luck that came after it, as far as is known by then; so every round learns from clearer results than the one before.
The weights are those with the least squares (Gauss and Newton). It takes some minutes. Raise the version of the value
in engine/games/kali/value.py after it: what luck did will be told in another way. Then let ruff format it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from math import exp
from operator import mul
from pathlib import Path
from random import Random
from typing import NamedTuple

from dalang.bots.bold_bot import BOLD
from dalang.bots.cautious_bot import CAUTIOUS
from dalang.bots.kali_odds import Temper, decide
from dalang.engine.catalogue import find_game
from dalang.engine.chance import ScriptedChance
from dalang.engine.game import NOBODY
from dalang.engine.games.kali import learnt
from dalang.engine.games.kali.state import Kali
from dalang.engine.games.kali.value import features, part_that_wakes, shares
from dalang.engine.luck import luck_in
from dalang.engine.record import Record
from dalang.engine.value import EVEN, Value, share_beaten
from tests.playing import Choose, played

KALI = find_game("kali")
LEARNT = Path(learnt.__file__)
TEMPERS = (CAUTIOUS, BOLD)
MATCHES = 4800
"""By the number of seats, for a larger table teaches more at once."""
ROUNDS = 3
STEPS = 3
"""Of Gauss and Newton in a round."""
CALM = 2.0
"""So strongly weights are drawn towards 0."""
WIDTH = 29
"""Of the longest row of features."""

Weights = tuple[tuple[float, ...], tuple[float, ...]]
"""Before and after the first fright."""


class Lesson(NamedTuple):
    """A position, and what it was worth to each seat."""

    frights: int
    seen: list[list[float]]
    worth: list[float]


def main() -> None:
    found = dict(learnt.WEIGHTS)
    for seats in [int(word) for word in sys.argv[1:]] or KALI.seats:
        found[seats] = learn(seats)
        write(found)


def learn(seats: int) -> Weights:
    records = [self_play(seats, number) for number in range(MATCHES // seats)]
    value, weights = EVEN, [[0.0] * WIDTH, [0.0] * WIDTH]
    for _ in range(ROUNDS):
        lessons = [
            lesson for number, record in enumerate(records) for lesson in lessons_of(record, value, number)
        ]
        weights = [
            fitted([each for each in lessons if each.frights == frights], now)
            for frights, now in enumerate(weights)
        ]
        value = Value(0, partial(judged, weights))
    before, after = (tuple(round(weight, 4) for weight in each) for each in weights)
    return before, after


def judged(weights: list[list[float]], state: Kali) -> list[float]:
    return shares(features(state), weights[state.frights])


def self_play(seats: int, number: int) -> Record:
    lots = Random(f"learning {seats} {number}")
    return played("kali", [player(lots.choice(TEMPERS)) for _ in range(seats)], f"learning {number}")


def player(temper: Temper) -> Choose:
    return lambda request: decide(request, temper)


def lessons_of(record: Record, value: Value, number: int) -> Iterator[Lesson]:
    """Some positions of a match: neighbours teach the same."""
    strokes = luck_in(record, KALI, value=value).strokes
    state = KALI.start(record.seats, ScriptedChance(record.drawn))
    worth = [
        share_beaten(record.outcome.ranks, seat) - sum(stroke.luck[seat] for stroke in strokes)
        for seat in range(record.seats)
    ]
    luck = {stroke.turn: stroke.luck for stroke in strokes}
    for turn, (_, _, move) in enumerate(record.turns):
        state.apply(move)
        worth = [mine + each for mine, each in zip(worth, luck.get(turn, (0.0,) * record.seats), strict=True)]
        if state.seat != NOBODY and turn in luck and (turn + number) % 2 == 0:
            assert isinstance(state, Kali)
            seen = [row + [0.0] * (WIDTH - len(row)) for row in features(state)]
            yield Lesson(state.frights, seen, worth)


# ---- Least squares


def fitted(lessons: Sequence[Lesson], weights: list[float]) -> list[float]:
    """Better weights than these."""
    for _ in range(STEPS):
        matrix = [[CALM * (row == column) for column in range(WIDTH)] for row in range(WIDTH)]
        right = [-CALM * weight for weight in weights]
        for lesson in lessons:
            for slope, missed in slopes(lesson, weights):
                add(matrix, right, slope, missed)
        weights = [weight + step for weight, step in zip(weights, solved(matrix, right), strict=True)]
    return weights


def slopes(lesson: Lesson, weights: Sequence[float]) -> Iterator[tuple[list[float], float]]:
    """By seat: how its value changes with each weight, and by how much it was missed."""
    liked = [sum(map(mul, weights, row)) for row in lesson.seen]
    seats, believed = len(liked), part_that_wakes(len(liked))
    for seat, (mine, worth) in enumerate(zip(lesson.seen, lesson.worth, strict=True)):
        slope, share = [0.0] * WIDTH, 0.0
        for other, theirs in enumerate(lesson.seen):
            if other != seat:
                ahead = 1 / (1 + exp(min(30.0, liked[other] - liked[seat])))
                awake = (1 - believed * (mine[0] + theirs[0])) / (seats - 1)
                share += believed * theirs[0] / (seats - 1) + awake * ahead
                steep = awake * ahead * (1 - ahead)
                slope = [old + steep * (one - two) for old, one, two in zip(slope, mine, theirs, strict=True)]
        yield slope, worth - share


def add(matrix: list[list[float]], right: list[float], slope: list[float], missed: float) -> None:
    for at, steep in enumerate(slope):
        if steep:
            right[at] += steep * missed
            matrix[at] = [old + steep * each for old, each in zip(matrix[at], slope, strict=True)]


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of these linear equations; the matrix is positive definite."""
    rows = [[*row, last] for row, last in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        pivot = rows[at] = [each / pivot[at] for each in pivot]
        for other, row in enumerate(rows):
            if other != at and row[at]:
                rows[other] = [mine - row[at] * each for mine, each in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


def write(found: dict[int, Weights]) -> None:
    lines = [
        f"    {seats}: (\n        {before},\n        {after},\n    ),\n"
        for seats, (before, after) in sorted(found.items())
    ]
    head = LEARNT.read_text(encoding="utf-8").partition("{")[0]
    LEARNT.write_text(f"{head}{{\n{''.join(lines)}}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
