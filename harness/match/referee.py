"""One match: who is asked, what they may see, what they answered, what changed.

`referee` is a plain generator without clocks and pipes: it yields a question for a seat and is sent the answer,
or the fault that came instead. Whoever drives it decides how seats are asked: over pipes, in this process, in a
test.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from dalang.engine.chance import RecordingChance, SeededChance
from dalang.engine.game import NOBODY, Game, Move, Outcome, Plain, State
from dalang.engine.record import Turn, record_of, seen, story_of
from dalang.harness.escaping import shortened
from dalang.harness.match.faults import BotFault, Illegal
from dalang.harness.match.game_errors import told_of_game
from dalang.harness.match.limits import MAX_DETAIL, MAX_NOTES
from dalang.harness.match.played import BEFORE_THE_FIRST, Fault, Played, final_ranks
from dalang.protocol import messages
from dalang.protocol.messages import EVERYTHING, NEWS, VIEW

CUT = " [… cut: that is all that is kept of a bot's notes in one match]"


@dataclass(frozen=True)
class Match:
    """What is to be played."""

    game: Game
    seed: str
    names: tuple[str, ...]
    """Who sits where."""
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Plain = field(default_factory=dict)
    """What the bots are told about their limits."""
    ask_forced: bool = False
    """Ask also where only one move is legal."""
    key: str = ""
    """What tells this match from others with the same seed: the bots' own luck depends on it, the deal does not."""
    given: Sequence[Move] = ()
    """The moves of a match that was played before, from which this one goes on."""
    at_once: bool = False
    """Whether nobody is asked again how he decided then; what happened is told with the first question."""
    luck: str | None = None
    """The seed of what chance gives from there on; None for that of the match."""


class Question(NamedTuple):
    """What a seat is asked or told; `moves` counts what it may choose from, and is 0 if no move is wanted."""

    seat: int
    message: Plain
    moves: int = 0


class Answer(NamedTuple):
    move: int = 0
    note: str = ""
    wants: frozenset[str] = EVERYTHING
    """Of the answer to `start`: what the seat is to be told when it decides."""


Talk = Generator[Question, Answer | BotFault, Played]
Watcher = Callable[[list[Plain]], None]
"""Somebody who is told everything as it happens: the events, with the note of the bot that caused them and who broke
the contract before them."""


class Scribe(Protocol):
    """Somebody who notes which moves are made, by their numbers; that costs less than to be told what happens."""

    def start(self) -> None:
        """The game begins."""

    def choose(self, choice: int) -> None:
        """A move is chosen."""


def referee(match: Match, watch: Watcher | None = None, scribe: Scribe | None = None) -> Talk:
    """Play a match to its end, whatever the players do."""
    running = RunningMatch(match)
    try:
        return (yield from conversation(running, watch, scribe))
    except Exception as error:
        broke = told_of_game(error, match.game, match.seed, match.names, running.turns)
        if broke is None:
            raise
        raise broke from error


def conversation(running: RunningMatch, watch: Watcher | None = None, scribe: Scribe | None = None) -> Talk:
    match = running.match
    yield from running.prepare()
    state = running.begin(is_watched=watch is not None or match.luck is not None)
    yield from running.go_over()
    if scribe:
        scribe.start()
    while state.seat != NOBODY:
        moves = state.moves()
        if len(moves) == 1 and not match.ask_forced:
            choice = 0
        elif state.seat in running.out:
            choice = running.stand_in_choice(len(moves))
        else:
            reply = yield running.question(moves)
            choice = running.choice(reply, len(moves))
        if scribe:
            scribe.choose(choice)
        running.make(moves, choice)
        if watch:
            watch(running.unwatched())
    yield from running.dismiss()
    return running.played()


class RunningMatch:
    """One match while it is played: what each seat has been told, and who is still in."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.seats = match.game.checked_seats(len(match.names))
        self.options = match.game.checked_options(match.options)
        self.chance = RecordingChance(match.seed)
        self.state: State
        self.wants = [EVERYTHING] * self.seats
        """What each seat is to be told."""
        self.turns: list[Turn] = []
        self.choices: list[int] = []
        self.faults: list[Fault] = []
        self.out: set[int] = set()
        self.notes: dict[int, str] = {}
        self.room_for_notes = [MAX_NOTES] * self.seats
        """How many letters of notes are still kept of each seat."""
        self.events_told = [0] * self.seats
        """How many events each seat has been told."""
        self.questions_asked = [0] * self.seats
        """How many questions each seat has been asked."""
        self.events_watched = self.faults_watched = 0
        """How many of each the watcher has been told."""
        self.stand_in = SeededChance(match.seed)

    def prepare(self) -> Generator[Question, Answer | BotFault, None]:
        for seat in range(self.seats):
            reply = yield Question(seat, self.start_message(seat))
            if isinstance(reply, BotFault):
                self.exclude(seat, reply, BEFORE_THE_FIRST)
            else:
                self.wants[seat] = reply.wants

    def begin(self, is_watched: bool) -> State:
        """The game, once it is known for whom events are to be made."""
        self.state = self.match.game.state(self.seats, self.chance, self.options)
        listeners = [seat for seat, wants in enumerate(self.wants) if NEWS in wants and seat not in self.out]
        if not listeners and not is_watched:
            self.state.events = None
        return self.state

    def start_message(self, seat: int) -> Plain:
        match = self.match
        return messages.start(
            match.game.name,
            match.game.rules_version,
            self.seats,
            seat,
            self.options,
            bot_seed(match.seed, seat, match.key),
            match.limits,
        )

    def make(self, moves: list[Move], choice: int) -> None:
        state = self.state
        self.turns.append(Turn(state.seat, state.decision, moves[choice]))
        self.choices.append(choice)
        state.apply(moves[choice])

    def go_over(self) -> Generator[Question, Answer | BotFault, None]:
        """What was played before.

        Whoever decided then is asked again, so that it knows what it knew and has drawn what it drew; what it says is
        not heeded, but a fault is one.
        """
        match, state = self.match, self.state
        for move in match.given:
            moves, seat = state.moves(), state.seat
            if (len(moves) > 1 or match.ask_forced) and seat not in self.out:
                if match.at_once:
                    self.questions_asked[seat] += 1
                elif isinstance(reply := legal((yield self.question(moves)), len(moves)), BotFault):
                    self.exclude(seat, reply, len(self.turns))
            self.make(moves, moves.index(move))
        if match.luck is not None:
            self.chance.reseed(match.luck)
        if match.given:
            self.events_watched = len(state.events or ())

    def question(self, moves: list[Any]) -> Question:
        """For the seat that decides: what it wants to be told, and what it may choose from."""
        state = self.state
        seat = state.seat
        self.questions_asked[seat] += 1
        view = state.view(seat) if VIEW in self.wants[seat] else None
        message = messages.decide(self.questions_asked[seat], state.decision, self.news(seat), view, moves)
        return Question(seat, message, len(moves))

    def choice(self, reply: Answer | BotFault, moves: int) -> int:
        """What the seat that was asked chooses, or its stand-in if that was a fault."""
        seat, reply = self.state.seat, legal(reply, moves)
        if isinstance(reply, Answer):
            if reply.note:
                self.keep(reply.note, seat)
            return reply.move
        self.exclude(seat, reply, len(self.turns))
        return self.stand_in_choice(moves)

    def stand_in_choice(self, moves: int) -> int:
        return stand_in_choice(self.stand_in, moves, self.state.seat)

    def keep(self, note: str, seat: int) -> None:
        """The note on the move that is being made, as far as there is room for it."""
        room = self.room_for_notes[seat]
        if room > 0:
            self.notes[len(self.turns)] = note if len(note) <= room else note[:room] + CUT
            self.room_for_notes[seat] -= len(note)

    def news(self, seat: int) -> list[Plain] | None:
        """The events since this seat was last told, if it wants to know."""
        events = self.state.events
        if events is None or NEWS not in self.wants[seat]:
            return None
        fresh = seen(events[self.events_told[seat] :], seat)
        self.events_told[seat] = len(events)
        return fresh

    def unwatched(self) -> list[Plain]:
        """The events that a watcher has not been told; a note belongs to the first of them."""
        fresh = [event.full for event in (self.state.events or [])[self.events_watched :]]
        self.events_watched += len(fresh)
        note = self.notes.get(len(self.turns) - 1)
        if note and fresh:
            fresh[0] = {**fresh[0], "note": note}
        if fresh and len(self.faults) > self.faults_watched:
            fresh[0] = {**fresh[0], "faults": self.faults[self.faults_watched :]}
            self.faults_watched = len(self.faults)
        return fresh

    def exclude(self, seat: int, fault: BotFault, turn: int) -> None:
        self.out.add(seat)
        question = self.questions_asked[seat]
        detail = shortened(str(fault), MAX_DETAIL)
        self.faults.append(Fault(seat, fault.kind, detail, turn, question=question))

    def dismiss(self) -> Generator[Question, Answer | BotFault, None]:
        """Tell everybody who is still in how it ended."""
        outcome = self.outcome
        for seat in sorted(set(range(self.seats)) - self.out):
            message = messages.end(self.news(seat), outcome.scores, self.ranks, outcome.ending)
            yield Question(seat, message)

    @cached_property
    def outcome(self) -> Outcome:
        return self.state.outcome()

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        return final_ranks(self.outcome.ranks, [fault.seat for fault in self.faults])

    def played(self) -> Played:
        match = self.match
        record = record_of(match.game, self.chance, self.state, self.turns, self.choices)
        if match.luck is not None:  # nobody can re-enact it from one seed
            record = replace(record, events=story_of(self.state))
        return Played(record, match.names, self.ranks, tuple(self.faults), self.notes)


def legal(reply: Answer | BotFault, moves: int) -> Answer | BotFault:
    """The same, unless it chooses a move that is not there. Whoever owns a process asks first, and ends it."""
    if isinstance(reply, Answer) and not 0 <= reply.move < moves:
        return Illegal(f"it chose move {reply.move}, but the moves are numbered 0 to {moves - 1}")
    return reply


def stand_in_choice(luck: SeededChance, moves: int, seat: int) -> int:
    """What is played for a seat that is out: any legal move, each equally likely."""
    return luck.below(moves, "stand-in", seat)


def bot_seed(seed: str, seat: int, key: str = "") -> str:
    """For a bot's own luck: reproducible, another in every match, and of no use to foretell or recognise the deal."""
    words = ["bot", str(seat), *filter(None, [key]), seed]
    return blake2b("/".join(words).encode(), digest_size=8).hexdigest()
