"""One question of a match that was played, put to a bot again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalang.engine.game import Plain
from dalang.harness.match.arena import Chair
from dalang.harness.match.faults import BotFault
from dalang.harness.match.referee import Answer, Match, Question, referee

NOBODY_THERE = Answer(wants=frozenset())
"""Of seats where nobody sits: no events are made for them."""


@dataclass(frozen=True)
class Asked:
    """What came of it."""

    question: int
    """The number of the question that was answered last; an earlier one if the bot broke the contract there."""
    message: Plain
    """What the bot was asked."""
    reply: Answer | BotFault
    seconds: float | None
    """None if no answer came."""
    otherwise: int
    """How many of the earlier questions it answered otherwise than they were answered then."""
    stderr: list[str]
    """What it wrote while it was asked."""


async def ask_again(match: Match, chair: Chair, seat: int, then: Sequence[int]) -> Asked:
    """Ask what was asked then; `then` is how the earlier questions to this seat were answered."""
    talk = referee(match)
    question, otherwise = next(talk), 0
    wanted = len(then) + 1
    while True:
        if question.seat != seat:
            question = talk.send(NOBODY_THERE)
            continue
        reply, said = await put(chair, question)
        number = question.message.get("id", 0)
        if number == wanted or isinstance(reply, BotFault):
            seconds = chair.times[-1] if chair.times and isinstance(reply, Answer) else None
            return Asked(number, question.message, reply, seconds, otherwise, said)
        otherwise += bool(question.moves) and reply.move != then[number - 1]
        question = talk.send(reply)


async def put(chair: Chair, question: Question) -> tuple[Answer | BotFault, list[str]]:
    """One question, and what the bot writes to stderr meanwhile."""
    if chair.bot:
        chair.bot.wire.new_match()
    reply = await chair.reply(question)
    if chair.bot and isinstance(reply, Answer):
        chair.bot.wire.stderr.drain()
    return reply, chair.bot.wire.stderr.last_lines() if chair.bot else []
