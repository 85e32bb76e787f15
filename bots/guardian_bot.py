"""Bali (Rosenberg): counts priests and princes, guards its Dalang cards, and stows its hand with care."""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import Any

from dalang.engine.games.bali_rosenberg.components import (
    ARTIST,
    CARD,
    CARDS,
    COPIES,
    FIRST_DALANG,
    ISLAND,
    ISLANDS,
    KEPT,
    MASKS,
    NAMED_ON,
    PRIEST,
    PRINCE,
    SCHOLAR,
    SEAL,
    WARRIOR,
)
from dalang.kit import LegalMove, Request, run

CONTESTED = (PRIEST, PRINCE)
CHIP = 3.0
"""What a chip brings in a whole game, as far as one can hope to keep it."""

URGENT = 10
"""How much a contest comes before other plays: it does not end the turn, and a voyage does."""


class Court:
    """The table as this seat sees it, and what it thinks of it, in points."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.view = view
        self.me: int = view["you"]
        self.active: int = view["active"]
        self.seats = len(view["hands"])
        self.here = ISLAND[view["island"]]
        self.home = ISLAND[view["home"]]
        self.chips: list[list[int]] = [view["chips"]["priest"], view["chips"]["prince"]]
        self.masks: list[int] = view["masks"]
        self.hand: list[int] = [view["hand"].get(card, 0) for card in CARDS]
        self.stacks = [[CARD.get(card, -1) for card in view["own"][island]] for island in ISLANDS]
        self.thrift = min(1.0, 5 / max(1, sum(self.hand)))
        """How dear a card is: of a large hand most will be lost in the end (§5.6, §11.8)."""

    # ---- What the others may hold

    @cached_property
    def unseen(self) -> list[int]:
        """By card: how many this seat has not seen."""
        seen = [self.view["discards"].get(card, 0) + self.view["hand"].get(card, 0) for card in CARDS]
        known = [card for stack in self.stacks for card in stack if card >= 0]
        known += [CARD[card] for card in self.view["laid"]]
        return [
            copies - number - known.count(card)
            for card, (copies, number) in enumerate(zip(COPIES, seen, strict=True))
        ]

    def chance_of(self, kinds: list[int], cards: int, least: int = 1) -> float:
        """The chance that among `cards` unseen cards at least `least` are of these kinds."""
        good, every = sum(self.unseen[card] for card in kinds), sum(self.unseen)
        fewer = sum(
            comb(good, number) * comb(every - good, cards - number) for number in range(min(least, cards + 1))
        )
        return 1 - fewer / comb(every, cards)

    def present(self) -> list[int]:
        """Rivals of the active seat who can react."""
        return [seat for seat in range(self.seats) if seat != self.active and seat not in self.view["fled"]]

    def size(self, seat: int, island: int) -> int:
        """How many cards a seat would have in hand on this island."""
        number: int = self.view["hands"][seat] if island == self.home else self.view["stacks"][seat][island]
        return number

    def shown_before(self, seat: int, island: int, card: int) -> int:
        """How many cards of a kind everybody knows to be in that seat's stack."""
        return sum(
            number
            for who, where, what, number in self.view["sure"]
            if (who, where, what) == (seat, ISLANDS[island], CARDS[card])
        )

    def unbeaten(self, card: int, shown: int, island: int) -> float:
        """The chance that no rival shows more."""
        chance = 1.0
        rivals = (
            self.present() if island == self.home else [seat for seat in range(self.seats) if seat != self.me]
        )
        for seat in rivals:
            known = self.shown_before(seat, island, card)
            hidden = max(0, self.size(seat, island) - known)
            if known > shown:
                return 0.0
            chance *= 1 - self.chance_of([card], hidden, shown + 1 - known)
        return chance

    def unblocked(self, target: int) -> float:
        """The chance that no rival holds a Dalang card that names the target."""
        chance = 1.0
        blocks = [card for card, pair in NAMED_ON.items() if target in pair]
        for seat in self.present():
            chance *= 1 - 0.7 * self.chance_of(blocks, self.size(seat, self.home))
        return chance

    # ---- What things are worth

    def against(self, gains: list[float]) -> float:
        """What these gains are worth to this seat, which has rivals."""
        mine = gains[self.me]
        return mine - (sum(gains) - mine) / (self.seats - 1)

    def scoring(self, seat: int, island: int) -> list[float]:
        """By seat: the masks if this active seat leads the Dalang there (§11)."""
        gains = [0.0] * self.seats
        owners = {self.chips[0][island], self.chips[1][island]} - {-1}
        if seat not in owners:
            return gains
        others = owners - {seat}
        lowest = self.masks[0]
        if others and len(self.masks) > 1:
            gains[others.pop()] = lowest
            higher = [value for value in self.masks if value > lowest]
            gains[seat] = (
                higher[0] if higher and self.view["options"].get("split_mask") != "next" else self.masks[1]
            )
        else:
            gains[seat] = lowest
        return gains

    def chip_worth(self) -> float:
        return CHIP * sum(self.masks) / sum(MASKS)

    def prize(self, card: int, island: int) -> float:
        """What it is worth to win this contest there."""
        owner, other = self.chips[card - PRIEST][island], self.chips[PRINCE - card][island]
        seal = self.view["seals"][island]
        if owner == self.me:
            return 0.0
        rivalry = 1 / (self.seats - 1)
        worth = self.chip_worth() * (1 + rivalry * (owner >= 0))
        if other == self.me and seal != self.me:
            worth += SEAL * (1 + rivalry * (seal >= 0))  # §9.1
        return worth

    def keeping(self, card: int, hand: list[int]) -> float:
        """What a card is worth in hand, for later."""
        if card >= FIRST_DALANG:
            leads = [self.against(self.scoring(self.me, to)) for to in NAMED_ON[card]]
            return 0.8 + 0.4 * max(0.0, *leads)
        if card in CONTESTED:
            return 0.5 + 0.15 * min(3, hand[card])
        return {WARRIOR: 0.7 if hand[WARRIOR] == 1 else 0.5, SCHOLAR: 0.45, ARTIST: 0.35}[card]

    def best_contest(self, hand: list[int], island: int) -> float:
        """What the best contest there would bring with this hand."""
        worths = [
            self.unbeaten(card, hand[card] - 1, island) * self.prize(card, island) - 0.4 * self.thrift
            for card in CONTESTED
            if hand[card] > 1
        ]
        return max([0.0, *worths])

    # ---- What a move is worth: the active seat

    def turn(self, move: LegalMove) -> float:
        if move[0] == "end":
            return 0.0
        card = CARD[str(move[1])]
        if card == WARRIOR:
            return self.attack(int(move[2]))
        if card in CONTESTED:
            return self.contest(card, int(move[2]))
        if card >= FIRST_DALANG:
            return self.voyage(card, ISLAND[str(move[2])])
        return self.study() if card == SCHOLAR else self.exchange()

    def contest(self, card: int, shown: int) -> float:
        if shown < self.hand[card] - 1:
            return -1.0  # what is shown returns to the hand (§8.5), so all of it is shown
        chance = self.unbeaten(card, shown, self.here)
        return URGENT * (chance * self.prize(card, self.here) - 0.4 * self.thrift)

    def voyage(self, card: int, target: int) -> float:
        free = self.unblocked(target)
        gains = self.scoring(self.me, target)
        if gains[self.me]:
            return free * self.against(gains) - 0.3 * self.thrift**2
        stack = [card for card in self.stacks[target] if card >= 0]
        hand = [stack.count(kind) for kind in range(len(CARDS))]
        onward = any(hand[other] for other in NAMED_ON)
        return free * (self.best_contest(hand, target) + 0.5 * onward) - 1.2 * self.thrift

    def attack(self, spared: int) -> float:
        """Who must flee can neither block nor compete, and loses what exceeds three cards; who defends, a warrior."""
        worth = -0.5 * self.thrift
        for seat in self.present():
            if seat != spared:
                cards = self.size(seat, self.home)
                defends = self.chance_of([WARRIOR], cards)
                worth += (1 - defends) * 0.25 * max(0, cards - 2) + defends * 0.15
                worth -= 0.4 * self.thrift * self.chance_of([WARRIOR], cards, 2)
        return worth

    def study(self) -> float:
        reachable = sum(min(3, len(stack)) for island, stack in enumerate(self.stacks) if island != self.here)
        return 0.25 * min(3, reachable) - 0.3

    def exchange(self) -> float:
        poor = sum(number for card, number in enumerate(self.hand) if number and self.is_poor(card))
        return 0.15 * min(3, poor) - 0.1

    def is_poor(self, card: int) -> bool:
        return self.keeping(card, self.hand) < 0.6 and card != ARTIST

    # ---- What a move is worth: everybody

    def defend(self, move: LegalMove) -> float:
        return float(move[0] == "play") if sum(self.hand) > 2 else float(move[0] == "flee")

    def respond(self, move: LegalMove) -> float:
        if move[0] == "pass":
            return 0.0
        return self.study() if move[1] == "scholar" else self.exchange()

    def second(self, move: LegalMove) -> float:
        """To end the turn costs a card and brings another (§4.6)."""
        danger = self.view["hands"][self.active] >= 2
        return float(danger) if move[0] == "play" else 0.5

    def replace(self, move: LegalMove) -> float:
        return float(move[0] == "draw")

    def show(self, move: LegalMove) -> float:
        return float(move[1]) if move[0] == "show" else 0.0

    def block(self, move: LegalMove) -> float:
        if move[0] == "pass":
            return 0.0
        target = ISLAND[self.view["play"]["target"]]
        harm = -self.against(self.scoring(self.active, target))
        return harm + 0.3 - self.thrift * self.keeping(CARD[str(move[1])], self.hand)

    def lay(self, move: LegalMove) -> float:
        """The bottom four are what will be left after a scoring (§11.8): one of each use, then the best."""
        card = CARD[str(move[1])]
        laid = [CARD[name] for name in self.view["laid"]]
        if len(laid) >= KEPT:
            return self.keeping(card, self.hand)
        if card >= FIRST_DALANG:
            return 2.0 if not any(other >= FIRST_DALANG for other in laid) else 0.9
        if card in CONTESTED:
            return 0.5 + 0.4 * min(3, self.hand[card] + laid.count(card))
        return self.keeping(card, self.hand) if card not in laid else 0.2

    def put(self, card: int, island: int) -> float:
        """Into the lowest stack, where the bottom four are kept."""
        room = max(0, KEPT - len(self.stacks[island]))
        return self.keeping(card, self.hand) * (0.5 + 0.1 * room)

    def flee(self, move: LegalMove) -> float:
        return self.put(CARD[str(move[1])], ISLAND[str(move[2])])

    def scholar(self, move: LegalMove) -> float:
        if move[0] == "take":
            stack = self.stacks[ISLAND[str(move[1])]]
            top = stack[-1]
            worth = 0.6 if top < 0 else self.keeping(top, self.hand)
            return worth + 0.1 * max(0, len(stack) - KEPT)
        return 0.0 if move[0] == "done" else -1.0

    def artist(self, move: LegalMove) -> float:
        if move[0] == "done":
            return 0.0
        return 0.6 - self.keeping(CARD[str(move[1])], self.hand)


def choose(request: Request) -> LegalMove:
    court = Court(request.view)
    worth = getattr(court, request.decision)
    best = max(request.moves, key=worth)
    urgent = request.decision == "turn" and best[1:2] in (["priest"], ["prince"])
    request.note = f"expects {worth(best) / (URGENT if urgent else 1):+.1f} points of it"
    return best


if __name__ == "__main__":
    run(choose, name="guardian", games={"bali_rosenberg": [3, 4]}, wants=["view"])
