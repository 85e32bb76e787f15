"""What the harness itself uses of the processor: `make bench`.

Whole tournaments between programs in C that answer at once. Counted is the processor time of parent and workers, not
that of the bots, from the first second on; it hardly depends on what else the machine does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

import trio
from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.isolation.levels import NONE
from dalang.harness.isolation.process_tree import children
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.stored import StoredMatch
from tests.bench.messages import CORES
from tests.bench.tournament import whole_tournament

SECONDS, WARM_UP = 6.0, 2.0
C = Path(__file__).parents[2] / "examples" / "c"


def main() -> None:
    tables = [(game.name, seats) for game in games().values() for seats in {game.seats[0], game.seats[-1]}]
    rows = [[name, seats, *alone(name, seats)] for name, seats in sorted(tables)]
    headers = ["game", "seats", "decisions/s", "us a decision", "of it in the parent"]
    print(f"processor time of the harness, bots in C, {len(CORES)} workers")
    print(tabulate(rows, headers=headers, intfmt=",", floatfmt=".1f"))


def alone(name: str, seats: int) -> tuple[int, float, float]:
    with get_context("fork").Pool(1) as pool:
        return pool.apply(measured, (name, seats))


def measured(name: str, seats: int) -> tuple[int, float, float]:
    """Decisions per second, and microseconds of the processor for each: in all, and those of the parent."""
    meter = Meter()
    with whole_tournament(name, seats, len(CORES), meter, bot=str(C)) as run:
        trio.run(run.play)
    seconds, decisions, everybody, parent = meter.total()
    return round(decisions / seconds), everybody / decisions * 1e6, parent / decisions * 1e6


class Meter(RunListener):
    """Looks at clocks and counters when matches come in."""

    def __init__(self) -> None:
        self.began = perf_counter()
        self.decisions = 0
        self.first: tuple[float, ...] = ()
        self.last: tuple[float, ...] = ()

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.decisions += sum(sum(match.decisions) for match in matches)
        if perf_counter() - self.began > WARM_UP:
            self.last = (perf_counter(), self.decisions, process_time() + used_by_workers(), process_time())
            self.first = self.first or self.last

    def has_enough(self) -> bool:
        return bool(self.first) and perf_counter() - self.first[0] > SECONDS

    def total(self) -> list[float]:
        return [end - begin for begin, end in zip(self.first, self.last, strict=True)]


def used_by_workers() -> float:
    """Seconds of the processor: of the guardians that we have started, and of the workers below them."""
    guardians = children(os.getpid())
    return sum(map(used_by, [*guardians, *workers_below(guardians)]))


def workers_below(guardians: Sequence[int]) -> Iterator[int]:
    for guardian in guardians:
        yield from children(guardian)


def used_by(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


if __name__ == "__main__":
    Workshop(NONE, network=False).prepare([find_entrant(str(C))], print)
    main()
