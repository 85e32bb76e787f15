"""The blocks of a file added up for pictures: what standings need, how the ratings went, and what does not count."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, Self

from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.rating import MU, Rating, RatingFold
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.tally import Follower, Tally
from dalang.harness.tournament.terms import Terms

MOST_POINTS = 120
"""Of a line in the chart of ratings, and of the path of a test."""


class Moment(NamedTuple):
    """The skills when so many blocks counted."""

    blocks: int
    skills: dict[str, float]

    def on_level_of(self, end: Moment) -> Moment:
        """The same with the mean of the end: only distances mean something, and one pass lets the level drift."""
        drift = fmean(self.skills[name] for name in end.skills) - fmean(end.skills.values())
        return Moment(self.blocks, {name: round(self.skills[name] - drift, 2) for name in end.skills})


class Chronicle(Tally):
    """A tally that also notes the skills now and then: more seldom, the longer it gets.

    On the way they are those of one pass over the matches; the last are those of the standings.
    """

    def __init__(
        self, terms: Terms, names: Sequence[str], void: Collection[str] = (), exclude: Collection[str] = ()
    ) -> None:
        super().__init__(terms, names, void, exclude)
        self.keeps_results |= terms.compare is not None
        self.fold = RatingFold(self.names)
        self.moments: list[Moment] = []
        self.stride = 1
        """A moment is noted every so many blocks."""
        self.matches = self.faults = 0
        """Those that count."""
        self.matches_of_withdrawn = 0
        """In blocks that do not count because somebody in them is out."""

    def add(self, result: BlockResult) -> bool:
        counts = super().add(result)
        if counts:
            self.matches += len(result.matches)
            self.faults += sum(sum(map(bool, match.faults)) for match in result.matches)
            self.fold.add(result)
            self.note(self.sample.blocks)
        else:
            self.matches_of_withdrawn += len(result.matches)
        return counts

    def note(self, blocks: int) -> None:
        if blocks % self.stride == 0:
            skills = {name: shown(rating) for name, rating in self.fold.ratings().items()}
            self.moments.append(Moment(blocks, skills))
        if len(self.moments) >= MOST_POINTS:
            self.moments, self.stride = self.moments[1::2], 2 * self.stride

    def copy(self) -> Self:
        twin = super().copy()
        twin.fold, twin.moments, twin.stride = self.fold.copy(), list(self.moments), self.stride
        twin.matches, twin.faults = self.matches, self.faults
        twin.matches_of_withdrawn = self.matches_of_withdrawn
        return twin

    def history(self, last: Mapping[str, Rating]) -> Plain:
        """How the ratings went, up to those of the standings, as the page shows it."""
        end = Moment(self.sample.blocks, {name: shown(rating) for name, rating in last.items()})
        moments = [moment for moment in self.moments if moment.blocks < end.blocks]
        moments = [moment.on_level_of(end) for moment in moments] + ([end] if end.blocks else [])
        lines = {name: [MU, *(moment.skills[name] for moment in moments)] for name in last}
        return {"blocks": [0, *(moment.blocks for moment in moments)], "ratings": lines}

    def uncounted(self, store: Store) -> Plain:
        """The stored matches that do not count, by the reason why, and how many faults happened in them."""
        return {
            "withdrawn": self.matches_of_withdrawn,
            "unfinished": store.number_of_matches() - self.matches - self.matches_of_withdrawn,
            "faults": store.number_of_faults() - self.faults,
        }


class Chronicler(Follower):
    """Chronicles of a file that grows."""

    def __init__(self) -> None:
        super().__init__(Chronicle)

    def read(self, store: Store) -> Chronicle:
        chronicle = self.tallied(store)
        assert isinstance(chronicle, Chronicle)
        return chronicle


def shown(rating: Rating) -> float:
    return round(rating.mu, 2)
