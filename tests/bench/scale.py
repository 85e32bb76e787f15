"""How many machines one client can feed: `make bench`.

The real client-side code (schedule, board, batches, the file) with a cluster that only pretends: N slots that give
back a match of Kali which was really played, after as long as matches of Kali took one worker just before. No bots, no
Dask; what Dask itself costs is in the bench of clusters. `busy` is the share of their time in which the slots had
something to play.

So that nobody else on this machine matters, time here is that of the client's processor, plus what it waits for
batches; what the disk takes is not in it.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import trio
from msgpack import packb
from tabulate import tabulate
from trio.testing import MockClock

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block
from dalang.harness.cluster.cluster import Cluster
from dalang.harness.cluster.members import ClusterMembers
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.isolation.levels import NONE
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Job
from tests.clusters import A_MATCH, PretendedLink, PretendedMachine, found_on

TABLES = {"quick": ["first", "random"], "thinking": ["seer:100", "seer:100"]}
"""Who plays the matches that are recorded first."""
RECORDING_SECONDS = 8.0
SLOTS = (10, 100, 1000)
SECONDS = 30.0
WARM_UP = 20.0
"""Seconds until batches have grown to their length."""


class Recorder(RunListener):
    """How long matches take one worker here."""

    def __init__(self) -> None:
        self.begin = perf_counter()
        self.thought: list[float] = []
        self.stamps: list[float] = []

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.thought += [sum(match.seconds) for match in matches]
        self.stamps += [perf_counter() - self.begin] * len(matches)

    def has_enough(self) -> bool:
        return bool(self.stamps) and self.stamps[-1] - self.stamps[0] > RECORDING_SECONDS

    def durations(self) -> list[float]:
        """What bots thought tells one match from another; the clock says what they took in all."""
        first = self.stamps.count(self.stamps[0])
        seconds = (self.stamps[-1] - self.stamps[0]) / max(1, len(self.stamps) - first)
        return [thought * seconds / mean(self.thought) for thought in self.thought]


def recorded(bots: list[str]) -> list[float]:
    terms = terms_for(find_game("kali"), {}, 2, blocks=10**6, isolate=NONE.level)
    config = Config(terms, tuple(find_entrants(bots)), seed="recorded", jobs=1)
    with TemporaryDirectory() as folder, create_or_open(Path(folder) / "recorded.db") as store:
        recorder = Recorder()
        trio.run(Run(store, prepared(store, config, print), [recorder]).play)
    return recorder.durations()


class Meter(RunListener):
    """Counts matches until the time is over."""

    def __init__(self) -> None:
        self.stamps: list[tuple[float, float, int]] = []

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.stamps.append((trio.current_time(), process_time(), len(matches)))

    def has_enough(self) -> bool:
        return bool(self.stamps) and self.stamps[-1][0] - self.stamps[0][0] > SECONDS


def own_time() -> MockClock:
    """A clock that goes while we compute, and jumps when we wait."""
    clock = MockClock(autojump_threshold=0)
    clock._real_clock = process_time
    clock.rate = 1.0
    return clock


def row(name: str, durations: Sequence[float], slots: int) -> list[object]:
    random = Random(1)

    def seconds(job: Job) -> float:
        return random.choice(durations)

    machines = {
        f"tcp://{number}": PretendedMachine(found_on(f"m{number}", boot=str(number)), seconds=seconds)
        for number in range(slots)
    }
    terms = terms_for(find_game("kali"), {}, 2, blocks=10**7, isolate=NONE.level)
    config = Config(terms, tuple(find_entrants(["a=first", "b=random"])), seed="scale")
    with TemporaryDirectory() as folder, create_or_open(Path(folder) / "scale.db") as store:
        cluster = Cluster(ClusterMembers(PretendedLink(machines), config, lambda text: None))  # type: ignore[arg-type]
        ready = prepared(store, config, print, abroad=cluster)
        meter = Meter()
        trio.run(Run(store, ready, [meter]).play, clock=own_time())
        size = (Path(folder) / "scale.db").stat().st_size / store.number_of_matches()
    steady = [stamp for stamp in meter.stamps if stamp[0] - meter.stamps[0][0] > WARM_UP]
    took, matches = steady[-1][0] - steady[0][0], sum(number for _, _, number in steady[1:])
    cpu = steady[-1][1] - steady[0][1]
    wanted = slots / mean(durations)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        name, 1000 * mean(durations), slots, wanted, matches / took, matches / took / wanted, cpu / took,
        1e6 * cpu / matches, len(steady) / took, size, memory,
    ]  # fmt: skip


def in_a_process(name: str, durations: Sequence[float], slots: int) -> list[object]:
    """Of its own, so that each has its own memory."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(row, (name, durations, slots))


def main() -> None:
    rows = []
    for name, bots in TABLES.items():
        durations = recorded(bots)
        rows += [in_a_process(name, durations, slots) for slots in SLOTS]
    headers = ["bots", "ms a match", "slots", "wanted/s", "matches/s", "busy", "client's core", "us per match",
               "writes/s", "bytes per match", "MB"]  # fmt: skip
    print("a client and a cluster that only pretends: Kali with two")
    seed = terms_for(find_game("kali"), {}, 2).deal_seed(10**6)
    job = Job(Block(10**6, 10**6, ("first", "random"), 10**6), 0, seed)
    print(f"on the wire a job has {len(packb(job.data()))} bytes, a result {len(packb(A_MATCH))}")
    print(
        tabulate(
            rows,
            headers=headers,
            floatfmt=("", ".1f", "", ".0f", ".0f", ".2f", ".2f", ".0f", ".1f", ".0f", ".0f"),
        )
    )


if __name__ == "__main__":
    main()
