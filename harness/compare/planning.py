"""How many blocks a comparison will need, and how long they take: from a pilot that grows until it can tell.

How much a block varies is all that a pilot is for. A few blocks tell that badly, above all if most of them tie. So it
goes on until the variance may be hardly more than `CALM` times what was seen; and what is suggested is for as much
as it may be. `tests/bench/planning.py` measures how often that was enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import ceil, fsum, sqrt
from typing import NamedTuple

from tabulate import tabulate

from dalang.engine.game import Plain, SetupError
from dalang.harness.compare.pages import without_luck
from dalang.harness.compare.playing import Compared
from dalang.harness.compare.sprt import GREATEST, Sprt
from dalang.harness.compare.verdict import FINAL_ERROR, Comparison, PairedBlock
from dalang.harness.escaping import printable
from dalang.harness.statistics.intervals import farther_end, student_reach, tidy, variance_factors
from dalang.harness.statistics.sample import mean_of

FIRST_LOOK = {"place": 20, "score": 100}
"""Blocks of a pilot at least; what is rare among scores would not be seen in fewer."""
LOOKS_GROW = 1.25
"""From one look at the pilot to the next."""
MOST_OF_A_PILOT = 500
ALL_ALIKE = 150
"""Blocks that all end alike, after which nobody expects another."""
CALM = 2.0
"""Times the variance that was seen: a pilot that rules out more has told enough."""
UNSEEN_BLOCK = 0.5
"""Of a block, as far out as possible: what the pilot may have missed."""
BEYOND_SCORES = 2.0
"""Times the greatest square of a difference in score: nobody knows how far out another may be."""
LUCKY_STOP = 0.67
"""Of what is known of the variance, on its lower side: pilots end sooner where they have seen too much."""

POWERFUL = 1.6448536269514722
"""Standard errors that are to be passed in 95 of 100 cases."""
PATIENCE_OF_A_TEST = 3
"""Times as many blocks as a test takes on average halfway between its effects: hardly one takes longer."""
ROUGHLY = {True: 1.6, False: 3.0}
"""Times as many blocks as is foretold of a test, or as few: what differences of any shape cost is known no better."""
SKEWED_WELL = 1.5
"""Times fewer blocks for the interval, if great differences are rare and all on the right side."""

GREATEST_DIFFERENCE = 1e6
"""Of place or score; in no game are bots farther apart."""
LEAST = 0.001
"""Standard deviations of a block, below which no effect is planned for."""
LONG_ENOUGH = 1.0
"""Seconds between the first block and the last that tell how long one takes."""


# ---- How much a block varies


class Variances(NamedTuple):
    """What was seen, and between which bounds the truth lies in 95 of 100 pilots."""

    low: float
    seen: float
    high: float


def variances_of(comparison: Comparison) -> Variances:
    """The more of the variance comes from few blocks, the less is known of it.

    Half a block more as far out as possible, and the kurtosis of it all, say how many normal values would tell as much.
    """
    differences, seen = comparison.deciding_values(), comparison.deviation() ** 2
    number, mean = len(differences) + UNSEEN_BLOCK, mean_of(differences)
    squares = [(difference - mean) ** 2 for difference in differences]
    far = (comparison.span()[1] - mean) ** 2 if comparison.rule.is_bounded() else BEYOND_SCORES * max(squares)
    variance = (fsum(squares) + UNSEEN_BLOCK * far) / number
    kurtosis = (fsum(square**2 for square in squares) + UNSEEN_BLOCK * far**2) / number / variance**2
    freedom = max(2.0, min(len(differences) - 1.0, 2 * number / max(0.1, kurtosis - 1)))
    low, high = variance_factors(LUCKY_STOP * freedom)[0], variance_factors(freedom)[1]
    return Variances(low * seen, seen, high * max(seen, variance))


def blocks_to_see(wanted: float, variance: float, far: float) -> int:
    """With how many blocks the interval of `compare` does not reach across 0 in 95 of 100 cases.

    If this is the true difference, this the variance, and differences can be as far below 0 as `far`.
    """
    enough = 2
    while not is_seen(wanted, variance, far, enough):
        enough *= 2
    least = enough // 2
    while enough - least > 1:
        middle = (least + enough) // 2
        least, enough = (least, middle) if is_seen(wanted, variance, far, middle) else (middle, enough)
    return enough


def is_seen(wanted: float, variance: float, far: float, blocks: int) -> bool:
    unlucky = wanted - POWERFUL * sqrt(variance / blocks)
    reach = student_reach(blocks - 1, FINAL_ERROR)
    return unlucky > 0 and farther_end(blocks, unlucky, blocks * variance, -far, -reach) > 0


# ---- The pilot


@dataclass
class Sounding(Comparison):
    """The blocks of a pilot: over as soon as they tell well enough how much a block varies."""

    wanted: float = 0.0
    """The difference that one would not like to miss."""
    grows: bool = True
    """False if somebody has said how many blocks."""
    next_look: int = 0
    is_settled: bool = False

    def is_over(self) -> bool:
        return super().is_over() or self.is_settled

    def may_be_early(self) -> bool:
        """Who is better is not what a pilot is for."""
        return False

    def count(self, block: PairedBlock) -> None:
        super().count(block)
        self.look()

    def look(self) -> None:
        """Only now and then: who looks all the time stops at the first good luck."""
        number = len(self.differences)
        self.next_look = self.next_look or FIRST_LOOK[self.rule.by]
        if self.grows and number >= self.next_look:
            self.is_settled = self.tells_enough()
            self.next_look = ceil(LOOKS_GROW * number)

    def tells_enough(self) -> bool:
        """Nothing is gained by a pilot that is longer than what it suggests, either."""
        number = len(self.differences)
        if not self.deviation():
            return number >= ALL_ALIKE
        variances = variances_of(self)
        if variances.high <= CALM * variances.seen:
            return True
        return is_seen(self.wanted, variances.high, self.span()[1], number)


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
    """What the blocks of a pilot say, and the difference that one would not like to miss."""

    compared: Compared
    wanted: float

    def deviation(self) -> float:
        return self.compared.comparison.deviation()

    def variances(self) -> Variances:
        return variances_of(self.compared.comparison)

    def effect(self) -> float:
        """The wanted difference in standard deviations of a block, if these are as great as they may be."""
        return min(GREATEST, tidy(self.wanted / sqrt(self.variances().high), 3))

    def effect_seen(self) -> float:
        return min(GREATEST, self.wanted / self.deviation())

    def is_vague(self) -> bool:
        """Whether much more may be needed than what was seen would take."""
        variances = self.variances()
        return variances.high > 1.05 * CALM * variances.seen

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
        comparison = self.compared.comparison
        bounded, step = comparison.rule.is_bounded(), self.effect()
        low = 0.0 if bounded else -step / 2
        sprt, deviations = Sprt(low, tidy(low + step)), [sqrt(each) for each in self.variances()]
        lessons = comparison.lessons()
        at_most = lessons + ceil(PATIENCE_OF_A_TEST * sprt.expected_blocks(bounded)[1])
        luck = "--luck " if comparison.rule.luck else ""
        flags = f"{luck}--sprt {sprt.low:g},{sprt.high:g} --max-blocks {at_most}"
        roughly = ROUGHLY[bounded]
        for truth in (0.0, self.wanted / 2, self.wanted):
            blocks = [sprt.blocks_at(truth / deviation, bounded) for deviation in deviations]
            expected = (blocks[1], min(blocks) / roughly, roughly * max(blocks))
            yield self.need(flags, truth, *[lessons + each for each in expected])
        far = comparison.span()[1]
        least, usual, most = (blocks_to_see(self.wanted, each, far) for each in self.variances())
        yield self.need(f"{luck}--max-blocks {most}", self.wanted, usual, least / SKEWED_WELL, most)

    def need(self, flags: str, truth: float, *blocks: float) -> Need:
        """The blocks that it takes, the fewest and the most."""
        number, fewest, most = (max(2, ceil(each)) for each in blocks)
        return Need(flags, tidy(truth), number, fewest, most, round(number * self.seconds_per_block(), 3))

    def text(self) -> str:
        comparison = self.compared.comparison
        names, by = list(map(printable, comparison.plan.names)), comparison.rule.by
        difference = comparison.difference()
        effort = f"{comparison.matches} matches in {self.compared.seconds:.1f} s"
        interval = f"95 % from {difference.low:+.3f} to {difference.high:+.3f}"
        is_removed = comparison.rule.luck and not comparison.without_luck().is_off
        lines = [
            f"A pilot of {len(comparison.blocks)} blocks, {effort}: {names[0]} against {names[1]}",
            f"difference in {by} {difference.mean:+.3f}, {interval}",
            *([without_luck(comparison)] if comparison.rule.luck else []),
            f"one standard deviation of a block is {self.deviation():.3f}{', luck removed' * is_removed}",
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
        headers = ["decide with", "if the difference is", "blocks", "95 % between", "time"]
        table = tabulate(rows, headers=headers, disable_numparse=True)
        if self.is_vague():
            lines.append("The pilot leaves much open: rare blocks may differ by far more than most did.")
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
