"""A comparison is played like a tournament of a format of its own, and stopped as soon as it is decided."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import trio

from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult
from dalang.harness.cli.progress import watched
from dalang.harness.compare.verdict import BLOCKS, Comparison, Rule
from dalang.harness.match.arena import interruptible
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.schedule import COMPARE
from dalang.harness.tournament.store import Store, create_or_open

HANG = Limits(startup=60.0, prepare=60.0, move=60.0)
"""What bots may use that are shown no clock: who takes longer hangs."""


@dataclass(frozen=True)
class CompareConfig(Config):
    """The candidate is the first entrant, the baseline the second; all others are opponents."""

    format: str = COMPARE
    max_faults: int = 0
    """Nobody is withdrawn: faults are counted, and too many are a verdict."""
    rule: Rule = field(default_factory=lambda: Rule(BLOCKS))

    def terms(self, seed: str) -> Plain:
        return {**super().terms(seed), "compare": self.rule.terms()}


@contextmanager
def kept_in(db: Path | None) -> Iterator[Store]:
    """The file that was asked for, or one that is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="dalang-") as folder,
        create_or_open(db or Path(folder) / "compare.db") as store,
    ):
        yield store


@dataclass
class Compared:
    """A comparison that was played, and how long that took."""

    comparison: Comparison
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    """When each block was counted."""


def play(store: Store, config: CompareConfig) -> Compared:
    """Play until it is decided; blocks count in schedule order, so the number of workers decides nothing."""
    tournament = prepared(store, config, accept_changes=False)
    compared = Compared(Comparison(tournament.plan, config.rule))
    with watched(tournament, None):
        show = tournament.on_block

        def count(result: BlockResult) -> None:
            block = compared.comparison.add(result)
            if block:
                compared.times.append(monotonic())
                show(block.merged())
            if compared.comparison.is_over():
                tournament.stop()

        tournament.on_block = count
        begin = monotonic()
        trio.run(interruptible, tournament.run)
    compared.seconds = monotonic() - begin
    return compared
