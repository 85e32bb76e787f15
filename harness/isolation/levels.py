"""The levels of isolation, the strongest first, and which of them is to be had here."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dalang.engine.game import Plain, SetupError, unknown
from dalang.harness.isolation.bare import Bare
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.restricted import Restricted
from dalang.harness.isolation.sandbox import Sandbox

LEVELS: dict[str, Isolation] = {each.level: each for each in (Sandbox(), Restricted(), Bare())}
NONE = LEVELS[Bare.level]
AUTO = "auto"
"""The strongest that works here."""
CHOICES = (*LEVELS, AUTO)


def find_isolation(level: str) -> Isolation:
    """The level of this name, whether it works here or not."""
    if level not in LEVELS:
        raise unknown("level of isolation", level, CHOICES)
    return LEVELS[level]


def isolation_that_works(level: str) -> Isolation:
    """The level that was asked for; one that was named and does not work is never replaced by another."""
    if level == AUTO:
        return next(each for each in LEVELS.values() if not each.problem())
    found = find_isolation(level)
    if problem := found.problem():
        raise SetupError(f"bots cannot be isolated as asked, by --isolate {level}: {problem}")
    return found


def settled(asked: str, agreed: str | None) -> str:
    """The level of a run: that of the file which it goes on with, unless another is asked for by name."""
    wanted = agreed if agreed is not None and asked == AUTO else asked
    return isolation_that_works(wanted).level


@dataclass(frozen=True)
class Diagnosis:
    """Whether a level works here."""

    level: str
    works: bool
    problem: str
    chosen: bool
    """Whether it is the one that `auto` means."""

    def data(self) -> Plain:
        return asdict(self)


def diagnoses() -> list[Diagnosis]:
    chosen = isolation_that_works(AUTO)
    return [
        Diagnosis(level, not each.problem(), each.problem(), each is chosen) for level, each in LEVELS.items()
    ]
