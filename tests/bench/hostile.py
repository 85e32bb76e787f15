"""What 64 KB cost that are meant to keep the referee busy: goal 2 ms. `python -m tests.bench.hostile SECONDS SEED`.

First come the shapes that are known, at once and in pieces; then new ones are made at random, and the dearest of them
changed again and again, to find one that costs more than all that are known. Processor time is shown, since others may
be at work here; of several tries the quickest counts.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from time import monotonic, process_time

from tabulate import tabulate

from dalang.protocol.codec import CHUNK_BYTES, Decoder
from dalang.protocol.messages import Garbled, Oversized, parse
from tests.hostile import HOSTILE, PIECES, STARTS

TRIES = 30
SIZES = (CHUNK_BYTES, 2000, 256)
"""Bytes that come at once. Fewer, and it is the reading that costs."""
POOL = 30
"""Dear shapes that are kept to be changed."""


def main(seconds: float = 10, seed: str = "hostile") -> None:
    rows = [[form, f"{size:,}", *worst_known(form, size)] for form in HOSTILE for size in SIZES]
    rows += [[form, f"{CHUNK_BYTES:,}", *worst_found(form, seconds, Random(seed))] for form in PIECES]
    print(tabulate(rows, headers=["64 KB of hostile", "bytes at once", "ms", "the dearest"], floatfmt=".2f"))


def cost(data: bytes, size: int = CHUNK_BYTES, tries: int = 1) -> float:
    """Milliseconds to decode and understand it, or to refuse it."""
    return min(decoding_seconds(data[:CHUNK_BYTES], size) for _ in range(tries)) * 1000


def decoding_seconds(data: bytes, size: int) -> float:
    decoder, begin = Decoder(), process_time()
    with suppress(Garbled, Oversized):
        for start in range(0, len(data), size):
            for message in decoder.feed(data[start : start + size]):
                parse(message)
    return process_time() - begin


def worst_known(form: str, size: int) -> tuple[float, str]:
    return max((cost(data, size, TRIES), name) for name, data in HOSTILE[form].items())


# ---- The search


@dataclass(frozen=True)
class Shape:
    """A head, a part that is repeated as often as there is room, and a tail."""

    head: bytes
    part: bytes
    tail: bytes

    @property
    def data(self) -> bytes:
        room = max(0, CHUNK_BYTES - len(self.head) - len(self.tail))
        return self.head + (self.part * (room // len(self.part) + 1))[:room] + self.tail


def worst_found(form: str, seconds: float, chance: Random) -> tuple[float, str]:
    begin, tried = monotonic(), 0
    pool: list[tuple[float, Shape]] = []
    while monotonic() - begin < seconds:
        fresh = len(pool) < POOL or chance.random() < 0.3
        shape = new_shape(form, chance) if fresh else changed(chance.choice(pool)[1], form, chance)
        price, tried = cost(shape.data, tries=2), tried + 1
        if len(pool) < POOL or price > pool[-1][0]:
            pool = sorted([*pool, (cost(shape.data, tries=6), shape)], key=lambda pair: -pair[0])[:POOL]
    price, shape = pool[0]
    return price, f"of {tried:,} found at random: {shape.head!r} {shape.part!r:.60} {shape.tail!r}"


def new_shape(form: str, chance: Random) -> Shape:
    return Shape(
        STARTS[form] + some(form, chance),
        b"".join(some(form, chance, 1) * chance.choice((1, 1, 2, 15, 63, 64)) for _ in range(chance.randint(1, 3))),
        some(form, chance),
    )  # fmt: skip


def changed(shape: Shape, form: str, chance: Random) -> Shape:
    fresh = new_shape(form, chance)
    return chance.choice((
        replace(shape, head=fresh.head),
        replace(shape, tail=fresh.tail),
        replace(shape, part=shape.part + fresh.part),
        replace(shape, part=shape.part[: 1 + chance.randrange(len(shape.part))] + some(form, chance)),
    ))  # fmt: skip


def some(form: str, chance: Random, fewest: int = 0) -> bytes:
    return b"".join(chance.choices(PIECES[form], k=chance.randint(fewest, 3)))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]), *sys.argv[2:3])
