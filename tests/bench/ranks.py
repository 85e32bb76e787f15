"""What standings are worth, by simulated tournaments: `make bench`; `python -m tests.bench.ranks 500` for more of them.

- `told apart, null`: the share of tournaments of identical bots in which any are told apart; at most 5 % are promised.
- `told apart` and `wrongly`: of the pairs of 20 graded bots.
- `skills` and `Bradley-Terry`: how well they agree with the true order (Kendall), and `beats` beside them.
- `shuffled`: tournaments in which another order of blocks changes a place.
- `watched`: the share of runs of three identical bots, watched at every block, in which any are ever told apart.
"""

from __future__ import annotations

import sys
from random import Random
from time import process_time

from tabulate import tabulate

from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.sample import Sample, mean_of
from dalang.harness.tournament.schedule import Plan
from tests.fields import EQUAL, agreement, by_skill, by_strength, drawn, field, told_apart

TOURNAMENTS = 20
NULL = {
    "round-robin": (6, 2, 10),
    "gauntlet": (8, 3, 6),
    "swiss": (12, 2, 12),
    "knockout": (10, 4, 10),
    "ladder": (20, 4, 50),
}
"""By format: bots, seats, blocks."""
GRADED_FIELD = {
    "round-robin": (20, 4, 50),
    "gauntlet": (20, 2, 10),
    "swiss": (20, 4, 20),
    "knockout": (20, 4, 10),
    "ladder": (20, 4, 50),
}
WATCHED_BLOCKS = 200


def main(tournaments: int) -> None:
    begin = process_time()
    headers = [
        "format",
        "told apart, null",
        "told apart",
        "wrongly",
        "skills",
        "Bradley-Terry",
        "beats",
        "shuffled",
    ]
    print(tabulate([row(format, tournaments) for format in NULL], headers=headers, floatfmt=".3f"))
    print(
        f"watched at every block up to {WATCHED_BLOCKS}: {mean_of([watched(n) for n in range(tournaments)]):.3f}"
    )
    print(f"{tournaments} tournaments each, {process_time() - begin:.0f} s")


def row(format: str, tournaments: int) -> list[object]:
    null = [field(format, *NULL[format], f"null {number}") for number in range(tournaments)]
    wrong = [bool(told_apart(plan, drawn(plan, EQUAL))) for plan in null]
    graded = [judged(format, number) for number in range(max(5, tournaments // 4))]
    return [format, mean_of(wrong), *(mean_of(column) for column in zip(*graded, strict=True))]


def judged(format: str, number: int) -> list[float]:
    plan, luck = field(format, *GRADED_FIELD[format], f"graded {number}"), Random(f"skills {number}")
    truth = {name: luck.gauss(0, 0.5) for name in plan.names}
    results = drawn(plan, truth)
    apart = told_apart(plan, results)
    strength, skill = by_strength(plan, results), by_skill(plan, results)
    wrongly = [
        pair for pair in apart if (truth[pair[0]] > truth[pair[1]]) != (strength[pair[0]] > strength[pair[1]])
    ]
    pairs = len(truth) * (len(truth) - 1) / 2
    Random(number).shuffle(results)
    return [
        len(apart) / pairs,
        len(wrongly) / pairs,
        agreement(skill, truth),
        agreement(strength, truth),
        agreement(by_place(plan, results), truth),
        float(by_skill(plan, results) != skill),
    ]


def by_place(plan: Plan, results: list[BlockResult]) -> dict[str, float]:
    places = Sample(results, plan.names).places
    return {name: mean_of(places[name].values or [0.5]) for name in plan.names}


def watched(number: int) -> bool:
    plan, seen = field("round-robin", 3, 2, WATCHED_BLOCKS // 3, f"watched {number}"), [False]

    def watch(results: list[BlockResult]) -> None:
        seen[0] = seen[0] or bool(told_apart(plan, results, live=True))

    drawn(plan, EQUAL, watch)
    return seen[0]


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else TOURNAMENTS)
