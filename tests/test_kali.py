"""Die Augen der Kali, point by point of its rulebook."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.catalogue import find_game
from dalang.engine.chance import QuickChance, ScriptedChance, SeededChance
from dalang.engine.game import NOBODY, SetupError
from dalang.engine.games.kali.state import price_of
from dalang.engine.record import seen
from tests.playing import play_out
from tests.rulebook import invented, points, untested

KALI = find_game("kali")
FIELDS = [1, 1, 1, 1, 2, 2, 3, 3, 5, 5, 6, 7, 10, 10, 11, 15, 15, 20]


def kali(cards: str = "", seats: int = 3, **options: Any) -> Any:
    """A game in which these cards will come."""
    return KALI.start(seats, ScriptedChance(cards.split()), **options)


def position(cards: str = "", seats: int = 3, decision: str = "go_on", **changes: Any) -> Any:
    """A prepared game, by default after a footprint card of seat 0; the temple keeps the books."""
    options = changes.pop("options", {})
    dump = kali(seats=seats, **options).dump() | {"decision": decision, **changes}
    dump["temple"] = changes.get("temple", 350 - sum(dump["wealth"]) - dump["loot"])
    return KALI.load(dump, ScriptedChance(cards.split()))


def play(state: Any, words: str) -> Any:
    for word in words.split():
        state.play((word,))
    return state


def asked(state: Any) -> tuple[int, str]:
    return state.seat, state.decision


def told(state: Any, name: str) -> list[dict[str, Any]]:
    return [event.full for event in state.events if event.name == name]


def test_every_point_of_the_rulebook_is_tested() -> None:
    assert len(points(KALI)) > 80
    assert untested(KALI, __file__) == []
    assert invented(KALI, __file__) == []


# ---- §1 Components


def test_s1_1_the_path_has_18_fields_and_kali_two_eyes() -> None:
    assert len(KALI.options["fields"].default) == 18
    state = play(kali("step4 step4 step4 step4 step1 fright fright", seats=2), "draw draw draw draw draw")
    assert (state.field, asked(state)) == (18, (0, "go_on"))
    play(state, "draw")
    assert state.view(0)["frights"] == 1
    play(state, "draw")
    assert (state.frights, state.ending) == (2, "kali_wakes")


def test_s1_2_the_gems_are_worth_350_together() -> None:
    state = kali()
    assert 50 * 1 + 20 * 5 + 20 * 10 == 350 == sum(state.wealth) + state.temple


@given(seed=st.integers())
def test_s1_3_wealth_loot_and_temple_are_whole_numbers(seed: int) -> None:
    state: Any = play_out(KALI.start(4, QuickChance(seed)), seed)
    assert all(type(value) is int for value in [*state.wealth, state.loot, state.temple])


def test_s1_4_there_are_38_footprint_cards() -> None:
    deck = kali().view(0)["deck"]
    assert [deck[f"step{steps}"] for steps in (1, 2, 3, 4)] == [16, 12, 6, 4]


def test_s1_5_there_are_12_noises_and_2_frights_in_52_cards() -> None:
    deck = kali().view(0)["deck"]
    assert (deck["noise"], deck["fright"], sum(deck.values())) == (12, 2, 52)


def test_s1_6_the_fields_rise_towards_kali() -> None:
    assert sorted(KALI.options["fields"].default) == KALI.options["fields"].default
    assert min(KALI.options["fields"].default) >= 1


def test_s1_7_the_values_of_the_fields() -> None:
    assert KALI.options["fields"].default == FIELDS
    assert {price_of(loot) for loot in range(sum(FIELDS))} == {1, 10, 20, 40}


# ---- §2 Setup


def test_s2_1_two_to_six_players() -> None:
    for seats in range(2, 7):
        assert kali(seats=seats).seats == seats
    for seats in (0, 1, 7):
        with pytest.raises(SetupError, match="2 to 6 players"):
            kali(seats=seats)


def test_s2_2_seat_0_begins() -> None:
    assert asked(kali()) == (0, "first_card")


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_s2_3_everybody_gets_40_and_the_temple_the_rest(seats: int) -> None:
    state = kali(seats=seats)
    assert (state.wealth, state.temple) == ([40] * seats, 350 - 40 * seats)


def test_s2_4_the_slave_stands_on_field_1_and_kali_sleeps() -> None:
    state = kali()
    assert (state.field, state.loot, state.frights) == (1, 0, 0)


def test_s2_5_the_deck_is_never_reshuffled() -> None:
    state = play(kali("noise step1 noise"), "draw draw draw")
    assert state.deck.named() == {
        "step1": 15, "step2": 12, "step3": 6, "step4": 4, "noise": 10, "fright": 2,
    }  # fmt: skip


def test_s2_6_each_card_left_is_equally_likely() -> None:
    drawn: Counter[str] = Counter()
    for number in range(5200):
        state: Any = KALI.start(2, SeededChance(f"odds {number}"))
        state.play(("draw",))
        drawn[state.turned[0]] += 1
    expected = {"step1": 1600, "step2": 1200, "step3": 600, "step4": 400, "noise": 1200, "fright": 200}
    chi_square = sum((drawn[card] - wanted) ** 2 / wanted for card, wanted in expected.items())
    assert chi_square < 20.5  # 0.1 % for 5 degrees of freedom; the seeds are fixed


@given(seed=st.integers(), seats=st.integers(2, 6))
def test_s2_7_gems_only_change_place(seed: int, seats: int) -> None:
    state: Any = play_out(KALI.start(seats, QuickChance(seed)), seed)
    assert sum(state.wealth) + state.loot + state.temple == 350


# ---- §3 The turn


def test_s3_1_turns_go_clockwise_and_start_afresh() -> None:
    state = kali("noise noise noise")
    for seat in (0, 1, 2):
        assert (state.owner, state.acting, state.field, state.loot) == (seat, seat, 1, 0)
        play(state, "draw")
    assert asked(state) == (0, "first_card")


def test_s3_2_a_card_is_laid_open_and_obeyed() -> None:
    state = play(kali("step2"), "draw")
    assert (state.turned, state.turned_by, state.field) == (["step2"], [0], 3)


def test_s3_3_the_first_card_is_compulsory() -> None:
    assert kali().moves() == [("draw",)]


def test_s3_4_after_each_footprint_card_there_is_a_choice() -> None:
    state = kali("step1 step1 step1")
    for _ in range(3):
        play(state, "draw")
        assert asked(state) == (0, "go_on")
        assert state.moves() == [("draw",), ("stop",)]


@pytest.mark.parametrize("card", ["noise", "fright"])
def test_s3_5_noise_and_first_fright_end_the_turn_at_once(card: str) -> None:
    assert asked(play(kali(f"step1 {card}"), "draw draw")) == (1, "first_card")


def test_s3_6_turned_cards_stay_out() -> None:
    state = play(kali("step4 noise"), "draw draw")
    assert (state.deck.counts[3], state.deck.size) == (3, 50)


# ---- §4 Footprint cards


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_s4_1_the_slave_moves_exactly_the_number_shown(steps: int) -> None:
    assert play(kali(f"step{steps}"), "draw").field == 1 + steps


def test_s4_2_the_gems_of_the_field_move_from_temple_to_loot() -> None:
    state = play(position("step1", field=8), "draw")
    assert (state.field, state.loot, state.temple) == (9, 5, 225)


def test_s4_3_passed_fields_and_field_1_yield_nothing() -> None:
    state = play(position("step4", field=9), "draw")
    assert state.loot == FIELDS[12]
    fields = [99] + [1] * 17
    state = play(kali("step1 noise step1", fields=fields), "draw draw draw")
    assert state.loot == 1


def test_s4_4_field_18_is_an_ordinary_field() -> None:
    state = play(position("step2", field=16), "draw")
    assert (state.field, state.loot, asked(state)) == (18, 20, (0, "go_on"))


def test_s4_5_after_the_first_fright_a_field_yields_twice() -> None:
    assert play(position("step1", field=8, frights=1), "draw").loot == 10


def test_s4_6_a_poor_temple_gives_all_it_holds() -> None:
    state = play(position("step1", field=17, temple=7, wealth=[143, 100, 100]), "draw")
    assert (state.loot, state.temple) == (7, 0)
    assert asked(state) == (0, "go_on")


# ---- §5 Stopping


def test_s5_1_stop_is_legal_after_any_footprint_card() -> None:
    state = play(kali("step1 step2"), "draw")
    assert ("stop",) in state.moves()
    assert ("stop",) in play(state, "draw").moves()


def test_s5_2_if_nobody_takes_over_the_loot_is_pocketed() -> None:
    state = play(position(field=9, loot=12), "stop decline decline")
    assert (state.wealth, state.loot) == ([52, 40, 40], 0)


def test_s5_3_then_the_slave_returns_and_the_next_turn_begins() -> None:
    state = play(position(field=9, loot=12), "stop decline decline")
    assert (state.field, asked(state)) == (1, (1, "first_card"))


@pytest.mark.parametrize(("option", "next_seat"), [("original", 1), ("taker", 0)])
def test_s5_4_after_a_takeover_it_is_left_of_the_turn_owner(option: str, next_seat: int) -> None:
    state = position("step1", field=9, loot=5, options={"after_takeover": option})
    play(state, "stop decline take_over draw stop decline decline")
    assert asked(state) == (next_seat, "first_card")
    state = position("noise", field=9, loot=5, options={"after_takeover": option})
    assert asked(play(state, "stop decline take_over draw")) == (next_seat, "first_card")


# ---- §6 Noise


def test_s6_1_the_slave_flees_and_the_loot_returns_to_the_temple() -> None:
    state = play(position("noise", field=9, loot=30), "draw")
    assert (state.field, state.loot, state.temple) == (1, 0, 240)


@pytest.mark.parametrize(("frights", "left"), [(0, 75), (1, 50)])
def test_s6_2_the_fine_is_a_quarter_and_after_the_first_fright_half(frights: int, left: int) -> None:
    assert play(position("noise", wealth=[100, 40, 40], frights=frights), "draw").wealth[0] == left


def test_s6_3_the_first_40_count_and_the_loot_does_not() -> None:
    assert play(position("noise", field=9, loot=30), "draw").wealth[0] == 30


@pytest.mark.parametrize(("rounding", "fine"), [("down", 10), ("up", 11)])
def test_s6_4_the_fine_is_rounded_down_unless_the_option_says_up(rounding: str, fine: int) -> None:
    for wealth in (41, 42, 43):
        state = position("noise", wealth=[wealth, 40, 40], options={"fine_rounding": rounding})
        assert play(state, "draw").wealth[0] == wealth - fine


def test_s6_5_the_fine_is_due_on_the_first_card_too() -> None:
    assert play(kali("noise"), "draw").wealth == [30, 40, 40]


def test_s6_6_after_a_noise_nobody_can_take_over() -> None:
    assert asked(play(position("noise", field=9, loot=30), "draw")) == (1, "first_card")


# ---- §7 Fright


def test_s7_1_a_fright_removes_an_eye_card() -> None:
    assert play(kali("fright"), "draw").view(1)["frights"] == 1


def test_s7_2_the_first_fright_is_a_noise_that_costs_half() -> None:
    state = play(position("fright", field=9, loot=30), "draw")
    assert (state.wealth[0], state.loot, state.field, asked(state)) == (20, 0, 1, (1, "first_card"))


def test_s7_3_from_then_on_yields_double_and_noises_cost_half() -> None:
    state = play(kali("fright step4 noise"), "draw draw")
    assert state.loot == 2 * FIELDS[4]
    assert play(state, "draw").wealth[1] == 20


def test_s7_4_the_loot_on_the_board_is_already_doubled() -> None:
    state = play(position("step1", field=16, frights=1), "draw")
    assert (state.loot, state.temple) == (30, 200)
    assert play(state, "stop decline decline").wealth[0] == 70


def test_s7_5_prices_and_the_rest_of_the_temple_are_not_doubled() -> None:
    assert play(position(loot=30, frights=1), "stop").price == 20
    state = play(position("step4", field=17, loot=30, frights=1), "draw")
    assert state.wealth[0] == 40 + 30 + 200


def test_s7_6_single_and_doubled_gems_never_mix() -> None:
    state = play(position("fright step1", field=12, loot=14), "draw draw")
    assert state.loot == 2 * FIELDS[1]


def test_s7_7_the_second_fright_ends_the_game() -> None:
    state = play(kali("fright fright"), "draw draw")
    assert (state.seat, state.moves()) == (NOBODY, [])


# ---- §8 Takeover


def test_s8_1_after_a_stop_another_may_take_over() -> None:
    state = play(position(loot=5), "stop")
    assert asked(state) == (1, "takeover")
    assert state.loot == 5
    assert state.wealth[0] == 40


@pytest.mark.parametrize(
    ("loot", "price"), [(0, 1), (9, 1), (10, 10), (19, 10), (21, 20), (39, 20), (41, 40), (300, 40)]
)
def test_s8_2_the_price_depends_on_the_loot(loot: int, price: int) -> None:
    assert price_of(loot) == price


def test_s8_3_a_border_belongs_to_the_lower_band() -> None:
    assert (price_of(20), price_of(40)) == (10, 20)


def test_s8_4_the_taker_pays_the_one_who_stopped() -> None:
    assert play(position(loot=25), "stop take_over").wealth == [60, 20, 40]


def test_s8_5_the_price_comes_from_wealth_alone() -> None:
    state = play(position(loot=41, wealth=[40, 39, 40]), "stop")
    assert asked(state) == (2, "takeover")


def test_s8_6_the_one_who_stopped_cannot_refuse() -> None:
    assert asked(play(position(loot=25), "stop take_over")) == (1, "first_card")


def test_s8_7_the_others_are_asked_clockwise_and_the_first_taker_settles_it() -> None:
    state = position(seats=4, seat=1, owner=1, acting=1, loot=5)
    play(state, "stop")
    order = []
    for _ in range(3):
        order.append(asked(state))
        play(state, "decline")
    assert order == [(2, "takeover"), (3, "takeover"), (0, "takeover")]
    state = position(seats=4, seat=1, owner=1, acting=1, loot=5)
    assert asked(play(state, "stop decline take_over")) == (3, "first_card")


def test_s8_8_who_cannot_pay_is_not_asked() -> None:
    state = play(position(loot=5, wealth=[40, 0, 0]), "stop")
    assert (asked(state), state.wealth[0]) == ((1, "first_card"), 45)


def test_s8_9_slave_and_loot_stay_and_the_taker_must_turn_a_card() -> None:
    state = play(position(field=9, loot=25), "stop take_over")
    assert (state.field, state.loot, state.acting, state.owner) == (9, 25, 1, 0)
    assert state.moves() == [("draw",)]


def test_s8_10_a_taker_may_be_taken_over_also_by_the_former_player() -> None:
    state = play(position("step1", field=9, loot=25), "stop take_over draw stop decline")
    assert asked(state) == (0, "takeover")
    play(state, "take_over")
    assert (asked(state), state.wealth) == ((0, "first_card"), [40, 40, 40])


def test_s8_11_fines_and_loot_concern_the_taker_alone() -> None:
    state = play(position("noise", field=9, loot=25), "stop take_over draw")
    assert state.wealth == [60, 15, 40]
    state = play(position("step1", field=9, loot=25), "stop take_over draw stop decline decline")
    assert state.wealth == [60, 20 + 25 + 5, 40]
    state = play(position("fright", field=9, loot=25, frights=1), "stop take_over draw")
    assert state.wealth == [60, 0, 40]


# ---- §9 End of the game


@given(seed=st.integers(), seats=st.integers(2, 6))
def test_s9_1_the_game_always_ends_in_one_of_two_ways(seed: int, seats: int) -> None:
    state: Any = play_out(KALI.start(seats, QuickChance(seed)), seed)
    assert (state.frights == 2) == (state.ending == "kali_wakes")
    assert (state.field > 18) == (state.ending == "kali_reached")


def test_s9_2_who_turns_the_second_fright_loses_all() -> None:
    assert play(position("fright", frights=1), "draw").wealth == [0, 40, 40]


def test_s9_3_wealth_and_loot_go_to_the_temple() -> None:
    state = play(position("fright", frights=1, loot=30), "draw")
    assert (state.temple, state.loot) == (270, 0)


@pytest.mark.parametrize("card", ["step1", "step4"])
def test_s9_4_past_field_18_he_gets_all_that_is_left_in_the_temple(card: str) -> None:
    state = play(position(card, field=18), "draw")
    assert (state.wealth, state.temple, state.ending) == ([270, 40, 40], 0, "kali_reached")


def test_s9_5_and_keeps_the_loot_without_a_takeover() -> None:
    state = play(position("step1", field=18, loot=30), "draw")
    assert (state.wealth, state.loot, state.seat) == ([270, 40, 40], 0, NOBODY)


# ---- §10 Winner


def test_s10_1_the_richest_wins() -> None:
    state = play(position("step1", field=18, wealth=[30, 20, 10]), "draw")
    assert state.outcome() == ((320, 20, 10), (1, 2, 3), "kali_reached")


def test_s10_2_who_woke_kali_is_last_even_among_paupers() -> None:
    state = play(position("fright", frights=1, wealth=[300, 0, 0]), "draw")
    assert state.outcome() == ((0, 0, 0), (3, 1, 1), "kali_wakes")


def test_s10_3_to_reach_kali_is_no_victory_in_itself() -> None:
    state = play(position("step1", field=18, wealth=[0, 345, 0], temple=5), "draw")
    assert state.outcome().ranks == (2, 1, 3)


def test_s10_4_equal_wealth_shares_the_place_and_skips_the_next() -> None:
    state = play(position("fright", seats=4, frights=1, wealth=[40, 50, 50, 10]), "draw")
    assert state.outcome().ranks == (4, 1, 1, 3)


def test_s10_5_the_result_names_its_ending() -> None:
    assert play(position("fright", frights=1), "draw").outcome().ending == "kali_wakes"
    assert play(position("step1", field=18), "draw").outcome().ending == "kali_reached"


# ---- Decisions


def test_d1_first_card_has_one_move() -> None:
    assert kali().moves() == [("draw",)]
    assert play(position(loot=5), "stop take_over").moves() == [("draw",)]


def test_d2_go_on_has_two() -> None:
    assert position().moves() == [("draw",), ("stop",)]


def test_d3_takeover_has_two() -> None:
    assert play(position(loot=5), "stop").moves() == [("take_over",), ("decline",)]


def test_d4_stopping_with_no_loot_costs_the_taker_1() -> None:
    state = play(position(loot=0), "stop take_over")
    assert state.wealth == [41, 39, 40]


def test_d5_the_price_is_the_same_for_all_who_are_asked() -> None:
    state = play(position(loot=25), "stop")
    assert state.view(2)["price"] == 20
    assert play(state, "decline").view(2)["price"] == 20


@given(seed=st.integers(), seats=st.integers(2, 6))
def test_d6_at_most_52_draws_and_38_stops(seed: int, seats: int) -> None:
    moves = [event["move"][0] for event in told(play_out(KALI.start(seats, QuickChance(seed)), seed), "move")]
    assert moves.count("draw") <= 52
    assert moves.count("stop") <= 38


# ---- Who sees what


def test_v1_turned_cards_are_seen_in_order_with_who_turned_them() -> None:
    view = play(kali("step1 noise step2"), "draw draw draw").view(2)
    assert (view["turned"], view["turned_by"]) == (["step1", "noise", "step2"], [0, 0, 1])
    assert sum(view["deck"].values()) == 49


def test_v2_the_board_is_seen_by_all() -> None:
    state = play(position(field=9, loot=25, frights=1), "stop")
    for seat in range(3):
        board = {name: state.view(seat)[name] for name in ("field", "loot", "temple", "frights", "price")}
        assert board == {"field": 9, "loot": 25, "temple": 205, "frights": 1, "price": 20}
        assert (state.view(seat)["owner"], state.view(seat)["acting"]) == (0, 0)


def test_v3_wealth_is_public() -> None:
    state = position(wealth=[10, 20, 30])
    assert all(state.view(seat)["wealth"] == [10, 20, 30] for seat in range(3))


def test_v4_the_deck_has_no_order_to_see() -> None:
    state = kali("step1 step2")
    assert state.view(0) == kali("fright noise").view(0)
    assert state.dump() == kali("fright noise").dump()


def test_v5_all_see_who_is_asked_what() -> None:
    state = play(position(loot=5), "stop")
    assert all((view["asked"], view["decision"]) == (1, "takeover") for view in map(state.view, range(3)))


def test_v6_a_turned_card_is_told() -> None:
    assert told(play(kali("step3"), "draw"), "card") == [{"event": "card", "seat": 0, "drawn": ["step3"]}]


def test_v7_the_slaves_walk_is_told() -> None:
    state = play(position("step1", field=8), "draw")
    assert told(state, "step") == [{"event": "step", "seat": 0, "from": 8, "to": 9, "gems": 5}]


def test_v8_flight_and_fine_are_told() -> None:
    state = play(position("noise fright", field=9, loot=12), "draw draw")
    assert told(state, "flight") == [
        {"event": "flight", "seat": 0, "loot": 12, "fine": 10, "frights": 0},
        {"event": "flight", "seat": 1, "loot": 0, "fine": 20, "frights": 1},
    ]


def test_v9_draw_and_stop_are_told() -> None:
    state = play(kali("step1"), "draw stop")
    assert [(event["decision"], event["move"]) for event in told(state, "move")] == [
        ("first_card", ["draw"]),
        ("go_on", ["stop"]),
    ]


def test_v10_takeover_answers_are_told() -> None:
    state = play(position(loot=5), "stop decline take_over")
    assert [(event["seat"], event["move"]) for event in told(state, "move")][1:] == [
        (1, ["decline"]),
        (2, ["take_over"]),
    ]


def test_v11_the_price_is_told() -> None:
    state = play(position(loot=25), "stop take_over")
    assert told(state, "takeover") == [{"event": "takeover", "price": 20, "from": 1, "to": 0}]


def test_v12_pocketed_loot_is_told() -> None:
    state = play(position(loot=5), "stop decline decline")
    assert told(state, "pocket") == [{"event": "pocket", "seat": 0, "gems": 5}]


def test_v13_the_end_is_told() -> None:
    state = play(position("fright", frights=1), "draw")
    assert told(state, "end") == [
        {"event": "end", "ending": "kali_wakes", "seat": 0, "scores": [0, 40, 40], "ranks": [3, 1, 1]}
    ]
    assert seen(state.events, 0) == seen(state.events, 2) == [event.full for event in state.events]


def test_v14_the_chance_of_every_card_follows_from_the_view() -> None:
    view = play(kali("step1 noise"), "draw draw").view(1)
    assert view["deck"]["noise"] / sum(view["deck"].values()) == 11 / 50


# ---- Worked examples


def test_e1_loot_below_10_costs_1() -> None:
    assert {price_of(loot) for loot in range(10)} == {1}


def test_e2_loot_between_10_and_20_costs_10() -> None:
    assert {price_of(loot) for loot in range(11, 20)} == {10}


def test_e3_loot_between_20_and_40_costs_20() -> None:
    assert {price_of(loot) for loot in range(21, 40)} == {20}


def test_e4_loot_above_40_costs_40() -> None:
    assert {price_of(loot) for loot in range(41, 350)} == {40}


def test_e5_a_noise_takes_10_of_40() -> None:
    assert play(kali("noise"), "draw").wealth[0] == 30


def test_e6_the_first_fright_takes_20_of_40() -> None:
    assert play(kali("fright"), "draw").wealth[0] == 20


def test_e7_a_noise_after_the_first_fright_takes_20_of_40() -> None:
    assert play(kali("fright noise"), "draw draw").wealth[1] == 20


# ---- Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fields": [1] * 17}, "fields must be 18 whole numbers, each at least 1"),
        ({"fields": [0] * 18}, "18 whole numbers, each at least 1"),
        ({"fields": [True] * 18}, "18 whole numbers"),
        ({"fields": "many"}, "18 whole numbers"),
        ({"fine_rounding": "sideways"}, "fine_rounding must be down or up, not 'sideways'"),
        ({"after_takeover": 1}, "after_takeover must be original or taker"),
        ({"field": 1}, "no kali option 'field'; did you mean 'fields'? choose from: fields, fine_rounding"),
    ],
)
def test_bad_options_are_refused_with_the_valid_choices(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=re.escape(message)):
        kali(**options)


def test_options_are_in_the_view_only_where_they_differ() -> None:
    assert kali().view(0)["options"] == {}
    assert kali(fine_rounding="up").view(0)["options"] == {"fine_rounding": "up"}
