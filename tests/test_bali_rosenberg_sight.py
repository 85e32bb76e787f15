"""Bali (Rosenberg 2001): what a seat remembers, what all are sure of, and the worlds a seat imagines."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import Plain
from dalang.engine.games.bali_rosenberg.memory import TRAIL_SHOWN
from dalang.engine.games.bali_rosenberg.promises import conserved
from dalang.engine.games.bali_rosenberg.sight import rest_of_the_agenda
from dalang.engine.record import discrepancies, seen
from tests.examples import tried
from tests.playing import imagined, random_record
from tests.rosenberg import (
    BALI,
    CARDS,
    COPIES,
    ISLANDS,
    hand,
    play,
    position,
    stack,
)
from tests.tables import Table

a_few_games = tried(8)
seeds = st.integers(0, 2**32)
sizes = st.sampled_from([3, 4])


# ---- The view against a notebook kept by somebody who only listens


class Notebook:
    """What follows for one seat from the events it is told."""

    def __init__(self, seat: int, seats: int) -> None:
        self.seat = seat
        self.hand: Counter[str] = Counter()
        self.own: dict[str, list[str]] = {}
        self.hands = [0] * seats
        self.stacks = [dict.fromkeys(ISLANDS, 0) for _ in range(seats)]
        self.discards: Counter[str] = Counter()
        self.pile = 159

    def note(self, event: Plain) -> None:
        getattr(self, "note_" + event["event"], lambda event: None)(event)

    def note_deal(self, event: Plain) -> None:
        self.own = {island: ["?"] * event["cards"] for island in ISLANDS}
        for stacks in self.stacks:
            stacks.update(dict.fromkeys(ISLANDS, event["cards"]))
        self.pile -= len(self.stacks) * 4 * event["cards"]

    def note_pick_up(self, event: Plain) -> None:
        seat, island = event["seat"], event["island"]
        self.hands[seat] += self.stacks[seat][island]  # what it must discard comes next
        self.stacks[seat][island] = 0
        if seat == self.seat:
            self.hand.update(event["cards"])
            self.own[island] = []

    def note_draw(self, event: Plain) -> None:
        self.hands[event["seat"]] += 1
        self.pile -= 1
        if event["seat"] == self.seat:
            self.hand.update(event["drawn"])

    def note_reshuffle(self, event: Plain) -> None:
        assert self.discards == event["cards"]
        self.pile, self.discards = self.discards.total(), Counter()

    def note_move(self, event: Plain) -> None:
        if event["move"][0] in ("play", "swap", "block"):
            self.lose(event["seat"], [event["move"][1]])

    def note_discard(self, event: Plain) -> None:
        self.lose(event["seat"], event["cards"])

    def lose(self, seat: int, cards: list[str]) -> None:
        self.hands[seat] -= len(cards)
        self.discards.update(cards)
        if seat == self.seat:
            self.hand.subtract(cards)

    def note_put(self, event: Plain) -> None:
        self.hands[event["seat"]] -= 1
        self.stacks[event["seat"]][event["island"]] += 1
        if event["seat"] == self.seat:
            self.hand[event["move"][1]] -= 1
            self.own[event["island"]].append(event["move"][1])

    def note_take(self, event: Plain) -> None:
        island = event["move"][1]
        self.hands[event["seat"]] += 1
        self.stacks[event["seat"]][island] -= 1
        if event["seat"] == self.seat:
            self.hand[event["card"]] += 1
            assert self.own[island].pop() in ("?", event["card"])

    def note_laid(self, event: Plain) -> None:
        self.hands[event["seat"]] -= event["number"]
        self.stacks[event["seat"]][event["island"]] = event["number"]
        if event["seat"] == self.seat:
            self.hand.clear()
            self.own[event["island"]] = event["cards"]

    def agrees_with(self, view: Plain) -> None:
        assert Counter(view["hand"]) + Counter(view["laid"]) == +self.hand
        assert view["own"] == self.own
        assert view["hands"] == self.hands
        assert view["stacks"] == [list(stacks.values()) for stacks in self.stacks]
        assert view["discards"] == +self.discards
        assert view["pile"] == self.pile


@a_few_games
@given(seed=seeds, seats=sizes)
def test_the_view_remembers_exactly_what_the_seat_was_told(seed: int, seats: int) -> None:
    state: Any = BALI.start(seats, SeededChance(str(seed)), max_turns=60)
    rng, notebooks, known = Random(seed), [Notebook(seat, seats) for seat in range(seats)], 0
    while state.seat >= 0:
        for seat, notebook in enumerate(notebooks):
            for event in seen(state.events[known:], seat):
                notebook.note(event)
            notebook.agrees_with(state.view(seat))
        known = len(state.events)
        state.apply(rng.choice(state.moves()))


# ---- Shown and reshuffled cards


def lies_at(state: Any, seat: int, island: str) -> list[str]:
    """The cards of a seat at an island; the hand, at home, with what is being laid down."""
    there = stack(state, seat, island)
    if ISLANDS[state.home] == island:
        there += hand(state, seat)
        if state.seat == seat:
            there += [CARDS[card] for card in state.laid]
    return there


def assert_sure(state: Any) -> None:
    for seat, island, card, number in state.view(0)["sure"]:
        assert lies_at(state, seat, island).count(card) >= number > 0
    for drawn in state.drawn if state.piles else ():
        known = zip(state.pile.counts, state.piles[-1], drawn[-1], strict=True)
        assert all(held <= all - own for held, all, own in known)


@a_few_games
@given(seed=seeds, seats=sizes)
def test_what_all_are_sure_of_is_always_true_and_the_agenda_no_secret(seed: int, seats: int) -> None:
    state: Any = BALI.start(seats, QuickChance(seed), max_turns=150)
    state.events = None
    rng = Random(seed)
    while state.seat >= 0:
        assert_sure(state)
        assert rest_of_the_agenda(state) == state.agenda
        state.apply(rng.choice(state.moves()))
    assert_sure(state)


@a_few_games
@given(seed=seeds, seats=sizes)
def test_imagined_worlds_keep_known_cards_and_all_public_counts(seed: int, seats: int) -> None:
    state: Any = BALI.start(seats, QuickChance(seed), max_turns=100)
    state.events = None
    rng = Random(seed)
    while state.seat >= 0:
        if not rng.randrange(10):
            seat = rng.randrange(seats)
            world = imagined(state, seat, rng.randrange(10**6))
            conserved(world)
            assert_sure(world)
            assert world.view(seat) == state.view(seat)
            assert world.agenda == state.agenda
        state.apply(rng.choice(state.moves()))


def test_shown_cards_are_remembered_where_they_go() -> None:
    state = position("2 prince kw", "4 prince 2 priest", "scholar kt kw", stacks={(1, "kukusch"): "priest"})
    play(state, "play prince 1", "show 3", "pass")
    assert state.view(2)["sure"] == [[0, "wontong", "prince", 1], [1, "wontong", "prince", 3]]
    play(state, "play kw kukusch", "pass", "pass", "lay prince")
    assert state.view(2)["sure"] == [[0, "wontong", "prince", 1], [1, "wontong", "prince", 3]]
    play(state, "lay priest", *["lay prince"] * 4, "lay priest", "lay scholar", "lay kt", "lay kw")
    assert state.view(2)["home"] == "kukusch"
    for seed in range(20):
        world = imagined(state, 2, seed)
        assert stack(world, 1, "wontong").count("prince") >= 3
        assert stack(world, 0, "wontong") == ["prince"]


def test_shown_cards_come_back_to_hand_and_are_discarded_above_the_bottom_4() -> None:
    sure = [[0] * 8, [0, 3, 0, 0, 0, 0, 0, 0], [0] * 8]  # seat 1: 3 princes at Kukusch
    stacks, chips = {(1, "kukusch"): "2 prince 3 priest 2 prince"}, {"prince kukusch": 0}
    state = position("kw", "", "", stacks=stacks, chips=chips, sure=sure)
    play(state, "play kw kukusch", "pass", "pass")
    assert state.view(0)["sure"] == [[1, "kukusch", "prince", 1]]  # two of them were seen to go


def test_a_sure_card_is_less_sure_when_a_hidden_one_leaves() -> None:
    sure = [[0] * 8, [0, 0, 0, 0, 0, 0, 2, 1], [0] * 8]  # seat 1 in hand at Wontong: 2 priests, 1 prince
    start = position("scholar warrior", "scholar 2 priest 2 prince artist", "", sure=sure)
    play(start, "play scholar", "done")
    state = play(start.clone(), "play scholar", "put artist kukusch")
    assert state.view(0)["sure"] == [[1, "wontong", "priest", 1]]
    state = play(start.clone(), "pass", "pass", "play warrior 2", "flee", *["put priest kukusch"] * 2)
    assert state.view(0)["sure"] == []
    sure = [[0, 2, 0, 0, 0, 0, 0, 0], [0] * 8, [0] * 8]  # seat 0: 2 princes at Kukusch
    state = position("scholar", "", "", stacks={(0, "kukusch"): "3 prince"}, sure=sure)
    assert play(state, "play scholar", "take kukusch").view(1)["sure"] == [[0, "kukusch", "prince", 1]]


def test_a_sure_card_is_gone_when_all_see_it_go() -> None:
    sure = [[0, 0, 0, 0, 0, 0, 2, 3], [0] * 8, [0] * 8]
    state = position("artist 2 priest 4 prince", "", "", sure=sure)
    play(state, "play artist", "swap priest", "swap prince", "done", "pass", "pass")
    assert state.view(1)["sure"] == [[0, "wontong", "priest", 1], [0, "wontong", "prince", 2]]
    play(state, "play prince 1")
    assert state.view(1)["sure"] == [[0, "wontong", "priest", 1], [0, "wontong", "prince", 1]]


def test_after_a_reshuffle_the_draw_pile_is_known_less_what_was_drawn_in_secret() -> None:
    state = position("", "", "", discards="4 kw 6 prince", rest=(0, "kukusch"), draws="kw prince kw prince")
    play(state, "end")
    assert state.view(2)["piles"] == [[0, 0, 0, 0, 6, 0, 0, 4, 0, 0, 0]]
    assert state.view(1)["drawn"] == [[0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]]
    assert state.view(2)["drawn"] == [[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]]
    for seed in range(50):
        world = imagined(state, 1, seed)
        pile = Counter(world.pile.named())
        assert pile.total() == 6
        assert pile["prince"] <= 5
        assert set(+pile) == {"prince", "dalang:kukusch+wontong"}
        assert len(hand(world, 0)) == len(hand(world, 2)) == 1
    sole = position("", "", "", discards="4 kw 9 artist", pile="", rest=(0, "kukusch"), draws="4 artist")
    play(sole, "end")
    piles = {tuple(imagined(sole, 1, seed).pile.counts) for seed in range(50)}
    assert (0, 0, 5, 0, 0, 0, 0, 4, 0, 0, 0) in piles


def test_every_way_to_deal_the_unseen_cards_is_equally_likely() -> None:
    state = position("kw", "warrior", "", discards="29 warrior 30 scholar 15 artist")
    unseen = {card: COPIES[card] for card in CARDS[3:]} | {"warrior": 1, "dalang:kukusch+wontong": 3}
    drawn = Counter(hand(imagined(state, 0, seed), 1)[0] for seed in range(4200))
    assert drawn.keys() <= unseen.keys()
    wanted = {card: 4200 * copies / sum(unseen.values()) for card, copies in unseen.items()}
    chi_square = sum((drawn[card] - share) ** 2 / share for card, share in wanted.items())
    assert chi_square < 26.1  # 0.1 % for 8 degrees of freedom; the seeds are fixed


def test_sure_cards_may_lie_anywhere_in_their_stack() -> None:
    trails = [[], [[3, 0, 0, 0], [TRAIL_SHOWN, 0, CARDS.index("prince"), 1]], []]
    state = position("", "", "", stacks={(1, "kukusch"): "artist warrior prince"}, trails=trails)
    places: Counter[int] = Counter()
    for seed in range(600):
        world = imagined(state, 0, seed)
        places[stack(world, 1, "kukusch").index("prince")] += 1
    assert min(places[place] for place in range(3)) > 100


# ---- Records and telling


def test_a_record_can_be_enacted_again_from_its_seed_and_from_its_events_alone() -> None:
    for seats in (3, 4):
        record = random_record(Table(BALI, seats, {"max_turns": 40}), seats)
        assert discrepancies(record, BALI) == []


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"event": "put", "seat": 1, "island": "kukusch"}, "Seat 1 puts a card on the stack at Kukusch."),
        (
            {"event": "move", "seat": 2, "decision": "second", "move": ["play", "artist"]},
            "Seat 2 plays a second artist and ends the turn.",
        ),
        (
            {"event": "move", "seat": 0, "decision": "turn", "move": ["play", "prince", 2]},
            "Seat 0 plays a prince and shows 2 princes more.",
        ),
        (
            {"event": "move", "seat": 3, "decision": "block", "move": ["block", "dalang:kukusch+wontong"]},
            "Seat 3 blocks with the Dalang card Kukusch/Wontong.",
        ),
        (
            {"event": "laid", "seat": 0, "island": "wontong", "number": 2, "cards": ["priest", "artist"]},
            "Seat 0 leaves a priest, an artist at Wontong.",
        ),
        ({"event": "laid", "seat": 0, "island": "wontong", "number": 2}, "Seat 0 leaves 2 cards at Wontong."),
        (
            {"event": "end", "ending": "masks", "scores": [9, 12, 12], "ranks": [3, 1, 1]},
            "The last mask is given out. Points: seat 0 9, seat 1 12, seat 2 12; seat 1 and seat 2 win.",
        ),
    ],
)
def test_the_telling(event: Plain, text: str) -> None:
    assert BALI.sentence(event) == text
