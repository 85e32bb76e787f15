"""Bali (Rosenberg 2001): every world that a seat imagines agrees with all that the seat has heard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.bots.policies.bali_rosenberg import POLICY
from dalang.bots.search import picked
from dalang.engine.chance import Bag, QuickChance, SeededChance
from dalang.engine.game import Move
from dalang.engine.games.bali_rosenberg.story import Lucks, Story
from dalang.engine.games.bali_rosenberg.worlds import remembered
from dalang.engine.record import seen
from tests.hearsay import Hearsay, Undecided
from tests.playing import imagined
from tests.rosenberg import BALI, CARDS, hand, play, position, stack

PLAYTHROUGHS = Path(__file__).parent / "playthroughs"
Player = Callable[[Any, Random], Move]


def at_random(state: Any, rng: Random) -> Move:
    return rng.choice(state.moves())


def with_a_glance(state: Any, rng: Random) -> Move:
    moves, weigh = state.moves(), POLICY.weights.get(state.decision)
    if weigh and len(moves) > 1:
        return picked(moves, weigh(state, moves), rng.random())
    return rng.choice(moves)


def moments(
    seed: int, seats: int, player: Player, every: int, max_turns: int
) -> Iterator[tuple[Any, int, Random]]:
    """Some moments of a game, and a seat for each."""
    state: Any = BALI.start(seats, SeededChance(str(seed)), max_turns=max_turns)
    rng = Random(seed)
    while state.seat >= 0:
        if not rng.randrange(every):
            yield state, rng.randrange(seats), rng
        state.apply(player(state, rng))


def heard_by(state: Any, seat: int) -> Hearsay:
    return Hearsay(seat, state.seats).listen(seen(state.events, seat))


# ---- Against a checker that only listens


@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    seats=st.sampled_from([3, 4]),
    player=st.sampled_from([at_random, with_a_glance]),
)
def test_no_imagined_world_is_refuted_by_what_the_seat_has_heard(
    seed: int, seats: int, player: Player
) -> None:
    for state, seat, rng in moments(seed, seats, player, every=100, max_turns=70):
        with suppress(Undecided):
            world = imagined(state, seat, rng.randrange(10**6))
            assert heard_by(state, seat).judge(world, rng) == ""


def test_worlds_agree_with_what_was_heard_also_after_more_than_three_reshuffles() -> None:
    late = [
        heard_by(state, seat).judge(imagined(state, seat, number), rng)
        for number, (state, seat, rng) in enumerate(moments(9, 4, at_random, every=30, max_turns=90))
        if len(state.piles) > 3
    ]
    assert len(late) > 5
    assert set(late) == {""}


def test_a_story_is_mended_as_it_is_told_so_that_few_cards_change_roles_in_a_long_game() -> None:
    state: Any = BALI.start(4, QuickChance(74))
    rng = Random(74)
    for _ in range(1700):
        state.apply(at_random(state, rng))
    assert len(state.piles) == 14
    clues, _ = remembered(state.view(state.seat))
    stories = [Story(clues, Lucks([], QuickChance(number))) for number in range(8)]
    told = [story for story in stories if story.tell()]
    assert len(told) > 1
    assert fmean(story.roles.changes for story in told) < len(told[0].cards)


@pytest.mark.parametrize("name", ["late", "later"])
def test_worlds_are_found_where_few_stories_come_to_their_end(name: str) -> None:
    """What a seat saw after two hundred turns between three bots, with nearly all cards of old piles come to light."""
    view = json.loads((PLAYTHROUGHS / f"bali_rosenberg-{name}-view.json").read_text())
    assert BALI.imagine(view, QuickChance(1)).view(view["you"]) == view


def test_of_a_view_that_contradicts_itself_no_world_is_imagined() -> None:
    late = moments(9, 4, at_random, every=60, max_turns=90)
    state = next(state for state, *_ in late if len(state.piles) > 1)
    view = state.view(state.seat)
    view["piles"] = [[sum(pile)] + [0] * (len(pile) - 1) for pile in view["piles"]]
    with pytest.raises(ValueError, match="no world agrees with this view"):
        BALI.imagine(view, QuickChance(1))


def dealt_anew(state: Any, seat: int, rng: Random) -> Any:
    """A world that fits this seat's cards and all numbers, and nothing else that was heard."""
    world = state.clone()
    others = [other for other in range(state.seats) if other != seat]
    places = [stack for other in others for stack in world.stacks[other]]
    hidden = [card for place in places for card in place]
    hidden += [card for other in others for card, held in enumerate(world.hands[other]) for _ in range(held)]
    hidden += [card for card, held in enumerate(world.pile.counts) for _ in range(held)]
    rng.shuffle(hidden)
    for place in places:
        place[:] = [hidden.pop() for _ in place]
    for other in others:
        drawn = [hidden.pop() for _ in range(sum(world.hands[other]))]
        world.hands[other] = [drawn.count(card) for card in range(len(CARDS))]
    world.pile = Bag(CARDS, [hidden.count(card) for card in range(len(CARDS))])
    return world


def test_the_checker_never_refutes_the_real_world_and_often_one_that_is_dealt_anew() -> None:
    refuted = []
    for state, seat, rng in moments(5, 3, at_random, every=50, max_turns=60):
        if state.decision != "lay":
            hearsay = heard_by(state, seat)
            assert hearsay.judge(state, rng) == ""
            with suppress(Undecided):
                refuted.append(hearsay.judge(dealt_anew(state, seat, rng), rng) != "")
    assert sum(refuted) > len(refuted) / 4


# ---- Cases


def test_no_card_that_was_reshuffled_lies_in_a_stack_that_nobody_has_touched_since() -> None:
    state = position("", "", "", discards="15 artist", rest=(1, "kukusch"), draws="4 artist")
    play(state, "end")
    for seed in range(1000):
        assert "artist" not in stack(imagined(state, 2, seed), 1, "kukusch")


def test_cards_that_were_shown_are_where_they_were_put_unseen() -> None:
    state = position("2 priest warrior", "3 priest", "")
    play(state, "play priest 1", "show 3", "pass", "play warrior 2", "flee", *["put priest panschar"] * 3)
    for seed in range(1000):
        assert stack(imagined(state, 0, seed), 1, "panschar") == ["priest"] * 3


def test_every_world_that_agrees_with_a_show_can_come() -> None:
    state = position("2 priest scholar", "2 priest artist scholar", "warrior", rest="discards")
    play(
        state, "play priest 1", "show 2", "pass", "play scholar", "done", "play scholar", "put artist kukusch"
    )
    found = set()
    for seed in range(300):
        world = imagined(state, 0, seed)
        found.add((*hand(world, 1), *stack(world, 1, "kukusch"), *hand(world, 2)))
    assert found == {
        ("priest", "priest", "artist", "warrior"),
        ("artist", "priest", "priest", "warrior"),
        ("priest", "priest", "warrior", "artist"),
        ("warrior", "priest", "priest", "artist"),
    }


def test_every_world_that_agrees_with_a_reshuffle_can_come() -> None:
    draws = "kw artist artist kw"  # seat 1 draws two of them, then seat 2, then seat 0
    state = position("", "warrior", "prince", discards="2 kw 2 artist", rest=(0, "panschar"), draws=draws)
    play(state, "end", "play artist")
    found = set()
    for seed in range(300):
        world = imagined(state, 0, seed)
        found.add((*hand(world, 1), *hand(world, 2)))
    kw = "dalang:kukusch+wontong"
    assert found == {
        ("warrior", kw, "artist", "prince"),
        ("prince", kw, "warrior", "artist"),
        ("warrior", "artist", "prince", kw),
        ("artist", "prince", "warrior", kw),
    }


def test_a_world_depends_on_the_view_and_on_luck_and_not_on_worlds_imagined_before() -> None:
    state = next(state for state, _, _ in moments(3, 3, at_random, every=20, max_turns=60) if state.piles)
    other = position("", "", "")
    before = [imagined(state, 1, seed).dump() for seed in range(30)]
    imagined(other, 1, 1)
    assert [imagined(state, 1, seed).dump() for seed in reversed(range(30))] == before[::-1]


def test_what_others_know_in_an_imagined_world_is_enough_to_imagine_on() -> None:
    for state, seat, rng in moments(8, 3, at_random, every=60, max_turns=50):
        world: Any = imagined(state, seat, rng.randrange(10**6))
        other = (seat + 1) % 3
        again = imagined(world, other, rng.randrange(10**6))
        assert again.view(other) == world.view(other)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_trail_that_can_tell_nothing_is_empty(seats: int) -> None:
    state: Any = BALI.start(seats, QuickChance(1))
    for seat in range(seats):
        assert state.view(seat)["trails"] == [[]] * seats


# ---- Memory, whenever somebody looks


def views(state: Any) -> list[Any]:
    return [state.view(seat) for seat in range(state.seats)]


def played_on(state: Any, decisions: int) -> Any:
    rng = Random(1)
    while state.seat >= 0 and decisions:
        state.apply(at_random(state, rng))
        decisions -= 1
    return state


@pytest.mark.parametrize("seats", [3, 4])
def test_memory_does_not_depend_on_how_often_somebody_looks(seats: int) -> None:
    unseen: Any = BALI.start(seats, SeededChance("looks"), max_turns=60)
    watched, rng = unseen.clone(), Random(2)
    while unseen.seat >= 0:
        move = at_random(unseen, rng)
        unseen.apply(move)
        watched.apply(move)
        views(watched)
    assert unseen.piles
    assert views(unseen) == views(watched)
    assert unseen.dump() == watched.dump()


@pytest.mark.parametrize("seats", [3, 4])
def test_what_a_clone_or_another_world_hears_stays_there(seats: int) -> None:
    found = set()
    for state, seat, rng in moments(5, seats, at_random, every=25, max_turns=60):
        twin, before = state.clone(QuickChance(rng.randrange(10**6))), views(state)
        one, other = (imagined(state, seat, 7) for _ in range(2))
        looks = views(other)
        found.add(len(played_on(twin, 200).view(0)["piles"]) - len(state.piles))
        views(played_on(one, 200))
        assert views(state) == before
        assert views(other) == looks
    assert {0, 1} <= found
