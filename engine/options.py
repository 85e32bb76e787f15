"""Options of a game: a default, what is allowed, and the sentence that says so when it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    default: Any
    allowed: str
    accepts: Callable[[Any], bool]


LARGEST = 10_000
"""Of a number in an option: whatever a game adds up of such fits every language, and a match has an end."""


def is_int(value: Any, minimum: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and minimum <= value <= LARGEST


def flag(default: bool) -> Option:
    return Option(default, "true or false", lambda value: isinstance(value, bool))


def choice(default: str, *others: str) -> Option:
    words = (default, *others)
    return Option(default, " or ".join(words), lambda value: isinstance(value, str) and value in words)


def whole(default: int, minimum: int) -> Option:
    return Option(
        default,
        f"a whole number, at least {minimum} and at most {LARGEST}",
        lambda value: is_int(value, minimum),
    )


def wholes(default: Sequence[int], minimum: int) -> Option:
    """As many whole numbers as the default has."""

    def accepts(value: Any) -> bool:
        return (
            isinstance(value, list) and len(value) == len(default) and all(is_int(n, minimum) for n in value)
        )

    return Option(
        list(default), f"{len(default)} whole numbers, each at least {minimum} and at most {LARGEST}", accepts
    )


def ordering(default: Sequence[str]) -> Option:
    """The words of the default in any order."""

    def accepts(value: Any) -> bool:
        return (
            isinstance(value, list)
            and all(isinstance(word, str) for word in value)
            and sorted(value) == sorted(default)
        )

    return Option(list(default), f"{', '.join(default)} in any order", accepts)
