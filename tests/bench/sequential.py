"""How often the sequential test is wrong, and how often intervals are right: `make bench`, about a minute.

Differences of blocks whose truth is known: coarse places, rare great ones on one side among many ties, and scores
with a long tail.
"""

from __future__ import annotations

from random import Random

from tabulate import tabulate

from dalang.harness.compare.sprt import Sprt
from dalang.harness.statistics.intervals import with_room
from dalang.harness.statistics.sample import mean_of
from tests.duels import Draw, decided, drawn, lopsided, with_effect
from tests.test_sprt import EVEN, with_tail

RUNS = 100


def world(name: str, effect: float) -> Draw:
    """Block differences with this effect."""
    if name == "coarse places":
        return drawn(with_effect(2, 0, EVEN, effect))
    if name.startswith("tail"):
        return with_tail(effect, -1 if name.endswith("down") else 1)
    sides, ties = name.split(", ties ")
    win, loss = map(float, sides.split(":"))
    return drawn(lopsided(win, loss, float(ties), effect))


def errors(name: str, sprt: Sprt, bound: float | None) -> list[object]:
    low = decided(sprt, world(name, sprt.low), RUNS, "low", bound)
    high = decided(sprt, world(name, sprt.high), RUNS, "high", bound)
    foretold = sprt.expected_blocks(bound is not None)[0]
    return [name, f"{sprt.low:g},{sprt.high:g}", f"{low[0]:.1%}", f"{high[1]:.1%}", low[2], high[2], foretold]


def coverage(name: str, blocks: int) -> list[object]:
    random, draw = Random(f"{name} {blocks}"), world(name, 0.15)
    truth = mean_of([draw(random) for _ in range(50_000)])
    found = [with_room([draw(random) for _ in range(blocks)], (-1.0, 1.0)) for _ in range(600)]
    share = mean_of([each.low <= truth <= each.high for each in found])
    return [name, blocks, f"{share:.1%}", mean_of([each.high - each.low for each in found])]


def main() -> None:
    lopsided_ones = [f"{sides}, ties {ties}" for sides in ("1:0.2", "0.2:1") for ties in (0.9, 0.97)]
    rows = [errors(name, Sprt(0.0, 0.3), 1.0) for name in ("coarse places", *lopsided_ones[::2])]
    rows += [errors(name, Sprt(-0.15, 0.15), 1.0) for name in ("coarse places", *lopsided_ones)]
    rows += [errors(name, Sprt(0.0, 0.15), 1.0) for name in lopsided_ones[1::2]]
    rows += [errors(name, Sprt(-0.2, 0.2), None) for name in ("tail up", "tail down")]
    heads = ["differences", "effects", "HIGH if LOW", "LOW if HIGH", "blocks at LOW", "at HIGH", "foretold"]
    print(tabulate(rows, headers=heads, floatfmt=".0f"))
    covered = [coverage(name, blocks) for name in ("coarse places", *lopsided_ones) for blocks in (20, 50)]
    print(tabulate(covered, headers=["differences", "blocks", "covered", "width"], floatfmt=".2f"))


if __name__ == "__main__":
    main()
