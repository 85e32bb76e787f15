"""On which machine do bots exceed their time more often than chance allows?

Who plays where differs from machine to machine, so each bot is compared with itself: of its timeouts, chance gives a
machine as many as the hypergeometric distribution says. The sum over all bots is exact where timeouts are few, and
normal where they are many; for the number of machines it is corrected by multiplication.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, sqrt
from typing import NamedTuple

from dalang.harness.statistics.lateness import log_choose

MANY_TIMEOUTS = 300
"""From so many on their sum is as good as normal."""


class BotHere(NamedTuple):
    """One bot on one machine, and everywhere."""

    seats: int
    timeouts: int
    all_seats: int
    all_timeouts: int


def chance_of_timeouts(bots: Sequence[BotHere], machines: int) -> float:
    """How likely it is that one of so many machines has at least as many timeouts as this one, if all are alike."""
    seen = sum(bot.timeouts for bot in bots)
    if sum(bot.all_timeouts for bot in bots) > MANY_TIMEOUTS:
        tail = normal_tail(bots, seen)
    else:
        distribution = [1.0]
        for bot in bots:
            distribution = convolved(distribution, shares(bot))
        tail = sum(distribution[seen:])
    return min(1.0, tail * machines)


def shares(bot: BotHere) -> list[float]:
    """How likely each number of its timeouts is here, from 0 on."""
    ways = log_choose(bot.all_seats, bot.all_timeouts)
    elsewhere = bot.all_seats - bot.seats
    return [
        exp(log_choose(bot.seats, here) + log_choose(elsewhere, bot.all_timeouts - here) - ways)
        for here in range(bot.all_timeouts + 1)
    ]


def convolved(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """The distribution of a sum."""
    total = [0.0] * (len(one) + len(other) - 1)
    for at, weight in enumerate(one):
        for more, share in enumerate(other):
            total[at + more] += weight * share
    return total


def normal_tail(bots: Sequence[BotHere], seen: int) -> float:
    mean = sum(bot.all_timeouts * bot.seats / bot.all_seats for bot in bots)
    variance = sum(map(variance_of, bots))
    if not variance:
        return 1.0
    return erfc((seen - 0.5 - mean) / sqrt(2 * variance)) / 2


def variance_of(bot: BotHere) -> float:
    if bot.all_seats < 2:
        return 0.0
    here, late = bot.seats / bot.all_seats, bot.all_timeouts / bot.all_seats
    return bot.all_timeouts * here * (1 - here) * (1 - late) * bot.all_seats / (bot.all_seats - 1)
