"""What a bot may use: time, memory, words. Part of a run, recorded with it and told to the bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from dalang.engine.game import SetupError, quoted, unknown

MAX_STDERR_BYTES = 16 * 1024 * 1024
"""Bytes of stderr that a bot may write in one match; more is a flood."""

MAX_NOTES = 16 * 1024
"""Letters of notes that are kept of a seat in one match: whoever keeps the file pays for them."""

MAX_ERROR = 500
"""Letters that are kept of why a bot has no move."""

MAX_DETAIL = 2000
"""Letters that are kept of how a bot broke the contract: it may quote what the bot said, and its last words."""

LATE_SECONDS = 0.2
"""Seconds that the harness itself may be late in one match, or a tenth of the move time if that is more."""

MB = 1024 * 1024
MOST_SECONDS = 1_000_000_000
"""Of any limit on time: for ever, but a number that clocks can be set to."""
WALL, CPU = CLOCKS = ("wall", "cpu")
"""By what thinking is measured."""
MOST_MEMORY = 2**50
"""Bytes of any limit on memory: more than any machine has, but a number that a kernel takes."""


@dataclass(frozen=True)
class Limits:
    """Times are in seconds."""

    startup: float = 10.0
    """From the start of the process to its hello."""
    prepare: float = 10.0
    """From the start message of a match to ready."""
    move: float = 1.0
    """For each decision."""
    bank: float = 10.0
    """Per match, used up by whatever exceeds `move`."""
    memory: int | None = None
    """Bytes for a bot and all its children, of what they can write to; without isolation for each process, of its
    address space; None for no limit."""
    clock: str = WALL
    """What `move` and `bank` are measured by: the clock on the wall, or the processor time of all its processes."""

    def __post_init__(self) -> None:
        if self.clock not in CLOCKS:
            raise unknown("clock", str(self.clock), CLOCKS)
        for name in self.announced().keys() - {"clock"}:
            value = getattr(self, name)
            unit, most = ("bytes", MOST_MEMORY) if name == "memory" else ("seconds", MOST_SECONDS)
            if not 0 <= value <= most:
                raise SetupError(
                    f"the limit {name} must be a number of {unit}, at most {most}, not {quoted(value)}"
                )

    def lateness(self) -> float:
        """Seconds beyond which a match is void because the harness itself was late."""
        return max(LATE_SECONDS, self.move / 10)

    def patient(self) -> Limits:
        """The same without clocks, for a bot that somebody debugs."""
        return replace(self, startup=MOST_SECONDS, prepare=MOST_SECONDS, move=MOST_SECONDS)

    def announced(self) -> dict[str, Any]:
        """What the bot is told in `start`."""
        return {name: value for name, value in asdict(self).items() if value not in (None, WALL)}

    def changed(self, more: Mapping[str, Any]) -> Limits:
        """These limits, but for what somebody has limits of his own for."""
        return replace(self, **more) if more else self


class Clock:
    """One bot's time in one match."""

    __slots__ = ("announced", "bank", "move")

    def __init__(self, limits: Limits, told: Limits | None = None) -> None:
        self.move = limits.move
        self.bank = limits.bank
        self.announced: dict[str, float] = Clock(told).announced if told else self.announcement()
        """What the bot is told of it with every question; it changes only when the bank does."""

    def allowance(self) -> float:
        return self.move + self.bank

    def charge(self, seconds: float) -> None:
        if seconds > self.move:
            self.bank = max(0.0, self.bank - (seconds - self.move))
            self.announced = self.announcement()

    def announcement(self) -> dict[str, float]:
        return {"move": self.move, "bank": round(self.bank, 3)}
