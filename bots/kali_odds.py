"""Die Augen der Kali: exact odds from the cards left, for bots that count them.

A *standing* is what a bot hopes for at the end of a turn, from 0 (surely last) to 1 (surely first). Odds are
exact for the turn in progress; for the rest of the game everybody is taken to turn one card in a turn.
§ marks refer to the rulebook of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import exp, sqrt
from typing import Any, NamedTuple

from bots.kit import Move, Request
from engine.games.kali import LAST_FIELD, price_of

SWING = 4.0
"""Gems by which two players' wealth drifts apart while one card is turned, roughly."""


@dataclass(frozen=True)
class Temper:
    """What a bot is after."""

    glory: float
    """How much only the first place counts, from 0 (every place) to 1."""
    fear: float
    """How much worse it is to wake Kali than to come last otherwise."""


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
        self.owner: int = view["owner"]
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
        self.drawn: dict[Spot, float] = {}
        self.ways: dict[Spot, list[tuple[int, Spot | None]]] = {}
        self.standings: dict[tuple[int, Wealth, int, int], float] = {}

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

    def next_card(
        self, seat: int, actor: int, wealth: Wealth, spot: Spot, stands: Callable[[Spot], float]
    ) -> float:
        """What a seat can expect of the card that the actor turns; `stands` says what if the slave stands."""
        left, own = self.left(spot) - 1, wealth[actor]
        total = 0.0
        if self.noises:
            fined = changed(wealth, actor, -self.noise_fine(own))
            total += self.noises * self.standing(seat, fined, left, self.frights_left)
        if self.frights_left:
            total += self.frights_left * self.after_fright(seat, actor, wealth, left)
        for cards, there in self.ways_on(spot):
            if there:
                total += cards * stands(there)
            else:
                total += cards * self.final(seat, changed(wealth, actor, self.treasure))  # §9.4, §9.5
        return total / (left + 1)

    def after_fright(self, seat: int, actor: int, wealth: Wealth, left: int) -> float:
        if not self.frights:
            fined = changed(wealth, actor, -self.fright_fine(wealth[actor]))
            return self.standing(seat, fined, left, self.frights_left - 1)
        if seat == actor:
            return -self.temper.fear
        return self.final(seat, changed(wealth, actor, -wealth[actor] - 1))  # §10.2: below all others

    def profit(self, rival: int, wealth: Wealth, spot: Spot) -> float:
        """The gems that a rival can expect of taking over for one card."""
        own = wealth[rival] - price_of(spot.loot)
        gain = sum(cards * (there.loot if there else self.treasure) for cards, there in self.ways_on(spot))
        loss = self.noises * self.noise_fine(own) + self.frights_left * self.fright_fine(own)
        return (gain - loss) / self.left(spot) - price_of(spot.loot)

    # ---- Going on, stopping, taking over

    def draw(self, wealth: Wealth, spot: Spot, cards: int) -> float:
        """What the own seat can expect of another card, and of up to so many if that is best."""
        if spot not in self.drawn:

            def stands(there: Spot) -> float:
                stop = self.stop(wealth, there)
                return max(stop, self.draw(wealth, there, cards - 1)) if cards > 1 else stop

            self.drawn[spot] = self.next_card(self.me, self.me, wealth, spot, stands)
        return self.drawn[spot]

    def stop(self, wealth: Wealth, spot: Spot) -> float:
        """What it can expect of stopping here, where a rival may take over (§8)."""
        price = price_of(spot.loot)
        for step in range(1, self.seats):
            rival = (self.me + step) % self.seats
            if wealth[rival] >= price and self.profit(rival, wealth, spot) > 0:
                paid = changed(changed(wealth, rival, -price), self.me, price)
                return self.next_card(self.me, rival, paid, spot, partial(self.pocketed, rival, paid))
        return self.pocketed(self.me, wealth, spot)

    def pocketed(self, actor: int, wealth: Wealth, spot: Spot) -> float:
        rich = changed(wealth, actor, spot.loot)
        return self.standing(self.me, rich, self.left(spot), self.frights_left)

    # ---- Standings

    def standing(self, seat: int, wealth: Wealth, left: int, frights: int) -> float:
        """At the end of a turn: who will wake Kali, and who is richer otherwise?"""
        key = (seat, wealth, left, frights)
        if key not in self.standings:
            self.standings[key] = self.hope(seat, wealth, *wakers(left, frights, self.seats))
        return self.standings[key]

    def hope(self, seat: int, wealth: Wealth, wakes: list[float], cards: float) -> float:
        following = self.owner + 1  # §5.4
        own_wake = wakes[(seat - following) % self.seats]
        if own_wake == 1:
            return -self.temper.fear
        scale = SWING * sqrt(cards)
        mean, first = 0.0, 1 - own_wake
        for rival, gems in enumerate(wealth):
            if rival != seat:
                wake = wakes[(rival - following) % self.seats]
                richer = 1 / (1 + exp((gems - wealth[seat]) / scale))
                ahead = wake + (1 - own_wake - wake) * richer
                mean += ahead
                first *= ahead / (1 - own_wake)
        return self.mixed(mean / (self.seats - 1), first) - self.temper.fear * own_wake

    def final(self, seat: int, wealth: Wealth) -> float:
        """The standing when the game is over."""
        own = wealth[seat]
        beaten = sum(own > gems for gems in wealth) + (wealth.count(own) - 1) / 2
        return self.mixed(beaten / (self.seats - 1), float(own == max(wealth)))

    def mixed(self, mean: float, first: float) -> float:
        glory = self.temper.glory
        return (1 - glory) * mean + glory * first


def changed(numbers: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    return (*numbers[:place], numbers[place] + by, *numbers[place + 1 :])


@cache
def wakers(left: int, frights: int, seats: int) -> tuple[list[float], float]:
    """Who turns the last of these frights if each turns one card in turn, and how many cards that takes."""
    chances, cards = [0.0] * seats, 0.0
    for number in range(1, left + 1):
        chance = 1 / left if frights == 1 else (number - 1) / (left * (left - 1) / 2)
        chances[(number - 1) % seats] += chance
        cards += number * chance
    return chances, max(1.0, cards)


# ---- The choice


def decide(request: Request, temper: Temper, ahead: int) -> Move:
    """The better of two moves, looking so many cards ahead."""
    view = request.view
    odds = Odds(view, request.options, temper)
    if request.decision == "first_card":
        return request.moves[0]
    if request.decision == "go_on":
        yes = odds.draw(odds.wealth, odds.spot, ahead)
        no = odds.stop(odds.wealth, odds.spot)
    else:
        paid = changed(changed(odds.wealth, odds.me, -view["price"]), odds.acting, view["price"])
        yes = odds.draw(paid, odds.spot, ahead)
        no = odds.pocketed(odds.acting, odds.wealth, odds.spot)
    request.note = f"hopes for {max(yes, no):.0%} rather than {min(yes, no):.0%}, bust {odds.bust():.0%}"
    return request.moves[0] if yes > no else request.moves[1]
