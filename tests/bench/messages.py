"""What the road to a bot costs: `make bench`.

The yardstick is the blocking limit: a plain loop that writes the same messages to the same bots and reads the
answers, with the same codec, no trio, no deadline and no referee. Harness and bots share one core, as a worker
and its bots do. Every ratio is taken within one round; the medians are shown.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import trio
from tabulate import tabulate

from engine.catalogue import games
from engine.game import Game
from harness.arena import Arena, open_arena
from harness.entrants import find_entrants
from harness.limits import Limits
from harness.match import Match
from harness.process import Bot
from protocol.messages import parse

ROUNDS = 5
SECONDS = 1.0
LIMITS = Limits()
CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else list(range(os.cpu_count() or 1))


def main() -> None:
    rows = [row(game, seats) for game in games().values() for seats in {game.seats[0], game.seats[-1]}]
    headers = ["game", "seats", "blocking/s", "messages/s", "match/s", "messages: share", "match: share"]
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
    rounds = [alone(one_round, game.name, seats) for _ in range(ROUNDS)]
    figures = [round(median(column)) for column in zip(*rounds, strict=True)]
    shares = [median(each[index] / each[0] for each in rounds) for index in (1, 2)]
    return [game.name, seats, *figures, *shares]


def together(game: Game, seats: int, number: int) -> float:
    """Decisions per second of real matches, one process per core."""
    jobs = [(game.name, seats, core) for core in range(number)]
    with get_context("fork").Pool(number) as pool:
        return median(sum(pool.starmap(match_rate_on_core, jobs, chunksize=1)) for _ in range(ROUNDS))


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


async def one_round(name: str, seats: int) -> tuple[float, float, float]:
    """Questions per second: blocking, through the message layer, in real matches."""
    game = games()[name]
    entrants = find_entrants(["first"] * seats)
    async with open_arena(LIMITS) as arena:
        await arena.preflight(entrants, game, seats)
        bots = [arena.bots[entrant.name, 0] for entrant in entrants]
        talk = await recorded_talk(arena, game, entrants)
        limit = blocking(bots, talk)
        layer = await message_layer(bots, talk)
        return limit, layer, await matches(arena, game, entrants)


async def recorded_talk(arena: Arena, game: Game, entrants: list[Any]) -> list[tuple[int, Any]]:
    """All that is said in one real match, each with the number of the bot that is told."""
    heard: list[tuple[int, Any]] = []
    names = [entrant.name for entrant in entrants]
    for bot in arena.bots.values():
        bot.log = lambda name, way, message: (
            heard.append((names.index(name), message)) if way == "<<" else None
        )
    await arena.play(Match(game, "bench", tuple(names)), entrants)
    for bot in arena.bots.values():
        bot.log = None
    return heard


def blocking(bots: list[Bot], talk: list[tuple[int, Any]]) -> float:
    """Decisions per second; as in a real match, the end of it rides with the next message."""
    for bot in bots:
        os.set_blocking(bot.stdin, True)
        os.set_blocking(bot.stdout, True)
    asked, begin = 0, perf_counter()
    while perf_counter() - begin < SECONDS:
        for seat, message in talk:
            bot = bots[seat]
            data, bot.outbox = bot.outbox + bot.encode(message), b""
            if message["type"] == "end":
                bot.outbox = data
                continue
            os.write(bot.stdin, data)
            while not (answers := bot.decoder.feed(os.read(bot.stdout, 65536))):
                pass
            parse(answers[0])
        asked += decisions(talk)
    rate = asked / (perf_counter() - begin)
    for bot in bots:
        os.set_blocking(bot.stdin, False)
        os.set_blocking(bot.stdout, False)
    return rate


def decisions(talk: list[tuple[int, Any]]) -> int:
    return sum(message["type"] == "decide" for _, message in talk)


async def blocking_rate(name: str, seats: int) -> float:
    """Questions per second of the blocking limit."""
    entrants = find_entrants(["first"] * seats)
    async with open_arena(LIMITS) as arena:
        await arena.preflight(entrants, games()[name], seats)
        bots = [arena.bots[entrant.name, 0] for entrant in entrants]
        return blocking(bots, await recorded_talk(arena, games()[name], entrants))


async def message_layer(bots: list[Bot], talk: list[tuple[int, Any]]) -> float:
    asked, begin = 0, perf_counter()
    while perf_counter() - begin < SECONDS:
        for seat, message in talk:
            if message["type"] == "end":
                bots[seat].tell(message)
            else:
                await bots[seat].ask(message, 10)
        asked += decisions(talk)
    return asked / (perf_counter() - begin)


async def match_rate(name: str, seats: int) -> float:
    entrants = find_entrants(["first"] * seats)
    async with open_arena(LIMITS) as arena:
        await arena.preflight(entrants, games()[name], seats)
        return await matches(arena, games()[name], entrants)


async def matches(arena: Arena, game: Game, entrants: list[Any]) -> float:
    asked, number, begin = 0, 0, perf_counter()
    names = tuple(entrant.name for entrant in entrants)
    while perf_counter() - begin < SECONDS:
        played = await arena.play(Match(game, f"bench {number}", names), entrants)
        asked += sum(map(len, played.times))
        number += 1
    return asked / (perf_counter() - begin)


async def thinking_times() -> list[float]:
    game = games()["kali"]
    thinker = str(Path(__file__).parent / "thinker.py")
    entrants = find_entrants([thinker, "first"])
    async with open_arena(LIMITS) as arena:
        played = [
            await arena.play(Match(game, f"think {n}", ("thinker", "first")), entrants) for n in range(60)
        ]
    return [seconds for each in played for seconds in each.times[0]]


async def memory_with(number: int) -> float:
    async with AsyncExitStack() as stack:
        for _ in range(number // 25):
            arena = await stack.enter_async_context(open_arena(LIMITS))
            for entrant in find_entrants(["first"] * 25):
                await arena.bot(entrant)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
