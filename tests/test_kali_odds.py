"""The odds of cautious and bold, against every card that can come, tried on the real game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random
from statistics import mean
from typing import Any

import pytest

from dalang.bots.kali_odds import Odds, Temper
from dalang.engine.catalogue import find_game
from dalang.engine.chance import ScriptedChance, SeededChance
from dalang.engine.game import NOBODY
from dalang.engine.games.kali.value import all_footprints, wakers

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


def gain(state: Any, odds: Odds) -> float:
    """In gems against the others, for the seat whose odds these are, when a turn or the game is over."""
    before, now = (
        wealth[odds.me] - mean(gems for seat, gems in enumerate(wealth) if seat != odds.me)
        for wealth in (odds.wealth, state.wealth)
    )
    woke = (state.ending, state.acting) == ("kali_wakes", odds.me)
    gems = now - before
    return gems * (odds.temper.appetite if gems > 0 else 1) - woke * odds.temper.dread


def stop(state: Any, odds: Odds) -> float:
    state = after(state, "stop")
    while state.decision == "takeover":
        if profit(state) > 1e-9:
            taken = each_card(after(state, "take_over"))
            return sum(chance * gain(settled(twin), odds) for chance, twin in taken)
        state.play(("decline",))
    return gain(state, odds)


def draw(state: Any, odds: Odds, cards: int) -> float:
    """The best that can be expected, for every order in which so many cards can come."""
    total = 0.0
    for chance, twin in each_card(state):
        if twin.decision != "go_on":
            total += chance * gain(twin, odds)
        else:
            more = [draw(twin, odds, cards - 1)] if cards > 1 else []
            total += chance * max([stop(twin, odds), *more])
    return total


# ---- The odds


@pytest.mark.parametrize("temper", TEMPERS, ids=str)
@pytest.mark.parametrize(("seats", "cards", "number"), [(2, 3, 2), (3, 2, 4), (5, 2, 2), (6, 1, 6)])
def test_drawing_and_stopping_are_worth_what_all_cards_bring(
    seats: int, cards: int, number: int, temper: Temper
) -> None:
    for state in some_questions(number, seats, "go_on", seats):
        odds = Odds(state.view(state.seat), state.options, temper)
        assert odds.draw(odds.wealth, odds.spot, cards) == pytest.approx(draw(state, odds, cards))
        assert odds.stop(odds.wealth, odds.spot) == pytest.approx(stop(state, odds))


def test_the_options_of_the_game_count() -> None:
    options = {"fields": list(range(2, 20)), "fine_rounding": "up"}
    for state in some_questions(6, 3, "go_on", 7, **options):
        odds = Odds(state.view(state.seat), state.options, TEMPERS[0])
        assert odds.draw(odds.wealth, odds.spot, 1) == pytest.approx(draw(state, odds, 1))


@pytest.mark.parametrize("seats", [2, 4])
def test_a_takeover_brings_the_gems_that_all_cards_bring(seats: int) -> None:
    for state in some_questions(20, seats, "takeover", seats):
        odds = Odds(state.view(state.seat), state.options, TEMPERS[0])
        assert odds.profit(state.seat, odds.wealth, odds.spot) == pytest.approx(profit(state))


def test_a_bust_is_any_card_that_ends_the_turn_badly() -> None:
    for state in some_questions(20, 3, "go_on", 1):
        bad = [chance for chance, twin in each_card(state) if twin.turned[-1] in ("noise", "fright")]
        assert Odds(state.view(state.seat), state.options, TEMPERS[0]).bust() == pytest.approx(sum(bad))


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
