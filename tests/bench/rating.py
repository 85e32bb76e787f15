"""What rating costs, once and until it settles, and how much the flat chain gains over the package: `make bench`.

Processor time, in interleaved rounds, because a machine is seldom equally fast for long; medians are shown.
"""

from __future__ import annotations

import warnings
from random import Random
from statistics import median
from time import process_time

from tabulate import tabulate

from dalang.harness.blocks import MatchResult
from dalang.harness.statistics.rating import RatingFold
from dalang.harness.statistics.skills import SkillFit

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a docstring of the package, see harness/rating.py
    import trueskill

ROUNDS = 7
MATCHES = 300
NAMES = [f"bot {number}" for number in range(10)]


def main() -> None:
    rows = [row(seats) for seats in (2, 3, 4, 6)]
    print(
        tabulate(
            rows, headers=["seats", "10,000 matches, s", "the package, s", "times faster"], floatfmt=".2f"
        )
    )
    print(f"10,000 matches of four until all messages have settled: {settled():.2f} s")


def settled() -> float:
    """Of 20 bots, so that hardly any two matches come out alike."""
    random, names = Random("settled"), [f"bot {number}" for number in range(20)]
    fit = SkillFit(names)
    for _ in range(10_000):
        table = random.sample(range(20), 4)
        form = [bot / 5 + random.gauss(0, 2) for bot in table]
        ranks = tuple(1 + sum(other > mine for other in form) for mine in form)
        fit.add_match(MatchResult(tuple(names[bot] for bot in table), ranks, (0,) * 4, ("",) * 4))
    begin = process_time()
    fit.ratings()
    return process_time() - begin


def row(seats: int) -> list[float]:
    matches = some_matches(seats)
    rounds = [(flat(matches), package(matches)) for _ in range(ROUNDS)]
    ours, theirs = (median(column) * 10_000 / MATCHES for column in zip(*rounds, strict=True))
    return [seats, ours, theirs, median(other / one for one, other in rounds)]


def some_matches(seats: int) -> list[MatchResult]:
    random = Random(seats)
    return [
        MatchResult(
            names=tuple(random.sample(NAMES, seats)),
            ranks=tuple(random.sample(range(1, seats + 1), seats)),
            scores=(0,) * seats,
            faults=("",) * seats,
        )
        for _ in range(MATCHES)
    ]


def flat(matches: list[MatchResult]) -> float:
    fold, begin = RatingFold(NAMES), process_time()
    for match in matches:
        fold.add_match(match)
    return process_time() - begin


def package(matches: list[MatchResult]) -> float:
    environment = trueskill.TrueSkill()
    skills = {name: environment.create_rating() for name in NAMES}
    begin = process_time()
    for match in matches:
        rated = environment.rate([(skills[name],) for name in match.names], ranks=match.ranks)
        skills.update({name: skill for name, (skill,) in zip(match.names, rated, strict=True)})
    return process_time() - begin


if __name__ == "__main__":
    main()
