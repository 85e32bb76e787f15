"""A worker: one process on one core that plays the matches it is given, with bots of its own that it reuses.

It reads jobs from stdin and writes results to stdout, as msgpack: first a `Setup`, then jobs. It ends when stdin
closes, and with its parent, however that ends.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any

import msgpack
import trio

from engine.catalogue import find_game
from engine.game import Plain
from harness.arena import Arena, HostTooBusy, interruptible, open_arena
from harness.entrants import Entrant
from harness.limits import Limits
from harness.match import Match
from harness.process import adopt_orphans
from harness.store import packed

HEARTBEAT = 1.0
"""Seconds between two signs of life."""


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


@dataclass(frozen=True)
class Job:
    """One match to play."""

    block: int
    rotation: int
    seed: str
    seating: tuple[str, ...]

    def __str__(self) -> str:
        return f"block {self.block}, rotation {self.rotation} ({', '.join(self.seating)})"


def entrant_data(entrant: Entrant) -> Plain:
    folder = None if entrant.folder is None else str(entrant.folder)
    return {"name": entrant.name, "command": entrant.command, "folder": folder, "env": dict(entrant.env)}


def entrant_of(data: Plain) -> Entrant:
    folder = None if data["folder"] is None else Path(data["folder"])
    return Entrant(data["name"], tuple(data["command"]), folder, data["env"])


async def work() -> None:
    """Play what comes until no more comes."""
    messages = incoming(trio.lowlevel.FdStream(os.dup(0)))
    setup = Setup.of_data(await anext(messages))
    out = Out(trio.lowlevel.FdStream(os.dup(1)))
    async with trio.open_nursery() as signs_of_life:
        signs_of_life.start_soon(be_heard, out)
        async with trio.open_nursery() as nursery:
            hand_out, jobs = trio.open_memory_channel[Job](0)
            for _ in range(setup.matches_per_worker):
                nursery.start_soon(play_jobs, setup, jobs.clone(), out)
            jobs.close()
            async with hand_out:
                async for message in messages:
                    await hand_out.send(Job(**message | {"seating": tuple(message["seating"])}))
        signs_of_life.cancel_scope.cancel()


async def be_heard(out: Out) -> None:
    """Say now and then that we are alive: a worker that was stopped cannot."""
    while True:
        await trio.sleep(HEARTBEAT)
        await out.send({"alive": True})


async def play_jobs(setup: Setup, jobs: trio.MemoryReceiveChannel[Job], out: Out) -> None:
    """One match after the other, with bots of one's own."""
    alone = setup.matches_per_worker == 1
    async with jobs, open_arena(setup.limits, setup.fresh, show_clock=setup.show_clock, alone=alone) as arena:
        async for job in jobs:
            name = {"block": job.block, "rotation": job.rotation}
            await out.send({**name, "begun": True})
            await out.send({**name, **await outcome(setup, arena, job)})


async def outcome(setup: Setup, arena: Arena, job: Job) -> Plain:
    entrants = {entrant.name: entrant for entrant in setup.entrants}
    match = Match(find_game(setup.game), job.seed, job.seating, setup.options, ask_forced=setup.ask_forced)
    try:
        played = await arena.play(match, [entrants[name] for name in job.seating])
        return {"match": packed(played.data())}
    except HostTooBusy as error:
        return {"error": f"{job}: {error}"}


class Out:
    """The way back to the parent; results do not mix."""

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self.stream = stream
        self.lock = trio.Lock()

    async def send(self, message: Plain) -> None:
        async with self.lock:
            await self.stream.send_all(msgpack.packb(message))


async def incoming(stream: trio.abc.ReceiveStream, silence: float = inf) -> AsyncIterator[Any]:
    """The messages of a stream, until it ends; TooSlowError after so many seconds without a word."""
    unpacker = msgpack.Unpacker(max_buffer_size=2**31 - 1)
    while True:
        with trio.fail_after(silence):
            chunk = await stream.receive_some()
        if not chunk:
            return
        unpacker.feed(chunk)
        for message in unpacker:
            yield message


def main() -> None:
    adopt_orphans()
    with suppress(KeyboardInterrupt):  # the parent asked us to stop
        trio.run(interruptible, work)


if __name__ == "__main__":
    main()
