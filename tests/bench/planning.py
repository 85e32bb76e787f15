"""What a plan is worth, by pilots whose truth is known: `make bench`; `python -m tests.bench.planning 300` for more.

- `pilot`: how many blocks it had on average; `alike`: the share of pilots that saw no difference and planned nothing.
- `needed`: the blocks that the interval really needs to see the difference in 95 of 100 runs.
- `enough`: the share of pilots that suggest as many; 95 % are promised. `times`: how many times as many, in the middle.
- `told`: the share of pilots with the truth between what they tell; 95 % are promised.
- `test`: the share of sequential tests, each as its pilot suggested, that find the difference; 95 % are promised.
- `foretold`: the blocks that these tests took, over the blocks that were foretold.
"""

from __future__ import annotations

import sys
from random import Random

from tabulate import tabulate

from dalang.harness.statistics.sample import mean_of
from tests.duels import drawn, lopsided, with_effect
from tests.pilots import World, plans
from tests.test_sprt import COARSE, EVEN, HALF, SKEWED, TIES, with_tail

PILOTS, RUNS = 100, 400
TABLES = [(2, 0, EVEN, 0.15), (4, 0, EVEN, 0.3), (2, 0, TIES, 0.15), (3, 0, SKEWED, 0.2), (4, 2, COARSE, 0.3)]
TABLES += [(6, 0, HALF, 0.2)]


def worlds() -> list[World]:
    found = [World(f"{seats} seats, {usual}", drawn(with_effect(seats, opponents, usual, effect)))
             for seats, opponents, usual, effect in TABLES]  # fmt: skip
    for win, loss in ((1.0, 0.2), (0.2, 1.0)):
        for ties in (0.9, 0.97):
            found.append(World(f"{win}:{loss}, ties {ties}", drawn(lopsided(win, loss, ties, 0.15))))
    found += [World(f"tail {sign:+}", with_tail(0.2, sign), "score") for sign in (1, -1)]
    return found


def row(world: World, pilots: int) -> list[object]:
    listed = list(plans(world, pilots))
    told = [needs for _, needs in listed if needs]
    truth, random = world.needed(RUNS), Random("tests")
    suggested = sorted(needs[-1].most for needs in told)
    tests = [(*world.is_accepted(needs[2].flags, random), needs[2].blocks) for needs in told]
    return [
        world.name,
        mean_of([len(pilot.compared.comparison.differences) for pilot, _ in listed]),
        1 - len(told) / len(listed),
        truth,
        mean_of([blocks >= truth for blocks in suggested]),
        suggested[len(suggested) // 2] / truth,
        mean_of([needs[-1].fewest <= truth <= needs[-1].most for needs in told]),
        mean_of([found for found, _, _ in tests]),
        mean_of([blocks for _, blocks, _ in tests]) / mean_of([foretold for _, _, foretold in tests]),
    ]


def main(pilots: int) -> None:
    headers = ["differences", "pilot", "alike", "needed", "enough", "times", "told", "test", "foretold"]
    formats = (*[".0f"] * 2, ".2f", ".0f", *[".2f"] * 5)
    print(tabulate([row(world, pilots) for world in worlds()], headers=headers, floatfmt=formats))
    print(f"{pilots} pilots each")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else PILOTS)
