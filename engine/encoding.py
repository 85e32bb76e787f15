"""Numbers made of a view, for those who learn: each from 0 to 1, always as many, and seen from the seat that looks.

A game declares its schema, a list of features: each says where in the view it looks, and what numbers it makes of what
is there. Seats are counted from the one that looks: `me`, then `+1` to the left of it, and so on.

>>> encoding = Encoding(
...     [
...         number("heap", 9, "stones on the heap"),
...         by_seat(number("held", 9, "stones of each seat"), 2),
...         seat("next", 2, "who is next"),
...     ]
... )
>>> encoding.names
('heap', 'held[me]', 'held[+1]', 'next=me', 'next=+1')
>>> [round(each, 2) for each in encoding.encode({"you": 1, "heap": 3, "held": [2, 4], "next": 0})]
[0.33, 0.44, 0.22, 0.0, 1.0]
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

Reader = Callable[[Any, int], Sequence[float]]
"""From what stands in the view, or None if nothing does, and the seat that looks, to numbers."""


class SchemaError(Exception):
    """A view that does not fit the schema which the game has declared."""


class Feature(NamedTuple):
    """Some numbers of an encoding."""

    key: str
    """Where they stand in the view: `play.best` is `best` in `play`; nothing means the whole view."""
    parts: tuple[str, ...]
    """What comes behind the key in the name of each number."""
    read: Reader
    about: str
    """What they tell, in words."""

    def names(self) -> list[str]:
        return [f"{self.key}{part}" for part in self.parts]


class Encoding:
    """What a schema makes of the views of a table."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = tuple(features)
        self.names = tuple(name for feature in features for name in feature.names())
        """Of the numbers, in their order."""
        self.readers = [(*feature.key.partition(".")[::2], feature.read) for feature in features]

    @property
    def size(self) -> int:
        return len(self.names)

    def encode(self, view: Mapping[str, Any]) -> array[float]:
        """The view in numbers, as 32-bit floats."""
        me: int = view["you"]
        numbers: list[float] = []
        for key, inner, read in self.readers:
            value = view[key] if key else view
            try:
                numbers += read(value.get(inner) if inner else value, me)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise SchemaError(f"{key!r} in the view does not fit the schema: {error!r}") from error
        return array("f", numbers)


# ---- Features


def number(key: str, most: int, about: str, least: int = 0) -> Feature:
    """A whole number that is never beyond these."""
    span = most - least
    return Feature(
        key, ("",), lambda value, me: (((least if value is None else value) - least) / span,), about
    )


def growing(key: str, half: int, about: str) -> Feature:
    """A whole number without a bound: `half` becomes 0.5, and the larger it is the closer to 1."""
    return Feature(key, ("",), lambda value, me: (value / (value + half) if value else 0.0,), about)


def flag(key: str, about: str) -> Feature:
    return Feature(key, ("",), lambda value, me: (1.0 if value else 0.0,), about)


def one_of(key: str, words: Sequence[str | int], about: str) -> Feature:
    """One of these; what is not there, or an empty word, is none of them."""
    rows: dict[Any, tuple[float, ...]] = {
        word: one_hot(len(words), place) for place, word in enumerate(words)
    }
    rows.setdefault("", one_hot(len(words), NOT_LISTED))
    rows[None] = one_hot(len(words), NOT_LISTED)
    return Feature(key, tuple(f"={word}" for word in words), lambda value, me: rows[value], about)


def seat(key: str, seats: int, about: str) -> Feature:
    """A seat; nobody is none of them."""
    rows = [one_hot(seats, place) for place in range(seats)]
    nobody = one_hot(seats, NOT_LISTED)

    def read(value: Any, me: int) -> Sequence[float]:
        return nobody if value is None or value < 0 else rows[(value - me) % seats]

    return Feature(key, tuple(f"={who}" for who in seen_from_me(seats)), read, about)


def among(key: str, seats: int, about: str) -> Feature:
    """A list of seats whose order tells nothing: for each seat whether it is there."""

    def read(value: Any, me: int) -> Sequence[float]:
        return [float((me + step) % seats in value) for step in range(seats)]

    return Feature(key, tuple(f"[{who}]" for who in seen_from_me(seats)), read, about)


def order(key: str, seats: int, about: str) -> Feature:
    """A list of seats, each at most once: for each seat its place in it, or 0 if it is not there."""

    def read(value: Any, me: int) -> Sequence[float]:
        return [
            (1 + value.index(other)) / seats if (other := (me + step) % seats) in value else 0.0
            for step in range(seats)
        ]

    return Feature(key, tuple(f"[{who}]" for who in seen_from_me(seats)), read, about)


def counts(key: str, most: Mapping[str, int], about: str) -> Feature:
    """How many of each: a list in this order, or by name with those left out of which there are none."""
    names, limits = tuple(most), tuple(most.values())

    def read(value: Any, me: int) -> Sequence[float]:
        listed = [value.get(name, 0) for name in names] if isinstance(value, dict) else value
        return [each / limit for each, limit in zip(listed, limits, strict=True)]

    return Feature(key, tuple(f".{name}" for name in names), read, about)


def derived(key: str, parts: Sequence[str], read: Reader, about: str) -> Feature:
    """Numbers that a function of yours makes of what stands there."""
    return Feature(key, tuple(parts), read, about)


# ---- Features made of others: the key is that of the inner one


def by_seat(inner: Feature, seats: int) -> Feature:
    """A list with one for each seat."""

    def read(values: Any, me: int) -> Sequence[float]:
        turned = values[me:] + values[:me]
        if len(turned) != seats:
            raise ValueError(f"{len(turned)} are not {seats}")
        return [each for value in turned for each in inner.read(value, me)]

    return Feature(inner.key, bracketed(seen_from_me(seats), inner), read, inner.about)


def each_of(labels: Sequence[str], inner: Feature) -> Feature:
    """A list with one for each of these labels, or the same by label."""

    def read(values: Any, me: int) -> Sequence[float]:
        listed = [values[label] for label in labels] if isinstance(values, dict) else values
        if len(listed) != len(labels):
            raise ValueError(f"{len(listed)} are not {len(labels)}")
        return [each for value in listed for each in inner.read(value, me)]

    return Feature(inner.key, bracketed(labels, inner), read, inner.about)


def up_to(length: int, inner: Feature) -> Feature:
    """A list of at most so many; what is missing is read as None."""

    def read(values: Any, me: int) -> Sequence[float]:
        if len(values) > length:
            raise ValueError(f"{len(values)} are more than {length}")
        padded = [*values, *[None] * (length - len(values))]
        return [each for value in padded for each in inner.read(value, me)]

    return Feature(inner.key, bracketed(list(map(str, range(length))), inner), read, inner.about)


def bracketed(labels: Sequence[str], inner: Feature) -> tuple[str, ...]:
    return tuple(f"[{label}]{part}" for label in labels for part in inner.parts)


def seen_from_me(seats: int) -> list[str]:
    """The seats as the one that looks counts them."""
    return ["me", *[f"+{step}" for step in range(1, seats)]]


NOT_LISTED = -1
"""The place of what is none of the words."""


def one_hot(length: int, place: int) -> tuple[float, ...]:
    return tuple(float(each == place) for each in range(length))


# ---- For a game that declares no schema

SLOTS = 1024
HASHES = 2
"""Slots for each value of a view: two views that differ rarely share all of them."""


def hashed() -> Feature:
    """Every value of any view, each counted in a few slots that a hash of its place and itself chooses."""

    def read(view: Any, me: int) -> Sequence[float]:
        found = Counter(slot for leaf in leaves(view, "") for slot in slots(leaf))
        return [found[slot] / (found[slot] + 1) for slot in range(SLOTS)]

    return Feature("", tuple(f"hash {slot}" for slot in range(SLOTS)), read, "what the view holds, by hash")


def leaves(value: Any, path: str) -> Iterator[str]:
    """Every value with the way to it."""
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, f"{path}.{key}")
    else:
        yield f"{path}={value!r}"


@lru_cache(2**16)
def slots(leaf: str) -> tuple[int, ...]:
    digest = blake2b(leaf.encode(), digest_size=4 * HASHES).digest()
    return tuple(int.from_bytes(digest[4 * each : 4 * each + 4], "big") % SLOTS for each in range(HASHES))
