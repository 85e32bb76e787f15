"""Write a bot in Python: give `run` a function that chooses a move. The rest of this file is the protocol.

    from dalang.kit import Request, run

    def choose(request):
        return request.rng.choice(request.moves)

    run(choose, name="mine")

It depends on msgpack alone, so it can be copied beside a bot that lives elsewhere.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from random import Random
from typing import Any

import msgpack

LegalMove = list[str | int]
"""One of `request.moves`: a verb and its arguments, as messages carry them. The engine has moves as tuples."""


class Request:
    """One decision to make, and the match it belongs to."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.game: str = start["game"]
        self.seats: int = start["seats"]
        self.seat: int = start["seat"]
        self.options: dict[str, Any] = start["options"]
        self.limits: dict[str, float] = start["limits"]
        self.seed: str = start["seed"]
        self.memory: dict[str, Any] = {}
        """Whatever you want to remember until the match ends."""
        self.decision = ""
        self.events: list[dict[str, Any]] = []
        """What happened since you were last asked, if your bot wants `news`."""
        self.view: dict[str, Any] = {}
        """Where you stand, if your bot wants the `view`."""
        self.moves: list[LegalMove] = []
        self.clock: dict[str, float] | None = None
        self.note = ""
        """Set it to tell people what you think of your choice."""

    @cached_property
    def rng(self) -> Random:
        """Luck of your own: use no other, and your bot is reproducible."""
        return Random(self.seed)

    def take(self, decide: dict[str, Any]) -> None:
        self.decision = decide["decision"]
        self.events = decide.get("events", [])
        self.view = decide.get("view", {})
        self.moves = decide["moves"]
        self.clock = decide.get("clock")
        self.note = ""


def run(
    choose: Callable[[Request], LegalMove | int],
    *,
    name: str,
    version: str = "",
    author: str = "",
    games: dict[str, list[int]] | None = None,
    wants: Iterable[str] | None = None,
) -> None:
    """Play until the referee says goodbye. `choose` returns one of `request.moves`, or its index.

    What your bot does not read need not be made and sent: `wants=["view"]` or `["news"]` asks for one of the two, an
    empty list for neither. Matches are quicker then.
    """
    send = guard_stdout()
    hello = {
        "type": "hello",
        "protocol": 1,
        "name": name,
        "version": version,
        "author": author,
        "games": games,
    }
    send(
        {key: value for key, value in hello.items() if value}
        | ({} if wants is None else {"wants": [wants] if isinstance(wants, str) else list(wants)})
    )
    request: Request | None = None
    for message in incoming():
        if message["type"] == "start":
            request = Request(message)
            send({"type": "ready"})
        elif message["type"] == "decide" and request:
            request.take(message)
            send(answer(choose, request, message["id"]))
        elif message["type"] == "bye":
            return


def answer(choose: Callable[[Request], LegalMove | int], request: Request, id: int) -> dict[str, Any]:
    try:
        move = choose(request)
        index = move if isinstance(move, int) else request.moves.index(move)
    except Exception:
        traceback.print_exc()
        sys.exit(
            f"... while deciding {request.decision!r} with moves {request.moves} and view {request.view}"
        )
    reply = {"type": "move", "id": id, "move": index}
    return {**reply, "note": request.note} if request.note else reply


def guard_stdout() -> Callable[[dict[str, Any]], None]:
    """Keep stdout for messages: whatever else is printed, also by libraries in C, goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)
    pack = msgpack.Packer().pack

    def send(message: dict[str, Any]) -> None:
        data = pack(message)
        while data:
            data = data[os.write(out, data) :]

    return send


def incoming() -> Iterator[dict[str, Any]]:
    """The referee's messages, until it closes the line."""
    unpacker = msgpack.Unpacker(max_buffer_size=2**31 - 1)
    while data := os.read(0, 65536):
        unpacker.feed(data)
        yield from unpacker
