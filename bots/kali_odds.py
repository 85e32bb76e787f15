"""Die Augen der Kali: exact odds from the cards left, for bots that count them.

Everything is weighed in gems: what a seat has more than the others have on average. Odds are exact for the turn in
progress, as many cards ahead as a bot looks. § marks refer to the rulebook of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from dalang.engine.games.kali.components import LAST_FIELD
from dalang.engine.games.kali.state import price_of
from dalang.kit import LegalMove, Request


@dataclass(frozen=True)
class Temper:
    """What a bot makes of the odds."""

    appetite: float
    """How much a gem won counts against a gem lost."""
    dread: int
    """Gems that it would give not to wake Kali, beside those that this costs (§9.2, §10.2)."""
    ahead: int
    """Cards that it looks ahead."""


class Spot(NamedTuple):
    """The slave on his way: the footprint cards left, his field, the loot beside him."""

    steps: tuple[int, ...]
    field: int
    loot: int


Wealth = tuple[int, ...]


class Odds:
    """The turn in progress, as all see it, and what it may come to for one seat."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any], temper: Temper) -> None:
        self.me: int = view["you"]
        self.acting: int = view["acting"]
        self.wealth: Wealth = tuple(view["wealth"])
        self.seats = len(self.wealth)
        self.frights: int = view["frights"]
        self.noises: int = view["deck"]["noise"]
        self.frights_left: int = view["deck"]["fright"]
        self.spot = Spot(tuple(view["deck"][f"step{n}"] for n in (1, 2, 3, 4)), view["field"], view["loot"])
        self.treasure: int = view["temple"] + view["loot"]
        self.yields: list[int] = [value * (2 if self.frights else 1) for value in options["fields"]]  # §4.5
        self.rounds_up = options["fine_rounding"] == "up"
        self.temper = temper
        self.lead_now = self.lead(self.wealth)
        self.drawn: dict[Spot, float] = {}
        self.ways: dict[Spot, list[tuple[int, Spot | None]]] = {}

    # ---- The next card

    def left(self, spot: Spot) -> int:
        return sum(spot.steps) + self.noises + self.frights_left

    def bust(self) -> float:
        """The chance that the next card ends the turn badly."""
        return (self.noises + self.frights_left) / self.left(self.spot)

    def fine(self, wealth: int, divisor: int) -> int:
        return -(-wealth // divisor) if self.rounds_up else wealth // divisor  # §6.4

    def noise_fine(self, wealth: int) -> int:
        return self.fine(wealth, 2 if self.frights else 4)  # §6.2, §7.3

    def fright_fine(self, wealth: int) -> int:
        return wealth if self.frights else self.fine(wealth, 2)  # §7.2, §9.2

    def ways_on(self, spot: Spot) -> list[tuple[int, Spot | None]]:
        """Where the footprint cards lead: how many of each, and the next spot, or None for past the last field."""
        if spot not in self.ways:
            self.ways[spot] = [
                (cards, self.stepped(spot, step)) for step, cards in enumerate(spot.steps, start=1) if cards
            ]
        return self.ways[spot]

    def stepped(self, spot: Spot, step: int) -> Spot | None:
        field = spot.field + step
        if field > LAST_FIELD:
            return None
        gems = min(self.yields[field - 1], self.treasure - spot.loot)  # §4.2, §4.6
        return Spot(changed(spot.steps, step - 1, -1), field, spot.loot + gems)

    def next_card(self, actor: int, wealth: Wealth, spot: Spot, stands: Callable[[Spot], float]) -> float:
        """What to expect of the card that the actor turns; `stands` says what if the slave stands."""
        own = wealth[actor]
        total = self.noises * self.gain(changed(wealth, actor, -self.noise_fine(own)))
        total += self.frights_left * self.gain(changed(wealth, actor, -self.fright_fine(own)))
        if actor == self.me and self.frights:
            total -= self.frights_left * self.temper.dread
        for cards, there in self.ways_on(spot):
            if there:
                total += cards * stands(there)
            else:
                total += cards * self.gain(changed(wealth, actor, self.treasure))  # §9.4, §9.5
        return total / self.left(spot)

    def profit(self, rival: int, wealth: Wealth, spot: Spot) -> float:
        """The gems that a rival can expect of taking over for one card."""
        own = wealth[rival] - price_of(spot.loot)
        gain = sum(cards * (there.loot if there else self.treasure) for cards, there in self.ways_on(spot))
        loss = self.noises * self.noise_fine(own) + self.frights_left * self.fright_fine(own)
        return (gain - loss) / self.left(spot) - price_of(spot.loot)

    # ---- Going on, stopping, taking over

    def draw(self, wealth: Wealth, spot: Spot, cards: int) -> float:
        """What to expect of another card, and of up to `cards` in all where going on is best."""
        if spot not in self.drawn:

            def stands(there: Spot) -> float:
                stop = self.stop(wealth, there)
                return max(stop, self.draw(wealth, there, cards - 1)) if cards > 1 else stop

            self.drawn[spot] = self.next_card(self.me, wealth, spot, stands)
        return self.drawn[spot]

    def stop(self, wealth: Wealth, spot: Spot) -> float:
        """What to expect of stopping here, where a rival takes over if he can expect gems of it (§8)."""
        price = price_of(spot.loot)
        for step in range(1, self.seats):
            rival = (self.me + step) % self.seats
            if wealth[rival] >= price and self.profit(rival, wealth, spot) > 0:
                paid = changed(changed(wealth, rival, -price), self.me, price)
                return self.next_card(rival, paid, spot, partial(self.pocketed, rival, paid))
        return self.pocketed(self.me, wealth, spot)

    def pocketed(self, actor: int, wealth: Wealth, spot: Spot) -> float:
        return self.gain(changed(wealth, actor, spot.loot))

    # ---- What gems are worth

    def gain(self, wealth: Wealth) -> float:
        """What this wealth of all would change for the own seat."""
        gems = self.lead(wealth) - self.lead_now
        return gems * self.temper.appetite if gems > 0 else gems

    def lead(self, wealth: Wealth) -> float:
        own = wealth[self.me]
        return own - (sum(wealth) - own) / (self.seats - 1)


def changed(numbers: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    return (*numbers[:place], numbers[place] + by, *numbers[place + 1 :])


# ---- The choice


def decide(request: Request, temper: Temper) -> LegalMove:
    """The better one of two moves."""
    view = request.view
    odds = Odds(view, request.options, temper)
    if request.decision == "first_card":
        return request.moves[0]  # there is no other (§3.3)
    if request.decision == "go_on":
        yes = odds.draw(odds.wealth, odds.spot, temper.ahead)
        no = odds.stop(odds.wealth, odds.spot)
    else:
        paid = changed(changed(odds.wealth, odds.me, -view["price"]), odds.acting, view["price"])
        yes = odds.draw(paid, odds.spot, temper.ahead)
        no = odds.pocketed(odds.acting, odds.wealth, odds.spot)
    request.note = f"expects {max(yes, no):+.1f} gems, otherwise {min(yes, no):+.1f}; bust {odds.bust():.0%}"
    return request.moves[0] if yes > no else request.moves[1]
