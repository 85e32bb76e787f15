"""What the road to a bot costs: `make bench`.

The yardstick is the blocking limit: a plain loop that writes the messages of some matches to the bots and reads the
answers, with the same codec, no trio, no deadline and no referee. Beside it stand the same messages by the message
layer, the same matches with clocks and faults but without a referee, and the same for real. Harness and bots share one
core, as a worker and its bots do. Rounds are short and take turns; ratios are taken within one, medians are shown.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import trio
from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.engine.game import Game
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.arena import Arena, Chair, open_arena
from dalang.harness.match.limits import Clock, Limits
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.protocol.messages import parse

ROUNDS = 40
SECONDS = 0.1
LONGER, TIMES = 1.5, 5
"""Seconds and rounds where figures of several processes are added up."""
SEEDS = [f"bench {number}" for number in range(8)]
"""Of the matches that are played."""
LIMITS = Limits()
CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else list(range(os.cpu_count() or 1))


def main() -> None:
    rows = [row(game, seats) for game in games().values() for seats in {game.seats[0], game.seats[-1]}]
    headers = ["game", "seats", "blocking/s", "messages/s", "no referee/s", "match/s",
               "messages: share", "no referee: share", "match: share"]  # fmt: skip
    print(tabulate(rows, headers=headers, intfmt=",", floatfmt=".2f"))
    cores = len(CORES)
    for game in games().values():
        one, many = (together(game, game.seats[-1], number) for number in (1, cores))
        print(
            f"{game.name}: {cores} matches at once on {cores} cores: {many:,.0f} decisions/s, {many / one:.2f} x one"
        )
    charged = sorted(alone(thinking_times))
    middle, late = charged[len(charged) // 2], charged[len(charged) * 99 // 100]
    print(f"a think of 1 ms is charged {middle * 1000:.3f} ms (median), {late * 1000:.3f} ms (p99)")
    print(f"peak memory of the harness with 100 live bots: {alone(memory_with, 100):,.0f} MB")


def row(game: Game, seats: int) -> list[object]:
    rounds = alone(roads, game.name, seats)
    figures = [round(median(column)) for column in zip(*rounds, strict=True)]
    shares = [median(each[index] / each[0] for each in rounds) for index in (1, 2, 3)]
    return [game.name, seats, *figures, *shares]


def together(game: Game, seats: int, number: int) -> float:
    """Decisions per second of real matches, one process per core."""
    jobs = [(game.name, seats, core) for core in range(number)]
    with get_context("fork").Pool(number) as pool:
        return median(sum(pool.starmap(match_rate_on_core, jobs, chunksize=1)) for _ in range(TIMES))


def match_rate_on_core(name: str, seats: int, core: int) -> float:
    pin(core)
    return trio.run(match_rate, name, seats)


def alone(measure: Callable[..., Any], *arguments: Any) -> Any:
    """Run an async function in a process of its own, on one core."""
    with get_context("fork").Pool(1, initializer=pin) as pool:
        return pool.apply(trio.run, (measure, *arguments))


def pin(core: int = 0) -> None:
    if sys.platform == "linux":
        os.sched_setaffinity(0, {CORES[core]})


# ---- What is measured


async def roads(name: str, seats: int) -> list[list[float]]:
    """By round, decisions per second: blocking, by the message layer, without a referee, in real matches."""
    async with bench_table(name, seats) as table:
        ways = (table.blocking, table.messages, table.without_referee, table.matches)
        return [[await table.rate(way) for way in ways] for _ in range(ROUNDS)]


async def blocking_rate(name: str, seats: int) -> float:
    async with bench_table(name, seats) as table:
        return await table.rate(table.blocking, LONGER)


async def match_rate(name: str, seats: int) -> float:
    async with bench_table(name, seats) as table:
        return await table.rate(table.matches, LONGER)


@asynccontextmanager
async def bench_table(name: str, seats: int) -> AsyncIterator[BenchTable]:
    game, entrants = games()[name], find_entrants(["first"] * seats)
    async with open_arena(LIMITS) as arena:
        await arena.preflight(entrants, game, seats)
        yield BenchTable(game, arena, entrants)


class BenchTable:
    """Bots that play the first move, and some matches between them, in several ways."""

    def __init__(self, game: Game, arena: Arena, entrants: list[Entrant]) -> None:
        self.arena = arena
        self.entrants = entrants
        self.wires = [bot.process.wire for bot in arena.bots]
        names = tuple(entrant.name for entrant in entrants)
        self.to_play = [Match(game, seed, names, limits=LIMITS.announced()) for seed in SEEDS]
        wants = arena.bots[0].process.hello.wants
        self.questions = [question for match in self.to_play for question in asked_in(match, wants)]
        self.decisions = sum(question.moves > 0 for question in self.questions)

    async def rate(self, way: Callable[[], Awaitable[None]], seconds: float = SECONDS) -> float:
        """Decisions per second when all matches go this way, again and again."""
        rounds, begin = 0, perf_counter()
        while perf_counter() - begin < seconds:
            await way()
            rounds += 1
        return rounds * self.decisions / (perf_counter() - begin)

    async def blocking(self) -> None:
        """As in a real match, the end of it rides with the next message."""
        self.set_blocking(True)
        for seat, message, _ in self.questions:
            wire = self.wires[seat]
            data, wire.outbox = wire.outbox + wire.encode(message), b""
            if message["type"] == "end":
                wire.outbox = data
                continue
            os.write(wire.stdin, data)
            while not (answers := wire.decoder.feed(os.read(wire.stdout, 65536))):
                pass
            parse(answers[0])
        self.set_blocking(False)

    def set_blocking(self, blocking: bool) -> None:
        for wire in self.wires:
            os.set_blocking(wire.stdin, blocking)
            os.set_blocking(wire.stdout, blocking)

    async def messages(self) -> None:
        for seat, message, _ in self.questions:
            if message["type"] == "end":
                self.wires[seat].tell(message)
            else:
                await self.wires[seat].ask(message, 10)

    async def without_referee(self) -> None:
        chairs: dict[int, Chair] = {}
        for question in self.questions:
            if question.message["type"] == "start":
                self.forget_deals()
                chairs[question.seat] = Chair(self.arena, self.entrants[question.seat], "")
            assert isinstance(await chairs[question.seat].reply(question), Answer)

    def forget_deals(self) -> None:
        """Here the same deals come again and again, which no bot of a tournament may see."""
        for bot in self.arena.bots:
            bot.deals.clear()

    async def matches(self) -> None:
        for match in self.to_play:
            self.forget_deals()
            played = await self.arena.play(match, self.entrants)
            assert not played.faults


def asked_in(match: Match, wants: frozenset[str]) -> list[Question]:
    """All that the referee says if everybody plays the first move, with the clock as a bot is told it."""
    asked, talk = [], referee(match)
    with suppress(StopIteration):
        asked.append(next(talk))
        while True:
            asked.append(talk.send(Answer(wants=wants)))
    for question in asked:
        if question.moves:
            question.message["clock"] = Clock(LIMITS).announced
    return asked


async def thinking_times() -> list[float]:
    game = games()["kali"]
    thinker = str(Path(__file__).parent / "thinker.py")
    entrants = find_entrants([thinker, "first"])
    async with open_arena(LIMITS) as arena:
        played = [
            await arena.play(Match(game, f"think {n}", ("thinker", "first")), entrants) for n in range(60)
        ]
    return [microseconds / 1e6 for each in played for microseconds in each.microseconds[0]]


async def memory_with(number: int) -> float:
    async with AsyncExitStack() as stack:
        for _ in range(number // 25):
            arena = await stack.enter_async_context(open_arena(LIMITS))
            for entrant in find_entrants(["first"] * 25):
                await arena.bot(entrant)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
