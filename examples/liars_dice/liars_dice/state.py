"""Liar's Dice from the first roll to the end. § marks refer to rulebook.md beside this file."""

from __future__ import annotations

from typing import ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Chance
from dalang.engine.game import NOBODY, Move, Outcome, Plain, State, ranked

DICE = 5  # §1.1
FACES = range(1, 7)
DOUBT: Move = ("doubt",)


class LiarsDice(State):
    __slots__ = (
        "bid",  # how many of which face; nothing before the first bid of a round
        "bidder",
        "dice",  # by seat, in ascending order
        "out",  # the seats without dice, in the order in which they went out
    )
    OPTIONS: ClassVar = {"wild_ones": options.flag(True)}

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.dice = [[0] * DICE for _ in range(seats)]
        self.out: list[int] = []
        self.bid: list[int] = []
        self.bidder = NOBODY
        self.plan(("round", 0))
        self.advance()

    # ---- Rolling (§1)

    def do_round(self, first: int) -> None:
        self.bid, self.bidder = [], NOBODY
        for seat, dice in enumerate(self.dice):
            if dice:
                self.roll(seat)
        self.ask(first, "bid")

    def roll(self, seat: int) -> None:
        self.dice[seat] = dice = self.rolled(seat, len(self.dice[seat]))
        self.tell_secret("roll", seat, {"drawn": dice.copy()}, seat=seat, dice=len(dice))

    def rolled(self, seat: int, number: int) -> list[int]:
        return sorted(1 + self.chance.below(len(FACES), "die", seat) for _ in range(number))

    # ---- Bids (§2)

    def may_bid(self) -> list[Move]:
        least = self.bid or [1, 0]
        counts = range(least[0], sum(map(len, self.dice)) + 1)
        higher: list[Move] = [
            ("bid", count, face) for count in counts for face in FACES if [count, face] > least
        ]
        return [DOUBT, *higher] if self.bid else higher

    def on_bid(self, verb: str, *bid: int) -> None:
        if verb == "bid":
            self.bid, self.bidder = list(bid), self.seat
            self.ask(self.next_with_dice(self.seat), "bid")
        else:
            self.plan(("lift", self.seat))

    def next_with_dice(self, seat: int) -> int:
        return next(other for other in [*self.others(seat), seat] if self.dice[other])

    # ---- A doubt (§3)

    def do_lift(self, doubter: int) -> None:
        count = sum(self.counts_as(die, self.bid[1]) for dice in self.dice for die in dice)
        loser = doubter if count >= self.bid[0] else self.bidder  # §3.2
        shown = [dice.copy() for dice in self.dice]
        self.tell("lift", dice=shown, bid=self.bid.copy(), count=count, loser=loser)
        self.dice[loser].pop()
        if not self.dice[loser]:
            self.out.append(loser)
            self.tell("out", seat=loser)
        if len(self.out) < self.seats - 1:
            self.plan(("round", loser if self.dice[loser] else self.next_with_dice(loser)))  # §3.3
        else:
            self.tell("end", seat=self.next_with_dice(loser))

    def counts_as(self, die: int, face: int) -> bool:
        return die == face or (die == 1 and self.options["wild_ones"])  # §2.4

    # ---- The end (§4)

    def outcome(self) -> Outcome:
        scores = tuple(
            self.out.index(seat) if seat in self.out else len(self.out) for seat in range(self.seats)
        )
        return Outcome(scores, ranked(scores), "one_left")

    # ---- Knowing

    def sight(self, seat: int) -> Plain:
        return {
            "dice": self.dice[seat].copy(),  # §1.2
            "held": [len(dice) for dice in self.dice],
            "bid": self.bid.copy(),
            "bidder": self.bidder,
            "out": self.out.copy(),
        }

    def open_sight(self) -> Plain:
        return self.sight(0) | {"dice": []}

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.blank(len(view["held"]), chance, view)
        state.bid, state.bidder, state.out = view["bid"].copy(), view["bidder"], view["out"].copy()
        state.dice = [state.rolled(seat, held) for seat, held in enumerate(view["held"])]
        state.dice[view["you"]] = view["dice"].copy()
        return state

    def copy_to(self, twin: Self) -> None:
        twin.dice = [dice.copy() for dice in self.dice]
        twin.bid, twin.bidder, twin.out = self.bid.copy(), self.bidder, self.out.copy()


def conserved(state: LiarsDice) -> None:
    assert all(len(dice) <= DICE and set(dice) <= set(FACES) for dice in state.dice)
    assert sorted(state.out) == [seat for seat, dice in enumerate(state.dice) if not dice]
    assert not state.decision or state.dice[state.seat]
