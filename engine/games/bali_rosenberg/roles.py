"""Bali (Rosenberg 2001): which hidden card is which.

A story (story.py) sends cards from place to place, and lets some of them be seen. What happens to a card is its role:
it says of which kind the card must be. A pile has only so many of each kind, and a card is of one kind. Where that does
not fit, two cards that were in one place at one time change roles from there on, or another card there is taken to be
the one that was shown, again and again, until it does: this comes to an end, since the real story is among those that
can be reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dalang.engine.chance import Bag, Chance
from dalang.engine.games.bali_rosenberg.components import CARD_KINDS

ANY = -1
"""The kind of a card as long as its role needs none."""
NEVER = 1 << 30
"""When a card leaves the place where it still lies."""
ONE_BOLD_IN = 24
"""Of the changes that make things worse one in so many is made: no dead end lasts."""
ONE_CURIOUS_IN = 4
"""One in so many changes of roles is made with any card, promising or not."""
Sight = tuple[int, int]
"""When all saw a card, and of which kind it was."""
Sights = tuple[Sight, ...]
NOT_SEEN: Sights = ()


class Place:
    """Cards that nobody outside can tell apart: a hand, or part of a stack."""

    __slots__ = ("present", "stays")

    def __init__(self) -> None:
        self.present: list[Stay] = []
        self.stays: list[Stay] = []
        """Of all cards that ever were there."""


class Card:
    """A hidden card: who drew it from which pile, its kind, if its role needs one, and its first stay."""

    __slots__ = ("first", "kind", "pile", "seat")

    def __init__(self, seat: int, pile: int, place: Place, now: int) -> None:
        self.seat = seat
        self.pile = pile
        self.kind = ANY
        self.first = Stay(self, place, now)


class Stay:
    """A card in one place for some time."""

    __slots__ = ("card", "into", "out", "place", "seen", "then")

    def __init__(self, card: Card, place: Place, into: int) -> None:
        self.card = card
        self.place = place
        self.into = into
        self.out = NEVER
        self.seen = NOT_SEEN
        """When all saw it there, and of which kind it was: when it was shown, and when it was discarded."""
        self.then: Stay | None = None
        place.stays.append(self)
        place.present.append(self)


def stays_of(card: Card) -> Iterator[Stay]:
    stay: Stay | None = card.first
    while stay is not None:
        yield stay
        stay = stay.then


def kinds_of(card: Card) -> set[int]:
    """The kinds that its role needs this card to be: one, if it fits."""
    return {kind for stay in stays_of(card) for _, kind in stay.seen}


def shows_of(card: Card) -> list[tuple[Stay, Sight]]:
    """When this card was shown, not discarded."""
    return [(stay, one) for stay in stays_of(card) for one in stay.seen if one[0] < stay.out]


Meeting = tuple[Stay, Stay]


def meetings(card: Card) -> list[Meeting]:
    """Where this card was together with others."""
    return [
        (stay, other)
        for stay in stays_of(card)
        for other in stay.place.stays
        if other.into < stay.out and stay.into < other.out and other is not stay
    ]


class Roles:
    """The roles that cards have so far, and what does not fit."""

    chance: Chance

    def __init__(self, supplies: list[Bag]) -> None:
        self.supplies = supplies
        """By pile: what is in it, or was drawn and can be of any kind. Less than none of a kind does not fit."""
        self.changes = 0
        self.wrong = 0
        self.torn: list[Card] = []
        """Cards that would have to be of two kinds."""
        self.holders: dict[tuple[int, int], list[Card]] = defaultdict(list)
        """By pile and kind."""

    def below(self, limit: int) -> int:
        return self.chance.below(limit, "imagine")

    def see(self, stay: Stay, now: int, kind: int) -> None:
        """From now on the role of this card needs that kind."""
        self.release(stay.card)
        stay.seen = (*stay.seen, (now, kind))
        self.use(stay.card)

    # ---- Mending

    def mend(self, most: int) -> None:
        """Let cards change roles until everything fits, or until so many changes were made in all."""
        while self.wrong and self.changes < most:
            self.changes += 1
            card = self.wrong_card()
            shows = shows_of(card)
            if shows and self.below(2):
                self.pass_show(*shows[self.below(len(shows))])
            else:
                self.change_roles(card)

    def wrong_card(self) -> Card:
        short = [
            (pile, kind)
            for pile, bag in enumerate(self.supplies)
            if min(bag.counts) < 0
            for kind in CARD_KINDS
            if bag.counts[kind] < 0
        ]
        if self.torn and (not short or self.below(2)):
            return self.torn[self.below(len(self.torn))]
        cards = self.holders[short[self.below(len(short))]]
        return cards[self.below(len(cards))]

    def pass_show(self, stay: Stay, show: Sight) -> None:
        """Let another card be the one that was shown there, if things get no worse by it."""
        others = [
            other for other in stay.place.stays if other.into < show[0] < other.out and show not in other.seen
        ]
        others = [other for other in others if other.card.kind == show[1]] or others
        if not others:
            return
        other = others[self.below(len(others))]
        before = self.wrong
        self.give_show(show, stay, other)
        if self.wrong > before and self.below(ONE_BOLD_IN):
            self.give_show(show, other, stay)

    def give_show(self, show: Sight, stay: Stay, other: Stay) -> None:
        self.release(stay.card)
        self.release(other.card)
        stay.seen = tuple([one for one in stay.seen if one != show])
        other.seen = (*other.seen, show)
        self.use(stay.card)
        self.use(other.card)

    def change_roles(self, card: Card) -> None:
        """With another card that was in the same place at the same time, if things get no worse by it."""
        met = meetings(card)
        if not met:
            return
        if self.below(ONE_CURIOUS_IN):
            met = self.promising(card, met)
        stay, other = met[self.below(len(met))]
        moment = self.moment(stay, other)
        before = self.wrong
        self.swap(stay, other, moment)
        if self.wrong > before and self.below(ONE_BOLD_IN):
            self.swap(stay, other, moment)

    def promising(self, card: Card, met: list[Meeting]) -> list[Meeting]:
        """The meetings after which all is well with both, if any; else those with cards that can be of this kind."""
        if len(kinds_of(card)) > 1:
            return [both for both in met if both[1].card.kind in (ANY, card.kind)] or met
        kind, own = card.kind, self.supplies[card.pile].counts
        able = [both for both in met if self.supplies[both[1].card.pile].counts[kind] > 0]
        well = [both for both in able if both[1].card.kind == ANY or own[both[1].card.kind] > 0]
        return well or able or met

    def moment(self, stay: Stay, other: Stay) -> int:
        """A moment when both were there: the first, or one when one of them was shown."""
        first, last = max(stay.into, other.into), min(stay.out, other.out)
        moments = [when for when, _ in (*stay.seen, *other.seen) if first < when < last]
        return moments[self.below(len(moments))] if moments and self.below(2) else first

    def swap(self, stay: Stay, other: Stay, moment: int) -> None:
        """What happened to one of them after this moment now happens to the other."""
        self.release(stay.card)
        self.release(other.card)
        if (stay.out == NEVER) != (other.out == NEVER):
            leaves, remains = (stay, other) if stay.out == NEVER else (other, stay)
            present = stay.place.present
            present[present.index(leaves)] = remains
        stay.out, other.out = other.out, stay.out
        stay.then, other.then = other.then, stay.then
        if stay.seen or other.seen:
            one, two = stay.seen, other.seen
            stay.seen = seen_until(one, moment) + seen_after(two, moment)
            other.seen = seen_until(two, moment) + seen_after(one, moment)
        self.use(stay.card)
        self.use(other.card)

    # ---- What fits

    def use(self, card: Card) -> None:
        """Take what the card must be out of its pile."""
        for stay in stays_of(card):
            stay.card = card
        kinds = kinds_of(card)
        card.kind = ANY
        for kind in kinds:
            card.kind = kind
            self.take(card, kind)
        if len(kinds) > 1:
            self.wrong += len(kinds) - 1
            self.torn.append(card)

    def take(self, card: Card, kind: int) -> None:
        supply = self.supplies[card.pile]
        supply.take(kind)
        self.wrong += supply.counts[kind] < 0
        self.holders[card.pile, kind].append(card)

    def release(self, card: Card) -> None:
        """Undo `use`."""
        kinds = kinds_of(card)
        supply = self.supplies[card.pile]
        for kind in kinds:
            self.wrong -= supply.counts[kind] < 0
            supply.add(kind)
            self.holders[card.pile, kind].remove(card)
        if len(kinds) > 1:
            self.wrong -= len(kinds) - 1
            self.torn.remove(card)


def seen_until(seen: Sights, moment: int) -> Sights:
    return tuple([one for one in seen if one[0] <= moment])


def seen_after(seen: Sights, moment: int) -> Sights:
    return tuple([one for one in seen if one[0] > moment])
