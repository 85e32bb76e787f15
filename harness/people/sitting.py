"""A game between a person and bots: a match like any other, but one seat has no process and no clock.

Every answer is kept. A game that is left is resumed by giving the answers again, the bots' too: a bot is not asked
twice, it is told what it missed when its next decision comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import NONE
from dalang.harness.match.arena import Chair, Sitter, drive, open_arena, with_chairs
from dalang.harness.match.faults import FAULT_KINDS, BotFault
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import Played, is_list_of
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.people.english import YOU
from dalang.harness.people.person import Adviser, Lines, Person
from dalang.harness.people.story import stand_in_story

ADVISER = "seer"
"""Whom `hint` asks, if nobody else is named."""
CONSULTED = "adviser"
"""What that bot is called."""


@dataclass
class Sitting:
    """A game between a person and bots: all that is needed to play it, and to go on with it."""

    game: Game
    seed: str
    bots: tuple[str, ...]
    """As on a command line, in the order of the seats that the person left free."""
    seat: int = 0
    options: Plain = field(default_factory=dict)
    answers: list[list[Plain]] = field(default_factory=list)
    """By seat, what was said to each question so far."""
    entrants: list[Entrant] = field(init=False)
    """Whom `bots` means."""

    def __post_init__(self) -> None:
        seats = self.game.checked_seats(len(self.bots) + 1)
        if not 0 <= self.seat < seats:
            raise SetupError(f"with {len(self.bots)} bots the seats are 0 to {seats - 1}, not {self.seat}")
        self.answers = self.answers or [[] for _ in range(seats)]
        self.entrants = find_entrants(self.bots)
        for taken in {YOU, CONSULTED}.intersection(entrant.name for entrant in self.entrants):
            raise SetupError(f"no bot can be called {taken!r} here; give it another name: NAME=BOT")

    def data(self) -> Plain:
        return {
            "game": self.game.name,
            "rules_version": self.game.rules_version,
            "seed": self.seed,
            "bots": list(self.bots),
            "seat": self.seat,
            "options": self.options,
            "answers": self.answers,
        }

    @classmethod
    def of_data(cls, data: Plain) -> Sitting:
        """The sitting whose `data()` this is."""
        game = find_game(data["game"])
        if data["rules_version"] != game.rules_version:
            raise SetupError(f"the rules of {game.name} have changed since; begin a new game")
        check_kept(data["bots"], data["seat"], data["options"])
        kept = cls(game, str(data["seed"]), tuple(data["bots"]), data["seat"], data["options"])
        check_answers(data["answers"], len(kept.answers), kept.seat)
        return replace(kept, answers=data["answers"])

    def has_begun(self) -> bool:
        """Whether the person has decided anything."""
        return len(self.answers[self.seat]) > 1

    async def play(
        self, adviser: Entrant, tell: Callable[[str], None], isolation: Isolation = NONE
    ) -> Played:
        """Play to the end, or until the person leaves; a bot that breaks the contract is told."""
        entrants, seats = self.entrants, range(len(self.answers))
        async with open_arena(Limits(), isolation=isolation, ponder=True) as arena:
            await arena.preflight(entrants, self.game, len(seats))
            free = [seat for seat in seats if seat != self.seat]
            chairs = {seat: Chair(arena, who, self.seed) for seat, who in zip(free, entrants, strict=True)}
            names = tuple(chairs[seat].entrant.name if seat in chairs else YOU for seat in seats)
            person = Person(self.game, names, Lines(), Adviser(arena, adviser, self.seed))
            sitters = [Remembering(names[s], chairs.get(s, person), self.answers[s], tell) for s in seats]
            match = Match(self.game, self.seed, names, self.options, arena.limits.announced())
            return with_chairs(await drive(referee(match), sitters), [chairs.get(seat) for seat in seats])


def check_kept(bots: Any, seat: Any, options: Any) -> None:
    """What else would not be noticed before it does harm."""
    if not is_list_of(str, bots) or type(seat) is not int or not isinstance(options, dict):
        raise SetupError("its bots, seat or options cannot be read; begin a new game")


def check_answers(answers: Any, seats: int, person: int) -> None:
    """One list for each seat; a person breaks no contract."""
    sound = is_list_of(list, answers, seats) and all(map(is_answer, chain(*answers)))
    if not sound or any("fault" in answer for answer in answers[person]):
        raise SetupError("its answers cannot be read; begin a new game")


def is_answer(kept: Any) -> bool:
    match kept:
        case {"move": int(), "note": str(), **more} if not more:
            return True
        case {"fault": str(kind), "detail": str(), **more} if not more:
            return kind in FAULT_KINDS
    return False


def company(game: Game) -> tuple[str, ...]:
    """Who plays with a person who names nobody."""
    return game.company or ("random",) * (game.seats[0] - 1)


def find_adviser(text: str) -> Entrant:
    """Under a name of its own: the same bot may sit at the table too."""
    return replace(find_entrant(text), name=CONSULTED)


class Remembering:
    """A seat whose answers are kept, and given again when the game is resumed."""

    def __init__(self, name: str, sitter: Sitter, answers: list[Plain], tell: Callable[[str], None]) -> None:
        self.name = name
        self.tell = tell
        self.sitter = sitter
        self.answers = answers
        self.known = answers.copy()
        self.is_out = any("fault" in answer for answer in answers)
        self.missed: list[Plain] = []

    async def reply(self, question: Question) -> Answer | BotFault:
        if self.known:
            return await self.again(question, self.known.pop(0))
        if self.missed:
            question.message["events"] = [*self.missed, *question.message["events"]]
            self.missed = []
        reply = await self.sitter.reply(question)
        self.keep(reply)
        return reply

    def keep(self, reply: Answer | BotFault) -> None:
        if isinstance(reply, BotFault):
            self.answers.append({"fault": reply.kind, "detail": str(reply)})
            self.tell(stand_in_story(self.name, reply.kind))
        else:
            self.answers.append({"move": reply.move, "note": reply.note})

    async def again(self, question: Question, answer: Plain) -> Answer | BotFault:
        if "fault" in answer:
            return FAULT_KINDS[answer["fault"]](answer["detail"])
        if isinstance(self.sitter, Person) and not 0 <= answer["move"] < max(1, question.moves):
            raise SetupError(
                f"it says that you chose move {answer['move']} where there is none; begin a new game"
            )
        if question.moves:
            self.missed += question.message.get("events", [])
        elif not self.is_out:
            reply = await self.sitter.reply(question)
            if isinstance(reply, BotFault):
                raise SetupError(f"{self.name} cannot go on: {reply}")
            return reply
        return Answer(answer["move"], answer["note"])
