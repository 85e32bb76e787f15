"""Die Augen der Kali at a glance: what one more card brings on average, in gems.

§ marks refer to engine/games/kali.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import exp, sqrt
from operator import mul

from bots.kali_odds import wakers
from bots.search import Policy, rewards
from engine.game import NOBODY, Move
from engine.games.kali import LAST_FIELD, NOISE, Kali, price_of

SHARPNESS = 0.12
"""How much surer one gem of advantage makes a choice."""
RISK = 2.0
"""Gems that must be won on average to make up for the chance to wake Kali sooner."""
SWING = 4.0
"""Gems by which two players' wealth drifts apart while one card is turned, roughly."""
DOUBT = 0.05
"""No choice is less likely than this."""


def one_card(state: Kali) -> float:
    """What turning one card changes for the deciding seat, on average, if it stops after it."""
    wealth, loot = state.wealth[state.seat], state.loot
    fields, field = state.options["fields"], state.field
    factor, part = (2, 2) if state.frights else (1, 4)  # §4.5, §6.2
    counts = state.deck.counts
    sum_ = 0
    for steps in range(1, NOISE + 1):
        to = field + steps
        sum_ += counts[steps - 1] * (factor * fields[to - 1] if to <= LAST_FIELD else state.temple)
    sum_ -= counts[NOISE] * (loot + wealth // part)
    sum_ -= counts[NOISE + 1] * (loot + (wealth if state.frights else wealth // 2))  # §7.2, §9.2
    return sum_ / state.deck.size


def first_or_second(advantage: float) -> list[float]:
    likely = min(1 - DOUBT, max(DOUBT, 0.5 + SHARPNESS * advantage))
    return [likely, 1 - likely]


def go_on(state: Kali, moves: list[Move]) -> list[float]:
    return first_or_second(one_card(state) - RISK)


def takeover(state: Kali, moves: list[Move]) -> list[float]:
    return first_or_second(state.loot - state.price + one_card(state) - RISK)


# ---- How a position stands


def standing(state: Kali) -> list[float]:
    """Who will wake Kali is last (§10.2), if everybody turns one card from now on; the others stand by their gems."""
    if state.seat == NOBODY:
        return rewards(state.outcome())
    seats, first = state.seats, state.left_of(state.owner)  # §5.4
    chances, cards = wakers(state.deck.size, state.deck.counts[NOISE + 1], seats)
    wakes = [chances[(seat - first) % seats] for seat in range(seats)]
    wealth = state.wealth.copy()
    wealth[state.acting] += state.loot
    scale = SWING * sqrt(cards)
    result = []
    for seat, mine in enumerate(wealth):
        ahead = [1 / (1 + exp((gems - mine) / scale)) for gems in wealth]
        ahead[seat] = 0
        beaten = (1 - wakes[seat]) * (1 + sum(ahead)) - sum(map(mul, wakes, ahead))
        result.append(beaten / (seats - 1))
    return result


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
