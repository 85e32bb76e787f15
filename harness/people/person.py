"""A person at the table: what happened, the table as the seat may see it, the moves in words, and a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import repeat, zip_longest

import click

from dalang.engine.game import Game, Plain
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.arena import Arena, Chair
from dalang.harness.match.faults import BotFault
from dalang.harness.match.referee import Answer, Question, legal
from dalang.harness.people.english import named
from dalang.harness.people.screen import QUIT, Left, Screen
from dalang.harness.people.story import event_story, note_story
from dalang.harness.people.tables import WIDTH, Scene, face_of, opening, rule_of, rulebook_of
from dalang.harness.people.tables.paint import padded, size, wrapped
from dalang.protocol import messages
from dalang.protocol.messages import EVERYTHING, NEWS, VIEW

MOST_IN_ONE_COLUMN, MOST_IN_TWO_COLUMNS = 8, 20
"""Lines above which more columns are easier to read."""
ROWS_OF_A_TABLE = 24
"""With what happened and the moves; without room for them below it, an introduction has a page of its own."""
BETWEEN_COLUMNS = 2
"""Blanks between columns."""
HELP = """\
Type the number of a move. ? shows the rule of this decision, ?? the whole
rulebook, t the whole table, hint asks a bot. u takes you back to your last
decision, and the game is practice then. q leaves; it can be resumed."""


class TakenBack(Exception):
    """The person wants to decide anew what was decided last."""


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

    def __init__(
        self,
        game: Game,
        names: Sequence[str],
        screen: Screen,
        adviser: Adviser,
        can_take_back: Callable[[], bool],
    ) -> None:
        self.game = game
        self.face = face_of(game)
        self.names = names
        self.screen = screen
        self.adviser = adviser
        self.can_take_back = can_take_back
        self.heard = 0
        """How many of the events that are told next were told before."""

    async def introduce(self) -> None:
        await self.screen.show(["", *opening(self.game)])
        if not self.screen.fits([""] * ROWS_OF_A_TABLE):
            await self.screen.pause()

    async def reply(self, question: Question) -> Answer:
        message = question.message
        if message["type"] == "start":
            self.adviser.start = question
            return Answer()
        self.adviser.untold += message["events"]
        news = self.news(message["events"])
        if not question.moves:
            with suppress(Left):  # it is over: who leaves now misses nothing that is asked
                await self.screen.show(news)
            return Answer()
        await self.present(message, news)
        return await self.choose(question)

    async def choose(self, question: Question) -> Answer:
        while True:
            word = await self.screen.ask(f"1-{question.moves}, ?, ??, t, u, hint or q: ")
            if word == QUIT:
                raise Left
            if word in map(str, range(1, question.moves + 1)):
                return Answer(int(word) - 1)
            if word == "u" and self.can_take_back():
                raise TakenBack
            await self.help(word, question)

    async def help(self, word: str, question: Question) -> None:
        message, show = question.message, self.screen.show
        if word == "?":
            await show(
                [*rule_of(self.game, message["decision"], message["view"]["options"]), *self.offers(message)]
            )
        elif word == "??":
            await self.screen.leaf_through(rulebook_of(self.game, self.screen.columns()))
            await show(self.offers(message))
        elif word == "t":
            await show([*self.table(message, self.face.picture), *self.offers(message)])
        elif word == "hint":
            await self.hint(question)
        elif word == "u":
            await show(["There is nothing to take back."])
        elif word:
            await show(HELP.splitlines())

    async def hint(self, question: Question) -> None:
        async with self.screen.patience():
            reply = await self.adviser.advice(question)
        if isinstance(reply, BotFault):
            await self.screen.show(wrapped("", f"There is no hint: {reply.kind}: {reply}"))
        else:
            advice = f"Hint: {reply.move + 1}  {self.choices(question.message)[reply.move]}"
            await self.screen.show([advice, *([note_story(reply.note)] if reply.note else [])])

    # ---- Showing

    async def present(self, message: Plain, news: list[str]) -> None:
        """All at once if there is room, with as much of the table as fits; otherwise what happened comes first."""
        offers = self.offers(message)
        tables = self.tables(message) if message["events"] else [[]]
        for table in tables:
            if self.screen.fits([*news, *table, *offers]):
                return await self.screen.show([*news, *table, *offers])
        await self.screen.show(news)
        await self.screen.pause()
        table = next((table for table in tables if self.screen.fits([*table, *offers])), tables[-1])
        await self.screen.show([*table, *offers])

    def news(self, events: list[Plain]) -> list[str]:
        """What happened since the person last decided."""
        heard, self.heard = self.heard, 0
        told = [
            line
            for event in events[heard:]
            for line in wrapped("", event_story(self.game, event, self.names))
        ]
        return ["", *([f"… {heard} earlier events"] if heard else []), *told]

    def tables(self, message: Plain) -> list[list[str]]:
        """The table in full, and folded if the game knows how."""
        pictures = [self.face.picture, *([self.face.brief] if self.face.brief else [])]
        return [self.table(message, picture) for picture in pictures]

    def table(self, message: Plain, picture: Callable[[Scene], list[str]]) -> list[str]:
        line = click.style("─" * WIDTH, dim=True)
        return [line, *picture(Scene(message["view"], self.names)), line]

    def offers(self, message: Plain) -> list[str]:
        """The question, and the moves in words."""
        offers = [f"{number:3}  {choice}" for number, choice in enumerate(self.choices(message), 1)]
        return [click.style(self.face.question(message["decision"]), bold=True), *in_columns(offers)]

    def choices(self, message: Plain) -> list[str]:
        return [
            named(self.face.choice(message["view"], tuple(move)), self.names) for move in message["moves"]
        ]


def in_columns(lines: list[str]) -> list[str]:
    """In one column, or in more if there are many lines that are short enough."""
    wanted = 1 if len(lines) <= MOST_IN_ONE_COLUMN else 2 if len(lines) <= MOST_IN_TWO_COLUMNS else 3
    for columns in range(wanted, 1, -1):
        depth = -(-len(lines) // columns)
        parts = [lines[top : top + depth] for top in range(0, len(lines), depth)]
        widths = [max(map(size, part)) + BETWEEN_COLUMNS for part in parts]
        if sum(widths) - BETWEEN_COLUMNS <= WIDTH:
            rows = zip_longest(*parts, fillvalue="")
            return ["".join(map(padded, row, widths, repeat(True))).rstrip() for row in rows]
    return lines
