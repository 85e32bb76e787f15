"""What the blocks of a comparison say, counted in schedule order: the difference, the faults, and the verdict."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from math import fsum, sqrt
from operator import mul

from dalang.engine.game import Plain, SetupError
from dalang.engine.luck import MOST_LUCK
from dalang.engine.value import EVEN, Value
from dalang.harness.blocks import BlockResult, MatchKey, MatchResult, place_value
from dalang.harness.compare.sprt import Sprt, Trial
from dalang.harness.statistics.anytime import Wager, estimate_anytime
from dalang.harness.statistics.intervals import ERROR, Estimate, tidy, with_room
from dalang.harness.statistics.luck import (
    GREATEST_WEIGHT,
    Corrected,
    SeatLuck,
    Sums,
    Variates,
    corrected,
    variance,
)
from dalang.harness.statistics.sample import mean_of, tamed
from dalang.harness.tournament.schedule import Plan
from dalang.harness.tournament.schedule.paired import lineups
from dalang.harness.tournament.terms import Terms

GOOD, WORSE, UNDECIDED, FAULTY = "good", "worse", "undecided", "faulty"
NOT_BETTER = "not better"
"""Where a sequential test asked for more than that it is no worse, and this was refuted."""
DENIALS = (WORSE, NOT_BETTER)
FEWEST = 2
"""Blocks that can differ."""
LESSONS = 16
"""Until manners are known blocks vary more than a test takes them to; with half as many it erred in 7 of 100 cases."""
LOOKS_ERROR = 0.005
"""How often the looks after every block may be wrong, all together; the last look has the rest."""
FINAL_ERROR = ERROR - LOOKS_ERROR
BLOCKS, BLOCKS_OF_A_TEST = 200, 2000
"""How many blocks are played at most if nobody says: by the interval, and by a sequential test."""

MEASURES: dict[str, Callable[[MatchResult, int], float]] = {
    "place": lambda match, seat: place_value(match.ranks, seat),
    "score": lambda match, seat: float(tamed(match.scores[seat])),
}
"""What a seat has achieved in a match. Who faulted is last; the score of its seat is the stand-in's."""
BOUNDS = {"place": 1.0, "score": None}
"""Beyond which no difference can lie."""


@dataclass(frozen=True)
class Rule:
    """How it is decided; settled before the first match."""

    blocks: int
    """At most."""
    by: str = "place"
    sprt: Sprt | None = None
    """None to decide by the interval."""
    margin: float = 0.0
    """Without a sequential test: how much worse is still good."""
    max_fault_rate: float = 0.0
    """The share of its seats in which a bot may fault: the candidate, or there is nothing to compare it with."""
    luck: bool = False
    """Whether the luck of the draws is taken out of the differences before they count."""

    def __post_init__(self) -> None:
        if self.blocks < FEWEST:
            raise SetupError(f"--max-blocks must be at least {FEWEST}, not {self.blocks}")
        if self.luck and self.by != "place":
            raise SetupError("--luck goes with --by place: luck is told in places")
        if self.sprt and not self.bound():
            self.sprt.check_without_bound()

    def is_bounded(self) -> bool:
        """Whether there are differences beyond which none can lie: scores have none, and luck a far one."""
        return BOUNDS[self.by] is not None and not self.luck

    def bound(self) -> float | None:
        """Beyond which nothing can lie that is tested, if there is a bound.

        Luck has one if manners are left alone, but that is far away: a test that can do without a bound does.
        """
        if self.luck and self.sprt and not self.sprt.needs_bound():
            return None
        found = BOUNDS[self.by]
        return found + 2 * MOST_LUCK if found and self.luck else found

    def terms(self) -> Plain:
        """As the file keeps it. More blocks may continue a sequential test; an interval is looked at only once."""
        terms = asdict(self)
        unsaid = {"blocks": bool(self.sprt), "luck": not self.luck}
        return {key: value for key, value in terms.items() if not unsaid.get(key)}

    @classmethod
    def of_terms(cls, terms: Terms) -> Rule:
        """The rule whose `terms()` these are a part of."""
        said = {"blocks": terms.blocks, **(terms.compare or {})}
        known = {name: said[name] for name in cls.__dataclass_fields__ if name in said}
        return cls(**known | {"sprt": Sprt(**said["sprt"]) if said.get("sprt") else None})


@dataclass(frozen=True)
class PairedBlock:
    """One deal with candidate and baseline in every chair: the blocks of one round of the schedule."""

    lineups: tuple[BlockResult, ...]
    luck: tuple[SeatLuck, ...] = ()
    """What luck did in all its matches, if somebody wants to know."""

    @property
    def number(self) -> int:
        return self.lineups[0].block.round

    def matches(self) -> Iterator[MatchResult]:
        for result in self.lineups:
            yield from result.matches

    def key_of(self, match: MatchResult) -> MatchKey:
        for result in self.lineups:
            for rotation, each in enumerate(result.matches):
                if each is match:
                    return result.block.key(rotation)
        raise LookupError("this match is not in this block")

    def mean(self, name: str, by: str) -> float:
        """What a bot has achieved on average over all the chairs it sat in."""
        return mean_of([value for match in self.matches() for value in values_of(match, name, by)])

    def luck_of(self, name: str, bots: Sequence[str]) -> Variates:
        """What luck did for a bot on average over all the chairs it sat in, and by the manners of these."""
        found = []
        for match, luck in zip(self.matches(), self.luck, strict=True):
            chairs = [[seat for seat, sitting in enumerate(match.names) if sitting == bot] for bot in bots]
            found += [
                luck.variates(seat, *chairs) for seat, sitting in enumerate(match.names) if sitting == name
            ]
        return tuple(map(mean_of, zip(*found, strict=True)))

    def bounded_luck_of(self, name: str) -> float:
        """The same as far as it has a bound."""
        return mean_of(
            [
                luck.bounded[seat]
                for match, luck in zip(self.matches(), self.luck, strict=True)
                for seat, sitting in enumerate(match.names)
                if sitting == name
            ]
        )

    def merged(self) -> BlockResult:
        """As one block, for whoever counts blocks."""
        return BlockResult(self.lineups[0].block, tuple(self.matches()))


def values_of(match: MatchResult, name: str, by: str) -> list[float]:
    return [MEASURES[by](match, seat) for seat, sitting in enumerate(match.names) if sitting == name]


@dataclass
class Comparison:
    """The blocks that count so far; it is over as soon as the verdict cannot change any more."""

    plan: Plan
    rule: Rule
    blocks: list[PairedBlock] = field(default_factory=list)
    means: dict[str, list[float]] = field(default_factory=dict)
    """Of candidate and baseline, by block."""
    differences: list[float] = field(default_factory=list)
    """Candidate minus baseline, by block."""
    trial: Trial | None = None
    """The sequential test, if one decides."""
    faults: dict[str, Counter[str]] = field(default_factory=dict)
    """By bot and kind."""
    seats: Counter[str] = field(default_factory=Counter)
    """How often each has sat down."""
    matches: int = 0
    accepted: float | None = None
    """The effect that the sequential test decided for."""
    wager: Wager | None = None
    """The looks after every block, if they decide."""
    early: int = 0
    """1 if a look before the last block found the difference above minus the margin, -1 if below it."""
    part: list[BlockResult] = field(default_factory=list)
    """The line-ups of the next block that are finished."""
    luck_so_far: list[SeatLuck] = field(default_factory=list)
    """What luck did in their matches."""
    value: Value = EVEN
    """By what luck is told."""
    luck: list[Variates] = field(default_factory=list)
    """What luck did to each difference, where it is taken out."""
    seen: Sums = field(default_factory=Sums)
    """What the differences so far say about luck, for the test."""

    def __post_init__(self) -> None:
        self.candidate, self.baseline = self.plan.names[:2]
        self.means = {self.candidate: [], self.baseline: []}
        self.faults = {name: Counter() for name in self.plan.names}
        if self.rule.sprt:
            self.trial = Trial(self.rule.sprt, self.rule.bound())
        elif self.rule.is_bounded() and self.rule.margin < self.span()[1]:
            self.wager = Wager(-self.rule.margin, self.span())

    def add(self, result: BlockResult, luck: Sequence[SeatLuck] = ()) -> PairedBlock | None:
        """Count the next line-up of the schedule; what comes after the end does not count."""
        if self.is_over():
            return None
        if self.part and self.part[0].block.round != result.block.round:
            self.part, self.luck_so_far = [], []
        self.part.append(result)
        self.luck_so_far += luck
        if len(self.part) < len(lineups(self.plan, result.block.round)):
            return None
        block = PairedBlock(tuple(self.part), tuple(self.luck_so_far))
        self.part, self.luck_so_far = [], []
        self.count(block)
        return block

    def count(self, block: PairedBlock) -> None:
        self.blocks.append(block)
        for name, means in self.means.items():
            means.append(block.mean(name, self.rule.by))
        self.differences.append(round(self.means[self.candidate][-1] - self.means[self.baseline][-1], 12))
        for match in block.matches():
            self.matches += 1
            self.seats.update(match.names)
            for name, fault in zip(match.names, match.faults, strict=True):
                if fault:
                    self.faults[name][fault] += 1
        if self.rule.luck:
            ours, theirs = (block.luck_of(name, (self.candidate, self.baseline)) for name in self.means)
            self.luck.append(tuple(round(one - two, 12) for one, two in zip(ours, theirs, strict=True)))
        if self.trial:
            tested = self.tested()
            if self.rule.bound() or len(self.blocks) > self.lessons():
                self.trial.add(tested)
                self.accepted = self.trial.accepted()
        if self.wager:
            self.wager.add(self.differences[-1])
            self.early = self.wager.lies(LOOKS_ERROR) if self.may_be_early() else 0

    def may_be_early(self) -> bool:
        """Not at the last block, and not while there are so many faults that more blocks may put right."""
        return len(self.blocks) < self.rule.blocks and not any(map(self.faults_too_often, self.plan.names))

    def lessons(self) -> int:
        """From so many blocks manners are learnt before the first is tested, by a test without a bound."""
        return LESSONS if self.rule.luck and self.value.manners else 0

    def tested(self) -> float:
        """The last difference as it counts; how much of its luck is taken out was settled by those before it."""
        if not self.rule.luck:
            return self.differences[-1]
        luck, most = self.luck[-1], GREATEST_WEIGHT
        if self.rule.bound():
            ours, theirs = map(self.blocks[-1].bounded_luck_of, self.means)
            luck, most = (ours - theirs,), 1.0
        first, *manners = self.seen.weights(self.value.weight, len(luck))
        self.seen = self.seen.and_also(self.differences[-1], luck)
        return round(self.differences[-1] - fsum(map(mul, [min(most, first), *manners], luck)), 12)

    # ---- What was seen

    def difference(self) -> Estimate:
        """As it was seen."""
        if self.early:
            return estimate_anytime(self.differences, self.span(), LOOKS_ERROR)
        return with_room(self.differences, self.span(), FINAL_ERROR if self.wager else ERROR)

    def without_luck(self) -> Corrected:
        """The differences with luck removed, as far as all others say that this helps."""
        return corrected(self.differences, self.luck, self.value.weight)

    def deciding(self) -> Estimate:
        """The difference by which it is decided: with luck removed something rare may be unseen as well."""
        return with_room(self.without_luck().values, self.span()) if self.rule.luck else self.difference()

    def deciding_values(self) -> Sequence[float]:
        """Its values, block by block."""
        return self.without_luck().values if self.rule.luck else self.differences

    def span(self) -> tuple[float, float]:
        """Between which values a difference can lie; of scores, as far as they have been seen."""
        if self.rule.by == "place":
            return (-1.0, 1.0)
        scores = [
            tamed(score) for block in self.blocks for match in block.matches() for score in match.scores
        ]
        width = float(max(scores, default=0) - min(scores, default=0))
        return (-width, width)

    def deviation(self) -> float:
        """The standard deviation of a block's difference; 0 if there is none or nothing is known of it."""
        return tidy(sqrt(variance(self.deciding_values())))

    def effect(self) -> float | None:
        """None while nothing varies: then it has no measure."""
        deviation = self.deviation()
        return tidy(mean_of(self.deciding_values()) / deviation) if deviation else None

    def blocks_if_alike(self) -> int | None:
        """How many blocks would decide it if all ended like those so far, which end alike; None if they do not."""
        if len(set(self.differences)) != 1 or not any(self.differences) or self.rule.luck:
            return None
        more = range(len(self.blocks) + 1, BLOCKS_OF_A_TEST + 1)
        if self.trial:
            return next(filter(self.tested_alike(self.trial), more), None)
        found = bisect_left(more, True, key=self.tells_alike)
        return more[found] if found < len(more) else None

    def tested_alike(self, trial: Trial) -> Callable[[int], bool]:
        """Whether one more block that ends like the first would decide the test, asked again and again."""
        going_on = deepcopy(trial)

        def is_decided(number: int) -> bool:
            going_on.add(self.differences[0])
            return going_on.accepted() is not None

        return is_decided

    def tells_alike(self, number: int) -> bool:
        """Whether the interval of so many blocks that all end like the first would decide it."""
        found = with_room(self.differences[:1] * number, self.span(), FINAL_ERROR if self.wager else ERROR)
        return not found.low <= -self.rule.margin <= found.high

    def fault_rate(self, name: str) -> float:
        """The share of its seats in which a bot has faulted."""
        return tidy(self.faults[name].total() / self.seats[name]) if self.seats[name] else 0.0

    def broken(self) -> list[str]:
        """Who else faults too often, so that a comparison with it, or in its company, says nothing."""
        return [name for name in self.plan.names[1:] if self.faults_too_often(name)]

    def faults_too_often(self, name: str) -> bool:
        return self.fault_rate(name) > self.rule.max_fault_rate

    # ---- What follows

    def is_over(self) -> bool:
        decided = self.accepted is not None or bool(self.early)
        return (
            decided
            or len(self.blocks) == self.rule.blocks
            or any(map(self.is_certainly_faulty, self.plan.names))
        )

    def is_certainly_faulty(self, name: str) -> bool:
        """Whether a bot that sits as often as so far would fault too often even if it never did again."""
        if not self.blocks:
            return False
        in_all = self.seats[name] / len(self.blocks) * self.rule.blocks
        return self.faults[name].total() > self.rule.max_fault_rate * in_all

    def is_biased(self) -> bool:
        """Whether it ended because of what was seen: then the estimate tends to say too much."""
        return self.accepted is not None or len(self.blocks) < self.rule.blocks

    def verdict(self) -> str:
        if self.faults_too_often(self.candidate):
            return FAULTY
        if self.broken():
            return UNDECIDED
        if self.rule.sprt:
            low, high = self.rule.sprt.low, self.rule.sprt.high
            verdicts = {high: GOOD, low: WORSE if low < 0 else NOT_BETTER}
            return UNDECIDED if self.accepted is None else verdicts[self.accepted]
        if self.early:
            return GOOD if self.early > 0 else WORSE
        difference = self.deciding()
        if difference.low > -self.rule.margin:
            return GOOD
        return WORSE if difference.high < -self.rule.margin else UNDECIDED

    # ---- What to look at

    def worst(self, number: int) -> list[tuple[PairedBlock, float]]:
        """The blocks that went worst for the candidate, with their differences; none that went well."""
        ranked = sorted(zip(self.blocks, self.differences, strict=True), key=lambda each: each[1])
        return [(block, difference) for block, difference in ranked[:number] if difference < 0]

    def worst_match(self, block: PairedBlock) -> MatchResult:
        """The match of a block in which the candidate did worst."""
        by = self.rule.by
        sat = [match for match in block.matches() if self.candidate in match.names]
        return min(sat, key=lambda match: mean_of(values_of(match, self.candidate, by)))

    def faulty(self) -> Iterator[tuple[PairedBlock, MatchResult, str]]:
        """Every match in which the candidate faulted, with the kind of fault."""
        for block in self.blocks:
            for match in block.matches():
                for name, fault in zip(match.names, match.faults, strict=True):
                    if fault and name == self.candidate:
                        yield block, match, fault
