"""Pilots without games, whose differences are drawn from a known distribution: to see what a plan is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from random import Random

from dalang.harness.compare.planning import MOST_OF_A_PILOT, Need, Pilot, Sounding
from dalang.harness.compare.playing import Compared
from dalang.harness.compare.sprt import Sprt, Trial
from dalang.harness.compare.verdict import FINAL_ERROR, Rule
from dalang.harness.statistics.intervals import with_room
from dalang.harness.statistics.sample import mean_of
from dalang.harness.tournament.listeners import RunListener
from tests.duels import Draw, plan_for


class Drawn(Sounding):
    """A pilot by score whose scores nobody has seen: they can differ by so much."""

    farthest = 20.0

    def span(self) -> tuple[float, float]:
        return super().span() if self.rule.is_bounded() else (-self.farthest, self.farthest)


@dataclass(frozen=True)
class World:
    """Where blocks differ like this, and by what is wanted on average."""

    name: str
    draw: Draw
    by: str = "place"

    @cached_property
    def moments(self) -> tuple[float, float]:
        """The mean, and the standard deviation."""
        random = Random(self.name)
        values = [self.draw(random) for _ in range(40_000)]
        mean = mean_of(values)
        return mean, sqrt(mean_of([(value - mean) ** 2 for value in values]))

    def pilot(self, random: Random) -> Pilot:
        wanted = self.moments[0]
        sounding = Drawn(plan_for(2), Rule(MOST_OF_A_PILOT, by=self.by), wanted=wanted)
        while not sounding.is_settled and len(sounding.differences) < MOST_OF_A_PILOT:
            sounding.differences.append(self.draw(random))
            sounding.look()
        compared = Compared(sounding, RunListener(), None)
        compared.times, compared.seconds = [0.0] * len(sounding.differences), 1.0
        return Pilot(compared, wanted)

    def needed(self, runs: int) -> int:
        """The blocks with which a comparison by interval sees the difference in 95 of 100 runs."""
        least, enough = 2, 16
        while not self.is_seen(enough, runs):
            least, enough = enough, 2 * enough
        while enough - least > least // 20 + 1:
            middle = (least + enough) // 2
            least, enough = (least, middle) if self.is_seen(middle, runs) else (middle, enough)
        return enough

    def is_seen(self, blocks: int, runs: int) -> bool:
        random, span = Random(f"{self.name} {blocks}"), Drawn(plan_for(2), Rule(2, by=self.by)).span()
        lows = [
            with_room([self.draw(random) for _ in range(blocks)], span, FINAL_ERROR).low for _ in range(runs)
        ]
        return sum(low > 0 for low in lows) >= 0.95 * runs

    def is_accepted(self, flags: str, random: Random) -> tuple[bool, int]:
        """Whether a test with these flags finds the difference, and after how many blocks it ends."""
        _, effects, _, most = flags.split()
        sprt = Sprt(*map(float, effects.split(",")))
        trial = Trial(sprt, 1.0 if self.by == "place" else None)
        while trial.accepted() is None and trial.number < int(most):
            trial.add(self.draw(random))
        return trial.accepted() == sprt.high, trial.number


def plans(world: World, pilots: int) -> Iterator[tuple[Pilot, list[Need]]]:
    """Each with what it says is needed; one that saw no difference says nothing."""
    random = Random(f"pilots {world.name}")
    for _ in range(pilots):
        pilot = world.pilot(random)
        yield pilot, list(pilot.needs()) if pilot.deviation() else []
