"""A tournament that is played: workers play what the file does not have yet; what they finish is kept, then counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

import trio

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.tournament.crew import Crew
from dalang.harness.tournament.entry import Prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.machine import Listener, Tournament
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.suspicion import Suspicion
from dalang.harness.tournament.worker import Job
from dalang.harness.tournament.workers import Workers

NOT_PASSED = 1000
"""Whole blocks at the end of a file that is resumed that are gone through one by one: they tell who leads."""
LOOKED_AT = 1000
"""Of so many rounds that are passed over one is looked at, whether it was played as scheduled."""


class Keeper(RunListener):
    """Keeps what is finished, before anybody else hears of it and before it counts."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.store.save(matches)


class Run(Listener):
    """Drives a tournament with workers and a file."""

    def __init__(
        self,
        store: Store,
        ready: Prepared,
        listeners: Sequence[RunListener] = (),
        tell: Callable[[str], None] = lambda text: None,
        window: int | None = None,
    ) -> None:
        self.store = store
        self.listeners = (Keeper(store), *listeners)
        self.tell = tell
        retired = store.retired()
        self.suspicion = Suspicion(tell, self.take_out, store.lateness(), retired)
        self.tournament = Tournament(ready.plan, retired, [self, *listeners], store.left_out())
        self.last_stored = store.last_block()
        self.workers = self.hired(ready, window)
        self.moved = trio.lowlevel.ParkingLot()
        self.played = 0
        self.scope = trio.CancelScope()

    def hired(self, ready: Prepared, window: int | None) -> Crew:
        """Those who play it, here or elsewhere; only those who are here can be looked at meanwhile."""
        if ready.abroad:
            return ready.abroad.hire(self.store, self.take, self.leave_out, self.tell)
        assignment = ready.assignment
        if assignment.terms.reference_speed:
            assignment = assignment.at_speed(assignment.speed_here())
        return Workers(assignment, ready.workers, self.take, self.leave_out, self.tell, window=window)

    async def play(self) -> None:
        """Until all is played, or a listener has enough."""
        with self.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.workers.run)
                await self.offer_all()
                self.workers.board.close()
        if self.tournament.is_over() and not self.tournament.left_out and self.tournament.format.ends:
            self.store.finish(self.tournament.plan.blocks)

    async def offer_all(self) -> None:
        """Offer every block of the schedule to the workers, as soon as it can be told and there is room for it."""
        await self.pass_over()
        while not self.tournament.is_over():
            await trio.lowlevel.checkpoint()  # a file may have it all, and signals are still to be heard
            block = self.tournament.next_block() if self.has_room() else None
            if block:
                await self.offer(block)
            elif self.tournament.queue:
                await self.moved.park()

    def has_room(self) -> bool:
        return len(self.tournament.queue) < self.workers.running_ahead()

    async def pass_over(self) -> None:
        """Of a long tournament that is resumed, what the file has whole need not be gone through block by block."""
        plan, passed = self.tournament.plan, 0
        end = self.store.whole_blocks(plan.seats) - NOT_PASSED if self.tournament.format.passes else 0
        for number, blocks in enumerate(self.tournament.passed_over(end)):
            if number % LOOKED_AT == 0:
                self.check_known(blocks[0], self.store.matches_of(blocks[0].number))
                await trio.lowlevel.checkpoint()  # signals are still to be heard
            passed += len(blocks)
        counted = self.count_before(passed)
        for listener in self.listeners:
            listener.passed(counted)

    def count_before(self, end: int) -> int:
        """How many of the blocks before this number count; from the first fault on they are looked at for it."""
        first = self.store.first_fault()
        if first is None or first >= end:
            return end
        known = takewhile(lambda result: result.block.number < end, self.store.results(first))
        return first + sum(map(self.tournament.count.add, known))

    async def offer(self, block: Block) -> None:
        """What the file has of it is known; the rest becomes jobs."""
        known = self.store.matches_of(block.number) if block.number <= self.last_stored else {}
        self.check_known(block, known)
        missing = self.tournament.open(block, known)
        self.look_up()
        if missing:
            seed = self.tournament.plan.terms.deal_seed(block.deal)
            await self.workers.board.put([Job(block, rotation, seed) for rotation in missing])

    def check_known(self, block: Block, known: Mapping[int, MatchResult]) -> None:
        if not block.is_played_by(known):
            raise SetupError(
                f"{self.store.path} has other players in block {block.number} than the schedule: it was made by "
                "another version or changed by hand; choose another file with --db"
            )

    def take(self, matches: list[StoredMatch]) -> None:
        """Workers report matches: they are kept and told, then they count."""
        wanted = [match for match in matches if self.tournament.is_open(match.block.number)]
        for listener in self.listeners:
            listener.finished(wanted)  # of the others somebody was withdrawn meanwhile
        for match in wanted:
            self.tournament.add(match.block.number, match.rotation, match.result)
        self.played += len(wanted)
        self.tournament.settle()
        self.suspicion.finished(wanted)
        self.look_up()

    def leave_out(self, job: Job, reason: str) -> None:
        """A match cannot be played on this machine; the rest can."""
        if not self.tournament.is_open(job.block.number):
            return
        for listener in self.listeners:
            listener.left_out(str(job), reason)
        self.tell(f"{job} is left out of the standings: {reason}")
        if self.tournament.format.adapts:
            self.store.leave_out(job.block)
        self.tournament.leave_out(job.block.number)
        self.store.give_up(job.seating())
        self.suspicion.too_busy(job.seating())
        self.look_up()

    def take_out(self, name: str, reason: str) -> None:
        """From the next round on, and of this one what is not under way yet."""
        self.store.withdraw(name, reason)
        self.tournament.retire(name)
        for listener in self.listeners:
            listener.taken_out(name)

    def look_up(self) -> None:
        """Something has been counted: there may be room for more, or enough may be known."""
        self.moved.unpark_all()
        if any(listener.has_enough() for listener in self.listeners):
            self.scope.cancel()

    def dropped(self, block: Block) -> None:
        self.workers.board.drop(block.number)
