"""Bali (Rosenberg 2001): what may have happened to the hidden cards.

In a story every hidden card goes the way that the trails of memory.py allow, from the pile it was drawn from to where
it came to light or still lies. Which card went which way is chosen at random, and so is the kind of a card once the
trail needs one of that kind. A pile has only so many of each kind, and a choice can turn out wrong later. Then two
cards that were in one place at one time change roles from there on, again and again, until everything fits: this
comes to an end, since the real story is among those that can be reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from dalang.engine.chance import Bag, Chance
from dalang.engine.game import Plain
from dalang.engine.games.bali_rosenberg.components import CARD_KINDS, CARDS, ISLANDS
from dalang.engine.games.bali_rosenberg.memory import (
    TRAIL_DREW,
    TRAIL_PUT,
    TRAIL_SEEN,
    TRAIL_SHOWN,
    TRAIL_TOOK,
)

ANY = -1
"""The kind of a card as long as the story needs none."""
NEVER = 1 << 30
"""When a card leaves the place where it still lies."""
ONE_BOLD_IN = 24
"""One in so many changes of roles is made although it makes things worse: no dead end lasts."""
MENDING_PATIENCE = 64
"""Changes of roles before a story is told anew; then half as many more each time."""
MOST_PATIENCE = 10**6
"""And when to give up: no game has been seen to need a thousandth of that."""
ONE_CURIOUS_IN = 4
"""One in so many changes of roles may be between cards from the same pile."""
NOT_SEEN: tuple[tuple[int, int], ...] = ()
FINE = 1 << 30
"""Parts of a whole, for choices by weight."""

Trail = list[list[int]]
Heap = list[tuple[int, int]]
"""The pile and the kind of the cards in one place."""


class TrailClues(NamedTuple):
    """What a seat knows about hidden cards."""

    supplies: list[list[int]]
    """By pile: how many of each card were drawn from it by others, or are there still."""
    trails: list[Trail]
    """By seat; empty for the own one."""
    dealt: list[int]
    """By island: own cards of the first deal that nobody has seen."""
    view: Plain
    """The fields that tell all this, not to be changed."""


class Outline(NamedTuple):
    """A story without the kinds that it does not need: many worlds have the same."""

    left: list[list[int]]
    """By pile: how many of each card are in it or are drawn cards of any kind."""
    stacks: list[list[list[Heap]]]
    """By seat and island: the cards of each place, from bottom to top."""
    drawn: list[list[list[int]]]
    """By seat and pile: what it drew that has a kind."""


def new_outline(clues: TrailClues, chance: Chance) -> Outline:
    """Of a seat's own view there is always one; somebody may have changed it."""
    patience = MENDING_PATIENCE
    while patience < MOST_PATIENCE:
        story = Story(clues, chance)
        story.tell()
        if story.all_fits or Mending(story).succeeds(patience):
            return story.outline()
        patience += patience // 2
    raise ValueError("no world agrees with this view")


# ---- The parts of a story


class Place:
    """Cards that nobody outside can tell apart: a hand, or part of a stack."""

    __slots__ = ("present", "stays")

    def __init__(self) -> None:
        self.present: list[Stay] = []
        self.stays: list[Stay] = []
        """Of all cards that ever were there."""


class Card:
    """A hidden card: who drew it from which pile, its kind, if the story needs one, and its first stay."""

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


def meetings(card: Card) -> Iterator[Meeting]:
    """Where this card was together with others."""
    for stay in stays_of(card):
        for other in stay.place.stays:
            if other.into < stay.out and stay.into < other.out and other is not stay:
                yield stay, other


Meeting = tuple[Stay, Stay]

# ---- A story


class Story:
    def __init__(self, clues: TrailClues, chance: Chance) -> None:
        self.clues = clues
        self.chance = chance
        self.supplies = [Bag(CARDS, counts) for counts in clues.supplies]
        self.stacks: list[list[list[Place]]] = []
        """By seat and island: the places from bottom to top."""
        self.cards: list[Card] = []
        self.now = 0
        self.all_fits = True

    def below(self, limit: int) -> int:
        return self.chance.below(limit, "imagine")

    # ---- Telling it

    def tell(self) -> None:
        for seat, trail in enumerate(self.clues.trails):
            self.stacks.append([[Place()] for _ in ISLANDS])
            if trail:
                self.follow(seat, trail)

    def follow(self, seat: int, trail: Trail) -> None:
        stacks = self.stacks[seat]
        for layers, size in zip(stacks, trail[0], strict=True):
            self.arrive(seat, 0, layers[0], size)
        for step in trail[1:]:
            verb, layers = step[0], stacks[step[1]]
            if verb == TRAIL_DREW:
                self.arrive(seat, step[2], layers[0], step[3])
            elif verb == TRAIL_SEEN:
                self.bring_to_light(layers[0], step[2:])
            elif verb == TRAIL_SHOWN:
                self.show(layers[0], step[2], step[3])
            elif verb == TRAIL_PUT:
                stacks[step[2]].append(Place())
                self.move(layers[0], stacks[step[2]][-1], step[3])
            elif verb == TRAIL_TOOK:
                self.take(stacks[step[2]], layers[0], step[3])
            else:
                self.pick_up(layers, step[2:])

    def arrive(self, seat: int, pile: int, place: Place, number: int) -> None:
        self.now += 1
        self.cards += [Card(seat, pile, place, self.now) for _ in range(number)]

    def bring_to_light(self, place: Place, kinds: list[int]) -> None:
        for kind in kinds:
            stay = self.likely(place.present, kind)
            place.present.remove(stay)
            self.now += 1
            stay.out = self.now
            self.see(stay, kind)

    def show(self, place: Place, kind: int, number: int) -> None:
        self.now += 1
        hidden = place.present.copy()
        for _ in range(number):
            stay = self.likely(hidden, kind)
            hidden.remove(stay)
            self.see(stay, kind)

    def see(self, stay: Stay, kind: int) -> None:
        stay.seen = (*stay.seen, (self.now, kind))
        card = stay.card
        if card.kind == ANY:
            supply = self.supplies[card.pile]
            supply.take(kind)
            card.kind = kind
            self.all_fits &= supply.counts[kind] >= 0
        elif card.kind != kind:
            self.all_fits = False

    def move(self, place: Place, to: Place, number: int) -> None:
        for _ in range(number):
            stay = place.present.pop(self.below(len(place.present)))
            self.now += 1
            stay.out = self.now
            stay.then = Stay(stay.card, to, self.now)

    def take(self, layers: list[Place], to: Place, number: int) -> None:
        for _ in range(number):
            while not layers[-1].present:
                layers.pop()
            self.move(layers[-1], to, 1)

    def pick_up(self, layers: list[Place], discarded: list[int]) -> None:
        """What lay above the bottom cards comes to light, the rest is one hand."""
        bottom, *above = layers
        top = Place()
        kept = sum([len(layer.present) for layer in layers]) - len(discarded)
        for layer in layers:
            self.move(layer, top, max(0, len(layer.present) - kept))
            kept -= len(layer.present)
        for layer in above:
            self.move(layer, bottom, len(layer.present))
        self.bring_to_light(top, discarded)
        layers[:] = [bottom]

    def likely(self, stays: list[Stay], kind: int) -> Stay:
        """One of these whose card is of this kind, each as likely as it is; any, if none can be."""
        share = [max(0, bag.counts[kind]) / bag.size if bag.size else 0.0 for bag in self.supplies]
        chances = [
            share[card.pile] if card.kind == ANY else 1.0 if card.kind == kind else 0.0
            for card in [stay.card for stay in stays]
        ]
        total = sum(chances)
        if not total:
            stays = [stay for stay in stays if stay.card.kind == ANY] or stays
            return stays[self.below(len(stays))]
        number = total * self.below(FINE) / FINE
        for stay, part in zip(stays, chances, strict=True):
            number -= part
            if number < 0:
                return stay
        return next(stay for stay, part in zip(stays, chances, strict=True) if part)

    # ---- What it comes to

    def outline(self) -> Outline:
        drawn = [[[0] * len(CARDS) for _ in self.supplies[1:]] for _ in self.clues.trails]
        for card in self.cards:
            if card.pile and card.kind != ANY:
                drawn[card.seat][card.pile - 1][card.kind] += 1
        stacks = [[[heap(place) for place in layers] for layers in islands] for islands in self.stacks]
        return Outline([bag.counts for bag in self.supplies], stacks, drawn)


def heap(place: Place) -> Heap:
    return [(stay.card.pile, stay.card.kind) for stay in place.present]


class Mending:
    """The search for a story in which everything fits."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.below = story.below
        self.left = [counts.copy() for counts in story.clues.supplies]
        self.wrong = 0
        self.torn: list[Card] = []
        """Cards that would have to be of two kinds."""
        self.holders: dict[tuple[int, int], list[Card]] = defaultdict(list)
        """By pile and kind."""
        for card in story.cards:
            self.use(card)

    def succeeds(self, patience: int) -> bool:
        while self.wrong and patience:
            self.change_roles(self.wrong_card())
            patience -= 1
        if self.wrong:
            return False
        self.close()
        return True

    def close(self) -> None:
        """Let the story know where its cards are now."""
        for supply, counts in zip(self.story.supplies, self.left, strict=True):
            supply.counts, supply.size = counts, sum(counts)
        for card in self.story.cards:
            for stay in stays_of(card):
                stay.place.present = []
        for card in self.story.cards:
            *_, last = stays_of(card)
            if last.out == NEVER:
                last.place.present.append(last)

    def wrong_card(self) -> Card:
        short = [
            (pile, kind)
            for pile, counts in enumerate(self.left)
            if min(counts) < 0
            for kind in CARD_KINDS
            if counts[kind] < 0
        ]
        if self.torn and (not short or self.below(2)):
            return self.torn[self.below(len(self.torn))]
        cards = self.holders[short[self.below(len(short))]]
        return cards[self.below(len(cards))]

    def change_roles(self, card: Card) -> None:
        """With another card that was in the same place at the same time, if things get no worse by it."""
        met = list(meetings(card))
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
        kind, left, own = card.kind, self.left, self.left[card.pile]
        able = [both for both in met if left[both[1].card.pile][kind] > 0]
        well = [both for both in able if both[1].card.kind == ANY or own[both[1].card.kind] > 0]
        return well or able or met

    def moment(self, stay: Stay, other: Stay) -> int:
        """A moment when both were there: mostly the first."""
        first, last = max(stay.into, other.into), min(stay.out, other.out)
        moments = [when for when, _ in (*stay.seen, *other.seen) if first < when < last]
        return moments[self.below(len(moments))] if moments and not self.below(ONE_CURIOUS_IN) else first

    def swap(self, stay: Stay, other: Stay, moment: int) -> None:
        """What happened to one of them after this moment now happens to the other."""
        self.release(stay.card)
        self.release(other.card)
        stay.out, other.out = other.out, stay.out
        stay.then, other.then = other.then, stay.then
        if stay.seen or other.seen:
            one, two = stay.seen, other.seen
            stay.seen = (
                *[seen for seen in one if seen[0] <= moment],
                *[seen for seen in two if seen[0] > moment],
            )
            other.seen = (
                *[seen for seen in two if seen[0] <= moment],
                *[seen for seen in one if seen[0] > moment],
            )
        self.use(stay.card)
        self.use(other.card)

    def use(self, card: Card) -> None:
        """Take what the card must be out of its pile."""
        for stay in stays_of(card):
            stay.card = card
        kinds = kinds_of(card)
        card.kind = ANY
        for kind in kinds:
            card.kind = kind
            self.left[card.pile][kind] -= 1
            self.wrong += self.left[card.pile][kind] < 0
            self.holders[card.pile, kind].append(card)
        if len(kinds) > 1:
            self.wrong += len(kinds) - 1
            self.torn.append(card)

    def release(self, card: Card) -> None:
        """Undo `use`."""
        kinds = kinds_of(card)
        for kind in kinds:
            self.wrong -= self.left[card.pile][kind] < 0
            self.left[card.pile][kind] += 1
            self.holders[card.pile, kind].remove(card)
        if len(kinds) > 1:
            self.wrong -= len(kinds) - 1
            self.torn.remove(card)


def kinds_of(card: Card) -> set[int]:
    """The kinds that the story needs this card to be: one, if it fits."""
    return {kind for stay in stays_of(card) for _, kind in stay.seen}
