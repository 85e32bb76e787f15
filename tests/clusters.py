"""Real clusters of Dask's for tests, and one that only pretends."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgpack
import trio
from trio.testing import MockClock

import dalang
from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.blocks import Block
from dalang.harness.cluster import remote
from dalang.harness.cluster.cluster import Cluster
from dalang.harness.cluster.link import Present
from dalang.harness.cluster.members import ClusterMembers
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.referee import Match
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.machine_tables import matches_on
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Assignment, Job
from tests.refereed import play

NO_PAGE = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
"""Nothing that others could look at: without the address a port is open to everybody."""
DASK = [sys.executable, "-m", "dask.__main__"]
PATIENCE = 120.0
"""Seconds for a process to get ready on a busy machine."""


@contextmanager
def dask(words: list[str], ready: str, env: Mapping[str, str]) -> Iterator[str]:
    """A command of Dask's, once it has said this, and the line in which it did."""
    said: list[str] = []
    heard = threading.Event()

    def listen() -> None:
        assert process.stderr
        for line in process.stderr:
            said.append(line)
            if ready in line:
                heard.set()

    with subprocess.Popen(
        [*DASK, *words], stderr=subprocess.PIPE, text=True, env={**os.environ, **env}
    ) as process:
        listener = threading.Thread(target=listen)
        listener.start()
        try:
            assert heard.wait(PATIENCE), "".join(said)
            yield next(line for line in said if ready in line)
        finally:
            process.kill()
            listener.join()


@contextmanager
def scheduler(*more: str) -> Iterator[str]:
    """The address of a scheduler that only this machine can reach."""
    words = ["scheduler", "--host", "127.0.0.1", "--port", "0", *NO_PAGE, "--no-jupyter", *more]
    with dask(words, "Scheduler at:", {}) as line:
        yield line.split()[-1]


@contextmanager
def worker(
    address: str,
    folder: Path,
    machine: str,
    *more: str,
    cores: str = "core=1",
    env: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """A Dask worker that plays one match at once, and calls its machine by this name."""
    words = ["worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", *NO_PAGE, *more]
    words += ["--resources", cores] if cores else []
    words += ["--local-directory", str(folder / f"dask-{machine}")]
    known = {"DALANG_MACHINE": machine, "XDG_CACHE_HOME": str(folder / f"cache-{machine}"), **(env or {})}
    with dask(words, "Registered to:", known):
        yield


# ---- Without Dask


SEED = "seed"
KERNEL = "one kernel"
FAST = 400_000.0


def found_on(name: str, **changes: Any) -> Plain:
    """What a machine says of itself that is like this one."""
    return {
        "name": name,
        "boot": KERNEL,
        "cache": name,
        "cores": 64,
        "dalang": dalang.__version__,
        "rules": find_game("kali").rules_version,
        "python": platform.python_version(),
        "system": "Linux",
        "levels": {"sandbox": "", "restricted": "", "none": ""},
        "missing": [],
        **changes,
    }


def a_match() -> tuple[Any, ...]:
    """What a worker sends of a match."""
    played = play(Match(find_game("kali"), "a seed", ("a", "b")))
    return StoredMatch.of(Block(0, 0, ("a", "b"), 0), 0, played).data()


A_MATCH = a_match()


@dataclass
class PretendedMachine:
    """A Dask worker that plays nothing, but takes its time."""

    found: Plain
    slots: int = 1
    speed: float = FAST
    problems: dict[str, str] = field(default_factory=dict)
    archives: list[str] = field(default_factory=list)
    """What was sent there."""
    refusal: str = ""
    """Why it can keep none."""
    orders: list[Plain] = field(default_factory=list)
    """What it was told before the first match."""
    batches: list[list[Job]] = field(default_factory=list)
    outcome: Callable[[Job], Plain | None] = lambda job: {"match": (job.seating(), *A_MATCH[1:])}
    seconds: Callable[[Job], float] = lambda job: 0.001
    trouble: str = ""
    is_there: bool = True
    waiting: int = 0
    most_waiting: int = 0

    def __post_init__(self) -> None:
        self.cores = trio.CapacityLimiter(self.slots)

    async def answer(self, task: Callable[..., Any], *arguments: Any) -> Any:
        if task is remote.play:
            return await self.play([Job.of_data(job) for job in msgpack.unpackb(arguments[1])])
        if task is remote.keep:
            self.archives.append(arguments[0])
            return self.refusal
        if task is remote.settle:
            self.orders.append(msgpack.unpackb(arguments[0]))
            return self.problems
        return self.found if task is remote.look else self.speed

    async def play(self, jobs: list[Job]) -> Plain:
        self.waiting += 1
        self.most_waiting = max(self.waiting, self.most_waiting)
        try:
            async with self.cores:
                self.batches.append(jobs)
                if not self.is_there:
                    await trio.sleep_forever()
                begin = trio.current_time()
                await trio.sleep(sum(map(self.seconds, jobs)))
        finally:
            self.waiting -= 1
        seconds = trio.current_time() - begin
        outcomes = list(map(self.outcome, jobs))
        return {"seconds": seconds, "outcomes": outcomes, "told": [], "error": None, "trouble": self.trouble}


class PretendedLink:
    """In the place of a `Link`."""

    address = "tcp://127.0.0.1:8786"

    def __init__(self, machines: Mapping[str, PretendedMachine]) -> None:
        self.machines = dict(machines)

    def listens_at(self) -> str:
        return self.address

    async def present(self) -> list[Present]:
        return [Present(name, each.slots) for name, each in self.machines.items() if each.is_there]

    async def ask(self, address: str, task: Callable[..., bytes], *arguments: Any) -> bytes:
        packed: bytes = msgpack.packb(await self.machines[address].answer(task, *arguments))
        return packed

    async def tell_all(self, addresses: Sequence[str], task: Callable[..., None], *arguments: Any) -> None:
        pass


class Tournament:
    """Jobs that are played by pretended machines, and what is told of it."""

    def __init__(
        self, folder: Path, *machines: PretendedMachine, isolate: str = "none", **terms: Any
    ) -> None:
        self.folder = folder
        self.link = PretendedLink({f"tcp://{number}": each for number, each in enumerate(machines)})
        asked = terms_for(find_game("kali"), {}, 2, isolate=isolate, **terms)
        self.said: list[str] = []
        self.tell: Callable[[str], None] = self.said.append
        self.members = ClusterMembers(self.link, Config(asked, ()), self.said.append)  # type: ignore[arg-type]
        settled = (
            asked if isolate != "auto" else terms_for(find_game("kali"), {}, 2, isolate="sandbox", **terms)
        )
        self.assignment = Assignment(settled, tuple(find_entrants(["a=first", "b=random"])))
        self.kept: list[StoredMatch] = []
        self.given_up: list[tuple[Job, str]] = []

    def examine(self) -> None:
        trio.run(self.members.examine, self.assignment)

    def play(self, blocks: int, meanwhile: Callable[[], None] | None = None) -> None:
        """Examine everybody, then play so many blocks; `meanwhile` is called when some of them are finished."""

        async def offer() -> None:
            for number in range(blocks):
                block = Block(number, 0, ("a", "b"), number)
                await crew.board.put([Job(block, rotation, SEED) for rotation in (0, 1)])
            crew.board.close()

        def report(matches: list[StoredMatch]) -> None:
            self.kept.extend(matches)
            if meanwhile:
                meanwhile()

        async def run() -> None:
            await self.members.examine(self.assignment)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crew.run)
                nursery.start_soon(offer)

        with create_or_open(self.folder / "t.db") as store:
            store.begin(self.assignment.terms, [])
            crew = Cluster(self.members).hire(
                store, report, lambda job, reason: self.given_up.append((job, reason)), self.tell
            )
            trio.run(run, clock=MockClock(autojump_threshold=0))  # nobody waits for anything
            store.save(self.kept)
            self.machines = {on.machine: on.matches for on in matches_on(store)}

    def keys(self) -> list[tuple[int, int]]:
        return sorted((match.block.number, match.rotation) for match in self.kept)


def all_of(blocks: int) -> list[tuple[int, int]]:
    return [(number, rotation) for number in range(blocks) for rotation in (0, 1)]
