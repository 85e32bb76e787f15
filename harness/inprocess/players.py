"""Players in this process: functions that choose a move, asked just as the kit asks a bot's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import msgpack

from dalang.engine.game import IllegalMove, Plain, SetupError, quoted
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, free_name
from dalang.harness.entrants.fingerprint import BOTS
from dalang.harness.match.referee import Answer, Question
from dalang.kit import LegalMove, Request
from dalang.protocol.codec import pack

Player = Callable[[Request], LegalMove | int]
"""Chooses one of `request.moves`, or its index; the same function that `dalang.kit.run` takes."""


def named_players(players: Mapping[str, Player | str] | Sequence[Player | str]) -> dict[str, Player]:
    """By the names under which they play; bundled bots may be given by name, such as `random` or `seer:100`."""
    named: dict[str, Player] = {}
    for name, player in named_opponents(players).items():
        if isinstance(player, Entrant):
            raise SetupError(
                f"{name} is a program: only functions and bundled bots play in this process; use `dalang run`"
            )
        named[name] = player
    return named


def named_opponents(
    players: Mapping[str, Player | str] | Sequence[Player | str], taken: Collection[str] = ()
) -> dict[str, Player | Entrant]:
    """The same where programs may play too; each has a name of its own, by which processes are told apart."""
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise SetupError(f"players are a list, or a dict by name, not {quoted(players)}")
    named: dict[str, Player | Entrant] = {}
    wishes = players.items() if isinstance(players, Mapping) else ((None, player) for player in players)
    for wish, player in wishes:
        own_name, found = known(player)
        name = free_name(own_name if wish is None else str(wish), {*named, *taken})
        named[name] = replace(found, name=name) if isinstance(found, Entrant) else found
    return named


def known(player: Player | str) -> tuple[str, Player | Entrant]:
    """What it calls itself, and its function; or the program that it is."""
    if isinstance(player, str):
        entrant = find_entrant(player)
        return entrant.name, bundled_player(entrant) or entrant
    if not callable(player):
        raise SetupError(
            f"{quoted(player)} cannot play: a player is a function, or the name of a bundled bot"
        )
    return getattr(player, "__name__", type(player).__name__).strip("<>"), player


def bundled_player(entrant: Entrant) -> Player | None:
    """The function of a bundled bot; None for any other."""
    script, words = (
        next((Path(word) for word in entrant.command if word.endswith(".py")), None),
        entrant.command[3:],
    )
    if script is None or script.parent != BOTS:
        return None
    module: Any = import_module(f"dalang.bots.{script.stem}")
    player: Player = (
        module.chooser(module.budget(list(words))) if hasattr(module, "chooser") else module.choose
    )
    return player


class PlayerChair:
    """A player at one seat of one match. What it raises is not caught: it is the caller's own code."""

    def __init__(self, choose: Player) -> None:
        self.choose = choose
        self.request: Request | None = None
        self.microseconds: list[int] = []
        """How long each answer took."""

    def reply(self, question: Question) -> Answer:
        message = question.message
        if message["type"] == "start":
            self.request = Request(own_copy(message, "options"))
        elif question.moves and self.request:
            self.request.take(own_copy(message, "events", "moves"))
            begin = perf_counter()
            move = self.choose(self.request)
            self.microseconds.append(round((perf_counter() - begin) * 1e6))
            return Answer(chosen(move, self.request), written(self.request.note))
        return Answer()


def own_copy(message: Plain, *shared: str) -> Plain:
    """A message whose parts that others hold too are copied: a function may change what it is given, as a bot may."""
    parts = {key: message[key] for key in shared if key in message}
    return {**message, **msgpack.unpackb(pack(parts))}


def written(note: Any) -> str:
    if not isinstance(note, str):
        raise TypeError(f"request.note must be text, not {quoted(note)}")
    return note


def chosen(move: Any, request: Request) -> int:
    number = request.number_of(move)
    if number is None:
        raise IllegalMove(f"{quoted(move)} is not one of the moves at {request.decision!r}: {request.moves}")
    return number
