"""How often a test of random games is tried."""

from __future__ import annotations

from hypothesis import settings

FULL = 100
"""Examples of a test that says nothing, in a run that is not lean."""


def tried(number: int) -> settings:
    """So many examples, or as much fewer as a lean run has of all others; at least one."""
    return settings(max_examples=-(-number * settings.default.max_examples // FULL))
