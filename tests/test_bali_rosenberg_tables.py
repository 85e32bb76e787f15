"""Bali (Rosenberg 2001): every row of its tables of decisions, of who sees what and of events."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.game import Plain
from dalang.engine.record import seen
from tests.rosenberg import (
    BALI,
    asked,
    hand,
    heard,
    may,
    opening,
    play,
    position,
    stack,
    told,
)

# ---- Every row of the tables has a test


def rows(heading: str) -> list[str]:
    """The first cells of the table under this heading, as the beginning of a test's name."""
    text = BALI.rulebook.read_text(encoding="utf-8")
    table = text[text.index(heading) :].split("\n\n")[0]
    cells = [re.sub(r"\(.*?\)", "", line.split("|")[1]) for line in table.splitlines()[2:]]
    return ["_".join(re.findall(r"\w+", cell)[:4]) for cell in cells]


@pytest.mark.parametrize(
    ("heading", "kind", "number"),
    [
        ("| Decision | Who and when |", "decision", 11),
        ("| Item | Visible to |", "sight", 7),
        ("| Event | Its owner sees |", "event", 18),
    ],
)
def test_every_row_is_tested(heading: str, kind: str, number: int) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert len(rows(heading)) == number
    assert [row for row in rows(heading) if f"def test_{kind}_{row}_" not in text] == []


# ---- Decisions: who, when, which moves, and when there is only one


def test_decision_turn_lists_every_play_in_the_order_of_the_rulebook() -> None:
    state = position("", "", "warrior scholar artist 3 priest 2 prince kp tw", "", active=2)
    assert may(
        state,
        *("end", "play warrior 0", "play warrior 1", "play warrior 3", "play scholar", "play artist"),
        *("play priest 1", "play priest 2", "play prince 1", "play kp kukusch", "play kp panschar"),
        "play tw tschakkalag",
    )
    assert may(position("priest prince", "warrior", ""), "end")


def test_decision_turn_has_at_most_73_moves() -> None:
    state = position("warrior scholar artist 30 priest 30 prince kp kt kw pt pw tw", "", "", "")
    assert len(state.moves()) == 73


def test_decision_defend_is_for_the_challenged() -> None:
    state = play(position("warrior", "", "2 warrior", ""), "play warrior 3")
    assert asked(state) == (1, "defend")
    assert may(state, "flee")
    play(state, "flee")
    assert asked(state) == (2, "defend")
    assert may(state, "flee", "play warrior")


def test_decision_flee_is_asked_for_each_card_and_not_with_an_empty_hand() -> None:
    state = play(position("warrior", "prince kw", ""), "play warrior 2", "flee")
    assert may(
        state,
        *("put prince kukusch", "put prince panschar", "put prince tschakkalag"),
        *("put kw kukusch", "put kw panschar", "put kw tschakkalag"),
    )
    play(state, "put kw panschar")
    assert may(state, "put prince kukusch", "put prince panschar", "put prince tschakkalag")
    assert asked(play(state, "put prince kukusch")) == (0, "turn")
    assert asked(play(position("warrior", "", ""), "play warrior 2", "flee")) == (0, "turn")


@pytest.mark.parametrize("kind", ["scholar", "artist"])
def test_decision_respond_comes_once_the_active_player_is_finished(kind: str) -> None:
    state = play(position(f"{kind} prince", "warrior", kind), f"play {kind}")
    assert asked(state) == (0, kind)
    play(state, "done")
    assert asked(state) == (1, "respond")
    assert may(state, "pass")
    play(state, "pass")
    assert may(state, "pass", f"play {kind}")


def test_decision_scholar_until_done_or_three_cards() -> None:
    stacks = {(0, "kukusch"): "4 prince"}
    state = play(position("scholar priest", "", "", stacks=stacks), "play scholar")
    for text in ("take kukusch", "take kukusch"):
        assert asked(play(state, text)) == (0, "scholar")
    assert may(state, "done", "take kukusch")
    assert asked(play(state, "take kukusch")) == (1, "respond")
    assert may(play(position("scholar", "", ""), "play scholar"), "done")
    state = play(position("scholar prince", "", ""), "play scholar", "put prince kukusch")
    assert may(state, "done")  # it has put, so it may not take


def test_decision_artist_until_done_or_three_cards_then_the_draws() -> None:
    state = play(position("artist 3 prince kw", "", "", draws="3 warrior"), "play artist")
    assert may(state, "done", "swap prince", "swap kw")
    play(state, "swap kw", "swap prince")
    assert hand(state, 0) == ["prince", "prince"]
    play(state, "swap prince")
    assert asked(state) == (1, "respond")
    assert hand(state, 0) == ["warrior"] * 3 + ["prince"]
    assert may(play(position("artist", "", ""), "play artist"), "done")


def test_decision_second_comes_after_an_answer_unless_the_turn_is_ended() -> None:
    state = play(position("warrior", "warrior", "2 warrior", "2 warrior"), "play warrior 3", "play warrior")
    assert asked(state) == (1, "second")
    assert may(state, "pass")
    play(state, "pass", "play warrior")
    assert may(state, "pass", "play warrior")
    state = position("artist", "2 artist", "2 artist")
    play(state, "play artist", "done", "play artist", "done", "play artist", "pass", "play artist", "done")
    assert asked(state) == (1, "turn")


def test_decision_replace_follows_a_second_card() -> None:
    state = position("warrior", "2 warrior", "", rest=(0, "kukusch"))
    play(state, "play warrior 2", "play warrior", "play warrior")
    assert asked(state) == (1, "replace")
    assert may(state, "pass", "draw")  # even with an empty draw pile: the warriors come round


def test_decision_show_needs_more_than_the_highest_so_far() -> None:
    state = play(position("3 priest", "2 priest", "4 priest"), "play priest 2")
    assert asked(state) == (1, "show")
    assert may(state, "pass")
    assert may(play(state, "pass"), "pass", "show 3", "show 4")


def test_decision_block_until_one_blocks() -> None:
    state = play(position("kw", "pt", "2 kt kp", ""), "play kw kukusch")
    assert may(state, "pass")
    play(state, "pass")
    assert may(state, "pass", "block kp", "block kt")
    assert asked(play(state, "block kt")) == (0, "turn")


def test_decision_lay_bottom_first_until_the_hand_is_down() -> None:
    state = play(
        position("prince", "kw 2 warrior kt", "2 scholar", active=1), "play kw kukusch", "pass", "pass"
    )
    assert asked(state) == (1, "lay")
    assert may(state, "lay warrior", "lay kt")
    play(state, "lay kt")
    assert may(state, "lay warrior")
    play(state, "lay warrior", "lay warrior")
    assert stack(state, 1, "wontong") == ["dalang:kukusch+tschakkalag", "warrior", "warrior"]
    assert asked(state) == (2, "lay")
    play(state, "lay scholar", "lay scholar")
    assert asked(state) == (0, "lay")
    assert asked(play(position("kw", "", ""), "play kw kukusch", "pass", "pass")) == (0, "turn")


# ---- Who sees what


def test_sight_active_island_and_seat_and_all_that_lies_open() -> None:
    chips, seals = {"prince kukusch": 2, "priest wontong": 1}, {"kukusch": 2}
    changes: Plain = {"turn": 9, "masks": [4, 5], "taken": [[2], [], [3, 3]], "fled": [False, True, False]}
    options = {"max_turns": 77}
    state = position("warrior", "", "", chips=chips, seals=seals, options=options, **changes)
    play(state, "play warrior 1")
    for seat in range(3):
        view = state.view(seat)
        assert (view["island"], view["active"], view["turn"]) == ("wontong", 0, 9)
        assert (view["fled"], view["play"]) == ([1], {"card": "warrior", "spared": 1})
        assert view["chips"] == {"priest": [-1, -1, -1, 1], "prince": [2, -1, -1, -1]}
        assert view["seals"] == [2, -1, -1, -1]
        assert (view["taken"], view["masks"]) == ([[2], [], [3, 3]], [4, 5])
        assert view["options"] == {"max_turns": 77}


def test_sight_start_cards_the_left_over_one_by_elimination() -> None:
    assert [opening("3 1 4").view(seat)["start"] for seat in range(3)] == [[3, 1, 4]] * 3


def test_sight_size_of_the_draw_pile_of_every_hand_and_stack() -> None:
    state = position("2 prince", "", "kw", stacks={(1, "panschar"): "3 artist"}, discards="2 priest warrior")
    for seat in range(3):
        view = state.view(seat)
        assert (view["pile"], view["hands"]) == (150, [2, 0, 1])
        assert view["stacks"] == [[0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]]
        assert view["discards"] == {"warrior": 1, "priest": 2}


def test_sight_hand_cards_are_for_the_owner() -> None:
    one, other = position("2 prince", "kw", ""), position("2 artist", "kw", "")
    assert one.view(0)["hand"] == {"prince": 2}
    assert one.view(1)["hand"] == {"dalang:kukusch+wontong": 1}
    assert one.view(1) == other.view(1)


def test_sight_cards_of_the_first_deal_are_for_nobody_until_they_come_to_hand() -> None:
    state = opening("1 2 3 4", draws="5 scholar")
    assert state.view(0)["own"]["kukusch"] == ["?", "?", "?"]
    play(state, "play scholar", "put scholar kukusch", "done", "pass", "pass", "pass")
    assert state.view(0)["own"]["kukusch"] == ["?", "?", "?", "scholar"]
    play(state, "play scholar", "take kukusch", "take kukusch")
    assert state.view(0)["own"]["kukusch"] == ["?", "?"]
    assert state.view(0)["hand"]["prince"] == 2  # one of them lay there
    assert state.view(1)["dealt"][0] == [2, 0, 3, 3]


def test_sight_cards_put_fled_with_or_laid_are_for_the_seat_that_placed_them() -> None:
    state = position("scholar warrior prince priest kw", "artist kt", "")
    play(state, "play scholar", "put prince kukusch", "put priest kukusch", "done", "pass", "pass")
    assert state.view(0)["own"]["kukusch"] == ["prince", "priest"]
    play(state, "play warrior 2", "flee", "put kt panschar", "put artist panschar")
    assert state.view(1)["own"]["panschar"] == ["dalang:kukusch+tschakkalag", "artist"]
    state = position("kw 2 prince artist", "", "")
    play(state, "play kw kukusch", "pass", "pass", "lay prince", "lay artist")
    assert (state.view(0)["laid"], state.view(1)["laid"]) == (["prince", "artist"], [])
    assert (state.view(1)["hands"], state.view(1)["stacks"][0]) == ([3, 0, 0], [0, 0, 0, 0])
    play(state, "lay prince")
    assert state.view(0)["own"]["wontong"] == ["prince", "artist", "prince"]


def test_sight_content_of_the_draw_pile_follows_only_by_subtraction() -> None:
    one, other = position("", "kw", "", ""), position("", "artist", "", "")
    assert one.view(0) == other.view(0)
    assert one.view(0)["piles"] == one.view(0)["drawn"] == []


# ---- Events


def heard_by_others(state: Any, name: str, owner: int) -> list[Plain]:
    """What the others hear of what this seat did: all the same."""
    ears = [seat for seat in range(state.seats) if seat != owner]
    first, *rest = [[e for e in heard(state, seat, name) if e.get("seat", owner) == owner] for seat in ears]
    assert all(events == first for events in rest)
    return first


def test_event_deal_start_cards_are_told_without_the_cards_dealt() -> None:
    state = opening("3 1 2", deal="24 warrior 12 prince")
    for seat in range(3):
        assert heard(state, seat, "deal") == [{"event": "deal", "cards": 3}]
        assert heard(state, seat, "start")[0]["drawn"] == ["start:3", "start:1", "start:2"]


def test_event_draw_gives_the_card_to_its_owner_only() -> None:
    state = play(position("", "", "", draws="kw artist prince priest"), "end")
    assert [event.get("drawn") for event in heard(state, 1, "draw")] == [
        ["dalang:kukusch+wontong"], ["artist"], None, None,
    ]  # fmt: skip
    assert heard(state, 0, "draw")[0] == {"event": "draw", "seat": 1}


def test_event_draw_tells_the_same_for_artists_and_replacements() -> None:
    state = position("artist", "2 artist prince", "", draws="kw warrior 4 prince")
    play(state, "play artist", "done", "play artist", "swap prince", "done", "play artist", "draw")
    assert heard(state, 2, "draw") == [{"event": "draw", "seat": 1}] * 2
    assert heard(state, 1, "draw")[1] == {"event": "draw", "seat": 1, "drawn": ["warrior"]}


def test_event_reshuffle_is_known_card_by_card() -> None:
    state = play(position("", "", "", discards="3 kw 2 prince", rest=(0, "kukusch")), "end")
    cards = {"prince": 2, "dalang:kukusch+wontong": 3}
    assert heard_by_others(state, "reshuffle", 0) == [{"event": "reshuffle", "cards": cards}]


def test_event_play_tells_all_the_card_and_its_aim() -> None:
    state = position("warrior 2 prince kw artist", "2 warrior artist", "")
    play(state, "play warrior 2", "play warrior", "pass", "play prince 1", "pass", "pass", "play kw kukusch")
    assert [event["move"] for event in heard(state, 2, "move")] == [
        ["play", "warrior", 2],
        ["play", "warrior"],
        ["play", "prince", 1],
        ["pass"],
        ["pass"],
        ["play", "dalang:kukusch+wontong", "kukusch"],
    ]
    assert heard(state, 2, "move") == heard(state, 0, "move") == told(state, "move")


def test_event_discard_tells_all_the_cards() -> None:
    state = position("warrior", "2 prince 2 kw artist", "")
    play(state, "play warrior 2", "flee", "put prince kukusch", "put prince kukusch", "put kw kukusch")
    cards = ["artist", "dalang:kukusch+wontong"]
    assert heard_by_others(state, "discard", 1) == [{"event": "discard", "seat": 1, "cards": cards}]
    state = position("kw", "", "", stacks={(0, "kukusch"): "4 prince kt artist"}, chips={"prince kukusch": 0})
    play(state, "play kw kukusch", "pass", "pass")
    cards = ["artist", "dalang:kukusch+tschakkalag"]
    assert heard_by_others(state, "discard", 0) == [{"event": "discard", "seat": 0, "cards": cards}]


def test_event_flee_is_told_and_not_whether_there_was_a_warrior() -> None:
    one = play(position("warrior", "3 warrior", ""), "play warrior 2", "flee")
    other = play(position("warrior", "3 artist", ""), "play warrior 2", "flee")
    assert heard(one, 2, "move") == heard(other, 2, "move")
    assert heard(one, 2, "move")[-1] == {"event": "move", "seat": 1, "decision": "defend", "move": ["flee"]}


def test_event_put_tells_the_others_the_island() -> None:
    state = play(position("scholar kw", "", ""), "play scholar", "put kw panschar")
    seen_by_all = {"event": "put", "seat": 0, "decision": "scholar", "island": "panschar"}
    assert heard_by_others(state, "put", 0) == [seen_by_all]
    assert heard(state, 0, "put") == [seen_by_all | {"move": ["put", "dalang:kukusch+wontong", "panschar"]}]


def test_event_take_tells_the_owner_the_card() -> None:
    state = position("scholar", "", "", stacks={(0, "kukusch"): "prince artist"})
    play(state, "play scholar", "take kukusch")
    seen_by_all = {"event": "take", "seat": 0, "decision": "scholar", "move": ["take", "kukusch"]}
    assert heard_by_others(state, "take", 0) == [seen_by_all]
    assert heard(state, 0, "take") == [seen_by_all | {"card": "artist"}]


def test_event_swap_tells_all_the_card() -> None:
    state = play(position("artist kw", "", ""), "play artist", "swap kw")
    assert heard_by_others(state, "move", 0)[-1]["move"] == ["swap", "dalang:kukusch+wontong"]


def test_event_show_tells_kind_and_number_and_not_what_is_held_back() -> None:
    one = play(position("2 priest", "3 priest", ""), "play priest 1", "show 2")
    other = play(position("2 priest", "9 priest", ""), "play priest 1", "show 2")
    assert heard_by_others(one, "move", 1) == heard_by_others(other, "move", 1)
    shown = heard(one, 0, "move")[-1]
    assert (shown["seat"], shown["kind"], shown["move"]) == (1, "priest", ["show", 2])


def test_event_block_tells_all_the_card() -> None:
    state = play(position("kw", "kt", ""), "play kw kukusch", "block kt")
    assert heard_by_others(state, "move", 1)[-1]["move"] == ["block", "dalang:kukusch+tschakkalag"]


@pytest.mark.parametrize(
    ("kind", "with_choice", "without", "moves"),
    [
        ("scholar", "2 scholar", "2 prince", ["done", "pass"]),
        ("artist", "2 artist", "2 prince", ["done", "pass"]),
        ("scholar", "2 scholar", "scholar prince", ["done", "play scholar", "done", "pass"]),
        ("artist", "2 artist", "artist prince", ["done", "play artist", "done", "pass"]),
        ("prince 1", "3 prince", "1 prince 2 kw", ["pass"]),
        ("kt kukusch", "2 kw", "2 prince", ["pass"]),
        ("warrior 3", "2 warrior", "warrior prince", ["play warrior", "pass"]),
    ],
)
def test_event_pass_done_end_does_not_tell_whether_there_was_a_choice(
    kind: str, with_choice: str, without: str, moves: list[str]
) -> None:
    mine = "scholar artist 2 prince kt warrior"
    one, other = position(mine, with_choice, "", ""), position(mine, without, "", "")
    for state in (one, other):
        play(state, f"play {kind}", *moves)
    for seat in (0, 2, 3):
        assert seen(one.events, seat) == seen(other.events, seat)
        assert one.view(seat) == other.view(seat)


def test_event_pass_done_end_are_told_but_not_declining_a_second_card_or_a_replacement() -> None:
    state = position("scholar", "2 scholar", "", "")
    play(state, "play scholar", "done", "play scholar", "done", "pass", "pass", "pass", "end")
    words = [event["move"][0] for event in heard(state, 2, "move")]
    assert words == ["play", "done", "play", "done", "pass", "pass", "end"]
    state = position("warrior", "2 warrior", "", "")
    play(state, "play warrior 2", "play warrior", "play warrior", "pass")
    for seat in range(4):
        assert heard(state, seat, "declined") == []
    assert told(state, "declined")[0]["move"] == ["pass"]


def test_event_travel_tells_old_and_new_island() -> None:
    state = play(position("kw", "", ""), "play kw kukusch", "pass", "pass")
    assert heard_by_others(state, "travel", 0) == [{"event": "travel", "from": "wontong", "to": "kukusch"}]


def test_event_lay_tells_island_and_number_once_the_hand_is_down() -> None:
    state = play(position("kw 2 prince artist", "", ""), "play kw kukusch", "pass", "pass")
    before = [len(seen(state.events, seat)) for seat in range(3)]
    play(state, "lay prince", "lay artist")
    assert [len(seen(state.events, seat)) for seat in range(3)] == before
    play(state, "lay prince")
    down = {"event": "laid", "seat": 0, "island": "wontong", "number": 3}
    assert heard_by_others(state, "laid", 0)[0] == down
    assert heard(state, 0, "laid")[0] == down | {"cards": ["prince", "artist", "prince"]}


def test_event_pick_up_tells_the_others_the_number_kept() -> None:
    stacks, chips = {(0, "kukusch"): "4 prince kt"}, {"prince kukusch": 0}
    state = play(position("kw", "", "", stacks=stacks, chips=chips), "play kw kukusch", "pass", "pass")
    up = {"event": "pick_up", "seat": 0, "island": "kukusch", "kept": 4}
    assert heard_by_others(state, "pick_up", 0)[0] == up
    cards = ["prince"] * 4 + ["dalang:kukusch+tschakkalag"]
    assert heard(state, 0, "pick_up")[0] == up | {"cards": cards}


def test_event_mask_tells_seat_and_value() -> None:
    chips = {"prince kukusch": 0, "priest kukusch": 1}
    state = play(position("kw", "", "", chips=chips), "play kw kukusch", "pass", "pass")
    assert heard(state, 2, "mask") == [
        {"event": "mask", "seat": 1, "value": 2},
        {"event": "mask", "seat": 0, "value": 3},
    ]


def test_event_chip_seal_tell_from_whom_to_whom() -> None:
    chips = {"prince wontong": 1, "priest wontong": 0}
    state = position("2 prince", "", "", chips=chips, seals={"wontong": 2})
    play(state, "play prince 1", "pass", "pass")
    assert heard(state, 2, "chip") == [
        {"event": "chip", "kind": "prince", "island": "wontong", "from": 1, "to": 0}
    ]  # fmt: skip
    assert heard(state, 1, "seal") == [{"event": "seal", "island": "wontong", "from": 2, "to": 0}]


def test_event_next_turn_end_of_game_are_told_to_all() -> None:
    state = position("", "", "", taken=[[3], [2], []], turn=1, options={"max_turns": 2})
    play(state, "end", "end")
    assert heard_by_others(state, "turn", 1) == [{"event": "turn", "turn": 2, "seat": 1}]
    assert heard_by_others(state, "end", 0) == [
        {"event": "end", "ending": "max_turns", "scores": [3, 2, 0], "ranks": [1, 2, 3]}
    ]
