"""The complete blocks of a file added up in schedule order: all that standings are told from.

A tally is small however many blocks it has seen, and can be carried on: so standings that are shown again and again
while a tournament runs need not read again what they have read before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Self

from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.sample import Sample
from dalang.harness.statistics.skills import SkillFit
from dalang.harness.tournament.machine import Count
from dalang.harness.tournament.schedule import find_format
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import Terms

UNSETTLED = 4096
"""Blocks at the end of a file that may still change: those before them are seldom unfinished while it grows."""


class Tally:
    """Blocks so far; `void` leaves out those with such faults, `exclude` those of such bots."""

    def __init__(
        self, terms: Terms, names: Sequence[str], void: Collection[str] = (), exclude: Collection[str] = ()
    ) -> None:
        self.terms = terms
        self.names = [name for name in names if name not in exclude]
        self.void, self.exclude = frozenset(void), frozenset(exclude)
        self.filters = bool(self.void or self.exclude)
        self.count = Count(terms.max_faults)
        self.sample = Sample([], self.names)
        self.skills = SkillFit(self.names)
        self.results: list[BlockResult] = []
        """Only where the format places by them."""
        self.keeps_results = find_format(terms.format).adapts

    def add(self, result: BlockResult) -> bool:
        """Whether this block, the next in schedule order, counts and is wanted."""
        counts = self.count.add(result) and (not self.filters or self.is_wanted(result))
        if counts:
            self.sample.add(result)
            self.skills.add(result)
            if self.keeps_results:
                self.results.append(result)
        return counts

    def is_wanted(self, result: BlockResult) -> bool:
        return self.exclude.isdisjoint(result.block.lineup) and not (
            self.void and any(not self.void.isdisjoint(match.faults) for match in result.matches)
        )

    def copy(self) -> Self:
        """The same so far; what is added to one does not change the other."""
        twin = type(self)(self.terms, self.names, self.void, self.exclude)
        twin.count, twin.results = self.count.copy(), list(self.results)
        twin.sample, twin.skills = self.sample.copy(), self.skills.copy()
        return twin

    def is_for(self, other: Tally) -> bool:
        """Whether both add up the same blocks for the same bots."""
        return (self.terms, self.names, self.void, self.exclude) == (
            other.terms, other.names, other.void, other.exclude,
        )  # fmt: skip


Tallied = Callable[[Store, Collection[str], Collection[str]], Tally]
"""Adds up a file, without the blocks that have such faults and such bots."""


def empty_tally(
    store: Store, void: Collection[str] = (), exclude: Collection[str] = (), sort: type[Tally] = Tally
) -> Tally:
    return sort(store.terms(), [bot.name for bot in store.bots()], void, exclude)


def tallied(store: Store, void: Collection[str] = (), exclude: Collection[str] = ()) -> Tally:
    """All that the file holds."""
    tally = empty_tally(store, void, exclude)
    for result in store.results():
        tally.add(result)
    return tally


class Follower:
    """Tallies of a file that grows, of one sort: each carries on from the one before."""

    def __init__(self, sort: type[Tally] = Tally) -> None:
        self.sort = sort
        self.settled: Tally | None = None
        """What is before the mark."""
        self.mark = self.matches = 0
        """The first block that may still change, and the number of matches before it."""

    def tallied(self, store: Store, void: Collection[str] = (), exclude: Collection[str] = ()) -> Tally:
        """What the file holds now; if something has changed before the mark, all of it is read again."""
        new = empty_tally(store, void, exclude, self.sort)
        if not (self.settled and self.settled.is_for(new)) or store.matches_before(self.mark) != self.matches:
            self.settled, self.mark = new, 0
        begin, self.mark = self.mark, max(self.mark, store.last_block() - UNSETTLED)
        self.matches = store.matches_before(
            self.mark
        )  # before they are read: what comes meanwhile is noticed
        return self.carried_on(store, begin)

    def carried_on(self, store: Store, begin: int) -> Tally:
        """With what is complete from this block on. Up to the first gap nothing more can come, so that is settled."""
        assert self.settled
        tally, gap = self.settled, begin
        for result in store.results(begin):
            number = result.block.number
            if tally is self.settled and number >= self.mark:
                if number == gap:
                    self.mark, self.matches = number + 1, self.matches + len(result.matches)
                else:
                    tally = self.settled.copy()
            gap += number == gap
            tally.add(result)
        return tally
