"""The wire to a bot: messages over pipes, with deadlines.

The road to a bot is short, because most bots answer in microseconds and trio's waits cost more than that: write,
yield the core and read; only if nothing is there, poll for a moment; only then wait in trio. Every wait has a
deadline, and the clock starts before the write.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter
from typing import IO, Any, NamedTuple

import trio

from dalang.harness.match.faults import BotFault, Crash, Flood, Garbage, Timeout
from dalang.harness.match.limits import MAX_STDERR_BYTES
from dalang.harness.match.rest import Rest
from dalang.protocol.codec import CHUNK_BYTES, ENCODERS, MSGPACK, Decoder
from dalang.protocol.messages import FromBot, Garbled, Oversized, parse

POLL_SECONDS = 0.01
"""Seconds to poll before trio is troubled; only where one match at a time is played.

No shorter than the kernel's tick: a timer that is due before it must be set in hardware, which costs some 10 us in a
virtual machine.
"""
SLICE_SECONDS = (0.005, 0.02, 0.1)
"""Waits in trio are cut into slices, to drain stderr and to notice when we ourselves wake up late."""
LAST_LINES = 20
"""Lines of stderr that are shown with a fault: a short traceback of Python has a dozen."""
HITCH_SECONDS = 0.02
"""Seconds by which a single wait may overrun its slice: timers are coarse, and that is nobody's guilt."""

Log = Callable[[str, str, Any], None]
"""Told of each message: the bot's name, `<<` (to it) or `>>` (from it), and the message."""
Hear = Callable[[str, bytes], None]
"""Told of what a bot writes to stderr: its name, and the bytes as they come."""


class Pipes(NamedTuple):
    """Our ends of what a process has open."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]


class EitherReadable:
    """Whether stdout or stderr can be read: `poll` tells at once, and trio can wait for the `descriptor`.

    Where the platform has no descriptor that stands for both, it is stdout itself, and stderr is heard only between
    the slices of a wait.
    """

    def __init__(self, stdout: int, stderr: int) -> None:
        self.poller = select.poll()
        self.poller.register(stdout, select.POLLIN)
        self.poller.register(stderr, select.POLLIN)
        self.poll = self.poller.poll
        self.descriptor, self.epoll = stdout, None
        if sys.platform == "linux":
            self.epoll = select.epoll(2)
            self.epoll.register(stdout, select.EPOLLIN)
            self.epoll.register(stderr, select.EPOLLIN)
            self.descriptor = self.epoll.fileno()

    def ignore(self, descriptor: int) -> None:
        """One that was closed would from now on always look ready."""
        self.poller.unregister(descriptor)
        if self.epoll and not self.epoll.closed:
            self.epoll.unregister(descriptor)

    def close(self) -> None:
        if self.epoll:
            self.epoll.close()


class Stderr:
    """What a bot writes to stderr in one match: the beginning and the end are kept, and how much it was in all."""

    KEPT_BYTES = 4096

    def __init__(self, descriptor: int, outputs: EitherReadable) -> None:
        self.descriptor = descriptor
        self.outputs = outputs
        self.is_open = True
        self.hear: Callable[[bytes], None] = lambda chunk: None
        """Told of everything as soon as it is read."""
        self.clear()

    def clear(self) -> None:
        self.head = b""
        self.tail = b""
        self.size = 0

    def drain(self) -> None:
        """Read what is there, so that the bot never blocks on it."""
        with suppress(BlockingIOError):
            while self.is_open:
                chunk = os.read(self.descriptor, CHUNK_BYTES)
                self.add(chunk)
                if self.size > MAX_STDERR_BYTES:
                    raise Flood(f"more than {MAX_STDERR_BYTES} bytes on stderr")
                if not chunk:
                    self.is_open = False
                    self.outputs.ignore(self.descriptor)

    def add(self, chunk: bytes) -> None:
        self.hear(chunk)
        self.size += len(chunk)
        room = self.KEPT_BYTES - len(self.head)
        self.head += chunk[:room]
        self.tail = (self.tail + chunk[room:])[-self.KEPT_BYTES :]

    def text(self) -> str:
        lost = self.size - len(self.head) - len(self.tail)
        gap = f"\n[... {lost} bytes ...]\n".encode() if lost else b""
        return (self.head + gap + self.tail).decode(errors="replace")

    def last_lines(self, number: int = LAST_LINES) -> list[str]:
        return self.text().splitlines()[-number:]


class Wire:
    """A conversation with a bot: ask it things."""

    def __init__(
        self, name: str, pipes: Pipes, rest: Rest, death: Callable[[], Awaitable[str]], log: Log | None
    ) -> None:
        self.name = name
        self.pipes = pipes
        self.rest = rest
        self.death = death
        """Finds out how the bot ended, once nobody listens or speaks at its end any more."""
        self.log = log
        self.stdin, self.stdout, stderr = (pipe.fileno() for pipe in pipes)
        for descriptor in (self.stdin, self.stdout, stderr):
            os.set_blocking(descriptor, False)
        self.outputs = EitherReadable(self.stdout, stderr)
        self.stderr = Stderr(stderr, self.outputs)
        self.decoder = Decoder()
        self.encode = ENCODERS[MSGPACK]
        self.outbox = b""
        self.asked_at = 0.0
        """When the last question was put into the pipe."""
        self.answered_at = 0.0
        self.poll_seconds = POLL_SECONDS
        self.is_spent: Callable[[], bool] | None = None
        """Whether it has used up its time while it is waited for, where that is another than ours."""
        self.lag = 0.0
        """Seconds that we ourselves were late since somebody last looked."""

    # ---- Asking

    async def ask(self, message: Any, seconds: float) -> FromBot:
        """Send a message and return the answer; to stop reading is as late as never to answer."""
        data, rest = self.packed(message), self.rest
        if self.outputs.poll(0):
            self.expect_silence()
        rest.is_asked = True
        if rest.is_watched:
            self.wake()
        self.asked_at = perf_counter()
        deadline = self.asked_at + seconds
        left = self.write(data)
        if left is None:
            raise Crash(await self.death())
        if left:
            await self.send(left, deadline)
        os.sched_yield()  # a bot on this core answers now
        chunk = self.read()
        if chunk is None and self.poll_seconds:
            chunk = self.poll(deadline)
        answer = self.decode(chunk) if chunk else None
        if answer is None:
            answer = await self.thought_about(deadline, chunk)
        else:
            self.answered_at = perf_counter()
            rest.on_turn += (self.answered_at - self.asked_at) * rest.cores
        rest.is_asked = False
        if rest.is_watched:
            rest.hold()
        return answer

    async def thought_about(self, deadline: float, chunk: bytes | None) -> FromBot:
        """The answer of a bot that takes its time: how much of that it uses is measured, because it may as well wait.

        Where several matches are played at once, it has to wait for others, and is believed.
        """
        rest, believed = self.rest, not self.poll_seconds
        used, waiting_since = 0.0 if believed else rest.used(), perf_counter()
        answer = await self.receive(deadline, chunk)
        self.answered_at = perf_counter()
        rest.on_turn += 0.0 if believed else rest.used() - used
        rest.on_turn += ((self.answered_at if believed else waiting_since) - self.asked_at) * rest.cores
        return answer

    def wake(self) -> None:
        if self.rest.offence:
            raise self.rest.offence
        self.rest.let_go()

    def expect_silence(self) -> None:
        """Nothing may come that was not asked for: an answer ahead of its question would cost no time."""
        self.stderr.drain()
        chunk = self.read()
        if chunk and (message := self.decode(chunk)):
            raise Flood(f"it spoke before it was asked: {message}")

    # ---- To the bot

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

    def has_heard(self) -> bool:
        """Whether anything has come from the bot, so that it is not isolation that keeps it from starting."""
        return bool(self.decoder.format)

    def answer_in_kind(self) -> None:
        """From now on speak the format that the bot speaks."""
        self.encode = ENCODERS[self.decoder.format]

    # ---- From the bot

    async def receive(self, deadline: float, chunk: bytes | None = None) -> FromBot:
        """The next message, as soon as it is complete; `chunk` was read already and did not complete it."""
        waits = 0
        while chunk != b"":
            await self.wait(trio.lowlevel.wait_readable, self.outputs.descriptor, waits, deadline)
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
        seconds = max(0.0, min(self.poll_seconds, deadline - begin))
        ready = dict(self.outputs.poll(seconds * 1000))
        self.note_lag(perf_counter() - begin - seconds)
        if self.stderr.descriptor in ready:
            self.stderr.drain()
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
            raise Flood(f"more than one message where one was asked for; the second is {messages[1]}")
        return message

    # ---- Waiting

    async def wait(self, wait: Callable[[int], Any], descriptor: int, waits: int, deadline: float) -> None:
        """Wait for the descriptor, one slice long; late beyond that is our own doing."""
        self.stderr.drain()
        begin = perf_counter()
        if begin >= deadline or (self.is_spent and self.is_spent()):
            raise Timeout("no answer in time")
        seconds = min(SLICE_SECONDS[min(waits, len(SLICE_SECONDS) - 1)], deadline - begin)
        with trio.move_on_after(seconds):
            await wait(descriptor)
        self.note_lag(perf_counter() - begin - seconds)

    def note_lag(self, seconds: float) -> None:
        if seconds > HITCH_SECONDS:
            self.lag += seconds

    def take_lag(self) -> float:
        lag, self.lag = self.lag, 0.0
        return lag

    # ---- Between matches and at the end

    def new_match(self) -> None:
        """What the bot writes to stderr from now on belongs to another match."""
        if self.outputs.poll(0):
            with suppress(BotFault):
                self.stderr.drain()
        self.stderr.clear()

    def close_stdin(self) -> None:
        with suppress(OSError):
            self.pipes.stdin.close()

    def close(self) -> None:
        self.close_stdin()
        self.pipes.stdout.close()
        self.pipes.stderr.close()
        self.outputs.close()
