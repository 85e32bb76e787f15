"""The jobs of a run in a cluster: batches go out to its members, what comes back is written down by us alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgpack
import trio

from dalang.engine.game import Plain, SetupError
from dalang.harness.cluster import remote
from dalang.harness.cluster.batches import (
    BATCHES_PER_SLOT,
    even_share,
    note_pace,
    suspects_at_once,
    wanted_jobs,
)
from dalang.harness.cluster.link import Present, TaskFailed
from dalang.harness.cluster.member import Host, Member, Outgoing
from dalang.harness.cluster.members import WATCH_SECONDS, ClusterMembers
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.tournament.crew import Crew, GiveUp, TakeMatches
from dalang.harness.tournament.machine_tables import add_machine
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Job

LINGER_SECONDS = 0.02
"""Seconds between two looks whether jobs still come in."""
LEAST_ROOM = 1000
"""Jobs that may wait here, however few are sent at once."""


class Dispatch(Crew):
    """Shares out the jobs of the board among the members of a cluster."""

    def __init__(
        self,
        members: ClusterMembers,
        store: Store,
        report: TakeMatches,
        give_up: GiveUp,
        tell: Callable[[str], None],
    ) -> None:
        super().__init__(LEAST_ROOM, report, give_up, tell)
        self.members = members
        self.store = store
        self.in_the_air = 0
        """Jobs that somebody has, or that wait to be written down."""
        self.finished: list[StoredMatch] = []
        self.heard = trio.lowlevel.ParkingLot()
        self.hungry: dict[Member, None] = {}
        """Who has room for another batch, in the order in which it came to that."""

    async def run(self) -> None:
        for member in self.members:
            self.feed(member)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.watch, nursery)
                nursery.start_soon(self.write_down)
                await self.share_out(nursery)
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True):
                addresses = [member.address for member in self.members]
                await self.members.link.tell_all(addresses, remote.leave, self.members.run)

    def running_ahead(self) -> int:
        """As many as are on their way, wait here, and wait for the slowest batch to come back."""
        return 2 * self.board.room

    # ---- Out

    def feed(self, member: Member) -> None:
        """It has room for a batch, if it is still there."""
        if self.members.by_address.get(member.address) is member:
            self.hungry[member] = None

    async def share_out(self, nursery: trio.Nursery) -> None:
        while not self.is_done():
            for member, jobs in self.shared():
                batch = Outgoing(jobs, is_suspect=bool(self.deaths and self.deaths[str(jobs[0])]))
                member.batches.append(batch)
                self.in_the_air += len(jobs)
                nursery.start_soon(self.send, member, batch)
            await self.board.changed.park()
            await self.gathering()

    async def gathering(self) -> None:
        """Wait for jobs as long as more of them come in and are wanted: many small batches cost more than a few."""
        before = -1
        while before < len(self.board.jobs) < self.wanted():
            before = len(self.board.jobs)
            await trio.sleep(LINGER_SECONDS)

    def wanted(self) -> int:
        """Jobs for all who are hungry."""
        slots = self.members.slots()
        return sum(free_places(member) * wanted_jobs(member, slots) for member in self.hungry)

    def is_done(self) -> bool:
        return self.board.closed and not self.board.jobs and not self.in_the_air

    def shared(self) -> Iterator[tuple[Member, list[Job]]]:
        """Batches for those who have room for one, the emptiest first, as far as there are jobs."""
        if not self.board.jobs:
            return
        slots = self.members.slots()
        places = sum(map(free_places, self.hungry))
        share = even_share(len(self.board.jobs), places)
        for member in sorted(self.hungry, key=free_places, reverse=True):
            for _ in range(free_places(member)):
                size = wanted_jobs(member, slots)
                self.board.room = max(LEAST_ROOM, BATCHES_PER_SLOT * slots * size)
                if not free_places(member) or not (jobs := self.jobs_for(member, min(share, size))):
                    break
                yield member, jobs
        self.hungry = {member: None for member in self.hungry if free_places(member)}

    def jobs_for(self, member: Member, most: int) -> list[Job]:
        """The next jobs that it can play; those at which somebody died go to one who has nothing else, and apart."""
        if not self.deaths:
            return self.board.take_now(most, member.can_play if member.host.problems else None)
        jobs = self.board.take_now(most, lambda job: member.can_play(job) and self.may_go(job, member))
        suspected = next((number for job in jobs if (number := self.deaths[str(job)])), 0)
        if not suspected:
            return jobs
        alike = [job for job in jobs if self.deaths[str(job)] == suspected]
        group = alike[: suspects_at_once(most, suspected)]
        self.board.put_back([job for job in jobs if job not in group])
        return group

    def may_go(self, job: Job, member: Member) -> bool:
        return not (member.batches and self.deaths[str(job)])

    async def send(self, member: Member, batch: Outgoing) -> None:
        """A batch and what comes of it; of jobs without an outcome nothing is lost, they go back."""
        left = batch.jobs
        asked = msgpack.packb([job.data() for job in batch.jobs])
        try:
            with batch.scope:
                answer = await self.members.link.ask(member.address, remote.play, self.members.run, asked)
                left = self.hear(member, batch.jobs, msgpack.unpackb(answer, strict_map_key=False))
        except TaskFailed as error:
            self.lose(member, str(error))
        finally:
            member.batches.remove(batch)
            self.feed(member)
            self.in_the_air -= len(left)
            self.board.put_back(left)

    # ---- Back

    def hear(self, member: Member, jobs: list[Job], answer: Plain) -> list[Job]:
        """What came of a batch; the jobs of which nothing did."""
        if "lost" in answer:
            self.lose(member, "another process has taken its place")
            return jobs
        self.pass_on(answer["told"])
        left, number = [], self.number_of(member.host)
        for job, outcome in zip(jobs, answer["outcomes"], strict=True):
            if outcome is None:
                left.append(job)
            elif "match" in outcome:
                self.finished.append(StoredMatch.of_data(job.block, job.rotation, outcome["match"], number))
            else:
                self.in_the_air -= 1
                self.put_off(job, f"{member.host.name}: {outcome['too_busy']}")
        self.check(member.host, answer["error"])
        if answer["trouble"]:
            self.members.unwanted.add(member.address)
            self.lose(member, answer["trouble"])
        if not left:
            note_pace(member, len(jobs), answer["seconds"])
        self.heard.unpark_all()
        return left

    def check(self, host: Host, error: Plain | None) -> None:
        if error:
            self.write()  # what came before it is kept
            kind = GameBroke if error["game_broke"] else SetupError
            raise kind(f"{host.name}: {error['text']}")

    async def write_down(self) -> None:
        """All that has come in meanwhile at once: to write costs more than to hear."""
        while True:
            self.write()
            await self.heard.park()

    def write(self) -> None:
        matches, self.finished = self.finished, []
        if matches:
            self.report(matches)
        self.in_the_air -= len(matches)
        self.board.changed.unpark_all()

    def number_of(self, host: Host) -> int:
        if host.number is None:
            assert host.speed
            host.number = add_machine(self.store, host.name, host.speed, host.known())
        return host.number

    # ---- Who is there

    async def watch(self, nursery: trio.Nursery) -> None:
        """Those who join are examined, those who leave are played without."""
        while True:
            await trio.sleep(WATCH_SECONDS)
            present = {each.address: each for each in await self.members.link.present()}
            for member in self.members:
                if member.address not in present:
                    self.lose(member, "it has left the cluster")
            self.members.dismiss(present)
            for address in present.keys() - self.members.by_address.keys() - self.members.unwanted:
                self.members.unwanted.add(address)  # until it is examined
                nursery.start_soon(self.welcome, present[address])

    async def welcome(self, present: Present) -> None:
        try:
            member = await self.members.admit(present)
        except SetupError as error:
            self.pass_on([str(error)])
            return
        self.feed(member)
        self.tell(f"{member.host.name} plays from now on, too: {slots_in_words(member.slots)} more")
        self.board.changed.unpark_all()

    def lose(self, member: Member, reason: str) -> None:
        """Its jobs go to others; those that it was playing may have been the reason."""
        if self.members.by_address.get(member.address) is not member:
            return
        self.members.forget(member)
        self.hungry.pop(member, None)
        self.tell(f"{member.host.name} has lost a worker ({reason}); what it was playing is played by others")
        for waiting in self.members.waiting_for():
            self.tell(f"{waiting}; waiting for machines to join (Ctrl-C keeps all that is finished)")
        for batch in member.batches:
            batch.scope.cancel()
        for job in [job for batch in member.batches for job in batch.jobs]:
            self.count_death(str(job), lambda: f"{member.host.name}, {reason}")


def free_places(member: Member) -> int:
    """For batches; one at whose jobs somebody died has no company."""
    if any(batch.is_suspect for batch in member.batches):
        return 0
    return BATCHES_PER_SLOT * member.slots - len(member.batches)


def slots_in_words(slots: int) -> str:
    return f"{slots} match{'es' * (slots > 1)} at once"
