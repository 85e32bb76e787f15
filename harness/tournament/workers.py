"""The workers of a run: one process per core, replaced when they die, some jobs ahead so that none waits."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any

import msgpack
import trio

from dalang.engine.game import Plain
from dalang.harness.match.children import CHILDREN
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.match.orphans import kill_orphans
from dalang.harness.tournament.crew import Crew, GiveUp, TakeMatches
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import ALIVE, Assignment, Forged, InProgress, Job, incoming

AHEAD = 3
"""Jobs that a worker has at hand at least, per match it plays at once."""
FAR_AHEAD = 256
"""Jobs that it has at most, if it reports many at once because they are short."""
RUNNING_AHEAD = 256
"""Blocks per worker that may wait for an earlier one to be finished before they count."""
SILENCE = 20.0
"""Seconds after which a worker that gives no sign of life is taken for dead."""
DISMISSAL_SECONDS = 5.0
"""Seconds for a worker to end its bots when it is told to stop."""


@dataclass
class Worker:
    """One worker process and the jobs it has."""

    process: subprocess.Popen[bytes]
    stderr: IO[bytes]
    notes: IO[bytes]
    """The file in which it says what it is playing."""
    ahead: int
    """Jobs that it should have: what it reports at once, what it then has at hand, and as much that is on its way."""
    jobs: dict[bytes, Job] = field(default_factory=dict)
    """By ticket."""
    freed: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)
    blamed: list[Job] = field(default_factory=list)
    """What it was playing when somebody else spoke in its name."""

    async def appetite(self) -> int:
        """How many more jobs it should have, once it should."""
        while len(self.jobs) >= self.ahead:
            await self.freed.park()
        return self.ahead - len(self.jobs)

    def given(self, jobs: list[Job]) -> bytes:
        """These jobs on their way to it, each with a ticket that nobody else knows."""
        with_tickets = [job._replace(ticket=secrets.token_bytes(8)) for job in jobs]
        self.jobs |= {job.ticket: job for job in with_tickets}
        return b"".join(msgpack.packb(job.data()) for job in with_tickets)

    def playing(self) -> list[Job]:
        """What it was playing when it died."""
        noted = InProgress(self.notes.fileno()).read()
        return [job for job in self.jobs.values() if job.key in noted]

    def last_words(self) -> str:
        if self.blamed:
            return "what somebody else wrote in its name"
        self.stderr.seek(0)
        lines = self.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


class Workers(Crew):
    """Workers on this machine."""

    def __init__(
        self,
        assignment: Assignment,
        number: int,
        report: TakeMatches,
        give_up: GiveUp,
        tell: Callable[[str], None],
        first_place: int = 0,
        window: int | None = None,
    ) -> None:
        super().__init__(number * FAR_AHEAD, report, give_up, tell)
        self.window = window
        """The file through which others look on, if somebody does."""
        self.assignment = assignment
        self.number = number
        self.first_place = first_place
        """Of the cores that we may use; others of us may have those before."""

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            for place in range(self.number):
                nursery.start_soon(self.tend, self.first_place + place)

    def running_ahead(self) -> int:
        return RUNNING_AHEAD * self.number * self.assignment.matches_per_worker

    async def tend(self, place: int) -> None:
        """One worker, and its successor when it dies."""
        while True:
            worker = spawn_worker(place, self.assignment, self.window)
            try:
                if await self.employ(worker):
                    return
                self.account_for_death(worker)
            finally:
                await dismiss(worker)

    async def employ(self, worker: Worker) -> bool:
        """Give it jobs and take its results; whether it did all there was to do."""
        stdin, stdout = worker.process.stdin, worker.process.stdout
        assert stdin and stdout
        done = False

        async def give() -> None:
            nonlocal done
            async with trio.lowlevel.FdStream(os.dup(stdin.fileno())) as pipe:
                with suppress(trio.BrokenResourceError):
                    await pipe.send_all(msgpack.packb(self.assignment.data()))
                    while jobs := await self.board.take(await worker.appetite()):
                        await pipe.send_all(worker.given(jobs))
                    done = True
            stdin.close()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(give)
            with suppress(trio.TooSlowError), self.blaming(worker):
                pipe = trio.lowlevel.FdStream(os.dup(stdout.fileno()))
                async for batch in incoming(pipe, silence=SILENCE):
                    self.hear(worker, batch)
            nursery.cancel_scope.cancel()
        return done and not worker.jobs

    def hear(self, worker: Worker, batch: list[Any]) -> None:
        """Results are kept before anybody complains, each for the ticket of its job, which is good for one."""
        told = [message for message in batch if message != ALIVE]
        tickets = [ticket_of(message) for message in told]
        is_forged = len(worker.jobs.keys() & set(tickets)) < len(told)
        playing = worker.playing() if is_forged else []
        jobs = [worker.jobs.pop(ticket, None) for ticket in tickets]
        heard = [(job, message) for job, message in zip(jobs, told, strict=True) if job]
        results = [finished_match(job, message) for job, message in heard if "match" in message]
        if results:
            worker.ahead = max(AHEAD * self.assignment.matches_per_worker, min(3 * len(results), FAR_AHEAD))
            self.report(results)
        for job, message in heard:
            self.pass_on(message["told"])
            if "too_busy" in message:
                self.put_off(job, message["too_busy"])
            if "game_broke" in message:
                raise GameBroke(f"{message['game_broke']}\n    match {job}")
        worker.freed.unpark_all()
        if is_forged:
            raise Forged(playing)

    @contextmanager
    def blaming(self, worker: Worker) -> Iterator[None]:
        """If somebody else speaks in the worker's name, it ends, and the operator hears in whose company it was."""
        try:
            yield
        except Forged as forged:
            worker.process.kill()
            worker.blamed = forged.playing or worker.playing()
            self.tell(
                f"somebody wrote results in the name of a worker while it played {listed(worker.blamed)}; none of them "
                "is kept, and another worker goes on"
            )

    def account_for_death(self, worker: Worker) -> None:
        """A worker died: its jobs go back, and death is counted for those it was playing, or for none of them."""
        for at in [str(job) for job in worker.blamed or worker.playing()] or ["the start"]:
            self.count_death(at, worker.last_words)
        self.board.put_back(list(worker.jobs.values()))


def ticket_of(message: Any) -> bytes:
    """What it carries; nothing where no worker would say such a thing."""
    ticket = message.get("ticket") if isinstance(message, dict) else None
    return ticket if isinstance(ticket, bytes) else b""


def finished_match(job: Job, message: Plain) -> StoredMatch:
    return StoredMatch.of_data(job.block, job.rotation, message["match"])


def listed(jobs: list[Job]) -> str:
    return " and ".join(map(str, jobs)) or "nothing yet"


def spawn_worker(place: int, assignment: Assignment, window: int | None = None) -> Worker:
    stderr, notes = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    InProgress.begin(notes.fileno(), assignment.matches_per_worker)
    cores = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else [0]
    arguments = [notes.fileno(), cores[place % len(cores)]]
    if window is not None:
        arguments += [window, place * assignment.matches_per_worker]
    process = CHILDREN.start(
        [sys.executable, "-P", "-m", "dalang.harness.tournament.worker", *map(str, arguments)],
        pass_fds=[notes.fileno(), *([] if window is None else [window])],
        stderr=stderr,
    )
    return Worker(process, stderr, notes, AHEAD * assignment.matches_per_worker)


async def dismiss(worker: Worker) -> None:
    """Ask it to stop, then insist; its bots die with it."""
    process = worker.process
    with trio.CancelScope(shield=True):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                process.send_signal(number)
            with trio.move_on_after(DISMISSAL_SECONDS):
                while process.poll() is None:
                    await trio.sleep(0.002)
        CHILDREN.forget(process)
        await kill_orphans()  # bots of a worker that was killed
        for pipe in (process.stdin, process.stdout, worker.stderr, worker.notes):
            with suppress(OSError):
                assert pipe
                pipe.close()
