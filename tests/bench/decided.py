"""Which draws decide a match, and when: `make bench`, or `python -m tests.bench.decided [GAME]`.

Pairs of matches share part of their luck and have the rest anew. How much their results have in common is how much of
the variance the shared part explains by itself, whatever value anybody has (Sobol, indices of the first order). What is
left when all draws are shared is the bots' own luck. "the first half" are the first half of all draws, and so on: how
much is decided by then. Standard errors are about 1 / sqrt(pairs).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import NamedTuple

from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.engine.chance import TABLE, Bag, RecordingChance, SeededChance
from dalang.engine.value import share_beaten
from dalang.harness.statistics.sample import mean_of
from tests.playing import chooser, played

Shared = Callable[[str, int], bool]
"""Whether a draw of this purpose and number is shared."""
QUARTERS = {"the first quarter": 1, "the first half": 2, "the first three quarters": 3}


class Mirror(NamedTuple):
    """Bots at a table, and how many pairs of matches are played for each part of luck."""

    game: str
    bots: tuple[str, ...]
    pairs: int
    purposes: tuple[str, ...]


MIRRORS = (
    Mirror("kali", ("cautious", "bold"), 150, ("deck",)),
    Mirror("bali_wrede", ("planner", "planner"), 150, ("stack",)),
    Mirror("bali_wrede", ("planner", "first"), 100, ("stack",)),
    Mirror("bali_rosenberg", ("guardian", "guardian", "guardian"), 100, ("start", "deal", "draw")),
    Mirror("bali_rosenberg", ("guardian", "random", "guardian"), 100, ("start", "deal", "draw")),
)


class SharedChance(RecordingChance):
    """The luck of one seed for what is shared, that of another for the rest."""

    __slots__ = ("other", "shared")

    def __init__(self, seed: str, shared: Shared) -> None:
        super().__init__(seed)
        self.other, self.shared = SeededChance(f"other {seed}"), shared

    def number(self, limit: int, purpose: str, seat: int) -> int:
        if self.shared(purpose, len(self.given)):
            return SeededChance.below(self, limit, purpose, seat)
        return self.other.below(limit, purpose, seat)

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        number = self.number(limit, purpose, seat)
        self.given.append(number)
        return number

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        kind = bag.take_at(self.number(bag.size, purpose, seat))
        self.given.append(bag.names[kind])
        return kind


def main(game: str = "") -> None:
    with ProcessPoolExecutor() as pool:
        for mirror in MIRRORS:
            if game in mirror.game:
                found = list(pool.map(partial(results, mirror), range(mirror.pairs)))
                print(f"\n{mirror.game}, {' '.join(mirror.bots)}: {mirror.pairs} pairs")
                rows = [
                    (part, explained([(each[""], each[part]) for each in found])) for part in found[0] if part
                ]
                print(tabulate(rows, headers=["shared luck", "of the variance"], floatfmt=".0%"))


def results(mirror: Mirror, number: int) -> dict[str, float]:
    """By part of luck that is shared, how the first seat did; without a part, in the match with which it is shared."""
    seed = f"decided {number}"
    first = played(mirror.game, list(map(chooser, mirror.bots)), seed)
    draws = len(first.drawn)
    dealt = dealt_cards(mirror.game, len(mirror.bots), seed)
    parts: dict[str, Shared] = {purpose: partial(is_for, purpose) for purpose in mirror.purposes}
    parts["what is dealt before the first decision"] = partial(is_before, dealt)
    parts |= {name: partial(is_before, quarter * draws // 4) for name, quarter in QUARTERS.items()}
    parts["all draws"] = partial(is_before, draws + 10**6)
    found = {"": share_beaten(first.outcome.ranks, 0)}
    for part, shared in parts.items():
        again = played(
            mirror.game,
            list(map(chooser, mirror.bots)),
            seed,
            key=" anew",
            chance=SharedChance(seed, shared),
        )
        found[part] = share_beaten(again.outcome.ranks, 0)
    return found


def is_for(wanted: str, purpose: str, number: int) -> bool:
    return purpose == wanted


def is_before(first: int, purpose: str, number: int) -> bool:
    return number < first


def dealt_cards(game: str, seats: int, seed: str) -> int:
    chance = RecordingChance(seed)
    find_game(game).start(seats, chance)
    return len(chance.given)


def explained(pairs: list[tuple[float, float]]) -> float:
    """What two matches have in common, of what they vary: their correlation."""
    ones, others = zip(*pairs, strict=True)
    middle, other_middle = mean_of(ones), mean_of(others)
    common = mean_of([(one - middle) * (other - other_middle) for one, other in pairs])
    spread = mean_of([(one - middle) ** 2 for one in ones]) * mean_of(
        [(other - other_middle) ** 2 for other in others]
    )
    return common / sqrt(spread) if spread else 0.0


if __name__ == "__main__":
    main(*sys.argv[1:])
