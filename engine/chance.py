"""Luck, and the bags it draws from.

A draw depends on the seed, the name of its stream and how often that stream was used before, on
nothing else. So a seat that plays differently does not shift the cards of the others, and the same
deal can be played from every seat. The arithmetic is integers and BLAKE2b only: every platform and
every Python version gives the same cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from random import Random
from struct import Struct
from typing import Protocol

TABLE = -1
"""The stream owner for luck that belongs to no seat."""


class ScriptError(Exception):
    """The script of a scripted chance does not fit the game."""


class Bag:
    """Cards without an order: how many of each kind. Which one comes is decided when it is drawn."""

    __slots__ = ("counts", "names", "size")

    def __init__(self, names: Sequence[str], counts: Iterable[int]) -> None:
        self.names = names
        self.counts = list(counts)
        self.size = sum(self.counts)

    def take_at(self, index: int) -> int:
        """Take out the card at this index, counted in the order of the names; return its kind."""
        counts = self.counts
        kind = 0
        while index >= counts[kind]:
            index -= counts[kind]
            kind += 1
        counts[kind] -= 1
        self.size -= 1
        return kind

    def take(self, kind: int) -> None:
        self.counts[kind] -= 1
        self.size -= 1

    def add(self, kind: int) -> None:
        self.counts[kind] += 1
        self.size += 1

    def clone(self) -> Bag:
        twin = Bag.__new__(Bag)
        twin.names = self.names
        twin.counts = self.counts.copy()
        twin.size = self.size
        return twin

    def __repr__(self) -> str:
        return f"Bag({self.counts})"

    def named(self) -> dict[str, int]:
        """The content as plain data."""
        return dict(zip(self.names, self.counts, strict=True))

    @classmethod
    def of(cls, names: Sequence[str], content: Mapping[str, int]) -> Bag:
        """The bag whose `named()` this is."""
        return cls(names, [content[name] for name in names])


class Chance(Protocol):
    """What a game may ask of luck."""

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        """A whole number from 0 to limit - 1, all equally likely."""

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        """Take one card out of the bag, each equally likely; return its kind."""

    def clone(self) -> Chance:
        """An independent copy with the same future."""


class SeededChance:
    """The referee's luck: one stream per purpose and seat, each derived from the seed by hash.

    One hash gives the next eight numbers of its stream.
    """

    __slots__ = ("ahead", "seed", "used")

    def __init__(self, seed: str, used: Mapping[tuple[str, int], int] | None = None) -> None:
        self.seed = seed
        self.used = dict(used or {})
        self.ahead: dict[tuple[str, int], tuple[int, ...]] = {}

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        stream = (purpose, seat)
        count = self.used.get(stream, 0)
        self.used[stream] = count + 1
        place = count & 7
        numbers = self.ahead.get(stream) if place else None
        if numbers is None:
            numbers = self.ahead[stream] = self.eight(purpose, seat, count >> 3)
        return (numbers[place] * limit) >> 64  # the bias is below limit / 2**64; one number, one draw

    def eight(self, purpose: str, seat: int, number: int) -> tuple[int, ...]:
        text = f"{purpose}/{seat}/{number}/{self.seed}"  # the free text last: no two of them spell the same
        return EIGHT_NUMBERS.unpack(blake2b(text.encode()).digest())

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        return bag.take_at(self.below(bag.size, purpose, seat))

    def reseed(self, seed: str) -> None:
        """What comes from now on is the luck of another seed."""
        self.seed = seed
        self.ahead.clear()

    def clone(self) -> SeededChance:
        return SeededChance(self.seed, self.used)


EIGHT_NUMBERS = Struct(">8Q")


class RecordingChance(SeededChance):
    """The same luck, and a list of all that it gave: cards by name, and numbers."""

    __slots__ = ("given",)

    def __init__(
        self, seed: str, used: Mapping[tuple[str, int], int] | None = None, given: Iterable[str | int] = ()
    ) -> None:
        super().__init__(seed, used)
        self.given = list(given)

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        number = super().below(limit, purpose, seat)
        self.given.append(number)
        return number

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        kind = bag.take_at(super().below(bag.size, purpose, seat))
        self.given.append(bag.names[kind])
        return kind

    def clone(self) -> RecordingChance:
        return RecordingChance(self.seed, self.used, self.given)


class QuickChance:
    """One cheap stream for searching bots: reproducible from its seed, but not aligned between seats."""

    __slots__ = ("random", "rng")

    def __init__(self, seed: int | str | Random) -> None:
        self.rng = seed if isinstance(seed, Random) else Random(seed)
        self.random = self.rng.random

    def below(self, limit: int, purpose: str = "", seat: int = TABLE) -> int:
        return int(self.random() * limit)

    def draw(self, bag: Bag, purpose: str = "", seat: int = TABLE) -> int:
        return bag.take_at(int(self.random() * bag.size))

    def clone(self) -> QuickChance:
        twin = Random()
        twin.setstate(self.rng.getstate())
        return QuickChance(twin)


class ScriptedChance:
    """Loaded dice: gives these cards and numbers in order. For tests, and to re-enact a record without its seed."""

    __slots__ = ("position", "script")

    def __init__(self, script: Iterable[str | int], position: int = 0) -> None:
        self.script = tuple(script)
        self.position = position

    @property
    def given(self) -> list[str | int]:
        return list(self.script[: self.position])

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        number = self.coming(f"a number for {purpose!r}")
        if type(number) is not int or not 0 <= number < limit:
            raise ScriptError(f"{self.here()}, but {purpose!r} wants a number from 0 to {limit - 1}")
        self.position += 1
        return number

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        name = self.coming(f"a card for {purpose!r}")
        if name not in bag.names or not bag.counts[bag.names.index(name)]:
            raise ScriptError(f"{self.here()}, but {purpose!r} has none")
        self.position += 1
        kind = bag.names.index(name)
        bag.take(kind)
        return kind

    def coming(self, wanted: str) -> str | int:
        if self.position == len(self.script):
            raise ScriptError(f"{wanted} is wanted, but the script has ended")
        return self.script[self.position]

    def here(self) -> str:
        return f"number {self.position} of the script is {self.script[self.position]!r}"

    def clone(self) -> ScriptedChance:
        return ScriptedChance(self.script, self.position)
