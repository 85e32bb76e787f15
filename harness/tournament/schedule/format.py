"""What a format of tournament is: how it goes on, how long it is, how it places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from math import comb
from typing import ClassVar

from dalang.engine.game import SetupError, quoted
from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule.plan import Plan
from dalang.harness.tournament.terms import Terms

MOST_BLOCKS = 10_000_000
"""More than any machine plays, and a schedule of so many still has room in memory."""


@dataclass
class SoFar:
    """What has come of a tournament when its next round is asked for; whoever asks keeps it up to date."""

    results: list[BlockResult] = field(default_factory=list)
    """The blocks that count, in schedule order; only formats that adapt look at them."""
    out: Collection[str] = ()
    """Who is withdrawn from this round on."""


class Format(ABC):
    """One way to hold a tournament; the docstring of each is its rules, for `dalang formats` and docs/formats.md."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """What it is for, in half a line."""
    adapts: ClassVar[bool] = False
    """Whether the next round depends on the results of those before."""
    passes: ClassVar[bool] = False
    """Whether rounds that are known may be passed over: neither later ones nor a decision hang on them."""
    grows: ClassVar[bool] = True
    """Whether bots may join later."""
    lengthens: ClassVar[bool] = True
    """Whether more blocks may be agreed on later: they come after all others."""
    ends: ClassVar[bool] = True
    """Whether there is a last round, after which all is known."""
    order: ClassVar[str] = "trueskill"
    """What decides the places, where the format itself does not."""

    @abstractmethod
    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[Sequence[Block]]:
        """Round by round the blocks to be played, their numbers counting from 0 over the whole tournament.

        One that adapts reads `so_far` when its next round is asked for, so ask only when all blocks before it are
        finished or skipped. Results of later blocks are not looked at.
        """

    def total(self, plan: Plan) -> int | None:
        """How many blocks the whole schedule has, where that can be told without walking it."""
        return None

    def share_without(self, plan: Plan, out: Collection[str]) -> float:
        """Of a schedule that is known beforehand: about how large a share of the blocks has none of these in it."""
        bots = len(plan.entries)
        return comb(bots - len(out), plan.seats) / comb(bots, plan.seats)

    def rules(self) -> str:
        """All that an organiser or an author has to know of it."""
        return cleandoc(type(self).__doc__ or "")

    def placing(
        self, plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str]
    ) -> list[str] | None:
        """All bots, best first, where the format itself decides that; None where ratings do."""
        return None

    def doubt(self, terms: Terms) -> float:
        """How many times as great as the fit says its errors are: more than 1 where luck decides who meets whom."""
        return 1.0

    def check(self, plan: Plan) -> None:
        """Refuse a plan that cannot be played, with one line that says what to do."""
        if plan.seats < 2:
            raise SetupError("a table needs at least 2 seats")
        self.check_field(plan)
        if len(set(plan.names)) < len(plan.entries):
            raise SetupError("two bots have the same name: rename one of them with NAME=")
        if not 1 <= plan.blocks <= MOST_BLOCKS:
            raise SetupError(
                f"the number of blocks must be at least 1 and at most {MOST_BLOCKS}, not {quoted(plan.blocks)}"
            )
        if not self.grows and plan.beginners() < len(plan.entries):
            raise SetupError(f"nobody can join a {self.name} that has begun: start a new tournament")
        self.check_advance(plan)

    def check_field(self, plan: Plan) -> None:
        if plan.beginners() < plan.seats:
            raise SetupError(
                f"{plan.beginners()} bots cannot fill a table of {plan.seats}: add bots or use fewer seats"
            )

    def check_advance(self, plan: Plan) -> None:
        if plan.terms.advance is not None:
            raise SetupError(f"advance is for knockouts, not for a {self.name}")
