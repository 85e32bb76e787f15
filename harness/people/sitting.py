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
from dalang.engine.game import Game, Plain, SetupError, quoted
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import NONE
from dalang.harness.match.arena import Chair, Sitter, drive, open_arena, with_chairs
from dalang.harness.match.faults import FAULT_KINDS, BotFault
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import Played, is_count, is_list_of
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.people.english import YOU
from dalang.harness.people.person import Adviser, Person, TakenBack
from dalang.harness.people.screen import Screen
from dalang.harness.people.story import stand_in_story

ADVISER = "seer"
"""Whom `hint` asks, if nobody else is named."""
CONSULTED = "adviser"
"""What that bot is called."""
PRACTISING = "you (practice)"
"""What a person is called in the record who took something back."""
PRACTICE_FROM_NOW = "Taken back: decide anew. From now on this game is practice."


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
    taken_back: int = 0
    """How often the person has decided anew: what comes of it is practice."""
    entrants: list[Entrant] = field(init=False)
    """Whom `bots` means."""
    moments: list[list[int]] = field(init=False, default_factory=list)
    """For each decision of the person, how many answers of each seat there were before it."""

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
            "taken_back": self.taken_back,
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
        return replace(kept, answers=data["answers"], taken_back=check_count(data.get("taken_back", 0)))

    def has_begun(self) -> bool:
        """Whether the person has decided anything."""
        return len(self.answers[self.seat]) > 1

    async def play(self, adviser: Entrant, screen: Screen, isolation: Isolation = NONE) -> Played:
        """Play to the end, or until the person leaves; a decision that is taken back is made anew."""
        while True:
            try:
                played = await self.play_on(adviser, screen, isolation)
                return replace(played, names=self.as_remembered(played.names))
            except TakenBack:
                self.take_back()
                await screen.show([PRACTICE_FROM_NOW])

    def take_back(self) -> None:
        """Forget everything from the person's last decision on."""
        for answers, number in zip(self.answers, self.moments[-2], strict=True):
            del answers[number:]
        self.taken_back += 1

    def can_take_back(self) -> bool:
        return len(self.moments) > 1

    def as_remembered(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Whoever took something back is called so in the record."""
        return tuple(PRACTISING if name == YOU and self.taken_back else name for name in names)

    async def play_on(self, adviser: Entrant, screen: Screen, isolation: Isolation) -> Played:
        """From the answers that are known to the end; a bot that breaks the contract is told."""
        entrants, seats = self.entrants, range(len(self.answers))
        self.moments = []
        async with open_arena(Limits(), isolation=isolation, ponder=True) as arena:
            await arena.preflight(entrants, self.game, len(seats))
            free = [seat for seat in seats if seat != self.seat]
            chairs = {seat: Chair(arena, who, self.seed) for seat, who in zip(free, entrants, strict=True)}
            names = tuple(chairs[seat].entrant.name if seat in chairs else YOU for seat in seats)
            asked = Adviser(arena, adviser, self.seed)
            person = Person(self.game, names, screen, asked, self.can_take_back)
            if not any(self.answers):
                await person.introduce()
            sitters = [Remembering(names[s], chairs.get(s, person), self.answers[s], screen) for s in seats]
            sitters[self.seat].before = lambda: self.moments.append([each.given() for each in sitters])
            match = Match(self.game, self.seed, names, self.options, arena.limits.announced())
            return with_chairs(await drive(referee(match), sitters), [chairs.get(seat) for seat in seats])


def check_count(number: Any) -> int:
    if not is_count(number):
        raise SetupError(f"it cannot have been taken back {quoted(number)} times; begin a new game")
    return int(number)


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

    def __init__(self, name: str, sitter: Sitter, answers: list[Plain], screen: Screen) -> None:
        self.name = name
        self.screen = screen
        self.sitter = sitter
        self.answers = answers
        self.known = answers.copy()
        self.is_out = any("fault" in answer for answer in answers)
        self.missed: list[Plain] = []
        self.before: Callable[[], None] = lambda: None
        """What is to be done before it decides."""

    def given(self) -> int:
        """How many of its answers were given so far."""
        return len(self.answers) - len(self.known)

    async def reply(self, question: Question) -> Answer | BotFault:
        if question.moves:
            self.before()
        if self.known:
            return await self.again(question, self.known.pop(0))
        if self.missed:
            question.message["events"] = [*self.missed, *question.message["events"]]
        reply = await self.asked(question)
        self.missed = []
        self.keep(reply)
        return reply

    async def asked(self, question: Question) -> Answer | BotFault:
        """Of whom we wait for an answer: a person is told only what is new, a bot's thinking is told to the person."""
        if isinstance(self.sitter, Person):
            self.sitter.heard = len(self.missed)
            return await self.sitter.reply(question)
        async with self.screen.patience():
            return await self.sitter.reply(question)

    def keep(self, reply: Answer | BotFault) -> None:
        if isinstance(reply, BotFault):
            self.answers.append({"fault": reply.kind, "detail": str(reply)})
            self.screen.put(stand_in_story(self.name, reply.kind))
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
