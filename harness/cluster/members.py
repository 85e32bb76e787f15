"""Who plays in a cluster: each Dask worker is examined before its first match, and each machine measured."""

from __future__ import annotations

import platform
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgpack
import trio

import dalang
from dalang.engine.game import Plain, SetupError
from dalang.harness.cluster import remote
from dalang.harness.cluster.link import Link, Present, TaskFailed
from dalang.harness.cluster.member import Host, Member
from dalang.harness.cluster.parcel import Parcel, parcel_of
from dalang.harness.isolation.levels import AUTO
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.worker import Assignment

ANSWER_SECONDS = 60.0
"""Seconds for a Dask worker to say who it is, once it has nothing else to do."""
WATCH_SECONDS = 1.0
"""Seconds between two looks at who has joined or left."""
JOIN_SECONDS = 0.5
"""Seconds between two looks whether somebody has joined an empty cluster."""
DASK_WORKER = 'dask worker {address} --nthreads 1 --resources "core=1"'
"""How a Dask worker is started that plays one match at once."""
OUR_DALANG = f"dalang {dalang.__version__}"
CROWDED = (
    "{name} is to play {matches} matches at once, but has {cores} cores: bots will wait for each other there"
)
CROWDED_TOGETHER = (
    "{name} and those that share its kernel are to play {matches} matches at once, but {name} has {cores} cores: bots "
    "may wait for each other there"
)
"""They may: whoever made containers may have given each of them cores of its own."""


class Unusable(SetupError):
    """A Dask worker that can take no part; the others can."""


class Unlike(SetupError):
    """A Dask worker whose results could not be compared with those of the others."""


class ClusterMembers:
    """The Dask workers of a cluster that play in a run."""

    def __init__(self, link: Link, config: Config, tell: Callable[[str], None]) -> None:
        self.link = link
        self.tell = tell
        self.run = secrets.token_hex(8)
        """What tells this run from others in the same cluster."""
        self.build_network = config.build_network
        self.level_is_demanded = config.terms.isolate != AUTO
        self.assignment = Assignment(config.terms, ())
        self.parcels: list[Parcel] = []
        self.archives: dict[str, bytes] = {}
        self.hosts: dict[tuple[str, ...], Host] = {}
        self.places: defaultdict[str, set[int]] = defaultdict(set)
        """By kernel, the places of its cores that are taken."""
        self.by_address: dict[str, Member] = {}
        self.candidates: dict[str, trio.CancelScope] = {}
        """By address of a Dask worker that is being examined, what ends that."""
        self.unwanted: set[str] = set()
        """Addresses of those who were examined and cannot play, or can no more."""

    def __iter__(self) -> Iterator[Member]:
        return iter(list(self.by_address.values()))

    def slots(self) -> int:
        return sum(member.slots for member in self.by_address.values())

    # ---- Before anything is played

    async def examine(self, assignment: Assignment) -> None:
        self.pack(assignment)
        unusable: list[Unusable] = []

        async def admit(present: Present) -> None:
            try:
                await self.admit(present)
            except Unusable as error:
                unusable.append(error)

        async with trio.open_nursery() as watching:
            watching.start_soon(self.watch)
            async with trio.open_nursery() as nursery:
                for present in await self.some_present():
                    nursery.start_soon(admit, present)
            watching.cancel_scope.cancel()
        if not self.by_address:
            raise unusable[0]
        for error in unusable:
            self.tell(str(error))
        self.check_everybody_can_play()

    async def watch(self) -> None:
        """Who leaves is waited for no longer."""
        while True:
            await trio.sleep(WATCH_SECONDS)
            self.dismiss({each.address for each in await self.link.present()})

    def dismiss(self, present: Collection[str]) -> None:
        """Examine nobody who is not there any more."""
        self.unwanted.intersection_update(present)
        for address, scope in self.candidates.items():
            if address not in present:
                scope.cancel()

    def pack(self, assignment: Assignment) -> None:
        self.assignment = assignment
        for entrant in assignment.entrants:
            parcel, content = parcel_of(entrant)
            self.parcels.append(parcel)
            if parcel.archive:
                self.archives[parcel.archive] = content

    async def some_present(self) -> list[Present]:
        """Those who are there; in an empty cluster, once somebody is."""
        present = await self.link.present()
        if not present:
            how = DASK_WORKER.format(address=self.link.address)
            self.tell(f"the cluster is empty; waiting for machines to join it, as by: {how}")
        while not present:
            await trio.sleep(JOIN_SECONDS)
            present = await self.link.present()
        return present

    def check_everybody_can_play(self) -> None:
        for parcel in self.parcels:
            reasons = {member.host.name: member.host.problems.get(parcel.name) for member in self}
            if all(reasons.values()):
                told = "; ".join(f"{host}: {reason}" for host, reason in sorted(reasons.items()))
                raise SetupError(f"no machine of the cluster can play {parcel.name}: {told}")

    def waiting_for(self) -> Iterator[str]:
        """Why a run cannot go on with those who are there."""
        if not self.by_address:
            yield "nobody is left"
            return
        for parcel in self.parcels:
            if all(parcel.name in member.host.problems for member in self):
                yield f"nobody is left who can play {parcel.name}"

    # ---- One of them

    async def admit(self, present: Present) -> Member:
        """Examine a Dask worker; Unusable or Unlike says why it takes no part."""
        self.unwanted.add(present.address)
        try:
            with trio.CancelScope() as scope:
                self.candidates[present.address] = scope
                return await self.examined(present)
        except TaskFailed as error:
            raise Unusable(
                f"the worker at {present.address} cannot be used: {error}; scheduler and workers need {OUR_DALANG}"
            ) from error
        finally:
            del self.candidates[present.address]
        raise Unusable(
            f"the worker at {present.address} has left the cluster while it was examined; it needs {OUR_DALANG}"
        )

    async def examined(self, present: Present) -> Member:
        if not present.slots:
            how = DASK_WORKER.format(address=self.link.address)
            raise Unusable(
                f"the worker at {present.address} says of no core that it is for matches; start it as: {how}"
            )
        found = await self.look_at(present)
        host = self.host_of(found)
        self.check_alike(host)
        self.check_isolation(host)
        async with host.lock:
            member = await self.settled(present, host, found["missing"])
        self.by_address[present.address] = member
        self.unwanted.discard(present.address)
        return member

    async def look_at(self, present: Present) -> Plain:
        asked = msgpack.packb({"game": self.assignment.terms.game, "archives": list(self.archives)})
        with trio.move_on_after(ANSWER_SECONDS):
            found: Plain = msgpack.unpackb(await self.link.ask(present.address, remote.look, asked))
            return found
        self.unwanted.discard(present.address)  # it may be at work for somebody else, and is asked again
        raise Unusable(f"the worker at {present.address} did not answer within {ANSWER_SECONDS:g} s")

    def host_of(self, found: Plain) -> Host:
        """The machine, which other Dask workers may share."""
        key = (found["name"], found["boot"], found["cache"])
        if key not in self.hosts:
            self.hosts[key] = Host(found["name"], found)
        return self.hosts[key]

    def check_alike(self, host: Host) -> None:
        terms, details = self.assignment.terms, host.details
        for what, here, there in (
            ("dalang", dalang.__version__, details["dalang"]),
            (f"the rules of {terms.game} in version", terms.rules_version, details["rules"]),
            ("Python", minor(platform.python_version()), minor(details["python"])),
        ):
            if here != there:
                has = f"{what} {there}" if there is not None else f"no game {terms.game}"
                raise Unlike(
                    f"{host.name} has {has}, this machine {what} {here}; all must have the same, so install it there"
                )

    def check_isolation(self, host: Host) -> None:
        level = self.assignment.terms.isolate
        if problem := host.details["levels"][level]:
            kind = Unlike if self.level_is_demanded else Unusable
            raise kind(f"{host.name} cannot isolate bots by {level}, and plays nothing: {problem}")

    async def settled(self, present: Present, host: Host, missing: list[str]) -> Member:
        """Bots are sent once to each machine, and greeted there once."""
        if host.speed is None:
            terms = self.assignment.terms
            asked = msgpack.packb((terms.game, terms.seats, terms.options))
            host.speed = msgpack.unpackb(await self.link.ask(present.address, remote.measure, asked))
        if not host.is_settled:
            for archive in missing:
                await self.deliver(present, host, archive)
        with self.placed(host, present.slots) as first_place:
            asked = msgpack.packb(self.orders(host, present.slots, first_place))
            problems = msgpack.unpackb(await self.link.ask(present.address, remote.settle, asked))
        host.is_settled = True
        for bot, reason in problems.items():
            if bot not in host.problems:
                self.tell(f"{host.name} plays no match of {bot}: {reason}")
        host.problems |= problems
        return Member(present.address, present.slots, host, first_place)

    async def deliver(self, present: Present, host: Host, archive: str) -> None:
        """One bot at a time: they may be large."""
        content = self.archives[archive]
        if problem := msgpack.unpackb(await self.link.ask(present.address, remote.keep, archive, content)):
            raise Unusable(f"{host.name} cannot keep bots, and plays nothing: {problem}")

    def orders(self, host: Host, slots: int, first_place: int) -> Plain:
        assert host.speed
        assignment = self.assignment.at_speed(host.speed)
        return {
            "run": self.run,
            "assignment": replace(assignment, entrants=()).data(),
            "parcels": [
                replace(parcel, limits=entrant.limits).data()
                for parcel, entrant in zip(self.parcels, assignment.entrants, strict=True)
            ],
            "build_network": self.build_network,
            "slots": slots,
            "first_place": first_place,
            "is_first": not host.is_settled,
        }

    @contextmanager
    def placed(self, host: Host, slots: int) -> Iterator[int]:
        """The first of so many places in a row that no other has on this machine; given back if nothing comes of it."""
        taken = self.places[host.details["boot"]]
        first = next(place for place in range(2**31) if taken.isdisjoint(range(place, place + slots)))
        taken |= set(range(first, first + slots))
        if len(taken) > host.details["cores"] and not host.is_crowded:
            host.is_crowded = True
            told = CROWDED_TOGETHER if self.shares_kernel(host) else CROWDED
            self.tell(told.format(name=host.name, matches=len(taken), cores=host.details["cores"]))
        try:
            yield first
        except BaseException:
            taken -= set(range(first, first + slots))
            raise

    def shares_kernel(self, host: Host) -> bool:
        """Whether there are machines of other names on it, as containers are."""
        boots = [other.details["boot"] for other in self.hosts.values() if other is not host]
        return host.details["boot"] in boots

    def forget(self, member: Member) -> None:
        del self.by_address[member.address]
        taken = self.places[member.host.details["boot"]]
        taken -= set(range(member.first_place, member.first_place + member.slots))


def minor(version: str) -> str:
    """Of a Python: what is new in 3.12.4 is not new in it."""
    return ".".join(version.split(".")[:2])
