"""Everything that the page shows, as plain data: a pure function of the tournament file."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from math import fsum

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, special_options
from dalang.harness.blocks import MatchKey
from dalang.harness.escaping import for_page
from dalang.harness.match.played import Fault, Played
from dalang.harness.report.reenacted import MOST_LETTERS, reenacted
from dalang.harness.statistics.rating import MU, Rating, RatingFold
from dalang.harness.tournament.machine import Count
from dalang.harness.tournament.standings import standings, thinking
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.tally import Tally, empty_tally

MOST_MATCHES = 100
MOST_REPORT_BYTES = 3_000_000
"""Matches to step through, and bytes of them, without a wish of the user."""
MOST_POINTS = 120
"""Of a line in the chart of ratings."""
MOST_FAULTS = 100
"""Different ones that are told."""
MOST_FAULTED = 10_000
"""Matches whose records are read for them."""


Shown = Callable[[list[MatchKey], str], Iterable[MatchKey]]
"""Goes over matches and shows how far it is; the second argument says what is counted."""


def gathered(store: Store, matches: int | None = None, shown: Shown = lambda keys, unit: keys) -> Plain:
    """All of it; `matches` says how many can be stepped through."""
    terms, counted = store.terms(), Counted(store)
    history = RatingHistory(spread(counted.blocks))
    table = standings(store, tallied=history.tallied)
    names = [line.line.name for line in table.lines]
    ratings = [line.rating for line in table.lines if line.rating]
    game, faulted = find_game(terms.game), store.faulted()
    different = faults(store, faulted[:MOST_FAULTED])
    return {
        "title": game.title,
        "scored_by": game.scored_by,
        "special": special_options(game.checked_options(terms.options), game.options),
        "standings": table.data(),
        "times": thinking(store),
        "history": history.of(dict(zip(names, ratings, strict=True))) if table.is_rated() else None,
        "faults": different[:MOST_FAULTS],
        "untold": max(0, len(different) - MOST_FAULTS),
        "unread": max(0, len(faulted) - MOST_FAULTED),
        "stored": store.number_of_matches(),
        "uncounted": counted.others(store),
        "matches": to_step_through(store, matches, shown),
    }


# ---- How the ratings went


class RatingHistory:
    """The skills after some of the blocks that count, the first and the last among them.

    On the way they are those of one pass over the matches; the last are those of the standings.
    """

    def __init__(self, marks: set[int]) -> None:
        self.marks = marks
        self.points: list[dict[str, float]] = []

    def tallied(self, store: Store, void: Collection[str], exclude: Collection[str]) -> Tally:
        """All that the file holds, the skills noted on the way."""
        tally = empty_tally(store, void, exclude)
        fold = RatingFold(tally.names)
        for result in store.results():
            if tally.add(result):
                fold.add(result)
                if tally.sample.blocks in self.marks:
                    self.points.append({name: shown(rating) for name, rating in fold.ratings().items()})
        return tally

    def of(self, last: Mapping[str, Rating]) -> Plain:
        """As the page shows it."""
        end = {name: shown(rating) for name, rating in last.items()}
        points = [*self.points[:-1], end] if self.points else []
        lines = {name: [MU, *(point[name] for point in points)] for name in last}
        return {"blocks": sorted({0, *self.marks}), "ratings": lines}


def shown(rating: Rating) -> float:
    return round(rating.mu, 2)


def spread(number: int) -> set[int]:
    """At most MOST_POINTS numbers up to this one, evenly spread, the last one among them."""
    points = min(number, MOST_POINTS)
    return {number * point // points for point in range(1, points + 1)}


# ---- What went wrong


class Counted:
    """Which of the complete blocks count."""

    def __init__(self, store: Store) -> None:
        count = Count(store.terms().max_faults)
        self.blocks = self.matches = self.withdrawn = 0
        """Blocks that count, their matches, and the matches of blocks in which somebody is out."""
        self.with_faults: set[int] = set()
        for result in store.results():
            if count.add(result):
                self.blocks += 1
                self.matches += len(result.matches)
                if any(any(match.faults) for match in result.matches):
                    self.with_faults.add(result.block.number)
            else:
                self.withdrawn += len(result.matches)

    def others(self, store: Store) -> Plain:
        """The stored matches that do not count, by the reason why, and how many faults happened in them."""
        faults = store.faults_by_block().items()
        return {
            "withdrawn": self.withdrawn,
            "unfinished": store.number_of_matches() - self.matches - self.withdrawn,
            "faults": sum(number for block, number in faults if block not in self.with_faults),
        }


def faults(store: Store, keys: Iterable[MatchKey]) -> list[Plain]:
    """Every different fault of these matches, the first time it happened, and how often; the most frequent first."""
    found: dict[tuple[str, str, str], Plain] = {}
    for key in keys:
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
    return list(dict.fromkeys(store.faulted()[: (most + 1) // 2] + store.first_of_blocks_first(most)))[:most]


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
        **({"luck": luck_in_places(steps["luck"].values())} if "luck" in steps else {}),
        "steps": b64encode(zlib.compress(compact(steps).encode(), 9)).decode(),
    }


def luck_in_places(steps: Iterable[list[float]]) -> list[float]:
    """By seat, how many places luck was worth in a match."""
    return [round(fsum(seat), 2) for seat in zip(*steps, strict=True)]


def compact(data: Plain) -> str:
    """ASCII, so that no text of a bot can trouble whoever writes or reads it."""
    return json.dumps(for_page(data), separators=(",", ":"))
