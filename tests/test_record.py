"""Records cannot be bent unnoticed. That they prove what did happen is part of the contract of every game."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import Plain
from dalang.engine.record import Record, RecordError, discrepancies, enact, retold
from tests.examples import tried
from tests.playing import random_record
from tests.tables import PLAYTHROUGHS, Table

at_every_table = pytest.mark.parametrize("table", PLAYTHROUGHS, ids=str)
a_few_games = tried(3)


def wrong(data: Plain) -> list[str]:
    return discrepancies(Record.of_data(data), find_game(data["game"]))


@pytest.mark.parametrize(
    ("name", "rules_version", "digest"),
    [
        ("kali", 1, "35ea3fca9fc46e39"),
        ("bali_wrede", 1, "dd8573d155a7e3ba"),
        ("bali_rosenberg", 1, "b9897ab40fe60f59"),
    ],
)
def test_a_digest_stays_what_it_was_as_long_as_the_rules_do(
    name: str, rules_version: int, digest: str
) -> None:
    """Files hold such digests: if this fails and the rules have no new version, all of them are disproved."""
    game = find_game(name)
    record = enact(game, game.seats[-1], "golden", lambda state: state.moves()[-1])
    assert (record.rules_version, record.digest) == (rules_version, digest)


# ---- Tampering


def another_move(data: Plain, rng: Random) -> None:
    rng.choice(data["turns"])[2][0] = "bribe"


def another_legal_move(data: Plain, rng: Random) -> None:
    """Swap two moves of the same sort of decision that differ."""
    one = rng.choice(data["turns"])
    others = [turn for turn in data["turns"] if turn[1] == one[1] and turn[2] != one[2]]
    assume(others)  # a short game may have no two different moves of one sort
    two = rng.choice(others)
    one[2], two[2] = two[2], one[2]


def another_seat(data: Plain, rng: Random) -> None:
    rng.choice(data["turns"])[0] += 1


def another_card(data: Plain, rng: Random) -> None:
    drawn = data["drawn"]
    index = rng.randrange(len(drawn))
    assume(len(set(drawn)) > 1)
    drawn[index] = rng.choice(sorted(set(drawn) - {drawn[index]}))


def a_missing_card(data: Plain, rng: Random) -> None:
    del data["drawn"][-1]


def an_added_card(data: Plain, rng: Random) -> None:
    data["drawn"].append(data["drawn"][-1])


def another_digest(data: Plain, rng: Random) -> None:
    data["digest"] = data["digest"][::-1] + "!"


def another_score(data: Plain, rng: Random) -> None:
    data["outcome"]["scores"][rng.randrange(data["seats"])] += 1


def another_place(data: Plain, rng: Random) -> None:
    data["outcome"]["ranks"][rng.randrange(data["seats"])] += 1


def another_ending(data: Plain, rng: Random) -> None:
    data["outcome"]["ending"] = "by decree"


def another_seed(data: Plain, rng: Random) -> None:
    data["seed"] += "!"


def a_missing_event(data: Plain, rng: Random) -> None:
    del data["events"][rng.randrange(len(data["events"]))]


def an_added_event(data: Plain, rng: Random) -> None:
    data["events"].insert(rng.randrange(len(data["events"])), {"event": "miracle"})


def a_missing_end(data: Plain, rng: Random) -> None:
    del data["turns"][-1]


def an_added_move(data: Plain, rng: Random) -> None:
    data["turns"].append(data["turns"][-1])


NAMED = {
    another_move: "move",
    another_legal_move: "from the seed: ",
    another_seat: "move",
    another_card: "from the seed: card",
    a_missing_card: "from the cards: ",
    an_added_card: "cards recorded",
    another_digest: "digest recorded",
    another_score: "outcome: scores",
    another_place: "outcome: ranks",
    another_ending: "outcome: ending",
    another_seed: "from the seed",
    a_missing_event: "event",
    an_added_event: "event",
    a_missing_end: "moves stop",
    an_added_move: "the game was over",
}


@at_every_table
@pytest.mark.parametrize("tamper", NAMED, ids=lambda tamper: tamper.__name__)
@a_few_games
@given(seed=st.integers(0, 2**32))
def test_tampering_is_found_and_named(
    table: Table, tamper: Callable[[Plain, Random], None], seed: int
) -> None:
    data = told_record(table, seed % 50)
    honest = copy.deepcopy(data)
    tamper(data, Random(seed))
    assert data != honest
    assert NAMED[tamper] in " ".join(wrong(data))


def told_record(table: Table, seed: int) -> Plain:
    """A record with its events, as a file for people has it."""
    data: Plain = json.loads(json.dumps(retold(random_record(table, seed), table.game).data()))
    return data


@at_every_table
def test_a_record_of_an_older_dalang_is_proved_by_its_events(table: Table) -> None:
    honest = {key: value for key, value in told_record(table, 1).items() if key not in ("drawn", "digest")}
    assert wrong(honest) == []
    assert Record.of_data(honest).drawn == random_record(table, 1).drawn
    for tamper in (another_move, a_missing_event, an_added_event, another_score):
        data = copy.deepcopy(honest)
        tamper(data, Random(1))
        assert wrong(data)


def test_a_record_without_digest_and_events_is_refused() -> None:
    data = random_record(PLAYTHROUGHS[0], 1).data()
    with pytest.raises(RecordError, match="not a record"):
        Record.of_data(data | {"digest": ""})


def test_a_record_under_other_rules_is_not_judged() -> None:
    data = random_record(PLAYTHROUGHS[0], 1).data() | {"rules_version": 999}
    assert wrong(data) == ["recorded under rules version 999, this is version 1"]
    with pytest.raises(RecordError, match="version 999 of the rules, this is 1"):
        retold(Record.of_data(data), find_game(data["game"]))


def test_bad_seats_and_options_in_a_record_are_named() -> None:
    data = random_record(PLAYTHROUGHS[0], 1).data()
    assert "is for 2 to 6 players" in wrong(data | {"seats": 99})[0]
    assert "there is no kali option" in wrong(data | {"options": {"cheat": True}})[0]


@pytest.mark.parametrize("damage", [{"turns": 5}, {"turns": [[1]]}, {"outcome": None}, {"outcome": {}}])
def test_data_that_is_no_record_is_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="not a record"):
        Record.of_data(random_record(PLAYTHROUGHS[0], 1).data() | damage)


@pytest.mark.parametrize(
    "event", [{"event": "move", "move": ["draw"]}, None, [], {"drawn": 5}, {"drawn": [[]]}]
)
def test_malformed_events_are_named(event: Any) -> None:
    data = told_record(PLAYTHROUGHS[0], 1)
    data["events"][0] = event
    assert "from the cards: event 0 recorded as" in " ".join(wrong(data))


def test_a_record_of_another_game_is_not_judged() -> None:
    record = random_record(PLAYTHROUGHS[0], 1)
    record.game = "bali_wrede"
    assert discrepancies(record, find_game("kali")) == ["recorded of the game 'bali_wrede', this is 'kali'"]


# ---- What equals the truth and is something else


def places(data: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value in plain data."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(value, *path, key)
    else:
        yield path


def retyped(value: Any) -> Any:
    """Something that Python takes for this number."""
    return bool(value) if value in (0, 1) and type(value) is int else float(value)


@at_every_table
def test_a_number_that_becomes_another_type_is_found(table: Table) -> None:
    honest = told_record(table, 1)
    numbers = [path for path in places(honest) if type(reduce(getitem, path, honest)) is int]
    events = [path for path in numbers if path[0] in ("events", "turns")]
    for path in [path for path in numbers if path not in events] + Random(str(table)).sample(events, 6):
        data = copy.deepcopy(honest)
        inner: Any = reduce(getitem, path[:-1], data)
        inner[path[-1]] = retyped(inner[path[-1]])
        assert data == honest
        assert is_refused(data), path


@at_every_table
def test_a_key_that_does_not_belong_there_is_found(table: Table) -> None:
    honest = told_record(table, 1)
    for change in (
        {"blessed": 1},
        {"outcome": honest["outcome"] | {"blessed": 1}},
        {"options": honest["options"] | {"blessed": 1}},
        {"events": [honest["events"][0] | {"blessed": 1}, *honest["events"][1:]]},
    ):
        assert is_refused(honest | change), change.keys()


def is_refused(data: Plain) -> bool:
    """Whether it is no record, or one with something wrong about it."""
    try:
        return bool(wrong(data))
    except RecordError:
        return True


def test_the_luck_of_a_seat_does_not_depend_on_what_the_others_do() -> None:
    """Seat 1's first card is the same draw of the same stream, whatever seat 0 did before."""
    kali = find_game("kali")
    short: Any = kali.start(2, SeededChance("aligned"))
    other = short.chance.clone()
    while short.owner == 0:
        short.play(short.moves()[-1])
    assert short.chance.below(10**9, "deck", 1) == other.below(10**9, "deck", 1)
