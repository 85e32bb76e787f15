"""Conformance: does this bot keep the contract? A list of sentences, each tried on the real bot.

Each demand is one function; its docstring is the sentence. It returns a remark for people, or raises `Failed` with
what was seen and a hint.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any

import trio

from dalang.engine.catalogue import games
from dalang.engine.chance import SeededChance
from dalang.engine.game import Game, Plain
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.escaping import shortened
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import NONE
from dalang.harness.junit import Case
from dalang.harness.match.arena import Arena, Chair, drive, open_arena
from dalang.harness.match.children import CHILDREN
from dalang.harness.match.faults import (
    FAULT_KINDS,
    BotFault,
    Crash,
    Flood,
    Garbage,
    Illegal,
    StartFault,
    Timeout,
)
from dalang.harness.match.limits import MAX_DETAIL, Limits
from dalang.harness.match.process import BotProcess, running
from dalang.harness.match.referee import Answer, Match, Question, referee
from dalang.harness.statistics.summary import percentiles
from dalang.protocol import messages
from dalang.protocol.messages import EVERYTHING, NEWS, VIEW, ChosenMove, Hello, Ready, clipped


class Failed(Exception):
    """The bot does not do what the sentence says."""

    def __init__(self, seen: str, hint: str) -> None:
        super().__init__(seen)
        self.hint = hint


@dataclass
class Finding:
    """One sentence and whether it is true."""

    sentence: str
    good: bool
    remark: str
    hint: str = ""
    seconds: float = 0.0


@dataclass
class Examination:
    """A bot under examination and what was learnt about it so far."""

    entrant: Entrant
    limits: Limits
    only: Game | None
    arena: Arena
    hello: Hello | None = None
    times: list[float] = field(default_factory=list)
    traffic: list[str] = field(default_factory=list)
    """The last few messages, to show where a step fails."""

    def heard(self, name: str, way: str, message: Any) -> None:
        self.traffic = [*self.traffic[-3:], f"{way} {shortened(json.dumps(message, default=repr), 400)}"]

    def another(self) -> AbstractAsyncContextManager[BotProcess]:
        """A process of the bot besides the one that plays."""
        return running(self.entrant, self.limits, self.heard, self.arena.isolation)


Demand = Callable[[Examination], Awaitable[str]]

HINTS = {
    StartFault: "look at its stderr; the first thing on its stdout must be a hello, and it must be flushed",
    Timeout: "flush stdout after each message; answer every `decide` and every `start`",
    Crash: "look at its stderr; it must run until `bye` or until stdin closes",
    Garbage: "only messages belong on stdout; print everything else to stderr",
    Illegal: "answer with the number of a move in the list, counted from 0",
    Flood: "one answer to one question, and nothing unasked",
}


MATCHES_PER_TABLE = 2


# ---- The demands, in the order in which they are checked


async def greets(exam: Examination) -> str:
    """It starts and greets in time."""
    begin = perf_counter()
    exam.hello = (await exam.arena.bot(exam.entrant)).hello
    return f"as {clipped(exam.hello.name or 'nobody')} after {(perf_counter() - begin) * 1000:.0f} ms"


async def speaks_our_protocol(exam: Examination) -> str:
    """It states a protocol version that we speak."""
    bot = await exam.arena.bot(exam.entrant)
    return f"version {bot.hello.protocol}, {bot.wire.decoder.format}; {wishes(bot.hello.wants)}"


def wishes(wants: frozenset[str]) -> str:
    """What a bot wants to be told, and what of it nobody here can tell."""
    known, unknown = sorted(wants & EVERYTHING, reverse=True), sorted(wants - EVERYTHING)
    wanted = f"it wants {' and '.join(known) or 'neither view nor news'}"
    if not unknown:
        return wanted
    return f"{wanted}; unknown here, so ignored: {shortened(', '.join(map(repr, unknown)), 200)}"


async def plays(exam: Examination) -> str:
    """It plays whole matches of every game at every table size it says it can play."""
    tables = list(playable_tables(exam))
    if not tables:
        raise Failed(
            "it says that it can play none of them", "name the games and table sizes in `hello`, or none"
        )
    for game, seats in tables:
        for number in range(MATCHES_PER_TABLE):
            await play(exam, game, seats, number)
    return f"{MATCHES_PER_TABLE * len(tables)} matches at {len(tables)} tables"


async def answers_in_time(exam: Examination) -> str:
    """It answers within the limit."""
    p50, p99, longest = (seconds * 1000 for seconds in percentiles(exam.times))
    return (
        f"{len(exam.times)} answers; p50 {p50:.2f} ms, p99 {p99:.2f} ms, max {longest:.2f} ms "
        f"of {exam.limits.move * 1000:.0f} ms"
    )


async def survives_a_second_match(exam: Examination) -> str:
    """It plays another match in the same process."""
    bot = await exam.arena.bot(exam.entrant)
    game, seats = next(playable_tables(exam))
    await play(exam, game, seats, MATCHES_PER_TABLE)
    if not bot.alive:
        raise Failed("it had to be started again", HINTS[Crash])
    return f"still process {bot.process.pid}"


async def prints_only_messages(exam: Examination) -> str:
    """It prints nothing to stdout but messages."""
    bot = await exam.arena.bot(exam.entrant)
    unasked = bot.wire.read()
    if unasked:
        raise Failed(f"after the last match it said {unasked[:80]!r}", HINTS[Garbage])
    return "nothing unasked after the last match"


async def copes_with_large_messages(exam: Examination) -> str:
    """It copes with large messages that come in small pieces, and with a slow reader."""
    async with exam.another() as bot:
        game, seats = next(playable_tables(exam))
        await get_ready(bot, game, seats)
        question = first_question(bot, game, seats)
        question["padding"] = ["x" * 1000] * 300
        data = bot.wire.encode(question)
        for start in range(0, len(data), 5000):
            await bot.wire.send(data[start : start + 5000], perf_counter() + exam.limits.move)
            await trio.lowlevel.checkpoint()
        await trio.sleep(0.05)
        answer = await bot.wire.receive(perf_counter() + exam.limits.move + exam.limits.bank)
        if not isinstance(answer, ChosenMove) or answer.id != question["id"]:
            raise Failed(
                f"it said {answer}", "read until a message is complete; unknown fields are to be ignored"
            )
        return f"{len(data) // 1000} kB"


async def ends_on_bye(exam: Examination) -> str:
    """It ends on bye."""
    async with exam.another() as bot:
        await bot.wire.send(bot.wire.packed(messages.BYE), perf_counter() + exam.limits.move)
        return await ending(bot, "leave the loop when the message `bye` comes")


async def ends_when_stdin_closes(exam: Examination) -> str:
    """It ends when stdin closes."""
    async with exam.another() as bot:
        bot.wire.close_stdin()
        return await ending(bot, "an empty read means that the referee is gone: end")


async def leaves_no_child(exam: Examination) -> str:
    """It leaves no child behind."""
    async with exam.another() as bot:
        game, seats = next(playable_tables(exam))
        await get_ready(bot, game, seats)
        await bot.wire.ask(first_question(bot, game, seats), exam.limits.move + exam.limits.bank)
        await bot.wire.send(bot.wire.packed(messages.BYE), perf_counter() + exam.limits.move)
        bot.wire.close_stdin()
        await bot.ended_within(1.0)
        with suppress(ProcessLookupError):
            os.killpg(bot.process.pid, signal.SIGCONT)
            raise Failed(f"processes of its group {bot.process.pid} live on", CHILDREN_HINT)
        if await still_there():
            raise Failed("a process in a session of its own lives on", CHILDREN_HINT)
    return "its process group is empty"


async def still_there() -> bool:
    """Whether orphans live on; the kernel may take a moment to end the last."""
    deadline = perf_counter() + 0.5
    while CHILDREN.orphans() and perf_counter() < deadline:
        await trio.sleep(0.01)
    return bool(CHILDREN.orphans())


CHILDREN_HINT = "end your children before you end"


DEMANDS: Sequence[Demand] = (
    greets,
    speaks_our_protocol,
    plays,
    answers_in_time,
    survives_a_second_match,
    prints_only_messages,
    copes_with_large_messages,
    ends_on_bye,
    ends_when_stdin_closes,
    leaves_no_child,
)


async def examine(
    entrant: Entrant,
    limits: Limits,
    only: Game | None = None,
    watch: Callable[[Finding], None] = lambda finding: None,
    isolation: Isolation = NONE,
) -> list[Finding]:
    """Check all demands; after the first that fails the rest would tell nothing new."""
    findings: list[Finding] = []
    async with open_arena(limits, isolation=isolation) as arena:
        exam = Examination(entrant, limits, only, arena)
        arena.log = exam.heard
        for demand in DEMANDS:
            findings.append(await tried(demand, exam))
            watch(findings[-1])
            if not findings[-1].good:
                break
    return findings


async def tried(demand: Demand, exam: Examination) -> Finding:
    sentence, begin = (demand.__doc__ or "").rstrip("."), perf_counter()
    try:
        remark, good, hint = await demand(exam), True, ""
    except Failed as failed:
        remark, good, hint = str(failed), False, failed.hint
    except BotFault as fault:
        remark, good, hint = f"{fault.kind}: {fault}", False, hint_for(fault)
    if not good:
        remark = shortened(remark, MAX_DETAIL)
        remark = "\n".join([remark, *(f"the talk: {line}" for line in exam.traffic), *last_words(exam)])
    return Finding(sentence, good, remark, hint, perf_counter() - begin)


def hint_for(fault: BotFault) -> str:
    if isinstance(fault, Garbage) and "bytes" not in str(fault):
        return "compare the message with protocol/SPEC.md, field by field"
    if isinstance(fault, Flood) and "stderr" in str(fault):
        return "write less to stderr"
    return HINTS[type(fault)]


def last_words(exam: Examination) -> list[str]:
    return [f"stderr: {line}" for bot in exam.arena.bots for line in bot.process.wire.stderr.last_lines(5)]


# ---- What the demands are made of


def playable_tables(exam: Examination) -> Iterator[tuple[Game, int]]:
    """Every table that the bot says it can play, or only those of one game."""
    hello = exam.hello or Hello(messages.VERSION, "")
    for game in games().values():
        if exam.only in (None, game):
            yield from ((game, seats) for seats in game.seats if hello.can_play(game.name, seats))


async def play(exam: Examination, game: Game, seats: int, number: int) -> None:
    """One match in which the others choose at random."""
    seat = number % seats
    seed = f"check {game.name} {seats} {number}"
    chair = Chair(exam.arena, exam.entrant, seed)
    rng = Random(seed)
    chairs = [chair if each == seat else RandomChair(rng) for each in range(seats)]
    names = tuple(f"seat {each}" for each in range(seats))
    match = Match(game, seed, names, limits=exam.limits.announced())
    record = await drive(referee(match), chairs)
    exam.times += chair.times
    for fault in record.faults:
        raise FAULT_KINDS[fault.kind](f"in {game.name} with {seats} seats, {fault.moment()}: {fault.detail}")


class RandomChair:
    """A seat in this process that takes any move, and reads nothing but their number."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    async def reply(self, question: Question) -> Answer | BotFault:
        return Answer(self.rng.randrange(question.moves) if question.moves else 0, wants=frozenset())


async def get_ready(bot: BotProcess, game: Game, seats: int) -> None:
    options = game.checked_options({})
    start = messages.start(game.name, game.rules_version, seats, 0, options, "check", bot.limits.announced())
    answer = await bot.wire.ask(start, bot.limits.prepare)
    if not isinstance(answer, Ready):
        raise Failed(f"it answered start with {answer}", "answer `start` with `ready`")


def first_question(bot: BotProcess, game: Game, seats: int) -> dict[str, Any]:
    """What it is asked first, with as much as it wants to be told."""
    state, wants = game.start(seats, SeededChance("check")), bot.hello.wants
    events: list[Plain] | None = [] if NEWS in wants else None
    view = state.view(state.seat) if VIEW in wants else None
    return messages.decide(1, state.decision, events, view, state.moves())


async def ending(bot: BotProcess, hint: str) -> str:
    begin = perf_counter()
    if not await bot.ended_within(1.0):
        raise Failed("it still runs after 1 s", hint)
    return f"exit code {bot.process.returncode} after {(perf_counter() - begin) * 1000:.0f} ms"


# ---- For other programs


def cases(findings: Sequence[Finding]) -> list[Case]:
    """The findings as test cases."""
    return [
        Case(
            name=finding.sentence,
            failure="" if finding.good else f"{finding.remark}\nhint: {finding.hint}",
            seconds=finding.seconds,
        )
        for finding in findings
    ]
