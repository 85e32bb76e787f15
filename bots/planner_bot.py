"""Bali (Wrede): plans its whole turn by what stone, majorities and the pile will be worth at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, sqrt
from typing import Any

from dalang.engine.games.bali_wrede.components import (
    ALTAR,
    ALTAR_PRICE,
    CARD,
    CARD_PRICE,
    FARMER,
    HAND,
    KIND,
    KINDS,
    ORACLE,
    PRIEST,
    STONECUTTER,
)
from dalang.kit import LegalMove, Request, run

TYPES = range(ORACLE)
LEFT_LYING = 9.5
"""Cards in the rows when the game ends, on average (§9.2)."""
TAKEN_PER_TURN = 1.3
HAND_SHARES = (0.7, 0.45, 0.3)
"""How much of its worth on the table a card in hand has: the best one, the next, the last."""


class Prospect:
    """The position as numbers that a plan may change: certain where the seat sees, likely where it does not."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.me: int = view["you"]
        self.seats = len(view["stone"])
        self.tables: list[list[int]] = [table.copy() for table in view["tables"]]
        self.hands: list[list[int]] = [hand.copy() for hand in view["hands"]]
        self.stone: list[float] = list(view["stone"])
        self.points: list[float] = list(view["points"])
        self.rows = [[CARD[card] for card in row] for row in view["rows"]]
        self.stack: list[int] = view["stack"]
        self.demon: int = view["demon"]
        self.stock: list[int] = view["stock"]
        self.held = [likely_held(view, seat) for seat in range(self.seats)]
        self.pile = likely_pile(view)
        self.foresee()

    def foresee(self) -> None:
        """How long the game will last, and what will be valued how often until then."""
        lying = [card for row in self.rows for card in row]
        open_cards = [lying.count(card) + self.stack[card] for card in TYPES]
        takes = max(1.0, sum(open_cards) - LEFT_LYING)
        self.turns = takes / TAKEN_PER_TURN
        self.own_turns = self.turns / self.seats
        self.valuations = [self.turns * number / max(1, sum(open_cards)) for number in open_cards]
        altars = open_cards[ALTAR] + sum(hand[ALTAR] for hand in self.hands)
        offered = 0.5 * min(altars, takes) * (self.seats + 1)
        self.doubt = 0.4 + 0.55 * sqrt(offered)
        self.stone_worth = 0.2 + 0.25 * min(1.0, self.own_turns / 4)

    # ---- What things are worth, in points at the end

    def goods(self) -> list[float]:
        """§9.4: what a held card of each kind will bring, from 0 to 3."""
        pile, doubt = self.pile, self.doubt
        return [
            sum(3 / (1 + exp((pile[other] - pile[kind]) / doubt)) for other in KINDS if other != kind) / 3
            for kind in KINDS
        ]

    def payment(self, card: int, goods: list[float]) -> list[float]:
        """By seat: what a valuation of this card brings (§8)."""
        counts = [table[card] for table in self.tables]
        most = max(counts)
        leader = counts.index(most) if most >= 2 and counts.count(most) == 1 else -1  # §8.2
        if card >= FARMER:
            worth = goods[card - FARMER]
            return [
                worth * (2 if seat == leader else 1) if number else 0.0 for seat, number in enumerate(counts)
            ]
        worth = self.stone_worth if card == STONECUTTER else 1.0
        return [worth * (number + (seat == leader)) for seat, number in enumerate(counts)]

    def prospects(self) -> list[float]:
        """By seat: the points it can expect at the end."""
        goods = self.goods()
        totals = [self.wealth(seat, goods) for seat in range(self.seats)]
        for card in TYPES:
            often = self.valuations[card]
            for seat, gain in enumerate(self.payment(card, goods)):
                totals[seat] += often * gain
        return totals

    def wealth(self, seat: int, goods: list[float]) -> float:
        """What a seat has, and what it can buy and play with it."""
        table, stone, worth = self.tables[seat], self.stone[seat], self.stone_worth
        held = sum(number * good for number, good in zip(self.held[seat], goods, strict=True))
        bargain = max(goods[kind] - max(0, CARD_PRICE - table[FARMER + kind]) * worth for kind in KINDS)
        bought = 0.6 * self.own_turns * max(0.0, bargain)
        return (
            self.points[seat] + 4 * table[ALTAR] + stone * worth + held + bought + self.in_hand(seat, goods)
        )

    def in_hand(self, seat: int, goods: list[float]) -> float:
        """What the hand promises, for one card or one set of farmers is played in a turn."""
        hand, table = self.hands[seat], self.tables[seat]
        plays = sorted(
            (self.promise(seat, card, hand[card], table[card], goods) for card in TYPES if hand[card]),
            reverse=True,
        )
        return sum(share * max(0.0, play) for share, play in zip(HAND_SHARES, plays, strict=False))

    def promise(self, seat: int, card: int, number: int, lying: int, goods: list[float]) -> float:
        often = self.valuations[card]
        if card == STONECUTTER:
            return often * self.stone_worth
        if card == PRIEST:
            return often
        if card == ALTAR:
            missing = max(0.0, ALTAR_PRICE - self.stone[seat])
            return (4.5 + often - ALTAR_PRICE * self.stone_worth) * max(0.1, 1 - 0.12 * missing)
        good = goods[card - FARMER]
        return often * good * (0.3 if lying else 1.0) + 0.3 * number * self.own_turns * self.stone_worth

    def lead(self) -> float:
        """How far ahead of the others this seat can expect to be."""
        return self.ahead(self.prospects())

    def ahead(self, totals: list[float]) -> float:
        mine = totals[self.me]
        return mine - (sum(totals) - mine) / (self.seats - 1)

    # ---- What a move would change

    def after_buying(self, good: str | None) -> float:
        """The best play after it."""
        undo = self.stone.copy(), self.held[self.me].copy()
        if good is not None:
            kind = KIND[good]
            self.stone[self.me] -= max(0, CARD_PRICE - self.tables[self.me][FARMER + kind])
            self.held[self.me][kind] += 1
        best = max(self.after_playing(card, number, 0) for card, number in self.plays())
        self.stone, self.held[self.me] = undo
        return best

    def plays(self) -> Iterator[tuple[int, int]]:
        hand, stone = self.hands[self.me], self.stone[self.me]
        for card in TYPES:
            if hand[card] and card < FARMER and (card != ALTAR or stone >= ALTAR_PRICE):
                yield card, 1
            elif card >= FARMER:
                yield from ((card, number) for number in range(1, hand[card] + 1) if number - 1 <= stone)
        if hand[ALTAR] == HAND and stone < ALTAR_PRICE:
            yield ALTAR, 0  # §5.2: into the box

    def after_playing(self, card: int, number: int, takes: int) -> float:
        """With the best `takes` cards that can be taken afterwards."""
        me, demon = self.me, self.demon
        cost = (ALTAR_PRICE if card == ALTAR else number - 1) if number else 0
        self.hands[me][card] -= max(1, number)
        self.tables[me][card] += number
        self.stone[me] -= cost
        if card == PRIEST and demon >= 0:
            self.demon = (demon + 1) % 4  # §11.1
        value = self.after_taking(takes) if takes else self.lead()
        self.demon = demon
        self.stone[me] += cost
        self.tables[me][card] -= number
        self.hands[me][card] += max(1, number)
        return value

    def after_taking(self, takes: int) -> float:
        return max(self.after_take(row, takes) for row in range(4) if row != self.demon and self.rows[row])

    def after_take(self, row: int, takes: int) -> float:
        """The last card that is taken decides what is valued (§8.1)."""
        card = self.rows[row].pop()
        self.hands[self.me][card] += 1
        if takes > 1 and any(self.rows[other] for other in range(4) if other != self.demon):
            value = self.after_taking(takes - 1)
        else:
            value = self.lead() + self.valued(row)
        self.hands[self.me][card] -= 1
        self.rows[row].append(card)
        return value

    def valued(self, row: int) -> float:
        """What the card that now lies at the bottom brings, or on average one from the stack."""
        goods = self.goods()
        if self.rows[row]:
            return self.ahead(self.payment(self.rows[row][-1], goods))
        cards = sum(self.stack[:ORACLE])
        return sum(self.stack[card] * self.ahead(self.payment(card, goods)) for card in TYPES) / max(1, cards)

    def after_offering(self, good: str, number: int = 1, own: int = -1) -> float:
        """With `number` cards more of this kind on the pile, and `own` more in the own hand."""
        kind = KIND[good]
        self.pile[kind] += number
        self.held[self.me][kind] += own
        value = self.lead()
        self.held[self.me][kind] -= own
        self.pile[kind] -= number
        return value

    def after_laying_down(self, good: str) -> float:
        """The open card from the stock follows it (§6.3)."""
        kind = KIND[good]
        self.pile[kind] += 1
        self.held[self.me][kind] -= 1
        value = max((self.after_offering(name, 1, 0) for name in KIND if self.stock[KIND[name]]), default=0.0)
        self.held[self.me][kind] += 1
        self.pile[kind] -= 1
        return value

    def after_reward(self, what: str) -> float:
        number = self.payment(ALTAR, self.goods())[self.me]
        purse = self.stone if what == "stone" else self.points
        purse[self.me] += number
        value = self.lead()
        purse[self.me] -= number
        return value


# ---- What the seat does not see


def likely_held(view: dict[str, Any], seat: int) -> list[float]:
    if seat == view["you"]:
        return list(view["held"])
    ledger = [max(0, number) for number in view["open"][seat]]  # V8
    return shared_out(view["total"][seat], ledger)


def likely_pile(view: dict[str, Any]) -> list[float]:
    """Cards on the place by kind; hidden ones are taken to be like what their owners had."""
    pile = [0.0] * 4
    for by, _, good in view["laid"]:
        if good:
            pile[KIND[good]] += 1
        else:
            ledger = [1.0] * 4 if by < 0 else [max(0.2, number) for number in view["open"][by]]
            pile = [lying + part for lying, part in zip(pile, shared_out(1, ledger), strict=True)]
    for *_, kept, _, _, good in view["looks"]:
        if good:
            pile[KIND[good]] -= 1
        elif kept:
            pile = [lying - part for lying, part in zip(pile, shared_out(1, pile), strict=True)]
    return pile


def shared_out(number: float, weights: list[float]) -> list[float]:
    """`number` cards, shared out by weight."""
    total = sum(weights)
    return [number * weight / total if total else number / 4 for weight in weights]


# ---- The choice


def choose(request: Request) -> LegalMove:
    prospect = Prospect(request.view)
    best = max(request.moves, key=lambda move: value(prospect, request.decision, move))
    lead, totals = value(prospect, request.decision, best), prospect.prospects()
    request.note = f"expects {totals[prospect.me]:.0f} points, {lead:+.1f} against the others"
    return best


def value(prospect: Prospect, decision: str, move: Sequence[str | int]) -> float:
    """How far ahead this seat can expect to be after the move."""
    verb, *names = move
    good = str(names[-1]) if names else ""
    if decision == "buy":
        return prospect.after_buying(good or None)
    if decision == "play":
        card, number = played(move)
        return prospect.after_playing(card, number, max(1, number))
    if decision == "take":
        return prospect.after_take(int(names[0]), HAND - sum(prospect.hands[prospect.me]))
    if decision == "reward":
        return prospect.after_reward(good)
    if decision == "offer_down":
        return prospect.after_laying_down(good)
    if verb == "pass":
        return prospect.lead()
    if verb == "look":
        return prospect.lead() + 1  # §10.6: a card for nothing
    number, own = {"offer": (1, -1), "add": (1, 0), "keep": (-1, 1), "gain": (0, 1)}[str(verb)]
    return prospect.after_offering(good, number, own)


def played(move: Sequence[str | int]) -> tuple[int, int]:
    """The card that a move plays, and how many of it."""
    verb, what, *more = move
    if verb == "discard":
        return ALTAR, 0
    return (FARMER + KIND[str(more[0])], int(more[1])) if more else (CARD[str(what)], 1)


if __name__ == "__main__":
    run(choose, name="planner", games={"bali_wrede": [2, 3, 4]}, wants=["view"])
