"""How cost grows with the size of a file: `make bench`; `python -m tests.bench.growth 1000000` for a million matches.

The files are real tournaments of Kali with two quick bots, every record of which can be verified, only that the bots
play in this process. Everything is measured in a process of its own, as processor time, because that does not depend
on who else uses the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import process_time

import trio
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.report.data import gathered
from dalang.harness.report.page import page
from dalang.harness.tournament.config import Config, cores, terms_for
from dalang.harness.tournament.entry import Prepared, prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.schedule import Plan
from dalang.harness.tournament.standings import standings
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.tally import Follower
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.verify import everything_checked

SIZES = (10_000, 100_000)
BOTS = ("first", "random")
BATCH = 500
"""Blocks that a process plays before it reports them."""


MORE = 100
"""Blocks that are still to be played when a file is resumed."""


def main(sizes: Sequence[int]) -> None:
    with TemporaryDirectory() as folder:
        rows = [row(Path(folder) / f"{matches}.db", matches) for matches in sizes]
    headers = ["matches", "file MB", *(f"{what}: {unit}" for what in MEASURED for unit in ("s", "MB"))]
    print(tabulate(rows, headers=headers, intfmt=",", floatfmt=".1f"))


def row(path: Path, matches: int) -> list[float]:
    make(path, matches)
    return [
        matches,
        path.stat().st_size // 10**6,
        *(figure for what in MEASURED for figure in cost(what, path)),
    ]


def cost(what: str, path: Path) -> tuple[float, int]:
    """Seconds of the processor, and megabytes at most."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (what, path))


def measured(what: str, path: Path) -> tuple[float, int]:
    seconds = MEASURED[what](path)
    return seconds, max(getrusage(who).ru_maxrss for who in (RUSAGE_SELF, RUSAGE_CHILDREN)) // 1000


# ---- What is measured


def tabled(path: Path) -> float:
    with open_to_read(path) as store:
        standings(store).text()
    return process_time()


def refreshed(path: Path) -> float:
    """The second look at a file that grows."""
    follower = Follower()
    with open_to_read(path) as store:
        standings(store, tallied=follower.tallied)
        begin = process_time()
        standings(store, tallied=follower.tallied).text()
    return process_time() - begin


def reported(path: Path) -> float:
    with open_to_read(path) as store:
        page(gathered(store))
    return process_time()


def verified(path: Path) -> float:
    """By as many processes as there are cores, all of which count."""
    with open_to_read(path) as store:
        assert not any(each.problems for each in everything_checked(store, cores()))
    others = getrusage(RUSAGE_CHILDREN)
    return process_time() + others.ru_utime + others.ru_stime


class FirstMatch(RunListener):
    """Has enough as soon as something is played."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.seconds = self.seconds or process_time()

    def has_enough(self) -> bool:
        return self.seconds > 0


def resumed(path: Path) -> float:
    """Until the first match that is new."""
    first = FirstMatch()
    with create_or_open(path) as store:
        ready = agreed(store, store.terms().blocks + MORE)
        trio.run(Run(store, ready, [first]).play)
    return first.seconds


MEASURED: dict[str, Callable[[Path], float]] = {
    "standings": tabled,
    "refresh": refreshed,
    "report": reported,
    "verify": verified,
    "resume": resumed,
}


# ---- Files


def make(path: Path, matches: int) -> None:
    """A finished tournament of that many matches."""
    with create_or_open(path) as store, get_context("fork").Pool() as pool:
        plan = agreed(store, matches // len(BOTS)).plan
        for played in pool.imap(partial(all_played, plan.terms), batches(plan)):
            store.save(played)


def agreed(store: Store, blocks: int) -> Prepared:
    terms = terms_for(find_game("kali"), {}, len(BOTS), name="kali", blocks=blocks, isolate="none")
    return prepared(store, Config(terms, tuple(find_entrants(BOTS)), seed="growth", jobs=1), print)


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
    main([int(size) for size in sys.argv[1:]] or SIZES)
