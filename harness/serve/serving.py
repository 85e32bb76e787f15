"""Serving a site: where it listens, whom it lets in, and what it is told to show."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from ipaddress import ip_address
from pathlib import Path

import trio

from dalang.engine.game import Plain, SetupError, quoted
from dalang.harness.serve.http import MOST_CONNECTIONS, Door
from dalang.harness.serve.show import Show
from dalang.harness.serve.site import Theatre, folders
from dalang.harness.serve.wall import Wall
from dalang.harness.tournament.window import panes_in

THIS_MACHINE, DEFAULT_PORT = "127.0.0.1", 8765
THIS_MACHINE_IPV6 = "::1"
MOST_WAITING = 128
"""Spectators that the system lets wait at the door."""
FEW_DESCRIPTORS = 64
"""That are left for all but spectators."""
PARTING_SECONDS = 1.0
"""For spectators to hear the last news."""


@dataclass(frozen=True)
class Serving:
    """How a site is served; plain data, so that it can be told to another process."""

    host: str = THIS_MACHINE
    port: int = DEFAULT_PORT
    """0 for any that is free."""
    delay: float = 0.0
    """Seconds after which a running match is shown."""
    open_hands: bool = False
    """Whether also that is shown which a seat may not see."""
    names: tuple[str, ...] = ()
    """By which spectators may ask for this host, besides its addresses."""
    connections: int = MOST_CONNECTIONS

    def data(self) -> Plain:
        return asdict(self)

    @classmethod
    def of_data(cls, data: Plain) -> Serving:
        known = {each.name: data[each.name] for each in fields(cls)}
        return replace(cls(**known), names=tuple(known["names"]))

    def hosts(self) -> set[str]:
        own = {"localhost", self.host, socket.gethostname(), *self.names}
        return {name.lower() for name in own}

    def listener(self) -> socket.socket:
        """Where spectators knock; SetupError if that cannot be had."""
        try:
            [(family, _, _, _, address), *_] = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            listener = socket.create_server(address[:2], family=family, backlog=MOST_WAITING)
        except UnicodeError as error:
            raise SetupError(
                f"{quoted(self.host)} is no name of a machine; choose another with --host"
            ) from error
        except OSError as error:
            raise SetupError(self.complaint(error)) from error
        return listener

    def complaint(self, error: OSError) -> str:
        if error.errno == errno.EADDRINUSE:
            return (
                f"port {self.port} of {self.host} is taken, perhaps by another dalang; choose another with --port, or "
                "--port 0 for any that is free"
            )
        if error.errno == errno.EACCES:
            return f"port {self.port} is not for everybody; choose one above 1023 with --port"
        return f"{self.host} is no address of this machine ({error.strerror}); choose another with --host"

    def address(self, listener: socket.socket) -> str:
        """As it is typed into a browser on this machine."""
        host, port = listener.getsockname()[:2]
        if ip_address(host).is_unspecified:
            host = THIS_MACHINE_IPV6 if ":" in host else THIS_MACHINE  # a socket is of one family only
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def exposure(self, listener: socket.socket, is_played: bool = False) -> str:
        """What strangers can see if it is not only for this machine; nothing if it is."""
        host, port = listener.getsockname()[:2]
        if ip_address(host).is_loopback:
            return ""
        seen = "at once" if self.open_hands else "once their block is finished"
        return (
            f"everybody who can reach port {port} of this machine sees the names of bots and machines, standings, "
            f"faults,{self.exposed_tables() if is_played else ''} and all hands and what the bots wrote {seen}; "
            "nothing can be changed there"
        )

    def exposed_tables(self) -> str:
        later = (
            f"after {self.delay:g} s" if self.delay else "at once (--delay longer than a block helps nobody)"
        )
        return f" running matches {later},"


async def serve(
    serving: Serving,
    listener: socket.socket,
    paths: Sequence[Path],
    window: int | None = None,
    run: trio.abc.ReceiveStream | None = None,
) -> None:
    """Serve these files until cancelled, or until the run has ended beside which it is done."""
    shows = {folder: show_of(serving, path, window) for folder, path in folders(paths).items()}
    most = min(serving.connections, max(1, descriptors() - FEW_DESCRIPTORS))
    door = Door(Theatre(shows).answer, serving.hosts(), most)
    listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener))]
    async with trio.open_nursery() as nursery:
        for show in shows.values():
            nursery.start_soon(show.run)
        nursery.start_soon(trio.serve_listeners, door.welcome, listeners)
        if run:
            await run.receive_some(1)
            for show in shows.values():
                await show.end()
            await trio.sleep(PARTING_SECONDS)
            nursery.cancel_scope.cancel()


def show_of(serving: Serving, path: Path, window: int | None) -> Show:
    show = Show(path, serving.open_hands)
    if window is not None:
        show.wall = Wall(show.growing.terms, panes_in(window), serving.delay, serving.open_hands)
    return show


def descriptors() -> int:
    """How many files may be open at once."""
    return os.sysconf("SC_OPEN_MAX")
