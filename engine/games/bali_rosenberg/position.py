"""What lies on the table in Bali, from the setup (§2) on, and whose turn it is to react."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Bag, Chance
from dalang.engine.game import NOBODY, Plain, State
from dalang.engine.games.bali_rosenberg.components import (
    CARDS,
    COPIES,
    DEALT,
    ISLANDS,
    MASKS,
    NOT_HERE,
    START_CARDS,
    START_NAMES,
)

NOTHING = -1
"""The kind, when no card is being resolved, and the target, when none is named."""
CLOSED = -1
"""In `fresh`: a card drawn now is told apart from those drawn earlier."""


class Position(State):
    __slots__ = (
        "active",
        "best",  # the highest number shown in this contest, 0 outside one
        "chips",  # owners by kind (priests, then princes) and island
        "dealt",  # by seat and island: how many cards of the first deal lie there still, always at the bottom
        "discards",
        "drawn",  # by seat: what it drew from each pile (see memory.py)
        "ending",
        "fled",
        "forced",  # has a second card ended the turn?
        "fresh",  # by seat and island: cards drawn together (see memory.py)
        "hands",  # by seat: how many of each card
        "heard",  # what memory does not have yet (see memory.py)
        "home",  # the island whose stacks the hands are: the active one, while hands are laid the one left
        "idle",  # turns in a row, this one included, in which nobody has played or drawn a card
        "island",  # where the Dalang stands
        "kind",  # of the card that is being resolved
        "laid",  # what the deciding seat has laid down so far, bottom first
        "leader",  # who showed `best`
        "masks",  # in stock, lowest first
        "mode",  # what a scholar, artist or flight is doing: the verb of its last move
        "pile",
        "piles",  # the content of every draw pile but the first, when it was made
        "seals",
        "spared",
        "stacks",  # by seat and island, bottom first
        "start",  # start cards by seat
        "sure",  # by seat: cards that all know to be there (see memory.py)
        "taken",  # masks by seat
        "target",
        "trails",  # by seat: the way of its hidden cards (see memory.py)
        "turn",
        "used",  # cards that this scholar, artist or flight has moved
    )
    OPTIONS: ClassVar = {
        "masks": options.wholes(MASKS, minimum=1),
        "split_mask": options.choice("higher", "next"),
        "max_turns": options.whole(400, minimum=1),
    }
    BAGS: ClassVar = {"pile": CARDS, "discards": CARDS}
    PUT_OFF: ClassVar = ("heard",)

    # ---- Setup (§2)

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.pile = Bag(CARDS, COPIES)
        self.discards = Bag(CARDS, [0] * len(CARDS))
        self.hands = [[0] * len(CARDS) for _ in range(seats)]
        self.stacks: list[list[list[int]]] = [[[] for _ in ISLANDS] for _ in range(seats)]
        self.dealt = [[DEALT] * len(ISLANDS) for _ in range(seats)]
        self.chips = [[NOT_HERE] * len(ISLANDS) for _ in ("priest", "prince")]
        self.seals = [NOT_HERE] * len(ISLANDS)
        self.masks = sorted(options["masks"])  # §2.8
        self.taken: list[list[int]] = [[] for _ in range(seats)]
        self.fled = [False] * seats
        self.laid: list[int] = []
        self.sure = [[0] * (2 * len(ISLANDS)) for _ in range(seats)]
        self.trails: list[list[list[int]]] = [[] for _ in range(seats)]
        self.fresh = [[CLOSED] * len(ISLANDS) for _ in range(seats)]
        self.piles: list[list[int]] = []
        self.drawn: list[list[list[int]]] = [[] for _ in range(seats)]
        self.heard: list[tuple[Any, ...]] = []
        self.turn = self.idle = self.used = 0
        self.mode = self.ending = ""
        self.settle()
        self.deal()
        self.place_chips()
        self.place_dalang()

    def deal(self) -> None:
        for seat, stacks in enumerate(self.stacks):
            for stack in stacks:
                stack.extend(self.chance.draw(self.pile, "deal", seat) for _ in range(DEALT))  # §2.2
        drawn = [CARDS[card] for stacks in self.stacks for stack in stacks for card in stack]
        self.tell_secret("deal", NOBODY, {}, {"drawn": drawn}, cards=DEALT)

    def place_chips(self) -> None:
        start_cards = Bag(START_NAMES, [1] * len(START_NAMES))
        self.start = [self.chance.draw(start_cards, "start", seat) for seat in range(self.seats)]  # §2.3
        for seat, card in enumerate(self.start):
            self.chips[0][START_CARDS[card].priest] = seat  # §2.5, the left-over card's are set aside (§2.6)
            self.chips[1][START_CARDS[card].prince] = seat

    def place_dalang(self) -> None:
        self.active = self.start.index(min(self.start))  # §2.5: card 1 is the lowest; if left over, card 2
        right_neighbour = (self.active - 1) % self.seats
        self.island = self.home = START_CARDS[self.start[right_neighbour]].dalang  # §2.7
        cards = [START_NAMES[card] for card in self.start]
        self.tell("start", drawn=cards, seat=self.active, island=ISLANDS[self.island])

    # ---- The card that is being resolved

    def settle(self) -> None:
        self.kind = self.target = NOTHING
        self.spared = self.leader = NOBODY
        self.best = 0
        self.forced = False

    def each(self, decision: str, after: int = NOBODY) -> list[tuple[str, int]]:
        """§4.4: this decision for the passive seats concerned, in turn; only those after a seat, if given."""
        queue = self.others(self.active)
        if after not in (NOBODY, self.active):
            del queue[: queue.index(after) + 1]
        return [(decision, seat) for seat in queue if not self.fled[seat] and seat != self.spared]

    # ---- Copying

    def copy_to(self, twin: Self) -> None:
        twin.active = self.active
        twin.best = self.best
        twin.ending = self.ending
        twin.forced = self.forced
        twin.home = self.home
        twin.idle = self.idle
        twin.island = self.island
        twin.kind = self.kind
        twin.leader = self.leader
        twin.mode = self.mode
        twin.spared = self.spared
        twin.start = self.start  # never changes
        twin.target = self.target
        twin.turn = self.turn
        twin.used = self.used
        twin.discards = self.discards.clone()
        twin.pile = self.pile.clone()
        twin.fled = self.fled.copy()
        twin.laid = self.laid.copy()
        twin.masks = self.masks.copy()
        twin.seals = self.seals.copy()
        twin.chips = [owners.copy() for owners in self.chips]
        twin.dealt = [numbers.copy() for numbers in self.dealt]
        twin.hands = [hand.copy() for hand in self.hands]
        twin.stacks = [[stack.copy() for stack in stacks] for stacks in self.stacks]
        twin.taken = [masks.copy() for masks in self.taken]
        twin.heard = self.heard.copy()
        twin.drawn = self.drawn  # memory is never changed, only replaced
        twin.fresh = self.fresh
        twin.piles = self.piles
        twin.sure = self.sure
        twin.trails = self.trails
