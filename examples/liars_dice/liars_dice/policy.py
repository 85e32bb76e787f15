"""What `seer` knows of Liar's Dice: how likely a bid is true, given one's own dice, and that dice are lives."""

from __future__ import annotations

from functools import cache
from math import comb

from dalang.bots.search import Policy, rewards, rewards_by_lead
from dalang.engine.game import NOBODY, Move
from liars_dice.state import LiarsDice

SWING = 2.0
"""Dice by which leads turn."""
PAUSES_AHEAD = 6
"""Bids to play through before a position is judged: about one round."""
DOUBT_OF_ALL = 0.02
"""No move is less likely than this."""


@cache
def at_least(needed: int, dice: int, share: int) -> float:
    """The chance that of so many hidden dice at least `needed` count, where `share` of six faces do."""
    if needed <= 0:
        return 1.0
    return (
        sum(comb(dice, n) * share**n * (6 - share) ** (dice - n) for n in range(needed, dice + 1)) / 6**dice
    )


def truth(state: LiarsDice, count: int, face: int) -> float:
    """How likely a bid is true, as the seat that decides sees it."""
    own = state.dice[state.seat]
    hidden = sum(map(len, state.dice)) - len(own)
    share = 2 if state.options["wild_ones"] and face != 1 else 1
    return at_least(count - sum(state.counts_as(die, face) for die in own), hidden, share)


def bid(state: LiarsDice, moves: list[Move]) -> list[float]:
    """Likely bids, and doubts of unlikely ones; of the bids those that say little more than the last."""
    weights = []
    for number, (verb, *what) in enumerate(moves):
        likely = truth(state, *map(int, what)) if verb == "bid" else 1 - truth(state, *state.bid)
        weights.append(
            DOUBT_OF_ALL / len(moves) + (likely**2 / (1 + number / 6) if verb == "bid" else likely)
        )
    return weights


def standing(state: LiarsDice) -> list[float]:
    if state.seat == NOBODY:
        return rewards(state.outcome())
    return rewards_by_lead([len(dice) for dice in state.dice], SWING)


POLICY = Policy(weights={"bid": bid}, pauses=("bid",), horizon=PAUSES_AHEAD, standing=standing)
