"""How strong everybody is, whomever it met: a Bradley-Terry fit whose error bars are computed over deals.

Who is before whom at a table is taken as one comparison of each two, a tie counting half, and strengths are fitted such
that everybody comes before the others as often as it did before those whom it met. So beating the strong is worth more
than beating the weak. The comparisons of a table, and those of one deal, hang together, which the fit may overlook, but
not its error bars: these are computed from what each deal contributed to the fit (the sandwich estimate, clustered by
deal, with what the fit has followed given back to the residuals).

What is told is the share of the others that a bot would come before if it met all of them equally often. Where it did,
this is the share that it beat.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, fsum, sqrt
from operator import mul

from dalang.harness.statistics.connected import parts
from dalang.harness.statistics.sample import Sample

WEAK_PRIOR = 0.01
"""How firmly all are believed to be equal before the first deal; so that nobody's strength is infinite."""
MOST_STEPS = 50
SMALL_STEP = 1e-10
MOST_LEVERAGE = 0.99

Matrix = list[list[float]]
Row = Sequence[float]
Influence = tuple[tuple[int, float], ...]
"""What a unit contributes, by number of a bot."""


@dataclass(frozen=True)
class Strengths:
    """All figures are by number of a bot, in the order of the sample's names."""

    part: list[int]
    """Bots with the same number here have met, or have met others who have, and so on; others cannot be compared."""
    share: list[float]
    """Of the others of its part, that it would come before."""
    covariance: Matrix
    """Of the shares."""
    units: list[int]
    """The deals of each."""
    decided: list[int]
    """Those of them in which it was not just level."""

    def error(self, bot: int) -> float:
        return sqrt(max(0.0, self.covariance[bot][bot]))

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """By which the one is stronger, and the standard error of that."""
        mine, theirs = self.covariance[one], self.covariance[other]
        variance = mine[one] + theirs[other] - 2 * mine[other]
        return self.share[one] - self.share[other], sqrt(max(0.0, variance))


def strengths(sample: Sample, doubt: float = 1.0) -> Strengths:
    """Errors are taken for so many times as great as the deals say."""
    table = Comparisons(sample)
    part = [0] * len(table.won)
    for number, bots in enumerate(parts(len(table.won), table.pairs)):
        for bot in bots:
            part[bot] = number
    skills = fitted(table)
    information = table.information(skills)
    factor = cholesky(information)
    effect = [[doubt * value for value in solved(factor, row)] for row in share_gradient(skills, part)]
    covariance = product(product(effect, table.meat(skills, information)), transposed(effect))
    return Strengths(part, shares(skills, part), covariance, table.units, table.decided)


class Comparisons:
    """What the blocks say of each two bots."""

    def __init__(self, sample: Sample) -> None:
        number = {name: at for at, name in enumerate(sample.names)}
        self.patterns = [
            tuple((number[one], number[other], value) for (one, other), value in pattern.pairs.items())
            for pattern in sample.patterns.values()
        ]
        self.company = [[number[name] for name in pattern.company] for pattern in sample.patterns.values()]
        self.by_unit = units_of(sample)
        self.met: Matrix = [[0.0] * len(number) for _ in number]
        self.won = [0.0] * len(number)
        for pattern, times in zip(self.patterns, sample.times, strict=True):
            for one, other, value in pattern:
                self.met[one][other] += times
                self.met[other][one] += times
                self.won[one] += times * value
                self.won[other] += times * (1 - value)
        self.pairs = [pair for pair in combinations(range(len(number)), 2) if self.met[pair[0]][pair[1]]]
        self.units, self.decided = self.counted(len(number))

    def counted(self, bots: int) -> tuple[list[int], list[int]]:
        """By bot the units in which it was, and those in which it was before or behind somebody."""
        units, decided = [0] * bots, [0] * bots
        for unit, times in self.by_unit.items():
            net: defaultdict[int, float] = defaultdict(float)
            for number, blocks in unit:
                for bot in self.company[number]:
                    net[bot] += 0.0
                for one, other, value in self.patterns[number]:
                    net[one] += blocks * (value - 0.5)
                    net[other] -= blocks * (value - 0.5)
            for bot, result in net.items():
                units[bot] += times
                decided[bot] += times * (abs(result) > 1e-9)
        return units, decided

    def information(self, skills: Row) -> Matrix:
        matrix = [[0.0] * len(skills) for _ in skills]
        for one, other in self.pairs:
            weight = self.met[one][other] * spread_of(skills[one] - skills[other])
            matrix[one][other] = matrix[other][one] = -weight
        for bot, row in enumerate(matrix):
            row[bot] = WEAK_PRIOR - fsum(row)
        return matrix

    def surprise(self, skills: Row) -> list[float]:
        """By how much everybody won more than was to be expected."""
        expected = [[-WEAK_PRIOR * skill] for skill in skills]
        for one, other in self.pairs:
            chance = chance_before(skills[one] - skills[other])
            expected[one].append(-self.met[one][other] * chance)
            expected[other].append(-self.met[one][other] * (1 - chance))
        return [won + fsum(each) for won, each in zip(self.won, expected, strict=True)]

    def meat(self, skills: Row, information: Matrix) -> Matrix:
        """How much the contributions of the units vary."""
        matrix = [[0.0] * len(skills) for _ in skills]
        for unit, times in self.by_unit.items():
            influence = self.influence(unit, skills, information)
            for one, mine in influence:
                row = matrix[one]
                for other, theirs in influence:
                    row[other] += times * mine * theirs
        return matrix

    def influence(self, unit: Unit, skills: Row, information: Matrix) -> Influence:
        """What a unit contributed to the fit, put right for the part of it that the fit has followed."""
        surprise: defaultdict[int, float] = defaultdict(float)
        own: defaultdict[int, float] = defaultdict(float)
        for number, blocks in unit:
            for one, other, value in self.patterns[number]:
                gap = skills[one] - skills[other]
                news, weight = blocks * (value - chance_before(gap)), blocks * spread_of(gap)
                surprise[one] += news
                surprise[other] -= news
                own[one] += weight
                own[other] += weight
        return tuple(
            (bot, news / sqrt(1 - min(MOST_LEVERAGE, own[bot] / information[bot][bot])))
            for bot, news in surprise.items()
        )


Unit = tuple[tuple[int, int], ...]
"""The patterns of the blocks of a deal, by number, and how often each came."""


def units_of(sample: Sample) -> Counter[Unit]:
    """The deals, those alike counted together."""
    if len(set(sample.deals)) == len(sample.deals):
        return Counter({((number, 1),): times for number, times in enumerate(sample.times)})
    by_deal: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for deal, number in zip(sample.deals, sample.numbers, strict=True):
        by_deal[deal][number] += 1
    return Counter(tuple(sorted(patterns.items())) for patterns in by_deal.values())


# ---- The fit


def chance_before(gap: float) -> float:
    """How likely the one comes before the other who is weaker by this."""
    return 1 / (1 + exp(-gap)) if gap > -700 else 0.0


def spread_of(gap: float) -> float:
    chance = chance_before(gap)
    return chance * (1 - chance)


def fitted(table: Comparisons) -> list[float]:
    """The strengths that explain best who was before whom: Newton's method, with steps that cannot overshoot."""
    skills = [0.0] * len(table.won)
    for _ in range(MOST_STEPS):
        step = solved(cholesky(table.information(skills)), table.surprise(skills))
        longest = max(map(abs, step), default=0.0)
        scale = 1 / max(1.0, longest)
        skills = [skill + scale * each for skill, each in zip(skills, step, strict=True)]
        if longest < SMALL_STEP:
            break
    return skills


def shares(skills: Row, part: Sequence[int]) -> list[float]:
    found = []
    for bot, skill in enumerate(skills):
        others = companions(bot, part)
        chances = [chance_before(skill - skills[other]) for other in others]
        found.append(fsum(chances) / len(others) if others else 0.5)
    return found


def share_gradient(skills: Row, part: Sequence[int]) -> Matrix:
    """How the share of each bot moves with the strength of each."""
    matrix = []
    for bot, skill in enumerate(skills):
        row, others = [0.0] * len(skills), companions(bot, part)
        for other in others:
            row[other] = -spread_of(skill - skills[other]) / len(others)
        row[bot] = -fsum(row)
        matrix.append(row)
    return matrix


def companions(bot: int, part: Sequence[int]) -> list[int]:
    return [other for other, its in enumerate(part) if its == part[bot] and other != bot]


# ---- Matrices


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle whose square the matrix is."""
    factor: Matrix = []
    for at, row in enumerate(matrix):
        mine: list[float] = []
        for column in range(at):
            other = factor[column]
            mine.append((row[column] - sum(map(mul, mine, other))) / other[column])
        mine.append(sqrt(row[at] - sum(map(mul, mine, mine))))
        factor.append(mine)
    return factor


def solved(factor: Matrix, right: Row) -> list[float]:
    """The solution of the equations whose matrix has this factor."""
    forward: list[float] = []
    for row, value in zip(factor, right, strict=True):
        forward.append((value - sum(map(mul, row, forward))) / row[-1])
    for at in range(len(factor) - 1, -1, -1):
        forward[at] /= factor[at][at]
        for column in range(at):
            forward[column] -= factor[at][column] * forward[at]
    return forward


def transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def product(left: Matrix, right: Matrix) -> Matrix:
    columns = transposed(right)
    return [[sum(map(mul, row, column)) for column in columns] for row in left]
