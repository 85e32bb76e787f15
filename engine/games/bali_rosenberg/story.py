"""Bali (Rosenberg 2001): what may have happened to the hidden cards.

In a story every hidden card goes the way that the trails of memory.py allow, from the pile it was drawn from to where
it came to light or still lies. Which card went which way is chosen at random, and so is the kind of a card once the
trail needs one of that kind. A choice can turn out wrong later: then roles change (roles.py), at once, for the sooner
that is done, the more cards there are that can still be of any kind. Where that does not help, some chapters are told
anew: those before them have the same luck as the last time, and so end the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dalang.engine.chance import Bag, Chance, QuickChance
from dalang.engine.game import NoWorld, Plain
from dalang.engine.games.bali_rosenberg.components import CARDS, ISLANDS
from dalang.engine.games.bali_rosenberg.memory import (
    TRAIL_DREW,
    TRAIL_PUT,
    TRAIL_SEEN,
    TRAIL_SHOWN,
    TRAIL_TOOK,
)
from dalang.engine.games.bali_rosenberg.roles import ANY, Card, Place, Roles, Stay, stays_of

MENDING_PATIENCE = 50
"""Changes of roles in a chapter, before it is told anew."""
CHAPTER = 16
"""Steps that share their luck."""
MOST_TELLINGS = 1 << 11
"""And when to give up, after some seconds: in long games it takes some dozens, in a few matches of a thousand more."""
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
    tellings = MOST_TELLINGS if all(min(counts) >= 0 for counts in clues.supplies) else 0
    lucks: list[int] = []
    for number in range(1, tellings + 1):
        story = Story(clues, Lucks(lucks, chance))
        outline = story.outline() if story.tell() else None
        story.forget()
        if outline:
            return outline
        del lucks[-steps_back(number) :]
    raise NoWorld("no world agrees with this view")


def steps_back(number: int) -> int:
    """How many chapters are told anew after so many failures: mostly the last, now and then many."""
    return number & -number


class Lucks:
    """The luck of each chapter: told once more, it is the same."""

    def __init__(self, seeds: list[int], chance: Chance) -> None:
        self.seeds, self.chance = seeds, chance

    def of(self, chapter: int) -> Chance:
        """Chapters come one after the other."""
        if chapter == len(self.seeds):
            self.seeds.append(self.chance.below(FINE, "imagine"))
        return QuickChance(self.seeds[chapter])


class Story:
    def __init__(self, clues: TrailClues, lucks: Lucks) -> None:
        self.clues = clues
        self.lucks = lucks
        self.supplies = [Bag(CARDS, counts) for counts in clues.supplies]
        self.roles = Roles(self.supplies)
        self.below = self.roles.below
        self.stacks = [[[Place()] for _ in ISLANDS] for _ in clues.trails]
        """By seat and island: the places from bottom to top."""
        self.cards: list[Card] = []
        self.now = 0

    # ---- Telling it

    def tell(self) -> bool:
        """Step by step; whether all of it fits."""
        most = 0
        for number, (seat, step) in enumerate(self.steps()):
            if number % CHAPTER == 0:
                self.roles.chance = self.lucks.of(number // CHAPTER)
                most = self.roles.changes + MENDING_PATIENCE
            self.follow(seat, step)
            self.roles.mend(most)
            if self.roles.wrong:
                return False
        return True

    def steps(self) -> Iterator[tuple[int, list[int]]]:
        """From pile to pile, so that what all seats did at one time is told together."""
        rests = [self.first_deal(seat, trail) for seat, trail in enumerate(self.clues.trails)]
        for pile in range(len(self.supplies)):
            for seat, rest in enumerate(rests):
                while rest and (rest[-1][0] != TRAIL_DREW or rest[-1][2] <= pile):
                    yield seat, rest.pop()
        if any(rests):
            raise ValueError("somebody drew from a pile that was never there")

    def first_deal(self, seat: int, trail: Trail) -> Trail:
        """Deal what the trail begins with; return its steps, the last one first."""
        if trail:
            for layers, size in zip(self.stacks[seat], trail[0], strict=True):
                self.arrive(seat, 0, layers[0], size)
        return trail[:0:-1]

    def follow(self, seat: int, step: list[int]) -> None:
        stacks = self.stacks[seat]
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
            self.roles.see(stay, self.now, kind)

    def show(self, place: Place, kind: int, number: int) -> None:
        self.now += 1
        hidden = place.present.copy()
        for _ in range(number):
            stay = self.likely(hidden, kind)
            hidden.remove(stay)
            self.roles.see(stay, self.now, kind)

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

    def forget(self) -> None:
        """Cards and places know of each other, and a searching bot that collects no garbage tells many stories."""
        for card in self.cards:
            for stay in stays_of(card):
                stay.place.stays.clear()
                stay.place.present.clear()
            del card.first


def heap(place: Place) -> Heap:
    return [(stay.card.pile, stay.card.kind) for stay in place.present]
