"""What schedule, store, ratings and progress cost: `make bench`.

A whole tournament with one worker stands beside a bare loop over the same matches, all on one core. They take turns
after every few deals, so that a busy moment of the machine is the same for both; the median of the ratios is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from statistics import median
from time import perf_counter

import trio
from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.harness.tournament.crew import Board
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.worker import Job
from tests.bench.messages import BenchTable, bench_table, pin
from tests.bench.tournament import whole_tournament

TURNS = 100
TERMS = Terms("any", 2, seed="bench")
DEALS = {"kali": 16, "bali_wrede": 6, "bali_rosenberg": 12}
"""Of one turn, which takes about a quarter of a second."""


def main() -> None:
    rows = []
    for name in DEALS:
        with get_context("fork").Pool(1, initializer=pin) as pool:
            turns = pool.apply(measured, (name, games()[name].seats[-1]))
        share = median(bare / whole for bare, whole in turns)
        rows.append([name, *(1000 * median(column) for column in zip(*turns, strict=True)), share])
    headers = ["game", "match loop: ms a match", "tournament: ms a match", "share"]
    print(tabulate(rows, headers=headers, floatfmt=".2f"))


def measured(name: str, seats: int) -> list[tuple[float, float]]:
    """By turn, the seconds of a match in the bare loop and in the tournament."""
    toll = Toll()
    with whole_tournament(name, seats, 1, toll) as run:
        return trio.run(take_turns, run, toll, name, seats)


async def take_turns(run: Run, toll: Toll, name: str, seats: int) -> list[tuple[float, float]]:
    gate = Gate(run.workers.board.room, toll)
    run.workers.board = gate
    turns = []
    async with bench_table(name, seats) as table, trio.open_nursery() as nursery:
        nursery.start_soon(run.play)
        for turn in range(1 + TURNS):
            deals = range(turn * DEALS[name], (turn + 1) * DEALS[name])
            times = [perf_counter()]
            await play(table, [deal for _ in range(seats) for deal in deals])  # in waves, as a worker does
            times.append(perf_counter())
            await gate.let_pass(len(deals) * seats)
            times.append(perf_counter())
            turns.append(tuple((end - begin) / len(deals) / seats for begin, end in pairwise(times)))
        nursery.cancel_scope.cancel()
    return turns[1:]  # the first was to warm up


async def play(table: BenchTable, deals: list[int]) -> None:
    for deal in deals:
        match = replace(table.to_play[0], seed=TERMS.deal_seed(deal))
        await table.arena.play(match, table.entrants)


class Gate(Board):
    """Gives the worker of a tournament jobs only when it is its turn."""

    def __init__(self, room: int, toll: Toll) -> None:
        super().__init__(room)
        self.places = 0
        self.toll = toll

    async def let_pass(self, number: int) -> None:
        """Until this number of matches more are on the disk."""
        self.places = self.toll.to_come = number
        self.changed.unpark_all()
        while self.toll.to_come:
            await self.toll.came.park()

    async def take(self, most: int) -> list[Job]:
        while not self.places:
            await self.changed.park()
        jobs = await super().take(min(most, self.places))
        self.places -= len(jobs)
        return jobs


class Toll(RunListener):
    """Counts the matches that are still to come."""

    def __init__(self) -> None:
        self.to_come = 0
        self.came = trio.lowlevel.ParkingLot()

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.to_come -= len(matches)
        self.came.unpark_all()


if __name__ == "__main__":
    main()
