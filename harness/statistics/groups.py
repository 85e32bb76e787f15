"""Who can be told apart, and who beats whom beats whom: what strengths and the crosstable say together."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from dalang.harness.statistics.anytime import chance_anytime
from dalang.harness.statistics.intervals import ERROR, holm, student_tail, tidy
from dalang.harness.statistics.strength import Strengths

Edge = tuple[str, str]
"""Who beats whom."""


def tied_groups(names: Sequence[str], found: Strengths, live: bool = False) -> dict[str, tuple[int, ...]]:
    """The groups of each bot, numbered from the best: two bots share one exactly if they cannot be told apart.

    Two bots are compared by the difference of their strengths, whomever they met. Chances are corrected for the number
    of pairs (Holm), so in at most 5 of 100 tournaments are any equal bots told apart; while one is `live`, at any look.
    """
    ranked = sorted(
        (bot for bot, units in enumerate(found.units) if units), key=lambda bot: -tidy(found.share[bot])
    )
    chances = {pair: chance_of_pair(found, *pair, live) for pair in combinations(ranked, 2)}
    tests = {pair: chance for pair, chance in chances.items() if chance is not None}
    corrected = holm(list(tests.values()))
    apart = {
        frozenset(names[bot] for bot in pair)
        for pair, chance in zip(tests, corrected, strict=True)
        if chance < ERROR
    }
    groups = cliques([names[bot] for bot in ranked], apart)
    return {name: tuple(number for number, group in enumerate(groups, 1) if name in group) for name in names}


def chance_of_pair(found: Strengths, one: int, other: int, live: bool) -> float | None:
    """The p-value of two bots' being equal, never surer than the signs of their results allow; None if untold."""
    units = min(found.units[one], found.units[other])
    if units < 2 or found.part[one] != found.part[other]:
        return None
    difference, error = found.difference(one, other)
    decided = min(found.decided[one], found.decided[other])
    if not decided:
        return 1.0
    tail = student_tail(difference / error, units - 1) if error > 1e-12 else 0.0
    tail = max(tail, 2.0 ** (1 - min(decided, 1000)))
    return tidy(chance_anytime(tail, units) if live else tail)


def cliques(ranked: Sequence[str], apart: set[frozenset[str]]) -> list[list[str]]:
    """As few groups as a greedy look finds, such that every pair that is not apart has a group in common."""
    groups: list[list[str]] = []
    for at, leader in enumerate(ranked):
        for partner in ranked[at:]:
            pair = {leader, partner}
            if frozenset(pair) in apart or any(pair <= set(group) for group in groups):
                continue
            group = [leader] if partner == leader else [leader, partner]
            for name in ranked:
                if name not in group and all(frozenset((name, member)) not in apart for member in group):
                    group.append(name)
            groups.append(group)
    return groups


# ---- Cycles


def strongest_cycle(edges: Mapping[Edge, float]) -> list[str]:
    """Bots of whom each beats the next, and the last the first, by as much as possible where it is least; or nobody.

    The edges say by how much somebody beats somebody. From the strongest on they are put together until they close.
    """
    beaten: defaultdict[str, list[str]] = defaultdict(list)
    for (winner, loser), _ in sorted(edges.items(), key=lambda edge: (-edge[1], edge[0])):
        way = shortest_way(beaten, loser, winner)
        if way:
            return way
        beaten[winner].append(loser)
    return []


def shortest_way(beaten: Mapping[str, Iterable[str]], begin: str, end: str) -> list[str]:
    """From one bot to the other, each beating the next; nobody if there is none."""
    ways, seen = deque([[begin]]), {begin}
    while ways:
        way = ways.popleft()
        if way[-1] == end:
            return way
        for loser in beaten.get(way[-1], ()):
            if loser not in seen:
                seen.add(loser)
                ways.append([*way, loser])
    return []
