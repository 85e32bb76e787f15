"""One bot as a process that is owned: inside the block it runs, after it the bot and its children are gone.

The road to a bot is short, because most bots answer in microseconds and trio's waits cost more than that: write,
yield the core and read; only if nothing is there, poll for a moment; only then wait in trio. Every wait has a
deadline, and the clock starts before the write.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from time import perf_counter
from typing import Any

import trio

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.children import CHILDREN, REAP_SECONDS
from dalang.harness.match.faults import BotFault, Crash, Flood, Garbage, StartFault, Timeout
from dalang.harness.match.limits import MAX_STDERR_BYTES, Limits
from dalang.protocol.codec import CHUNK_BYTES, ENCODERS, MSGPACK, Decoder
from dalang.protocol.messages import BYE, VERSION, FromBot, Garbled, Hello, Oversized, parse

PATIENCE = 0.01
"""Seconds to poll before trio is troubled; only where one match at a time is played.

No shorter than the kernel's tick: a timer that is due before it must be set in hardware, which costs some 10 us in a
virtual machine.
"""
SLICES = (0.005, 0.02, 0.1)
"""Waits in trio are cut into slices, to drain stderr and to notice when we ourselves wake up late."""
HITCH = 0.02
"""Seconds by which a single wait may overrun its slice: timers are coarse, and that is nobody's guilt."""
GRACE = 1.0
"""Seconds for a bot to end by itself after goodbye."""

Log = Callable[[str, str, Any], None]
"""Told of each message: the bot's name, `<<` (to it) or `>>` (from it), and the message."""


class Stderr:
    """What a bot wrote to stderr: the beginning and the end, and how much it was in all."""

    KEPT = 4096

    def __init__(self) -> None:
        self.head = b""
        self.tail = b""
        self.size = 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        room = self.KEPT - len(self.head)
        self.head += chunk[:room]
        self.tail = (self.tail + chunk[room:])[-self.KEPT :]

    def text(self) -> str:
        lost = self.size - len(self.head) - len(self.tail)
        gap = f"\n[... {lost} bytes ...]\n".encode() if lost else b""
        return (self.head + gap + self.tail).decode(errors="replace")

    def last_lines(self, number: int = 10) -> list[str]:
        return self.text().splitlines()[-number:]


class Ears:
    """One descriptor that is readable when stdout or stderr is, where the platform has such a thing.

    Elsewhere it is stdout itself, and stderr is heard only between the slices of a wait.
    """

    def __init__(self, stdout: int, stderr: int) -> None:
        self.descriptor, self.epoll = stdout, None
        if sys.platform == "linux":
            self.epoll = select.epoll(2)
            self.epoll.register(stdout, select.EPOLLIN)
            self.epoll.register(stderr, select.EPOLLIN)
            self.descriptor = self.epoll.fileno()

    def forget(self, descriptor: int) -> None:
        if self.epoll and not self.epoll.closed:
            self.epoll.unregister(descriptor)

    def close(self) -> None:
        if self.epoll:
            self.epoll.close()


class Bot:
    """A running bot: ask it things."""

    def __init__(
        self, entrant: Entrant, process: subprocess.Popen[bytes], limits: Limits, log: Log | None
    ) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.name = entrant.name
        self.process = process
        self.limits = limits
        self.log = log
        self.stdin, self.stdout, self.err = (
            pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr)
        )
        for descriptor in (self.stdin, self.stdout, self.err):
            os.set_blocking(descriptor, False)
        self.poller = select.poll()
        self.poller.register(self.stdout, select.POLLIN)
        self.poller.register(self.err, select.POLLIN)
        self.ears = Ears(self.stdout, self.err)
        self.decoder = Decoder()
        self.encode = ENCODERS[MSGPACK]
        self.outbox = b""
        self.stderr = Stderr()
        self.hears_stderr = True
        self.asked = 0.0
        """When the last question was put into the pipe."""
        self.patience = PATIENCE
        self.lag = 0.0
        """Seconds that we ourselves were late since somebody last looked."""
        self.alive = True
        self.parting = 0.0
        """When it must be gone, once goodbye was said."""
        self.hello = Hello(VERSION, "")

    # ---- Talking

    async def ask(self, message: Any, seconds: float) -> FromBot:
        """Send a message and return the answer; to stop reading is as late as never to answer."""
        data = self.packed(message)
        if self.poller.poll(0):
            self.expect_silence()
        self.asked = perf_counter()
        deadline = self.asked + seconds
        left = self.write(data)
        if left is None:
            raise Crash(await self.death())
        if left:
            await self.send(left, deadline)
        os.sched_yield()  # a bot on this core answers now
        chunk = self.read()
        if chunk is None and self.patience:
            chunk = self.poll(deadline)
        answer = self.decode(chunk) if chunk else None
        return answer if answer is not None else await self.receive(deadline, chunk)

    def expect_silence(self) -> None:
        """Nothing may come that was not asked for: an answer ahead of its question would cost no time."""
        self.drain()
        chunk = self.read()
        if chunk and (message := self.decode(chunk)):
            raise Flood(f"it spoke before it was asked: {message}")

    def tell(self, message: Any) -> None:
        """Send a message that wants no answer, together with the next that does: a bot is woken only once."""
        self.outbox += self.packed(message)

    def packed(self, message: Any) -> bytes:
        if self.log:
            self.log(self.name, "<<", message)
        return self.encode(message)

    async def send(self, data: bytes, deadline: float) -> None:
        waits = 0
        left = self.write(data)
        while left:
            await self.wait(trio.lowlevel.wait_writable, self.stdin, waits, deadline)
            waits += 1
            left = self.write(left)
        if left is None:
            raise Crash(await self.death())

    def write(self, data: bytes) -> bytes | None:
        """Write what fits into the pipe; what is left, or None if nobody will ever read it."""
        if self.outbox:
            data, self.outbox = self.outbox + data, b""
        try:
            return data[os.write(self.stdin, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return None

    async def receive(self, deadline: float, chunk: bytes | None = None) -> FromBot:
        """The next message, as soon as it is complete; `chunk` was read already and did not complete it."""
        waits = 0
        while chunk != b"":
            await self.wait(trio.lowlevel.wait_readable, self.ears.descriptor, waits, deadline)
            waits += 1
            chunk = self.read()
            answer = self.decode(chunk) if chunk else None
            if answer is not None:
                return answer
        raise Crash(await self.death())

    def read(self) -> bytes | None:
        """What has come: bytes, nothing at the end of the line, or None if there is nothing yet."""
        try:
            return os.read(self.stdout, CHUNK_BYTES)
        except BlockingIOError:
            return None

    def poll(self, deadline: float) -> bytes | None:
        """Wait for a moment without trio."""
        begin = perf_counter()
        patience = max(0.0, min(self.patience, deadline - begin))
        ready = dict(self.poller.poll(patience * 1000))
        self.late(perf_counter() - begin - patience)
        if self.err in ready:
            self.drain()
        return self.read()

    def decode(self, chunk: bytes) -> FromBot | None:
        """The message in the bytes, if it is complete; one answer to one question, nothing more."""
        try:
            messages = self.decoder.feed(chunk)
            if self.log:
                for message in messages:
                    self.log(self.name, ">>", message)
            if not messages:
                return None
            message = parse(messages[0])
        except Garbled as error:
            raise Garbage(str(error)) from None
        except Oversized as error:
            raise Flood(str(error)) from None
        if len(messages) > 1:
            raise Flood(f"{len(messages)} messages where one was asked for; the second is {messages[1]}")
        return message

    async def wait(self, wait: Callable[[int], Any], descriptor: int, waits: int, deadline: float) -> None:
        """Wait for the descriptor, one slice long; late beyond that is our own doing."""
        self.drain()
        begin = perf_counter()
        if begin >= deadline:
            raise Timeout("no answer in time")
        slice_ = min(SLICES[min(waits, len(SLICES) - 1)], deadline - begin)
        with trio.move_on_after(slice_):
            await wait(descriptor)
        self.late(perf_counter() - begin - slice_)

    def late(self, seconds: float) -> None:
        if seconds > HITCH:
            self.lag += seconds

    def take_lag(self) -> float:
        lag, self.lag = self.lag, 0.0
        return lag

    def drain(self) -> None:
        """Read what is on stderr, so that the bot never blocks on it."""
        with suppress(BlockingIOError):
            while self.hears_stderr:
                chunk = os.read(self.err, CHUNK_BYTES)
                self.stderr.add(chunk)
                if self.stderr.size > MAX_STDERR_BYTES:
                    raise Flood(f"more than {MAX_STDERR_BYTES} bytes on stderr")
                if not chunk:
                    self.stop_hearing_stderr()

    def stop_hearing_stderr(self) -> None:
        """It closed stderr, which from now on would always look ready."""
        self.hears_stderr = False
        self.poller.unregister(self.err)
        self.ears.forget(self.err)

    def new_match(self) -> None:
        """What it writes to stderr from now on belongs to another match."""
        if self.poller.poll(0):
            with suppress(BotFault):
                self.drain()
        self.stderr = Stderr()

    # ---- Beginning and end

    async def greet(self) -> None:
        """Wait for its hello, which also settles the format of the conversation."""
        try:
            hello = await self.receive(perf_counter() + self.limits.startup)
        except Timeout:
            raise StartFault(f"no hello within {self.limits.startup:g} s") from None
        except BotFault as fault:
            raise StartFault(f"instead of a hello: {fault}") from None
        if not isinstance(hello, Hello):
            raise StartFault(f"the first message must be a hello, not {hello}")
        if hello.protocol != VERSION:
            raise StartFault(f"it speaks protocol {hello.protocol}, this is protocol {VERSION}")
        self.hello = hello
        self.encode = ENCODERS[self.decoder.format]

    async def death(self) -> str:
        """How a bot ended whose line is dead."""
        with trio.CancelScope(shield=True):
            ended = await self.ended_within(0.5)
        with suppress(BotFault):
            self.drain()
        if not ended:
            return "it closed its end of the line but lives on"
        code = self.process.returncode
        return f"killed by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"

    async def hang_up(self) -> None:
        """Ask it to end; from now on it has a little time to do so."""
        if self.alive and not self.parting:
            with suppress(BotFault):
                await self.send(self.packed(BYE), perf_counter() + 0.1)
            self.close_stdin()
            self.parting = perf_counter() + GRACE

    def close_stdin(self) -> None:
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()

    async def ended_within(self, seconds: float) -> bool:
        deadline, pause = perf_counter() + seconds, 0.0005
        while self.process.poll() is None and perf_counter() < deadline:
            with suppress(BotFault):
                self.drain()
            await trio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return self.process.returncode is not None

    async def kill(self) -> None:
        """End the bot and its whole process group at once, and reap it."""
        if not self.alive:
            return
        self.alive = False
        with trio.CancelScope(shield=True):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.ended_within(REAP_SECONDS)
            with suppress(BotFault):
                self.drain()
            self.close_stdin()
            for pipe in (self.process.stdout, self.process.stderr):
                assert pipe
                pipe.close()
            self.ears.close()
            CHILDREN.forget(self.process)
            await CHILDREN.kill_orphans()


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have numbers only
        return f"signal {number}"


@asynccontextmanager
async def running(entrant: Entrant, limits: Limits, log: Log | None = None) -> AsyncIterator[Bot]:
    """A bot that has greeted us. However the block is left, it and its children are dead and reaped after it."""
    bot = Bot(entrant, spawn(entrant, limits), limits, log)
    try:
        await bot.greet()
        yield bot
        await bot.hang_up()
        if bot.alive:
            await bot.ended_within(bot.parting - perf_counter())
    except StartFault as fault:
        await bot.kill()
        lines = bot.stderr.last_lines(3)
        raise StartFault(f"{fault}{'; its stderr: ' + ' / '.join(lines) if lines else ''}") from None
    finally:
        await bot.kill()


def spawn(entrant: Entrant, limits: Limits) -> subprocess.Popen[bytes]:
    if not os.access(entrant.command[0], os.X_OK):
        raise StartFault(f"{entrant.command[0]} is no program that can be executed")
    try:
        process = CHILDREN.start(
            entrant.command,
            stderr=subprocess.PIPE,
            cwd=entrant.folder,
            env={**os.environ, **entrant.env},
        )
    except OSError as error:
        raise StartFault(f"it cannot be started: {error}") from None
    if limits.memory is not None and sys.platform == "linux":
        with suppress(OSError, ValueError):  # it is gone already, or lives under a stricter limit
            resource.prlimit(process.pid, resource.RLIMIT_AS, (limits.memory, limits.memory))
    return process
