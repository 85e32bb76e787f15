"""Bali (Wrede 2017) from setup to scoring. § marks refer to rulebook.md beside this file.

Who is asked what says how the turn goes on, so nothing waits on the agenda.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Bag, Chance
from dalang.engine.game import NOBODY, Move, Outcome, Plain, State, ranked
from dalang.engine.games.bali_wrede.components import (
    ADD,
    ALTAR,
    ALTAR_PRICE,
    BUY,
    CARD,
    CARD_PRICE,
    CARDS,
    COPIES,
    DISCARD,
    EMPTY,
    FACE_DOWN,
    FARMER,
    GAIN,
    GOODS,
    HAND,
    KEEP,
    KIND,
    KINDS,
    LOOK,
    OFFER,
    OFFERINGS,
    ORACLE,
    ORACLES,
    PASS,
    PLAY,
    PLAY_FARMERS,
    PRIEST,
    REWARDS,
    ROWS,
    STONECUTTER,
    TAKE,
    TOPS,
    UNKNOWN,
    WINDOW,
)
from dalang.engine.games.bali_wrede.sight import imagine, open_sight_of, revealed, sight_of


class BaliWrede(State):
    __slots__ = (
        "box",  # altars and oracles out of the game
        "demon",  # the row it stands on; NOBODY without that variant
        "down",  # by seat: how many cards it laid face down
        "due",  # farmer cards still due to the seat that is asked to gain
        "hands",
        "held",  # by seat and kind: its offering cards
        "laid",  # every card ever laid on the place: by whom, face down?, kind
        "looks",  # every look: by whom, after how many were laid, at how many, kind kept, new top, kinds seen
        "lows",  # by seat: the lowest open ledger in each stretch between two of its hidden acts
        "open",  # by seat and kind: the open ledger
        "picks",  # by seat: how many cards it kept after a look
        "place",  # what lies there, bottom to top, as positions in `laid`
        "points",
        "row",  # from which a card was last taken this turn
        "rows",  # top to bottom
        "stack",
        "stock",
        "stone",
        "tables",
        "turn",  # the active seat
    )
    OPTIONS: ClassVar = {
        "oracle": options.flag(False),
        "demon": options.flag(False),
        "start_sets": options.ordering(GOODS),
    }
    BAGS: ClassVar = {"stack": CARDS}

    # ---- Setup (§2, §10.1, §11.1)

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.tables = [[1, 0, 0, 0, 0, 0, 0] for _ in range(seats)]  # §2.3
        self.hands = [
            [0, 0, 0, *(int(good != lacking) for good in GOODS)]  # §1.3
            for lacking in options["start_sets"][:seats]
        ]
        self.stone = [2 + seat for seat in range(seats)]  # §2.4
        self.points = [0] * seats
        self.held = [[1, 1, 1, 1] for _ in range(seats)]  # §2.5
        self.open = [[1, 1, 1, 1] for _ in range(seats)]  # V8
        self.lows = [[[1, 1, 1, 1]] for _ in range(seats)]
        self.down, self.picks = [0] * seats, [0] * seats
        self.stock = [OFFERINGS - seats] * 4
        self.laid: list[tuple[int, bool, int]] = []
        self.place: list[int] = []
        self.looks: list[tuple[int, int, int, int, int, list[int]]] = []
        self.box = [0, 0]
        self.row, self.due = NOBODY, 0
        self.demon = 0 if options["demon"] else NOBODY  # §11.1
        self.stack = Bag(CARDS, COPIES)
        # One stream of the table for all draws: whoever empties a row, the next cards of a deal are the same.
        self.rows = [[self.chance.draw(self.stack, "stack") for _ in range(4)] for _ in ROWS]  # §2.6, §2.8
        self.tell("display", drawn=[CARDS[card] for row in self.rows for card in row])
        if options["oracle"]:
            self.add_oracles()
        self.begin_turn(0)  # §2.2

    def add_oracles(self) -> None:
        kinds = Bag(GOODS, [1, 1, 1, 1])
        self.laid = [(NOBODY, True, self.chance.draw(kinds, "place")) for _ in KINDS]  # §10.1
        self.place = list(KINDS)
        self.stock = [cards - 1 for cards in self.stock]  # §10.2
        self.stack = Bag(CARDS, [*self.stack.counts[:ORACLE], ORACLES])  # §10.3
        drawn = [GOODS[kind] for _, _, kind in self.laid]
        self.tell_secret("first_offerings", NOBODY, {}, {"drawn": drawn})

    # ---- Decisions (D1 to D10)

    def may_buy(self) -> list[Move]:
        most = CARD_PRICE - self.stone[self.seat]
        farmers = self.tables[self.seat][FARMER:]
        moves = [BUY[kind] for kind in KINDS if self.stock[kind] and farmers[kind] >= most]  # §4.3, §4.4
        moves.append(PASS)
        return moves

    def may_play(self) -> list[Move]:
        hand, stone = self.hands[self.seat], self.stone[self.seat]
        moves = [PLAY[card] for card in (STONECUTTER, PRIEST) if hand[card]]
        if hand[ALTAR] and stone >= ALTAR_PRICE:
            moves.append(PLAY[ALTAR])
        for kind in KINDS:
            cards = hand[FARMER + kind]
            if cards:
                moves += PLAY_FARMERS[kind][: min(cards, stone + 1)]
        return moves or [DISCARD]  # §5.2, §5.3

    def may_offer(self) -> list[Move]:
        held = self.held[self.seat]
        return [OFFER[kind] for kind in KINDS if held[kind]]

    may_offer_down = may_offer

    def may_add(self) -> list[Move]:
        return [ADD[kind] for kind in KINDS if self.stock[kind]]

    def may_take(self) -> list[Move]:
        return [move for move in TAKE if move[1] != self.demon]  # §11.2

    def may_look(self) -> list[Move]:
        return [LOOK, PASS]

    def may_keep(self) -> list[Move]:
        seen = self.looks[-1][5]
        moves = [KEEP[kind] for kind in KINDS if kind in seen]
        return moves if len(seen) == WINDOW else [*moves, PASS]  # §10.6

    def may_gain(self) -> list[Move]:
        return [*[GAIN[kind] for kind in KINDS if self.stock[kind]], PASS]  # §8.11

    def may_reward(self) -> list[Move]:
        return REWARDS.copy()

    # ---- Phase 1: buy an offering card (§3, §4)

    def begin_turn(self, seat: int) -> None:
        self.turn = seat
        self.row = NOBODY
        self.ask(seat, "buy")

    def on_buy(self, verb: str, good: str = "") -> None:
        seat = self.seat
        if verb == "buy":
            kind = KIND[good]
            price = max(0, CARD_PRICE - self.tables[seat][FARMER + kind])  # §4.2
            self.stone[seat] -= price
            self.receive(seat, kind)
            self.tell("price", seat=seat, stone=price)
        self.ask(seat, "play")

    def receive(self, seat: int, kind: int) -> None:
        """An offering card goes openly from the stock to a player."""
        self.stock[kind] -= 1
        self.held[seat][kind] += 1
        self.open[seat][kind] += 1

    # ---- Phase 2a: play cards (§5, §11.1)

    def on_play(self, verb: str, what: str, good: str = "", number: int = 1) -> None:
        seat = self.seat
        card = FARMER + KIND[good] if good else CARD[what]
        self.hands[seat][card] -= number
        self.ask(seat, "take")
        if verb == "discard":
            self.box[0] += 1  # §5.2
            return
        self.tables[seat][card] += number
        self.stone[seat] -= ALTAR_PRICE if card == ALTAR else number - 1  # §5.1
        if card == ALTAR:
            self.next_offering(self.left_of(seat))  # before he takes
        elif card == PRIEST and self.demon != NOBODY:
            self.demon = (self.demon + 1) % 4
            self.tell("demon", row=self.demon)

    # ---- Phase 2b: the offering (§6)

    def next_offering(self, seat: int) -> None:
        """Ask the first seat from here on that has a card to lay (§6.1, §6.5); the active one is last."""
        while seat != self.turn:
            if any(self.held[seat]):
                self.ask(seat, "offer")
                return
            seat = self.left_of(seat)
        if any(self.held[seat]):
            self.ask(seat, "offer_down")
        else:
            self.ask_for_addition()  # §6.6

    def on_offer(self, verb: str, good: str) -> None:
        seat, kind = self.seat, KIND[good]
        self.held[seat][kind] -= 1
        ledger = self.open[seat]
        ledger[kind] -= 1
        self.lows[seat][-1] = list(map(min, self.lows[seat][-1], ledger))
        self.lay(seat, False, kind)
        self.next_offering(self.left_of(seat))

    def on_offer_down(self, verb: str, good: str) -> None:
        seat, kind = self.seat, KIND[good]
        self.held[seat][kind] -= 1
        self.down[seat] += 1
        self.lows[seat].append(self.open[seat].copy())
        self.lay(seat, True, kind)  # §6.2
        self.ask_for_addition()

    def ask_for_addition(self) -> None:
        self.ask(self.turn, "add" if any(self.stock) else "take")  # §6.6

    def on_add(self, verb: str, good: str) -> None:
        self.stock[KIND[good]] -= 1
        self.lay(NOBODY, False, KIND[good])  # §6.3
        self.ask(self.turn, "take")

    def lay(self, by: int, down: bool, kind: int) -> None:
        """On top of the place (§6.4)."""
        self.place.append(len(self.laid))
        self.laid.append((by, down, kind))

    def top(self) -> int:
        """The top of the place as it lies (V5)."""
        if not self.place:
            return EMPTY
        _, down, kind = self.laid[self.place[-1]]
        return FACE_DOWN if down else kind

    # ---- Phase 3: take cards (§7, §9.1)

    def on_take(self, verb: str, number: int) -> None:
        self.hands[self.seat][self.rows[number].pop()] += 1  # §7.2
        self.row = number
        self.go_on()

    def go_on(self) -> None:
        """Fill the row if it is empty, then take another card or have the row valued."""
        if not self.rows[self.row]:
            self.refill()  # §7.3, §10.10
        elif sum(self.hands[self.turn]) < HAND:
            self.ask(self.turn, "take")  # §7.1
        else:
            self.value()

    def refill(self) -> None:
        """Lay four new cards, or as many as there are (§9.2)."""
        draw, stack = self.chance.draw, self.stack
        row = [draw(stack, "stack") for _ in range(min(4, stack.size))]
        self.rows[self.row] = row
        if self.events is not None:
            self.tell("refill", row=self.row, drawn=[CARDS[card] for card in row])
        if not stack.size:
            self.end()  # §9.1
        elif ORACLE in row:
            self.remove_oracles(row)
        else:
            self.go_on()

    # ---- Phase 4: valuation (§8)

    def value(self) -> None:
        card = self.rows[self.row][-1]  # §8.1
        if self.events is not None:
            self.tell("valuation", row=self.row, card=CARDS[card])
        if card <= PRIEST:
            self.pay_all(card)
        elif card == ALTAR:
            self.reward(self.turn)  # §8.6
        else:
            self.reap(self.turn)  # §8.8

    def clockwise(self, seat: int, step: Callable[[int], None]) -> None:
        """Go on with the seat to the left; after a full round the turn is over."""
        following = self.left_of(seat)
        if following == self.turn:
            self.begin_turn(self.left_of(following))
        else:
            step(following)

    def worth(self, card: int) -> list[int]:
        """By seat: its cards of the valued type, and one more for a sole majority (§8.2)."""
        counts = [table[card] for table in self.tables]
        most = max(counts)
        if most >= 2 and counts.count(most) == 1:
            counts[counts.index(most)] += 1
        return counts

    def pay_all(self, card: int) -> None:
        """§8.3, §8.4."""
        for seat, number in enumerate(self.worth(card)):
            if number:
                self.pay(seat, number, "stone" if card == STONECUTTER else "point")
        self.begin_turn(self.left_of(self.turn))

    def pay(self, seat: int, number: int, what: str) -> None:
        purse = self.stone if what == "stone" else self.points
        purse[seat] += number
        if self.events is not None:
            self.tell("pay", seat=seat, number=number, what=what)

    def reward(self, seat: int) -> None:
        if self.tables[seat][ALTAR]:
            self.ask(seat, "reward")
        else:
            self.clockwise(seat, self.reward)

    def on_reward(self, verb: str, what: str) -> None:
        self.pay(self.seat, self.worth(ALTAR)[self.seat], what)  # §8.5
        self.clockwise(self.seat, self.reward)

    def reap(self, seat: int) -> None:
        """§8.7: one card for any number of farmers, and one more for a sole majority."""
        card = self.rows[self.row][-1]
        farmers = self.tables[seat][card]
        self.hand_out(seat, 1 + self.worth(card)[seat] - farmers if farmers else 0)

    def hand_out(self, seat: int, due: int) -> None:
        """§8.9: this seat gets all its cards before the next one does."""
        kind = self.rows[self.row][-1] - FARMER
        for missing in range(due, 0, -1):
            if self.stock[kind]:
                self.gain(seat, kind)
            elif any(self.stock):  # §8.11 from empty stocks nobody gets anything
                self.due = missing
                self.ask(seat, "gain")  # §8.10
                return
        self.clockwise(seat, self.reap)

    def gain(self, seat: int, kind: int) -> None:
        self.receive(seat, kind)
        if self.events is not None:
            self.tell("gain", seat=seat, good=GOODS[kind])

    def on_gain(self, verb: str, good: str = "") -> None:
        due, self.due = self.due, 0
        if verb == "gain":
            self.gain(self.seat, KIND[good])
        self.hand_out(self.seat, due - 1)

    # ---- The end (§9)

    def end(self) -> None:
        if self.events is not None:
            scores, ranks, ending = self.outcome()
            self.tell("end", ending=ending, scores=list(scores), ranks=list(ranks), **revealed(self))

    def values(self) -> list[int]:
        """§9.4 to §9.7: what a held card of each kind is worth."""
        lying = [self.laid[card][2] for card in self.place]
        counts = [lying.count(kind) for kind in KINDS]
        return [3 - len({other for other in counts if other > mine}) if mine else 0 for mine in counts]

    def score(self, seat: int, values: list[int]) -> int:
        worth = sum(value * cards for value, cards in zip(values, self.held[seat], strict=True))
        return self.points[seat] + 4 * self.tables[seat][ALTAR] + self.stone[seat] // 5 + worth  # §9.8

    def outcome(self) -> Outcome:
        values = self.values()
        scores = [self.score(seat, values) for seat in range(self.seats)]
        altars = [table[ALTAR] for table in self.tables]
        ranks = ranked(list(zip(scores, altars, self.stone, strict=True)))  # §9.10, §9.11
        return Outcome(tuple(scores), ranks, "stack_empty")  # §9.12

    # ---- Oracle (§10)

    def remove_oracles(self, row: list[int]) -> None:
        oracles = row.count(ORACLE)
        row[:] = [card for card in row if card != ORACLE]
        self.box[1] += oracles  # §10.4
        self.tell("oracles", row=self.row, number=oracles)
        if self.place:
            self.ask(self.turn, "look")
        else:
            self.go_on()  # §10.5

    def on_look(self, verb: str) -> None:
        if verb == "pass":
            self.go_on()
            return
        seen = [self.laid[card][2] for card in self.place[-WINDOW:]]
        self.looks.append((self.seat, len(self.laid), len(seen), UNKNOWN, self.top(), seen))
        if self.events is not None:
            kinds = {"kinds": [GOODS[kind] for kind in seen]}
            self.tell_secret("look", self.seat, kinds, seat=self.seat, cards=len(seen))
        self.ask(self.seat, "keep")

    def on_keep(self, verb: str, good: str = "") -> None:
        if verb == "keep":
            self.keep(self.seat, KIND[good])
        self.go_on()

    def keep(self, seat: int, kind: int) -> None:
        by, after, size, _, _, seen = self.looks[-1]
        del self.place[len(self.place) - size + seen.index(kind)]  # §10.8
        self.looks[-1] = (by, after, size, kind, self.top(), seen)
        self.held[seat][kind] += 1
        self.picks[seat] += 1
        self.lows[seat].append(self.open[seat].copy())
        self.tell("kept", seat=seat, place=len(self.place), top=TOPS[self.top()])

    # ---- Who sees what (V1 to V10, V12, V15)

    def tell_move(self, move: Move) -> None:
        if self.decision == "offer_down" or move[0] == "keep":
            full, verb = {"move": list(move)}, [move[0]]
            self.tell_secret("move", self.seat, full, seat=self.seat, decision=self.decision, move=verb)
        else:
            super().tell_move(move)

    sight = sight_of  # the function itself: every question carries a view
    open_sight = open_sight_of

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.blank(len(view["stone"]), chance, view)
        imagine(state, view)
        return state

    # ---- Copying

    def copy_to(self, twin: Self) -> None:
        twin.turn, twin.row, twin.due, twin.demon = self.turn, self.row, self.due, self.demon
        twin.box, twin.down, twin.picks = self.box.copy(), self.down.copy(), self.picks.copy()
        twin.stock, twin.stone, twin.points = self.stock.copy(), self.stone.copy(), self.points.copy()
        twin.place, twin.laid, twin.looks = self.place.copy(), self.laid.copy(), self.looks.copy()
        twin.stack = self.stack.clone()
        twin.rows = [row.copy() for row in self.rows]
        twin.tables = [table.copy() for table in self.tables]
        twin.hands = [hand.copy() for hand in self.hands]
        twin.held = [held.copy() for held in self.held]
        twin.open = [ledger.copy() for ledger in self.open]
        twin.lows = [lows.copy() for lows in self.lows]  # the lows in them are never changed
