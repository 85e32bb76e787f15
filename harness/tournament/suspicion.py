"""Voids have a culprit: in whose matches the host is late more often than chance allows is told, then taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dalang.harness.statistics.lateness import Lateness
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.stored import StoredMatch

TOLD_BELOW = 1e-3
"""The chance below which the organiser is told."""
OUT_BELOW = 1e-6
"""The chance below which a bot is taken out."""
FEWEST_LATE = 10
"""Late matches of a bot before it is taken out: that a host was busy for a moment is nobody's guilt."""


class Suspicion(RunListener):
    """Watches in whose matches the host was late, so that the match was void and played again."""

    def __init__(
        self,
        tell: Callable[[str], None],
        take_out: Callable[[str, str], None],
        lateness: Lateness,
        out: Iterable[str] = (),
    ) -> None:
        self.tell = tell
        self.take_out = take_out
        """Called with the name of a bot and the reason."""
        self.lateness = lateness
        """Of all matches so far: who is resumed often is not tried anew each time."""
        self.suspected: set[str] = set()
        self.out = set(out)

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        for match in matches:
            self.lateness.add(match.result.names, match.voided > 0)
        if any(match.voided for match in matches):
            self.look_at(self.lateness.suspect())

    def too_busy(self, names: Sequence[str]) -> None:
        """The host was late so often that their match was given up."""
        self.lateness.add(names, was_late=True)
        self.look_at(self.lateness.suspect())

    def look_at(self, name: str) -> None:
        if name in self.out:
            return
        chance, late = self.lateness.chance(name), self.lateness.late_of[name]
        if chance < OUT_BELOW and late >= FEWEST_LATE:
            self.out.add(name)
            self.take_out(name, "the host was late in its matches")
            self.tell(f"{name} is withdrawn: {self.evidence(name)}")
        elif chance < TOLD_BELOW and name not in self.suspected:
            self.suspected.add(name)
            self.tell(f"{name} may be slowing this machine down: {self.evidence(name)}")

    def evidence(self, name: str) -> str:
        seen = self.lateness
        others, late = seen.matches - seen.matches_of[name], seen.late - seen.late_of[name]
        return (
            f"the host was late in {seen.late_of[name]} of its {seen.matches_of[name]} matches, and in {late} of "
            f"{others} without it"
        )
