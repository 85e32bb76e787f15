"""Matches between running bots: processes that are reused, fair clocks, and a host that admits its guilt."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from subprocess import Popen
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeVar

import trio

from dalang.engine.game import Game, SetupError
from dalang.harness.entrants.entrant import CannotPlay, Entrant
from dalang.harness.escaping import shortened
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import NONE
from dalang.harness.match.faults import BotFault, Flood, Garbage, HostTooBusy, Illegal, StartFault, Timeout
from dalang.harness.match.guardian import ends
from dalang.harness.match.limits import MAX_ERROR, Clock, Limits
from dalang.harness.match.played import Played
from dalang.harness.match.process import BotProcess, running
from dalang.harness.match.referee import Answer, Match, Question, Scribe, Talk, Watcher, legal, referee
from dalang.harness.match.stopwatch import check_measurable, stopwatch_for
from dalang.harness.match.wire import Hear, Log
from dalang.protocol.messages import ChosenMove, FromBot, Ready

CHECKPOINT_EVERY = 0.02
"""Seconds after which trio gets a turn, whether we had to wait or not."""
MOST_LIVE_BOTS = 96
"""Bots that an arena keeps running; beyond that the longest idle one has to go."""
FEWEST_LIVE_BOTS = 8
"""Bots that it keeps however little memory there is: more than sit at any table."""
MOST_DEALS = 10_000
"""Deals after which a bot is started anew, so that what it has met need not be remembered for ever."""
MOST_TRIES = 5
"""How often a match is played again because the host was late, before we give up."""

T = TypeVar("T")


class Attended(NamedTuple):
    """How a bot runs that somebody debugs: no clock runs for it, and it is isolated as a debugger needs it."""

    isolation: Isolation
    awaited: Callable[[Popen[bytes]], Awaitable[None]]
    """Before a match begins for it: until whoever debugs is ready."""


@dataclass(eq=False)
class Live:
    """A running bot, and the deals it has met."""

    name: str
    process: BotProcess
    exits: AsyncExitStack
    deals: set[str] = field(default_factory=set)

    def has_met(self, deal: str) -> bool:
        return deal in self.deals or len(self.deals) >= MOST_DEALS

    def may_go(self, deal: str | None) -> bool:
        """Whether it plays no more, now that this deal is being played."""
        return len(self.deals) >= MOST_DEALS and deal not in self.deals


@dataclass
class Arena:
    """The bots of one run. A bot is started when it is first needed and stays, unless `fresh` is wanted.

    All rotations of a block share a deal, and a bot that remembers what it saw could use it in the next one. So no
    process meets a deal twice: an entrant has as many processes as it needs for that.
    """

    limits: Limits
    fresh: bool = False
    log: Log | None = None
    show_clock: bool = True
    alone: bool = True
    """Whether no other match is played in this loop, so that a bot may be waited for without trio."""
    isolation: Isolation = NONE
    ponder: bool = False
    """Whether bots may work while they are not asked."""
    tell: Callable[[str], None] = lambda text: None
    """Told what the organiser should know of a bot."""
    hear: Hear | None = None
    keep_stderr: bool = False
    """Whether what bots write to stderr is kept with a match."""
    attended: Mapping[str, Attended] = field(default_factory=dict)
    """By name, the bots that somebody debugs."""
    scribe: Scribe | None = None
    """Notes the moves of its matches, if somebody looks on."""
    bots: list[Live] = field(default_factory=list)
    """The longest idle first."""
    restless: set[str] = field(default_factory=set)
    """Entrants that were found to work while they were not asked."""

    async def bot(self, entrant: Entrant, deal: str | None = None) -> BotProcess:
        """A running bot of this entrant that has not met this deal; without a deal, any that runs."""
        found = self.latest(entrant.name, deal) or await self.start(entrant, deal)
        self.bots.remove(found)
        self.bots.append(found)
        if deal is not None:
            found.deals.add(deal)
        return found.process

    def latest(self, name: str, deal: str | None) -> Live | None:
        """Whoever played last is taken first: what it needs is still in the core's caches."""
        for each in reversed(self.bots):
            if each.name == name and each.process.alive and (deal is None or not each.has_met(deal)):
                return each
        return None

    async def start(self, entrant: Entrant, deal: str | None = None) -> Live:
        await self.make_room(deal)
        exits, attended = AsyncExitStack(), self.attended.get(entrant.name)
        isolation = attended.isolation if attended else self.isolation
        process = await exits.enter_async_context(
            running(entrant, self.limits_of(entrant), self.log, isolation, self.alone, self.hear)
        )
        if not self.ponder and not attended:
            process.when_restless = partial(self.keep_quiet, entrant.name, process)
        if entrant.name in self.restless:
            process.rest.watch()
        self.bots.append(Live(entrant.name, process, exits))
        return self.bots[-1]

    def limits_of(self, entrant: Entrant) -> Limits:
        own = self.told_limits(entrant)
        return own.patient() if entrant.name in self.attended else own

    def told_limits(self, entrant: Entrant) -> Limits:
        """What it is told, also if nobody holds it to that."""
        return self.limits.changed(entrant.limits)

    async def make_room(self, deal: str | None) -> None:
        """Let go of who plays no more, and of the longest idle if there are too many or memory is short."""
        for each in [each for each in self.bots if not each.process.alive or each.may_go(deal)]:
            await self.forget(each)
        if len(self.bots) >= (FEWEST_LIVE_BOTS if memory_is_short() else MOST_LIVE_BOTS):
            await self.forget(self.bots[0])

    async def forget(self, bot: Live) -> None:
        self.bots.remove(bot)
        await bot.exits.aclose()

    async def close(self) -> None:
        """Say goodbye to all, then wait for all."""
        for bot in self.bots:
            await bot.process.hang_up()
        for bot in list(self.bots):
            await self.forget(bot)

    async def kill(self) -> None:
        for bot in self.bots:
            await bot.process.kill()

    async def preflight(self, entrants: Sequence[Entrant], game: Game, seats: int) -> None:
        """Start everybody, before anything is played; one who cannot play is the operator's to mend."""
        for entrant in entrants:
            try:
                bot = await self.bot(entrant)
            except StartFault as fault:
                raise CannotPlay(f"{entrant.name} cannot be started: {fault}", [entrant.name]) from None
            if not bot.hello.can_play(game.name, seats):
                says = f"{entrant.name} says that it cannot play {game.name} with {seats} seats"
                raise CannotPlay(says, [entrant.name])

    # ---- Rest

    def keep_quiet(self, name: str, process: BotProcess) -> None:
        """A bot was found to work while it was not asked."""
        if name not in self.restless:
            self.restless.add(name)
            self.tell(
                f"{name} works while it is not asked; from now on its processes are stopped then "
                "(--ponder lets bots work at any time)"
            )
        process.rest.watch()

    # ---- Playing

    async def play(self, match: Match, entrants: Sequence[Entrant], watch: Watcher | None = None) -> Played:
        """Play a match; one in which we ourselves were late is void and played again."""
        match = replace(match, limits=self.limits.announced() if self.show_clock else {})
        for tries in range(MOST_TRIES):
            played, lag = await self.play_once(match, entrants, watch)
            if self.fresh:
                await self.close()
            if lag <= self.limits.lateness() or self.attended:  # whoever debugs may also stop us
                return replace(played, voided=tries)
        raise HostTooBusy(
            f"this machine is too busy to time bots fairly: {MOST_TRIES} times in a row the harness itself was more "
            f"than {self.limits.lateness():g} s late in a match; run fewer at once"
        )

    async def play_once(
        self, match: Match, entrants: Sequence[Entrant], watch: Watcher | None
    ) -> tuple[Played, float]:
        """The match, and how many seconds we were late in it."""
        chairs = [Chair(self, entrant, match.seed) for entrant in entrants]
        try:
            played = await drive(referee(match, watch, self.scribe), chairs)
        except HostTooBusy:
            # Some are in the middle of it, and together they may hold what there is too little of.
            await self.close()
            raise
        said = tuple(chair.stderr for chair in chairs) if self.keep_stderr else ()
        return replace(with_chairs(played, chairs), stderr=said), sum(chair.lag for chair in chairs)


def memory_is_short() -> bool:
    """Whether less than a fifth of this machine's memory is left, where that can be told."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return False
    kilobytes = {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines)}
    return kilobytes["MemAvailable"] < kilobytes["MemTotal"] / 5


@asynccontextmanager
async def open_arena(
    limits: Limits,
    fresh: bool = False,
    log: Log | None = None,
    show_clock: bool = True,
    alone: bool = True,
    isolation: Isolation = NONE,
    ponder: bool = False,
    tell: Callable[[str], None] = lambda text: None,
    hear: Hear | None = None,
    keep_stderr: bool = False,
    attended: Mapping[str, Attended] = MappingProxyType({}),
) -> AsyncIterator[Arena]:
    check_measurable(limits)
    arena = Arena(limits, fresh, log, show_clock, alone, isolation, ponder, tell, hear, keep_stderr, attended)
    try:
        yield arena
    except BaseException:
        await arena.kill()
        raise
    finally:
        with trio.CancelScope(shield=True):
            await arena.close()


class Sitter(Protocol):
    """Whoever can be asked: a bot's chair, or a player in this process."""

    async def reply(self, question: Question) -> Answer | BotFault: ...


async def drive(talk: Talk, chairs: Sequence[Sitter]) -> Played:
    """Carry questions to the chairs and answers back until the match is over."""
    try:
        question, checkpoint_due = next(talk), perf_counter() + CHECKPOINT_EVERY
        while True:
            reply = await chairs[question.seat].reply(question)
            if perf_counter() > checkpoint_due:
                await trio.lowlevel.checkpoint()
                checkpoint_due = perf_counter() + CHECKPOINT_EVERY
            question = talk.send(reply)
    except StopIteration as stop:
        played: Played = stop.value
    return played


class Chair:
    """One seat of one match and the bot on it: its clock, its times, what it said last."""

    def __init__(self, arena: Arena, entrant: Entrant, deal: str) -> None:
        self.arena = arena
        self.entrant = entrant
        self.deal = deal
        self.limits = arena.limits_of(entrant)
        self.clock = Clock(self.limits, told=arena.told_limits(entrant))
        self.stopwatch = stopwatch_for(self.limits, self.clock)
        self.times: list[float] = []
        self.lag = 0.0
        self.last_words: list[str] = []
        self.stderr = ""
        """All that is kept of what it wrote, if that is wanted."""
        self.bot: BotProcess | None = None

    async def reply(self, question: Question) -> Answer | BotFault:
        """The bot's answer, or its fault, after which it is gone."""
        try:
            if question.moves:
                return await self.decide(question)
            return await (self.prepare if question.message["type"] == "start" else self.dismiss)(question)
        except BotFault as fault:
            await self.remove()
            return fault

    async def prepare(self, question: Question) -> Answer:
        self.bot = await self.arena.bot(self.entrant, self.deal)
        await self.bot.new_match()
        if attended := self.arena.attended.get(self.entrant.name):
            await attended.awaited(self.bot.process)
        self.bot.wire.take_lag()
        self.bot.wire.is_spent = None
        if self.entrant.limits and self.arena.show_clock:
            question.message["limits"] = self.arena.told_limits(self.entrant).announced()
        try:
            answer = await self.bot.wire.ask(question.message, self.limits.prepare)
        except Timeout:
            raise Timeout(f"not ready within {self.limits.prepare:g} s") from None
        if not isinstance(answer, Ready):
            raise Garbage(f"the answer to start must be ready, not {answer}")
        return Answer(wants=self.bot.hello.wants)

    async def decide(self, question: Question) -> Answer:
        assert self.bot
        message = question.message
        if self.arena.show_clock:
            message["clock"] = self.clock.announced
        try:
            answer = await self.bot.wire.ask(message, self.stopwatch.begin(self.bot))
        except Timeout:
            self.times.append(self.stopwatch.spent_in_vain(self.bot))
            raise self.stopwatch.too_late() from None
        seconds = self.stopwatch.spent(self.bot)
        self.times.append(seconds)
        if self.stopwatch.is_over(seconds):
            raise self.stopwatch.too_late()
        self.clock.charge(seconds)
        if self.arena.hear:
            self.bot.wire.stderr.drain()  # before anybody hears of the answer
        return checked(answer, message["id"], question.moves)

    async def dismiss(self, question: Question) -> Answer:
        """The match is over, and nothing the bot does can change it."""
        assert self.bot
        self.bot.wire.tell(question.message)
        self.lag += self.bot.wire.take_lag()
        if self.arena.keep_stderr:
            with suppress(BotFault):
                self.bot.wire.stderr.drain()
            self.stderr = self.bot.wire.stderr.text()
        return Answer()

    async def remove(self) -> None:
        if self.bot:
            await self.bot.kill()
            self.lag += self.bot.wire.take_lag()
            self.last_words = self.bot.wire.stderr.last_lines()
            self.stderr = self.bot.wire.stderr.text()


def with_chairs(played: Played, chairs: Sequence[Chair | None]) -> Played:
    """The match with what the chairs know of it: times, and what a bot that broke the contract said last."""
    stderr = [chair.last_words if chair else [] for chair in chairs]
    times = [chair.times if chair else [] for chair in chairs]
    return replace(
        played,
        faults=tuple(replace(fault, stderr=stderr[fault.seat]) for fault in played.faults),
        microseconds=tuple([round(second * 1e6) for second in seconds] for seconds in times),
    )


def checked(answer: FromBot, id: int, moves: int) -> Answer:
    """The answer to question `id`, if that is what it is, and one of its moves."""
    if not isinstance(answer, ChosenMove):
        raise Garbage(f"a move was asked for, but it said {answer}")
    if answer.id < id:
        raise Flood(f"it answered question {answer.id} again, instead of question {id}")
    if answer.id > id:
        raise Garbage(f"it answered question {answer.id}, but was asked question {id}")
    reply = legal(Answer(answer.move, answer.note), moves)
    if isinstance(reply, BotFault):
        raise Illegal(shortened(answer.error, MAX_ERROR)) if answer.error else reply
    return reply


# ---- Running


async def interruptible(work: Callable[[], Awaitable[T]]) -> T:
    """Do the work; Ctrl-C, SIGTERM or a terminal that goes away cancels it, and it still cleans up behind itself."""
    interrupted = False

    async def watch(signals: AsyncIterator[int]) -> None:
        nonlocal interrupted
        async for _ in signals:
            interrupted = True
            nursery.cancel_scope.cancel()

    result: list[T] = []
    error: Exception | None = None
    with heard_once() as numbers:
        with trio.open_signal_receiver(*numbers) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch, signals)
                try:
                    result.append(await work())
                except Exception as caught:  # carried past the nursery, which would wrap it
                    error = caught
                nursery.cancel_scope.cancel()
        if error:
            raise only_leaf(error)
        if interrupted:
            raise KeyboardInterrupt
    return result[0]


@contextmanager
def heard_once() -> Iterator[list[int]]:
    """The signals that end us: once we have been interrupted they are not heard again, lest they end us too soon.

    Who sends one to all processes of a command reaches us more than once.
    """
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in ends()}
    try:
        yield [*handlers]
    except KeyboardInterrupt:
        handlers.clear()
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def only_leaf(error: Exception) -> Exception:
    """What a task raised, without the groups that nurseries wrap around it.

    Several tasks may meet the same mistake of the operator or the same limit of the system; it is told once. Anything
    else stays a group.
    """
    leaves = list(leaves_of(error))
    if len(leaves) == 1 or all(isinstance(leaf, SetupError | OSError | HostTooBusy) for leaf in leaves):
        return leaves[0]
    return error


def leaves_of(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from leaves_of(inner)
    else:
        yield error
