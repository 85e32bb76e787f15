"""Die Augen der Kali from setup to the end. § marks refer to rulebook.md beside this file."""

from __future__ import annotations

from typing import ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Bag, Chance
from dalang.engine.game import Move, Outcome, Plain, State, ranked
from dalang.engine.games.kali.components import (
    CARDS,
    COPIES,
    DECLINE,
    FIELD_VALUES,
    FIRST_WEALTH,
    GEMS,
    LAST_FIELD,
    NOISE,
    STOP,
    TAKE_OVER,
    TURN_UP,
)
from dalang.engine.games.kali.sight import imagine, open_sight_of, sight_of


class Kali(State):
    __slots__ = (
        "acting",  # who turns cards now
        "deck",
        "ending",
        "field",  # where the slave stands
        "frights",
        "loot",
        "owner",  # whose regular turn it is
        "price",  # of a takeover, while one is on offer
        "temple",
        "turned",  # cards turned so far, in order
        "turned_by",
        "wealth",
    )
    OPTIONS: ClassVar = {
        "fields": options.wholes(FIELD_VALUES, minimum=1),
        "fine_rounding": options.choice("down", "up"),
        "after_takeover": options.choice("original", "taker"),
    }
    BAGS: ClassVar = {"deck": CARDS}

    # ---- Setup (§2)

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.wealth = [FIRST_WEALTH] * seats
        self.temple = GEMS - FIRST_WEALTH * seats
        self.deck = Bag(CARDS, COPIES)  # §2.6
        self.turned: list[str] = []
        self.turned_by: list[int] = []
        self.field, self.loot, self.frights, self.price = 1, 0, 0, 0  # §2.4
        self.owner = self.acting = 0  # §2.2
        self.ending = ""
        self.begin_turn(0)

    # ---- Decisions (D1 to D3)

    def may_first_card(self) -> list[Move]:
        return [TURN_UP]  # §3.3, §8.9

    def may_go_on(self) -> list[Move]:
        return [TURN_UP, STOP]  # §3.4

    def may_takeover(self) -> list[Move]:
        return [TAKE_OVER, DECLINE]  # §8.1

    # ---- The turn (§3)

    def begin_turn(self, seat: int) -> None:
        self.owner = self.acting = seat
        self.ask(seat, "first_card")  # §3.3

    def on_first_card(self, verb: str) -> None:
        self.turn_card()

    def on_go_on(self, verb: str) -> None:
        if verb == "draw":
            self.turn_card()
        else:
            self.offer_takeover()

    def turn_card(self) -> None:
        """§3.2: turn up one card, lay it open and obey it."""
        card = self.chance.draw(self.deck, "deck", self.acting)
        self.turned.append(CARDS[card])  # §3.6 it stays out
        self.turned_by.append(self.acting)
        if self.events is not None:
            self.tell("card", seat=self.acting, drawn=[CARDS[card]])
        if card < NOISE:
            self.step(card + 1)
        elif card == NOISE:
            self.flee(half=self.frights > 0)  # §6.2, §7.3
        else:
            self.be_frightened()

    def next_turn(self) -> None:
        """§5.4: left of the turn owner, or by option of who acted last; the slave starts again."""
        last = self.owner if self.options["after_takeover"] == "original" else self.acting
        self.field = 1  # §5.3, §6.1
        self.begin_turn(self.left_of(last))

    # ---- Footprints (§4)

    def step(self, steps: int) -> None:
        start = self.field
        self.field = field = start + steps  # §4.1
        gems = 0
        if field <= LAST_FIELD:
            due: int = self.options["fields"][field - 1] * (2 if self.frights else 1)  # §4.2, §4.5
            gems = due if due <= self.temple else self.temple  # §4.6
            self.temple -= gems
            self.loot += gems
        if self.events is not None:
            self.tell("step", **{"seat": self.acting, "from": start, "to": field, "gems": gems})
        if field <= LAST_FIELD:
            self.ask(self.acting, "go_on")  # §3.4
        else:
            self.reach_kali()

    # ---- Stopping and taking over (§5, §8)

    def offer_takeover(self) -> None:
        self.price = price_of(self.loot)  # D5
        self.plan(*[("bid", seat) for seat in self.bidders(self.acting)], ("pocket",))

    def bidders(self, last: int) -> list[int]:
        """Who is still to be asked after this seat: clockwise up to the one who stopped (§8.7)."""
        waiting = (self.acting - last - 1) % self.seats
        queue = [(last + step) % self.seats for step in range(1, waiting + 1)]
        return [seat for seat in queue if self.wealth[seat] >= self.price]  # §8.8

    def do_bid(self, seat: int) -> None:
        self.ask(seat, "takeover")

    def on_takeover(self, verb: str) -> None:
        if verb == "decline":
            return
        taker, stopper = self.seat, self.acting
        self.tell("takeover", **{"price": self.price, "from": taker, "to": stopper})
        self.wealth[taker] -= self.price  # §8.4
        self.wealth[stopper] += self.price
        self.price = 0
        self.acting = taker  # §8.9
        self.agenda.clear()  # the rest are not asked (§8.7), nothing is pocketed
        self.ask(taker, "first_card")  # §8.9

    def do_pocket(self) -> None:
        """§5.2: nobody took over."""
        self.tell("pocket", seat=self.acting, gems=self.loot)
        self.wealth[self.acting] += self.loot
        self.loot = self.price = 0
        self.next_turn()

    # ---- Noise and fright (§6, §7)

    def be_frightened(self) -> None:
        self.frights += 1  # §7.1
        if self.frights == 1:
            self.flee(half=True)  # §7.2
        else:
            self.wake_kali()  # §7.7

    def flee(self, half: bool) -> None:
        fine = self.fine(2 if half else 4)
        self.tell("flight", seat=self.acting, loot=self.loot, fine=fine, frights=self.frights)
        self.temple += self.loot + fine  # §6.1, §6.2
        self.wealth[self.acting] -= fine
        self.loot = 0
        self.next_turn()  # §6.6

    def fine(self, divisor: int) -> int:
        wealth = self.wealth[self.acting]  # §6.3
        if self.options["fine_rounding"] == "up":
            return -(-wealth // divisor)
        return wealth // divisor  # §6.4

    # ---- The end (§9, §10)

    def wake_kali(self) -> None:
        self.temple += self.wealth[self.acting] + self.loot  # §9.2, §9.3
        self.wealth[self.acting] = self.loot = 0
        self.end("kali_wakes")

    def reach_kali(self) -> None:
        self.wealth[self.acting] += self.temple + self.loot  # §9.4, §9.5
        self.temple = self.loot = 0
        self.end("kali_reached")

    def end(self, ending: str) -> None:
        self.ending = ending  # §10.5
        if self.events is not None:
            scores, ranks = self.wealth.copy(), list(self.ranks())
            self.tell("end", ending=ending, seat=self.acting, scores=scores, ranks=ranks)

    def ranks(self) -> tuple[int, ...]:
        waker = self.acting if self.ending == "kali_wakes" else None
        return ranked([(seat != waker, gems) for seat, gems in enumerate(self.wealth)])  # §10.1 to §10.4

    def outcome(self) -> Outcome:
        return Outcome(tuple(self.wealth), self.ranks(), self.ending)

    # ---- Who sees what (V1 to V5)

    sight = sight_of  # the function itself: every question carries a view
    open_sight = open_sight_of

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.blank(len(view["wealth"]), chance, view)
        imagine(state, view)
        return state

    # ---- Copying

    def copy_to(self, twin: Self) -> None:
        twin.owner = self.owner
        twin.acting = self.acting
        twin.field = self.field
        twin.loot = self.loot
        twin.price = self.price
        twin.temple = self.temple
        twin.frights = self.frights
        twin.ending = self.ending
        twin.wealth = self.wealth.copy()
        twin.deck = self.deck.clone()
        twin.turned = self.turned.copy()
        twin.turned_by = self.turned_by.copy()


def price_of(loot: int) -> int:
    """§8.2, §8.3: what a takeover costs."""
    if loot < 10:
        return 1
    if loot <= 20:
        return 10
    return 20 if loot <= 40 else 40
