"""What every game of the catalogue promises, at every table size and with every set of options."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.catalogue import bundled_games, games
from dalang.engine.game import Plain, State
from dalang.engine.record import seen
from dalang.testing import CHECKS, imagined, record_digest, start, told_apart, walk
from tests.examples import tried
from tests.tables import TABLES, Table


def takes_long(table: Table) -> bool:
    """Variants, and games whose worlds are long stories."""
    return bool(table.options) or table.game.name == "bali_rosenberg"


at_every_table = pytest.mark.parametrize(
    "table",
    [pytest.param(table, marks=[pytest.mark.slow] if takes_long(table) else []) for table in TABLES],
    ids=str,
)
a_few_games = tried(3)
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("name", bundled_games())
def test_a_bundled_game_says_what_it_conserves_and_brings_every_part(name: str) -> None:
    game = games()[name]
    assert game.promises.conserved and game.promises.variants
    assert game.face and game.drawing and game.policy and game.learning and game.company and game.scored_by


@at_every_table
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@a_few_games
@given(seed=seeds)
def test_the_contract_is_kept(check: Any, table: Table, seed: int) -> None:
    check(table, seed)


@at_every_table
def test_a_planted_leak_is_found(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that lets the future shine through differs between worlds that should look the same."""
    honest = table.game.state.sight

    def leaky(state: State, seat: int) -> Plain:
        peek = state.clone().chance.below(2**30, "peek")
        return {**honest(state, seat), "hunch": peek}

    monkeypatch.setattr(table.game.state, "sight", leaky)
    state = start(table, "leak")
    assert told_apart(state, imagined(state, 0, 1), 0).startswith("view.hunch")


@at_every_table
@a_few_games
@given(seed=seeds)
def test_what_a_seat_is_told_goes_through_a_message(table: Table, seed: int) -> None:
    *_, last = walk(table, seed)
    for event in last.events or ():
        for seat in range(table.seats):
            [told] = seen([event], seat) or [{}]
            assert told == (event.seen_by(seat) or {})
            assert msgpack.unpackb(msgpack.packb(told)) == told


@pytest.mark.parametrize("seats", games()["kali"].seats)
def test_in_kali_everybody_is_told_everything(seats: int) -> None:
    *_, last = walk(Table(games()["kali"], seats), seed=1)
    events = last.events or []
    assert all(seen(events, seat) == [event.full for event in events] for seat in range(seats))


@pytest.mark.slow
def test_a_fresh_process_with_another_hash_seed_plays_the_same_games() -> None:
    digests = {digest_in_a_process(hash_seed) for hash_seed in ("0", "1", "4242")}
    assert digests == {digest_of_games()}


def digest_of_games() -> str:
    """One game at every table."""
    return " ".join(record_digest(table, number) for number, table in enumerate(TABLES))


def digest_in_a_process(hash_seed: str) -> str:
    code = "from tests.test_contract import digest_of_games; print(digest_of_games())"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    return done.stdout.strip()
