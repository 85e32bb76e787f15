"""Bali (Wrede 2017), its rules point by point; decisions, views and examples are in the file beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import NOBODY, SetupError
from tests.playing import play_out
from tests.rulebook import invented, points, untested
from tests.wrede import (
    EMPTY,
    GOODS,
    ROWS,
    WREDE,
    altar,
    asked,
    bali,
    counts,
    lying,
    moves,
    play,
    position,
    random_game,
    scored,
    taking,
    told,
    valued,
)

BESIDE = "test_bali_wrede_table.py"
games = given(seed=st.integers(0, 2**32), seats=st.integers(2, 4), oracle=st.booleans(), demon=st.booleans())
some = settings(max_examples=20, deadline=None)


def test_every_point_of_the_rulebook_is_tested() -> None:
    files = (__file__, str(Path(__file__).with_name(BESIDE)))
    assert len(points(WREDE)) > 110
    assert untested(WREDE, *files) == []
    assert invented(WREDE, *files) == []


# ---- §1 Components


def test_s1_1_there_are_50_playing_cards_and_8_oracles() -> None:
    state = bali(oracle=True)
    number = Counter(card for row in state.view(0)["rows"] for card in row)
    number.update(state.stack.named())
    assert number == {
        "stonecutter": 12, "priest": 9, "altar": 9, "oracle": 8,
        "farmer:rice": 5, "farmer:peanut": 5, "farmer:banana": 5, "farmer:pepper": 5,
    }  # fmt: skip
    assert bali().stack.named()["oracle"] == 0


def test_s1_2_each_start_set_has_a_stonecutter_and_three_farmers() -> None:
    state = bali(seats=4)
    assert state.tables == [counts("s")] * 4
    assert [sum(hand[3:]) for hand in state.hands] == [3] * 4 == [sum(hand) for hand in state.hands]


def test_s1_3_the_farmers_of_a_set_are_of_three_kinds() -> None:
    assert all(sorted(hand[3:]) == [0, 1, 1, 1] for hand in bali(seats=4).hands)


def test_s1_4_each_set_lacks_another_kind_as_the_option_says() -> None:
    assert [hand.index(0, 3) - 3 for hand in bali(seats=4).hands] == [0, 1, 2, 3]
    other = bali(seats=3, start_sets=["pepper", "rice", "banana", "peanut"])
    assert [hand.index(0, 3) - 3 for hand in other.hands] == [3, 0, 2]


@some
@games
def test_s1_5_the_25_offering_cards_of_each_kind_are_a_real_limit(
    seed: int, seats: int, oracle: bool, demon: bool
) -> None:
    state = random_game(seed, seats, oracle=oracle, demon=demon)
    for kind, good in enumerate(GOODS):
        held = sum(held[kind] for held in state.held)
        assert state.stock[kind] >= 0
        assert state.stock[kind] + held + lying(state).count(good) == 25


def test_s1_6_stone_and_points_never_run_out() -> None:
    state = valued("s", ["s s s s s s s s s s s s", "s"], stone=[40, 40])
    assert state.stone == [53, 41]
    state = valued("p", ["p p p p p p p p p", ""], points=[28, 2])
    assert state.points == [38, 2]


def test_s1_7_the_demon_is_used_only_in_its_variant() -> None:
    state = position(hands=["p p p"] * 3)
    play(state, "pass, play priest")
    assert state.view(0)["demon"] == NOBODY
    assert moves(state) == ["take 0", "take 1", "take 2", "take 3"]
    assert state.view(0)["place"] == 0


# ---- §2 Setup


def test_s2_1_two_to_four_players() -> None:
    assert [bali(seats=seats).seats for seats in (2, 3, 4)] == [2, 3, 4]
    for seats in (1, 5):
        with pytest.raises(SetupError, match="2 to 4 players"):
            bali(seats=seats)


def test_s2_2_seat_0_begins() -> None:
    state = bali()
    assert (asked(state), state.turn) == ((0, "buy"), 0)


def test_s2_3_a_stonecutter_on_the_table_and_three_farmers_in_hand() -> None:
    state = bali(seats=2)
    assert state.tables == [counts("s"), counts("s")]
    assert state.hands == [counts("fn fb fp"), counts("fr fb fp")]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_s2_4_each_later_seat_has_one_stone_more(seats: int) -> None:
    state = bali(seats=seats)
    assert state.stone == [2, 3, 4, 5][:seats]
    assert state.points == [0] * seats
    assert (state.place, state.view(0)["top"]) == ([], "")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_s2_5_everybody_holds_one_card_of_each_kind(seats: int) -> None:
    state = bali(seats=seats)
    assert state.held == [[1, 1, 1, 1]] * seats
    assert state.stock == [25 - seats] * 4


def test_s2_6_sixteen_cards_are_displayed_and_34_are_left() -> None:
    state = bali()
    assert [len(row) for row in state.rows] == [4, 4, 4, 4]
    assert state.stack.size == 34


def test_s2_7_all_cards_of_a_row_can_be_read() -> None:
    view = bali().view(2)
    assert view["rows"][1] == ["altar", "farmer:peanut", "stonecutter", "priest"]


def test_s2_8_the_card_drawn_last_lies_at_the_bottom() -> None:
    state = play(bali(), "pass, play farmer peanut 1, take 2")
    assert state.hands[0] == counts("fb fp a")
    assert state.view(0)["rows"][2] == ["stonecutter", "farmer:banana", "priest"]


def test_s2_9_each_card_left_is_equally_likely() -> None:
    drawn: Counter[int] = Counter()
    for number in range(500):
        state: Any = WREDE.start(2, SeededChance(f"odds {number}"))
        drawn.update(card for row in state.rows for card in row)
    expected = [500 * 16 * copies / 50 for copies in (12, 9, 9, 5, 5, 5, 5)]
    chi_square = sum((drawn[card] - wanted) ** 2 / wanted for card, wanted in enumerate(expected))
    assert chi_square < 22.5  # 0.1 % for 6 degrees of freedom; the seeds are fixed
    assert bali("s p a s").dump() == bali("fr fr fr fr").dump()


def test_s2_9_the_same_cards_come_whoever_empties_a_row() -> None:
    def drawn(chooser: int) -> list[str]:
        state = play_out(WREDE.start(3, SeededChance("aligned")), chooser)
        return [card for event in told(state, "refill") for card in event["drawn"]]

    assert drawn(1) == drawn(2)
    assert len(drawn(1)) == 34


# ---- §3 The turn


def test_s3_1_the_phases_come_in_order_and_turns_go_clockwise() -> None:
    state = position(hands=["a p p", "s s s", "s s s"], stone=[7, 0, 0], rows=["s s", "p", "p", "p"])
    order = []
    for words in ("pass", "play altar", "offer rice", "offer rice", "offer rice", "add rice", "take 0"):
        order.append(asked(state))
        play(state, words)
    assert order == [
        (0, "buy"), (0, "play"), (1, "offer"), (2, "offer"), (0, "offer_down"), (0, "add"), (0, "take")
    ]  # fmt: skip
    assert told(state, "valuation")
    assert asked(state) == (1, "buy")


def test_s3_1_after_the_last_seat_comes_the_first() -> None:
    state = taking("p s", seat=2, turn=2, hands=["s s s", "s s s", "s s"])
    assert asked(play(state, "take 0")) == (0, "buy")


@some
@games
def test_s3_2_every_turn_starts_with_three_cards_in_hand(
    seed: int, seats: int, oracle: bool, demon: bool
) -> None:
    state: Any = WREDE.start(seats, QuickChance(seed), oracle=oracle, demon=demon)
    while state.seat != NOBODY:
        if state.decision == "buy":
            assert [sum(hand) for hand in state.hands] == [3] * seats
        state.play(QuickChance(seed + len(state.events)).rng.choice(state.moves()))


# ---- §4 Phase 1: buy an offering card


def test_s4_1_one_card_of_a_kind_of_his_choice() -> None:
    state = play(position(stone=[20, 0, 0]), "buy banana")
    assert (state.held[0], state.stock) == ([1, 1, 2, 1], [22, 22, 21, 22])
    assert asked(state) == (0, "play")


@pytest.mark.parametrize(("farmers", "price"), [(0, 5), (1, 4), (3, 2), (4, 1), (5, 0), (6, 0)])
def test_s4_2_the_price_is_5_less_one_for_each_farmer_on_the_table(farmers: int, price: int) -> None:
    tables = ["s fn fn" + " fr" * farmers, "s", "s"]
    state = position(stone=[9, 0, 0], tables=tables, hands=["fr fr fr", "", ""])
    assert play(state, "buy rice").stone[0] == 9 - price
    poor = position(stone=[price - 1, 0, 0], tables=tables)
    assert "buy rice" not in moves(poor) or price == 0


def test_s4_3_the_price_must_be_paid_in_full() -> None:
    assert moves(position(stone=[4, 0, 0])) == ["pass"]
    assert moves(position(stone=[5, 0, 0])) == [*(f"buy {good}" for good in GOODS), "pass"]
    assert moves(position(stone=[4, 0, 0], tables=["fb", "", ""])) == ["buy banana", "pass"]


def test_s4_4_a_kind_that_is_out_of_stock_cannot_be_chosen() -> None:
    assert moves(position(stone=[9, 0, 0], stock=[0, 3, 0, 1])) == ["buy peanut", "buy pepper", "pass"]


def test_s4_5_buying_may_leave_too_little_for_an_altar() -> None:
    state = play(position(stone=[8, 0, 0], hands=["a a p", "", ""]), "buy rice")
    assert moves(state) == ["play priest"]


# ---- §5 Phase 2a: play cards


def test_s5_1_one_stonecutter_or_priest_is_free() -> None:
    for card, place in (("stonecutter", 0), ("priest", 1)):
        state = play(position(hands=["s s p", "", ""], stone=[0, 0, 0]), f"pass, play {card}")
        assert (state.tables[0][place], sum(state.hands[0]), state.stone[0]) == (2 - place, 2, 0)


def test_s5_1_an_altar_costs_7_stone() -> None:
    state = position(hands=["a p s", "", ""], stone=[6, 0, 0])
    assert "play altar" not in moves(play(state, "pass"))
    state = play(position(hands=["a p s", "", ""], stone=[8, 0, 0]), "pass, play altar")
    assert (state.stone[0], state.tables[0], state.hands[0]) == (1, counts("s a"), counts("p s"))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_s5_1_up_to_three_farmers_of_one_kind_cost_0_1_or_2(number: int) -> None:
    state = position(hands=["fp fp fp", "", ""], stone=[2, 0, 0])
    play(state, f"pass, play farmer pepper {number}")
    assert (state.stone[0], state.tables[0][6], state.hands[0][6]) == (3 - number, number, 3 - number)
    poor = play(position(hands=["fp fp fp", "", ""], stone=[number - 1, 0, 0]), "pass")
    assert len(moves(poor)) == number


def test_s5_2_three_altars_and_too_little_stone_put_one_into_the_box() -> None:
    state = play(position(hands=["a a a", "", ""], stone=[6, 0, 0], rows=["s s", "p", "p", "p"]), "pass")
    assert moves(state) == ["discard altar"]
    play(state, "discard altar")
    assert (state.hands[0], state.tables[0], state.stone[0]) == (counts("a a"), counts("s"), 6)
    assert state.view(1)["box"] == {"altar": 1, "oracle": 0}
    assert (asked(state), state.place) == ((0, "take"), [])
    assert asked(play(state, "take 0")) == (1, "buy")


def test_s5_3_otherwise_an_altar_is_never_thrown_away() -> None:
    assert moves(play(position(hands=["a a a", "", ""], stone=[7, 0, 0]), "pass")) == ["play altar"]
    state = position(hands=["a a fr", "", ""], stone=[0, 0, 0])
    assert moves(play(state, "pass")) == ["play farmer rice 1"]


# ---- §6 Phase 2b: the offering


def test_s6_1_from_the_left_each_other_lays_one_card_open() -> None:
    state = altar()
    assert asked(state) == (2, "offer")
    assert asked(play(state, "offer banana")) == (0, "offer")
    assert state.view(0)["top"] == "banana"
    play(state, "offer rice")
    assert state.held == [[0, 1, 1, 1], [1, 1, 1, 1], [1, 1, 0, 1]]
    assert state.laid == [(2, False, 2), (0, False, 0)]


def test_s6_2_then_the_active_player_lays_one_face_down() -> None:
    state = play(altar(), "offer banana, offer rice")
    assert asked(state) == (1, "offer_down")
    play(state, "offer pepper")
    assert (state.laid[-1], state.held[1], state.view(0)["top"]) == ((1, True, 3), [1, 1, 1, 0], "down")


def test_s6_3_then_he_adds_a_card_from_the_stock_openly() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper, add peanut")
    assert (state.laid[-1], state.stock, state.view(0)["top"]) == ((-1, False, 1), [22, 21, 22, 22], "peanut")
    assert asked(state) == (1, "take")


def test_s6_4_each_card_goes_on_top_and_only_the_top_is_visible() -> None:
    state = play(altar(), "offer banana, offer rice, offer pepper, add peanut")
    assert lying(state) == ["banana", "rice", "pepper", "peanut"]
    assert (state.view(0)["place"], state.view(0)["top"]) == (4, "peanut")


def test_s6_5_who_holds_nothing_lays_nothing() -> None:
    state = altar(held=[[1, 1, 1, 1], [1, 1, 1, 1], EMPTY])
    assert asked(state) == (0, "offer")
    play(state, "offer rice, offer rice")
    assert (lying(state), state.stock) == (["rice", "rice"], [22, 22, 22, 22])


def test_s6_6_an_active_player_without_cards_still_adds_one() -> None:
    state = play(altar(held=[[1, 1, 1, 1], EMPTY, [1, 1, 1, 1]]), "offer rice, offer rice")
    assert asked(state) == (1, "add")
    state = play(altar(stock=EMPTY), "offer rice, offer rice, offer rice")
    assert asked(state) == (1, "take")
    assert asked(altar(held=[EMPTY] * 3, stock=EMPTY)) == (1, "take")


# ---- §7 Phase 3: take cards


@pytest.mark.parametrize("played", [1, 2, 3])
def test_s7_1_he_takes_as_many_as_left_his_hand(played: int) -> None:
    state = position(hands=["fr fr fr", "s s s", "s s s"], stone=[2, 0, 0])
    play(state, f"pass, play farmer rice {played}")
    for _ in range(played):
        assert asked(state) == (0, "take")
        play(state, "take 0")
    assert sum(state.hands[0]) == 3
    assert state.decision != "take"


def test_s7_2_only_the_bottom_card_of_any_row() -> None:
    state = position(hands=["fr fr fr", "", ""], stone=[2, 0, 0])
    play(state, "pass, play farmer rice 3, take 0, take 0, take 2")
    assert state.hands[0] == counts("s a a")
    assert state.view(0)["rows"][0] == ["priest", "farmer:rice"]


def test_s7_3_an_empty_row_is_filled_at_once_and_may_be_used() -> None:
    state = position("p a fr fn", hands=["fr fr fr", "", ""], stone=[2, 0, 0], rows=["s", *ROWS[1:]])
    play(state, "pass, play farmer rice 2, take 0")
    assert state.view(0)["rows"][0] == ["priest", "altar", "farmer:rice", "farmer:peanut"]
    assert (asked(state), state.stack.size) == ((0, "take"), 30)
    assert play(state, "take 0").hands[0] == counts("fr s fn")


# ---- §8 Phase 4: valuation


def test_s8_1_the_card_under_the_last_one_taken_is_valued_and_stays() -> None:
    state = taking("a s", hands=["p", "s s s", "s s s"])
    play(state, "take 0, take 1")
    assert [(event["row"], event["card"]) for event in told(state, "valuation")] == [(1, "stonecutter")]
    assert state.view(0)["rows"][1][-1] == "stonecutter"
    assert state.points == [0, 0, 0]


def test_s8_1_after_a_refill_the_new_bottom_card_counts() -> None:
    state = play(taking("s", "s s s p"), "take 0")
    assert told(state, "valuation") == [{"event": "valuation", "row": 0, "card": "priest"}]


def test_s8_2_a_sole_majority_needs_more_than_all_others_and_at_least_2() -> None:
    assert valued("p", ["p p", "p", ""]).points == [3, 1, 0]
    assert valued("p", ["p p", "p p", ""]).points == [2, 2, 0]
    assert valued("p", ["p", "", ""]).points == [1, 0, 0]
    assert valued("p", ["p", "p p p", "p p"]).points == [1, 4, 2]


def test_s8_3_stonecutters_bring_stone() -> None:
    state = valued("s", ["s s s", "s", "s s"])
    assert (state.stone, state.points) == ([4, 1, 2], [0, 0, 0])


def test_s8_4_priests_bring_points() -> None:
    state = valued("p", ["p p", "s", "p"])
    assert (state.points, state.stone) == ([3, 0, 1], [0, 0, 0])


def test_s8_5_altars_bring_points_or_stone_but_no_mixture() -> None:
    state = valued("a", ["a a", "a", ""])
    assert moves(state) == ["reward stone", "reward point"]
    play(state, "reward stone, reward point")
    assert (state.stone, state.points) == ([3, 0, 0], [0, 1, 0])


def test_s8_6_the_active_player_chooses_first_then_clockwise() -> None:
    state = taking("a s", tables=["a", "a", "a"], seat=1, turn=1, hands=["s s s", "s s", "s s s"])
    play(state, "take 0")
    order = []
    while state.decision == "reward":
        order.append(state.seat)
        play(state, "reward point")
    assert order == [1, 2, 0]
    assert asked(state) == (2, "buy")


def test_s8_7_one_card_for_any_number_of_farmers_and_one_more_for_a_sole_majority() -> None:
    assert valued("fn", ["fn fn fn", "fn", "fr fr"]).held == [[1, 3, 1, 1], [1, 2, 1, 1], [1, 1, 1, 1]]
    assert valued("fn", ["fn fn fn", "fn fn fn", ""]).held == [[1, 2, 1, 1], [1, 2, 1, 1], [1, 1, 1, 1]]
    assert valued("fn", ["fn", "", ""]).held[0] == [1, 2, 1, 1]


def test_s8_8_the_active_player_gets_his_cards_first() -> None:
    state = taking(
        "fr s", tables=["fr", "fr", "fr"], seat=1, turn=1, hands=["", "s s", ""], stock=[2, 0, 0, 0]
    )
    assert play(state, "take 0").held == [[1, 1, 1, 1], [2, 1, 1, 1], [2, 1, 1, 1]]


def test_s8_9_a_player_gets_all_his_cards_before_the_next() -> None:
    state = valued("fr", ["fr fr", "fr", ""], stock=[2, 0, 0, 0])
    assert state.held == [[3, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    assert asked(state) == (1, "buy")


def test_s8_10_if_the_kind_is_out_he_may_take_another() -> None:
    state = valued("fr", ["fr", "fr fr", ""], stock=[1, 3, 0, 1])
    assert (state.held[0], asked(state)) == ([2, 1, 1, 1], (1, "gain"))
    play(state, "gain pepper")
    assert (state.held[1], state.stock) == ([1, 1, 1, 2], [0, 3, 0, 0])


def test_s8_11_he_may_take_none_also_for_the_extra_card() -> None:
    state = valued("fr", ["fr fr", "fr", ""], stock=[1, 2, 0, 0])
    assert (asked(state), state.due) == ((0, "gain"), 1)
    assert asked(play(state, "pass")) == (1, "gain")
    assert asked(play(state, "gain peanut")) == (1, "buy")
    assert state.held == [[2, 1, 1, 1], [1, 2, 1, 1], [1, 1, 1, 1]]
    assert asked(valued("fr", ["fr fr", "fr", ""], stock=EMPTY)) == (1, "buy")


def test_s8_11_the_last_card_of_all_stocks_goes_to_the_first() -> None:
    state = valued("fr", ["fr fr", "fr", ""], stock=[0, 1, 0, 0])
    assert asked(play(state, "gain peanut")) == (1, "buy")


# ---- §9 End, scoring, winner


def test_s9_1_the_game_ends_the_moment_the_stack_is_empty() -> None:
    state = scored("rice", tables=["p p", "p"], hands=["p", "s s s"])
    assert (state.seat, state.moves(), state.points) == (NOBODY, [], [0, 0])
    assert told(state, "valuation") == []


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4))
def test_s9_2_the_ninth_refill_finds_two_cards_and_no_further_card_is_taken(seed: int, seats: int) -> None:
    state = random_game(seed, seats)
    refills = told(state, "refill")
    assert [len(event["drawn"]) for event in refills] == [4] * 8 + [2]
    assert [event.name for event in state.events[-2:]] == ["refill", "end"]
    assert state.view(0)["rows"][refills[-1]["row"]] == refills[-1]["drawn"]


@some
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4))
def test_s9_3_it_comes_with_the_36th_to_45th_card_taken(seed: int, seats: int) -> None:
    taken = [event for event in told(random_game(seed, seats), "move") if event["decision"] == "take"]
    assert 36 <= len(taken) <= 45


def test_s9_4_the_most_offered_kind_is_worth_3_then_2_1_0() -> None:
    state = scored("rice banana:down rice pepper banana rice rice pepper banana peanut")
    assert state.values() == [3, 0, 2, 1]


@pytest.mark.parametrize(
    ("place", "values"),
    [
        ("rice rice rice peanut peanut banana banana pepper", [3, 2, 2, 1]),
        ("rice rice peanut peanut banana pepper", [3, 3, 2, 2]),
        ("rice rice peanut banana pepper", [3, 2, 2, 2]),
        ("rice rice peanut peanut banana banana pepper", [3, 3, 3, 2]),
        ("rice rice rice peanut peanut peanut banana banana pepper", [3, 3, 2, 1]),
        ("rice peanut banana pepper", [3, 3, 3, 3]),
    ],
)
def test_s9_5_equal_counts_are_worth_the_same_and_no_value_is_skipped(place: str, values: list[int]) -> None:
    assert scored(place).values() == values


def test_s9_6_a_kind_that_was_not_offered_is_worth_nothing() -> None:
    assert scored("rice rice banana").values() == [3, 0, 2, 0]
    assert scored("").values() == [0, 0, 0, 0]


@settings(max_examples=50)
@given(numbers=st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_s9_7_three_less_the_number_of_different_higher_counts(numbers: list[int]) -> None:
    place = " ".join(f"{good} " * number for good, number in zip(GOODS, numbers, strict=True))
    falling = sorted(set(numbers), reverse=True)
    expected = [3 - falling.index(number) if number else 0 for number in numbers]
    assert scored(place).values() == expected


def test_s9_8_points_altars_stone_and_held_cards() -> None:
    state = scored(
        "rice rice banana",
        points=[10, 0],
        tables=["a a s p", "s"],
        stone=[14, 4],
        held=[[2, 5, 1, 0], [0, 3, 0, 3]],
    )
    assert state.outcome().scores == (10 + 2 * 4 + 2 + 2 * 3 + 1 * 2, 0)


def test_s9_9_cards_in_hand_and_box_score_nothing() -> None:
    state = scored("", hands=["a a", "a a a"], box=[3, 0])
    assert state.outcome().scores == (0, 0)


def test_s9_10_altars_then_stone_break_a_tie() -> None:
    state = scored("", points=[4, 0], tables=["s", "a"], stone=[4, 0])
    assert (state.outcome().scores, state.outcome().ranks) == ((4, 4), (2, 1))
    state = scored("", points=[1, 1], stone=[3, 2])
    assert (state.outcome().scores, state.outcome().ranks) == ((1, 1), (1, 2))
    assert scored("", points=[1, 1], stone=[3, 3]).outcome().ranks == (1, 1)


def test_s9_11_equal_players_share_a_place_and_the_next_is_skipped() -> None:
    assert scored("", seats=3, points=[5, 5, 3]).outcome().ranks == (1, 1, 3)
    assert scored("", seats=4, points=[5, 2, 9, 2]).outcome().ranks == (2, 3, 1, 3)


def test_s9_12_the_ending_is_named() -> None:
    assert scored("").outcome().ending == "stack_empty"
