"""Die Augen der Kali at a glance: what one more card brings on average, in gems.

§ marks refer to engine/games/kali.md.
"""

from __future__ import annotations

from collections.abc import Hashable

from bots.search import Policy
from engine.game import Move
from engine.games.kali import LAST_FIELD, NOISE, Kali

SHARPNESS = 0.12
"""How much surer one gem of advantage makes a choice."""
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
    return first_or_second(one_card(state))


def takeover(state: Kali, moves: list[Move]) -> list[float]:
    return first_or_second(state.loot - state.price + one_card(state))


def situation(state: Kali) -> Hashable:
    return state.seat, state.decision, state.field, state.loot, state.frights


POLICY = Policy(weights={"go_on": go_on, "takeover": takeover}, situation=situation)
