"""Plays as the protocol wants, but always a move that is not in the list."""

from dalang.kit import run

run(lambda request: -1, name="illegal")
