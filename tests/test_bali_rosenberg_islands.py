"""Bali (Rosenberg 2001), point by point: §8 to §12, from the contest to the end, and the worked examples."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, SetupError
from tests.playing import play_out
from tests.rosenberg import BALI, asked, hand, may, opening, play, position, stack, thrown, told

a_few_games = settings(max_examples=10, deadline=None)


def voyage(masks: list[int] | None = None, *, seats: int = 3, **more: Any) -> Any:
    """Seat 0 takes the Dalang from Wontong to Kukusch, and no hand is left to lay down."""
    changes = {"masks": masks} if masks is not None else {}
    state = position("kw", *[""] * (seats - 1), **changes, **more)
    return play(state, "play kw kukusch", *["pass"] * (seats - 1))


SHARED = {"prince kukusch": 0, "priest kukusch": 2}
BOTH = {"prince kukusch": 0, "priest kukusch": 0}


# ---- §8 Priest and prince: the contest


@pytest.mark.parametrize("kind", ["priest", "prince"])
def test_s8_1_the_opening_card_is_spent_and_does_not_count(kind: str) -> None:
    state = play(position(f"3 {kind}", "", ""), f"play {kind} 2", "pass", "pass")
    assert told(state, "chip") == [
        {"event": "chip", "kind": kind, "island": "wontong", "from": -1, "to": 0}
    ]  # fmt: skip
    assert (hand(state, 0), thrown(state)) == ([kind] * 2, [kind])


def test_s8_2_at_least_one_further_card_must_be_shown() -> None:
    state = position("priest 4 prince", "", "")
    assert may(state, "end", "play prince 1", "play prince 2", "play prince 3")


def test_s8_3_who_holds_more_may_show_some_of_them_or_pass() -> None:
    state = position("2 priest", "5 priest", "1 priest 9 prince", "2 priest")
    play(state, "play priest 1")
    assert may(state, "pass", "show 2", "show 3", "show 4", "show 5")
    play(state, "show 2")
    assert may(state, "pass")
    play(state, "pass")
    assert may(state, "pass")


def test_s8_4_strictly_more_than_the_highest_single_number_in_one_circuit() -> None:
    state = position("3 prince", "3 prince", "4 prince", active=0)
    play(state, "play prince 2", "show 3")
    assert may(state, "pass", "show 4")  # not 5 = 2 + 3, not an equal 3
    play(state, "show 4")
    assert asked(state) == (0, "turn")  # nobody is asked again
    assert state.view(0)["chips"]["prince"][3] == 2


def test_s8_5_the_highest_number_takes_the_chip_and_all_shown_cards_return() -> None:
    state = position("3 prince", "5 prince", "", chips={"prince wontong": 2})
    play(state, "play prince 2", "show 3", "pass")
    assert state.view(0)["chips"]["prince"] == [-1, -1, -1, 1]
    assert [len(hand(state, seat)) for seat in range(3)] == [2, 5, 0]


def test_s8_6_a_set_aside_chip_enters_at_the_first_contest_of_its_kind_there() -> None:
    chips = opening("1 2 3").view(0)["chips"]
    aside = {kind: owners.index(-1) for kind, owners in chips.items()}
    assert aside == {"priest": 3, "prince": 0}
    state = position("2 prince 2 priest", "3 prince", "", island="kukusch", chips={"priest kukusch": 0})
    play(state, "play prince 1", "show 2", "pass")
    assert state.view(2)["chips"] == {"priest": [0, -1, -1, -1], "prince": [1, -1, -1, -1]}
    assert told(state, "chip")[0]["from"] == -1


def test_s8_7_one_may_contest_a_chip_one_already_has() -> None:
    state = position("2 prince", "", "", chips={"prince wontong": 0})
    play(state, "play prince 1", "pass", "pass")
    assert state.view(0)["chips"]["prince"][3] == 0
    assert told(state, "chip")[0]["from"] == told(state, "chip")[0]["to"] == 0


def test_s8_8_the_active_player_goes_on_also_after_losing() -> None:
    state = play(position("2 prince scholar", "2 prince", ""), "play prince 1", "show 2", "pass")
    assert asked(state) == (0, "turn")
    assert ("play", "scholar") in state.moves()


# ---- §9 Seals


def test_s9_1_both_chips_in_one_village_win_the_seal_from_stock_or_player() -> None:
    for owner in (-1, 2):
        chips, seals = {"prince wontong": 2, "priest wontong": 1}, {"wontong": owner}
        state = position("2 prince", "2 prince", "", chips=chips, seals=seals)
        play(state, "play prince 1", "show 2", "pass")
        assert state.view(0)["seals"] == [-1, -1, -1, 1]
        assert told(state, "seal") == [{"event": "seal", "island": "wontong", "from": owner, "to": 1}]
    state = position("2 prince", "", "", chips={"prince wontong": 2, "priest wontong": 1})
    assert play(state, "play prince 1", "pass", "pass").view(0)["seals"] == [-1] * 4


def test_s9_1_who_has_the_seal_does_not_take_it_again() -> None:
    state = position("2 prince", "", "", chips={"priest wontong": 0}, seals={"wontong": 0})
    play(state, "play prince 1", "pass", "pass")
    assert (state.view(0)["seals"][3], told(state, "seal")) == (0, [])


def test_s9_2_losing_a_chip_does_not_cost_the_seal() -> None:
    chips = {"prince wontong": 2, "priest wontong": 2}
    state = position("2 prince 2 priest", "2 priest", "", chips=chips, seals={"wontong": 2})
    play(state, "play prince 1", "pass", "pass")
    assert state.view(0)["seals"][3] == 2
    play(state, "play priest 1", "show 2", "pass")  # seats 0 and 1 have one chip each
    assert state.view(0)["seals"][3] == 2


def test_s9_3_a_seal_is_won_at_once_and_never_by_a_visit() -> None:
    state = voyage(chips=BOTH)
    assert state.view(0)["seals"] == [-1] * 4
    state = position("2 prince", "", "", chips={"priest wontong": 0})
    assert play(state, "play prince 1", "pass", "pass").view(0)["seals"][3] == 0


# ---- §10 Dalang cards and moving


def test_s10_1_the_active_player_names_one_of_the_two_islands() -> None:
    state = position("kp", "", "")
    assert may(state, "end", "play kp kukusch", "play kp panschar")
    assert told(play(state, "play kp panschar", "pass", "pass"), "travel")[0]["to"] == "panschar"


def test_s10_2_the_target_is_not_the_active_island() -> None:
    assert may(position("kw", "", "", island="kukusch"), "end", "play kw wontong")
    assert may(position("kw", "", "", island="wontong"), "end", "play kw kukusch")


def test_s10_3_each_in_turn_may_agree_or_block_with_any_card_that_names_the_target() -> None:
    state = position("kw", "prince", "kp kt kw pw pt", "pw", active=0)
    play(state, "play kw kukusch")
    assert may(state, "pass")
    play(state, "pass")
    assert may(state, "pass", "block kp", "block kt", "block kw")
    play(state, "pass")
    assert asked(state) == (3, "block")
    assert may(state, "pass")


def test_s10_4_the_first_block_settles_it() -> None:
    state = position("kw", "kp", "kt", "")
    play(state, "play kw kukusch", "block kp")
    assert asked(state) == (0, "turn")
    assert (state.view(0)["island"], hand(state, 2)) == ("wontong", ["dalang:kukusch+tschakkalag"])


def test_s10_5_after_a_block_the_active_player_goes_on_also_to_the_same_target() -> None:
    state = position("2 kw warrior", "kp", "")
    play(state, "play kw kukusch", "block kp")
    assert may(state, "end", "play warrior 1", "play warrior 2", "play kw kukusch")
    play(state, "play kw kukusch", "pass", "pass")
    assert state.view(0)["island"] == "kukusch"


def test_s10_6_every_player_lays_the_hand_in_any_order_at_the_island_just_left() -> None:
    state = position("kw warrior prince", "priest kt", "")
    play(state, "play kw kukusch", "pass", "pass", "lay prince", "lay warrior", "lay kt", "lay priest")
    assert stack(state, 0, "wontong") == ["prince", "warrior"]
    assert stack(state, 1, "wontong") == ["dalang:kukusch+tschakkalag", "priest"]
    assert [hand(state, seat) for seat in range(3)] == [[], [], []]


def test_s10_7_the_sequence_of_a_voyage() -> None:
    chips = {"prince kukusch": 1}
    state = position(*["prince", "kw warrior", "priest"], active=1, chips=chips, fled=[True, False, False])
    play(state, "play kw kukusch", "pass")
    assert (state.view(0)["fled"], state.view(0)["island"], asked(state)) == ([], "kukusch", (1, "lay"))
    play(state, "lay warrior")
    assert asked(state) == (2, "lay")
    play(state, "lay priest")
    assert asked(state) == (0, "lay")
    play(state, "lay prince")
    names = [event.name for event in state.events if event.name not in ("move", "lay")]
    assert names[:8] == ["travel", "laid", "laid", "laid", "mask", "pick_up", "pick_up", "pick_up"]
    assert [event["seat"] for event in told(state, "pick_up")] == [1, 2, 0]


# ---- §11 Scoring


@pytest.mark.parametrize(
    ("chips", "scored"),
    [
        ({}, False),
        ({"prince kukusch": 1, "priest kukusch": 2}, False),
        ({"prince wontong": 0, "priest wontong": 0}, False),
        ({"prince kukusch": 1, "priest kukusch": 0}, True),
        ({"prince kukusch": 0, "priest kukusch": 1}, True),
        (BOTH, True),
    ],
)
def test_s11_1_a_scoring_if_and_only_if_the_active_player_has_a_chip_there(
    chips: dict[str, int], scored: bool
) -> None:
    assert bool(told(voyage(chips=chips), "mask")) is scored


def test_s11_2_with_both_chips_the_active_player_alone_gets_the_lowest_mask() -> None:
    state = voyage([3, 4, 4], chips=BOTH)
    assert (state.view(1)["taken"], state.view(1)["masks"]) == ([[3], [], []], [4, 4])


def test_s11_3_a_lone_chip_of_the_active_player_counts_like_both() -> None:
    state = voyage([3, 4, 4], chips={"priest kukusch": 0})
    assert state.view(1)["taken"] == [[3], [], []]
    assert voyage([3, 4, 4], chips={"priest kukusch": 1}).view(1)["taken"] == [[], [], []]


def test_s11_4_with_one_chip_each_the_other_gets_the_lowest_and_the_active_player_the_next_value() -> None:
    state = voyage([2, 2, 4, 5], chips=SHARED)
    assert (state.view(1)["taken"], state.view(1)["masks"]) == ([[4], [], [2]], [2, 5])
    assert [event["seat"] for event in told(state, "mask")] == [2, 0]


@pytest.mark.parametrize(
    ("option", "masks", "taken"),
    [
        ("higher", [5, 5, 5], [[5], [], [5]]),
        ("next", [5, 5, 5], [[5], [], [5]]),
        ("higher", [2, 2, 3], [[3], [], [2]]),
        ("next", [2, 2, 3], [[2], [], [2]]),
        ("next", [2, 3, 3], [[3], [], [2]]),
    ],
)
def test_s11_5_without_a_higher_value_one_of_the_same(option: str, masks: Any, taken: Any) -> None:
    state = voyage(masks, chips=SHARED, options={"split_mask": option})
    assert state.view(1)["taken"] == taken


@pytest.mark.parametrize("option", ["higher", "next"])
def test_s11_6_a_single_last_mask_is_the_active_players(option: str) -> None:
    state = voyage([5], chips=SHARED, options={"split_mask": option})
    assert state.view(1)["taken"] == [[5], [], []]


def test_s11_7_with_an_empty_stock_the_game_ends_at_once_and_no_stacks_are_taken_up() -> None:
    stacks = {(0, "kukusch"): "2 prince", (1, "kukusch"): "7 priest"}
    state = voyage([4, 5], chips=SHARED, stacks=stacks)
    assert (state.seat, state.moves(), state.ending) == (NOBODY, [], "masks")
    assert (len(stack(state, 0, "kukusch")), len(stack(state, 1, "kukusch"))) == (2, 7)
    assert told(state, "pick_up") == []


def test_s11_8_otherwise_the_turn_is_over_and_all_keep_only_the_bottom_4() -> None:
    stacks = {(0, "kukusch"): "prince 2 priest warrior artist", (2, "kukusch"): "6 prince kt"}
    state = voyage(chips=BOTH, stacks=stacks, draws="4 scholar")
    assert asked(state) == (1, "turn")
    assert hand(state, 0) == ["warrior", "scholar", "priest", "priest", "prince"]
    assert hand(state, 2) == ["scholar"] + ["prince"] * 4
    assert (
        sorted(thrown(state))
        == ["artist", "dalang:kukusch+tschakkalag", "dalang:kukusch+wontong"] + ["prince"] * 2
    )
    assert state.view(0)["turn"] == 2


def test_s11_8_the_fled_included() -> None:
    state = position("kw", "", "", chips=BOTH, fled=[False, True, True], stacks={(1, "kukusch"): "5 prince"})
    play(state, "play kw kukusch")
    assert [event["kept"] for event in told(state, "pick_up")] == [0, 4, 0]


def test_s11_9_without_a_scoring_all_take_up_whole_stacks_and_nobody_draws() -> None:
    stacks = {(0, "kukusch"): "6 prince", (1, "kukusch"): "7 priest"}
    state = position("kw", "", "", fled=[False, True, False], stacks=stacks)
    play(state, "play kw kukusch", "pass")
    assert (hand(state, 0), hand(state, 1)) == (["prince"] * 6, ["priest"] * 7)
    assert asked(state) == (0, "turn")
    assert (told(state, "draw"), told(state, "turn")) == ([], [])


# ---- §12 End of the game


@a_few_games
@given(seed=st.integers(), seats=st.sampled_from([3, 4]))
def test_s12_1_a_game_that_ends_with_the_last_mask_has_8_to_16_scorings(seed: int, seats: int) -> None:
    state: Any = play_out(BALI.start(seats, QuickChance(seed)), seed)
    assert (state.ending == "masks") == (state.masks == [])
    names = [event.name for event in state.events]
    scorings = [number for number, name in enumerate(names) if name == "mask" != names[number - 1]]
    assert len(scorings) <= 16
    assert len(scorings) >= 8 or state.ending != "masks"


def test_s12_2_the_score_is_masks_and_3_for_each_seal() -> None:
    seals = {"kukusch": 1, "wontong": 1, "panschar": 2}
    state = voyage([4], chips=BOTH, seals=seals, taken=[[2], [3, 3], [5]])
    assert state.outcome() == ((6, 12, 8), (3, 1, 2), "masks")


@pytest.mark.parametrize(
    ("taken", "ranks"),
    [
        ([[2], [6], [1]], (1, 2, 3)),
        ([[2], [6], [6]], (1, 2, 2)),
        ([[1], [6], [6]], (3, 1, 1)),
        ([[1], [5], [6]], (2, 2, 1)),
    ],
)
def test_s12_3_the_leader_who_ended_the_game_wins_a_tie_alone(taken: Any, ranks: tuple[int, ...]) -> None:
    assert voyage([4], chips=BOTH, taken=taken).outcome().ranks == ranks


def test_s12_4_who_was_active_in_the_last_scoring_has_ended_the_game() -> None:
    state = voyage([2, 4], chips=SHARED, taken=[[1], [], [3]])  # seat 2 gets the 2, seat 0 the 4
    assert state.outcome() == ((5, 0, 5), (1, 3, 2), "masks")


def still(**more: Any) -> Any:
    """All cards lie in stacks: nobody can draw or play."""
    return position("", "", "", "", rest=(0, "kukusch"), **more)


def test_s12_5_two_full_rounds_without_a_card_end_the_game() -> None:
    state = still()
    for _ in range(8):  # seat 0 has drawn, so its turn does not count
        assert state.ending == ""
        play(state, "end")
    play(state, "end")
    assert (state.ending, state.seat) == ("standstill", NOBODY)
    assert len(told(state, "turn")) == 8


def test_s12_5_a_card_played_or_drawn_starts_the_count_again() -> None:
    state = position("", "", "scholar", rest=(0, "kukusch"))
    play(state, "end", "end", "play scholar", "done", "pass", "pass", "end")
    assert state.view(0)["idle"] == 0  # the scholar went round to be drawn
    state = position("warrior", "", "", rest=(0, "kukusch"), idle=6)
    assert play(state, "play warrior 1", "flee", "end").ending == ""
    state = position("prince", "", "", rest=(0, "kukusch"))
    play(state, *["end"] * 3)
    assert state.view(1)["idle"] == 3


def test_s12_6_when_the_last_turn_is_over_the_game_ends() -> None:
    state = opening("1 2 3 4", draws="10 priest", max_turns=2)
    play(state, "end")
    assert state.ending == ""
    play(state, "end")
    assert (state.ending, state.seat) == ("max_turns", NOBODY)
    state = voyage(chips=BOTH, options={"max_turns": 1})
    assert (state.ending, state.view(0)["taken"]) == ("max_turns", [[2], [], []])


def test_s12_6_a_forced_end_is_followed_by_late_reactions_also_in_the_last_turn() -> None:
    state = position("warrior", "2 warrior", "4 prince", "", options={"max_turns": 1})
    play(state, "play warrior 3", "play warrior", "play warrior", "draw")
    assert asked(state) == (2, "defend")
    play(state, "flee", *["put prince kukusch"] * 2)
    assert state.ending == ""
    assert play(state, "put prince kukusch").ending == "max_turns"
    assert thrown(state) == ["warrior"] * 3 + ["prince"]


def test_s12_7_then_nobody_has_ended_it_and_tied_leaders_share_the_win() -> None:
    state = position("", "", "", taken=[[4], [4], [2]], options={"max_turns": 1})
    assert play(state, "end").outcome() == ((4, 4, 2), (1, 1, 3), "max_turns")
    state = still(taken=[[4], [4], [2], [2]], idle=8)
    assert play(state, "end").outcome() == ((4, 4, 2, 2), (1, 1, 3, 3), "standstill")


def test_s12_8_shared_places_are_skipped_and_standstill_comes_before_the_turn_cap() -> None:
    state = voyage([4], seats=4, chips=BOTH, taken=[[2], [6], [6], [1]])
    assert state.outcome().ranks == (1, 2, 2, 4)
    state = still(idle=8, options={"max_turns": 1})
    assert play(state, "end").ending == "standstill"


# ---- Worked examples: Blue 0, Yellow 1, Green 2, Red 3

BLUE, YELLOW, GREEN, RED = range(4)


def test_t0_seats() -> None:
    state = opening()
    assert (state.left_of(BLUE), state.left_of(RED)) == (YELLOW, BLUE)
    assert state.others(YELLOW)[-1] == BLUE  # the right neighbour comes last


def test_t2_start() -> None:
    state = opening("4 1 2 3")
    view = state.view(RED)
    assert asked(state) == (YELLOW, "turn")
    assert view["island"] == "panschar"
    assert (view["chips"]["prince"][1], view["chips"]["priest"][1]) == (YELLOW, GREEN)
    assert view["chips"]["priest"][0] == YELLOW


def test_t3_contest() -> None:
    chips = {"prince wontong": BLUE}
    state = position("5 prince", "3 prince", "prince", "4 prince", active=YELLOW, chips=chips)
    play(state, "play prince 2", "pass")
    assert may(state, "pass", "show 3", "show 4")
    play(state, "show 3")
    assert may(state, "pass", "show 4", "show 5")
    play(state, "show 4")
    assert state.view(RED)["chips"]["prince"][3] == BLUE
    assert thrown(state) == ["prince"]
    assert [len(hand(state, seat)) for seat in range(4)] == [5, 2, 1, 4]
    assert asked(state) == (YELLOW, "turn")


def test_t4_block() -> None:
    state = position("kp", "kw", "kt", "kt", active=BLUE, draws="5 prince")
    play(state, "play kp kukusch", "block kw")
    assert asked(state) == (BLUE, "turn")
    assert (len(thrown(state)), state.view(0)["island"]) == (2, "wontong")
    play(state, "end")
    assert asked(state) == (YELLOW, "turn")
    assert [event["seat"] for event in told(state, "draw")] == [YELLOW, YELLOW, GREEN, RED, BLUE]


def test_t5_move_with_scoring() -> None:
    chips = {"prince tschakkalag": RED, "priest tschakkalag": RED}
    stacks = {
        (RED, "tschakkalag"): "3 artist",
        (BLUE, "tschakkalag"): "4 warrior scholar prince",
        (GREEN, "tschakkalag"): "4 priest",
    }
    state = position(
        *("prince", "kt scholar", "", "pt tw warrior"), active=RED, island="panschar",
        chips=chips, stacks=stacks, masks=[4, 4, 5], draws="5 prince",
    )  # fmt: skip
    play(state, "play pt tschakkalag", "pass", "block kt")
    assert asked(state) == (RED, "turn")
    play(state, "play tw tschakkalag", "pass", "pass", "pass", "lay warrior", "lay prince", "lay scholar")
    assert [stack(state, seat, "panschar") for seat in range(4)] == [["prince"], ["scholar"], [], ["warrior"]]
    assert state.view(0)["taken"] == [[], [], [], [4]]
    assert [(event["seat"], event["kept"]) for event in told(state, "pick_up")] == [
        (RED, 3), (BLUE, 4), (YELLOW, 0), (GREEN, 4),
    ]  # fmt: skip
    assert told(state, "discard") == [{"event": "discard", "seat": BLUE, "cards": ["scholar", "prince"]}]
    assert len(thrown(state)) == 5
    assert asked(state) == (BLUE, "turn")
    assert [len(hand(state, seat)) for seat in range(4)] == [6, 1, 5, 4]


def test_t6_artist() -> None:
    state = position("artist prince warrior kw", "", "", "")
    drawable = state.pile.size
    play(state, "play artist", "swap prince", "swap kw", "done")
    assert (len(thrown(state)), state.pile.size, len(hand(state, BLUE))) == (3, drawable - 2, 3)


def test_t7_scholar() -> None:
    stacks = {(0, "kukusch"): "3 prince", (0, "wontong"): "3 priest"}
    state = position("scholar", "", "", "", island="panschar", stacks=stacks)
    play(state, "play scholar", "take kukusch", "take wontong", "take kukusch")
    assert asked(state) == (YELLOW, "respond")
    assert (len(stack(state, 0, "kukusch")), len(stack(state, 0, "wontong"))) == (1, 2)
    assert (len(thrown(state)), len(hand(state, 0))) == (1, 3)


# ---- Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"masks": [1] * 15}, "masks must be 16 whole numbers, each at least 1"),
        ({"masks": [0] * 16}, "16 whole numbers, each at least 1"),
        ({"split_mask": "lower"}, "split_mask must be higher or next, not 'lower'"),
        ({"max_turns": 0}, "max_turns must be a whole number, at least 1"),
        ({"max_turn": 1}, "no bali_rosenberg option 'max_turn'; did you mean 'max_turns'?"),
    ],
)
def test_bad_options_are_refused_with_the_valid_choices(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=re.escape(message)):
        BALI.start(3, QuickChance(1), **options)


def test_the_defaults_of_the_options() -> None:
    defaults = {name: option.default for name, option in BALI.options.items()}
    assert defaults == {"masks": sorted([2, 3, 4, 5] * 4), "split_mask": "higher", "max_turns": 400}
