"""A comparison is played like a tournament of a format of its own, and stopped as soon as it is decided."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import monotonic

import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import BlockResult, MatchKey
from dalang.harness.compare.verdict import Comparison
from dalang.harness.match.arena import interruptible
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import Played
from dalang.harness.tournament.entry import Prepared, check_unchanged
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.luck import luck_in_block
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.store import Store
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
        block = self.comparison.add(
            result, luck_in_block(self.store, result) if self.comparison.rule.luck else ()
        )
        if block:
            self.times.append(monotonic())
            self.watcher.counted(block.merged())

    def faulty_stories(self, most: int) -> Iterator[tuple[MatchKey, Played]]:
        """The first matches in which the candidate broke the contract, as the file tells them."""
        for block, match, _ in islice(self.comparison.faulty(), most):
            key = block.key_of(match)
            if story := self.store.story(key):
                yield key, story

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
