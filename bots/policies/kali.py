"""Die Augen der Kali at a glance: what one more card brings on average, in gems.

§ marks refer to engine/games/kali/rulebook.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import exp, sqrt
from operator import mul

from dalang.bots.search import Policy, rewards
from dalang.engine.game import NOBODY, Move
from dalang.engine.games.kali.components import LAST_FIELD, LENGTHS, NOISE
from dalang.engine.games.kali.state import Kali, price_of
from dalang.engine.games.kali.value import all_footprints, one_card, wakers

SHARPNESS = 0.12
"""How much surer one gem of advantage makes a choice."""
RISK = 2.0
"""Gems that must be won on average to make up for the chance to wake Kali sooner."""
SWING = 4.0
"""Gems by which two players' wealth drifts apart while one card is turned, roughly."""
DOUBT = 0.05
"""No choice is less likely than this."""


def first_or_second(advantage: float) -> list[float]:
    likely = min(1 - DOUBT, max(DOUBT, 0.5 + SHARPNESS * advantage))
    return [likely, 1 - likely]


def go_on(state: Kali, moves: list[Move]) -> list[float]:
    return first_or_second(one_card(state, state.seat) - RISK)


def takeover(state: Kali, moves: list[Move]) -> list[float]:
    return first_or_second(state.loot - state.price + one_card(state, state.seat) - RISK)


# ---- How a position stands


def standing(state: Kali) -> list[float]:
    """By gems and by who may wake Kali, or by a run for her if the acting seat does better that way."""
    if state.seat == NOBODY:
        return rewards(state.outcome())
    wealth = state.wealth.copy()
    wealth[state.acting] += state.loot
    result = by_gems(state, wealth)
    return result if state.decision == "takeover" else with_run(state, result)


def by_gems(state: Kali, wealth: list[int]) -> list[float]:
    """Who will wake Kali is last (§10.2), if everybody turns one card from now on; the others stand by their gems."""
    seats, first = state.seats, state.left_of(state.owner)  # §5.4
    chances, cards = wakers(state.deck.size, state.deck.counts[NOISE + 1], seats)
    wakes = [chances[(seat - first) % seats] for seat in range(seats)]
    scale = SWING * sqrt(cards)
    result = []
    for seat, mine in enumerate(wealth):
        ahead = [1 / (1 + exp((gems - mine) / scale)) for gems in wealth]
        ahead[seat] = 0
        beaten = (1 - wakes[seat]) * (1 + sum(ahead)) - sum(map(mul, wakes, ahead))
        result.append(beaten / (seats - 1))
    return result


def with_run(state: Kali, result: list[float]) -> list[float]:
    """What it would be if the acting seat turned cards until it reaches Kali (§9.4), in case that is better for it."""
    noises, frights = state.deck.counts[NOISE:]
    steps = state.deck.size - noises - frights
    if not steps:
        return result
    length = sum(map(mul, state.deck.counts, LENGTHS)) / steps
    arrives = all_footprints(steps, state.deck.size, (LAST_FIELD + 1 - state.field) / length)
    wakes = frights / (noises + frights) if state.frights else 0.0
    seat = state.acting
    fined = state.wealth.copy()
    fined[seat] -= fined[seat] // (2 if state.frights else 4)  # §6.2
    run = arrives + (1 - arrives) * (1 - wakes) * by_gems(state, fined)[seat]
    mine = result[seat]
    if run <= mine:
        return result
    rest = (state.seats / 2 - run) / (state.seats / 2 - mine)
    return [run if each == seat else rest * value for each, value in enumerate(result)]


def situation(state: Kali) -> Hashable:
    """The cards left say how far the game is; beside them the price stands for the loot."""
    return state.seat, state.decision, state.field, price_of(state.loot), state.deck.size, state.frights


POLICY = Policy(
    weights={"go_on": go_on, "takeover": takeover},
    pauses=("go_on", "takeover"),
    standing=standing,
    situation=situation,
    complete=True,
)
