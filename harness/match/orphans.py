"""The end of what bots left behind in sessions of their own."""

from __future__ import annotations

from time import perf_counter

import trio

from dalang.harness.match.children import CHILDREN

REAP_SECONDS = 5.0
"""Seconds for the kernel to end a killed process; only a broken machine needs more than a moment."""


async def kill_orphans() -> None:
    """Kill and reap the children that we did not start.

    Nobody can tell which bot an orphan belonged to, so all of them go: a bot that needs helpers keeps them as
    children.
    """
    deadline = perf_counter() + REAP_SECONDS
    while CHILDREN.end_orphans() and perf_counter() < deadline:
        await trio.sleep(0.0005)
