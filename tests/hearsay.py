"""Could this world of Bali (Rosenberg 2001) be the real one, after all that a seat has heard?

The checker knows the rules of the game and the events of one seat, and nothing of how worlds are imagined. From the
events it draws a map: every hand and stack of another seat at every time is a point, and a way leads from point to
point for as many cards as were heard to go it unseen. The cards of each kind must find ways from the draw piles to
where they came to light or lie in the end. For one kind that is a flow, and if there is none the world is refuted.
If all kinds, one after the other, find ways in what the earlier ones have left, the world is possible. If a later
one finds none, it goes first in another try.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from random import Random
from typing import Any

from dalang.engine.game import Plain
from tests.rosenberg import CARDS, COPIES, ISLANDS

TRIES = 200
Point = int
Way = tuple[Point, Point]


class Undecided(AssertionError):
    """Neither a contradiction nor a story was found."""


class Place:
    """Cards in one place now: the point on the map, and their number."""

    def __init__(self, point: Point, size: int = 0) -> None:
        self.point = point
        self.size = size
        self.left = False
        """Has a card left since the last one came?"""


class Hearsay:
    """What one seat has heard, as a map."""

    def __init__(self, me: int, seats: int) -> None:
        self.me = me
        self.others = [seat for seat in range(seats) if seat != me]
        self.points = 0
        self.ways: Counter[Way] = Counter()
        self.shown: list[tuple[Way, str, int]] = []
        self.seen: Counter[tuple[Point, str]] = Counter()
        """How many of each card came to light at a point."""
        self.supplies = [Counter(COPIES)]
        """By draw pile: the cards that did not come to this seat."""
        self.piles = [self.new_point()]
        self.hands = [Place(self.new_point()) for _ in range(seats)]
        self.tops: dict[int, Place] = {}
        """What is above the bottom four of a stack that was picked up, until it is discarded."""
        self.stacks: list[dict[str, list[Place]]] = [{} for _ in range(seats)]
        self.own: dict[str, list[str]] = {}

    def new_point(self) -> Point:
        self.points += 1
        return self.points - 1

    # ---- Listening

    def listen(self, events: Iterable[Plain]) -> Hearsay:
        for event in events:
            hear = getattr(self, "hear_" + event["event"], None)
            if hear is not None:
                hear(event)
        return self

    def hear_deal(self, event: Plain) -> None:
        self.own = {island: ["?"] * event["cards"] for island in ISLANDS}
        for seat in self.others:
            for island in ISLANDS:
                self.stacks[seat][island] = [place := Place(self.new_point(), event["cards"])]
                self.ways[self.piles[0], place.point] += event["cards"]

    def hear_reshuffle(self, event: Plain) -> None:
        self.supplies.append(Counter(event["cards"]))
        self.piles.append(self.new_point())

    def hear_draw(self, event: Plain) -> None:
        if event["seat"] == self.me:
            self.supplies[-1].subtract(event["drawn"])
        else:
            self.enter(self.hands[event["seat"]], self.piles[-1])

    def hear_put(self, event: Plain) -> None:
        seat, island = event["seat"], event["island"]
        if seat == self.me:
            self.own[island].append(event["move"][1])
        else:
            layer = Place(self.new_point())
            self.leave(self.hands[seat], layer)
            self.stacks[seat][island].append(layer)

    def hear_take(self, event: Plain) -> None:
        seat, island = event["seat"], event["move"][1]
        if seat == self.me:
            if self.own[island].pop() == "?":
                self.supplies[0][event["card"]] -= 1
            return
        layers = self.stacks[seat][island]
        self.enter(self.hands[seat], layers[-1].point)
        layers[-1].size -= 1
        layers[-1].left = True
        if not layers[-1].size:
            layers.pop()

    def hear_laid(self, event: Plain) -> None:
        seat = event["seat"]
        if seat == self.me:
            self.own[event["island"]] = list(event["cards"])
            return
        assert self.hands[seat].size == event["number"]
        self.stacks[seat][event["island"]] = [self.hands[seat]] if event["number"] else []
        self.hands[seat] = Place(self.new_point())

    def hear_pick_up(self, event: Plain) -> None:
        seat, island, kept = event["seat"], event["island"], event["kept"]
        if seat == self.me:
            unseen = self.own[island].count("?")
            self.supplies[0].subtract(event["cards"][:unseen])
            self.own[island] = []
            return
        hand, top = self.hands[seat], Place(self.new_point())
        assert hand.size == 0
        for layer in self.stacks[seat][island]:
            keeping = min(layer.size, kept - hand.size)
            for place, number in ((hand, keeping), (top, layer.size - keeping)):
                self.ways[layer.point, place.point] += number
                place.size += number
        self.stacks[seat][island] = []
        if top.size:
            self.tops[seat] = top

    def hear_discard(self, event: Plain) -> None:
        if event["seat"] != self.me:
            place = self.tops.pop(event["seat"], self.hands[event["seat"]])
            for card in event["cards"]:
                self.see(place, card)

    def hear_move(self, event: Plain) -> None:
        seat, (verb, *rest) = event["seat"], event["move"]
        if seat == self.me:
            return
        if verb in ("play", "swap", "block"):
            self.see(self.hands[seat], rest[0])
        if verb == "show":
            self.show(self.hands[seat], event["kind"], rest[0])
        elif verb == "play" and rest[0] in ("priest", "prince"):
            self.show(self.hands[seat], rest[0], rest[1])

    # ---- Drawing the map

    def enter(self, place: Place, source: Point) -> None:
        if place.left:
            self.go_on(place, place.size)
        self.ways[source, place.point] += 1
        place.size += 1

    def leave(self, place: Place, to: Place) -> None:
        self.ways[place.point, to.point] += 1
        to.size += 1
        place.size -= 1
        place.left = True

    def see(self, place: Place, card: str) -> None:
        self.seen[place.point, card] += 1
        place.size -= 1
        place.left = True

    def show(self, place: Place, card: str, number: int) -> None:
        before = place.point
        self.go_on(place, place.size - number)
        self.shown.append(((before, place.point), card, number))

    def go_on(self, place: Place, number: int) -> None:
        """The same place at a later time."""
        before, place.point, place.left = place.point, self.new_point(), False
        self.ways[before, place.point] += number

    # ---- Judging a world

    def judge(self, world: Any, rng: Random) -> str:
        """The kind of card that refutes this world; empty if it is possible."""
        ends, given = self.ends(world), self.given(world)
        order = sorted(CARDS, key=lambda card: COPIES[card])
        for number in range(TRIES):
            failed = self.first_without_ways(order, given, ends, rng)
            if not failed or failed == order[0]:
                return failed
            order.remove(failed)
            order.insert(0, failed)
            if number % 10 == 9:
                rng.shuffle(order)
        raise Undecided(f"no story found in {TRIES} tries")

    def first_without_ways(
        self, order: list[str], given: list[Counter[str]], ends: dict[str, Counter[Point]], rng: Random
    ) -> str:
        """The first kind that finds no ways in what those before it have left; empty if all find some."""
        ways = Counter(self.ways)
        for card in order:
            used = self.flow(card, ways, [supply[card] for supply in given], ends[card], rng)
            if used is None:
                return card
            ways -= used
        return ""

    def given(self, world: Any) -> list[Counter[str]]:
        """By pile: the cards that came to others."""
        given = [Counter(supply) for supply in self.supplies]
        given[-1].subtract(world.pile.named())
        given[0].subtract(self.own_dealt(world))
        return given

    def own_dealt(self, world: Any) -> list[str]:
        return [
            CARDS[card]
            for island, stack in zip(ISLANDS, world.stacks[self.me], strict=True)
            for card in stack[: self.own[island].count("?")]
        ]

    def ends(self, world: Any) -> dict[str, Counter[Point]]:
        """By card: how many must come to each point in the end."""
        ends: dict[str, Counter[Point]] = defaultdict(Counter)
        for (point, card), number in self.seen.items():
            ends[card][point] += number
        for seat in self.others:
            held = [card for card, number in enumerate(world.hands[seat]) for _ in range(number)]
            if world.seat == seat:
                held += world.laid
            self.lie(ends, [self.hands[seat]], held)
            for island, stack in zip(ISLANDS, world.stacks[seat], strict=True):
                self.lie(ends, self.stacks[seat][island], stack)
        return ends

    def lie(self, ends: dict[str, Counter[Point]], layers: list[Place], cards: list[int]) -> None:
        assert sum(layer.size for layer in layers) == len(cards)
        for layer in layers:
            for card in cards[: layer.size]:
                ends[CARDS[card]][layer.point] += 1
            cards = cards[layer.size :]

    def flow(
        self, card: str, ways: Counter[Way], given: list[int], ends: Counter[Point], rng: Random
    ) -> Counter[Way] | None:
        """Ways for all cards of this kind; None if there are none."""
        if min(given) < 0 or sum(given) != sum(ends.values()):
            return None
        source, sink = -1, -2
        room: dict[Point, dict[Point, int]] = defaultdict(lambda: defaultdict(int))
        for (one, other), number in ways.items():
            room[one][other] += number
            room[other][one] += 0
        wanted = 0
        links = [(source, pile, number) for pile, number in zip(self.piles, given, strict=True)]
        links += [(point, sink, number) for point, number in ends.items()]
        for (one, other), kind, number in self.shown:
            if kind == card:
                links += [(one, sink, number), (source, other, number)]
        for one, other, number in links:
            room[one][other] += number
            room[other][one] += 0
            wanted += number if one == source else 0
        before = {one: dict(others) for one, others in room.items()}
        while wanted:
            sent = augment(room, source, sink, rng)
            if not sent:
                return None
            wanted -= sent
        return Counter({way: before[way[0]][way[1]] - room[way[0]][way[1]] for way in ways})


def augment(room: dict[Point, dict[Point, int]], source: Point, sink: Point, rng: Random) -> int:
    """Send cards along one more way."""
    came: dict[Point, Point] = {source: source}
    queue = deque([source])
    while queue and sink not in came:
        point = queue.popleft() if rng.random() < 0.5 else queue.pop()
        for other, number in room[point].items():
            if number and other not in came:
                came[other] = point
                queue.append(other)
    if sink not in came:
        return 0
    way = [sink]
    while way[-1] != source:
        way.append(came[way[-1]])
    steps = list(zip(way[1:], way, strict=False))
    most = min(room[one][other] for one, other in steps)
    for one, other in steps:
        room[one][other] -= most
        room[other][one] += most
    return most
