"""What every game of the catalogue promises, at every table size and with every set of options."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.catalogue import games
from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, IllegalMove, Plain, State, plain
from dalang.engine.record import seen
from tests.playing import imagined, play_out, random_record, some, start, walk
from tests.tables import KNOWLEDGE, TABLES, Table

at_every_table = pytest.mark.parametrize("table", TABLES, ids=str)
a_few_games = settings(max_examples=6, deadline=None)
seeds = st.integers(0, 2**32)


def test_every_game_of_the_catalogue_is_known_to_this_suite() -> None:
    assert set(games()) == set(KNOWLEDGE)


@at_every_table
@a_few_games
@given(seed=seeds)
def test_a_game_of_legal_moves_ends_with_a_ranking(table: Table, seed: int) -> None:
    *_, last = walk(table, seed)
    outcome = last.outcome()
    assert outcome.ending
    assert len(outcome.scores) == len(outcome.ranks) == table.seats
    assert last.moves() == []


@at_every_table
@a_few_games
@given(seed=seeds)
def test_moves_are_never_empty_never_doubled_and_always_in_the_same_order(table: Table, seed: int) -> None:
    for state in some(table, seed):
        moves = state.moves()
        assert bool(moves) == (state.seat != NOBODY)
        assert len(set(moves)) == len(moves)
        assert moves == state.moves() == state.clone().moves()
        assert all(isinstance(move[0], str) for move in moves)
        assert all(type(word) in (str, int) for move in moves for word in move)


@at_every_table
@a_few_games
@given(seed=seeds)
def test_an_illegal_move_is_refused_and_changes_nothing(table: Table, seed: int) -> None:
    for state in some(table, seed):
        before = everything(state)
        some_move = state.moves()[0] if state.seat != NOBODY else ("draw",)
        bad: Any
        for bad in ((), ("nonsense",), (*some_move, "more"), some_move[1:], list(some_move), None, 0):
            with pytest.raises(IllegalMove):
                state.play(bad)
        assert everything(state) == before


@pytest.mark.slow
@at_every_table
@a_few_games
@given(seed=seeds)
def test_a_clone_and_its_parent_go_their_own_ways_to_the_same_end(table: Table, seed: int) -> None:
    for state in some(table, seed, every=20):
        before = everything(state)
        one, other = play_out(state.clone(), seed), play_out(state.clone(), seed)
        assert everything(state) == before
        assert everything(one) == everything(other)


@pytest.mark.slow
@at_every_table
@a_few_games
@given(seed=seeds)
def test_a_dump_is_plain_data_and_loads_in_the_middle_of_anything(table: Table, seed: int) -> None:
    for state in some(table, seed, every=20):
        dump = state.dump()
        assert through_msgpack(dump) == through_json(dump) == dump
        loaded = table.game.load(through_json(dump), state.chance.clone())
        assert loaded.dump() == dump
        assert loaded.moves() == state.moves()
        known = len(state.events or ())
        on, later = play_out(state.clone(), seed), play_out(loaded, seed)
        assert later.dump() == on.dump()
        assert later.outcome() == on.outcome()
        assert (on.events or [])[known:] == later.events


@at_every_table
@a_few_games
@given(seed=seeds)
def test_a_view_is_plain_data_that_shares_nothing_with_the_state(table: Table, seed: int) -> None:
    for state in some(table, seed):
        before = everything(state)
        for seat in range(table.seats):
            view = state.view(seat)
            assert through_msgpack(view) == through_json(view) == view
            scribble(view)
        assert everything(state) == before


@at_every_table
@a_few_games
@given(seed=seeds)
def test_a_seat_cannot_tell_the_worlds_apart_that_its_view_allows(table: Table, seed: int) -> None:
    for state in some(table, seed):
        for seat in range(table.seats):
            assert not betrayed(state, imagined(state, seat, seed), seat)


@at_every_table
def test_a_planted_leak_is_found(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that lets the future shine through differs between worlds that should look the same."""
    honest = table.game.state.sight

    def leaky(state: State, seat: int) -> Plain:
        peek = state.clone().chance.below(2**30, "peek")
        return {**honest(state, seat), "hunch": peek}

    monkeypatch.setattr(table.game.state, "sight", leaky)
    state = start(table, "leak")
    assert betrayed(state, imagined(state, 0, 1), 0)


@pytest.mark.slow
@at_every_table
@a_few_games
@given(seed=seeds)
def test_an_imagined_game_can_be_played_to_its_end(table: Table, seed: int) -> None:
    for state in some(table, seed, every=20):
        for seat in range(table.seats):
            world = imagined(state, seat, seed)
            assert world.events is None
            table.knowledge.conserved(world)
            table.knowledge.conserved(play_out(world, seed))
            assert world.outcome().ending


@at_every_table
@a_few_games
@given(seed=seeds)
def test_events_tell_the_others_nothing_that_the_rulebook_hides(table: Table, seed: int) -> None:
    *_, last = walk(table, seed)
    for event in last.events or ():
        for seat in range(table.seats):
            [told] = seen([event], seat) or [{}]
            assert told == (event.seen_by(seat) or {})
            assert through_msgpack(told) == told
            if seat != event.owner:
                assert not told.keys() & table.knowledge.hidden.get(event.name, set())
    told_to = [seen(last.events or [], seat) for seat in range(table.seats)]
    if not table.knowledge.hidden:
        assert all(told == [event.full for event in last.events or ()] for told in told_to)


@at_every_table
@a_few_games
@given(seed=seeds)
def test_cards_and_gems_are_neither_made_nor_lost(table: Table, seed: int) -> None:
    for state in walk(table, seed):
        table.knowledge.conserved(state)


@at_every_table
@a_few_games
@given(seed=seeds)
def test_places_follow_the_scores_and_ties_skip_places(table: Table, seed: int) -> None:
    *_, last = walk(table, seed)
    scores, ranks, _ = last.outcome()
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    for mine, my_rank in zip(scores, ranks, strict=True):
        assert all(mine >= theirs for theirs, rank in zip(scores, ranks, strict=True) if my_rank < rank)


@at_every_table
@a_few_games
@given(seed=seeds)
def test_events_can_be_switched_off_without_changing_the_game(table: Table, seed: int) -> None:
    told, silent = start(table, str(seed)), start(table, str(seed))
    silent.events = None
    assert play_out(told, seed).dump() == play_out(silent, seed).dump()
    assert silent.events is None


@at_every_table
@a_few_games
@given(seed=seeds)
def test_every_event_has_a_sentence(table: Table, seed: int) -> None:
    *_, last = walk(table, seed)
    events = last.events or []
    told = [event.full for event in events] + [told for s in range(table.seats) for told in seen(events, s)]
    for event in told:
        assert table.game.sentence(event).strip()[-1] in ".!"


@at_every_table
def test_a_quick_chance_is_reproducible_too(table: Table) -> None:
    one, other = (
        play_out(table.game.start(table.seats, QuickChance(7), **table.options), 7) for _ in range(2)
    )
    assert everything(one) == everything(other)


def test_a_fresh_process_with_another_hash_seed_plays_the_same_games() -> None:
    digests = {digest_in_a_process(hash_seed) for hash_seed in ("0", "1", "4242")}
    assert digests == {digest_of_games()}


# ---- How things are compared


def everything(state: State) -> tuple[Plain, list[Any] | None, list[Any]]:
    return state.dump(), None if state.events is None else state.events.copy(), state.moves()


def betrayed(state: State, world: State, seat: int) -> bool:
    """Does anything in this seat's sight differ between the two?"""
    moves_differ = state.seat == seat and state.moves() != world.moves()
    return world.view(seat) != state.view(seat) or moves_differ


def through_msgpack(data: Any) -> Any:
    return msgpack.unpackb(msgpack.packb(data))


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


def scribble(data: Any) -> None:
    """Overwrite plain data at every level."""
    parts = list(data.values()) if isinstance(data, dict) else data
    for part in parts:
        if isinstance(part, dict | list):
            scribble(part)
    data.clear()


def digest_of_games() -> str:
    """One number for one game at every table."""
    records = [random_record(table, number).data() for number, table in enumerate(TABLES)]
    return hashlib.sha256(json.dumps(plain(records), sort_keys=True).encode()).hexdigest()


def digest_in_a_process(hash_seed: str) -> str:
    code = "from tests.test_contract import digest_of_games; print(digest_of_games())"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    return done.stdout.strip()
