"""Players in this process: functions that choose a move, asked just as the kit asks a bot's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from dalang.engine.game import IllegalMove, SetupError, quoted
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, free_name
from dalang.harness.entrants.fingerprint import BOTS
from dalang.harness.match.referee import Answer, Question
from dalang.kit import LegalMove, Request

Player = Callable[[Request], LegalMove | int]
"""Chooses one of `request.moves`, or its index; the same function that `dalang.kit.run` takes."""


def named_players(players: Mapping[str, Player | str] | Sequence[Player | str]) -> dict[str, Player]:
    """By the names under which they play; bundled bots may be given by name, such as `random` or `seer:100`."""
    if isinstance(players, Mapping):
        return {name: found_player(player) for name, player in players.items()}
    named: dict[str, Player] = {}
    for player in players:
        named[free_name(name_of(player), set(named))] = found_player(player)
    return named


def name_of(player: Player | str) -> str:
    return (
        player if isinstance(player, str) else getattr(player, "__name__", type(player).__name__).strip("<>")
    )


def found_player(player: Player | str) -> Player:
    if not isinstance(player, str):
        return player
    found = bundled_player(find_entrant(player))
    if found is None:
        raise SetupError(
            f"{quoted(player)} is a program: only functions and bundled bots play in this process; use `dalang run`"
        )
    return found


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
            self.request = Request(message)
        elif question.moves and self.request:
            self.request.take({**message, "moves": [list(move) for move in message["moves"]]})
            begin = perf_counter()
            move = self.choose(self.request)
            self.microseconds.append(round((perf_counter() - begin) * 1e6))
            return Answer(chosen(move, self.request), self.request.note)
        return Answer()


def chosen(move: LegalMove | int, request: Request) -> int:
    if isinstance(move, int) and 0 <= move < len(request.moves):
        return move
    if isinstance(move, int) or list(move) not in request.moves:
        raise IllegalMove(f"{quoted(move)} is not one of the moves at {request.decision!r}: {request.moves}")
    return request.moves.index(list(move))
