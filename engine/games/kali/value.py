"""How the seats of Die Augen der Kali stand: a few things that one sees at a glance, weighed as self-play taught.

Two seats are compared by the difference of their likings, and a seat's value is its chance against all others, on
average. `python -m tests.learning` learns the weights in `learnt.py` beside this file anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp, log, sqrt
from operator import mul

from dalang.engine.games.kali.components import FIRST_WEALTH, LAST_FIELD, LENGTHS, NOISE
from dalang.engine.games.kali.learnt import WEIGHTS
from dalang.engine.games.kali.state import Kali
from dalang.engine.value import Value

STRIDE = 2
"""Fields that are taken for one."""
DREAD = 30
"""Gems that it is worth not to wake Kali, beside those that this costs (§10.2)."""


def value_of(state: Kali) -> list[float]:
    """By seat the share of the others that it will beat."""
    return shares(features(state), WEIGHTS[state.seats][state.frights])


def shares(seen: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    """Who wakes Kali is behind everybody (§10.2); otherwise the greater liking is likely to be ahead."""
    seats = len(seen)
    wakes = [part_that_wakes(seats) * row[0] for row in seen]
    likings = [sum(map(mul, weights, row)) for row in seen]
    return [
        sum(
            [
                wakes[other]
                + (1 - wakes[seat] - wakes[other]) / (1 + exp(min(30.0, likings[other] - likings[seat])))
                for other in range(seats)
                if other != seat
            ]
        )
        / (seats - 1)
        for seat in range(seats)
    ]


def part_that_wakes(seats: int) -> float:
    """How much of the chance to wake Kali is believed; with two, likings say all, for there it decides all."""
    return 0.0 if seats == 2 else 0.7


def features(state: Kali) -> list[list[float]]:
    """What is seen of each seat; of the one that turns cards more than of the others, whose rows end earlier."""
    is_new = state.decision == "first_card"
    first = state.acting if is_new else state.left_of(state.owner)  # §5.4
    chances, cards = wakers(state.deck.size, state.deck.counts[NOISE + 1], state.seats)
    drift = sqrt(cards)
    seen = []
    for seat, wealth in enumerate(state.wealth):
        wakes = chances[(seat - first) % state.seats]
        seen.append([wakes, -log(wakes + 0.02), wealth / drift / 4, wealth / FIRST_WEALTH, sqrt(wealth) / 4])
    seen[state.acting] += of_the_new(state) if is_new else of_the_slave(state, drift)
    return seen


def of_the_new(state: Kali) -> list[float]:
    """At the beginning of a turn, or after a takeover."""
    loot = state.loot / FIRST_WEALTH
    return [1.0, prospect_of(state), run(state), loot]


def of_the_slave(state: Kali, drift: float) -> list[float]:
    """While one may go on or stop."""
    loot, left = state.loot / FIRST_WEALTH, 10 / state.deck.size
    prospect, arrives = prospect_of(state), run(state)
    goes_on = 1 / (1 + exp(-6 * prospect))
    wealth = state.wealth[state.acting] / FIRST_WEALTH
    fields = [0.0] * (LAST_FIELD // STRIDE + 1)
    fields[state.field // STRIDE] = 1.0
    gems = [4 * loot, loot * 10 / drift, (1 - goes_on) * loot, goes_on * wealth]
    return [0.0] * 4 + gems + [prospect, goes_on, goes_on * left, left, arrives, arrives / left, *fields]


def prospect_of(state: Kali) -> float:
    """Of another card, in tens of gems."""
    return max(-2.0, min(2.0, one_card(state, state.acting, DREAD) / 10))


def one_card(state: Kali, seat: int, dread: int = 0) -> float:
    """What turning one card changes for a seat, on average, if it stops after it."""
    wealth, loot = state.wealth[seat], state.loot
    fields, field = state.options["fields"], state.field
    factor, part = (2, 2) if state.frights else (1, 4)  # §4.5, §6.2
    counts = state.deck.counts
    total = 0
    for steps in LENGTHS:
        to = field + steps
        total += counts[steps - 1] * (factor * fields[to - 1] if to <= LAST_FIELD else state.temple)
    total -= counts[NOISE] * (loot + wealth // part)
    total -= counts[NOISE + 1] * (loot + (wealth + dread if state.frights else wealth // 2))  # §7.2, §9.2
    return total / state.deck.size


def run(state: Kali) -> float:
    """The chance that the slave reaches Kali if cards are turned on and on, all steps having their mean length."""
    counts, left = state.deck.counts, state.deck.size
    steps = left - counts[NOISE] - counts[NOISE + 1]
    if not steps:
        return 0.0
    length = sum(map(mul, counts, LENGTHS)) / steps
    return all_footprints(steps, left, (LAST_FIELD + 1 - state.field) / length)


def all_footprints(steps: int, left: int, cards: float) -> float:
    """The chance that the next `cards` are footprints, as `steps` of the `left` ones are; the last may count partly."""
    chance = 1.0
    while cards > 0 and chance:
        chance *= 1 - min(1.0, cards) * (1 - steps / left)
        steps, left, cards = steps - 1, left - 1, cards - 1
    return chance


@cache
def wakers(left: int, frights: int, seats: int) -> tuple[list[float], float]:
    """Who turns the last of these frights if each turns one card in turn, and how many cards that takes."""
    chances, cards = [0.0] * seats, 0.0
    for number in range(1, left + 1):
        chance = 1 / left if frights == 1 else (number - 1) / (left * (left - 1) / 2)
        chances[(number - 1) % seats] += chance
        cards += number * chance
    return chances, max(1.0, cards)


VALUE = Value(1, value_of)
