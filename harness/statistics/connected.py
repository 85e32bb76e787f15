"""Who can be compared with whom: bots that have met, that have met the same others, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def parts(bots: int, tables: Iterable[Sequence[int]]) -> list[list[int]]:
    """The bots, by number, in as many parts as nobody at any of these tables connects."""
    part = [[bot] for bot in range(bots)]
    for first, *others in tables:
        for bot in others:
            joined, left = part[first], part[bot]
            if joined is not left:
                joined += left
                for each in left:
                    part[each] = joined
    return [sorted(each) for bot, each in enumerate(part) if min(each) == bot]
