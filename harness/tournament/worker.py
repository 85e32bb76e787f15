"""A worker: one process on one core that plays the matches it is given, with bots of its own that it reuses.

It reads jobs from stdin and writes results to stdout, as msgpack: first an `Assignment`, then jobs. It ends when stdin
closes, and with its parent, however that ends. Short matches are reported several at once, because to wake the parent
for each would cost more than to play it.
"""

from __future__ import annotations

import os
import struct
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from mmap import mmap
from time import perf_counter
from typing import Any, NamedTuple

import msgpack
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.blocks import Block, MatchKey
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.prctl import hide_from_others
from dalang.harness.isolation.shortage import open_more_files
from dalang.harness.match.arena import Arena, interruptible, open_arena
from dalang.harness.match.faults import HostTooBusy
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.match.guardian import guarded
from dalang.harness.match.limits import Limits
from dalang.harness.match.referee import Match
from dalang.harness.tournament.calibration import measured_speed, scaled
from dalang.harness.tournament.stored import MOST_RECORD_BYTES, StoredMatch
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.window import Pane, panes_in
from dalang.protocol.codec import pack

HEARTBEAT = 1.0
"""Seconds between two signs of life."""
HELD_BACK = 0.2
"""Seconds that a result may wait for company on its way to the parent."""
MOST_SAID_BYTES = 4 * MOST_RECORD_BYTES
"""Of one message: the largest tells a match, and most of that is its packed story."""
ALIVE = {"alive": True}
"""A sign of life."""


class Forged(Exception):
    """Words that the process at the other end cannot have said; and what it was playing then, where that is known."""

    def __init__(self, playing: Sequence[Job] = ()) -> None:
        self.playing = list(playing)


@dataclass(frozen=True)
class Assignment:
    """What a worker is told before its first job."""

    terms: Terms
    entrants: tuple[Entrant, ...]
    matches_per_worker: int = 1
    keep_stderr: bool = False

    def at_speed(self, speed: float) -> Assignment:
        """The same for a machine of this speed, where clocks are made to fit."""
        if self.terms.reference_speed is None:
            return self
        factor = self.terms.reference_speed / speed
        entrants = [replace(each, limits=scaled(each.limits, factor)) for each in self.entrants]
        limits = Limits(**scaled(vars(self.terms.limits), factor))
        return replace(self, terms=replace(self.terms, limits=limits), entrants=tuple(entrants))

    def speed_here(self) -> float:
        return measured_speed(self.terms.game, self.terms.seats, self.terms.options)

    @cached_property
    def by_name(self) -> dict[str, Entrant]:
        return {entrant.name: entrant for entrant in self.entrants}

    def data(self) -> Plain:
        return {
            "terms": self.terms.without_seed().data(),
            "entrants": [entrant.data() for entrant in self.entrants],
            "matches_per_worker": self.matches_per_worker,
            "keep_stderr": self.keep_stderr,
        }

    @classmethod
    def of_data(cls, data: Plain) -> Assignment:
        entrants = tuple(map(Entrant.of_data, data["entrants"]))
        return cls(Terms.of_data(data["terms"]), entrants, data["matches_per_worker"], data["keep_stderr"])


class Job(NamedTuple):
    """One match to play."""

    block: Block
    rotation: int
    seed: str
    ticket: bytes = b""
    """What the result must carry to be believed; only the worker that is to play it knows it."""

    @property
    def key(self) -> MatchKey:
        return self.block.key(self.rotation)

    def seating(self) -> tuple[str, ...]:
        return self.block.seatings()[self.rotation]

    def data(self) -> tuple[Any, ...]:
        block = self.block
        return block.number, block.round, block.lineup, block.deal, self.rotation, self.seed, self.ticket

    @classmethod
    def of_data(cls, data: Sequence[Any]) -> Job:
        number, round_, lineup, deal, *rest = data
        return cls(Block(number, round_, tuple(lineup), deal), *rest)

    def __str__(self) -> str:
        return f"{self.key} ({', '.join(self.seating())})"


async def work(in_progress: InProgress, window: Sequence[Pane] = ()) -> None:
    """Play what comes until no more comes; through the window, if there is one, others look on."""
    batches = incoming(trio.lowlevel.FdStream(os.dup(0)))
    (first, *jobs_at_hand) = await anext(batches)
    assignment = Assignment.of_data(first)
    out = Out(trio.lowlevel.FdStream(os.dup(1)))
    async with trio.open_nursery() as signs_of_life:
        signs_of_life.start_soon(be_heard, out)
        async with trio.open_nursery() as nursery:
            jobs = AtHand()
            for place in range(assignment.matches_per_worker):
                shown = window[place] if window else None
                nursery.start_soon(play_jobs, assignment, jobs, out, in_progress, place, shown)
            jobs.add(map(Job.of_data, jobs_at_hand))
            async for batch in batches:
                jobs.add(map(Job.of_data, batch))
            jobs.close()
        signs_of_life.cancel_scope.cancel()


async def be_heard(out: Out) -> None:
    """Say now and then that we are alive: a worker that was stopped cannot."""
    while True:
        await trio.sleep(HEARTBEAT)
        out.add(ALIVE)
        await out.flush()


async def play_jobs(
    assignment: Assignment,
    jobs: AtHand,
    out: Out,
    in_progress: InProgress,
    place: int,
    shown: Pane | None = None,
) -> None:
    """One match after the other, with bots of one's own."""
    terms, alone = assignment.terms, assignment.matches_per_worker == 1
    told: list[str] = []
    arena_of_ours = open_arena(
        terms.limits,
        terms.fresh,
        show_clock=terms.clock,
        alone=alone,
        isolation=terms.isolation(),
        ponder=terms.ponder,
        tell=told.append,
        keep_stderr=assignment.keep_stderr,
    )
    async with arena_of_ours as arena:
        arena.scribe = shown
        while job := await next_job(jobs, out):
            in_progress.note(place, job.key)
            if shown:
                shown.seat(job.key, job.block.deal, job.seating())
            out.add({"ticket": job.ticket, **await outcome(assignment, arena, job), "told": told})
            told.clear()
            if out.is_due():
                await out.flush()
        if shown:
            shown.clear()


async def next_job(jobs: AtHand, out: Out) -> Job | None:
    """The next job, None when no more will come; before we wait for one, the parent gets what is ready.

    One that is at hand is taken without a turn of trio's: between short matches these add up.
    """
    if (job := jobs.take()) is None:
        await out.flush()
        while (job := jobs.take()) is None and not jobs.closed:
            await jobs.changed.park()
    return job


class AtHand:
    """The jobs at hand, in waves: as many as there are of one rotation, then those of another.

    No process meets a deal twice, so each rotation of a block needs processes of its own. In a wave all matches are
    played by the same few, which stay in the core's caches.
    """

    def __init__(self) -> None:
        self.by_rotation: dict[int, deque[Job]] = {}
        self.wave: deque[Job] = deque()
        self.closed = False
        self.changed = trio.lowlevel.ParkingLot()

    def add(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self.by_rotation.setdefault(job.rotation, deque()).append(job)
        self.changed.unpark_all()

    def take(self) -> Job | None:
        """The next job of this wave; after its last one, the wave begins whose first job has waited longest."""
        if not self.wave:
            waves = [each for each in self.by_rotation.values() if each]
            self.wave = min(waves, key=lambda wave: wave[0].key, default=self.wave)
        return self.wave.popleft() if self.wave else None

    def close(self) -> None:
        """No more will come."""
        self.closed = True
        self.changed.unpark_all()


async def outcome(assignment: Assignment, arena: Arena, job: Job) -> Plain:
    terms, seating = assignment.terms, job.seating()
    match = Match(
        find_game(terms.game),
        job.seed,
        seating,
        terms.options,
        ask_forced=terms.ask_forced,
        key=job.key.short(),
    )
    try:
        played = await arena.play(match, [assignment.by_name[name] for name in seating])
        return {"match": StoredMatch.of(job.block, job.rotation, played).data()}
    except HostTooBusy as error:
        return {"too_busy": str(error)}
    except GameBroke as error:
        return {"game_broke": str(error)}


class Out:
    """The way back to the parent; results wait a moment for company, and do not mix."""

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self.stream = stream
        self.lock = trio.Lock()
        self.held: list[bytes] = []
        self.since = perf_counter()

    def add(self, message: Plain) -> None:
        self.held.append(pack(message))

    def is_due(self) -> bool:
        return perf_counter() - self.since > HELD_BACK

    async def flush(self) -> None:
        async with self.lock:
            held, self.held = self.held, []
            await self.stream.send_all(b"".join(held))
            self.since = perf_counter()


class InProgress:
    """A small file in which a worker notes what it is playing; its parent reads it if the worker dies."""

    NOTE = struct.Struct("qq")
    NOTHING = MatchKey(-1, -1)

    def __init__(self, descriptor: int) -> None:
        self.notes = mmap(descriptor, 0)  # to write into memory costs less than a call of the system

    @classmethod
    def begin(cls, descriptor: int, places: int) -> None:
        os.write(descriptor, cls.NOTE.pack(*cls.NOTHING) * places)

    def note(self, place: int, key: MatchKey) -> None:
        """Several matches may be played at once, each at a place of its own."""
        self.NOTE.pack_into(self.notes, place * self.NOTE.size, *key)

    def read(self) -> set[MatchKey]:
        return {MatchKey(*note) for note in self.NOTE.iter_unpack(self.notes[:])} - {self.NOTHING}


async def incoming(stream: trio.abc.ReceiveStream, silence: float = inf) -> AsyncIterator[list[Any]]:
    """The messages of a stream, as many as came together, until it ends.

    TooSlowError after `silence` seconds without a whole one; Forged if somebody else wrote into it.
    """
    unpacker = msgpack.Unpacker(max_buffer_size=MOST_SAID_BYTES)
    while True:
        batch: list[Any] = []
        with trio.fail_after(silence):
            while not batch:
                if not (chunk := await stream.receive_some()):
                    return
                batch = whole_messages(unpacker, chunk)
        yield batch


def whole_messages(unpacker: msgpack.Unpacker, chunk: bytes | bytearray) -> list[Any]:
    try:
        unpacker.feed(chunk)
        return list(unpacker)
    except (ValueError, msgpack.UnpackException) as error:
        raise Forged from error


def pin(core: int) -> None:
    """Stay on this core, with all bots."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setaffinity(0, {core})


def main() -> None:
    hide_from_others()
    pin(int(sys.argv[2]))
    open_more_files()
    guarded()
    with suppress(KeyboardInterrupt):  # the parent asked us to stop
        trio.run(interruptible, partial(work, InProgress(int(sys.argv[1])), window_of(sys.argv[3:])))


def window_of(arguments: Sequence[str]) -> Sequence[Pane]:
    """The panes that are ours, of a window that others look through; none if nobody does."""
    if not arguments:
        return ()
    descriptor, first = map(int, arguments)
    return panes_in(descriptor)[first:]


if __name__ == "__main__":
    main()
