"""One position of a match that was played, put to a bot: `ask`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio

from dalang.engine.game import Plain, SetupError
from dalang.harness.cli.common import ExitCode, as_json, echo_json, note
from dalang.harness.cli.flags import bot_names, given_limits, isolation_options, limit_options
from dalang.harness.cli.past import attended_by, from_options, past_in
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.escaping import printable
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import Chair, interruptible, open_arena
from dalang.harness.match.asking import Asked, ask_again
from dalang.harness.match.faults import BotFault
from dalang.harness.match.played import Fault
from dalang.harness.people.debugging import terminal_kept
from dalang.harness.people.story import fault_lines, note_story
from dalang.harness.terminal import echo
from dalang.harness.tournament.past import Past

SHOWN_MOVES = 12
"""Moves that are listed."""


@click.command()
@click.argument("bot", shell_complete=bot_names)
@click.argument("match", required=False, metavar="[MATCH]")
@from_options
@limit_options
@isolation_options
@click.option(
    "--debug", is_flag=True, help="Give the bot the terminal and all the time, for a debugger in it."
)
@click.option(
    "--attach", is_flag=True, help="Wait for a debugger, or Enter, before the match begins for the bot."
)
@as_json
@click.pass_context
def ask(
    context: click.Context,
    /,
    bot: str,
    match: str | None,
    source: Path | None,
    turn: int | None,
    at_once: bool,
    isolate: str,
    build_network: bool,
    debug: bool,
    attach: bool,
    json_: bool,
    **limits: Any,
) -> None:
    """Put one position of a match that was played to BOT, and show what it answers.

    BOT takes the seat that decided there, with the same seed for its own luck, and is told what was told then. First it
    is asked all that its seat was asked before, without heeding its answers, so that it remembers and has drawn what it
    had then. With --at-once it is told what happened and asked only once.

    Exit codes: 0 it answers, 1 it breaks the contract, 2 wrong usage.

    Example: dalang ask random --from kali.db 0.1 --turn 8
    """
    if source is None:
        raise SetupError("say of which match: --from DB MATCH, or --from RECORD.json")
    past = past_in(source, match)
    at = past.asked_decision(turn)
    seat = past.turns[at].seat
    [found], given = find_entrants([bot]), given_limits(context, limits)
    entrant = past.seated(found, seat, given)
    isolation = isolation_that_works(isolate)
    Workshop(isolation, build_network).prepare([entrant], note)
    names = tuple(entrant.name if each == seat else name for each, name in enumerate(past.played.names))
    arena_with = partial(
        open_arena,
        past.limits(given),
        show_clock=past.conditions.clock,
        isolation=isolation,
        tell=note,
        attended=attended_by([entrant], [bot], bot if debug else None, bot if attach else None),
    )

    async def put() -> Asked:
        async with arena_with() as arena:
            plan = past.match(at, names, at_once)
            told = arena.limits.announced() if arena.show_clock else {}
            chair = Chair(arena, entrant, plan.seed)
            return await ask_again(replace(plan, limits=told), chair, seat, past.answers(at))

    with terminal_kept():
        asked = trio.run(interruptible, put)
    reply = Reply(past, at, entrant.name, asked)
    if json_:
        echo_json(reply.data())
    else:
        echo("\n".join(reply.lines()))
    if isinstance(asked.reply, BotFault):
        context.exit(ExitCode.NO)


@dataclass(frozen=True)
class Reply:
    """What a bot answered, for people and programs."""

    past: Past
    turn: int
    name: str
    asked: Asked

    def fault(self) -> Fault | None:
        """What went wrong, at the question that was asked or an earlier one."""
        fault, seat = self.asked.reply, self.past.turns[self.turn].seat
        if not isinstance(fault, BotFault):
            return None
        turn, number = self.past.turn_of(seat, self.asked.question), self.asked.question
        return Fault(seat, fault.kind, str(fault), turn, self.asked.stderr, number)

    def lines(self) -> list[str]:
        then = self.past.turns[self.turn]
        head = f"Decision {self.turn}, question {self.past.question(self.turn)} to seat {then.seat}: {then.decision}"
        if fault := self.fault():
            return [head, *fault_lines(fault, self.name)]
        asked, moves = self.asked, self.asked.message["moves"]
        assert not isinstance(asked.reply, BotFault) and asked.seconds is not None
        same = [*moves[asked.reply.move]] == [*then.move]
        return [
            head,
            *(f"  {number:3} {in_words(move)}" for number, move in enumerate(moves[:SHOWN_MOVES])),
            *([f"      and {len(moves) - SHOWN_MOVES} more"] if len(moves) > SHOWN_MOVES else []),
            f"{self.name}: {in_words(moves[asked.reply.move])}, after {asked.seconds * 1000:.1f} ms",
            *([note_story(asked.reply.note)] if asked.reply.note else []),
            f"Then {self.who_decided()} chose {'the same' if same else in_words(then.move)}.",
            *self.earlier(),
            *(f"  stderr: {printable(line)}" for line in asked.stderr),
        ]

    def who_decided(self) -> str:
        seat = self.past.turns[self.turn].seat
        out = any(fault.seat == seat and fault.turn <= self.turn for fault in self.past.played.faults)
        return ("the stand-in of " if out else "") + printable(self.past.played.names[seat])

    def earlier(self) -> list[str]:
        if not self.asked.otherwise:
            return []
        before = self.past.question(self.turn) - 1
        return [f"Of the {before} questions before, it answers {self.asked.otherwise} otherwise than then."]

    def data(self) -> Plain:
        then, asked, fault = self.past.turns[self.turn], self.asked, self.fault()
        answer = None if isinstance(asked.reply, BotFault) else asked.reply
        return {
            "turn": self.turn,
            "question": self.past.question(self.turn),
            "seat": then.seat,
            "bot": self.name,
            "decision": then.decision,
            "moves": asked.message.get("moves", []) if answer else [],
            "number": answer and answer.move,
            "move": answer and asked.message["moves"][answer.move],
            "note": answer.note if answer else "",
            "seconds": asked.seconds,
            "then": then.move,
            "otherwise": asked.otherwise,
            "fault": fault and asdict(fault),
            "stderr": asked.stderr,
        }


def in_words(move: Sequence[str | int]) -> str:
    return " ".join(map(str, move))
