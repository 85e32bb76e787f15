"""How many blocks a comparison will need, and how long they take: from a short pilot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import ceil, fsum, sqrt

from tabulate import tabulate

from dalang.engine.game import Plain, SetupError
from dalang.harness.compare.playing import Compared
from dalang.harness.compare.sprt import GREATEST, Sprt
from dalang.harness.escaping import printable
from dalang.harness.statistics.intervals import SURE, tidy, variance_factors
from dalang.harness.statistics.sample import mean_of

POWERFUL = 1.6448536269514722
"""Standard errors that are to be passed in 95 of 100 cases."""
GUARD = 1.1
"""Times as many blocks as Student's interval would need: the verdict's is wider."""
PATIENCE_OF_A_TEST = 3
"""Times as many blocks as a test takes on average halfway between its effects: hardly one takes longer."""

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

    def factors(self) -> tuple[float, float]:
        """Between which multiples of the variance that was seen the true one lies, as far as the pilot can tell.

        The more of it comes from few blocks, the less is known: half a block more as far out as possible, and the
        kurtosis of it all, say how many normal values would tell as much.
        """
        comparison = self.compared.comparison
        values = comparison.deciding_values()
        number, seen = len(values) + 0.5, self.deviation() ** 2
        mean, far = mean_of(values), comparison.span()[1]
        squares = [(difference - mean) ** 2 for difference in values]
        unseen = (far - mean) ** 2 if comparison.rule.is_bounded() else max(squares)
        variance = (fsum(squares) + unseen / 2) / number
        kurtosis = (fsum(square**2 for square in squares) + unseen**2 / 2) / number / variance**2
        low, high = variance_factors(max(2.0, min(number - 1.5, 2 * number / max(0.1, kurtosis - 1))))
        return low, high * max(1.0, variance / seen)

    def effect(self) -> float:
        """The wanted difference in standard deviations of a block, if these are as great as they may be."""
        return min(GREATEST, tidy(self.wanted / self.deviation() / sqrt(self.factors()[1]), 3))

    def effect_seen(self) -> float:
        return min(GREATEST, self.wanted / self.deviation())

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
        bounded = self.compared.comparison.rule.is_bounded()
        low, step = (0.0, self.effect()) if bounded else (-self.effect() / 2, self.effect())
        safe, seen = Sprt(low, tidy(low + step)), Sprt(0.0, self.effect_seen())
        at_most = ceil(PATIENCE_OF_A_TEST * safe.expected_blocks(bounded)[1])
        luck = "--luck " if self.compared.comparison.rule.luck else ""
        flags = f"{luck}--sprt {safe.low:g},{safe.high:g} --max-blocks {at_most}"
        for share, blocks in zip((0.0, 0.5, 1.0), seen.expected_blocks(bounded), strict=True):
            yield self.need(flags, share * self.wanted, blocks)
        blocks = GUARD * (SURE + POWERFUL) ** 2
        enough = max(2, ceil(blocks / self.effect() ** 2))
        yield self.need(f"{luck}--max-blocks {enough}", self.wanted, blocks / self.effect_seen() ** 2)

    def need(self, flags: str, truth: float, blocks: float) -> Need:
        number, fewest, most = (max(2, ceil(blocks * factor)) for factor in (1.0, *self.factors()))
        return Need(flags, tidy(truth), number, fewest, most, round(number * self.seconds_per_block(), 3))

    def text(self) -> str:
        comparison = self.compared.comparison
        names, by = list(map(printable, comparison.plan.names)), comparison.rule.by
        difference = comparison.deciding()
        effort = f"{comparison.matches} matches in {self.compared.seconds:.1f} s"
        interval = f"95 % from {difference.low:+.3f} to {difference.high:+.3f}"
        lines = [
            f"A pilot of {len(comparison.blocks)} blocks, {effort}: {names[0]} against {names[1]}",
            f"difference in {by}{', luck removed,' * comparison.rule.luck} {difference.mean:+.3f}, {interval}; "
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
            [
                *lines,
                f"{self.wanted:g} is {self.effect_seen():.3g} standard deviations, or {self.effect():g} if blocks "
                "vary as much as a pilot of this length may hide: what to decide with is for that; to see it takes",
                "",
                table,
            ]
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
            **({"luck_removed": asdict(comparison.deciding())} if comparison.rule.luck else {}),
            "deviation": self.deviation(),
            "effect": self.effect() if known else None,
            "seconds_per_block": round(self.seconds_per_block(), 6),
            "needs": [asdict(need) for need in self.needs()] if known else [],
        }


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds // 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
