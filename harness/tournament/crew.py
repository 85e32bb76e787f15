"""Whoever plays the jobs of a run: what workers on this machine and those of a cluster have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import trio

from dalang.engine.game import SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Assignment, Job

if TYPE_CHECKING:
    from dalang.harness.tournament.store import Store

TURNS = 2
"""How often a match gets its turn that the machine is too busy for, before it is left out."""
DEATHS = 3
"""Deaths of workers at the same match after which the run stops."""

TakeMatches = Callable[[list[StoredMatch]], None]
GiveUp = Callable[[Job, str], None]
"""Told of a match that cannot be played here, and why."""


class Board:
    """The jobs to be done, in order; those of a worker that died go back to the front."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.jobs: deque[Job] = deque()
        self.closed = False
        self.changed = trio.lowlevel.ParkingLot()

    async def put(self, jobs: list[Job]) -> None:
        while len(self.jobs) >= self.room:
            await self.changed.park()
        self.jobs.extend(jobs)
        self.changed.unpark_all()

    def put_last(self, job: Job) -> None:
        """Regardless of the room: it had its place before."""
        self.jobs.append(job)
        self.changed.unpark_all()

    def put_back(self, jobs: list[Job]) -> None:
        self.jobs.extendleft(reversed(jobs))
        self.changed.unpark_all()

    async def take(self, most: int) -> list[Job]:
        """The next jobs; none when there will be no more."""
        while not self.jobs and not self.closed:
            await self.changed.park()
        return self.take_now(most)

    def take_now(self, most: int, fits: Callable[[Job], bool] | None = None) -> list[Job]:
        """The next jobs of those that are there, or of those that fit; the others keep their places."""
        taken: list[Job] = []
        passed: list[Job] = []
        while self.jobs and len(taken) < most:
            job = self.jobs.popleft()
            (taken if fits is None or fits(job) else passed).append(job)
        self.jobs.extendleft(reversed(passed))
        if taken:
            self.changed.unpark_all()
        return taken

    def drop(self, block: int) -> None:
        """Nobody needs the jobs of this block any more."""
        self.jobs = deque(job for job in self.jobs if job.block.number != block)
        self.changed.unpark_all()

    def close(self) -> None:
        self.closed = True
        self.changed.unpark_all()


class Crew(ABC):
    """Plays the jobs of its board, and reports what is finished."""

    def __init__(self, room: int, report: TakeMatches, give_up: GiveUp, tell: Callable[[str], None]) -> None:
        self.board = Board(room)
        self.report = report
        self.give_up = give_up
        self.tell = tell
        self.told: set[str] = set()
        self.deaths: Counter[str] = Counter()
        self.turns: Counter[MatchKey] = Counter()
        """How often the machine was too busy for a match."""

    @abstractmethod
    async def run(self) -> None:
        """Until the board is closed and empty."""

    @abstractmethod
    def running_ahead(self) -> int:
        """Blocks that may wait for an earlier one to be finished before they count."""

    def pass_on(self, told: list[str]) -> None:
        """What workers find out each for themselves is told once."""
        for text in told:
            if text not in self.told:
                self.told.add(text)
                self.tell(text)

    def put_off(self, job: Job, reason: str) -> None:
        """The machine was too busy for this match: it is tried again after all others, and given up in the end."""
        self.turns[job.key] += 1
        if self.turns[job.key] < TURNS:
            self.board.put_last(job)
        else:
            self.give_up(job, reason)

    def count_death(self, at: str, last_words: Callable[[], str]) -> None:
        """A worker died at this match, or at the start."""
        self.deaths[at] += 1
        if self.deaths[at] == DEATHS:
            raise SetupError(f"{DEATHS} workers died at {at}; the last one said: {last_words()}")


class Abroad(Protocol):
    """Where matches are played if not on this machine."""

    async def examine(self, assignment: Assignment) -> None:
        """Before anything is played; SetupError if nobody there can play."""

    def slots(self) -> int:
        """Matches that are played at once by those who were examined."""

    def hire(self, store: Store, report: TakeMatches, give_up: GiveUp, tell: Callable[[str], None]) -> Crew:
        """Those who were examined, for a run into this file."""
