"""What Dask workers do for us on their machines; each function is a task of Dask's, and takes and returns msgpack.

The matches are played by the same workers as at home, in processes of their own. A thread that lives as long as they do
looks after them: the kernel ends a child with the thread that started it, and threads in which Dask runs tasks come
and go.
"""

from __future__ import annotations

import os
import platform
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import msgpack
import trio

import dalang
from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.cluster import parcel as parcels
from dalang.harness.cluster.parcel import Parcel, cache, entrant_of, is_kept
from dalang.harness.isolation.levels import diagnoses
from dalang.harness.match.arena import leaves_of
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.tournament.calibration import measured_speed
from dalang.harness.tournament.config import cores
from dalang.harness.tournament.entry import unfit
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Assignment, Job
from dalang.harness.tournament.workers import Workers

IDLE_SECONDS = 60.0
"""Seconds without a batch after which the workers and their bots end: whoever owns the file may be gone."""
MACHINE_VARIABLE = "DALANG_MACHINE"
"""How a machine is to be called where its own name says nothing, as in a container."""


# ---- Tasks


def look(asked: bytes) -> bytes:
    """Who are you, and can you do this?"""
    question = msgpack.unpackb(asked)
    return pack(
        {
            "name": os.environ.get(MACHINE_VARIABLE) or socket.gethostname(),
            "boot": boot_id(),
            "cores": cores(),
            "dalang": dalang.__version__,
            "rules": rules_version(question["game"]),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "levels": {each.level: each.problem for each in diagnoses()},
            "cache": identity_of_cache(),
            "missing": [archive for archive in question["archives"] if not is_kept(archive)],
        }
    )


def identity_of_cache() -> str:
    """Containers may share a name and a kernel, but not their files."""
    cache().mkdir(parents=True, exist_ok=True, mode=0o700)
    found = cache().stat()
    return f"{found.st_dev}:{found.st_ino}"


def boot_id() -> str:
    """The same for all who share a kernel, containers too."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()


def rules_version(game: str) -> int | None:
    """None where nobody knows the game."""
    try:
        return find_game(game).rules_version
    except SetupError:
        return None


def measure(asked: bytes) -> bytes:
    """How fast are you?"""
    return pack(measured_speed(*msgpack.unpackb(asked)))


def keep(archive: str, content: bytes) -> bytes:
    """Here are the files of a bot; why they cannot be kept, or nothing."""
    try:
        parcels.keep(archive, content)
    except (SetupError, OSError) as error:
        return pack(str(error))
    return pack("")


def settle(asked: bytes) -> bytes:
    """Have all bots there, and be ready to play: whom this machine cannot start, and why."""
    question = msgpack.unpackb(asked)
    told = Assignment.of_data(question["assignment"])
    entrants, problems = [], {}
    for data in question["parcels"]:
        parcel = Parcel(**data)
        try:
            entrants.append(
                entrant_of(parcel, told.terms.isolate, question["build_network"], anew=question["is_first"])
            )
        except (SetupError, OSError) as error:
            problems[parcel.name] = str(error)
    assignment = replace(told, entrants=tuple(entrants))
    if question["is_first"]:
        problems |= trio.run(unfit, assignment)
    STATIONS[question["run"]] = Station(assignment, question["slots"], question["first_place"])
    return pack(problems)


def play(run: str, asked: bytes) -> bytes:
    """Play these jobs; what came of each, in their order."""
    station = STATIONS.get(run)
    if station is None:  # another process has taken the place of the one that was examined
        return pack({"lost": True})
    return pack(station.play([Job.of_data(job) for job in msgpack.unpackb(asked)]))


def leave(run: str) -> None:
    """The run is over."""
    if station := STATIONS.pop(run, None):
        station.end()


def pack(data: Any) -> bytes:
    packed: bytes = msgpack.packb(data)
    return packed


# ---- The workers of a run


@dataclass
class Batch:
    """Jobs that are being played, and what came of them."""

    jobs: list[Job]
    outcomes: dict[MatchKey, Plain] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    def add(self, key: MatchKey, outcome: Plain) -> None:
        self.outcomes[key] = outcome
        if len(self.outcomes) == len(self.jobs):
            self.over.set()


class Station:
    """The workers of one run on this machine, while there is something to play."""

    def __init__(self, assignment: Assignment, number: int, first_place: int) -> None:
        self.assignment = assignment
        self.number = number
        self.first_place = first_place
        self.lock = threading.Lock()
        self.token: trio.lowlevel.TrioToken | None = None
        self.batches: dict[MatchKey, Batch] = {}
        self.told: list[str] = []
        self.error: Plain | None = None
        """What ends the run."""
        self.trouble = ""
        """Why this machine can play no more, while others can."""
        self.accepts = False
        """Whether there are workers that can be given jobs."""
        self.ended = False

    # ---- In a thread of Dask's

    def play(self, jobs: list[Job]) -> Plain:
        batch, begin = Batch(jobs), perf_counter()
        while not self.begun(batch):
            if self.ended or self.error or self.trouble:
                batch.over.set()
                break
            self.start()
        batch.over.wait()
        told, self.told = self.told, []
        return {
            "seconds": perf_counter() - begin,
            "outcomes": [batch.outcomes.get(job.key) for job in jobs],
            "told": told,
            "error": self.error,
            "trouble": self.trouble,
        }

    def begun(self, batch: Batch) -> bool:
        """Whether somebody is there to play it."""
        if self.token is None:
            return False
        try:
            trio.from_thread.run_sync(self.begin, batch, trio_token=self.token)
        except trio.RunFinishedError:
            return False
        return True

    def start(self) -> None:
        """Several tasks may find at the same time that nobody is at work."""
        with self.lock:
            if self.token is None or not is_running(self.token):
                started = threading.Event()
                threading.Thread(target=trio.run, args=(self.work, started), daemon=True).start()
                started.wait()

    def end(self) -> None:
        self.ended = True
        if self.token:
            with suppress(trio.RunFinishedError):
                self.token.run_sync_soon(self.stop)

    # ---- In the thread of the workers

    async def work(self, started: threading.Event) -> None:
        self.token = trio.lowlevel.current_trio_token()
        self.scope = trio.CancelScope()
        self.workers = Workers(
            self.assignment, self.number, self.report, self.give_up, self.tell, self.first_place
        )
        self.accepts = True
        started.set()
        try:
            with self.scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.workers.run)
                    await self.until_idle()
                    nursery.cancel_scope.cancel()
        except* SetupError as group:
            self.error = told_error(group)
        except* Exception as group:
            self.trouble = told_trouble(group)
            raise  # into the log of Dask's worker
        finally:
            self.accepts = False
            for batch in self.batches.values():
                batch.over.set()
            self.batches.clear()

    async def until_idle(self) -> None:
        while True:
            with trio.move_on_after(IDLE_SECONDS) as rest:
                await self.workers.board.changed.park()
            if rest.cancelled_caught and not self.batches:
                return

    def begin(self, batch: Batch) -> None:
        """If it comes too late, nothing comes of its jobs, and they are sent to somebody else."""
        if not self.accepts:
            batch.over.set()
            return
        self.batches |= {job.key: batch for job in batch.jobs}
        self.workers.turns.clear()
        self.workers.board.jobs.extend(batch.jobs)
        self.workers.board.changed.unpark_all()

    def report(self, matches: list[StoredMatch]) -> None:
        for match in matches:
            self.settle(match.block.key(match.rotation), {"match": match.data()})

    def give_up(self, job: Job, reason: str) -> None:
        self.settle(job.key, {"too_busy": reason})

    def tell(self, text: str) -> None:
        self.told.append(text)

    def settle(self, key: MatchKey, outcome: Plain) -> None:
        if batch := self.batches.pop(key, None):
            batch.add(key, outcome)

    def stop(self) -> None:
        self.scope.cancel()


STATIONS: dict[str, Station] = {}
"""By run; several may share a cluster."""


def is_running(token: trio.lowlevel.TrioToken) -> bool:
    try:
        token.run_sync_soon(nothing)
    except trio.RunFinishedError:
        return False
    return True


def nothing() -> None:
    """Is the loop still there?"""


def told_error(group: ExceptionGroup[SetupError]) -> Plain:
    [first, *_] = leaves_of(group)
    return {"text": str(first), "game_broke": isinstance(first, GameBroke)}


def told_trouble(group: ExceptionGroup[Exception]) -> str:
    [first, *_] = leaves_of(group)
    return f"{type(first).__name__}: {first}"
