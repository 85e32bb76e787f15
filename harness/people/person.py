"""A person at the table: what happened, the table as the seat may see it, the moves in words, and a choice."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click
import trio

from dalang.engine.game import Game, Plain
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.arena import Arena, Chair
from dalang.harness.match.faults import BotFault
from dalang.harness.match.referee import Answer, Question, legal
from dalang.harness.people.english import named
from dalang.harness.people.story import event_story, note_story
from dalang.harness.people.tables import WIDTH, Scene, face_of, rule_of
from dalang.harness.people.tables.paint import size, wrapped
from dalang.harness.terminal import echo
from dalang.protocol import messages
from dalang.protocol.messages import EVERYTHING, NEWS, VIEW

MOST_NEWS = 60
"""Events that are told at once; there are more of them only where a long game is resumed."""
MOST_IN_ONE_COLUMN = 10
"""Lines above which two columns are easier to read."""

QUIT = "q"
HELP = """\
Type the number of a move. ? shows the rule, t the table again, hint asks a bot,
q leaves; the game can be resumed."""


class Left(Exception):
    """The person has left the table."""


class Lines:
    """What a person types; waiting for it stops nobody else, and Ctrl-C is heard."""

    def __init__(self, descriptor: int = 0) -> None:
        self.descriptor = descriptor
        self.waiting = b""

    async def ask(self, prompt: str) -> str:
        """The next line; `q` when there will be no more."""
        echo(prompt, nl=False)
        while b"\n" not in self.waiting:
            chunk = await self.read()
            if not chunk:
                echo()
                return QUIT
            self.waiting += chunk
        line, _, self.waiting = self.waiting.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def read(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self.descriptor)
        except PermissionError:
            await trio.lowlevel.checkpoint()  # a file is always readable, and cannot be waited for
        return os.read(self.descriptor, 65536)


class Adviser:
    """A bot that is asked what it would do in the person's place; it sees what the person sees."""

    def __init__(self, arena: Arena, entrant: Entrant, deal: str) -> None:
        self.chair = Chair(arena, entrant, deal)
        self.start: Question | None = None
        self.untold: list[Plain] = []
        self.wants = EVERYTHING
        self.fault: BotFault | None = None

    async def advice(self, question: Question) -> Answer | BotFault:
        """What it would do, or why it cannot be asked any more."""
        if self.start:
            greeting = await self.chair.reply(self.start)
            self.start, self.fault = None, fault_in(greeting)
            self.wants = greeting.wants if isinstance(greeting, Answer) else EVERYTHING
        if self.fault:
            return self.fault
        message, self.untold = self.wanted(question.message), []
        reply = legal(await self.chair.reply(question._replace(message=message)), question.moves)
        self.fault = fault_in(reply)
        return reply

    def wanted(self, message: Plain) -> Plain:
        """What the person is asked, with what the adviser has not heard yet, as far as it wants to hear it."""
        news = self.untold if NEWS in self.wants else None
        view = message["view"] if VIEW in self.wants else None
        return messages.decide(message["id"], message["decision"], news, view, message["moves"])


def fault_in(reply: Answer | BotFault) -> BotFault | None:
    return reply if isinstance(reply, BotFault) else None


class Person:
    """Asks a person: what happened, the table, the moves in words."""

    def __init__(self, game: Game, names: Sequence[str], lines: Lines, adviser: Adviser) -> None:
        self.game = game
        self.face = face_of(game)
        self.names = names
        self.lines = lines
        self.adviser = adviser

    async def reply(self, question: Question) -> Answer:
        message = question.message
        if message["type"] == "start":
            self.adviser.start = question
            return Answer()
        self.adviser.untold += message["events"]
        self.tell_news(message["events"])
        if not question.moves:
            return Answer()
        if message["events"]:
            self.show_table(message)
        self.show_moves(message)
        return await self.choose(question)

    async def choose(self, question: Question) -> Answer:
        while True:
            word = await self.lines.ask(f"1-{question.moves}, ?, t, hint or q: ")
            if word == QUIT:
                raise Left
            if word in map(str, range(1, question.moves + 1)):
                return Answer(int(word) - 1)
            await self.help(word, question)

    async def help(self, word: str, question: Question) -> None:
        message = question.message
        if word == "?":
            echo("\n".join(rule_of(self.game, message["decision"])))
        elif word == "t":
            self.show_table(message)
            self.show_moves(message)
        elif word == "hint":
            await self.hint(question)
        elif word:
            echo(HELP)

    async def hint(self, question: Question) -> None:
        reply = await self.adviser.advice(question)
        if isinstance(reply, BotFault):
            echo(f"There is no hint: {reply.kind}: {reply}")
        else:
            echo(f"Hint: {reply.move + 1}  {self.choices(question.message)[reply.move]}")
            if reply.note:
                echo(note_story(reply.note))

    # ---- Showing

    def tell_news(self, events: list[Plain]) -> None:
        echo()
        if len(events) > MOST_NEWS:
            echo(f"… {len(events) - MOST_NEWS} earlier events")
        for event in events[-MOST_NEWS:]:
            echo("\n".join(wrapped("", event_story(self.game, event, self.names))))

    def show_table(self, message: Plain) -> None:
        echo(click.style("─" * WIDTH, dim=True))
        echo("\n".join(self.face.picture(Scene(message["view"], self.names))))
        echo(click.style("─" * WIDTH, dim=True))

    def show_moves(self, message: Plain) -> None:
        echo(click.style(self.face.question(message["decision"]), bold=True))
        offers = [f"{number:3}  {choice}" for number, choice in enumerate(self.choices(message), 1)]
        echo("\n".join(in_columns(offers)))

    def choices(self, message: Plain) -> list[str]:
        return [
            named(self.face.choice(message["view"], tuple(move)), self.names) for move in message["moves"]
        ]


def in_columns(lines: list[str]) -> list[str]:
    """One column, or two if there are many lines that are short enough."""
    if len(lines) <= MOST_IN_ONE_COLUMN or max(map(size, lines)) > WIDTH // 2 - 1:
        return lines
    half = -(-len(lines) // 2)
    right = [*lines[half:], *[""] * (2 * half - len(lines))]
    return [f"{one:<{WIDTH // 2}}{other}".rstrip() for one, other in zip(lines[:half], right, strict=True)]
