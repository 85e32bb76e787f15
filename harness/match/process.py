"""One bot as a process that is owned: inside the block it runs, after it the bot and its children are gone."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import perf_counter

import trio

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.cell import MUTE, Cell, Isolation, Untidy
from dalang.harness.isolation.levels import NONE
from dalang.harness.isolation.shortage import is_shortage
from dalang.harness.match.children import CHILDREN
from dalang.harness.match.faults import BotFault, Flood, HostTooBusy, StartFault, Timeout
from dalang.harness.match.limits import Limits
from dalang.harness.match.orphans import REAP_SECONDS, kill_orphans
from dalang.harness.match.rest import Rest, send
from dalang.harness.match.wire import Hear, Log, Pipes, Wire
from dalang.protocol.messages import BYE, VERSION, Hello

GRACE_SECONDS = 1.0
"""Seconds for a bot to end by itself after goodbye."""
START_LINES, START_LETTERS = 6, 160
"""Of what a bot wrote to stderr that cannot be started: an error of syntax takes Python four lines."""
LOOK_SECONDS = 0.05
"""Seconds between two looks at what bots use, each at another of them."""


class BotProcess:
    """The life of a bot from its greeting to its end; whoever has something to say to it uses the `wire`."""

    def __init__(
        self, entrant: Entrant, cell: Cell, limits: Limits, log: Log | None, alone: bool = True
    ) -> None:
        process = cell.process
        assert process.stdin and process.stdout and process.stderr
        self.cell = cell
        self.process = process
        self.limits = limits
        self.rest = Rest(process.pid)
        pipes = Pipes(process.stdin, process.stdout, process.stderr)
        self.wire = Wire(entrant.name, pipes, self.rest, self.death, log)
        self.alone = alone
        if not alone:
            self.wire.poll_seconds = 0
        self.hello = Hello(VERSION, "")
        self.alive = True
        self.misuse = ""
        """Why we have ended it."""
        self.when_restless: Callable[[], None] | None = None
        """What to do if it works while it is not asked; nothing if it may."""
        self.must_end_by = 0.0
        """When it is killed, once goodbye was said."""

    async def greet(self) -> None:
        """Wait for its hello, which also settles the format of the conversation."""
        try:
            hello = await self.wire.receive(perf_counter() + self.limits.startup)
        except Timeout:
            raise StartFault(f"no hello within {self.limits.startup:g} s") from None
        except BotFault as fault:
            raise StartFault(f"instead of a hello: {fault}") from None
        if not isinstance(hello, Hello):
            raise StartFault(f"the first message must be a hello, not {hello}")
        if hello.protocol != VERSION:
            raise StartFault(f"it speaks protocol {hello.protocol}, this is protocol {VERSION}")
        self.hello = hello
        self.wire.answer_in_kind()
        self.rest.begin()

    async def new_match(self) -> None:
        """Nothing of the last match is left: neither its words nor its files."""
        self.wire.new_match()
        try:
            await self.aside(self.cell.sweep)
        except Untidy:
            raise Flood("it keeps more files in /tmp than can be removed before a match") from None
        except OSError as error:
            raise no_room(error) from None

    async def aside(self, tidy: Callable[[], None]) -> None:
        """Tidy up after a bot: how long that takes is the bot's doing, and no other match shall be late for it."""
        if self.alone:
            tidy()
        else:
            await trio.to_thread.run_sync(tidy)

    async def hang_up(self) -> None:
        """Ask it to end; from now on it has a little time to do so."""
        if self.alive and not self.must_end_by:
            self.rest.is_asked = True
            self.rest.let_go()
            with suppress(BotFault):
                await self.wire.send(self.wire.packed(BYE), perf_counter() + 0.1)
            self.wire.close_stdin()
            self.must_end_by = perf_counter() + GRACE_SECONDS

    async def ended_within(self, seconds: float) -> bool:
        deadline, pause = perf_counter() + seconds, 0.0005
        while self.process.poll() is None and perf_counter() < deadline:
            with suppress(BotFault):
                self.wire.stderr.drain()
            await trio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return self.process.returncode is not None

    async def death(self) -> str:
        """How a bot ended whose line is dead."""
        with trio.CancelScope(shield=True):
            ended = await self.ended_within(0.5)
        with suppress(BotFault):
            self.wire.stderr.drain()
        if self.misuse or not ended:
            return self.misuse or MUTE
        code = self.cell.exit_code() or 0
        return f"killed by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"

    def last_words(self) -> str:
        """Of one that cannot be started: enough to see where, and not more than can be read at a glance."""
        lines = [line.strip()[:START_LETTERS] for line in self.wire.stderr.last_lines(START_LINES)]
        return f"its stderr: {' / '.join(lines)}" if lines else ""

    async def watch(self) -> None:
        """Look now and then, off the road of questions and answers; whom we end here is found dead when asked."""
        while self.alive:
            await trio.sleep(LOOK_SECONDS * len(CHILDREN.started))
            if not self.alive or self.wire.pipes.stdin.closed:
                continue
            CHILDREN.end_orphans()
            if self.must_end():
                self.strike()
                await kill_orphans()
            elif self.when_restless and not self.rest.is_asked and self.rest.look():
                self.when_restless()

    def must_end(self) -> bool:
        """Whether it uses too much; or its first process has ended, and others hold its end of the line."""
        self.misuse = self.misuse or self.cell.misuse()
        return bool(self.misuse) or self.process.poll() is not None

    def strike(self) -> None:
        """Its whole process group at once: one that forks cannot outrun us."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    async def kill(self) -> None:
        """End the bot and all its processes at once, and reap it."""
        if not self.alive:
            return
        self.alive = False
        with trio.CancelScope(shield=True):
            self.rest.hold()  # so that none forks anew; some may have sessions of their own
            self.strike()
            for pid in self.rest.held:
                send(pid, signal.SIGKILL)
            await self.ended_within(REAP_SECONDS)
            with suppress(BotFault):
                self.wire.stderr.drain()
            self.wire.close()
            CHILDREN.forget(self.process)
            await self.aside(self.cell.close)
            await kill_orphans()


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have numbers only
        return f"signal {number}"


@asynccontextmanager
async def running(
    entrant: Entrant,
    limits: Limits,
    log: Log | None = None,
    isolation: Isolation = NONE,
    alone: bool = True,
    hear: Hear | None = None,
) -> AsyncIterator[BotProcess]:
    """A bot that has greeted us. However the block is left, it and its children are dead and reaped after it."""
    bot = begun(entrant, limits, log, isolation, alone)
    if hear:
        bot.wire.stderr.hear = partial(hear, entrant.name)
    trio.lowlevel.spawn_system_task(bot.watch)
    try:
        await bot.greet()
        yield bot
        await bot.hang_up()
        if bot.alive:
            await bot.ended_within(bot.must_end_by - perf_counter())
    except StartFault as fault:
        await bot.kill()
        hint = "" if bot.wire.has_heard() else isolation.hint(entrant, bot.wire.stderr.text().splitlines())
        raise StartFault("; ".join(filter(None, [str(fault), bot.last_words(), hint]))) from None
    finally:
        await bot.kill()


def begun(entrant: Entrant, limits: Limits, log: Log | None, isolation: Isolation, alone: bool) -> BotProcess:
    cell = spawn(entrant, limits, isolation)
    try:
        return BotProcess(entrant, cell, limits, log, alone)
    except OSError as error:
        put_away(cell)
        raise no_room(error) from None


def put_away(cell: Cell) -> None:
    """End a bot to which nobody talks yet."""
    cell.process.kill()
    with cell.process:
        CHILDREN.forget(cell.process)
    cell.close()


def no_room(error: OSError) -> HostTooBusy:
    """No bot is to blame for what this machine lacks."""
    return HostTooBusy(f"this machine has no room for another bot: {error.strerror}; run fewer at once")


def spawn(entrant: Entrant, limits: Limits, isolation: Isolation) -> Cell:
    program = entrant.command[0]
    if not os.access(program, os.X_OK):
        raise StartFault(f"{program} is no program that can be executed")
    try:
        return isolation.start(entrant, limits.memory, CHILDREN.start)
    except OSError as error:
        if is_shortage(error):
            raise no_room(error) from None
        raise StartFault(f"it cannot be started: {error}") from None
