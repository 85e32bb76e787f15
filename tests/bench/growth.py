"""How cost grows with the size of a file: `make bench`; `python -m tests.bench.growth 1000000` for a million.

The files are real tournaments of Kali with two quick bots, every record of which can be verified, only that the bots
play in this process: so a million matches are made in minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.schedule import Plan
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms

BOTS = ("first", "random")
BATCH = 500
"""Blocks that a process plays before it reports them."""


# ---- Files


def make(path: Path, matches: int) -> None:
    """A finished tournament of that many matches."""
    terms = terms_for(
        find_game("kali"), {}, len(BOTS), name="kali", blocks=matches // len(BOTS), isolate="none"
    )
    with create_or_open(path) as store:
        ready = prepared(store, Config(terms, tuple(find_entrants(BOTS)), seed="growth", jobs=2), print)
        with get_context("fork").Pool() as pool:
            for played in pool.imap(partial(all_played, ready.plan.terms), batches(ready.plan)):
                store.save(played)


def batches(plan: Plan) -> Iterator[list[Block]]:
    blocks = iter(Tournament(plan).next_block, None)
    while batch := list(islice(blocks, BATCH)):
        yield batch


def all_played(terms: Terms, blocks: list[Block]) -> list[StoredMatch]:
    return [
        StoredMatch.of(block, rotation, played(terms, block, rotation))
        for block in blocks
        for rotation in range(len(block.lineup))
    ]


def played(terms: Terms, block: Block, rotation: int) -> Played:
    """A match in this process."""
    names, key = block.seatings()[rotation], block.key(rotation).short()
    table = Table(names, key)
    talk = referee(Match(find_game(terms.game), terms.deal_seed(block.deal), names, terms.options, key=key))
    try:
        question = next(talk)
        while True:
            question = talk.send(table.answer(question))
    except StopIteration as stop:
        return replace(stop.value, microseconds=tuple(table.microseconds))


class Table:
    """Plays as the bots of these names would, and says how long that took."""

    def __init__(self, names: Sequence[str], key: str) -> None:
        self.names = names
        self.luck = Random(key)
        self.microseconds: list[list[int]] = [[] for _ in names]

    def answer(self, question: Question) -> Answer:
        if not question.moves:
            return Answer()
        self.microseconds[question.seat].append(20 + int(100 * self.luck.random()))
        first = self.names[question.seat] == "first"
        return Answer(0 if first else int(self.luck.random() * question.moves))


if __name__ == "__main__":
    make(Path(sys.argv[2]), int(sys.argv[1]))
