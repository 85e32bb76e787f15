"""A worker: one process on one core that plays the matches it is given, with bots of its own that it reuses.

It reads jobs from stdin and writes results to stdout, as msgpack: first a `Setup`, then jobs. It ends when stdin
closes, and with its parent, however that ends. Short matches are reported several at once, because to wake the parent
for each would cost more than to play it.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from math import inf
from mmap import mmap
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import msgpack
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.entrants.finding import Entrant
from dalang.harness.match.arena import Arena, HostTooBusy, interruptible, open_arena
from dalang.harness.match.limits import Limits
from dalang.harness.match.process import adopt_orphans
from dalang.harness.match.referee import Match
from dalang.harness.tournament.store import packed

HEARTBEAT = 1.0
"""Seconds between two signs of life."""
HELD_BACK = 0.2
"""Seconds that a result may wait for company on its way to the parent."""


@dataclass(frozen=True)
class Setup:
    """What all matches of a run have in common."""

    game: str
    options: Plain
    entrants: tuple[Entrant, ...]
    limits: Limits
    fresh: bool = False
    show_clock: bool = True
    ask_forced: bool = False
    matches_per_worker: int = 1

    @cached_property
    def by_name(self) -> dict[str, Entrant]:
        return {entrant.name: entrant for entrant in self.entrants}

    def data(self) -> Plain:
        return asdict(self) | {"entrants": [entrant_data(entrant) for entrant in self.entrants]}

    @classmethod
    def of_data(cls, data: Plain) -> Setup:
        return cls(
            **data
            | {
                "entrants": tuple(entrant_of(entry) for entry in data["entrants"]),
                "limits": Limits(**data["limits"]),
            }
        )


class Job(NamedTuple):
    """One match to play."""

    block: int
    rotation: int
    seed: str
    seating: tuple[str, ...]

    @property
    def key(self) -> tuple[int, int]:
        return self.block, self.rotation

    def __str__(self) -> str:
        return f"block {self.block}, rotation {self.rotation} ({', '.join(self.seating)})"


def entrant_data(entrant: Entrant) -> Plain:
    folder = None if entrant.folder is None else str(entrant.folder)
    return {"name": entrant.name, "command": entrant.command, "folder": folder, "env": dict(entrant.env)}


def entrant_of(data: Plain) -> Entrant:
    folder = None if data["folder"] is None else Path(data["folder"])
    return Entrant(data["name"], tuple(data["command"]), folder, data["env"])


async def work(diary: Diary) -> None:
    """Play what comes until no more comes."""
    batches = incoming(trio.lowlevel.FdStream(os.dup(0)))
    (setup_data, *first) = await anext(batches)
    setup = Setup.of_data(setup_data)
    out = Out(trio.lowlevel.FdStream(os.dup(1)))
    async with trio.open_nursery() as signs_of_life:
        signs_of_life.start_soon(be_heard, out)
        async with trio.open_nursery() as nursery:
            hand_out, jobs = trio.open_memory_channel[Job](inf)
            for place in range(setup.matches_per_worker):
                nursery.start_soon(play_jobs, setup, jobs.clone(), out, diary, place)
            jobs.close()
            async with hand_out:
                give(first, hand_out)
                async for batch in batches:
                    give(batch, hand_out)
        signs_of_life.cancel_scope.cancel()


def give(batch: list[Any], hand_out: trio.MemorySendChannel[Job]) -> None:
    for block, rotation, seed, seating in batch:
        hand_out.send_nowait(Job(block, rotation, seed, tuple(seating)))


async def be_heard(out: Out) -> None:
    """Say now and then that we are alive: a worker that was stopped cannot."""
    while True:
        await trio.sleep(HEARTBEAT)
        out.add({"alive": True})
        await out.flush()


async def play_jobs(
    setup: Setup, jobs: trio.MemoryReceiveChannel[Job], out: Out, diary: Diary, place: int
) -> None:
    """One match after the other, with bots of one's own."""
    alone = setup.matches_per_worker == 1
    async with jobs, open_arena(setup.limits, setup.fresh, show_clock=setup.show_clock, alone=alone) as arena:
        while job := await next_job(jobs, out):
            diary.write(place, job.key)
            out.add({"block": job.block, "rotation": job.rotation, **await outcome(setup, arena, job)})
            if out.is_due():
                await out.flush()


async def next_job(jobs: trio.MemoryReceiveChannel[Job], out: Out) -> Job | None:
    """The next job; before we wait for one, the parent gets what is ready.

    One that is at hand is taken without a turn of trio's: between short matches these add up.
    """
    with suppress(trio.WouldBlock, trio.EndOfChannel):
        return jobs.receive_nowait()
    await out.flush()
    with suppress(trio.EndOfChannel):
        return await jobs.receive()
    return None


async def outcome(setup: Setup, arena: Arena, job: Job) -> Plain:
    match = Match(find_game(setup.game), job.seed, job.seating, setup.options, ask_forced=setup.ask_forced)
    try:
        played = await arena.play(match, [setup.by_name[name] for name in job.seating])
        return {"match": packed(played.data())}
    except HostTooBusy as error:
        return {"error": f"{job}: {error}"}


class Out:
    """The way back to the parent; results wait a moment for company, and do not mix."""

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self.stream = stream
        self.lock = trio.Lock()
        self.held: list[bytes] = []
        self.since = perf_counter()

    def add(self, message: Plain) -> None:
        self.held.append(msgpack.packb(message))

    def is_due(self) -> bool:
        return perf_counter() - self.since > HELD_BACK

    async def flush(self) -> None:
        async with self.lock:
            held, self.held = self.held, []
            await self.stream.send_all(b"".join(held))
            self.since = perf_counter()


class Diary:
    """A small file in which a worker notes what it is at; its parent reads it if the worker dies."""

    NOTE = struct.Struct("qq")
    NOTHING = (-1, -1)

    def __init__(self, descriptor: int) -> None:
        self.notes = mmap(descriptor, 0)  # to write into memory costs less than a call of the system

    @classmethod
    def begin(cls, descriptor: int, places: int) -> None:
        os.write(descriptor, cls.NOTE.pack(*cls.NOTHING) * places)

    def write(self, place: int, key: tuple[int, int]) -> None:
        """Several matches may be played at once, each at a place of its own."""
        self.NOTE.pack_into(self.notes, place * self.NOTE.size, *key)

    def read(self) -> set[tuple[int, int]]:
        notes: set[tuple[int, int]] = set(self.NOTE.iter_unpack(self.notes[:]))
        return notes - {self.NOTHING}


async def incoming(stream: trio.abc.ReceiveStream, silence: float = inf) -> AsyncIterator[list[Any]]:
    """The messages of a stream, as many as came together, until it ends.

    TooSlowError after so many seconds without a word.
    """
    unpacker = msgpack.Unpacker(max_buffer_size=2**31 - 1)
    while True:
        with trio.fail_after(silence):
            chunk = await stream.receive_some()
        if not chunk:
            return
        unpacker.feed(chunk)
        if batch := list(unpacker):
            yield batch


def main() -> None:
    adopt_orphans()
    with suppress(KeyboardInterrupt):  # the parent asked us to stop
        trio.run(interruptible, partial(work, Diary(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
