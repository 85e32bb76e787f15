"""How the seats stand in the middle of a game, as a guess: what share of the others each of them will beat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

EVEN_SHARE_OF_OTHERS = 0.5


@dataclass(frozen=True)
class Value:
    """A guess that was settled before anybody played; luck is reckoned with it (see `luck.py`)."""

    version: int
    """Raised with every change; 0 if nothing is known."""
    of: Callable[[Any], Sequence[float]]
    """By seat the share of the others that it will beat, for a state that asks for a decision."""
    weight: float = 1.0
    """How much of the luck it tells is believed before any match was seen, from 0 to 1."""
    manners: Callable[[Any], tuple[Sequence[float], Sequence[Sequence[float]]]] | None = None
    """For a game in which much depends on how somebody plays: the same as `of`, and by seat what would change for all
    if that one had another manner, say if it were more daring. Who finds out how a bot plays takes out more luck."""

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise ValueError(f"the weight of a value must be from 0 to 1, not {self.weight}")

    def in_full(self, state: Any) -> list[float]:
        """The shares, then seat by seat what another manner of that one would change of them."""
        assert self.manners
        shares, changes = self.manners(state)
        return [*shares, *chain.from_iterable(changes)]


def even_until_the_end(state: Any) -> Sequence[float]:
    return [EVEN_SHARE_OF_OTHERS] * int(state.seats)


EVEN = Value(0, even_until_the_end)
"""For a game that says nothing: nobody is ahead before it is over."""


def share_beaten(ranks: Sequence[int], seat: int) -> float:
    """The share of the others who were beaten, a tie counting half: 1 for the sole winner, 0 for the sole last."""
    mine = ranks[seat]
    beaten = sum([(mine < other) + (mine == other) / 2 for other in ranks]) - 0.5
    return beaten / (len(ranks) - 1)


def with_some_out(shares: Sequence[float], out: Sequence[int]) -> list[float]:
    """The same where these seats, in the order in which they left, are below all others, the first lowest."""
    if not out:
        return list(shares)
    seats, left = len(shares), len(shares) - len(out)
    result = [0.0] * seats
    for place, seat in enumerate(out):
        result[seat] = place / (seats - 1)
    still_in = [seat for seat in range(seats) if seat not in out]
    middle = sum([shares[seat] for seat in still_in]) / left if left else 0.0
    for seat in still_in:
        among = min(1.0, max(0.0, EVEN_SHARE_OF_OTHERS + shares[seat] - middle))
        result[seat] = (len(out) + (left - 1) * among) / (seats - 1)
    return result
