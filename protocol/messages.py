"""The words: every message of the protocol, as SPEC.md describes it.

What a bot says is checked here, field by field, before anybody acts on it. What the referee says is built
here as plain data, ready for the codec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

VERSION = 1
"""The major version: a bot that greets with another one is not understood."""

DESCRIPTORS = "DALANG_FDS"
"""The variable that tells a bot which descriptors the messages take, where stdin and stdout are the terminal's."""

Plain = dict[str, Any]

VIEW, NEWS = "view", "news"
EVERYTHING = frozenset((VIEW, NEWS))
"""What a bot can want to be told when it decides."""


class Garbled(Exception):
    """The bytes are no message, or a message of the wrong kind."""


class Oversized(Exception):
    """A message is larger or deeper than the limits allow."""


# ---- What a bot says


@dataclass(frozen=True, slots=True)
class Hello:
    protocol: int
    name: str
    version: str = ""
    author: str = ""
    games: Mapping[str, Sequence[int]] | None = None
    """By game the table sizes it can play; None if it can play everything."""
    wants: frozenset[str] = EVERYTHING
    """In its own words: one that is not in EVERYTHING changes nothing, and may be of a later version."""

    def can_play(self, game: str, seats: int) -> bool:
        return self.games is None or seats in self.games.get(game, ())


@dataclass(frozen=True, slots=True)
class Ready:
    pass


class ChosenMove(NamedTuple):
    id: int
    move: int
    note: str = ""
    error: str = ""
    """Of a bot that has no move: why."""


FromBot = Hello | Ready | ChosenMove


def parse(data: Any) -> FromBot:
    """The message that this decoded data is; unknown fields are ignored, so that the protocol can grow."""
    if not isinstance(data, dict):
        raise Garbled(f"a message is a map, not {clipped(data)}")
    kind = data.get("type")
    if kind == "move":
        return ChosenMove(
            field(data, "id", int, None),
            field(data, "move", int, None),
            field(data, "note", str, ""),
            field(data, "error", str, ""),
        )
    if kind == "ready":
        return Ready()
    if kind == "hello":
        return Hello(
            protocol=field(data, "protocol", int, None),
            name=field(data, "name", str, ""),
            version=field(data, "version", str, ""),
            author=field(data, "author", str, ""),
            games=playable(data.get("games")),
            wants=wanted(data.get("wants")),
        )
    raise Garbled(f"there is no message of type {clipped(kind)}")


def field(data: Plain, name: str, sort: type, default: Any) -> Any:
    """One field of a message; without a default it must be there. True is no number here."""
    value = data.get(name, default)
    if type(value) is not sort:
        raise Garbled(f"{data['type']}.{name} must be {WORDS[sort]}, not {clipped(value)}")
    return value


WORDS = {int: "a whole number", str: "text"}


def playable(games: Any) -> Mapping[str, Sequence[int]] | None:
    """The field `games` of a hello."""
    if games is None:
        return None
    if isinstance(games, dict) and all(
        type(name) is str and isinstance(seats, list) and all(type(number) is int for number in seats)
        for name, seats in games.items()
    ):
        return games
    raise Garbled(f"hello.games must map names to lists of whole numbers, not {clipped(games)}")


def wanted(words: Any) -> frozenset[str]:
    """The field `wants` of a hello."""
    if words is None:
        return EVERYTHING
    if isinstance(words, list) and all(type(word) is str for word in words):
        return frozenset(words)
    raise Garbled(f"hello.wants must be a list of text, not {clipped(words)}")


def clipped(value: Any) -> str:
    """A value as it looks in an error, cut to a length people read."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ---- What the referee says


def start(
    game: str,
    rules_version: int,
    seats: int,
    seat: int,
    options: Plain,
    seed: str,
    limits: Plain,
) -> Plain:
    return {
        "type": "start",
        "game": game,
        "rules_version": rules_version,
        "seats": seats,
        "seat": seat,
        "options": options,
        "seed": seed,
        "limits": limits,
    }


def decide(
    id: int,
    decision: str,
    events: Sequence[Plain] | None,
    view: Plain | None,
    moves: Sequence[Sequence[str | int]],
) -> Plain:
    """What is None is not wanted."""
    message: Plain = {"type": "decide", "id": id, "decision": decision}
    if events is not None:
        message["events"] = events
    if view is not None:
        message["view"] = view
    message["moves"] = moves
    return message


def end(events: Sequence[Plain] | None, scores: Sequence[int], ranks: Sequence[int], ending: str) -> Plain:
    news = {} if events is None else {"events": events}
    return {"type": "end", **news, "scores": scores, "ranks": ranks, "ending": ending}


BYE: Plain = {"type": "bye"}
