"""Dalang: a tournament harness for game-playing programs."""

__version__ = "0.2.0"
