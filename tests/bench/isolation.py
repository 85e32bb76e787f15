"""What isolation costs: `make bench`.

At each level the same matches are played, bots are started, and whole tournaments are played with bots that are used
again; the levels take turns, so that a busy moment of the machine is the same for all. Shown are medians, and what they
are of the same without isolation.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import median
from time import perf_counter

import trio
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import LEVELS, NONE
from dalang.harness.match.arena import Arena, open_arena
from dalang.harness.match.limits import Limits
from dalang.harness.match.process import running
from dalang.harness.match.referee import Match
from tests.bench.messages import pin
from tests.bench.tournament import tournament_rate

TURNS = 40
MATCHES = 10
STARTS = 20
TOURNAMENTS = 8
WARM_UP = 6.0
"""Seconds until the processes for every rotation have been started."""
LIMITS = Limits(startup=60.0, prepare=60.0, move=60.0)
BOTS = ("first", "random")


async def measure() -> None:
    levels = [isolation for isolation in LEVELS.values() if not isolation.problem()]
    played: dict[str, list[float]] = {isolation.level: [] for isolation in levels}
    started: dict[str, list[float]] = {isolation.level: [] for isolation in levels}
    async with AsyncExitStack() as stack:
        arenas = [await stack.enter_async_context(open_arena(LIMITS, isolation=each)) for each in levels]
        for turn in range(TURNS):
            for arena in arenas:
                played[arena.isolation.level].append(await answers_per_second(arena, turn))
    for _ in range(STARTS):
        for isolation in levels:
            started[isolation.level].append(await seconds_to_hello(isolation))
    print(tabulate(rows(played, started), headers=HEADERS, floatfmt=("", ".0f", ".2f", ".1f", "+.1f")))


def measure_tournaments() -> None:
    levels = [level for level, isolation in LEVELS.items() if not isolation.problem()]
    rates: dict[str, list[float]] = {level: [] for level in levels}
    for turn in range(TOURNAMENTS):
        for level in levels if turn % 2 else reversed(levels):  # none has the same place in every round
            rates[level].append(tournament_rate("kali", 6, 1, level, WARM_UP)[1])
    table = [[level, median(rate), median(shares(rate, rates[NONE.level]))] for level, rate in rates.items()]
    print(
        tabulate(table, headers=["isolation", "tournament: matches/s", "share"], floatfmt=("", ".0f", ".2f"))
    )


def shares(mine: Sequence[float], theirs: Sequence[float]) -> list[float]:
    return [each / other for each, other in zip(mine, theirs, strict=True)]


HEADERS = ["isolation", "answers/s", "share", "start ms", "more ms"]


def rows(played: dict[str, list[float]], started: dict[str, list[float]]) -> list[list[str | float]]:
    """Shares are taken turn by turn."""
    plain, bare = played[NONE.level], started[NONE.level]
    return [
        [
            level,
            median(played[level]),
            median(shares(played[level], plain)),
            1000 * median(started[level]),
            1000 * median(mine - theirs for mine, theirs in zip(started[level], bare, strict=True)),
        ]
        for level in played
    ]


async def answers_per_second(arena: Arena, turn: int) -> float:
    entrants, kali = find_entrants(BOTS), find_game("kali")
    begin, answers = perf_counter(), 0
    for number in range(MATCHES):
        match = Match(kali, f"bench {turn} {number}", BOTS, ask_forced=True)
        answers += sum(map(len, (await arena.play(match, entrants)).microseconds))
    return answers / (perf_counter() - begin)


async def seconds_to_hello(isolation: Isolation) -> float:
    begin = perf_counter()
    async with running(find_entrant("first"), LIMITS, isolation=isolation):
        return perf_counter() - begin


if __name__ == "__main__":
    measure_tournaments()
    pin()
    trio.run(measure)
