"""What happened in one game, as plain data, and the proof that it did.

A record keeps what cannot be computed: the seed, the moves, what chance gave, how it ended, and a digest of the
whole game. Everything else comes of re-enacting it, which can be done in two ways that do not trust each other:
from the seed and the moves, and from the cards and the moves without the seed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, Self

from dalang.engine.chance import RecordingChance, ScriptedChance, ScriptError, SeededChance
from dalang.engine.game import NOBODY, Event, Game, Move, Outcome, Plain, SetupError, State


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
    drawn: list[str | int]
    """What chance gave, in order: cards by name, and numbers."""
    outcome: Outcome
    digest: str
    """See `digest_of`. Records of dalang 0.2 and older have none; they have their events."""
    events: list[Plain] | None = None
    """The whole story, where somebody has asked for it; it is proved like all the rest."""

    def data(self) -> Plain:
        """What msgpack and JSON make plain data of; it shares its lists with the record."""
        data = vars(self) | {"outcome": self.outcome._asdict()}
        if self.events is None:
            del data["events"]
        return data

    @classmethod
    def of_data(cls, data: Plain) -> Record:
        """The record whose `data()` this is: all of it and nothing else, everything of its own type."""
        try:
            data = data if "digest" in data else of_an_older_dalang(data)
            turns, outcome = [Turn.of(*turn) for turn in data["turns"]], Outcome(**data["outcome"])
            outcome = Outcome(tuple(outcome.scores), tuple(outcome.ranks), outcome.ending)
            record = cls(**{**data, "turns": turns, "outcome": outcome})
            check_types(record)
            if data.keys() != record.data().keys():
                raise TypeError("events that nobody has asked for are told")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"this is not a record of a game: {error!r}") from error
        return record


def of_an_older_dalang(data: Plain) -> Plain:
    """Up to 0.2 a record had its events, and in them the cards."""
    return data | {
        "drawn": [card for event in data["events"] for card in event.get("drawn", ())],
        "digest": "",
    }


def check_types(record: Record) -> None:
    """What equals the truth may still be something else: Python takes `true` and `1.0` for `1`."""
    outcome, turns = record.outcome, record.turns
    sound: dict[str, tuple[set[type], list[Any]]] = {
        "text": ({str}, [record.game, record.seed, record.digest, outcome.ending]),
        "decision": ({str}, [turn.decision for turn in turns]),
        "number": ({int}, [record.rules_version, record.seats, *outcome.scores, *outcome.ranks]),
        "seat": ({int}, [turn.seat for turn in turns]),
        "part of a move": ({str, int}, [part for turn in turns for part in turn.move]),
        "table": ({dict}, [record.options]),
        "card": ({str, int}, record.drawn),
        "list": ({list}, [record.drawn, record.events if record.events or not record.digest else []]),
    }
    for what, (types, values) in sound.items():
        for value in values:
            if type(value) not in types:
                raise TypeError(f"{value!r} is no {what}")


# ---- Making records


def enact(
    game: Game,
    seats: int,
    seed: str,
    choose: Callable[[State], Move],
    chance: RecordingChance | None = None,
    **options: Any,
) -> Record:
    """Play a whole game with one chooser for all seats; with the luck of the seed, or with other luck."""
    chance = chance or RecordingChance(seed)
    state = game.start(seats, chance, **options)
    turns: list[Turn] = []
    choices = []
    while state.seat != NOBODY:
        turn = Turn(state.seat, state.decision, choose(state))
        choices.append(replay(state, turn, len(turns)))
        turns.append(turn)
    return record_of(game, chance, state, turns, choices)


def record_of(
    game: Game, chance: RecordingChance, state: State, turns: list[Turn], choices: list[int]
) -> Record:
    """The record of a game that is over."""
    return Record(
        game=game.name,
        rules_version=game.rules_version,
        seed=chance.seed,
        seats=state.seats,
        options=state.options,
        turns=turns,
        drawn=chance.given,
        outcome=state.outcome(),
        digest=digest_of(choices, chance.given, state.outcome()),
    )


def digest_of(choices: list[int], drawn: list[str | int], outcome: Outcome) -> str:
    """Sixteen letters that stand for the whole game: for all choices, by number, what chance gave, and how it ended.

    Nothing in it depends on how a game keeps its state: a record is good for as long as the rules are.
    """
    whole = repr([choices, drawn, *outcome])
    return blake2b(whole.encode(), digest_size=8).hexdigest()


def retold(record: Record, game: Game) -> Record:
    """The record with all its events; one of DAMAGE if it cannot be re-enacted."""
    if record.rules_version != game.rules_version:
        raise RecordError(
            f"it was played by version {record.rules_version} of the rules, this is {game.rules_version}"
        )
    state = game.start(record.seats, SeededChance(record.seed), **record.options)
    for number, turn in enumerate(record.turns):
        replay(state, turn, number)
    return dataclasses.replace(record, events=story_of(state))


def story_of(state: State) -> list[Plain]:
    return [event.full for event in state.events or ()]


# ---- Checking records


def discrepancies(record: Record, game: Game) -> list[str]:
    """What is wrong with the record, in words; nothing if both ways to re-enact it agree with it."""
    if record.game != game.name:
        return [f"recorded of the game {record.game!r}, this is {game.name!r}"]
    if record.rules_version != game.rules_version:
        return [f"recorded under rules version {record.rules_version}, this is version {game.rules_version}"]
    return [
        *(f"from the seed: {found}" for found in differences(record, game, RecordingChance(record.seed))),
        *(f"from the cards: {found}" for found in differences(record, game, ScriptedChance(record.drawn))),
    ]


def differences(record: Record, game: Game, chance: RecordingChance | ScriptedChance) -> Iterator[str]:
    """The first difference of each sort between the record and its re-enactment with this luck."""
    try:
        state = game.start(record.seats, chance, **record.options)
        if record.events is None:
            state.events = None  # nobody will read them
        choices = [replay(state, turn, number) for number, turn in enumerate(record.turns)]
        check_over(state)
    except (SetupError, ScriptError, RecordError) as error:
        yield str(error)
        return
    except DAMAGE as error:
        yield f"the record is malformed: {error!r}"
        return
    yield from first_difference("card", record.drawn, chance.given)
    if record.events is not None:
        yield from first_difference("event", record.events, story_of(state))
    for name, recorded, found in zip(Outcome._fields, record.outcome, state.outcome(), strict=True):
        if recorded != found:
            yield f"outcome: {name} recorded as {recorded}, but they are {found}"
    if record.digest not in ("", found := digest_of(choices, chance.given, state.outcome())):
        yield f"digest recorded as {record.digest!r}, but that of these moves is {found!r}"


def replay(state: State, turn: Turn, number: int) -> int:
    """Make a recorded move; returns which of the legal ones it is."""
    if (turn.seat, turn.decision) != (state.seat, state.decision):
        raise RecordError(f"move {number} is recorded as {turn}, but it was for {who_decides(state)}")
    try:
        choice = state.moves().index(turn.move)
    except ValueError:
        raise RecordError(f"move {number}: {turn.move!r} is no legal move of {who_decides(state)}") from None
    state.apply(turn.move)
    return choice


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
