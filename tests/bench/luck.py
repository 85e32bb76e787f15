"""How many independent matches a match is worth when its luck is removed, and which draws carry it: `make bench`.

Bots as they are play blocks of a comparison without processes. What one match is worth: the variance of the difference
in a single match, over that of blocks, or of blocks with luck removed, for as many matches. Luck is removed with
nothing but "even until the end", with the value of the game and with manners beside it; where a game has no value, with
what `seer` knows of it. How often the intervals of `standings --luck` and of `compare --luck` cover the truth is told
in percent. `python -m tests.bench.luck WORD` plays other blocks, and `WORD kali` those of one game only.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from time import process_time
from typing import Any, NamedTuple

from tabulate import tabulate

from dalang.bots.policies import policy_of
from dalang.bots.search import Budget
from dalang.bots.seer_bot import chooser as seer
from dalang.engine.catalogue import find_game
from dalang.engine.luck import luck_in
from dalang.engine.value import EVEN, Value, share_beaten
from dalang.harness.statistics.intervals import mean_and_error, with_room
from dalang.harness.statistics.luck import SeatLuck, Variates, corrected, variance
from dalang.harness.statistics.sample import mean_of
from tests.playing import Choose, chooser, played

DEALS_OF_AN_INTERVAL = (6, 12, 20, 30, 60)
WORLDS = 1000
SPAN = (-1.0, 1.0)
"""Of a difference in places."""


class Duel(NamedTuple):
    """Two bots, half of the table each; and how many blocks they play."""

    game: str
    seats: int
    one: str
    other: str
    blocks: int


DUELS = (
    Duel("kali", 2, "cautious", "bold", 300),
    Duel("kali", 2, "seer", "cautious", 40),
    Duel("kali", 2, "cautious", "random", 300),
    Duel("kali", 4, "cautious", "bold", 80),
    Duel("kali", 4, "bold", "random", 160),
    Duel("bali_wrede", 2, "seer", "planner", 20),
    Duel("bali_wrede", 4, "planner", "first", 30),
    Duel("bali_rosenberg", 4, "guardian", "random", 8),
)


class Sided(NamedTuple):
    """A match: by how much the one side did better, and what luck did to that."""

    difference: float
    even: float
    own: Variates
    """By the standing, and by the manners of the two sides."""
    by_purpose: dict[str, float]
    seconds: float


def main(word: str = "luck", game: str = "") -> None:
    duels = [duel for duel in DUELS if game in duel.game]
    with ProcessPoolExecutor() as pool:
        found = [(duel, list(pool.map(partial(block, duel, word), range(duel.blocks)))) for duel in duels]
    heads = [
        "game",
        "seats",
        "one",
        "other",
        "blocks",
        "duplicates",
        "even",
        "value",
        "manners",
        "over blocks",
        "weight",
        "mean luck",
        *[f"covered by {deals}" for deals in DEALS_OF_AN_INTERVAL],
        "ms",
    ]
    print(tabulate([row(duel, blocks) for duel, blocks in found], headers=heads, floatfmt=".2f"))
    print("\nWhat carries the luck of a single match: the variance that the draws for each purpose explain.")
    lines = [line for duel, blocks in found for line in purposes(duel, blocks)]
    print(
        tabulate(lines, headers=["game", "one", "other", "purpose", "share of the variance"], floatfmt=".1%")
    )


def block(duel: Duel, word: str, number: int) -> list[Sided]:
    half = duel.seats // 2
    lineup = [True] * half + [False] * half
    return [side(duel, lineup[turn:] + lineup[:turn], f"{word} {number}", turn) for turn in range(duel.seats)]


def side(duel: Duel, sides: Sequence[bool], seed: str, turn: int) -> Sided:
    choosers = [choose(duel.one if mine else duel.other) for mine in sides]
    record = played(duel.game, choosers, seed, key=f" {turn}")
    game = find_game(duel.game)
    shares = [share_beaten(record.outcome.ranks, seat) for seat in range(duel.seats)]
    even = luck_in(record, game, value=EVEN)
    begin = process_time()
    own = luck_in(record, game, value=known(duel.game))
    seconds = process_time() - begin
    by_purpose: dict[str, float] = defaultdict(float)
    for stroke in own.strokes:
        by_purpose[stroke.purpose] += ahead(stroke.luck, sides)
    told = SeatLuck(own.by_seat, own.by_manner)
    chairs = [[seat for seat, mine in enumerate(sides) if mine is one] for one in (True, False)]
    variates = zip(*[told.variates(seat, *chairs) for seat in range(duel.seats)], strict=True)
    return Sided(
        ahead(shares, sides),
        ahead(even.by_seat, sides),
        tuple(ahead(each, sides) for each in variates),
        dict(by_purpose),
        seconds,
    )


def known(name: str) -> Value:
    game = find_game(name)
    return game.value if game.value.version else Value(0, policy_of(game).standing)


def ahead(values: Sequence[float], sides: Sequence[bool]) -> float:
    """By how much the one side has more than the other, on average."""
    signed = [value if mine else -value for value, mine in zip(values, sides, strict=True)]
    return 2 * mean_of(signed)


def choose(name: str) -> Choose:
    return seer(Budget(iterations=50, seconds=1e9)) if name == "seer" else chooser(name)


def row(duel: Duel, blocks: list[list[Sided]]) -> list[Any]:
    matches = [match for each in blocks for match in each]
    alone = variance([match.difference for match in matches]) / duel.seats
    differences = [mean_of([match.difference for match in each]) for each in blocks]
    even = [(mean_of([match.even for match in each]),) for each in blocks]
    full = [
        tuple(mean_of(column) for column in zip(*[match.own for match in each], strict=True))
        for each in blocks
    ]
    own = [each[:1] for each in full]
    without_even, without_own, without = (corrected(differences, luck, 1.0) for luck in (even, own, full))
    mean, error = mean_and_error([each[0] for each in own])
    return [
        *duel,
        alone / (variance(differences) or 1.0),
        alone / (variance(without_even.values) or 1.0),
        alone / (variance(without_own.values) or 1.0),
        alone / (variance(without.values) or 1.0),
        variance(differences) / (variance(without.values) or 1.0),
        without.weight,
        f"{mean:+.4f} ± {error:.4f}",
        *[covered(differences, full, deals) for deals in DEALS_OF_AN_INTERVAL],
        1000 * mean_of([match.seconds for match in matches]),
    ]


def covered(results: Sequence[float], luck: Sequence[Variates], deals: int) -> str:
    """How often the intervals of so many blocks cover the truth, in a world in which there are no others than these."""
    truth, rng, hits = mean_of(results), Random(f"{deals} of {len(results)}"), Counter[str]()
    means = [mean_of(column) for column in zip(*luck, strict=True)]
    told = [tuple(one - mean for one, mean in zip(each, means, strict=True)) for each in luck]
    for _ in range(WORLDS):
        drawn = rng.choices(range(len(results)), k=deals)
        found = corrected([results[each] for each in drawn], [told[each] for each in drawn], 1.0)
        intervals = {"standings": found.estimate(SPAN, "seed"), "compare": with_room(found.values, SPAN)}
        hits.update(name for name, each in intervals.items() if each.low <= truth <= each.high)
    return ", ".join(f"{100 * hits[name] / WORLDS:.1f}" for name in ("standings", "compare"))


def purposes(duel: Duel, blocks: list[list[Sided]]) -> list[list[Any]]:
    """How much less single matches vary without the luck of these draws."""
    matches = [match for each in blocks for match in each]
    results = [match.difference for match in matches]
    names = sorted({name for match in matches for name in match.by_purpose})
    lines = []
    for name in names:
        luck = [(match.by_purpose.get(name, 0.0),) for match in matches]
        left = variance(corrected(results, luck, 0.0).values)
        lines.append([duel.game, duel.one, duel.other, name, 1 - left / (variance(results) or 1.0)])
    return lines


if __name__ == "__main__":
    main(*sys.argv[1:])
