"""Who hears of a run while it is played."""

from __future__ import annotations

from collections.abc import Sequence

from dalang.harness.tournament.machine import Listener
from dalang.harness.tournament.stored import StoredMatch


class RunListener(Listener):
    """Hears of a run while it is played: of blocks that count, and of single matches before that."""

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        """These matches have come to their end; whoever listens first keeps them, so they are on the disk."""

    def left_out(self, match: str, reason: str) -> None:
        """This match could not be played, and its block does not count."""

    def taken_out(self, name: str) -> None:
        """This bot plays no more."""

    def has_enough(self) -> bool:
        """Whether no more need be played."""
        return False
