"""How many blocks a comparison will need, and how long they take: from a short pilot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import ceil, sqrt

from tabulate import tabulate

from dalang.engine.game import Plain, SetupError
from dalang.harness.compare.playing import Compared
from dalang.harness.compare.sprt import GREATEST, Sprt
from dalang.harness.escaping import printable
from dalang.harness.statistics.intervals import tidy

SURE, POWERFUL = 1.959963984540054, 1.6448536269514722
"""Standard errors of a 95 % interval on either side, and of one that is to be passed in 95 of 100 cases."""


LEAST = 0.001
"""Standard deviations of a block, below which no effect is planned for."""
LONG_ENOUGH = 1.0
"""Seconds between the first block and the last that tell how long one takes."""


@dataclass(frozen=True)
class Need:
    """What one way of deciding takes."""

    flags: str
    truth: float
    """If this is the true difference."""
    blocks: int
    fewest: int
    most: int
    """As far as the pilot can tell how much a block varies."""
    seconds: float


@dataclass(frozen=True)
class Pilot:
    """A few blocks, and the difference that one would not like to miss."""

    compared: Compared
    wanted: float

    def deviation(self) -> float:
        return self.compared.comparison.deviation()

    def effect(self) -> float:
        """The wanted difference in standard deviations of a block."""
        return min(GREATEST, tidy(self.wanted / self.deviation(), 3))

    def check(self) -> None:
        """A difference can be too small to be planned for, once it is known how much a block varies."""
        if self.deviation() and self.effect() < LEAST:
            raise SetupError(
                f"--effect {self.wanted:g} is less than a thousandth of what a block varies by, "
                f"{self.deviation():.3g}; nobody can play so many blocks"
            )

    def seconds_per_block(self) -> float:
        """Between the first and the last block that counted, when the workers were at work.

        Quick blocks come in together, and nothing lies between them; then the whole pilot, with all that a run has to
        begin with, is the better guess.
        """
        times = self.compared.times
        between = times[-1] - times[0]
        return between / (len(times) - 1) if between > LONG_ENOUGH else self.compared.seconds / len(times)

    def needs(self) -> Iterator[Need]:
        sprt = Sprt(0.0, self.effect())
        for share, blocks in zip((0.0, 0.5, 1.0), sprt.expected_blocks(), strict=True):
            yield self.need(f"--sprt 0,{sprt.high:g}", share * self.wanted, blocks)
        blocks = ((SURE + POWERFUL) / self.effect()) ** 2
        yield self.need(f"--max-blocks {max(2, ceil(blocks))}", self.wanted, blocks)

    def need(self, flags: str, truth: float, blocks: float) -> Need:
        low, high = variance_factors(len(self.compared.times) - 1)
        number, fewest, most = (max(2, ceil(blocks * factor)) for factor in (1.0, low, high))
        return Need(flags, tidy(truth), number, fewest, most, round(number * self.seconds_per_block(), 3))

    def text(self) -> str:
        comparison = self.compared.comparison
        names, by = list(map(printable, comparison.plan.names)), comparison.rule.by
        difference = comparison.difference()
        effort = f"{comparison.matches} matches in {self.compared.seconds:.1f} s"
        interval = f"95 % from {difference.low:+.3f} to {difference.high:+.3f}"
        lines = [
            f"A pilot of {len(comparison.blocks)} blocks, {effort}: {names[0]} against {names[1]}",
            f"difference in {by} {difference.mean:+.3f}, {interval}; "
            f"one standard deviation of a block is {self.deviation():.3f}",
        ]
        if not self.deviation():
            return "\n".join(
                [*lines, "All blocks ended alike: nothing can be planned by that; try more --blocks."]
            )
        rows = [
            [
                need.flags,
                f"{need.truth:+.3f}",
                need.blocks,
                f"{need.fewest} and {need.most}",
                duration(need.seconds),
            ]
            for need in self.needs()
        ]
        headers = ["decide with", "if the difference is", "blocks", "likely between", "time"]
        table = tabulate(rows, headers=headers, disable_numparse=True)
        return "\n".join(
            [*lines, f"{self.wanted:g} is {self.effect():g} standard deviations; to see it takes", "", table]
        )

    def data(self) -> Plain:
        comparison = self.compared.comparison
        known = bool(self.deviation())
        return {
            "candidate": comparison.plan.names[0],
            "baseline": comparison.plan.names[1],
            "by": comparison.rule.by,
            "wanted": self.wanted,
            "blocks": len(comparison.blocks),
            "difference": asdict(comparison.difference()),
            "deviation": self.deviation(),
            "effect": self.effect() if known else None,
            "seconds_per_block": round(self.seconds_per_block(), 6),
            "needs": [asdict(need) for need in self.needs()] if known else [],
        }


def variance_factors(freedom: int) -> tuple[float, float]:
    """Between which multiples of the variance that was seen the true one lies in 95 of 100 cases.

    The quantiles of chi-square are Wilson and Hilferty's.
    """
    spread = 2 / (9 * freedom)
    low, high = ((1 - spread + sign * SURE * sqrt(spread)) ** 3 for sign in (1, -1))
    return 1 / low, 1 / max(high, 1e-3)


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds // 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
