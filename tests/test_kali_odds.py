"""The odds of cautious and bold, against every card that can come, tried on the real game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random
from statistics import mean
from typing import Any, NamedTuple

import pytest

from dalang.engine.catalogue import find_game
from dalang.engine.chance import ScriptedChance, SeededChance
from dalang.engine.game import NOBODY
from dalang.engine.games.kali.foresight import foreseen, next_cards, raid_of
from dalang.engine.games.kali.odds import BOLD, CAUTIOUS, Temper, going_on, taking_over
from dalang.engine.games.kali.value import all_footprints, wakers
from tests.playing import chooser, played

KALI = find_game("kali")
TEMPERS = [Temper(1.0, 40, 3), Temper(1.5, 0, 3)]


def questions(seats: int, decision: str, seed: int, **options: Any) -> Iterator[Any]:
    """Positions of random games, by turns early and late, in which somebody is asked this."""
    rng = Random(seed)
    while True:
        state: Any = KALI.start(seats, SeededChance(f"odds {rng.random()}"), **options)
        state.events, late = None, rng.randrange(30)
        while state.seat != NOBODY and not (state.decision == decision and len(state.turned) >= late):
            state.play(rng.choice(state.moves()))
        if state.seat != NOBODY:
            yield state


def some_questions(number: int, *args: Any, **options: Any) -> list[Any]:
    return [state for _, state in zip(range(number), questions(*args, **options), strict=False)]


# ---- Brute force


def each_card(state: Any) -> Iterator[tuple[float, Any]]:
    """Every game that this one can be after the next card, with its chance."""
    for card, number in state.deck.named().items():
        if number:
            twin = state.clone(ScriptedChance([card]))
            twin.play(("draw",))
            yield number / state.deck.size, twin


def settled(state: Any) -> Any:
    """The slave stops and nobody takes over."""
    if state.decision == "go_on":
        state.play(("stop",))
    while state.decision == "takeover":
        state.play(("decline",))
    return state


def after(state: Any, verb: str) -> Any:
    twin = state.clone()
    twin.play((verb,))
    return twin


def profit(state: Any) -> float:
    """The gems that the seat that is asked to take over would win, if it stops after one card."""
    gains = [
        chance * settled(twin).wealth[state.seat] for chance, twin in each_card(after(state, "take_over"))
    ]
    return sum(gains) - state.wealth[state.seat]


class Weighed(NamedTuple):
    """Who weighs it up, and what all had before."""

    me: int
    wealth: list[int]
    temper: Temper


def gain(state: Any, by: Weighed) -> float:
    """In gems against the others, for the seat that weighs it up, when a turn or the game is over."""
    before, now = (
        wealth[by.me] - mean(gems for seat, gems in enumerate(wealth) if seat != by.me)
        for wealth in (by.wealth, state.wealth)
    )
    woke = (state.ending, state.acting) == ("kali_wakes", by.me)
    gems = now - before
    return gems * (by.temper.appetite if gems > 0 else 1) - woke * by.temper.dread


def stop(state: Any, by: Weighed) -> float:
    state = after(state, "stop")
    while state.decision == "takeover":
        if profit(state) > 1e-9:
            taken = each_card(after(state, "take_over"))
            return sum(chance * gain(settled(twin), by) for chance, twin in taken)
        state.play(("decline",))
    return gain(state, by)


def draw(state: Any, by: Weighed, cards: int) -> float:
    """The best that can be expected, for every order in which so many cards can come."""
    total = 0.0
    for chance, twin in each_card(state):
        if twin.decision != "go_on":
            total += chance * gain(twin, by)
        else:
            more = [draw(twin, by, cards - 1)] if cards > 1 else []
            total += chance * max([stop(twin, by), *more])
    return total


# ---- The odds


@pytest.mark.parametrize("temper", TEMPERS, ids=str)
@pytest.mark.parametrize(("seats", "cards", "number"), [(2, 3, 2), (3, 2, 4), (5, 2, 2), (6, 1, 6)])
def test_drawing_and_stopping_are_worth_what_all_cards_bring(
    seats: int, cards: int, number: int, temper: Temper
) -> None:
    temper = replace(temper, ahead=cards)
    for state in some_questions(number, seats, "go_on", seats):
        by = Weighed(state.seat, state.wealth, temper)
        yes, no = going_on(raid_of(state), state.wealth, state.seat, temper)
        assert yes == pytest.approx(draw(state, by, cards))
        assert no == pytest.approx(stop(state, by))


def test_the_options_of_the_game_count() -> None:
    options = {"fields": list(range(2, 20)), "fine_rounding": "up"}
    temper = replace(TEMPERS[0], ahead=1)
    for state in some_questions(6, 3, "go_on", 7, **options):
        yes, _ = going_on(raid_of(state), state.wealth, state.seat, temper)
        assert yes == pytest.approx(draw(state, Weighed(state.seat, state.wealth, temper), 1))


@pytest.mark.parametrize("temper", TEMPERS, ids=str)
@pytest.mark.parametrize(("seats", "cards", "number"), [(2, 2, 4), (4, 1, 6), (4, 2, 3)])
def test_a_takeover_is_worth_what_all_cards_bring(
    seats: int, cards: int, number: int, temper: Temper
) -> None:
    temper = replace(temper, ahead=cards)
    for state in some_questions(number, seats, "takeover", seats):
        by = Weighed(state.seat, state.wealth, temper)
        yes, no = taking_over(raid_of(state), state.wealth, state.seat, state.acting, temper)
        assert yes == pytest.approx(draw(after(state, "take_over"), by, cards))
        assert no == pytest.approx(gain(settled(state.clone()), by))


def test_a_bust_is_any_card_that_ends_the_turn_badly() -> None:
    for state in some_questions(20, 3, "go_on", 1):
        bad = [chance for chance, twin in each_card(state) if twin.turned[-1] in ("noise", "fright")]
        assert raid_of(state).bust() == pytest.approx(sum(bad))


@pytest.mark.parametrize("frights", [1, 2])
@pytest.mark.parametrize("seats", [2, 3, 6])
@pytest.mark.parametrize("left", [2, 5, 12])
def test_who_wakes_kali_by_every_order_of_the_deck(left: int, seats: int, frights: int) -> None:
    last = [places[-1] for places in combinations(range(left), frights)]
    chances, cards = wakers(left, frights, seats)
    assert chances == pytest.approx(
        [sum(place % seats == seat for place in last) / len(last) for seat in range(seats)]
    )
    assert cards == pytest.approx(sum(place + 1 for place in last) / len(last))


# ---- Who turns the next card


@pytest.mark.parametrize("seats", [2, 4])
def test_what_is_foreseen_of_the_bots_is_what_they_do(seats: int) -> None:
    bots = [(CAUTIOUS, "cautious"), (BOLD, "bold")] * (seats // 2)
    record = played("kali", [chooser(name) for _, name in bots], "foreseen")
    state: Any = KALI.start(seats, ScriptedChance(record.drawn))
    awaited: Any = None
    for turn in record.turns:
        awaited = awaited or foreseen(state, [temper for temper, _ in bots])
        if turn.move == ("draw",):
            assert (state.acting, state.owner, state.wealth) == (
                awaited.acting,
                awaited.owner,
                awaited.wealth,
            )
            awaited = None
        state.play(turn.move)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_prospect_is_as_likely_as_among_all_sittings(seats: int) -> None:
    for state in some_questions(30, seats, "go_on", seats):
        found = {(each.state.acting, tuple(each.state.wealth)): each for each in next_cards(state)}
        sittings = list(product((CAUTIOUS, BOLD), repeat=seats))
        ends = [foreseen(state, sitting) for sitting in sittings]
        keys = [(end.acting, tuple(end.wealth)) for end in ends]
        assert set(keys) == set(found)
        for key, card in found.items():
            assert card.chance == pytest.approx(keys.count(key) / len(keys))
            for seat, change in enumerate(card.changes):
                signs = [1 if sitting[seat] is BOLD else -1 for sitting in sittings]
                come = [sign * (each == key) for sign, each in zip(signs, keys, strict=True)]
                assert change == pytest.approx(sum(come) / len(keys))


# ---- A run for Kali


@pytest.mark.parametrize(("steps", "left"), [(5, 7), (3, 7), (1, 4), (0, 3)])
def test_a_run_of_footprints_is_as_likely_as_among_all_orders_of_the_deck(steps: int, left: int) -> None:
    orders = list(permutations([True] * steps + [False] * (left - steps)))
    for cards in range(left):
        share = sum(all(order[:cards]) for order in orders) / len(orders)
        assert all_footprints(steps, left, cards) == pytest.approx(share)


def test_a_part_of_a_card_counts_in_part() -> None:
    two, three = all_footprints(5, 7, 2), all_footprints(5, 7, 3)
    assert all_footprints(5, 7, 2.5) == pytest.approx((two + three) / 2)
