"""In whose matches the host was late: by chance, or because a bot saw to it?

Chance would spread the late matches over all of them. How likely it is to give a bot at least as many as it has, is the
tail of the hypergeometric distribution; for the number of bots it is corrected by multiplication.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import exp, inf, lgamma


class Lateness:
    """The matches so far, and those in which the host was late."""

    def __init__(self, matches: int = 0, matches_of: Mapping[str, int] | None = None) -> None:
        self.matches = matches
        self.matches_of = Counter(matches_of)
        self.late = 0
        self.late_of: Counter[str] = Counter()

    def add(self, names: Iterable[str], was_late: bool) -> None:
        """A match of these bots."""
        names = set(names)  # copies of a bot may sit together
        self.matches += 1
        self.matches_of.update(names)
        if was_late:
            self.blame(names)

    def blame(self, names: Iterable[str]) -> None:
        """In a match of these bots, which is counted already, the host was late."""
        self.late += 1
        self.late_of.update(set(names))

    def chance(self, name: str) -> float:
        """Of as many late matches as this bot has, if it were no different from the others."""
        sat, most = self.matches_of[name], min(self.matches_of[name], self.late)
        tail = sum(self.share(sat, late) for late in range(self.late_of[name], most + 1))
        return min(1.0, tail * len(self.matches_of))

    def share(self, sat: int, late: int) -> float:
        """How likely this number of the late matches is among those that somebody sat in."""
        ways = log_choose(sat, late) + log_choose(self.matches - sat, self.late - late)
        return exp(ways - log_choose(self.matches, self.late))

    def suspect(self) -> str:
        """The bot that chance explains least."""
        return min(self.matches_of, key=lambda name: (self.chance(name), -self.late_of[name], name))


def log_choose(n: int, k: int) -> float:
    if not 0 <= k <= n:
        return -inf
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
