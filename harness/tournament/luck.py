"""What luck did in the matches of a file: told from their records, after they were played.

To re-enact a match and all that might have been takes up to two tenths of a second, so it is done only where somebody
asks for it, and where there are many matches, by several processes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.engine.luck import Luck, luck_in
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import BlockResult, MatchKey
from dalang.harness.match.played import Played
from dalang.harness.statistics.luck import LuckSample, SeatLuck
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.standings import Standings, standings
from dalang.harness.tournament.store import Found, Span, Store
from dalang.harness.tournament.tally import Tally, empty_tally

MATCHES_AT_ONCE = 16
"""That a process is given."""
FEW_MATCHES = 50
"""For these one process is as quick as several."""


def luck_of(played: Played) -> Luck:
    """What luck did in a match; one of DAMAGE if it cannot be re-enacted."""
    out_from: dict[int, int] = {}
    for fault in played.faults:
        out_from.setdefault(fault.seat, fault.turn)
    return luck_in(played.record, find_game(played.record.game), out_from)


def luck_in_span(path: Path, span: Span) -> list[SeatLuck]:
    with open_to_read(path) as store:
        return luck_of_matches(store, span)


def luck_of_matches(store: Store, span: Span) -> list[SeatLuck]:
    """Of the matches of one block, which is told to be complete."""
    stories = list(store.stories(span))
    if len(stories) <= span.last.rotation:
        raise store.damage(f"block {span.first.block} has lost a record")
    return [luck_of_match(store.path, *story) for story in stories]


def luck_of_match(path: Path, key: MatchKey, found: Found | str) -> SeatLuck:
    try:
        if isinstance(found, str):
            raise SetupError(found)
        luck = luck_of(found.played)
        return SeatLuck(luck.by_seat, luck.by_manner, luck.bounded)
    except (SetupError, *DAMAGE) as error:
        raise SetupError(f"{path}: the luck of {key} cannot be told: {error}") from error


def luck_in_block(store: Store, result: BlockResult) -> list[SeatLuck]:
    """What luck did in the matches of a complete block."""
    return luck_of_matches(store, span_of(result))


def span_of(result: BlockResult) -> Span:
    return Span(result.block.key(0), result.block.key(len(result.matches) - 1))


def luck_in_blocks(store: Store, results: Sequence[BlockResult], jobs: int) -> Iterator[list[SeatLuck]]:
    """Of one complete block after the other, whoever reckons."""
    spans = list(map(span_of, results))
    matches = sum(len(result.matches) for result in results)
    if jobs == 1 or matches <= FEW_MATCHES:
        yield from map(partial(luck_of_matches, store), spans)
        return
    at_once = max(1, MATCHES_AT_ONCE * len(results) // matches)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(partial(luck_in_span, store.path), spans, chunksize=at_once)


def standings_without_luck(
    store: Store,
    order: str | None = None,
    void: Collection[str] = (),
    exclude: Collection[str] = (),
    jobs: int = 1,
) -> Standings:
    """The standings, and beside the plain figures those without luck."""
    luck = LuckSample()
    sample = []

    def tallied(store: Store, void: Collection[str], exclude: Collection[str]) -> Tally:
        tally = empty_tally(store, void, exclude)
        counting = [result for result in store.results() if tally.add(result)]
        for result, told in zip(counting, luck_in_blocks(store, counting, jobs), strict=True):
            luck.add(result, told)
        sample.append(tally.sample)
        return tally

    page = standings(store, order, void, exclude, tallied)
    value = find_game(page.terms.game).value
    return replace(page, luck=luck.figures(sample[0], value, page.terms.seed, page.statistics.live))
