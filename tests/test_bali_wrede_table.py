"""Bali (Wrede 2017): its variants, decisions, who sees what, the worked examples and the options."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import NOBODY, SetupError
from dalang.engine.record import seen
from tests.wrede import (
    DEMON,
    EMPTY,
    GOODS,
    ORACLE,
    ROWS,
    WREDE,
    altar,
    asked,
    bali,
    counts,
    lying,
    moves,
    oracle_row,
    pile,
    play,
    position,
    random_game,
    scored,
    stack,
    taking,
    told,
    valued,
)

some = settings(max_examples=20, deadline=None)
HIDDEN = "rice:down peanut:down banana:down pepper:down"
"""The place as the oracle variant begins it."""


def views(state: Any) -> list[dict[str, Any]]:
    return [state.view(seat) for seat in range(state.seats)]


def seen_moves(state: Any, seat: int) -> list[list[Any]]:
    return [event["move"] for event in seen(state.events, seat) if event["event"] == "move"]


# ---- §10 Variant Oracle


def test_s10_1_the_place_begins_with_one_face_down_card_of_each_kind() -> None:
    state = bali(first="pepper rice peanut banana", oracle=True)
    assert lying(state) == ["pepper", "rice", "peanut", "banana"]
    assert all(state.laid[card][:2] == (NOBODY, True) for card in state.place)
    orders = {tuple(lying(WREDE.start(2, SeededChance(str(seed)), oracle=True))) for seed in range(300)}
    assert len(orders) == 24


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_s10_2_they_come_out_of_the_stock(seats: int) -> None:
    assert bali(seats=seats, oracle=True).stock == [24 - seats] * 4


def test_s10_3_eight_oracles_join_the_stack_after_the_display() -> None:
    state = bali(oracle=True)
    assert (state.stack.size, state.stack.named()["oracle"]) == (42, 8)
    for seed in range(30):
        rows = WREDE.start(4, SeededChance(f"no oracle {seed}"), oracle=True).view(0)["rows"]
        assert not any("oracle" in row for row in rows)


def test_s10_4_oracles_of_a_new_row_go_to_the_box_and_he_may_look() -> None:
    state = oracle_row("s o p o")
    assert state.view(0)["rows"][0] == ["stonecutter", "priest"]
    assert state.view(0)["box"] == {"altar": 0, "oracle": 2}
    assert asked(state) == (0, "look")
    assert asked(play(state, "pass")) == (0, "take")
    assert asked(oracle_row("s s p fr")) == (0, "take")


def test_s10_5_one_look_per_row_and_none_at_an_empty_place() -> None:
    state = play(oracle_row("o o o s"), "look, keep rice")
    assert asked(state) == (0, "take")
    state = oracle_row("o s p fr", place="")
    assert (asked(state), state.box) == ((0, "take"), [0, 1])


def test_s10_6_with_four_cards_one_must_be_kept() -> None:
    state = play(oracle_row(place="banana rice peanut rice pepper"), "look")
    assert moves(state) == ["keep rice", "keep peanut", "keep pepper"]
    play(state, "keep peanut")
    assert (state.held[0], lying(state)) == ([1, 2, 1, 1], ["banana", "rice", "rice", "pepper"])


def test_s10_6_with_fewer_he_may_keep_none() -> None:
    state = play(oracle_row(place="banana rice rice"), "look")
    assert moves(state) == ["keep rice", "keep banana", "pass"]
    assert lying(play(state, "pass")) == ["banana", "rice", "rice"]
    assert (state.held[0], asked(state)) == ([1, 1, 1, 1], (0, "take"))
    assert lying(play(oracle_row(place="rice"), "look, keep rice")) == []


def test_s10_7_the_others_return_as_they_lay() -> None:
    place = "banana 1:rice:down peanut 2:pepper:down rice"
    state = play(oracle_row(place=place), "look, keep peanut")
    assert lying(state) == ["banana", "rice", "pepper", "rice"]
    assert [state.laid[card][1] for card in state.place] == [False, True, True, False]


def test_s10_8_the_lowest_card_of_the_kept_kind_leaves() -> None:
    state = play(oracle_row(place="rice peanut rice banana rice"), "look, keep rice")
    assert state.place == [0, 1, 3, 4]
    state = play(oracle_row(place="1:rice:down rice pepper"), "look, keep rice")
    assert state.place == [1, 2]


def test_s10_9_only_he_sees_the_cards() -> None:
    place = "banana:down peanut:down rice:down pepper:down"
    state, other = (
        play(oracle_row(place=place), "look, keep rice"),
        play(oracle_row(place="peanut:down banana:down pepper:down rice:down"), "look, keep peanut"),
    )
    assert state.view(1) == other.view(1)
    assert state.view(0)["looks"][0][5:] == [["banana", "peanut", "rice", "pepper"], "rice"]


def test_s10_10_a_row_of_oracles_is_replaced_after_its_own_look() -> None:
    state = oracle_row("o o o o s s o p")
    assert (asked(state), state.view(0)["rows"][0]) == ((0, "look"), [])
    play(state, "look, keep rice")
    assert (asked(state), state.view(0)["rows"][0]) == (
        (0, "look"),
        ["stonecutter", "stonecutter", "priest"],
    )
    assert asked(play(state, "pass")) == (0, "take")
    assert state.box == [0, 5]


def test_s10_10_without_cards_on_the_place_the_row_is_replaced_at_once() -> None:
    state = oracle_row("o o o o s s fr p", place="")
    assert (asked(state), len(state.rows[0])) == ((0, "take"), 4)


def test_s10_11_a_look_after_the_last_card_precedes_the_valuation() -> None:
    state = oracle_row("s p s o", hands=["p p", "s s s", "s s s"], tables=["s", "s", "s"], stone=[0, 0, 0])
    assert (asked(state), state.stone) == ((0, "look"), [0, 0, 0])
    play(state, "look, keep rice")
    assert (asked(state), state.stone) == ((1, "buy"), [1, 1, 1])


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4), demon=st.booleans())
def test_s10_12_the_eleventh_refill_ends_the_game(seed: int, seats: int, demon: bool) -> None:
    state = random_game(seed, seats, oracle=True, demon=demon)
    assert [len(event["drawn"]) for event in told(state, "refill")] == [4] * 10 + [2]
    assert 36 <= len([event for event in told(state, "move") if event["decision"] == "take"]) <= 47


def test_s10_12_oracles_in_the_last_refill_do_nothing() -> None:
    state = oracle_row("o s", stack=stack("o s"))
    assert (state.seat, state.box) == (NOBODY, [0, 0])
    assert state.view(0)["rows"][0] == ["oracle", "stonecutter"]


# ---- §11 Variant Demon


def test_s11_1_a_priest_moves_the_demon_to_the_right_before_cards_are_taken() -> None:
    state = position(options=DEMON, hands=["p s s", "", ""])
    assert state.demon == 0
    play(state, "pass, play priest")
    assert (state.demon, moves(state)) == (1, ["take 0", "take 2", "take 3"])
    state = position(options=DEMON, demon=3, hands=["p s s", "", ""])
    assert play(state, "pass, play priest").demon == 0
    state = position(options=DEMON, hands=["p s s", "", ""])
    assert play(state, "pass, play stonecutter").demon == 0


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_s11_2_nobody_may_take_from_its_row(row: int) -> None:
    state = taking(options=DEMON, demon=row)
    assert moves(state) == [f"take {other}" for other in range(4) if other != row]


def test_s11_3_it_stands_on_a_position_and_hinders_nothing_else() -> None:
    state = taking("s", "s s s p", options=DEMON, demon=3, hands=["p p", "s s s", "s s s"])
    play(state, "take 0")
    assert state.view(0)["rows"][0][-1] == "priest"
    state = valued("p", ["p p", "p"], options=DEMON, demon=1)
    assert (state.points, state.demon) == ([3, 1], 1)


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4), oracle=st.booleans())
def test_s11_4_there_is_always_a_card_to_take(seed: int, seats: int, oracle: bool) -> None:
    state: Any = WREDE.start(seats, QuickChance(seed), demon=True, oracle=oracle)
    while state.seat != NOBODY:
        if state.decision == "take":
            assert len(state.moves()) == 3
            assert all(state.rows)
        state.play(QuickChance(seed + len(state.events)).rng.choice(state.moves()))


def test_s11_5_both_variants_go_together() -> None:
    state = oracle_row("o o s s", options={"oracle": True, "demon": True}, demon=2)
    play(state, "look, keep rice")
    assert moves(state) == ["take 0", "take 1", "take 3"]


# ---- Decisions


def test_d1_buy_lists_what_can_be_paid_and_pass() -> None:
    assert moves(bali()) == ["pass"]
    state = position(stone=[5, 0, 0], tables=["fb fb", "", ""], stock=[1, 0, 1, 1])
    assert moves(state) == ["buy rice", "buy banana", "buy pepper", "pass"]
    state = position(stone=[0, 0, 0], tables=["fb fb fb fb fb fb", "", ""])
    assert moves(state) == ["buy banana", "pass"]


def test_d2_play_lists_every_card_in_hand_that_can_be_paid() -> None:
    state = play(position(hands=["s p a", "", ""], stone=[7, 0, 0]), "pass")
    assert moves(state) == ["play stonecutter", "play priest", "play altar"]
    state = play(position(hands=["fr fp fp", "", ""], stone=[0, 0, 0]), "pass")
    assert moves(state) == ["play farmer rice 1", "play farmer pepper 1"]
    state = play(position(hands=["fn fn fn", "", ""], stone=[1, 0, 0]), "pass")
    assert moves(state) == ["play farmer peanut 1", "play farmer peanut 2"]
    state = play(position(hands=["a a a", "", ""], stone=[6, 0, 0]), "pass")
    assert moves(state) == ["discard altar"]


def test_d3_offer_lists_the_kinds_held() -> None:
    state = altar(held=[[1, 1, 1, 1], [1, 1, 1, 1], [0, 2, 0, 1]])
    assert (asked(state), moves(state)) == ((2, "offer"), ["offer peanut", "offer pepper"])


def test_d4_offer_down_lists_the_kinds_held() -> None:
    state = play(altar(held=[[1, 1, 1, 1], [3, 0, 0, 0], [1, 1, 1, 1]]), "offer rice, offer rice")
    assert (asked(state), moves(state)) == ((1, "offer_down"), ["offer rice"])


def test_d5_add_lists_the_kinds_in_stock() -> None:
    state = play(altar(stock=[0, 3, 1, 0]), "offer rice, offer rice, offer rice")
    assert (asked(state), moves(state)) == ((1, "add"), ["add peanut", "add banana"])


def test_d6_take_lists_the_rows_without_demon() -> None:
    assert moves(taking()) == ["take 0", "take 1", "take 2", "take 3"]
    assert moves(taking(options=DEMON, demon=2)) == ["take 0", "take 1", "take 3"]


def test_d7_look_or_pass() -> None:
    assert moves(oracle_row()) == ["look", "pass"]


def test_d8_keep_lists_the_kinds_seen_and_pass_for_fewer_than_four() -> None:
    assert moves(play(oracle_row(place="rice pepper rice pepper"), "look")) == ["keep rice", "keep pepper"]
    assert moves(play(oracle_row(place="banana banana banana banana"), "look")) == ["keep banana"]
    assert moves(play(oracle_row(place="pepper"), "look")) == ["keep pepper", "pass"]


def test_d9_gain_lists_the_kinds_in_stock_and_pass() -> None:
    state = valued("fn", ["fn", "", ""], stock=[2, 0, 0, 5])
    assert (asked(state), moves(state)) == ((0, "gain"), ["gain rice", "gain pepper", "pass"])
    assert asked(valued("fn", ["fn", "", ""], stock=[2, 1, 0, 5])) == (1, "buy")
    assert asked(valued("fn", ["fn", "", ""], stock=EMPTY)) == (1, "buy")


def test_d10_reward_is_asked_of_each_seat_with_an_altar() -> None:
    state = valued("a", ["", "a", "a"])
    assert (asked(state), moves(state)) == ((1, "reward"), ["reward stone", "reward point"])
    assert asked(play(state, "reward stone")) == (2, "reward")
    assert asked(play(state, "reward stone")) == (1, "buy")
    assert asked(valued("a", ["", "", ""])) == (1, "buy")


# ---- Who sees what: things


def test_v1_the_open_things_are_seen_by_all() -> None:
    state = position(
        options=DEMON, demon=2, stone=[1, 2, 3], points=[4, 5, 6], box=[1, 0], tables=["s a", "s fr", "p"]
    )
    for view in views(state):
        assert view["rows"][0] == ["priest", "farmer:rice", "altar", "stonecutter"]
        assert (view["demon"], view["stock"]) == (2, [22, 22, 22, 22])
        assert (view["stone"], view["points"]) == ([1, 2, 3], [4, 5, 6])
        assert view["box"] == {"altar": 1, "oracle": 0}
        assert view["tables"] == [counts("s a"), counts("s fr"), counts("p")]


def test_v2_hands_are_public() -> None:
    state = position(hands=["s s p", "a a a", "fr fb fp"])
    assert all(
        view["hands"] == [counts("s s p"), counts("a a a"), counts("fr fb fp")] for view in views(state)
    )


def test_v3_the_stack_is_known_by_counting_and_has_no_order() -> None:
    state = bali(oracle=True)
    assert views(state)[1]["stack"] == [8, 5, 5, 4, 4, 4, 4, 8] == state.stack.counts
    assert bali("s p a o", oracle=True).dump() == bali("o o o o", oracle=True).dump()


def test_v4_held_cards_are_seen_by_their_owner_and_counted_by_all() -> None:
    state = position(held=[[2, 0, 0, 1], [0, 3, 0, 1], [1, 1, 1, 1]])
    assert [view["held"] for view in views(state)] == [[2, 0, 0, 1], [0, 3, 0, 1], [1, 1, 1, 1]]
    assert all(view["total"] == [3, 4, 4] for view in views(state))


def test_v5_the_size_of_the_place_and_its_top_as_it_lies() -> None:
    for place, size, top in (("", 0, ""), ("rice", 1, "rice"), ("rice 0:pepper:down", 2, "down")):
        assert all((view["place"], view["top"]) == (size, top) for view in views(position(**pile(place))))


def test_v6_a_card_laid_open_is_known_for_ever() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper, add peanut")
    for view in views(state):
        assert view["laid"][:2] == [[2, "open", "banana"], [0, "open", "rice"]]
        assert view["laid"][3] == [-1, "open", "peanut"]


def test_v7_a_card_laid_face_down_is_known_to_its_owner_alone() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper, add peanut")
    assert [view["laid"][2] for view in views(state)] == [
        [1, "down", ""],
        [1, "down", "pepper"],
        [1, "down", ""],
    ]


def test_v8_the_open_ledger_counts_what_everybody_saw() -> None:
    state = play(position(seat=1, turn=1, stone=[0, 12, 0], hands=["", "a p p", ""]), "buy rice, play altar")
    play(state, "offer banana, offer rice, offer pepper, add peanut")
    for view in views(state):
        assert view["open"] == [[0, 1, 1, 1], [2, 1, 1, 1], [1, 1, 0, 1]]
        assert (view["total"], view["down"], view["picks"]) == ([3, 4, 3], [0, 1, 0], [0, 0, 0])
    play(taken := oracle_row(place=HIDDEN), "look, keep banana")
    for view in views(taken):
        assert view["open"] == [[1, 1, 1, 1]] * 3
        assert (view["total"], view["picks"]) == ([5, 4, 4], [1, 0, 0])


def test_v8_a_card_received_in_a_valuation_is_open() -> None:
    assert valued("fn", ["fn fn", "fn", ""]).view(2)["open"] == [[1, 3, 1, 1], [1, 2, 1, 1], [1, 1, 1, 1]]


def test_v8_a_ledger_below_0_proves_a_pick() -> None:
    state = altar(
        held=[[1, 1, 1, 1]] * 2 + [[1, 0, 0, 0]], open=[[1, 1, 1, 1]] * 2 + [EMPTY], picks=[0, 0, 1]
    )
    assert play(state, "offer rice").view(0)["open"][2] == [-1, 0, 0, 0]


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4), oracle=st.booleans())
def test_v8_the_total_is_the_ledger_less_face_down_cards_plus_picks(
    seed: int, seats: int, oracle: bool
) -> None:
    state: Any = WREDE.start(seats, QuickChance(seed), oracle=oracle)
    rng = QuickChance(seed).rng
    while state.seat != NOBODY:
        view = state.view(0)
        for seat, total in enumerate(view["total"]):
            assert total == sum(view["open"][seat]) - view["down"][seat] + view["picks"][seat]
            for kind, low in enumerate(view["lows"][seat][-1]):
                assert low <= view["open"][seat][kind]
        assert [len(lows) - 1 for lows in view["lows"]] == [
            down + picks for down, picks in zip(view["down"], view["picks"], strict=True)
        ]
        state.play(rng.choice(state.moves()))


def test_v9_the_place_record_begins_with_the_setup_cards() -> None:
    state = bali(oracle=True)
    assert all(view["laid"] == [[-1, "down", ""]] * 4 for view in views(state))


def test_v9_every_look_is_recorded() -> None:
    state = play(oracle_row("s o p fr", place=f"{HIDDEN} 1:rice"), "look")
    assert state.view(0)["looks"] == [[0, 5, 4, False, "rice", ["peanut", "banana", "pepper", "rice"], ""]]
    assert state.view(1)["looks"] == [[0, 5, 4, False, "rice", [], ""]]
    play(state, "keep rice")
    seen_kinds = ["peanut", "banana", "pepper", "rice"]
    assert state.view(0)["looks"] == [[0, 5, 4, True, "down", seen_kinds, "rice"]]
    assert state.view(2)["looks"] == [[0, 5, 4, True, "down", [], ""]]


def test_v9_a_look_without_keeping_is_recorded_too() -> None:
    state = play(oracle_row(place="1:rice:down 2:pepper"), "look, pass")
    assert state.view(1)["looks"] == [[0, 2, 2, False, "pepper", [], ""]]
    assert state.view(0)["looks"][0][5:] == [["rice", "pepper"], ""]


def imagined_places(state: Any, seat: int) -> set[tuple[str, ...]]:
    view = state.view(seat)
    return {tuple(lying(WREDE.imagine(view, QuickChance(number)))) for number in range(300)}


def looked(place: str, kept: str, **changes: Any) -> Any:
    return play(oracle_row(place=place, **changes), f"look, keep {kept}")


def test_v10_the_looker_knows_the_exact_rest() -> None:
    place = "1:rice:down 1:peanut:down 1:banana:down pepper"
    low = [[[1, 1, 1, 1]]] + [[[1, 1, 1, 1]] * 4] + [[[1, 1, 1, 1]]]
    state = looked(place, "peanut", lows=low, down=[0, 3, 0])
    assert imagined_places(state, 0) == {("rice", "banana", "pepper")}
    assert len(imagined_places(state, 2)) > 1


def test_v10_a_changed_top_betrays_the_card_he_kept() -> None:
    state = looked("rice peanut banana pepper", "pepper")
    assert imagined_places(state, 1) == {("rice", "peanut", "banana")}
    assert state.view(1)["looks"][0][4] == "banana"


def test_v10_an_open_top_that_stays_was_not_kept() -> None:
    state = looked("rice peanut banana pepper", "peanut")
    assert imagined_places(state, 1) == {
        ("peanut", "banana", "pepper"),
        ("rice", "banana", "pepper"),
        ("rice", "peanut", "pepper"),
    }


def test_v10_of_equal_cards_the_lowest_has_left() -> None:
    state = looked("rice peanut rice pepper", "rice")
    assert imagined_places(state, 1) == {("peanut", "rice", "pepper"), ("rice", "rice", "pepper")}


def test_v10_a_declined_look_changes_nothing() -> None:
    state = oracle_row(place=HIDDEN)
    before = [(view["laid"], view["looks"], view["total"]) for view in views(state)]
    play(state, "pass")
    assert [(view["laid"], view["looks"], view["total"]) for view in views(state)] == before


# ---- Who sees what: events


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4))
def test_v11_all_other_moves_are_seen_in_full(seed: int, seats: int) -> None:
    state: Any = WREDE.start(seats, QuickChance(seed), oracle=True, demon=True)
    rng = QuickChance(seed).rng
    while state.seat != NOBODY:
        secret = state.decision in ("offer_down", "keep")
        move, mover, told_before = rng.choice(state.moves()), state.seat, len(state.events)
        state.play(move)
        event = state.events[told_before]
        for seat in range(seats):
            full = seat == mover or not secret
            assert event.seen_by(seat)["move"] == (list(move) if full else [move[0]])


def test_v12_the_others_see_that_a_card_was_laid_face_down() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper")
    assert [seen_moves(state, seat)[-1] for seat in range(3)] == [["offer"], ["offer", "pepper"], ["offer"]]
    assert all((view["place"], view["total"][1], view["top"]) == (3, 3, "down") for view in views(state))


def test_v13_refill_oracles_and_demon_are_seen_by_all() -> None:
    state = play(
        position("s o p fr", options={**ORACLE, **DEMON}, hands=["p s s", "", ""], rows=["s", *ROWS[1:]]),
        "pass, play priest, take 0",
    )
    for seat in range(3):
        assert [event for event in seen(state.events, seat) if event["event"] != "move"] == [
            {"event": "demon", "row": 1},
            {"event": "refill", "row": 0, "drawn": ["stonecutter", "oracle", "priest", "farmer:rice"]},
            {"event": "oracles", "row": 0, "number": 1},
        ]


def test_v14_the_looker_sees_the_kinds_and_the_others_their_number() -> None:
    state = play(oracle_row(place=HIDDEN), "look")
    assert seen(state.events, 0)[-1] == {"event": "look", "seat": 0, "cards": 4, "kinds": GOODS}
    assert seen(state.events, 1)[-1] == {"event": "look", "seat": 0, "cards": 4}
    assert seen_moves(state, 1)[-1] == ["look"]


def test_v15_the_others_see_that_a_card_was_kept_and_the_new_top() -> None:
    state = play(oracle_row(place=f"{HIDDEN} 1:rice"), "look, keep rice")
    assert [seen_moves(state, seat)[-1] for seat in range(3)] == [["keep", "rice"], ["keep"], ["keep"]]
    assert seen(state.events, 1)[-1] == {"event": "kept", "seat": 0, "place": 4, "top": "down"}
    assert all((view["place"], view["total"][0], view["top"]) == (4, 5, "down") for view in views(state))


def test_v16_the_valuation_and_all_gains_are_seen_by_all() -> None:
    state = valued("p", ["p p", "p", ""])
    for seat in range(3):
        assert seen(state.events, seat)[1:] == [
            {"event": "valuation", "row": 0, "card": "priest"},
            {"event": "pay", "seat": 0, "number": 3, "what": "point"},
            {"event": "pay", "seat": 1, "number": 1, "what": "point"},
        ]
    state = valued("fr", ["fr", "", ""])
    assert told(state, "gain") == [{"event": "gain", "seat": 0, "good": "rice"}]
    state = play(valued("a", ["a", "", ""]), "reward stone")
    assert told(state, "pay") == [{"event": "pay", "seat": 0, "number": 1, "what": "stone"}]


def test_v17_the_end_shows_the_place_the_held_cards_and_the_scores() -> None:
    state = scored("1:rice:down pepper 0:rice:down", held=[[1, 0, 0, 0], [0, 0, 0, 2]])
    revealed = {"place": ["rice", "pepper", "rice"], "held": [[1, 0, 0, 0], [0, 0, 0, 2]]}
    for seat in range(2):
        assert seen(state.events, seat)[-1] == {
            "event": "end", "ending": "stack_empty", "scores": [3, 4], "ranks": [2, 1], **revealed
        }  # fmt: skip
        assert state.view(seat)["revealed"] == revealed
    assert bali().view(0)["revealed"] == {}


# ---- Worked examples: Robert is seat 0, Kenny seat 1, Jessica seat 2


def test_e1_kenny_pays_1_stone_for_a_banana_card() -> None:
    state = position(seat=1, turn=1, tables=["s", "s fb fb fb fb", "s"], stone=[0, 1, 0])
    play(state, "buy banana")
    assert (state.stone[1], state.held[1]) == (0, [1, 1, 2, 1])


def test_e2_robert_pays_1_stone_for_two_more_rice_farmers() -> None:
    state = position(tables=["s fr", "s", "s"], hands=["fr fr s", "", ""], stone=[3, 0, 0])
    play(state, "pass, play farmer rice 2")
    assert (state.stone[0], state.tables[0]) == (2, counts("s fr fr fr"))


def test_e3_kennys_altar_leaves_four_cards_and_pepper_visible() -> None:
    seated = {"seats": 3, "seat": 1, "turn": 1, "hands": ["", "a s s", ""], "stone": [0, 7, 0]}
    state = play(position(**seated), "pass, play altar, offer peanut, offer peanut, offer rice, add pepper")
    assert lying(state) == ["peanut", "peanut", "rice", "pepper"]
    assert [state.laid[card][1] for card in state.place] == [False, False, True, False]
    assert (state.view(0)["place"], state.view(0)["top"]) == (4, "pepper")


def test_e4_robert_takes_two_cards_and_stonecutters_are_valued() -> None:
    state = position(decision="take", hands=["p", "s s s", "s s s"], rows=["s", "p a", "s fb", "p"])
    play(state, "take 1, take 2")
    assert state.hands[0] == counts("p a fb")
    assert told(state, "valuation") == [{"event": "valuation", "row": 2, "card": "stonecutter"}]


def test_e5_stonecutters_bring_3_1_and_0_stone() -> None:
    assert valued("s", ["s s", "s", ""]).stone == [3, 1, 0]


def test_e6_priests_bring_2_2_and_1_points() -> None:
    assert valued("p", ["p", "p p", "p p"]).points == [1, 2, 2]


@pytest.mark.parametrize(("what", "stone", "points"), [("stone", 4, 0), ("point", 0, 4)])
def test_e7_kennys_three_altars_bring_4_of_either(what: str, stone: int, points: int) -> None:
    state = play(valued("a", ["", "a a a", ""]), f"reward {what}")
    assert (state.stone[1], state.points[1]) == (stone, points)


def test_e8_one_rice_farmer_brings_jessica_one_rice_card() -> None:
    assert valued("fr", ["", "", "fr"]).held == [[1, 1, 1, 1], [1, 1, 1, 1], [2, 1, 1, 1]]


def test_e9_pepper_3_banana_and_peanut_2_rice_1() -> None:
    place = "pepper pepper pepper banana banana peanut peanut rice"
    assert dict(zip(GOODS, scored(place).values(), strict=True)) == {
        "pepper": 3, "banana": 2, "peanut": 2, "rice": 1
    }  # fmt: skip


# ---- Options and telling


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oracle": 1}, "oracle must be true or false, not 1"),
        ({"demon": "yes"}, "demon must be true or false"),
        (
            {"start_sets": ["rice", "peanut", "banana"]},
            "start_sets must be rice, peanut, banana, pepper in any",
        ),
        ({"start_sets": ["rice", "rice", "banana", "pepper"]}, "in any order"),
        ({"oracles": True}, "no bali_wrede option 'oracles'; did you mean 'oracle'?"),
    ],
)
def test_bad_options_are_refused_with_the_valid_choices(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=re.escape(message)):
        bali(**options)


def sentences(state: Any, seat: int) -> list[str]:
    return [WREDE.sentence(event) for event in seen(state.events, seat)]


def test_an_offering_is_told_to_each_as_he_saw_it() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper, add peanut")
    assert sentences(state, 0) == [
        "Seat 1 builds an altar for 7 stone.",
        "Seat 2 lays a banana card on the place.",
        "Seat 0 lays a rice card on the place.",
        "Seat 1 lays a card face down.",
        "Seat 1 adds a peanut card from the stock.",
    ]
    assert sentences(state, 1)[3] == "Seat 1 lays a pepper card face down."


def test_a_look_is_told_to_each_as_he_saw_it() -> None:
    state = play(oracle_row("s o p o", place=f"{HIDDEN} 1:rice"), "look, keep rice")
    assert sentences(state, 1)[1:] == [
        "Row 0 is laid anew: stonecutter, oracle, priest, oracle.",
        "2 oracles go to the box.",
        "Seat 0 takes up the top of the place.",
        "Seat 0 sees 4 cards.",
        "Seat 0 keeps one of the cards.",
        "The place now has 4 cards and shows a face-down card.",
    ]
    assert sentences(state, 0)[4:6] == [
        "Seat 0 sees 4 cards, from below peanut, banana, pepper, rice.",
        "Seat 0 keeps a rice card.",
    ]


def test_a_turn_is_told() -> None:
    state = position(
        options=DEMON,
        hands=["p s s", "", ""],
        stone=[5, 0, 0],
        rows=["s", "a", "fr p", "p s"],
        tables=["p", "", ""],
    )
    play(state, "buy rice, play priest, take 3")
    assert sentences(state, 2) == [
        "Seat 0 buys a rice card.",
        "It costs 5 stone.",
        "Seat 0 plays a priest.",
        "The demon moves to row 1.",
        "Seat 0 takes the bottom card of row 3.",
        "Row 3 now ends in a priest, which is valued.",
        "Seat 0 gets 3 points.",
    ]


def test_the_end_is_told() -> None:
    assert sentences(scored("rice 0:pepper:down rice", held=[EMPTY, [0, 0, 0, 2]]), 0)[-1] == (
        "The stack is empty. On the place lie 2 rice, 0 peanut, 0 banana, 1 pepper. "
        "Final scores: seat 0 0, seat 1 4."
    )
