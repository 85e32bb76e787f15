"""What schedule, store, ratings and progress cost: `make bench`.

A whole tournament with one worker stands beside a bare loop over the same matches, all on one core. They take turns
after every few deals, so that a busy moment of the machine is the same for both; the median of the ratios is shown.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from statistics import median
from time import perf_counter

import trio
from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.harness.tournament.machine import Tournament, deal_seed
from dalang.harness.tournament.store import Finished
from dalang.harness.tournament.worker import Job
from dalang.harness.tournament.workers import Board
from tests.bench.messages import BenchTable, bench_table, pin
from tests.bench.tournament import whole_tournament

TURNS = 100
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
    with whole_tournament(name, seats, workers=1) as tournament:
        return trio.run(take_turns, tournament, name, seats)


async def take_turns(tournament: Tournament, name: str, seats: int) -> list[tuple[float, float]]:
    gate = Gate(tournament)
    turns = []
    async with bench_table(name, seats) as table, trio.open_nursery() as nursery:
        nursery.start_soon(tournament.run)
        for turn in range(1 + TURNS):
            deals = range(turn * DEALS[name], (turn + 1) * DEALS[name])
            times = [perf_counter()]
            await play(table, [deal for deal in deals for _ in range(seats)])
            times.append(perf_counter())
            await gate.let_pass(len(deals) * seats)
            times.append(perf_counter())
            turns.append(tuple((end - begin) / len(deals) / seats for begin, end in pairwise(times)))
        nursery.cancel_scope.cancel()
    return turns[1:]  # the first was to warm up


async def play(table: BenchTable, deals: list[int]) -> None:
    for deal in deals:
        match = replace(table.to_play[0], seed=deal_seed("bench", deal))
        await table.arena.play(match, table.entrants)


class Gate(Board):
    """Gives the worker of a tournament jobs only when it is its turn."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament.crew.board.room)
        self.places = self.to_come = 0
        self.show, tournament.on_match = tournament.on_match, self.note
        self.all_came = trio.lowlevel.ParkingLot()
        tournament.crew.board = self

    async def let_pass(self, number: int) -> None:
        """Until so many matches more are on the disk."""
        self.places = self.to_come = number
        self.changed.unpark_all()
        while self.to_come:
            await self.all_came.park()

    async def take(self, most: int) -> list[Job]:
        while not self.places:
            await self.changed.park()
        jobs = await super().take(min(most, self.places))
        self.places -= len(jobs)
        return jobs

    def note(self, match: Finished) -> None:
        self.show(match)
        self.to_come -= 1
        self.all_came.unpark_all()


if __name__ == "__main__":
    main()
