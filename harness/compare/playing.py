"""A comparison is played like a tournament of a format of its own, and stopped as soon as it is decided."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import BlockResult
from dalang.harness.compare.verdict import Comparison
from dalang.harness.match.arena import interruptible
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.entry import Prepared, check_unchanged
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.luck import luck_of_matches
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.store import Span, Store
from dalang.harness.tournament.stored import StoredMatch

HANG = Limits(startup=60.0, prepare=60.0, move=60.0)
"""What bots may use that are shown no clock: who takes longer hangs."""


@contextmanager
def kept_in(db: Path | None) -> Iterator[Store]:
    """The file that was asked for, or one that is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="dalang-") as folder,
        create_or_open(db or Path(folder) / "compare.db") as store,
    ):
        yield store


class Compared(RunListener):
    """A comparison while it is played, and how long that took; whoever watches is told of whole blocks of it."""

    def __init__(self, comparison: Comparison, watcher: RunListener, store: Store) -> None:
        self.comparison = comparison
        self.store = store
        self.watcher = watcher
        self.seconds = 0.0
        self.times: list[float] = []
        """When each block was counted."""

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.watcher.finished(matches)

    def counted(self, result: BlockResult) -> None:
        """Blocks count in schedule order, so the number of workers decides nothing."""
        block = self.comparison.add(result, self.luck_in(result) if self.comparison.rule.luck else ())
        if block:
            self.times.append(monotonic())
            self.watcher.counted(block.merged())

    def luck_in(self, result: BlockResult) -> list[Sequence[float]]:
        """What luck did in the matches of a block, as the file tells them."""
        keys = [result.block.key(rotation) for rotation in range(len(result.matches))]
        return [match.by_seat for match in luck_of_matches(self.store, Span(keys[0], keys[-1]))]

    def left_out(self, match: str, reason: str) -> None:
        """A comparison without some of its blocks would be another."""
        raise SetupError(f"{match}: {reason}")

    def has_enough(self) -> bool:
        return self.comparison.is_over()


def play(
    store: Store, ready: Prepared, comparison: Comparison, watcher: RunListener, tell: Callable[[str], None]
) -> Compared:
    """Play until it is decided."""
    comparison.value = find_game(ready.plan.terms.game).value
    compared = Compared(comparison, watcher, store)
    begin = monotonic()
    trio.run(interruptible, Run(store, ready, [compared], tell).play)
    compared.seconds = monotonic() - begin
    check_unchanged(store, ready)
    return compared
