"""Everything that the page shows, as plain data: a pure function of the tournament file."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, special_options
from dalang.harness.cli.progress import counted
from dalang.harness.report.reenacted import MOST_LETTERS, reenacted
from dalang.harness.statistics.rating import RatingFold
from dalang.harness.tournament.machine import tally
from dalang.harness.tournament.standings import standings, thinking
from dalang.harness.tournament.store import Store

MOST_MATCHES = 100
MOST_BYTES = 3_000_000
"""Without a wish of the user: so many matches to step through, and so many bytes of them."""
MOST_POINTS = 120
"""Of a line in the chart of ratings."""
MOST_FAULTS = 100
"""Different ones that are told."""


def gathered(store: Store, matches: int | None = None) -> Plain:
    """All of it; `matches` says how many can be stepped through."""
    agreed, table = store.terms(), standings(store)
    game, different = find_game(agreed["game"]), faults(store)
    return {
        "title": game.title,
        "special": special_options(agreed["options"], game.options),
        "standings": table.data(),
        "times": thinking(store),
        "history": history(store, [line.line.name for line in table.lines]) if table.is_rated() else None,
        "faults": different[:MOST_FAULTS],
        "untold": max(0, len(different) - MOST_FAULTS),
        "stored": len(stored(store)),
        "uncounted": uncounted(store),
        "matches": to_step_through(store, matches),
    }


# ---- How the ratings went


def history(store: Store, names: Sequence[str]) -> Plain:
    """The ratings after some of the blocks that count, the first and the last among them."""
    results = tally(store.results(), store.terms()["max_faults"]).results
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
    """At most so many numbers up to this one, evenly spread, the last one among them."""
    points = min(number, MOST_POINTS)
    return {number * point // points for point in range(1, points + 1)}


# ---- What went wrong


def uncounted(store: Store) -> Plain:
    """The stored matches that do not count, by the reason why, and how many faults happened in them."""
    complete = list(store.results())
    counts = {result.block.number for result in tally(complete, store.terms()["max_faults"]).results}
    withdrawn = {result.block.number for result in complete} - counts
    blocks = [key.block for key in stored(store)]
    faulty = store.rows("select block from seat where fault <> ''")
    return {
        "withdrawn": sum(block in withdrawn for block in blocks),
        "unfinished": sum(block not in counts | withdrawn for block in blocks),
        "faults": sum(block not in counts for [block] in faulty),
    }


def faults(store: Store) -> list[Plain]:
    """Every different fault, the first time it happened, and how often it did; the most frequent first."""
    found: dict[tuple[str, str, str], Plain] = {}
    for key in faulted(store):
        data = record_of(store, key)
        for fault in data["faults"]:
            name = data["names"][fault["seat"]]
            first = {"bot": name, **cut(fault), **key._asdict(), "times": 0}
            found.setdefault((name, fault["kind"], fault["detail"]), first)["times"] += 1
    return sorted(found.values(), key=lambda fault: -fault["times"])


def cut(fault: Plain) -> Plain:
    """A fault with no line longer than anybody would read."""
    stderr = [line[:MOST_LETTERS] for line in fault["stderr"]]
    return fault | {"detail": fault["detail"][:MOST_LETTERS], "stderr": stderr}


# ---- Matches to step through


class Key(NamedTuple):
    block: int
    rotation: int


def stored(store: Store) -> list[Key]:
    return [Key(*row) for row in store.rows("select block, rotation from match order by 1, 2")]


def faulted(store: Store) -> list[Key]:
    rows = store.rows("select distinct block, rotation from seat where fault <> '' order by 1, 2")
    return [Key(*row) for row in rows]


def record_of(store: Store, key: Key) -> Plain:
    found = store.record(*key)
    if found is None:
        raise SetupError(f"{store.path}: block {key.block}, rotation {key.rotation} has lost its record")
    return found


def to_step_through(store: Store, most: int | None) -> list[Plain]:
    """The matches that are worth a look, in schedule order."""
    room = MOST_BYTES
    found: dict[Key, Plain] = {}
    keys = by_interest(store, MOST_MATCHES if most is None else most)
    for key in counted(keys, len(keys), "match"):
        match = packed(store, key)
        room -= len(match["steps"])
        if found and room < 0 and most is None:
            break
        found[key] = match
    return [found[key] for key in sorted(found)]


def by_interest(store: Store, most: int) -> list[Key]:
    """Matches with faults, up to half of all; then the first match of each block; then the others."""
    first_of_blocks_first = sorted(stored(store), key=lambda key: (key.rotation > 0, key))
    return list(dict.fromkeys(faulted(store)[: (most + 1) // 2] + first_of_blocks_first))[:most]


def packed(store: Store, key: Key) -> Plain:
    """A match, its steps as base64 of zlib of JSON: most of it is never looked at."""
    agreed, data = store.terms(), record_of(store, key)
    told = reenacted(find_game(agreed["game"]), data, agreed["ask_forced"])
    return {
        **key._asdict(),
        "names": data["names"],
        "ranks": data["ranks"],
        "scores": data["record"]["outcome"]["scores"],
        "options": data["record"]["options"],
        "faults": [{key: fault[key] for key in ("seat", "kind", "turn")} for fault in data["faults"]],
        "steps": b64encode(zlib.compress(compact(told).encode(), 9)).decode(),
    }


def compact(data: Plain) -> str:
    """ASCII, so that no text of a bot can trouble whoever writes or reads it."""
    return json.dumps(data, separators=(",", ":"))
