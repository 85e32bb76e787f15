"""What happened in one game, as plain data, and the proof that it did.

A record can be re-enacted in two ways that do not trust each other: from the seed and the moves, and from
the events alone, which hold every move and every card that chance gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from dalang.engine.chance import Chance, ScriptedChance, ScriptError, SeededChance
from dalang.engine.game import NOBODY, Event, Game, IllegalMove, Move, Outcome, Plain, SetupError, State


class RecordError(Exception):
    """The data is not a record, or it tells something that cannot have happened."""


DAMAGE = (RecordError, LookupError, TypeError, ValueError, AttributeError)
"""What can come of reading and re-enacting data that somebody has damaged."""


class Turn(NamedTuple):
    """One decision and how it was made."""

    seat: int
    decision: str
    move: Move

    @classmethod
    def of(cls, seat: int, decision: str, move: list[str | int]) -> Self:
        return cls(seat, decision, tuple(move))

    def __str__(self) -> str:
        return f"seat {self.seat} {self.decision} {' '.join(map(str, self.move))}"


@dataclass
class Record:
    game: str
    rules_version: int
    seed: str
    seats: int
    options: Plain
    turns: list[Turn]
    events: list[Plain]
    outcome: Outcome

    def data(self) -> Plain:
        """What msgpack and JSON make plain data of; it shares its turns and events with the record."""
        return vars(self) | {"outcome": self.outcome._asdict()}

    @classmethod
    def of_data(cls, data: Plain) -> Record:
        """The record whose `data()` this is: all of it and nothing else, everything of its own type."""
        try:
            turns, outcome = [Turn.of(*turn) for turn in data["turns"]], Outcome(**data["outcome"])
            outcome = Outcome(tuple(outcome.scores), tuple(outcome.ranks), outcome.ending)
            record = cls(**{**data, "turns": turns, "outcome": outcome})
            check_types(record)
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"this is not a record of a game: {error!r}") from error
        return record


def check_types(record: Record) -> None:
    """What equals the truth may still be something else: Python takes `true` and `1.0` for `1`."""
    outcome, turns = record.outcome, record.turns
    sound: dict[str, tuple[set[type], list[Any]]] = {
        "text": ({str}, [record.game, record.seed, outcome.ending, *(turn.decision for turn in turns)]),
        "number": ({int}, [record.rules_version, record.seats, *outcome.scores, *outcome.ranks]),
        "seat": ({int}, [turn.seat for turn in turns]),
        "part of a move": ({str, int}, [part for turn in turns for part in turn.move]),
        "table": ({dict}, [record.options]),
        "list": ({list}, [record.events]),
    }
    for what, (types, values) in sound.items():
        for value in values:
            if type(value) not in types:
                raise TypeError(f"{value!r} is no {what}")


# ---- Making records


def enact(game: Game, seats: int, seed: str, choose: Callable[[State], Move], **options: Any) -> Record:
    """Play a whole game with one chooser for all seats."""
    state = game.start(seats, SeededChance(seed), **options)
    turns = []
    while state.seat != NOBODY:
        turn = Turn(state.seat, state.decision, choose(state))
        turns.append(turn)
        state.play(turn.move)
    return record_of(game, seed, state, turns)


def record_of(game: Game, seed: str, state: State, turns: list[Turn]) -> Record:
    """The record of a game that is over."""
    return Record(
        game=game.name,
        rules_version=game.rules_version,
        seed=seed,
        seats=state.seats,
        options=state.options,
        turns=turns,
        events=[event.full for event in state.events or ()],
        outcome=state.outcome(),
    )


# ---- Checking records


def discrepancies(record: Record, game: Game) -> list[str]:
    """What is wrong with the record, in words; nothing if both ways to re-enact it agree with it."""
    if record.game != game.name:
        return [f"recorded of the game {record.game!r}, this is {game.name!r}"]
    if record.rules_version != game.rules_version:
        return [f"recorded under rules version {record.rules_version}, this is version {game.rules_version}"]
    return [
        *(f"from the seed: {found}" for found in differences(record, game, from_seed)),
        *(f"from the events: {found}" for found in differences(record, game, from_events)),
    ]


def from_seed(record: Record) -> tuple[Chance, list[Turn]]:
    return SeededChance(record.seed), record.turns


def from_events(record: Record) -> tuple[Chance, list[Turn]]:
    drawn = [card for event in record.events for card in event.get("drawn", ())]
    moves = [event for event in record.events if "move" in event]
    return ScriptedChance(drawn), [
        Turn.of(event["seat"], event["decision"], event["move"]) for event in moves
    ]


def differences(
    record: Record, game: Game, source: Callable[[Record], tuple[Chance, list[Turn]]]
) -> Iterator[str]:
    """The first difference of each sort between the record and its re-enactment."""
    try:
        chance, turns = source(record)
        state = game.start(record.seats, chance, **record.options)
        for number, turn in enumerate(turns):
            replay(state, turn, number)
    except (SetupError, ScriptError, RecordError) as error:
        yield str(error)
        return
    except DAMAGE as error:
        yield f"the record is malformed: {error!r}"
        return
    yield from first_difference("move", record.turns, turns)
    yield from first_difference("event", record.events, [event.full for event in state.events or ()])
    try:
        check_over(state)
    except RecordError as error:
        yield str(error)
        return
    for name, recorded, found in zip(Outcome._fields, record.outcome, state.outcome(), strict=True):
        if recorded != found:
            yield f"outcome: {name} recorded as {recorded}, but they are {found}"


def replay(state: State, turn: Turn, number: int) -> None:
    if (turn.seat, turn.decision) != (state.seat, state.decision):
        raise RecordError(f"move {number} is recorded as {turn}, but it was for {who_decides(state)}")
    try:
        state.play(turn.move)
    except IllegalMove as error:
        raise RecordError(f"move {number}: {error}") from error


def check_over(state: State) -> None:
    """After the last move nobody has anything left to decide."""
    if state.seat != NOBODY:
        raise RecordError(f"the moves stop where seat {state.seat} must decide {state.decision!r}")


def who_decides(state: State) -> str:
    if state.seat == NOBODY:
        return "nobody: the game was over"
    return f"seat {state.seat} to decide {state.decision!r}"


def first_difference(what: str, recorded: list[Any], found: list[Any]) -> Iterator[str]:
    if repr(recorded) == repr(found):  # the quick way to see that nothing differs, not even a type
        return
    for number, (left, right) in enumerate(zip(recorded, found, strict=False)):
        if not same(left, right):
            yield f"{what} {number} recorded as {left}, but it is {right}"
            return
    if len(recorded) != len(found):
        yield f"{len(recorded)} {what}s recorded, but there are {len(found)}"


def same(left: Any, right: Any) -> bool:
    """Whether two pieces of plain data are equal, and of one type throughout."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def seen(events: list[Event], seat: int) -> list[Plain]:
    """These events as a seat sees them."""
    return [  # `Event.seen_by` spelled out, because matches ask for every event and every seat
        part for _, _, others, owner, own in events if (part := own if owner == seat else others) is not None
    ]
