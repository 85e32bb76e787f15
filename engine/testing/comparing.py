"""Where two things differ, in a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalang.engine.chance import SeededChance
from dalang.engine.game import Plain, State

LONGEST_VALUE = 60
"""The number of characters that a value may have in a message."""


def everything(state: State) -> Plain:
    """All that must stay the same when somebody only looks."""
    return {
        "dump": state.dump(),
        "moves": state.moves(),
        "events": None if state.events is None else state.events.copy(),
        "luck used": state.chance.used.copy() if isinstance(state.chance, SeededChance) else {},
    }


def told_apart(state: State, world: State, seat: int) -> str:
    """How this seat can tell two states from each other, by its view or by its moves; empty if it cannot.

    It might also be told by an onlooker: he sees nothing that is not known to every seat.

    >>> import dalang
    >>> from dalang.engine.chance import ScriptedChance
    >>> one, other = (dalang.game("kali").start(2, ScriptedChance([card])) for card in ("step1", "step2"))
    >>> told_apart(one, other, seat=0)
    ''
    >>> one.play(("draw",))
    >>> other.play(("draw",))
    >>> told_apart(one, other, seat=1)
    'view.field is 2 or 3'
    """
    found = difference(state.view(seat), world.view(seat), "view")
    found = found or difference(state.open_view(), world.open_view(), "open view")
    if not found and state.seat == seat:
        return difference(state.moves(), world.moves(), "moves")
    return found


def difference(one: Any, other: Any, path: str) -> str:
    """The first place where the two are not the same, and what is there; empty if they are."""
    if one == other:
        return ""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return first(difference(one[key], other[key], f"{path}.{key}") for key in one)
    if isinstance(one, list | tuple) and type(one) is type(other) and len(one) == len(other):
        return first(difference(one[n], other[n], f"{path}[{n}]") for n in range(len(one)))
    return f"{path} is {shown(one)} or {shown(other)}"


def unplain(value: Any, path: str) -> str:
    """What in it is no plain data; empty if all of it is."""
    if type(value) is dict:
        strange = [key for key in value if type(key) is not str]
        if strange:
            return f"{path} has the key {shown(strange[0])}, which is not a word"
        return first(unplain(item, f"{path}.{key}") for key, item in value.items())
    if type(value) is list:
        return first(unplain(item, f"{path}[{number}]") for number, item in enumerate(value))
    if type(value) is int:
        return "" if -(2**63) <= value < 2**64 else f"{path} is {value}, which has more than 64 bits"
    return "" if type(value) in (str, bool) else f"{path} is {shown(value)}, which is not plain data"


def first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def scribble(data: Any) -> None:
    """Overwrite plain data at every level."""
    for part in list(data.values()) if isinstance(data, dict) else data:
        if isinstance(part, dict | list):
            scribble(part)
    data.clear()
