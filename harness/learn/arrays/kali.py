"""A batch of Die Augen der Kali in arrays: the rules of rulebook.md for all games at once.

The engine says what is right; a test plays both side by side, card for card. § marks are those of the rulebook.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from dalang.engine.chance import SeededChance
from dalang.engine.games.kali.components import (
    COPIES,
    DECLINE,
    FIRST_WEALTH,
    GEMS,
    LAST_FIELD,
    LENGTHS,
    NOISE,
    STOP,
    TAKE_OVER,
    TURN_UP,
)
from dalang.engine.games.kali.learning import PRICES
from dalang.harness.learn.arrays.batch import GameBatch
from dalang.harness.learn.table import LearningTable

Ints = npt.NDArray[np.int64]
"""Numbers of games, or something of each of them."""

FIRST_CARD, GO_ON, BID = range(3)
"""The decisions in the order in which an encoding has them."""
LOOT_UP_TO = np.array([9, 20, 40])
"""For each price but the last, the largest loot that it is for (§8.2, §8.3)."""
FARTHEST = LAST_FIELD + max(LENGTHS)
HALF_WORD, LOW_HALF = np.uint64(32), np.uint64(2**32 - 1)


class KaliArrays(GameBatch):
    def __init__(self, table: LearningTable, number: int) -> None:
        super().__init__(table, number)
        seats, copies = table.seats, len(COPIES)
        self.fields = np.array(table.options["fields"])
        self.rounds_up = table.options["fine_rounding"] == "up"
        self.after_taker = table.options["after_takeover"] == "taker"
        self.draw, self.stop, self.take, self.decline = map(
            table.actions.index, (TURN_UP, STOP, TAKE_OVER, DECLINE)
        )
        self.owner, self.acting, self.field, self.loot, self.price = np.zeros((5, number), np.int64)
        self.temple, self.frights, self.decision = np.zeros((3, number), np.int64)
        self.wealth = np.zeros((number, seats), np.int64)
        self.deck = np.zeros((number, copies), np.int64)
        self.chances = [SeededChance("")] * number
        self.used = np.zeros((number, seats), np.int64)
        self.ahead = np.zeros((number, seats, 8), np.uint64)
        sizes = [len(feature.parts) for feature in table.encoding.features]
        starts = accumulate(sizes, initial=0)
        self.column = {
            feature.key: start for feature, start in zip(table.encoding.features, starts, strict=False)
        }
        self.clockwise = np.arange(seats)

    # ---- Beginning (§2)

    def begin_all(self) -> None:
        self.now.over.fill(True)  # what ends before anybody had a choice is dealt anew, and nobody is told
        self.begin(self.rows)
        self.go_on(self.rows[:0])

    def begin(self, games: Ints) -> None:
        seats = self.table.seats
        self.wealth[games] = FIRST_WEALTH
        self.temple[games] = GEMS - FIRST_WEALTH * seats
        self.deck[games] = COPIES
        self.loot[games] = self.frights[games] = self.price[games] = 0
        self.used[games] = 0
        for game in games.tolist():
            self.chances[game] = SeededChance(self.next_deal(game))
        self.begin_turn(games, np.zeros_like(games))

    def begin_turn(self, games: Ints, seats: Ints) -> None:
        self.field[games] = 1
        self.owner[games] = self.acting[games] = seats
        self.ask(games, seats, FIRST_CARD)

    def ask(self, games: Ints, seats: Ints, decision: int) -> None:
        self.now.seats[games] = seats
        self.decision[games] = decision

    # ---- A step

    def play(self, actions: npt.NDArray[Any]) -> None:
        stopping = np.flatnonzero(actions == self.stop)
        self.price[stopping] = np.array(PRICES)[np.searchsorted(LOOT_UP_TO, self.loot[stopping])]
        self.ask_bidders(stopping, self.acting[stopping])
        declining = np.flatnonzero(actions == self.decline)
        self.ask_bidders(declining, self.now.seats[declining])
        self.take_over(np.flatnonzero(actions == self.take))
        self.go_on(np.flatnonzero(actions == self.draw))

    def go_on(self, turning: Ints) -> None:
        """Turn cards in these games, and wherever that is the only move, until somebody has a choice in all."""
        self.turn_cards(turning)
        while not self.table.ask_forced and (turning := np.flatnonzero(self.decision == FIRST_CARD)).size:
            self.turn_cards(turning)
        self.fill()

    # ---- Taking over (§8)

    def ask_bidders(self, games: Ints, last: Ints) -> None:
        """The next who can pay, clockwise up to the one who stopped; if nobody can, he pockets the loot (§5.2)."""
        seats = self.table.seats
        waiting = (self.acting[games] - last - 1) % seats
        asked = np.full_like(games, -1)
        for step in range(seats - 1, 0, -1):  # the first of them last, so that it stands
            seat = (last + step) % seats
            can_pay = (step <= waiting) & (self.wealth[games, seat] >= self.price[games])  # §8.7, §8.8
            asked[can_pay] = seat[can_pay]
        found = asked >= 0
        self.ask(games[found], asked[found], BID)
        self.pocket(games[~found])

    def take_over(self, games: Ints) -> None:
        taker = self.now.seats[games]
        self.wealth[games, taker] -= self.price[games]  # §8.4
        self.wealth[games, self.acting[games]] += self.price[games]
        self.price[games] = 0
        self.acting[games] = taker  # §8.9
        self.ask(games, taker, FIRST_CARD)

    def pocket(self, games: Ints) -> None:
        self.wealth[games, self.acting[games]] += self.loot[games]
        self.loot[games] = self.price[games] = 0
        self.next_turn(games)

    def next_turn(self, games: Ints) -> None:
        last = (self.acting if self.after_taker else self.owner)[games]  # §5.4
        self.begin_turn(games, (last + 1) % self.table.seats)

    # ---- Cards (§3 to §7)

    def turn_cards(self, games: Ints) -> None:
        cards = self.drawn(games)
        self.walk(games[cards < NOISE], cards[cards < NOISE] + 1)
        self.frights[games[cards > NOISE]] += 1  # §7.1
        woken = (cards > NOISE) & (self.frights[games] > 1)  # §7.7
        self.flee(games[(cards >= NOISE) & ~woken])
        self.wake(games[woken])

    def drawn(self, games: Ints) -> Ints:
        """A card for each of these games, by the luck of the seat that turns it."""
        deck = self.deck[games]
        places = self.numbers(games, self.acting[games], deck.sum(axis=1))
        cards: Ints = (deck.cumsum(axis=1) <= places[:, None]).sum(axis=1)
        self.deck[games, cards] -= 1
        return cards

    def numbers(self, games: Ints, seats: Ints, limits: Ints) -> Ints:
        """What `SeededChance.below` gives: the upper word of the product of two, of which the second is small."""
        used = self.used[games, seats]
        self.used[games, seats] += 1
        for at in np.flatnonzero(used % 8 == 0).tolist():
            game, seat = games[at], int(seats[at])
            self.ahead[game, seat] = self.chances[game].eight("deck", seat, int(used[at]) >> 3)
        words, limit = self.ahead[games, seats, used % 8], limits.astype(np.uint64)
        low = ((words & LOW_HALF) * limit) >> HALF_WORD
        return (((words >> HALF_WORD) * limit + low) >> HALF_WORD).astype(np.int64)

    def walk(self, games: Ints, steps: Ints) -> None:
        self.field[games] += steps  # §4.1
        there = self.field[games] <= LAST_FIELD
        self.reach(games[~there])
        games = games[there]
        due = self.fields[self.field[games] - 1] * np.where(self.frights[games] > 0, 2, 1)  # §4.2, §4.5
        gems = np.minimum(due, self.temple[games])  # §4.6
        self.temple[games] -= gems
        self.loot[games] += gems
        self.ask(games, self.acting[games], GO_ON)  # §3.4

    def flee(self, games: Ints) -> None:
        acting = self.acting[games]
        wealth, divisor = (
            self.wealth[games, acting],
            np.where(self.frights[games] > 0, 2, 4),
        )  # §6.2, §7.2, §7.3
        fine = -(-wealth // divisor) if self.rounds_up else wealth // divisor  # §6.4
        self.temple[games] += self.loot[games] + fine  # §6.1
        self.wealth[games, acting] -= fine
        self.loot[games] = 0
        self.next_turn(games)  # §6.6

    # ---- The end (§9, §10)

    def wake(self, games: Ints) -> None:
        worth = self.wealth[games].copy()
        worth[np.arange(games.size), self.acting[games]] = -1  # §10.1: below all others
        self.end(games, worth)

    def reach(self, games: Ints) -> None:
        self.wealth[games, self.acting[games]] += self.temple[games] + self.loot[games]  # §9.4, §9.5
        self.end(games, self.wealth[games])

    def end(self, games: Ints, worth: Ints) -> None:
        told = ~self.now.over[games]
        over, worth = games[told], worth[told]
        self.now.over[over] = True
        self.now.rewards[over] = places(worth) if self.table.reward == "place" else np.maximum(worth, 0)
        self.begin(games)

    # ---- What is seen

    def fill(self) -> None:
        """As the schema of the game has it: a test compares them."""
        seen, me, seats = self.now.observations, self.now.seats, self.table.seats
        seen.fill(0)
        self.mark("asked", me * 0)
        self.mark("decision", self.decision)
        self.mark("owner", (self.owner - me) % seats)
        self.mark("acting", (self.acting - me) % seats)
        self.mark("price", np.searchsorted((0, *PRICES), self.price))
        for key, numbers in (
            ("field", self.field / FARTHEST),
            ("loot", self.loot / GEMS),
            ("temple", self.temple / GEMS),
        ):
            seen[:, self.column[key]] = numbers
        seen[:, self.column["frights"]] = self.frights / COPIES[-1]
        turned = self.wealth[self.rows[:, None], (me[:, None] + self.clockwise) % seats]
        seen[:, self.column["wealth"] :][:, :seats] = turned / GEMS
        seen[:, self.column["deck"] :][:, : len(COPIES)] = self.deck / COPIES
        bidding = self.decision == BID
        self.now.masks[:, self.draw] = ~bidding
        self.now.masks[:, self.stop] = self.decision == GO_ON
        self.now.masks[:, self.take] = self.now.masks[:, self.decline] = bidding

    def mark(self, key: str, place: Ints) -> None:
        self.now.observations[self.rows, self.column[key] + place] = 1


def places(worth: Ints) -> npt.NDArray[np.float64]:
    """By place, as every table has it: 1 for the sole winner, -1 for the sole last."""
    mine, theirs = worth[:, :, None], worth[:, None, :]
    beaten = ((mine > theirs) + (mine == theirs) / 2).sum(axis=2) - 0.5
    rewards: npt.NDArray[np.float64] = 2 * (beaten / (worth.shape[1] - 1)) - 1
    return rewards
