"""Die Augen der Kali: exact odds from the cards left, as `cautious` and `bold` weigh them.

Everything is weighed in gems: what a seat has more than the others have on average. Odds are exact for the turn in
progress, as many cards ahead as a temper looks. § marks refer to the rulebook beside this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalang.engine.games.kali.components import LAST_FIELD, LENGTHS, NOISE
from dalang.engine.games.kali.state import price_of


@dataclass(frozen=True)
class Temper:
    """What somebody makes of the odds."""

    appetite: float
    """How much a gem won counts against a gem lost."""
    dread: int
    """Gems that it would give not to wake Kali, beside those that this costs (§9.2, §10.2)."""
    ahead: int
    """Cards that it looks ahead."""


CAUTIOUS = Temper(appetite=1.0, dread=40, ahead=3)
BOLD = Temper(appetite=1.25, dread=20, ahead=3)


# ---- What all see


class Spot:
    """The slave on his way: the footprint cards left, his field, the loot beside him."""

    __slots__ = ("field", "footprints", "hauls", "hoped", "left", "loot", "price", "steps", "ways")

    def __init__(self, steps: tuple[int, ...], field: int, loot: int, left: int, raid: Raid) -> None:
        self.steps, self.field, self.loot, self.left = steps, field, loot, left
        self.price, self.footprints = price_of(loot), sum(steps)
        self.hauls = [
            (cards, raid.haul(field + length, loot))
            for cards, length in zip(steps, LENGTHS, strict=True)
            if cards
        ]
        """How many footprint cards lead to so many gems, in the hands of whoever turns them."""
        self.hoped = sum([cards * haul for cards, haul in self.hauls])
        self.ways: list[tuple[int, Spot | None]] | None = None
        """Where they lead, None being past the last field; found out when it is asked for."""


class Raid:
    """The turn in progress. Who weighs it up for several seats or tempers makes it once."""

    def __init__(
        self, deck: Sequence[int], field: int, loot: int, temple: int, frights: int, options: dict[str, Any]
    ) -> None:
        self.noises, self.frights_left = deck[NOISE], deck[NOISE + 1]
        self.frights, self.treasure = frights, temple + loot
        self.yields: list[int] = [value * (2 if frights else 1) for value in options["fields"]]  # §4.5
        self.rounds_up = options["fine_rounding"] == "up"
        self.spot = Spot(tuple(deck[:NOISE]), field, loot, sum(deck), self)

    def haul(self, field: int, loot: int) -> int:
        """The gems beside the slave on this field, or all that there are past the last one (§9.4, §9.5)."""
        if field > LAST_FIELD:
            return self.treasure
        gems = loot + self.yields[field - 1]  # §4.2
        return gems if gems < self.treasure else self.treasure  # §4.6

    def ways(self, spot: Spot) -> list[tuple[int, Spot | None]]:
        if spot.ways is None:
            spot.ways = [
                (cards, self.stepped(spot, length))
                for cards, length in zip(spot.steps, LENGTHS, strict=True)
                if cards
            ]
        return spot.ways

    def stepped(self, spot: Spot, length: int) -> Spot | None:
        field, steps = spot.field + length, spot.steps
        if field > LAST_FIELD:
            return None
        left = (*steps[: length - 1], steps[length - 1] - 1, *steps[length:])
        return Spot(left, field, self.haul(field, spot.loot), spot.left - 1, self)

    def bust(self) -> float:
        """The chance that the next card ends the turn badly."""
        return (self.noises + self.frights_left) / self.spot.left

    def fine(self, wealth: int, divisor: int) -> int:
        return -(-wealth // divisor) if self.rounds_up else wealth // divisor  # §6.4

    def noise_fine(self, wealth: int) -> int:
        return self.fine(wealth, 2 if self.frights else 4)  # §6.2, §7.3

    def fright_fine(self, wealth: int) -> int:
        return wealth if self.frights else self.fine(wealth, 2)  # §7.2, §9.2


# ---- What one seat makes of it


class Odds:
    """What the turn may come to for one seat, in gems that it is ahead of the others more than before."""

    def __init__(self, raid: Raid, wealth: Sequence[int], me: int, temper: Temper, lead: float = 0.0) -> None:
        self.raid, self.lead = raid, lead
        self.appetite, self.others = temper.appetite, len(wealth) - 1
        self.rivals = [*wealth[me + 1 :], *wealth[:me]]
        """The gems of the others, clockwise."""
        own = wealth[me]
        self.flight = raid.noises * self.gain(lead - raid.noise_fine(own))
        self.flight += raid.frights_left * self.gain(lead - raid.fright_fine(own))
        if raid.frights:
            self.flight -= raid.frights_left * temper.dread
        self.arrival = self.gain(lead + raid.treasure)
        self.takers: dict[int, list[tuple[int, float, float]]] = {}

    def gain(self, lead: float) -> float:
        return lead * self.appetite if lead > 0 else lead

    def draw(self, spot: Spot, cards: int) -> float:
        """What to expect of another card, and of up to `cards` in all where going on is best."""
        total = self.flight
        for number, there in self.raid.ways(spot):
            best = self.stop(there) if there else self.arrival
            if there and cards > 1:
                best = max(best, self.draw(there, cards - 1))
            total += number * best
        return total / spot.left

    def stop(self, spot: Spot) -> float:
        """What to expect of stopping here, where a rival takes over if he can expect gems of it (§8)."""
        price = spot.price
        if price not in self.takers:
            self.takers[price] = self.takers_at(price)
        hoped = spot.hoped - price * spot.left
        for loss, flight, paid in self.takers[price]:
            if hoped > loss:
                return self.taken(spot, flight, paid)
        return self.gain(self.lead + spot.loot)

    def takers_at(self, price: int) -> list[tuple[int, float, float]]:
        """Clockwise, of those who can pay: what bad cards cost each, what that brings the own seat, and the price."""
        raid, paid = self.raid, self.lead + price + price / self.others
        found = []
        for gems in [gems - price for gems in self.rivals if gems >= price]:
            noise, fright = raid.noise_fine(gems), raid.fright_fine(gems)
            flight = raid.noises * self.gain(paid + noise / self.others)
            flight += raid.frights_left * self.gain(paid + fright / self.others)
            found.append((raid.noises * noise + raid.frights_left * fright, flight, paid))
        return found

    def taken(self, spot: Spot, flight: float, paid: float) -> float:
        """What to expect of the one card that a rival turns: his haul is lost to the own seat."""
        others, room = self.others, paid * self.others
        total = flight + spot.footprints * paid - spot.hoped / others
        if self.appetite != 1.0:
            won = sum([cards * (room - haul) for cards, haul in spot.hauls if haul < room])
            total += (self.appetite - 1) * won / others
        return total / spot.left


def going_on(raid: Raid, wealth: Sequence[int], me: int, temper: Temper) -> tuple[float, float]:
    """What to expect of another card, and of stopping."""
    odds = Odds(raid, wealth, me, temper)
    return odds.draw(raid.spot, temper.ahead), odds.stop(raid.spot)


def taking_over(
    raid: Raid, wealth: Sequence[int], me: int, acting: int, temper: Temper
) -> tuple[float, float]:
    """What to expect of taking over, and of leaving the loot to the one who stopped."""
    price, others = raid.spot.price, len(wealth) - 1
    paid = list(wealth)
    paid[me] -= price
    paid[acting] += price
    odds = Odds(raid, paid, me, temper, -price - price / others)
    return odds.draw(raid.spot, temper.ahead), -raid.spot.loot / others
