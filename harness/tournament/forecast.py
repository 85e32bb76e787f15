"""A tournament before it is played: how many matches, how long, and how fine a difference they will tell apart.

How fine that is depends on how much luck there is, which nobody knows yet. So the tournament is gone through with bots
that are all equal and matches that a lot decides, and what its deals would tell then is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from random import Random
from time import perf_counter

import trio

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.arena import open_arena
from dalang.harness.match.referee import Match
from dalang.harness.statistics.outlook import NOTABLE, Resolution, resolution
from dalang.harness.statistics.sample import Sample
from dalang.harness.statistics.strength import strengths
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.schedule import Plan, find_format
from dalang.harness.tournament.terms import Terms

MOST_SIMULATED = 3000
"""Blocks that are gone through; of a longer tournament a shorter one, and the rest is reckoned from that."""
TRIED_MATCHES, TRIED_SECONDS = 3, 2.0
"""Matches that are played to see how long one takes, and how long that itself may take."""
MANY_MATCHES = 100
"""Fewer are soon played: nobody needs to know how long that takes."""


@dataclass(frozen=True)
class Forecast:
    blocks: int
    matches: int
    deals: int
    """Of the bot that has fewest."""
    least: float | None
    """The difference of two strengths that can just be told from luck; None if none can, however matches end."""
    needed: int
    """The setting of blocks that would tell a notable difference; where least is None, the one that would tell any."""

    def in_words(self) -> str:
        size = f"{self.matches} matches in {self.blocks} blocks"
        if self.least is None:
            return f"{size}: too few to tell anybody apart, however they end; it takes blocks = {self.needed} at least"
        points = f"{size}: bots are told apart whose strengths differ by about {100 * self.least:.2g} points"
        if self.least <= NOTABLE:
            return points
        return f"{points}; for {100 * NOTABLE:.0f} points it takes about blocks = {self.needed}"


@dataclass(frozen=True)
class Tried:
    """A few matches that were played to see how long they take."""

    matches: int
    seconds: float

    def total(self, matches: int, workers: int) -> float:
        """Seconds for so many by so many workers; where none came to its end, at least."""
        return matches * self.seconds / max(1, self.matches) / workers


def forecast(plan: Plan) -> Forecast:
    """Without a match being played; a pure function of the plan."""
    shorter = shortened(plan)
    results = by_lot(shorter)
    found = strengths(Sample(results, plan.names), find_format(plan.terms.format).doubt(plan.terms))
    told = resolution(found, live=False)
    assert told, "a schedule seats somebody"
    matches = sum(len(result.matches) for result in results)
    times = plan.blocks / shorter.blocks
    return scaled(
        told, plan.blocks, round(len(results) * times), round(matches * times), round(told.deals * times)
    )


def number_of_matches(plan: Plan) -> int | None:
    """Of the whole tournament; None where that cannot be told."""
    format = find_format(plan.terms.format)
    blocks = format.total(plan)
    if blocks is not None:
        return blocks * plan.seats
    has_grown = plan.beginners() < len(plan.entries)  # nobody knows then who has left
    return matches_by_lot(plan) if format.ends and not has_grown else None


def matches_by_lot(plan: Plan) -> int:
    """How many there are, of a tournament of any format that ends."""
    shorter = shortened(plan)
    return round(sum(len(result.matches) for result in by_lot(shorter)) * plan.blocks / shorter.blocks)


def shortened(plan: Plan) -> Plan:
    """One that is soon gone through."""
    rounds = MOST_SIMULATED // len(by_lot(with_blocks(plan, 1)))
    return with_blocks(plan, min(plan.blocks, max(1, rounds)))


def with_blocks(plan: Plan, blocks: int) -> Plan:
    """The same, shorter: all that there is of it grows with the number of blocks."""
    return replace(plan, terms=replace(plan.terms, blocks=blocks, seed="forecast"))


def scaled(told: Resolution, setting: int, blocks: int, matches: int, deals: int) -> Forecast:
    """What so many deals tell."""
    if deals < told.enough:
        return Forecast(blocks, matches, deals, None, ceil(setting * told.enough / deals))
    least = told.at(deals)
    return Forecast(blocks, matches, deals, min(1.0, least), ceil(setting * max(1, (least / NOTABLE) ** 2)))


# ---- Gone through by lot


def by_lot(plan: Plan) -> list[BlockResult]:
    """The results of a whole tournament."""
    tournament, luck, results = Tournament(plan), Random("forecast"), list[BlockResult]()
    while block := tournament.next_block():
        results.append(drawn_by_lot(block, luck))
        tournament.open(block, dict(enumerate(results[-1].matches)))
    return results


def drawn_by_lot(block: Block, luck: Random) -> BlockResult:
    seats = range(1, len(block.lineup) + 1)
    nothing = (0,) * len(seats), ("",) * len(seats)
    matches = (
        MatchResult(names, tuple(luck.sample(seats, len(seats))), *nothing) for names in block.seatings()
    )
    return BlockResult(block, tuple(matches))


# ---- Tried


async def tried(terms: Terms, entrants: tuple[Entrant, ...]) -> Tried:
    """How long matches of these bots take; not those of the tournament, and their starts are not counted."""
    game, matches, seconds = find_game(terms.game), 0, 0.0
    isolation, clock = terms.isolation(), terms.clock
    async with open_arena(terms.limits, show_clock=clock, isolation=isolation, ponder=terms.ponder) as arena:
        for number, table in enumerate(some_tables(entrants, terms.seats)):
            await arena.preflight(table, game, terms.seats)
            names = tuple(entrant.name for entrant in table)
            match = Match(game, f"forecast {number}", names, terms.options, ask_forced=terms.ask_forced)
            begin = perf_counter()
            with trio.move_on_after(TRIED_SECONDS - seconds):
                await arena.play(match, table)
                matches += 1
            seconds += perf_counter() - begin
            if seconds >= TRIED_SECONDS:
                await arena.kill()
                break
    return Tried(matches, seconds)


def some_tables(entrants: tuple[Entrant, ...], seats: int) -> list[list[Entrant]]:
    """Tables of bots from all over the field, nobody twice."""
    number = min(TRIED_MATCHES, len(entrants) // seats)
    return [list(entrants[at::number][:seats]) for at in range(number)]
