"""The generators of the kits in examples/, as protocol/SPEC.md and examples/shell describe them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Below = Callable[[int], int]
"""Draws a number from 0 to n - 1."""

WORD = 2**64
LEHMER = 2**31 - 1
LETTERS = '"0123456789abcdefghijklmnopqrstuvwxyz'


def splitmix(seed: str) -> Below:
    """FNV-1a of the seed, then splitmix64."""
    state = 14695981039346656037
    for byte in seed.encode():
        state = (state ^ byte) * 1099511628211 % WORD

    def draw() -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    return evenly(draw, WORD)


def lehmer(seed: str) -> Below:
    """The shell's: awk counts exactly only up to 2^53."""
    state = 0
    for letter in f'"{seed}"':
        state = (state * 31 + LETTERS.find(letter) + 1) % LEHMER

    def draw() -> int:
        nonlocal state
        state = (state or 1) * 16807 % LEHMER
        return state - 1

    return evenly(draw, LEHMER - 1)


def python(seed: str) -> Below:
    return Random(seed).randrange


def evenly(draw: Callable[[], int], span: int) -> Below:
    """What would favour the low numbers is drawn again."""

    def below(n: int) -> int:
        drawn = draw()
        while drawn < span % n:
            drawn = draw()
        return drawn % n

    return below
