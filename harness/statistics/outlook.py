"""What so few deals can tell at best, and how many it would take: for those who wonder why nobody is told apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, count
from math import ceil, sqrt
from statistics import median

from dalang.harness.statistics.anytime import chance_anytime, reach_anytime
from dalang.harness.statistics.intervals import ERROR, student_reach, tidy
from dalang.harness.statistics.strength import Strengths

NOTABLE = 0.1
"""The difference of two strengths that should be seen; deals that show it are not few."""


@dataclass(frozen=True)
class Outlook:
    """What the deals so far cannot tell."""

    deals: int
    """Of the bot that has fewest."""
    least: float | None
    """The difference of two strengths that can just be told from luck; None if none can, however matches end."""
    wanted: float | None
    """The difference that should be told; None if any would do."""
    needed: int
    """Deals of each bot that can tell it."""


@dataclass(frozen=True)
class Resolution:
    """How fine a difference of strengths deals can tell apart."""

    deals: int
    """Of the bot that has fewest."""
    enough: int
    """Deals below which nobody can be told apart, however they end."""
    error: float
    """Of the difference of two bots, as it is after these deals."""
    pairs: int
    live: bool

    def at(self, deals: int) -> float:
        """The difference that so many deals of each can just tell from luck."""
        reach = reach_of(deals, ERROR / self.pairs, self.live)
        return tidy(reach * self.error * sqrt(self.deals / deals))


def resolution(found: Strengths, live: bool) -> Resolution | None:
    """None if there is nobody to compare."""
    played = [bot for bot, units in enumerate(found.units) if units]
    pairs = [pair for pair in combinations(played, 2) if found.part[pair[0]] == found.part[pair[1]]]
    if not pairs:
        return None
    deals = min(found.units[bot] for bot in played)
    error = median(found.difference(*pair)[1] for pair in pairs)
    return Resolution(deals, fewest_deals(len(pairs), live), error, len(pairs), live)


def outlook(found: Strengths, live: bool) -> Outlook | None:
    """None if there is nobody to compare, or if the deals are not few."""
    told = resolution(found, live)
    if told is None:
        return None
    deals = told.deals
    if deals < told.enough:
        return Outlook(deals, None, None, told.enough)
    least = told.at(deals)
    if least <= NOTABLE:
        return None
    return Outlook(deals, min(1.0, least), NOTABLE, ceil(deals * (least / NOTABLE) ** 2))


def fewest_deals(pairs: int, live: bool) -> int:
    """With fewer not even the best of all pairs could be told apart if one bot were ahead in every deal."""
    for deals in count(2):
        chance = 2.0 ** (1 - deals)
        if pairs * (chance_anytime(chance, deals) if live else chance) < ERROR:
            return deals
    raise AssertionError("luck has an end")


def reach_of(units: int, error: float, live: bool) -> float:
    return reach_anytime(units, error) if live else student_reach(units - 1, error)
