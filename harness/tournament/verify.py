"""`dalang verify`: prove that a tournament file tells the truth, match by match.

Proved is that the file is sound, so that all who ask it are told the same, that the seed is the one that was committed
to, that everybody met whom the schedule, walked anew, lets them meet, in the seats and on the deals that follow from
it, that a finished tournament has its end, and what `proof.py` says of each match. Who owns the file and the bots can
still play honest matches again until he likes them, or leave some out: how many are missing is told, and the
commitment, if others knew it before the first match, keeps him from choosing another seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from dalang.harness.blocks import Block, MatchResult
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.proof import Checked
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.strays import stray_problems
from dalang.harness.tournament.terms import Terms, commitment
from dalang.harness.tournament.verifiers import all_matches_checked

BEFORE_MATCHES = 3
"""What is checked of the whole file before the first match."""
LONGEST_GAP = 100_000
"""Blocks in a row of which nothing is there, though a later one is: no run has so many in the air."""
THE_END: tuple[None, set[tuple[int, int]]] = None, set()
"""What comes after the last block of a file."""


def everything_checked(store: Store, jobs: int = 1) -> Iterator[Checked]:
    """File, seed, schedule and every match, in this order, whatever the number of processes."""
    terms = store.terms()
    yield Checked("the file", store.unsound())
    yield Checked("the master seed", list(seed_problems(terms)))
    walk = Walk(store, terms)
    yield Checked("the schedule", list(walk.problems()), walk.missing)
    yield from all_matches_checked(store, terms, jobs)


def seed_problems(terms: Terms) -> Iterator[str]:
    if commitment(terms.seed) != terms.commitment:
        yield "it is not the seed that was committed to before the first match"


class Walk:
    """The schedule, walked anew with the results of the file."""

    def __init__(self, store: Store, terms: Terms) -> None:
        self.store = store
        self.tournament = Tournament(store.plan(terms), store.retired(), left_out=store.left_out())
        self.is_finished = self.tournament.format.ends and store.is_finished(terms.blocks)
        """Whether the file says that nothing is still to be played; asked first, for a run may finish meanwhile."""
        self.missing = 0
        """Matches of the blocks so far that should be there and are not."""
        self.gap = 0
        """Blocks before this one, in a row, of which nothing is there."""
        self.stored = store.places()
        self.number: Any
        self.number, self.places = next(self.stored, THE_END)
        """Of the next block of which something is there."""

    def problems(self) -> Iterator[str]:
        """Everybody sat where the schedule puts them, in the round and on the deal that it says."""
        yield from stray_problems(self.store)
        for block, known in walked(self.tournament, self.matches_of):
            while comes_before(self.number, block):
                yield f"block {self.number} is not in the schedule"
                self.number, self.places = next(self.stored, THE_END)
            self.let_go()
            if self.number is None and not self.is_finished:
                return
            if reason := why_unfit(block, known):
                yield reason
                return
            if self.number == block.number:
                yield from place_problems(block, self.places)
                self.number, self.places = next(self.stored, THE_END)
            if reason := self.why_in_vain(block, known):
                yield reason
                return
        if self.number is not None:
            yield self.why_unreached(self.number)
        elif self.is_finished and self.missing:
            yield f"it is told as finished, but {self.missing} of its matches are not there"

    def matches_of(self, block: Block) -> Mapping[int, MatchResult]:
        """Of a block that nothing is there of, nothing is asked."""
        is_there = self.number == block.number or comes_before(self.number, block)
        return self.store.matches_of(block.number) if is_there else {}

    def why_in_vain(self, block: Block, known: Mapping[int, MatchResult]) -> str:
        """Count what is missing, and say where a forger has agreed on an end that nobody would live to see."""
        lacking = 0 if self.tournament.is_skipped(block) else len(block.lineup) - len(known)
        self.gap = self.gap + 1 if lacking and not known else 0
        if self.gap and self.number is None:
            return f"it is told as finished, but from block {block.number} on its end is not there"
        self.missing += lacking
        if self.gap > LONGEST_GAP:
            return f"block {self.number} was played, but nothing of more than {LONGEST_GAP} blocks before it"
        return ""

    def let_go(self) -> None:
        """Where no round depends on it, a block that is not complete need not be held, nor all that wait behind it."""
        if not self.tournament.format.adapts:
            for each in list(self.tournament.queue):
                self.tournament.drop(each)

    def why_unreached(self, number: Any) -> str:
        """Why the walk did not come to this block."""
        if self.tournament.is_exhausted:
            return f"block {number} is not in the schedule"
        first = self.tournament.queue[0].block.number
        return f"block {number} was played, but its round waits for block {first}, which is not complete"


def comes_before(number: Any, block: Block) -> bool:
    """In a file that somebody has damaged even a number may be text, which comes after all numbers."""
    return isinstance(number, int | float) and number < block.number


def why_unfit(block: Block, known: Mapping[int, MatchResult]) -> str:
    """Why the schedule cannot be walked on with these results, or nothing."""
    if not block.is_played_by(known):
        return f"block {block.number} is for {', '.join(block.lineup)}, but others played it"
    places = chain.from_iterable(match.ranks for match in known.values())
    if not all(type(place) is int for place in places):
        return f"block {block.number} has places that are no numbers"
    return ""


def place_problems(block: Block, places: set[tuple[int, int]]) -> Iterator[str]:
    for round_, deal in sorted(places - {(block.round, block.deal)}, key=str):
        yield (
            f"block {block.number} is told as deal {deal} of round {round_}, but it is deal {block.deal} of round "
            f"{block.round}"
        )
