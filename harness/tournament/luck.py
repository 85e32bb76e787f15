"""What luck did in the matches of a file: told from their records, after they were played.

To re-enact a match and all that might have been takes up to two tenths of a second, so it is done only where somebody
asks for it, and where there are many matches, by several processes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.engine.luck import Luck, luck_in
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import BlockResult, MatchKey
from dalang.harness.match.played import Played
from dalang.harness.statistics.luck import LuckSample, SeatLuck
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.standings import Standings, standings
from dalang.harness.tournament.store import Span, Store
from dalang.harness.tournament.tally import Tally, empty_tally

MATCHES_AT_ONCE = 16
"""That a process is given."""
FEW_MATCHES = 50
"""For these one process is as quick as several."""


class LuckOfMatch(NamedTuple):
    key: MatchKey
    luck: SeatLuck


def luck_of(played: Played) -> Luck:
    """What luck did in a match; one of DAMAGE if it cannot be re-enacted."""
    out_from: dict[int, int] = {}
    for fault in played.faults:
        out_from.setdefault(fault.seat, fault.turn)
    return luck_in(played.record, find_game(played.record.game), out_from)


def luck_in_span(path: Path, span: Span) -> list[LuckOfMatch]:
    with open_to_read(path) as store:
        return list(luck_of_matches(store, span))


def luck_of_matches(store: Store, span: Span) -> Iterator[LuckOfMatch]:
    for key, found in store.stories(span):
        try:
            if isinstance(found, str):
                raise SetupError(found)
            luck = luck_of(found.played)
            yield LuckOfMatch(key, SeatLuck(luck.by_seat, luck.by_manner, luck.bounded))
        except (SetupError, *DAMAGE) as error:
            raise SetupError(f"{store.path}: the luck of {key} cannot be told: {error}") from error


def luck_in_block(store: Store, result: BlockResult) -> list[SeatLuck]:
    """What luck did in the matches of a complete block."""
    keys = [result.block.key(rotation) for rotation in range(len(result.matches))]
    return [match.luck for match in luck_of_matches(store, Span(keys[0], keys[-1]))]


def luck_in_file(store: Store, jobs: int) -> Iterator[LuckOfMatch]:
    """Of all matches in schedule order, whoever reckons."""
    spans = list(store.spans(MATCHES_AT_ONCE))
    if jobs == 1 or store.number_of_matches() <= FEW_MATCHES:
        yield from chain.from_iterable(luck_of_matches(store, span) for span in spans)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from chain.from_iterable(pool.map(partial(luck_in_span, store.path), spans))


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
        by_block = {
            number: [match.luck for match in matches]
            for number, matches in groupby(luck_in_file(store, jobs), lambda match: match.key.block)
        }
        for result in store.results():
            if tally.add(result):
                luck.add(result, by_block[result.block.number])
        sample.append(tally.sample)
        return tally

    page = standings(store, order, void, exclude, tallied)
    value = find_game(page.terms.game).value
    return replace(page, luck=luck.figures(sample[0], value, page.terms.seed, page.statistics.live))
