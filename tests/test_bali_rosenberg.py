"""Bali (Rosenberg 2001), point by point of its rulebook: §1 to §7, from the components to the artist."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import SetupError
from dalang.engine.games.bali_rosenberg.promises import conserved
from tests.rosenberg import (
    BALI,
    CARDS,
    COPIES,
    ISLANDS,
    asked,
    hand,
    may,
    opening,
    play,
    position,
    stack,
    thrown,
    told,
)
from tests.rulebook import invented, points, untested

FILES = sorted(Path(__file__).parent.glob("test_bali_rosenberg*.py"))
DALANG_CARDS = [card for card in CARDS if card.startswith("dalang:")]
a_few_games = settings(max_examples=10, deadline=None)


def test_every_point_of_the_rulebook_is_tested() -> None:
    assert len(points(BALI)) == 100
    assert untested(BALI, *FILES) == []
    assert invented(BALI, *FILES) == []


# ---- §1 Components


def test_s1_1_three_or_four_players() -> None:
    assert [BALI.start(seats, QuickChance(1)).seats for seats in (3, 4)] == [3, 4]
    for seats in (1, 2, 5):
        with pytest.raises(SetupError, match="3 to 4 players"):
            BALI.start(seats, QuickChance(1))


def test_s1_2_four_islands_with_two_chips_in_the_villages_and_one_active() -> None:
    view = opening().view(0)
    assert list(view["own"]) == ISLANDS
    assert {kind: len(owners) for kind, owners in view["chips"].items()} == {"priest": 4, "prince": 4}
    assert view["island"] in ISLANDS


def test_s1_3_there_are_159_playing_cards() -> None:
    state = opening()
    conserved(state)
    assert sum(COPIES.values()) == 159
    assert [COPIES[card] for card in CARDS[:5]] == [30, 30, 15, 30, 30]
    assert sum(COPIES[card] for card in DALANG_CARDS) == 24


def test_s1_4_a_dalang_card_names_two_islands_and_either_can_be_the_target() -> None:
    state = position("kw", "", "", island="panschar")
    assert may(state, "end", "play kw kukusch", "play kw wontong")
    assert play(state, "play kw kukusch").view(1)["play"]["target"] == "kukusch"


def test_s1_5_four_copies_of_six_pairs() -> None:
    assert len(DALANG_CARDS) == 6
    assert all(COPIES[card] == 4 for card in DALANG_CARDS)
    named = Counter(island for card in DALANG_CARDS for island in card.removeprefix("dalang:").split("+"))
    assert named == dict.fromkeys(ISLANDS, 3)  # on 3 pairs, so on 12 cards


def test_s1_6_a_chip_never_leaves_its_island() -> None:
    chips = {f"{kind} {island}": 2 for kind in ("priest", "prince") for island in ISLANDS}
    state = play(position("2 prince", "", "", chips=chips), "play prince 1", "pass", "pass")
    assert state.view(1)["chips"] == {"priest": [2, 2, 2, 2], "prince": [2, 2, 2, 0]}


def test_s1_7_four_seals_worth_3_points_each() -> None:
    state = position("", "", "", seals={"kukusch": 1, "wontong": 1, "panschar": 0}, options={"max_turns": 1})
    assert len(state.view(0)["seals"]) == 4
    assert play(state, "end").outcome().scores == (3, 6, 0)


@pytest.mark.parametrize("start", ["1 2 3", "1 2 3 4"])
def test_s1_8_sixteen_masks_also_with_three_players(start: str) -> None:
    masks = opening(start).view(0)["masks"]
    assert Counter(masks) == {2: 4, 3: 4, 4: 4, 5: 4}
    assert sum(masks) == 56


def test_s1_9_a_stack_is_fed_and_emptied_at_its_top() -> None:
    state = position("scholar warrior prince", "", "", stacks={(0, "kukusch"): "priest artist"})
    play(state, "play scholar", "put warrior kukusch", "put prince kukusch", "done")
    assert stack(state, 0, "kukusch") == ["priest", "artist", "warrior", "prince"]
    state = position("scholar", "", "", stacks={(0, "kukusch"): "priest artist"})
    play(state, "play scholar", "take kukusch")
    assert (hand(state, 0), stack(state, 0, "kukusch")) == (["artist"], ["priest"])


def test_s1_10_each_card_of_the_draw_pile_is_equally_likely() -> None:
    drawn: Counter[str] = Counter()
    for number in range(1590):
        chance = SeededChance(f"odds {number}")
        state = play(position("", "", "", chance=chance), "end")
        drawn[told(state, "draw")[0]["drawn"][0]] += 1
    chi_square = sum((drawn[card] - 10 * copies) ** 2 / (10 * copies) for card, copies in COPIES.items())
    assert chi_square < 29.6  # 0.1 % for 10 degrees of freedom; the seeds are fixed


def test_s1_11_the_discard_pile_is_read_by_all() -> None:
    state = play(position("warrior artist", "2 prince", "", "", discards="kw"), "play warrior 3", "flee")
    play(state, "put prince kukusch", "put prince kukusch", "flee", "play artist")
    seen = {"warrior": 1, "artist": 1, "dalang:kukusch+wontong": 1}
    assert all(state.view(seat)["discards"] == seen for seat in range(4))


# ---- §2 Setup


def test_s2_1_seats_are_numbered_clockwise_and_three_players_have_three_of_everything() -> None:
    state = position("warrior", "", "", active=2)
    assert (state.left_of(2), state.others(2)) == (0, [0, 1])
    view = opening("1 2 3").view(0)
    assert len(view["hands"]) == len(view["stacks"]) == len(view["taken"]) == 3


@pytest.mark.parametrize(("start", "left"), [("1 2 3", 123), ("1 2 3 4", 111)])
def test_s2_2_three_cards_for_each_seat_at_each_island_unseen_by_all(start: str, left: int) -> None:
    state = opening(start)
    seats = state.seats
    assert told(state, "deal")[0]["drawn"] == ["warrior", "scholar", "prince"] * 4 * seats
    assert state.view(0)["pile"] == left - seats - 1  # after the first draws
    for seat in range(seats):
        own = state.view(seat)["own"]
        assert sorted(own.values()) == [[]] + [["?"] * 3] * 3


def test_s2_3_the_start_cards_are_dealt_and_read_aloud() -> None:
    state = opening("3 1 4")
    assert told(state, "start")[0]["drawn"] == ["start:3", "start:1", "start:4"]
    assert all(state.view(seat)["start"] == [3, 1, 4] for seat in range(3))
    found = {tuple(BALI.start(3, SeededChance(str(n))).view(0)["start"]) for n in range(300)}
    assert len(found) == 24


def test_s2_4_what_the_start_cards_say() -> None:
    chips = opening("1 2 3 4").view(0)["chips"]
    prince = {owner + 1: ISLANDS[island] for island, owner in enumerate(chips["prince"])}
    priest = {owner + 1: ISLANDS[island] for island, owner in enumerate(chips["priest"])}
    dalang = {4: "panschar"}
    for start, right in (("1 3 4 2", 2), ("1 4 2 3", 3)):
        dalang[right] = opening(start).view(0)["island"]
    assert prince == {1: "panschar", 2: "tschakkalag", 3: "wontong", 4: "kukusch"}
    assert priest == {1: "kukusch", 2: "panschar", 3: "tschakkalag", 4: "wontong"}
    assert dalang == {2: "wontong", 3: "kukusch", 4: "panschar"}


@pytest.mark.parametrize(
    ("start", "starter"), [("4 3 1 2", 2), ("2 3 1", 2), ("3 2 4", 1), ("2 1 4", 1), ("4 3 2", 2)]
)
def test_s2_5_card_1_starts_or_card_2_if_it_is_left_over(start: str, starter: int) -> None:
    state = opening(start)
    assert asked(state) == (starter, "turn")
    chips = state.view(0)["chips"]
    for seat in range(state.seats):
        assert chips["prince"].count(seat) == chips["priest"].count(seat) == 1


def test_s2_6_the_chips_of_the_left_over_card_are_set_aside() -> None:
    chips = opening("1 2 4").view(0)["chips"]
    assert chips == {"priest": [0, 1, -1, 2], "prince": [2, 0, 1, -1]}


@pytest.mark.parametrize(
    ("start", "island"),
    [("1 2 3 4", "panschar"), ("2 1 3 4", "wontong"), ("3 1 2", "kukusch"), ("3 4 2", "panschar")],
)
def test_s2_7_the_dalang_starts_where_the_right_neighbours_card_says(start: str, island: str) -> None:
    assert opening(start).view(0)["island"] == island


def test_s2_8_masks_by_value_and_seals_lie_open() -> None:
    masks = [5, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2]
    view = opening(masks=masks).view(3)
    assert (view["masks"], view["seals"]) == (sorted(masks), [-1] * 4)


def test_s2_9_everybody_takes_up_the_start_stack_and_the_first_turn_draws() -> None:
    state = opening("2 1 3 4", draws="5 priest")
    assert state.view(0)["island"] == "wontong"
    assert hand(state, 0) == ["warrior", "scholar", "priest", "prince"]
    assert hand(state, 1) == ["warrior", "scholar", "priest", "priest", "prince"]
    assert all(stack(state, seat, "wontong") == [] for seat in range(4))
    assert state.view(2)["turn"] == 1


# ---- §3 The turn


def test_s3_1_one_seat_is_active_and_a_turn_begins_with_its_draws() -> None:
    state = play(position("warrior", "", "", draws="artist artist prince prince"), "end")
    assert state.view(0)["active"] == 1
    assert asked(state) == (1, "turn")
    assert [event.name for event in state.events] == ["move", "turn", "draw", "draw", "draw", "draw"]


def test_s3_2_the_active_player_draws_2_then_the_others_1_clockwise() -> None:
    state = play(position("", "", "", "", draws="warrior scholar artist priest prince"), "end")
    assert [(event["seat"], event["drawn"]) for event in told(state, "draw")] == [
        (1, ["warrior"]), (1, ["scholar"]), (2, ["artist"]), (3, ["priest"]), (0, ["prince"]),
    ]  # fmt: skip
    assert hand(state, 1) == ["warrior", "scholar"]


def test_s3_3_who_fled_draws_again_in_the_next_turn() -> None:
    state = play(position("warrior", "", "prince"), "play warrior 2", "flee", "end")
    assert [len(hand(state, seat)) for seat in range(3)] == [1, 2, 2]
    assert state.view(0)["fled"] == []


def test_s3_4_the_discard_pile_is_reshuffled_when_a_card_must_be_drawn_and_not_earlier() -> None:
    state = position("", "", "", "", pile="5 prince", discards="kw", rest=(0, "kukusch"), draws="5 prince")
    play(state, "end")  # the pile is used up to its last card
    assert (state.pile.size, told(state, "reshuffle")) == (0, [])
    state = position("", "", "", "", discards="5 prince", rest=(0, "kukusch"), draws="5 prince")
    play(state, "end")
    assert (state.pile.size, state.discards.size) == (0, 0)
    assert told(state, "reshuffle") == [{"event": "reshuffle", "cards": {"prince": 5}}]


def test_s3_4_a_reshuffle_in_the_middle_of_a_draw() -> None:
    piles = {"pile": "prince", "discards": "kw", "rest": (1, "kukusch")}  # one to draw, three are wanted
    state = position("artist 3 warrior", "", "", **piles, draws="prince warrior artist")
    play(state, "play artist", "swap warrior", "swap warrior", "swap warrior")
    assert hand(state, 0) == ["warrior", "artist", "prince"]
    names = [event.name for event in state.events]
    assert names[-4:] == ["draw", "reshuffle", "draw", "draw"]
    assert told(state, "reshuffle")[0]["cards"] == {"warrior": 3, "artist": 1, "dalang:kukusch+wontong": 1}
    assert state.view(2)["pile"] == 3
    assert state.view(2)["discards"] == {}


def test_s3_5_with_both_piles_empty_the_missing_draws_lapse_in_drawing_order() -> None:
    state = position("", "", "", "", discards="3 prince", rest=(0, "kukusch"))
    play(state, "end")
    assert [event["seat"] for event in told(state, "draw")] == [1, 1, 2]
    assert [len(hand(state, seat)) for seat in range(4)] == [0, 2, 1, 0]
    assert asked(state) == (1, "turn")


def test_s3_5_an_artist_may_draw_back_what_was_just_thrown_away() -> None:
    state = position("artist 2 prince", "", "", rest=(0, "kukusch"), draws="artist prince")
    play(state, "play artist", "swap prince", "swap prince", "done")
    assert hand(state, 0) == ["artist", "prince"]
    assert state.view(0)["pile"] == 1


def test_s3_6_any_number_of_cards_one_at_a_time() -> None:
    state = position("3 scholar", "", "")
    for _ in range(3):
        assert ("play", "scholar") in state.moves()
        play(state, "play scholar", "done", "pass", "pass")
        assert asked(state) == (0, "turn")
    assert may(state, "end")


def test_s3_7_after_the_turn_the_left_neighbour_is_active_after_a_forced_end_too() -> None:
    assert asked(play(position("warrior", "", "", "", active=3), "end")) == (0, "turn")
    state = position("scholar warrior", "", "2 scholar", "")
    play(state, "play scholar", "done", "pass", "play scholar", "done", "play scholar", "pass", "pass")
    assert asked(state) == (1, "turn")
    assert state.view(0)["turn"] == 2
    assert may(position("priest prince", "", ""), "end")


def test_s3_8_hands_stay_in_hand_when_the_turn_passes() -> None:
    state = play(position("prince", "warrior", "kw", draws="4 artist"), "end")
    assert [hand(state, seat)[-1] for seat in range(3)] == ["prince", "artist", "dalang:kukusch+wontong"]
    assert hand(state, 1) == ["warrior", "artist", "artist"]


@a_few_games
@given(seed=st.integers(), seats=st.sampled_from([3, 4]))
def test_s3_9_each_play_costs_the_active_player_a_card_for_good(seed: int, seats: int) -> None:
    state: Any = BALI.start(seats, QuickChance(seed))
    rng, before = QuickChance(seed), {}
    while state.seat >= 0:
        if state.decision == "turn":
            owned = sum(state.hands[state.seat]) + sum(map(len, state.stacks[state.seat]))
            assert before.get(state.view(0)["turn"], 999) > owned
            before[state.turn] = owned
        moves = state.moves()
        state.apply(moves[rng.below(len(moves))])


# ---- §4 Playing and reacting


@pytest.mark.parametrize(
    "text",
    ["play warrior 1", "play scholar", "play artist", "play priest 1", "play prince 1", "play kw kukusch"],
)
def test_s4_1_the_card_is_face_up_on_the_discard_pile_whatever_comes_of_it(text: str) -> None:
    state = position("warrior scholar artist 2 priest 2 prince kw", "2 kt", "2 priest 2 prince", "warrior")
    play(state, text)
    card = {"kw": "dalang:kukusch+wontong"}.get(text.split()[1], text.split()[1])
    assert thrown(state) == [card]
    assert len(hand(state, 0)) == 7


def test_s4_2_four_kinds_can_always_be_played_and_two_need_a_companion() -> None:
    state = position("warrior scholar artist priest prince kt tw", "", "", fled=[False, True, True])
    assert may(
        state,
        *("end", "play warrior 1", "play warrior 2", "play scholar", "play artist"),
        *("play kt kukusch", "play kt tschakkalag", "play tw tschakkalag"),
    )


@pytest.mark.parametrize("kind", ["scholar", "artist"])
def test_s4_3_reactions_go_clockwise_from_the_left_and_only_with_the_kind_played(kind: str) -> None:
    everything = "2 warrior 2 scholar 2 artist 2 priest 2 prince kw kt"
    state = position(*[everything] * 4, active=2)
    play(state, f"play {kind}", "done")
    for seat in (3, 0, 1):
        assert asked(state) == (seat, "respond")
        assert may(state, "pass", f"play {kind}")
        play(state, "pass")
    assert asked(state) == (2, "turn")


def test_s4_4_each_completes_the_reaction_before_the_next_and_fled_players_are_passed_over() -> None:
    state = position("scholar", "scholar", "scholar", "scholar", fled=[False, False, True, False])
    play(state, "play scholar", "done")
    assert asked(state) == (1, "respond")
    play(state, "play scholar")
    assert asked(state) == (1, "scholar")
    play(state, "done")
    assert asked(state) == (1, "second")
    play(state, "pass")
    assert asked(state) == (3, "respond")
    assert asked(play(state, "pass")) == (0, "turn")


@pytest.mark.parametrize("kind", ["warrior", "scholar", "artist"])
def test_s4_5_a_second_card_of_the_kind_ends_the_turn(kind: str) -> None:
    state = position(f"{kind} 3 warrior", f"3 {kind}", "", "")
    play(state, "play warrior 3" if kind == "warrior" else f"play {kind}")
    if kind != "warrior":
        play(state, "done")
    play(state, f"play {kind}")
    if kind != "warrior":
        play(state, "done")
    assert asked(state) == (1, "second")
    assert may(state, "pass", f"play {kind}")
    play(state, f"play {kind}", "pass")
    assert state.view(0)["play"]["forced"] is True
    play(state, "flee" if kind == "warrior" else "pass")  # §4.8
    if kind != "warrior":
        play(state, "pass")
    assert asked(state) == (1, "turn")


@pytest.mark.parametrize(("choice", "cards"), [("draw", ["artist", "prince"]), ("pass", ["prince"])])
def test_s4_6_for_the_second_card_one_may_draw_a_replacement(choice: str, cards: list[str]) -> None:
    state = position("warrior", "2 warrior prince", "", draws="artist")
    play(state, "play warrior 2", "play warrior", "play warrior")
    assert asked(state) == (1, "replace")
    assert may(state, "pass", "draw")
    state.options["max_turns"] = 1
    assert hand(play(state, choice), 1) == cards


def test_s4_7_the_second_card_may_be_one_that_the_first_brought() -> None:
    state = position("scholar", "scholar", "", stacks={(1, "kukusch"): "scholar"})
    play(state, "play scholar", "done", "play scholar", "take kukusch", "done")
    assert may(state, "pass", "play scholar")
    state = position("artist", "artist prince", "", draws="artist")
    play(state, "play artist", "done", "play artist", "swap prince", "done")
    assert asked(state) == (1, "second")
    assert may(state, "pass", "play artist")
    play(state, "play artist")
    assert asked(state) == (1, "replace")  # and no other effect
    assert hand(state, 1) == []


@pytest.mark.parametrize("kind", ["scholar", "artist"])
def test_s4_8_after_a_forced_end_the_others_still_react(kind: str) -> None:
    state = position(kind, f"2 {kind}", kind, "", stacks={(2, "kukusch"): "prince"})
    play(state, f"play {kind}", "done", f"play {kind}", "done", f"play {kind}", "pass")
    assert asked(state) == (2, "respond")
    assert may(state, "pass", f"play {kind}")
    play(state, f"play {kind}")
    assert asked(state) == (2, kind)
    play(state, "done")
    assert asked(state) == (3, "respond")
    assert asked(play(state, "pass")) == (1, "turn")


def test_s4_8_to_a_warrior_they_must() -> None:
    state = position("warrior", "2 warrior", "prince", "")
    play(state, "play warrior 3", "play warrior", "play warrior", "draw")
    assert asked(state) == (2, "defend")
    play(state, "flee", "put prince kukusch")
    assert asked(state) == (1, "turn")


def test_s4_9_no_second_card_once_the_turn_is_ended() -> None:
    state = position("scholar", "2 scholar", "3 scholar", "")
    play(state, "play scholar", "done", "play scholar", "done", "play scholar", "pass")
    play(state, "play scholar", "done")
    assert asked(state) == (3, "respond")
    state = position("warrior", "2 warrior", "3 warrior", "")
    play(state, "play warrior 3", "play warrior", "play warrior", "pass", "play warrior")
    assert asked(state) == (1, "turn")


def test_s4_10_contests_and_voyages_have_no_second_card() -> None:
    state = position("2 prince kt", "5 prince 3 kt", "", "")
    play(state, "play prince 1", "show 2", "pass", "pass")
    assert asked(state) == (0, "turn")
    assert asked(play(state, "play kt kukusch", "block kt")) == (0, "turn")


# ---- §5 Warrior


def test_s5_1_a_warrior_spares_one_passive_player_who_cannot_react() -> None:
    state = position("warrior", "2 warrior", "2 warrior", "2 warrior", active=0)
    assert may(state, "end", "play warrior 1", "play warrior 2", "play warrior 3")
    play(state, "play warrior 2", "flee", "put warrior kukusch", "put warrior kukusch")
    assert asked(state) == (3, "defend")
    play(state, "play warrior", "pass")
    assert asked(state) == (0, "turn")
    assert hand(state, 2) == ["warrior", "warrior"]


def test_s5_2_the_spared_player_is_named_at_once_and_may_have_fled() -> None:
    state = position("2 warrior", "", "", "")
    play(state, "play warrior 3", "flee", "flee")
    assert state.view(1)["fled"] == [1, 2]
    assert may(state, "end", "play warrior 1", "play warrior 2", "play warrior 3")
    play(state, "play warrior 1")
    assert state.view(2)["play"] == {"card": "warrior", "spared": 1}
    assert asked(state) == (3, "defend")
    play(state, "flee")
    assert state.view(0)["fled"] == [1, 2, 3]


def test_s5_3_a_warrior_that_challenges_nobody_does_nothing() -> None:
    state = position("warrior", "warrior", "warrior", fled=[False, True, False])
    play(state, "play warrior 2")
    assert asked(state) == (0, "turn")
    assert hand(state, 2) == ["warrior"]


def test_s5_4_the_challenged_defend_or_flee_in_turn() -> None:
    state = position("warrior", "warrior", "warrior", "", active=1)
    play(state, "play warrior 3")
    assert asked(state) == (2, "defend")
    assert may(state, "flee", "play warrior")
    play(state, "play warrior")
    assert (thrown(state), state.view(0)["fled"]) == (["warrior"] * 2, [])
    play(state, "pass")
    assert asked(state) == (0, "defend")


def test_s5_5_fleeing_is_allowed_with_a_warrior_and_the_only_answer_without() -> None:
    state = play(position("warrior", "warrior", "", ""), "play warrior 3")
    assert may(state, "flee", "play warrior")
    play(state, "flee", "put warrior kukusch")
    assert may(state, "flee")


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5])
def test_s5_6_who_flees_saves_three_cards_and_discards_the_rest(size: int) -> None:
    state = position("warrior", f"{size} prince" if size else "", "", stacks={(1, "kukusch"): "artist"})
    play(state, "play warrior 2", "flee")
    for _ in range(min(3, size)):
        assert asked(state) == (1, "flee")
        assert may(state, "put prince kukusch", "put prince panschar", "put prince tschakkalag")
        play(state, "put prince kukusch")
    assert asked(state) == (0, "turn")
    assert hand(state, 1) == []
    assert stack(state, 1, "kukusch") == ["artist"] + ["prince"] * min(3, size)
    assert thrown(state) == ["warrior"] + ["prince"] * (size - min(3, size))


def test_s5_6_any_split_and_any_order() -> None:
    state = position("warrior", "kw prince artist scholar", "")
    play(state, "play warrior 2", "flee", "put prince panschar", "put kw kukusch", "put artist panschar")
    assert stack(state, 1, "panschar") == ["prince", "artist"]
    assert stack(state, 1, "kukusch") == ["dalang:kukusch+wontong"]
    assert thrown(state) == ["warrior", "scholar"]


def test_s5_7_the_fled_react_to_nothing_until_the_active_player_changes() -> None:
    absent = [False, True, False]
    everything = "2 scholar 2 artist 2 prince 2 kw"
    for text in ("play scholar", "play artist", "play prince 1", "play kt kukusch"):
        state = position("scholar artist 2 prince kt", everything, "", fled=absent)
        play(state, text)
        if state.decision in ("scholar", "artist"):
            play(state, "done")
        assert state.seat == 2
    state = play(position("scholar", everything, "", fled=absent), "end", "end")
    assert state.view(0)["fled"] == []


def test_s5_7_or_the_dalang_moves() -> None:
    state = position("kw", "", "", fled=[False, True, True])
    play(state, "play kw kukusch")
    assert state.view(0)["fled"] == []


def test_s5_8_fleeing_touches_neither_chips_nor_seals_nor_the_right_to_a_mask() -> None:
    chips = {"prince wontong": 1, "prince kukusch": 0, "priest kukusch": 1}
    state = position("warrior kw", "", "", chips=chips, seals={"wontong": 1}, draws="4 prince")
    play(state, "play warrior 2", "flee")
    assert (state.view(0)["chips"]["prince"], state.view(0)["seals"]) == ([0, -1, -1, 1], [-1, -1, -1, 1])
    play(state, "play kw kukusch", "pass")
    assert state.view(0)["taken"] == [[3], [2], []]


def test_s5_9_who_has_defended_may_end_the_turn_with_a_second_warrior() -> None:
    state = position("warrior", "2 warrior", "")
    play(state, "play warrior 2", "play warrior")
    assert asked(state) == (1, "second")
    play(state, "play warrior", "pass")
    assert asked(state) == (1, "turn")


# ---- §6 Scholar


def test_s6_1_up_to_three_cards_between_hand_and_the_stacks_elsewhere() -> None:
    stacks = {(0, "kukusch"): "prince", (0, "panschar"): "", (0, "tschakkalag"): "prince"}
    state = play(position("scholar warrior kw", "", "", stacks=stacks), "play scholar")
    assert may(
        state,
        *("done", "put warrior kukusch", "put warrior panschar", "put warrior tschakkalag"),
        *("put kw kukusch", "put kw panschar", "put kw tschakkalag", "take kukusch", "take tschakkalag"),
    )
    state = position("scholar 5 warrior", "", "")
    play(state, "play scholar", *["put warrior kukusch"] * 3)
    assert asked(state) == (1, "respond")


def test_s6_2_cards_are_put_on_top_and_spread_freely() -> None:
    state = position("scholar warrior prince artist", "", "", stacks={(0, "kukusch"): "priest"})
    play(state, "play scholar", "put prince kukusch", "put artist panschar", "put warrior kukusch")
    assert stack(state, 0, "kukusch") == ["priest", "prince", "warrior"]
    assert stack(state, 0, "panschar") == ["artist"]
    assert hand(state, 0) == []


def test_s6_3_cards_are_taken_one_at_a_time_and_looked_at_before_the_next() -> None:
    state = position("scholar", "", "", stacks={(0, "kukusch"): "priest artist", (0, "panschar"): "prince"})
    play(state, "play scholar", "take kukusch")
    assert state.view(0)["hand"] == {"artist": 1}
    assert may(state, "done", "take kukusch", "take panschar")
    play(state, "take kukusch", "take panschar")
    assert hand(state, 0) == ["artist", "priest", "prince"]


def test_s6_4_put_or_take_but_never_both_and_nothing_is_legal() -> None:
    state = position("scholar warrior prince", "", "", stacks={(0, "kukusch"): "priest priest"})
    one, other = state.clone(), state.clone()
    play(one, "play scholar", "put warrior kukusch")
    assert [text[0] for text in one.moves()] == ["done", "put", "put", "put"]
    play(other, "play scholar", "take kukusch")
    assert may(other, "done", "take kukusch")
    assert asked(play(state, "play scholar", "done")) == (1, "respond")
    assert asked(play(position("scholar", "", ""), "play scholar", "done")) == (1, "respond")


def test_s6_5_then_the_others_may_do_the_same_with_a_free_choice() -> None:
    stacks = {(seat, "kukusch"): "priest" for seat in range(3)}
    state = position("scholar warrior", "scholar warrior", "scholar warrior", stacks=stacks)
    play(state, "play scholar", "put warrior kukusch", "done", "play scholar")
    assert ("take", "kukusch") in state.moves()
    assert ("put", "warrior", "panschar") in state.moves()
    play(state, "take kukusch", "done", "pass", "pass")
    assert asked(state) == (0, "turn")
    assert hand(state, 1) == ["warrior", "priest"]


def test_s6_6_a_second_scholar_ends_the_turn() -> None:
    state = position("2 scholar", "2 scholar", "")
    play(state, "play scholar", "done", "play scholar", "done", "play scholar", "pass", "pass")
    assert asked(state) == (1, "turn")


# ---- §7 Artist


def test_s7_1_up_to_three_cards_are_exchanged_and_the_artist_does_not_count() -> None:
    state = position("artist 4 prince", "", "", draws="warrior warrior scholar")
    play(state, "play artist", "swap prince", "swap prince", "swap prince")
    assert hand(state, 0) == ["warrior", "warrior", "scholar", "prince"]
    assert thrown(state) == ["artist"] + ["prince"] * 3


def test_s7_2_then_the_others_may_do_the_same() -> None:
    state = position("artist", "artist prince", "artist prince", draws="warrior")
    play(state, "play artist", "done")
    assert asked(state) == (1, "respond")
    play(state, "play artist", "swap prince", "done", "pass")
    assert hand(state, 1) == ["warrior"]
    assert asked(state) == (2, "respond")
    assert asked(play(state, "pass")) == (0, "turn")


def test_s7_3_discards_one_by_one_then_the_new_cards_together_and_none_is_legal() -> None:
    state = position("artist 2 prince", "", "", draws="warrior scholar")
    play(state, "play artist", "swap prince")
    assert may(state, "done", "swap prince")
    assert told(state, "draw") == []
    play(state, "swap prince")
    assert may(state, "done")
    play(state, "done")
    assert hand(state, 0) == ["warrior", "scholar"]
    assert asked(play(position("artist", "", "", draws=""), "play artist", "done")) == (1, "respond")


def test_s7_4_a_second_artist_ends_the_turn_with_a_replacement() -> None:
    state = position("artist", "2 artist", "", draws="prince 4 warrior")
    play(state, "play artist", "done", "play artist", "done", "play artist", "draw", "pass")
    assert asked(state) == (1, "turn")
    assert hand(state, 1) == ["warrior", "warrior", "prince"]
