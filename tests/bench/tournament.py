"""What a whole tournament makes of the machine: `make bench`.

Set beside the blocking limit (the messages of such matches, the same bots, one plain loop per core, nothing else),
beside one worker, and beside one plain trio process with a stream and a timeout scope for every message. Every ratio
is taken within one round; the medians are shown.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import msgpack
import trio
from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.harness.cli.progress import Progress
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.isolation.levels import NONE
from dalang.harness.match.arena import drive
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.schedule import Entry
from dalang.harness.tournament.stored import StoredMatch
from tests.bench.messages import CORES, blocking_rate, pin
from tests.simulated import planned, rounds

ROUNDS = 5
SECONDS = 1.5
PLAIN_SECONDS = 1.0
WARM_UP = 5.0
"""Seconds until a tournament is in full swing: each rotation has processes of its own."""
READER = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).parent / 'reader.py'))}"
READERS = (READER, f"{READER} view", f"{READER} view news")
"""Bots that want neither view nor news, the view, and both."""


def main() -> None:
    rows = [row(name) for name in games()]
    headers = ["game", "blocking/s", "one worker/s", "plain trio/s", "tournament/s", "matches/s",
               "/ blocking", "/ one worker", "/ plain trio"]  # fmt: skip
    print(f"decisions per second, largest table, {len(CORES)} cores")
    print(tabulate(rows, headers=headers, intfmt=",", floatfmt=".2f"))
    print(by_wants())
    print(large_schedule())


def by_wants() -> str:
    """What it costs to tell bots more, and what that makes of the file."""
    rows = []
    for name in games():
        seats = games()[name].seats[-1]
        rates = [
            [tournament_rate(name, seats, len(CORES), bot=bot)[0] for bot in READERS] for _ in range(ROUNDS)
        ]
        shares = [median(each[at] / each[0] for each in rates) for at in (1, 2)]
        rows.append([name, *(round(median(column)) for column in zip(*rates, strict=True)), *shares])
    headers = ["game", "neither/s", "view/s", "both/s", "view: share", "both: share"]
    return tabulate(rows, headers=headers, intfmt=",", floatfmt=".2f")


def row(name: str) -> list[object]:
    seats = games()[name].seats[-1]
    tries = [one_round(name, seats) for _ in range(ROUNDS)]
    figures = [round(median(column)) for column in zip(*tries, strict=True)]
    shares = [median(each[3] / each[index] for each in tries) for index in (0, 1, 2)]
    return [name, *figures, *shares]


def one_round(name: str, seats: int) -> list[float]:
    limit = on_every_core(blocking_rate, name, seats)
    one, _ = tournament_rate(name, seats, workers=1)
    plain = trio.run(plain_rate, name, seats)
    full, matches = tournament_rate(name, seats, workers=len(CORES))
    return [limit, one, plain, full, matches]


def on_every_core(measure: Callable[..., Any], name: str, seats: int) -> float:
    with get_context("fork").Pool(len(CORES)) as pool:
        return sum(
            pool.starmap(
                run_pinned, [(measure, name, seats, core) for core in range(len(CORES))], chunksize=1
            )
        )


def run_pinned(measure: Callable[..., Any], name: str, seats: int, core: int) -> float:
    pin(core)
    return float(trio.run(measure, name, seats))


# ---- A whole tournament


def tournament_rate(
    name: str,
    seats: int,
    workers: int,
    isolate: str = NONE.level,
    warm_up: float = WARM_UP,
    bot: str = "first",
) -> tuple[float, float]:
    """Decisions and matches per second, once all bots run."""
    with get_context("fork").Pool(1) as pool:
        return pool.apply(measured_tournament, (name, seats, workers, isolate, warm_up, bot))


def measured_tournament(
    name: str, seats: int, workers: int, isolate: str, warm_up: float, bot: str
) -> tuple[float, float]:
    stopwatch = Stopwatch(warm_up)
    with whole_tournament(name, seats, workers, stopwatch, isolate, bot) as run:
        trio.run(run.play)
    begin = stopwatch.stamps[0][0]
    steady = [asked for time, asked in stopwatch.stamps if warm_up < time - begin <= warm_up + SECONDS]
    return sum(steady) / SECONDS, len(steady) / SECONDS


class Stopwatch(RunListener):
    """Notes when each match is finished and how many decisions it had, until enough is measured."""

    def __init__(self, warm_up: float) -> None:
        self.stamps: list[tuple[float, int]] = []
        self.warm_up = warm_up

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.stamps += [(perf_counter(), sum(match.decisions)) for match in matches]

    def has_enough(self) -> bool:
        return bool(self.stamps) and perf_counter() - self.stamps[0][0] > self.warm_up + SECONDS


@contextmanager
def whole_tournament(
    name: str,
    seats: int,
    workers: int,
    listener: RunListener,
    isolate: str = NONE.level,
    bot: str = "first",
) -> Iterator[Run]:
    """Ready to run, with all that belongs to a run, only that nobody sees the progress."""
    terms = terms_for(games()[name], {}, seats, blocks=10**6, isolate=isolate)
    config = Config(terms, tuple(find_entrants([bot] * seats)), seed="bench", jobs=workers)
    with TemporaryDirectory() as folder, create_or_open(Path(folder) / "bench.db") as store:
        ready = prepared(store, config, print)
        with closing(Progress(ready.plan, StringIO())) as progress:
            yield Run(store, ready, [progress, listener])


# ---- What the design buys


class PlainBot:
    """A bot over trio's own streams, with a timeout scope for every message."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.unpacker = msgpack.Unpacker()
        self.asked = 0

    async def reply(self, question: Question) -> Answer:
        assert self.process.stdin and self.process.stdout
        self.asked += question.moves > 0
        with trio.fail_after(10):
            await self.process.stdin.send_all(msgpack.packb(question.message))
            if question.message["type"] == "end":
                return Answer()
            while True:
                for message in self.unpacker:
                    if message["type"] != "hello":
                        return Answer(message.get("move", 0), wants=frozenset())
                self.unpacker.feed(await self.process.stdout.receive_some())


async def plain_rate(name: str, seats: int) -> float:
    """As many matches at once as there are cores, all in this process."""
    asked = [0]
    async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
        tables = [
            [await plain_bot(stack, entrant) for entrant in find_entrants(["first"] * seats)] for _ in CORES
        ]
        begin = perf_counter()
        for table in tables:
            nursery.start_soon(plain_matches, name, table, begin, asked)
    return asked[0] / (perf_counter() - begin)


async def plain_matches(name: str, table: list[PlainBot], begin: float, asked: list[int]) -> None:
    number = 0
    while perf_counter() - begin < PLAIN_SECONDS:
        names = tuple(map(str, range(len(table))))
        await drive(referee(Match(games()[name], f"plain {number}", names)), table)
        number += 1
    asked[0] += sum(bot.asked for bot in table)


async def plain_bot(stack: AsyncExitStack, entrant: Entrant) -> PlainBot:
    process = await trio.lowlevel.open_process(entrant.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    stack.callback(process.kill)
    return PlainBot(process)


# ---- Scale


def large_schedule() -> str:
    entries = tuple(Entry(f"bot {number}") for number in range(200))
    plan = planned("round-robin", entries, 4, 50, "bench")
    tracemalloc.start()
    begin = perf_counter()
    blocks = (block for blocks in rounds(plan) for block in blocks)
    next(blocks)
    first = perf_counter() - begin
    number = 1 + sum(1 for _ in blocks)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return (
        f"round robin of 200 bots on tables of 4: first block after {first * 1000:.0f} ms, "
        f"{number:,} blocks walked with at most {peak:.1f} MB"
    )


if __name__ == "__main__":
    main()
