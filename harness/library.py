"""A tournament file for programs: what was agreed, the standings, the crosstable and the matches as plain objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from dalang.engine.game import plain
from dalang.harness.blocks import MatchKey
from dalang.harness.statistics.intervals import Estimate, OpenEstimate
from dalang.harness.statistics.summary import Pairing, letters
from dalang.harness.tournament import standings
from dalang.harness.tournament.opening import open_to_read


@dataclass(frozen=True)
class Standing:
    """One bot's line of the standings."""

    place: int
    name: str
    rating: float | None
    """What its skill almost surely exceeds; None where a bot sits at a table more than once."""
    mu: float | None
    sigma: float | None
    strength: Estimate
    """The share of the others it would beat if it met all of them equally often."""
    beats: Estimate
    """The share of the others it beats, a tie counting half."""
    score: OpenEstimate
    wins: float
    blocks: int
    matches: int
    groups: str
    """Bots that share a letter cannot be told apart."""
    faults: dict[str, int]
    withdrawn: str
    """Why it was taken out, or nothing."""


@dataclass(frozen=True)
class FinishedMatch:
    """A finished match; lists are by seat."""

    block: int
    rotation: int
    bots: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    """The kind of fault, or nothing."""


class TournamentFile:
    """The tournament in a file, finished or not; every question reads what the file holds at that moment."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self.terms: dict[str, Any] = {}
        """What was agreed: game, options, format, seats, blocks, seed and so on."""
        with open_to_read(self.path) as store:
            self.terms = store.terms().data()

    def standings(self, by: str | None = None) -> list[Standing]:
        """Best first; `by` is trueskill, mean or wins, and if not given what the format decides by."""
        with open_to_read(self.path) as store:
            return [line_of(line) for line in standings.standings(store, by).lines]

    def crosstable(self) -> list[Pairing]:
        """What every bot achieved against every other that it met."""
        with open_to_read(self.path) as store:
            return list(standings.standings(store).statistics.crosstable)

    def matches(self) -> Iterator[FinishedMatch]:
        """The finished matches in schedule order."""
        with open_to_read(self.path) as store:
            for key, result in store.listing():
                yield FinishedMatch(*key, result.names, result.ranks, result.scores, result.faults)

    def record(self, block: int, rotation: int) -> dict[str, Any]:
        """The whole story of a match as plain data, every card and every answer; LookupError if it is not there."""
        key = MatchKey(block, rotation)
        with open_to_read(self.path) as store:
            found = store.story(key)
        if found is None:
            raise LookupError(f"{self.path} has no match {key.short()}")
        data: dict[str, Any] = plain(found.retold().data())
        return data


def line_of(standing: standings.Placed) -> Standing:
    line, rating = standing.line, standing.rating
    return Standing(
        place=standing.place,
        name=line.name,
        rating=rating.exposure if rating else None,
        mu=rating.mu if rating else None,
        sigma=rating.sigma if rating else None,
        strength=line.strength,
        beats=line.place,
        score=line.score,
        wins=line.wins,
        blocks=line.blocks,
        matches=line.matches,
        groups=letters(line.groups),
        faults=line.faults,
        withdrawn=standing.withdrawn,
    )
