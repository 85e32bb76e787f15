"""What a cluster costs: `make bench`.

The same tournament of Kali by two workers of our own and by `local:2`, a Dask cluster of two processes on the same
machine, in turns; matches per second once all is in full swing, with batches of two seconds. Per match are told the
time of the client's processor, and what a slot loses to Dask. Then tasks that do nothing: what each of them costs the
client and the process that has the scheduler.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, closing
from io import StringIO
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

import trio
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.harness.cli.progress import Progress
from dalang.harness.cluster.cluster import cluster_at
from dalang.harness.cluster.link import Link, linked
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.isolation.levels import NONE
from dalang.harness.isolation.process_tree import descendants
from dalang.harness.tournament.cluster_place import ClusterPlace
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.stored import StoredMatch

ROUNDS = 3
WARM_UP = 12.0
"""Seconds until batches have grown to their length."""
SECONDS = 12.0
TASKS = 600
BOTS = {"quick": ["first", "random"], "thinking": ["seer:20", "seer:10"]}


class Figures(NamedTuple):
    matches: float
    """Per second."""
    client: float
    """Seconds of the processor of the process that has the file, per match."""
    tasks: float
    """Times per second that something was reported."""


class Meter(RunListener):
    """Counts matches, and the time of the processor that this process takes for them."""

    def __init__(self) -> None:
        self.begin = perf_counter()
        self.stamps: list[tuple[float, float, int]] = []

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.stamps.append((perf_counter() - self.begin, process_time(), len(matches)))

    def has_enough(self) -> bool:
        return bool(self.stamps) and self.stamps[-1][0] > WARM_UP + SECONDS

    def figures(self) -> Figures:
        """From one report to another, so that no batch is counted by half."""
        steady = [stamp for stamp in self.stamps if stamp[0] > WARM_UP]
        seconds, matches = steady[-1][0] - steady[0][0], sum(number for _, _, number in steady[1:])
        return Figures(matches / seconds, (steady[-1][1] - steady[0][1]) / matches, len(steady) / seconds)


def measured(bots: list[str], place: ClusterPlace | None) -> Figures:
    terms = terms_for(find_game("kali"), {}, 2, blocks=10**6, isolate=NONE.level)
    config = Config(terms, tuple(find_entrants(bots)), seed="bench", jobs=2, cluster=place)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        store = stack.enter_context(create_or_open(Path(folder) / "bench.db"))
        abroad = stack.enter_context(cluster_at(place, config, print)) if place else None
        ready = prepared(store, config, print, abroad=abroad)
        with closing(Progress(ready.plan, StringIO())) as progress:
            meter = Meter()
            trio.run(Run(store, ready, [progress, meter]).play)
    return meter.figures()


def in_a_process(bots: list[str], place: ClusterPlace | None) -> Figures:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (bots, place))


class TaskCost(NamedTuple):
    tasks: float
    """Per second."""
    client: float
    """Seconds of its processor, per task."""
    scheduler: float


def cost_of_tasks() -> TaskCost:
    with linked(ClusterPlace(processes=2)) as link:
        [scheduler] = [pid for pid in descendants(os.getpid()) if is_scheduler(pid)]
        trio.run(ask_all, link)  # once beforehand: the first ones load and compile
        begin, client, there = perf_counter(), process_time(), seconds_of(scheduler)
        trio.run(ask_all, link)
        took = perf_counter() - begin, process_time() - client, seconds_of(scheduler) - there
    return TaskCost(TASKS / took[0], took[1] / TASKS, took[2] / TASKS)


def is_scheduler(pid: int) -> bool:
    return b"dalang.harness.cluster.local" in Path(f"/proc/{pid}/cmdline").read_bytes()


def seconds_of(pid: int) -> float:
    """Of the processor, that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask_all(link: Link) -> None:
    there = cycle(await link.present())
    async with trio.open_nursery() as nursery:
        for present in islice(there, TASKS):
            nursery.start_soon(link.ask, present.address, bytes)


def main() -> None:
    rows = []
    for name, bots in BOTS.items():
        rounds = [
            (in_a_process(bots, None), in_a_process(bots, ClusterPlace(processes=2))) for _ in range(ROUNDS)
        ]
        own, dask = (median(each[at].matches for each in rounds) for at in (0, 1))
        client = [median(each[at].client for each in rounds) * 1000 for at in (0, 1)]
        share = median(each[1].matches / each[0].matches for each in rounds)
        rows.append([name, own, dask, share, *client, 1000 * (2 / dask - 2 / own)])
    headers = [
        "bots",
        "own workers/s",
        "local:2/s",
        "share",
        "own client ms",
        "Dask's client ms",
        "slot ms lost",
    ]
    print(f"matches of Kali per second, 2 workers, {ROUNDS} rounds; milliseconds are per match")
    print(tabulate(rows, headers=headers, floatfmt=("", ".1f", ".1f", ".2f", ".3f", ".3f", ".3f")))
    cost = cost_of_tasks()
    print(
        f"{TASKS} tasks that do nothing: {cost.tasks:.0f} per second; each takes {1000 * cost.client:.2f} ms of the "
        f"client's processor, {1000 * cost.scheduler:.2f} ms of the scheduler's"
    )


if __name__ == "__main__":
    main()
