"""Tournaments without games: results drawn from hidden strengths, to try schedules with."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from dalang.engine.game import ranked
from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.tournament.schedule import FORMATS, Entry, Plan, SoFar, find_format
from dalang.harness.tournament.terms import Terms


def planned(
    format: str,
    entries: Sequence[Entry],
    seats: int,
    blocks: int,
    seed: str,
    advance: int | None = None,
    sizes: tuple[int, ...] = (),
    max_faults: int = 10,
    **more: Any,
) -> Plan:
    """A plan of no game in particular."""
    terms = Terms(
        "none", seats, seed, format=format, blocks=blocks, advance=advance, max_faults=max_faults, **more
    )
    return Plan(terms, tuple(entries), sizes)


def rounds(
    plan: Plan, results: list[BlockResult] | None = None, withdrawn: Collection[str] = ()
) -> Iterator[list[Block]]:
    """The rounds of a plan; results and the withdrawn may grow between them."""
    format = find_format(plan.terms.format)
    format.check(plan)
    return format.rounds(plan, SoFar([] if results is None else results, withdrawn))


def entries(*waves: int) -> tuple[Entry, ...]:
    """As many bots in each wave as it says, all named b0, b1, b2, … in order of entry."""
    in_waves = [wave for wave, count in enumerate(waves) for _ in range(count)]
    return tuple(Entry(f"b{number}", wave) for number, wave in enumerate(in_waves))


def strength(name: str) -> float:
    """The earlier the entry, the stronger."""
    return -float(name[1:])


def simulate(block: Block, noise: float = 3.0, faulty: Collection[str] = ()) -> BlockResult:
    """A result of the block; the faulty are below all others."""
    matches = []
    for names in block.seatings():
        luck = Random(f"{block.deal}/{names}")
        form = [strength(name) + noise * luck.gauss(0, 1) for name in names]
        ranks = ranked([(name not in faulty, value) for name, value in zip(names, form, strict=True)])
        faults = tuple("crash" if name in faulty else "" for name in names)
        matches.append(MatchResult(names, ranks, tuple(int(100 * value) for value in form), faults))
    return BlockResult(block, tuple(matches))


def play(
    plan: Plan, noise: float = 3.0, faulty: Collection[str] = (), leaving: Mapping[str, int] | None = None
) -> tuple[list[list[Block]], list[BlockResult]]:
    """The rounds of a simulated tournament, and its results; `leaving` says before which block a bot is withdrawn."""
    results: list[BlockResult] = []
    withdrawn: set[str] = set()
    played = []
    for blocks in rounds(plan, results, withdrawn):
        played.append(list(blocks))
        for block in played[-1]:
            withdrawn |= {name for name, number in (leaving or {}).items() if number <= block.number}
            if withdrawn.isdisjoint(block.lineup):
                results.append(simulate(block, noise, faulty))
    return played, results


def flat(played: Sequence[Sequence[Block]]) -> list[Block]:
    return [block for blocks in played for block in blocks]


if __name__ == "__main__":  # for a test that compares processes
    for name in FORMATS:
        sys.stdout.write(f"{play(planned(name, entries(23), 4, 4, 'gong', sizes=(2, 3, 4)))}\n")
