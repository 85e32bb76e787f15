"""A Dask worker that plays for us, and the machine that it is on."""

from __future__ import annotations

from dataclasses import dataclass, field

import trio

from dalang.engine.game import Plain
from dalang.harness.tournament.worker import Job


@dataclass(eq=False)
class Host:
    """A machine, and what was found out about it."""

    name: str
    details: Plain
    speed: float | None = None
    """None until it is measured."""
    problems: dict[str, str] = field(default_factory=dict)
    """By name of a bot that cannot play here, why not."""
    is_settled: bool = False
    """Whether all bots are there, and were greeted."""
    is_crowded: bool = False
    """Whether it was told that there are more slots than cores."""
    number: int | None = None
    """In the file; None until it has played."""
    lock: trio.Lock = field(default_factory=trio.Lock)
    """Held while bots are unpacked and built there."""

    def known(self) -> Plain:
        """What the file keeps of it."""
        return {key: self.details[key] for key in ("system", "cores", "dalang", "rules", "python")}


@dataclass(eq=False)
class Outgoing:
    """Jobs that are on their way or being played; cancelled if the member is lost."""

    jobs: list[Job]
    is_suspect: bool = False
    """Whether somebody has died who had these jobs."""
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)


@dataclass(eq=False)
class Member:
    """A Dask worker that was examined."""

    address: str
    slots: int
    host: Host
    first_place: int = 0
    """Of the cores of its machine."""
    batches: list[Outgoing] = field(default_factory=list)
    """What it has, in the order in which it was sent."""
    pace: float | None = None
    """Seconds of a slot for a match, as the last batches had it."""
    last_size: int = 0
    """Jobs in its last batch that came back."""

    def can_play(self, job: Job) -> bool:
        return self.host.problems.keys().isdisjoint(job.block.lineup)
