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
from operator import index
from random import Random
from typing import Any

import msgpack

LegalMove = list[str | int]
"""One of `request.moves`: a verb and its arguments, as messages carry them. The engine has moves as tuples."""

Choose = Callable[["Request"], LegalMove | tuple[str | int, ...] | int]
"""Yours: one of `request.moves`, or its number."""

LINE_VARIABLE = "DALANG_FDS"
"""The variable that names other descriptors for the messages, such as 3,4, when a bot is debugged."""
LETTERS_SHOWN = 200
"""Letters of what `choose` returned that is no move."""


class Request:
    """One decision to make, and the match it belongs to. `choose` is given one and returns one of its `moves`.

    The match, the same from its first question to its last:

    - `game: str`: its name, such as "kali"
    - `rules_version: int`: of the game; raised when its rules change
    - `seats: int`: how many play
    - `seat: int`: where you sit, from 0
    - `options: dict[str, Any]`: all options of the game with their values
    - `limits: dict[str, float]`: seconds (`startup`, `prepare`, `move`, `bank`) and bytes (`memory`); empty if the
      organiser shows no time
    - `seed: str`: for your own luck
    - `rng: random.Random`: luck seeded with it; use no other, and your bot is reproducible
    - `memory: dict[str, Any]`: whatever you want to remember until the match ends; empty when it begins

    The question, another each time:

    - `id: int`: its number, counted over your own questions in this match from 1
    - `decision: str`: what kind of choice it is, such as "go_on"
    - `moves: list[LegalMove]`: the legal moves, such as [["draw"], ["stop"]]
    - `view: dict[str, Any]`: where you stand, if your bot wants the `view`
    - `events: list[dict[str, Any]]`: what happened since you were last asked, if your bot wants `news`
    - `clock: dict[str, float] | None`: the seconds that you have, `move` and `bank`; None if none are shown
    - `note: str`: set it to tell people what you think of your choice; they see it in transcripts and replays

    A bot that counts what it has seen, and says so:

        def choose(request):
            seen = request.memory.setdefault("seen", [])
            seen += [event["event"] for event in request.events]
            request.note = f"{len(seen)} events so far"
            return request.moves[0]
    """

    game: str
    """The name of the game, such as "kali"."""
    rules_version: int
    """Of the game; raised when its rules change."""
    seats: int
    """How many play."""
    seat: int
    """Where you sit, from 0."""
    options: dict[str, Any]
    """All options of the game with their values."""
    limits: dict[str, float]
    """Seconds and bytes; empty if the organiser shows no time."""
    seed: str
    """For your own luck: see `rng`."""
    memory: dict[str, Any]
    """Whatever you want to remember until the match ends."""
    id: int
    """The number of this question, counted over your own in this match from 1."""
    decision: str
    """What kind of choice it is, such as "go_on"."""
    moves: list[LegalMove]
    """The legal moves, each a verb and its arguments."""
    view: dict[str, Any]
    """Where you stand, if your bot wants the `view`."""
    events: list[dict[str, Any]]
    """What happened since you were last asked, if your bot wants `news`."""
    clock: dict[str, float] | None
    """The seconds that you have, `move` and `bank`; None if the organiser shows no time."""
    note: str
    """Set it to tell people what you think of your choice."""

    def __init__(self, start: dict[str, Any]) -> None:
        """The match that this message begins; its first question is still to come."""
        self.game = start["game"]
        self.rules_version = start.get("rules_version", 1)
        self.seats = start["seats"]
        self.seat = start["seat"]
        self.options = start["options"]
        self.limits = start["limits"]
        self.seed = start["seed"]
        self.memory = {}
        self.take({"id": 0, "decision": "", "moves": []})

    @cached_property
    def rng(self) -> Random:
        """Luck of your own: use no other, and your bot is reproducible."""
        return Random(self.seed)

    def take(self, decide: dict[str, Any]) -> None:
        """The next question."""
        self.id = decide.get("id", 0)
        self.decision = decide["decision"]
        self.events = decide.get("events", [])
        self.view = decide.get("view", {})
        self.moves = decide["moves"]
        self.clock = decide.get("clock")
        self.note = ""

    def number_of(self, move: Any) -> int | None:
        """Which of the moves this is, by itself or by its number; None if it is none of them."""
        if isinstance(move, list | tuple):
            return self.moves.index([*move]) if [*move] in self.moves else None
        try:
            number = -1 if isinstance(move, bool) else index(move)
        except TypeError:
            return None
        return number if 0 <= number < len(self.moves) else None


def run(
    choose: Choose,
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
    source, send = line_to_referee()
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
    for message in incoming(source):
        if message["type"] == "start":
            request = Request(message)
            send({"type": "ready"})
        elif message["type"] == "decide" and request:
            request.take(message)
            send(answer(choose, request))
        elif message["type"] == "bye":
            return


def answer(choose: Choose, request: Request) -> dict[str, Any]:
    try:
        move = choose(request)
    except Exception:
        traceback.print_exc()
        sys.exit(
            f"... at question {request.id}, deciding {request.decision!r} with moves {request.moves} and view "
            f"{request.view}"
        )
    number = request.number_of(move)
    if number is None:
        return {"type": "move", "id": request.id, "move": -1, "error": no_move(move)}
    reply = {"type": "move", "id": request.id, "move": number}
    return {**reply, "note": request.note} if request.note else reply


def no_move(returned: Any) -> str:
    """Told to the referee, and by it to you."""
    shown = repr(returned)
    shown = shown if len(shown) <= LETTERS_SHOWN else f"{shown[:LETTERS_SHOWN]}..."
    return f"choose returned {shown}; return one of request.moves, or its number from 0"


# ---- The line to the referee


def line_to_referee() -> tuple[int, Callable[[dict[str, Any]], None]]:
    """Where messages come from, and how they are sent: over stdin and stdout, unless others are named.

    Where they are, stdin and stdout are the terminal's, and a debugger's.
    """
    named = os.environ.get(LINE_VARIABLE)
    source, out = map(int, named.split(",")) if named else (0, without_terminal())
    pack = msgpack.Packer().pack

    def send(message: dict[str, Any]) -> None:
        data = pack(message)
        while data:
            data = data[os.write(out, data) :]

    return source, send


def without_terminal() -> int:
    """Keep stdout for messages: whatever else is printed, also by libraries in C, goes to stderr, and at once."""
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which keeps no line back, as stdout would
    if "PYTHONBREAKPOINT" not in os.environ:
        sys.breakpointhook = no_debugger
    return out


def no_debugger(*_: Any, **__: Any) -> None:
    """It would take the referee's messages for what you type, and wait until the time is over."""
    raise RuntimeError("breakpoint() needs the terminal: dalang match ... --debug BOT")


def incoming(source: int = 0) -> Iterator[dict[str, Any]]:
    """The referee's messages, until it closes the line."""
    unpacker = msgpack.Unpacker(max_buffer_size=2**31 - 1)
    while data := os.read(source, 65536):
        unpacker.feed(data)
        yield from unpacker
