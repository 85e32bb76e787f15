"""Everything that the page shows, as plain data: a pure function of the tournament file."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, special_options
from dalang.harness.blocks import MatchKey
from dalang.harness.escaping import for_page
from dalang.harness.match.played import Fault, Played
from dalang.harness.report.reenacted import MOST_LETTERS, reenacted
from dalang.harness.statistics.rating import RatingFold
from dalang.harness.tournament.machine import Count
from dalang.harness.tournament.standings import standings, thinking
from dalang.harness.tournament.store import Store

MOST_MATCHES = 100
MOST_REPORT_BYTES = 3_000_000
"""Matches to step through, and bytes of them, without a wish of the user."""
MOST_POINTS = 120
"""Of a line in the chart of ratings."""
MOST_FAULTS = 100
"""Different ones that are told."""


Shown = Callable[[list[MatchKey], str], Iterable[MatchKey]]
"""Goes over matches and shows how far it is; the second argument says what is counted."""


def gathered(store: Store, matches: int | None = None, shown: Shown = lambda keys, unit: keys) -> Plain:
    """All of it; `matches` says how many can be stepped through."""
    terms, table = store.terms(), standings(store)
    game, different = find_game(terms.game), faults(store)
    return {
        "title": game.title,
        "special": special_options(game.checked_options(terms.options), game.options),
        "standings": table.data(),
        "times": thinking(store),
        "history": history(store, [line.line.name for line in table.lines]) if table.is_rated() else None,
        "faults": different[:MOST_FAULTS],
        "untold": max(0, len(different) - MOST_FAULTS),
        "stored": store.number_of_matches(),
        "uncounted": uncounted(store),
        "matches": to_step_through(store, matches, shown),
    }


# ---- How the ratings went


def history(store: Store, names: Sequence[str]) -> Plain:
    """The ratings after some of the blocks that count, the first and the last among them."""
    results = list(Count(store.terms().max_faults).of(store.results()))
    fold, marks = RatingFold(names), spread(len(results))
    lines: dict[str, list[float]] = {name: [0.0] for name in names}
    for number, result in enumerate(results, 1):
        fold.add(result)
        if number in marks:
            rated = fold.ratings()
            for name, line in lines.items():
                line.append(round(rated[name].exposure, 2))
    return {"blocks": sorted({0, *marks}), "ratings": lines}


def spread(number: int) -> set[int]:
    """At most MOST_POINTS numbers up to this one, evenly spread, the last one among them."""
    points = min(number, MOST_POINTS)
    return {number * point // points for point in range(1, points + 1)}


# ---- What went wrong


def uncounted(store: Store) -> Plain:
    """The stored matches that do not count, by the reason why, and how many faults happened in them."""
    complete = list(store.results())
    counts = {result.block.number for result in Count(store.terms().max_faults).of(complete)}
    withdrawn = {result.block.number for result in complete} - counts
    blocks = [key.block for key in store.match_keys()]
    return {
        "withdrawn": sum(block in withdrawn for block in blocks),
        "unfinished": sum(block not in counts | withdrawn for block in blocks),
        "faults": sum(number for block, number in store.faults_by_block().items() if block not in counts),
    }


def faults(store: Store) -> list[Plain]:
    """Every different fault, the first time it happened, and how often it did; the most frequent first."""
    found: dict[tuple[str, str, str], Plain] = {}
    for key in store.faulted():
        played = story_of(store, key)
        for fault in played.faults:
            name = played.names[fault.seat]
            first = {"bot": name, **cut(fault), **key._asdict(), "times": 0}
            found.setdefault((name, fault.kind, fault.detail), first)["times"] += 1
    return sorted(found.values(), key=lambda fault: -fault["times"])


def cut(fault: Fault) -> Plain:
    """A fault with no line longer than anybody would read."""
    stderr = [line[:MOST_LETTERS] for line in fault.stderr]
    return asdict(fault) | {"detail": fault.detail[:MOST_LETTERS], "stderr": stderr}


# ---- Matches to step through


def story_of(store: Store, key: MatchKey) -> Played:
    found = store.story(key)
    if found is None:
        raise SetupError(f"{store.path}: {key} has lost its record")
    return found


def to_step_through(store: Store, most: int | None, shown: Shown) -> list[Plain]:
    """The matches that are worth a look, in schedule order."""
    room = MOST_REPORT_BYTES
    found: dict[MatchKey, Plain] = {}
    for key in shown(by_interest(store, MOST_MATCHES if most is None else most), "match"):
        match = steppable(store, key)
        room -= len(match["steps"])
        if found and room < 0 and most is None:
            break
        found[key] = match
    return [found[key] for key in sorted(found)]


def by_interest(store: Store, most: int) -> list[MatchKey]:
    """Matches with faults, up to half of all; then the first match of each block; then the others."""
    first_of_blocks_first = sorted(store.match_keys(), key=lambda key: (key.rotation > 0, key))
    return list(dict.fromkeys(store.faulted()[: (most + 1) // 2] + first_of_blocks_first))[:most]


def steppable(store: Store, key: MatchKey) -> Plain:
    """A match, its steps as base64 of zlib of JSON: most of it is never looked at."""
    terms, played = store.terms(), story_of(store, key)
    steps = reenacted(terms, played)
    return {
        **key._asdict(),
        "names": played.names,
        "ranks": played.ranks,
        "scores": played.scores,
        "options": played.record.options,
        "faults": [{"seat": fault.seat, "kind": fault.kind, "turn": fault.turn} for fault in played.faults],
        "steps": b64encode(zlib.compress(compact(steps).encode(), 9)).decode(),
    }


def compact(data: Plain) -> str:
    """ASCII, so that no text of a bot can trouble whoever writes or reads it."""
    return json.dumps(for_page(data), separators=(",", ":"))
