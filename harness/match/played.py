"""A match that was played: all that is known of it, its way to plain data and back, and what that data must be like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from math import isfinite
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, ranked
from dalang.engine.record import DAMAGE, Record, RecordError, retold
from dalang.harness.blocks import MatchResult
from dalang.harness.match.limits import Limits

BEFORE_THE_FIRST = -1
"""The number of no decision: what happened before there was one to make."""


@dataclass(frozen=True)
class Fault:
    """A broken contract, as data."""

    seat: int
    kind: str
    detail: str
    turn: int
    """The decision at which it happened, counted over all seats from 0, or BEFORE_THE_FIRST; the stand-in decides
    from there on."""
    stderr: list[str] = field(default_factory=list)
    question: int = 0
    """The number of that decision as the bot was told it: its own questions, counted from 1; 0 if it was asked
    none, and in records of dalang 0.2."""

    def moment(self) -> str:
        if self.turn == BEFORE_THE_FIRST:
            return "before the game"
        return f"at decision {self.turn}" + (f", its question {self.question}" if self.question else "")


@dataclass(frozen=True)
class Played:
    """The game, and what the players did beside playing it."""

    record: Record
    names: tuple[str, ...]
    ranks: tuple[int, ...]
    """The game's places, those who broke the contract below all others."""
    faults: tuple[Fault, ...]
    """In the order in which they happened."""
    notes: Mapping[int, str]
    """By decision, what a bot had to say about its choice."""
    microseconds: tuple[list[int], ...] = ()
    """By seat, how long each answer took, and the wait for one that did not come in time."""
    voided: int = 0
    """How often the match was void before, because the harness itself was late."""
    stderr: tuple[str, ...] = ()
    """By seat, what the bot wrote to stderr from `start` on, its beginning and its end; empty unless it was wanted."""
    conditions: Plain = field(default_factory=dict)
    """What else the bots were told, of a match that belongs to no tournament: see `Conditions`."""

    @property
    def scores(self) -> tuple[int, ...]:
        return self.record.outcome.scores

    def fault_kinds(self) -> tuple[str, ...]:
        """By seat, the kind of its fault, or nothing."""
        kinds = {fault.seat: fault.kind for fault in reversed(self.faults)}
        return tuple(kinds.get(seat, "") for seat in range(len(self.names)))

    def out_from(self) -> dict[int, int]:
        """By seat that broke the contract, the decision from which on the stand-in plays: that of its first fault."""
        return {fault.seat: fault.turn for fault in reversed(self.faults)}

    def result(self) -> MatchResult:
        return MatchResult(self.names, self.ranks, self.scores, self.fault_kinds())

    def retold(self) -> Played:
        """The match with every event of its story."""
        if self.record.events is not None:
            return self
        try:
            return replace(self, record=retold(self.record, find_game(self.record.game)))
        except DAMAGE as error:
            raise SetupError(f"this match cannot be re-enacted: {error}") from error

    def data(self) -> Plain:
        """What msgpack and JSON make plain data of."""
        return {
            "names": self.names,
            "ranks": self.ranks,
            "faults": [asdict(fault) for fault in self.faults],
            "notes": {str(turn): note for turn, note in self.notes.items()},
            "record": self.record.data(),
            "microseconds": self.microseconds,
            "voided": self.voided,
            **({"stderr": self.stderr} if self.stderr else {}),
            **({"conditions": self.conditions} if self.conditions else {}),
        }

    @classmethod
    def of_data(cls, data: Plain) -> Played:
        """The match whose `data()` this is, if everything in it has the right shape: else one of DAMAGE."""
        record = Record.of_data(data["record"])
        check_shapes(data, record)
        return cls(
            record=record,
            names=tuple(data["names"]),
            ranks=tuple(data["ranks"]),
            faults=tuple(Fault(**fault) for fault in data["faults"]),
            notes={int(turn): note for turn, note in data["notes"].items()},
            microseconds=tuple(data["microseconds"]),
            voided=data["voided"],
            stderr=tuple(data.get("stderr", ())),
            conditions=data.get("conditions", {}),
        )


OPTIONAL = {"stderr", "conditions"}


@dataclass(frozen=True)
class Conditions:
    """What the bots of a match were told that is not in its record."""

    limits: Plain
    key: str = ""
    """See `Match.key`."""
    ask_forced: bool = False
    clock: bool = True


def is_sound(conditions: Any) -> bool:
    """Whether this is nothing, or the data of `Conditions`."""
    match conditions:
        case {"limits": dict(limits), "key": str(), "ask_forced": bool(), "clock": bool(), **more}:
            names = {each.name for each in fields(Limits)}
            return not more and limits.keys() <= names and all(map(is_number, limits.values()))
    return bool(conditions == {})


def is_number(data: Any) -> bool:
    return type(data) in (int, float) and isfinite(data)


def check_shapes(data: Plain, record: Record) -> None:
    seats, times, notes = record.seats, data["microseconds"], data["notes"]
    known = {each.name for each in fields(Played)}
    sound = {
        "keys": known - OPTIONAL <= data.keys() <= known,
        "names": is_list_of(str, data["names"], seats),
        "ranks": is_list_of(int, data["ranks"], seats),
        "scores": is_list_of(int, list(record.outcome.scores), seats),
        "microseconds": is_list_of(list, times, seats) and all(map(is_count, chain(*times))),
        "notes": all(map(is_decimal, notes)) and is_list_of(str, list(notes.values())),
        "faults": all(is_fault(fault, seats) for fault in data["faults"]),
        "voided": is_count(data["voided"]),
        "stderr": "stderr" not in data or is_list_of(str, data["stderr"], seats),
        "conditions": is_sound(data.get("conditions", {})),
    }
    for part in (part for part, is_sound in sound.items() if not is_sound):
        raise RecordError(f"its {part} cannot be read")


def is_list_of(kind: type, data: Any, length: int | None = None) -> bool:
    return (
        isinstance(data, list)
        and all(type(each) is kind for each in data)  # true is no number
        and length in (None, len(data))
    )


def is_count(data: Any) -> bool:
    return type(data) is int and data >= 0


def is_decimal(text: str) -> bool:
    """Whether this is a number as we write it: no two of them are the same number."""
    return text.isdecimal() and text == str(int(text))


def is_fault(data: Any, seats: int) -> bool:
    match data:
        case {"seat": int(seat), "kind": str(), "detail": str(), "turn": int(), "stderr": lines, **more}:
            whole = is_list_of(int, [seat, data["turn"]]) and is_count(more.pop("question", 0))
            return whole and 0 <= seat < seats and is_list_of(str, lines) and not more
    return False


def final_ranks(ranks: Sequence[int], faulters: Sequence[int]) -> tuple[int, ...]:
    """The places of the game; who broke the contract is below all others, the earlier the lower."""
    return ranked(
        [(0, faulters.index(seat)) if seat in faulters else (1, -rank) for seat, rank in enumerate(ranks)]
    )
