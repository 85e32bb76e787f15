"""What luck did: unbiased whatever the value is, told from the record alone, and of use where the value is good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import comb
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

import pytest

from dalang.engine.catalogue import bundled_games, games
from dalang.engine.chance import Chance
from dalang.engine.game import Game, Move, Outcome, Plain, SetupError, State, ranked
from dalang.engine.luck import MOST_LUCK, STAND_IN, THE_DEAL, Luck, luck_in
from dalang.engine.record import Record, RecordError, enact
from dalang.engine.value import EVEN, Value, share_beaten, with_some_out
from dalang.harness.statistics.intervals import mean_and_error
from tests.playing import play_out

# ---- A game that can be reckoned through


class Tossing(State):
    """Seat 0 tosses a coin five times, and wins with three heads or more."""

    __slots__ = ("heads", "tosses")
    OPTIONS: ClassVar = {}

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.heads = self.tosses = 0
        self.ask(0, "toss")

    def may_toss(self) -> list[Move]:
        return [("toss",)]

    def on_toss(self, verb: str) -> None:
        self.heads += self.chance.below(2, "coin")
        self.tosses += 1
        if self.tosses < 5:
            self.ask(0, "toss")

    def sight(self, seat: int) -> Plain:
        return {}

    def outcome(self) -> Outcome:
        scores = (self.heads, 5 - self.heads)
        return Outcome(scores, ranked(scores), "tossed")

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        raise NotImplementedError

    def copy_to(self, twin: Self) -> None:
        twin.heads, twin.tosses = self.heads, self.tosses


def exactly(state: Tossing) -> list[float]:
    left = 5 - state.tosses
    wins = sum(comb(left, heads) for heads in range(left + 1) if state.heads + heads >= 3) / 2**left
    return [wins, 1 - wins]


TOSSING = Game("tossing", "Tossing", (2,), 1, Tossing, Path(__file__), str, value=Value(1, exactly))


def shares(record: Record) -> list[float]:
    return [share_beaten(record.outcome.ranks, seat) for seat in range(record.seats)]


def test_a_value_that_is_exact_leaves_nothing_to_luck() -> None:
    for number in range(20):
        record = enact(TOSSING, 2, f"toss {number}", lambda state: state.moves()[0])
        luck = luck_in(record, TOSSING)
        assert [result - each for result, each in zip(shares(record), luck.by_seat, strict=True)] == [
            0.5,
            0.5,
        ]
        assert [stroke.turn for stroke in luck.strokes] == [0, 1, 2, 3, 4]


def test_what_is_even_until_the_end_has_luck_only_where_it_ends() -> None:
    record = enact(TOSSING, 2, "toss", lambda state: state.moves()[0])
    *before, last = luck_in(record, TOSSING, value=EVEN).strokes
    assert all(stroke.luck == (0.0, 0.0) for stroke in before)
    assert last.purpose == "coin"
    assert abs(last.luck[0]) in (0.0, 0.5)  # the others' tosses may have decided it


# ---- Unbiased


def by_seat(state: Any) -> list[float]:
    """A value that is of little use: it likes some seats, and large hands of all sorts."""
    luck = Random(repr(state.dump()))
    return [luck.random() for _ in range(state.seats)]


def far_off(lucks: Sequence[Sequence[float]]) -> float:
    """How many standard errors the mean of the luckiest or unluckiest seat is from 0."""
    columns = zip(*lucks, strict=True)
    found = [mean_and_error(column) for column in columns]
    return max(abs(mean) / error if error > 1e-9 else 0.0 for mean, error in found)


@cache
def random_games(name: str, seats: int, number: int) -> list[Record]:
    game, rng = games()[name], Random(f"{name} {seats}")
    options = {"max_turns": 8} if name == "bali_rosenberg" else {}
    return [
        enact(game, seats, f"luck {each}", lambda state: rng.choice(state.moves()), **options)
        for each in range(number)
    ]


@cache
def own_luck(name: str, seats: int) -> list[Luck]:
    """By the game's own value, which takes its time."""
    number = min(24, NUMBERS[name])
    return [luck_in(record, games()[name]) for record in random_games(name, seats, number)]


NUMBERS = {"kali": 60, "bali_wrede": 24, "bali_rosenberg": 8}
TABLES = [(name, seats) for name in bundled_games() for seats in games()[name].seats]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_luck_has_no_favourites(name: str, seats: int) -> None:
    assert far_off([luck.by_seat for luck in own_luck(name, seats)]) < 4


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_luck_by_a_nonsensical_value_has_no_favourites_either(name: str, seats: int) -> None:
    records = random_games(name, seats, NUMBERS[name])
    lucks = [luck_in(record, games()[name], value=Value(9, by_seat)).by_seat for record in records]
    assert far_off(lucks) < 4


@pytest.mark.parametrize("seats", [2, 4])
def test_luck_with_a_bound_and_by_manners_has_no_favourites_either(seats: int) -> None:
    found = own_luck("kali", seats)
    assert far_off([luck.bounded for luck in found]) < 4
    assert max(abs(each) for luck in found for each in luck.bounded) <= MOST_LUCK
    for seat in range(seats):
        assert far_off([luck.by_manner[seat] for luck in found]) < 4
        assert any(luck.by_manner[seat][seat] for luck in found)


def wild(state: Any) -> list[float]:
    """Thinks that every card turns everything round."""
    luck = Random(repr(state.dump()))
    return [9 * luck.random() for _ in range(state.seats)]


def test_luck_with_a_bound_keeps_to_it_whatever_the_value_says() -> None:
    found = [
        luck_in(record, games()["kali"], value=Value(9, wild))
        for record in random_games("kali", 2, NUMBERS["kali"])
    ]
    assert max(abs(each) for luck in found for each in luck.bounded) <= MOST_LUCK
    assert max(abs(each) for luck in found for each in luck.by_seat) > MOST_LUCK


def peeking(record: Record) -> Value:
    """One that knows which card comes next, because it has seen the record."""

    def of(state: Any) -> list[float]:
        turned, script = list(state.turned), list(record.drawn)
        noise = script[: len(turned) + 1] == [*turned, "noise"]
        return [0.0 if noise and seat == state.seat else 0.5 for seat in range(state.seats)]

    return Value(9, of)


def test_a_value_that_peeks_at_the_next_card_is_caught() -> None:
    records = random_games("kali", 2, 60)
    lucks = [luck_in(record, games()["kali"], value=peeking(record)).by_seat for record in records]
    assert far_off(lucks) > 4


def playing_on(state: Any) -> list[float]:
    """Sees how it ends if all play at random from here, in the state that it was given."""
    play_out(state, 1)
    return [share_beaten(state.outcome().ranks, seat) for seat in range(state.seats)]


@pytest.mark.parametrize("name", ["kali", "bali_wrede"])
def test_a_value_may_play_on_without_seeing_what_really_came(name: str) -> None:
    """Its guess is a poor one, but no worse than that: nothing is spoilt, and nobody is favoured."""
    records = random_games(name, 2, NUMBERS[name])
    lucks = [luck_in(record, games()[name], value=Value(9, playing_on)).by_seat for record in records]
    assert far_off(lucks) < 4


@pytest.mark.parametrize(
    "of",
    [
        lambda state: [0.5],
        lambda state: [0.5] * 3,
        lambda state: [float("nan"), 0.5],
        lambda state: [0.5, float("inf")],
        lambda state: ["good", "bad"],
        lambda state: None,
        lambda state: [1 / 0, 0.5],
    ],
)
def test_a_value_that_fails_is_told_in_one_line(of: Any) -> None:
    [record] = random_games("kali", 2, 1)
    for value in (Value(9, of), Value(9, playing_on, manners=lambda state: ([0.5, 0.5], of(state)))):
        with pytest.raises(SetupError, match=r"^the value of kali "):
            luck_in(record, games()["kali"], value=value)


def test_a_value_is_believed_wholly_at_most() -> None:
    for weight in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="from 0 to 1"):
            Value(9, exactly, weight)


# ---- Faults


def test_the_choices_of_a_stand_in_are_luck_too() -> None:
    records = random_games("kali", 3, 24)  # a stand-in draws its moves as all do here
    found = [luck_in(record, games()["kali"], {1: 8}) for record in records]
    drawn = [stroke for luck in found for stroke in luck.strokes if stroke.purpose == STAND_IN]
    assert drawn
    assert all(stroke.seat == 1 and stroke.turn >= 8 for stroke in drawn)
    assert far_off([luck.by_seat for luck in found]) < 4


def test_who_is_out_has_neither_luck_nor_bad_luck() -> None:
    for record in random_games("kali", 2, 8):
        assert luck_in(record, games()["kali"], {0: -1}).by_seat == (0.0, 0.0)


def test_who_is_out_is_below_all_others_the_first_lowest() -> None:
    assert with_some_out([0.9, 0.6, 0.3, 0.2], [0, 3]) == pytest.approx([0.0, 2.65 / 3, 2.35 / 3, 1 / 3])


def test_a_record_of_other_rules_is_refused() -> None:
    record = replace(random_games("kali", 2, NUMBERS["kali"])[0], rules_version=99)
    with pytest.raises(RecordError, match="version 99 of the rules"):
        luck_in(record, games()["kali"])


def test_the_deal_is_luck_like_any_other_draw() -> None:
    [first, *_] = luck_in(
        random_games("bali_wrede", 2, NUMBERS["bali_wrede"])[0], games()["bali_wrede"]
    ).strokes
    assert (first.turn, first.purpose) == (THE_DEAL, "stack")
