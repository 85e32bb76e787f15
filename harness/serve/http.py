"""A small web server: it answers GET and HEAD, trusts nobody, and waits for nobody for long.

Whoever asks in a way that is not understood gets one answer and is let go. So is who asks slowly or reads slowly: no
connection costs more than a little memory, and there are never more than so many of them.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import unquote

import h11
import trio

ASKING_SECONDS = 15.0
"""For a whole request, from the end of the one before."""
READING_SECONDS = 20.0
"""For a spectator to take what is sent at once."""
SENT_AT_ONCE = 2**16
"""Bytes."""
PARTING_WORDS_SECONDS, MOST_PARTING_WORDS = 2.0, 2**20
"""Seconds and bytes for whoever was refused."""
LONGEST_REQUEST = 2**14
"""Bytes of a request, all its headers included."""
MOST_CONNECTIONS = 1000
"""At once, if nobody says."""
MOST_TURNED_AWAY = 16
"""At once beyond that who are told why; whoever else comes is not answered, for each of them costs a descriptor."""
GONE = (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)
"""What happens when a spectator goes away, or reads too slowly."""
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may do: load what is here, and nothing from anywhere else."""
HEADERS = [
    ("Content-Security-Policy", f"{CONTENT_POLICY}; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
]
UNBUFFERED = [("Connection", "close"), ("X-Accel-Buffering", "no")]
"""A web server in front must not keep what is told until there is more."""
METHODS = (b"GET", b"HEAD")
ORIGIN = re.compile(rb"^https?://[^/?]*", re.IGNORECASE)
"""What stands before the path where a whole address is asked for, as of a proxy."""
HOST = re.compile(r"(?:\[([^\[\]]*)\]|([^:\[\]]*))(?::\d*)?")
"""An address of IPv6 or another name, and perhaps a port."""

Headers = Sequence[tuple[str, str]]
Send = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True)
class Sent:
    """An answer that is sent as a whole."""

    body: bytes
    kind: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    location: str = ""


@dataclass(frozen=True)
class Streamed:
    """An answer that goes on for as long as somebody listens."""

    tell: Callable[[Send], Awaitable[None]]
    kind: str = "text/event-stream"


def refusal(status: HTTPStatus, why: str = "") -> Sent:
    return Sent(f"{status.value} {status.phrase}{': ' if why else ''}{why}\n".encode(), status=status)


NOT_FOUND = refusal(HTTPStatus.NOT_FOUND)
Site = Callable[[str], Awaitable[Sent | Streamed]]
"""Answers what is asked by path, which begins with a slash."""


@dataclass
class Door:
    """Lets spectators in, so many at once, who ask for one of these hosts."""

    site: Site
    hosts: Collection[str]
    most: int = MOST_CONNECTIONS
    connections: int = 0

    async def welcome(self, stream: trio.SocketStream) -> None:
        """Talk with one of them until he leaves."""
        self.connections += 1
        try:
            visit = Visit(stream, self.site, self.hosts)
            forget_sleepers(stream)
            with suppress(*GONE):
                if self.connections <= self.most:
                    await visit.talk()
                elif self.connections <= self.most + MOST_TURNED_AWAY:
                    await visit.turn_away()
        finally:
            self.connections -= 1
            await trio.aclose_forcefully(stream)


def forget_sleepers(stream: trio.SocketStream) -> None:
    """Who went to sleep or lost his network says no farewell; the system would wait a quarter of an hour for him."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * READING_SECONDS))


class Visit:
    """One connection."""

    def __init__(self, stream: trio.SocketStream, site: Site, hosts: Collection[str]) -> None:
        self.stream = stream
        self.site = site
        self.hosts = hosts
        self.wire = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_REQUEST - 1)

    async def talk(self) -> None:
        """Answer one request after the other."""
        while self.wire.our_state is h11.IDLE:
            try:
                with trio.fail_after(ASKING_SECONDS):
                    request = await self.request()
            except h11.RemoteProtocolError as error:
                await self.refuse(HTTPStatus(error.error_status_hint))
                return
            if request is None:
                return
            await self.answer(request)
            await trio.lowlevel.checkpoint()  # others have their turn between two answers
            if self.wire.states == {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}:
                self.wire.start_next_cycle()

    async def request(self) -> h11.Request | None:
        """The next request; None if nobody asks any more. Whoever brings something along does not know us."""
        asked: h11.Request | None = None
        while True:
            event = self.wire.next_event()
            if event is h11.NEED_DATA:
                self.wire.receive_data(await self.stream.receive_some(self.room()))
            elif isinstance(event, h11.Request):
                asked = event
                if asked.method not in METHODS:
                    return asked  # whatever he brings along
            elif isinstance(event, h11.EndOfMessage):
                return asked
            elif isinstance(event, h11.ConnectionClosed):
                return None
            else:
                raise h11.RemoteProtocolError("nothing can be left here")

    def room(self) -> int:
        """Bytes that may still come of a request of which not all is there: h11 counts only those, and only then."""
        return LONGEST_REQUEST - len(self.wire.trailing_data[0])

    async def answer(self, request: h11.Request) -> None:
        if request.method not in METHODS:
            await self.refuse(HTTPStatus.METHOD_NOT_ALLOWED)
        elif not is_welcome(host_of(request), self.hosts):
            await self.refuse(
                HTTPStatus.MISDIRECTED_REQUEST, "ask for this host by its address, or see --allow-host"
            )
        else:
            found = await self.site(path_of(request))
            if isinstance(found, Sent):
                await self.send_whole(found, is_head=request.method == b"HEAD")
            else:
                await self.stream_to(found, is_head=request.method == b"HEAD")

    # ---- Answers

    async def send_whole(self, answer: Sent, is_head: bool = False, more: Headers = ()) -> None:
        headers = [("Content-Length", str(len(answer.body))), *more]
        headers += [("Location", answer.location)] if answer.location else []
        await self.send(self.head(answer.status, answer.kind, headers))
        if not is_head:
            await self.send(h11.Data(data=answer.body))
        await self.send(h11.EndOfMessage())

    async def stream_to(self, answer: Streamed, is_head: bool) -> None:
        """Tell it until one of both has enough; nothing that a listener says is heard."""
        await self.send(self.head(HTTPStatus.OK, answer.kind, UNBUFFERED))
        if not is_head:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.wait_until_gone, nursery.cancel_scope)
                with suppress(*GONE):
                    await answer.tell(self.send_part)
                nursery.cancel_scope.cancel()
        await self.send(h11.EndOfMessage())

    async def wait_until_gone(self, scope: trio.CancelScope) -> None:
        with suppress(*GONE):
            await self.stream.receive_some(1)
        scope.cancel()

    async def send_part(self, data: bytes) -> None:
        await self.send(h11.Data(data=data))

    async def turn_away(self) -> None:
        await self.refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many spectators; try again later")

    async def refuse(self, status: HTTPStatus, why: str = "") -> None:
        """The last answer on this connection."""
        if self.wire.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            more = [("Connection", "close")]
            more += [("Allow", "GET, HEAD")] if status is HTTPStatus.METHOD_NOT_ALLOWED else []
            await self.send_whole(refusal(status, why), more=more)
            await self.stream.send_eof()
            await self.hear_out()

    async def hear_out(self) -> None:
        """Let him finish, within limits: who is cut off while he speaks does not get to read our answer."""
        with trio.move_on_after(PARTING_WORDS_SECONDS):
            room = MOST_PARTING_WORDS
            while room > 0 and (words := await self.stream.receive_some(SENT_AT_ONCE)):
                room -= len(words)

    def head(self, status: HTTPStatus, kind: str, more: Headers) -> h11.Response:
        headers = [*HEADERS, ("Content-Type", kind), *more]
        return h11.Response(status_code=status, reason=status.phrase, headers=headers)

    async def send(self, event: h11.Event) -> None:
        """In parts, each of which has to be taken in time."""
        data = self.wire.send(event) or b""
        taken = self.taken_at_once(data) if data else 0
        for begin in range(taken, len(data), SENT_AT_ONCE):
            with trio.fail_after(READING_SECONDS):
                await self.stream.send_all(data[begin : begin + SENT_AT_ONCE])

    def taken_at_once(self, data: bytes) -> int:
        """How much of it there was room for, which is nearly always all: to wait costs five times as much."""
        try:
            return os.write(self.stream.socket.fileno(), data)
        except OSError:
            return 0  # no room, or nobody there, as who waits will find out


# ---- What is asked


def path_of(request: h11.Request) -> str:
    """Without what may follow a question mark, and without our own name."""
    return unquote(ORIGIN.sub(b"", request.target).partition(b"?")[0].decode("latin-1"))


def host_of(request: h11.Request) -> str:
    """The host that is asked for, without its port; what is said as it is if that is none, and nothing if none is."""
    value = next((value for name, value in request.headers if name == b"host"), b"").decode("latin-1").lower()
    found = HOST.fullmatch(value)
    return found[1] or found[2] or "" if found else value


def is_welcome(host: str, hosts: Collection[str]) -> bool:
    """Whether a page that is ours can have asked for this host.

    A stranger's page could let a name of his own lead here, and read as if it were ours; no address can be such a name.
    """
    try:
        ip_address(host)
    except ValueError:
        return host in hosts
    return True
