"""What a stored match proves of itself: it was played on its deal and by its rules, and the tables tell it as it was.

Nobody can prove how long a bot thought, what it wrote to stderr or into a note, in which words its fault is told, which
of the faults that were possible there it was, and how often the host was late. That is read, counted and compared
between record and tables, no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import Game, Move, SetupError
from dalang.engine.record import DAMAGE, Record, discrepancies, same
from dalang.harness.blocks import Block
from dalang.harness.match.faults import FAULT_KINDS, Crash, Illegal, StartFault, Timeout
from dalang.harness.match.played import BEFORE_THE_FIRST, Fault, Played, final_ranks
from dalang.harness.match.referee import stand_in_choice
from dalang.harness.tournament.store import Found, Span, Store
from dalang.harness.tournament.stored import StoredMatch, match_row, seat_rows
from dalang.harness.tournament.terms import Terms

TIMES_OF_FAULTS = {Timeout.kind: (1,), Illegal.kind: (1,), Crash.kind: (0,)}
"""By fault at a decision, how many times of thinking are kept of it. Of the others none or one: a message that is
refused may have been an answer."""


class Checked(NamedTuple):
    """A thing that was checked, by name, with what is wrong about it."""

    what: str
    problems: list[str]
    missing: int = 0
    """Matches that are not there, though later ones are."""


def matches_checked(store: Store, terms: Terms, span: Span) -> Iterator[Checked]:
    for key, found in store.stories(span):
        if isinstance(found, str):
            yield Checked(str(key), [f"the record cannot be read: {found}"])
        else:
            yield Checked(str(key), match_problems(store, terms, found))


def match_problems(store: Store, terms: Terms, found: Found) -> list[str]:
    game, played = find_game(terms.game), found.played
    try:
        return (
            list(term_problems(terms, found.block, played))
            or discrepancies(played.record, game)
            or [*place_problems(played), *conduct_problems(played, game, terms)]
            or list(row_problems(store, found))
        )
    except (*DAMAGE, SetupError) as error:
        return [f"the record cannot be read: {error!r}"]


def term_problems(terms: Terms, block: Block, played: Played) -> Iterator[str]:
    """The game, its rules, its options and its luck are those that were agreed, and nothing else is told of them."""
    record = played.record
    agreed = [terms.game, terms.rules_version, terms.options]
    if not same([record.game, record.rules_version, record.options], agreed):
        yield "game, rules or options are not those that were agreed"
    if record.seed != terms.deal_seed(block.deal):
        yield f"its luck is not that of deal {block.deal}"
    if record.seats != len(block.lineup):
        yield f"{record.seats} seats were played by {len(block.lineup)} bots"
    if played.conditions:
        yield "conditions are told of it, which only a match outside of tournaments has"


def place_problems(played: Played) -> Iterator[str]:
    ranks = final_ranks(played.record.outcome.ranks, [fault.seat for fault in played.faults])
    if ranks != played.ranks:
        yield f"places recorded as {list(played.ranks)}, but by game and faults they are {list(ranks)}"


def row_problems(store: Store, found: Found) -> Iterator[str]:
    """The tables that people query say the same as the record."""
    stored = StoredMatch.of(found.block, found.rotation, found.played)
    match, seats = store.rows_of(found.block.key(found.rotation))
    if not same(seats, seat_rows(stored)):
        yield "the table `seat` says something else than the record"
    if not same(match, match_row(stored)[:-1]):
        yield "the table `match` says something else than the record"


# ---- Who was asked, who answered, who was out


def conduct_problems(played: Played, game: Game, terms: Terms) -> list[str]:
    """Faults, stand-ins, notes and answers are such as can have been; what is wrong first explains the rest."""
    choices = list(legal_moves(played.record, game))
    asked = [terms.asks(len(moves)) for moves in choices]
    out_from, turns = played.out_from(), played.record.turns
    out = [number >= out_from.get(turn.seat, len(turns)) for number, turn in enumerate(turns)]
    answered = [there and not gone for there, gone in zip(asked, out, strict=True)]
    stood_in = [there and gone for there, gone in zip(asked, out, strict=True)]
    return list(fault_problems(played, asked)) or [
        *stand_in_problems(played.record, choices, stood_in),
        *note_problems(played, answered),
        *answer_problems(played, answered),
    ]


def legal_moves(record: Record, game: Game) -> Iterator[list[Move]]:
    """What could be chosen from, decision by decision; the record is known to be true to the rules."""
    state = game.start(record.seats, SeededChance(record.seed), **record.options)
    state.events = None
    for turn in record.turns:
        yield state.moves()
        state.apply(turn.move)


def fault_problems(played: Played, asked: Sequence[bool]) -> Iterator[str]:
    """A seat breaks the contract once, before the first decision or where it is asked; the others later."""
    moments = [(fault.turn, fault.seat) for fault in played.faults]
    if moments != sorted(moments):
        yield "its faults cannot have happened in this order"
    if len({fault.seat for fault in played.faults}) < len(played.faults):
        yield "a seat that is out cannot break the contract again"
    for fault in played.faults:
        if not is_possible(fault, played.record, asked):
            yield f"seat {fault.seat} cannot have committed a fault {fault.kind!r} {fault.moment()}"


def is_possible(fault: Fault, record: Record, asked: Sequence[bool]) -> bool:
    if fault.turn == BEFORE_THE_FIRST:
        return fault.kind in FAULT_KINDS.keys() - {Illegal.kind}
    is_asked = 0 <= fault.turn < len(asked) and asked[fault.turn]
    seats = [turn.seat for turn in record.turns[: fault.turn + 1]]
    questions = sum(seat == fault.seat and there for seat, there in zip(seats, asked, strict=False))
    return (
        is_asked
        and fault.question in (0, questions)
        and record.turns[fault.turn].seat == fault.seat
        and fault.kind in FAULT_KINDS.keys() - {StartFault.kind}
    )


def stand_in_problems(
    record: Record, choices: Sequence[Sequence[Move]], stood_in: Sequence[bool]
) -> Iterator[str]:
    """From its fault on, a bot's seat is played by the stand-in and by nobody else."""
    luck = SeededChance(record.seed)
    for number, (turn, moves) in enumerate(zip(record.turns, choices, strict=True)):
        if stood_in[number] and turn.move != (choice := moves[stand_in_choice(luck, len(moves), turn.seat)]):
            yield f"move {number} of the stand-in recorded as {turn}, but it was {choice}"
            return


def note_problems(played: Played, answered: Sequence[bool]) -> Iterator[str]:
    for number, note in played.notes.items():
        if number >= len(answered) or not answered[number] or not note:
            yield f"a note is recorded for decision {number}, where no bot can have made one"


def answer_problems(played: Played, answered: Sequence[bool]) -> Iterator[str]:
    """There is a time for each answer that a seat gave, and perhaps one for its fault."""
    turns, faults = played.record.turns, {fault.seat: fault for fault in played.faults}
    for seat, times in enumerate(played.microseconds):
        answers = sum(turn.seat == seat and here for turn, here in zip(turns, answered, strict=True))
        if len(times) - answers not in times_of(faults.get(seat)):
            yield f"seat {seat} gave {answers} answers, but {len(times)} times of thinking are recorded"


def times_of(fault: Fault | None) -> tuple[int, ...]:
    """How many times of thinking may be kept besides those of answers."""
    if fault is None or fault.turn == BEFORE_THE_FIRST:
        return (0,)
    return TIMES_OF_FAULTS.get(fault.kind, (0, 1))
