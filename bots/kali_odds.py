"""Die Augen der Kali: exact odds from the cards left, for bots that count them.

A *standing* is what a bot hopes for at the end of a turn, from 0 (surely last) to 1 (surely first). Odds are
exact for the turn in progress; for the rest of the game everybody is taken to turn one card in a turn.
§ marks refer to the rulebook of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
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


class Odds:
    """The turn in progress, as all see it, and what it may come to for one seat."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any], temper: Temper) -> None:
        self.me: int = view["you"]
        self.owner: int = view["owner"]
        self.acting: int = view["acting"]
        self.wealth: tuple[int, ...] = tuple(view["wealth"])
        self.seats = len(self.wealth)
        self.frights: int = view["frights"]
        self.noises: int = view["deck"]["noise"]
        self.frights_left: int = view["deck"]["fright"]
        self.spot = Spot(tuple(view["deck"][f"step{n}"] for n in (1, 2, 3, 4)), view["field"], view["loot"])
        self.treasure: int = view["temple"] + view["loot"]
        self.yields: list[int] = [value * (2 if self.frights else 1) for value in options["fields"]]  # §4.5
        self.rounds_up = options["fine_rounding"] == "up"
        self.temper = temper
        self.known: dict[tuple[Spot, int], float] = {}

    # ---- The next card

    def left(self, spot: Spot) -> int:
        return sum(spot.steps) + self.noises + self.frights_left

    def bust(self) -> float:
        """The chance that the next card ends the turn badly."""
        return (self.noises + self.frights_left) / self.left(self.spot)

    def fine(self, wealth: int, divisor: int) -> int:
        return -(-wealth // divisor) if self.rounds_up else wealth // divisor  # §6.4

    def next_card(
        self, seat: int, actor: int, wealth: tuple[int, ...], spot: Spot, stands: Callable[[Spot], float]
    ) -> float:
        """What a seat can expect of the card that the actor turns; `stands` says what if the slave stands."""
        left, own = self.left(spot) - 1, wealth[actor]
        total = 0.0
        if self.noises:
            fined = changed(wealth, actor, -self.fine(own, 4 if not self.frights else 2))  # §6.2
            total += self.noises * self.standing(seat, fined, left, self.frights_left)
        if self.frights_left and self.frights:
            total += self.frights_left * self.woken(seat, actor, wealth)
        elif self.frights_left:
            fined = changed(wealth, actor, -self.fine(own, 2))  # §7.2
            total += self.frights_left * self.standing(seat, fined, left, self.frights_left - 1)
        for step, cards in enumerate(spot.steps, start=1):
            if cards and spot.field + step > LAST_FIELD:
                total += cards * self.reached(seat, changed(wealth, actor, self.treasure))  # §9.4, §9.5
            elif cards:
                total += cards * stands(self.stepped(spot, step))
        return total / (left + 1)

    def stepped(self, spot: Spot, step: int) -> Spot:
        field = spot.field + step
        gems = min(self.yields[field - 1], self.treasure - spot.loot)  # §4.2, §4.6
        return Spot(changed(spot.steps, step - 1, -1), field, spot.loot + gems)

    def profit(self, rival: int, spot: Spot) -> float:
        """The gems that a rival can expect of taking over for one card."""
        price = price_of(spot.loot)
        wealth = self.wealth[rival] - price
        gain = -self.noises * self.fine(wealth, 4 if not self.frights else 2)
        gain -= self.frights_left * (wealth if self.frights else self.fine(wealth, 2))
        for step, cards in enumerate(spot.steps, start=1):
            if cards:
                arrives = spot.field + step <= LAST_FIELD
                gain += cards * (self.stepped(spot, step).loot if arrives else self.treasure)
        return gain / self.left(spot) - price

    # ---- Going on, stopping, taking over

    def draw(self, wealth: tuple[int, ...], spot: Spot, cards: int) -> float:
        """What the own seat can expect of another card, and of up to so many if that is best."""
        key = (spot, cards)
        if key not in self.known:

            def stands(there: Spot) -> float:
                stop = self.stop(wealth, there)
                return max(stop, self.draw(wealth, there, cards - 1)) if cards > 1 else stop

            self.known[key] = self.next_card(self.me, self.me, wealth, spot, stands)
        return self.known[key]

    def stop(self, wealth: tuple[int, ...], spot: Spot) -> float:
        """What it can expect of stopping here, where a rival may take over (§8)."""
        price = price_of(spot.loot)
        for step in range(1, self.seats):
            rival = (self.me + step) % self.seats
            if wealth[rival] >= price and self.profit(rival, spot) > 0:
                return self.taken_over(changed(changed(wealth, rival, -price), self.me, price), rival, spot)
        return self.pocketed(self.me, wealth, spot)

    def taken_over(self, wealth: tuple[int, ...], rival: int, spot: Spot) -> float:
        return self.next_card(self.me, rival, wealth, spot, lambda there: self.pocketed(rival, wealth, there))

    def pocketed(self, actor: int, wealth: tuple[int, ...], spot: Spot) -> float:
        rich = changed(wealth, actor, spot.loot)
        return self.standing(self.me, rich, self.left(spot), self.frights_left)

    # ---- Standings

    def standing(self, seat: int, wealth: tuple[int, ...], left: int, frights: int) -> float:
        """At the end of a turn: who will wake Kali, and who is richer otherwise?"""
        wakes, cards = wakers(left, frights, self.seats)
        following = self.owner + 1  # §5.4
        own_wake = wakes[(seat - following) % self.seats]
        scale = SWING * sqrt(cards)
        mean, first = 0.0, 1.0
        for rival, gems in enumerate(wealth):
            if rival != seat:
                wake = wakes[(rival - following) % self.seats]
                richer = 1 / (1 + exp((gems - wealth[seat]) / scale))
                ahead = wake + (1 - own_wake - wake) * richer
                mean += ahead
                first *= ahead / (1 - own_wake) if own_wake < 1 else 0.0
        glory = self.temper.glory
        hope = (1 - glory) * mean / (self.seats - 1) + glory * first * (1 - own_wake)
        return hope - self.temper.fear * own_wake

    def woken(self, seat: int, actor: int, wealth: tuple[int, ...]) -> float:
        """Kali wakes: who woke her is last (§10.2)."""
        if seat == actor:
            return -self.temper.fear
        return self.final(seat, changed(wealth, actor, -wealth[actor] - 1))

    def reached(self, seat: int, wealth: tuple[int, ...]) -> float:
        return self.final(seat, wealth)

    def final(self, seat: int, wealth: tuple[int, ...]) -> float:
        own = wealth[seat]
        beaten = [
            1.0 if own > gems else 0.5 for rival, gems in enumerate(wealth) if rival != seat and own >= gems
        ]
        mean = sum(beaten) / (self.seats - 1)
        return (1 - self.temper.glory) * mean + self.temper.glory * float(max(wealth) == own)


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
