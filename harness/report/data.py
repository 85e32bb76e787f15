"""Everything that the page shows, as plain data: a pure function of the tournament file."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from math import fsum
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError, special_options
from dalang.harness.blocks import MatchKey
from dalang.harness.compare.retold import LuckIn, Retold
from dalang.harness.escaping import for_page
from dalang.harness.league.status import league_state
from dalang.harness.match.played import Fault, Played
from dalang.harness.report.chronicle import MOST_POINTS, Chronicle, Chronicler
from dalang.harness.report.reenacted import MOST_LETTERS, reenacted
from dalang.harness.tournament.luck import luck_in_block
from dalang.harness.tournament.machine_tables import knows_machines
from dalang.harness.tournament.machines import machines_of
from dalang.harness.tournament.schedule import LEAGUE
from dalang.harness.tournament.standings import placed, thinking
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import Terms

MOST_MATCHES = 100
MOST_REPORT_BYTES = 3_000_000
"""Matches to step through, and bytes of them, without a wish of the user."""
MOST_FAULTS = 100
"""Different ones that are told."""
MOST_FAULTED = 10_000
"""Matches whose records are read for them."""


Shown = Callable[[list[MatchKey], str], Iterable[MatchKey]]
"""Goes over matches and shows how far it is; the second argument says what is counted."""


def gathered(store: Store, matches: int | None = None, shown: Shown = lambda keys, unit: keys) -> Plain:
    """All of it; `matches` says how many can be stepped through."""
    faults = FaultList()
    for key in store.faulted():
        faults.add(store, key)
    return {
        **overview(store, Chronicler().read(store), thinking(store), partial(luck_in_block, store)),
        **faults.data(),
        "matches": to_step_through(store, matches, shown),
    }


def overview(store: Store, chronicle: Chronicle, times: list[Plain], luck_in: LuckIn) -> Plain:
    """All but the faults and the matches to step through."""
    table = placed(store, chronicle)
    ratings = {line.line.name: line.rating for line in table.lines if line.rating}
    return {
        **heading(store.terms()),
        "standings": table.data(),
        "times": times,
        "history": chronicle.history(ratings) if table.is_rated() else None,
        "stored": store.number_of_matches(),
        "uncounted": chronicle.uncounted(store),
        "machines": [line.data() for line in machines_of(store)] if knows_machines(store) else [],
        "comparison": comparison(store, chronicle, luck_in) if chronicle.terms.compare else None,
        "league": league_state(store, table).told_to_all() if chronicle.terms.format == LEAGUE.name else None,
    }


def heading(terms: Terms) -> Plain:
    """What is known before the first match."""
    game = find_game(terms.game)
    return {
        "title": game.title,
        "scored_by": game.scored_by,
        "special": special_options(game.checked_options(terms.options), game.options),
    }


# ---- A comparison


def comparison(store: Store, chronicle: Chronicle, luck_in: LuckIn) -> Plain:
    retold = Retold(store.plan(chronicle.terms))
    for result in chronicle.results:
        retold.add(result, luck_in)
    return retold.data(MOST_POINTS)


# ---- What went wrong


class FaultList:
    """Every different fault, the first time it happened, and how often; of very many matches the first are read."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str], Plain] = {}
        self.read = self.unread = 0
        """Matches with faults."""

    def add(self, store: Store, key: MatchKey) -> None:
        """The faults of this match."""
        if self.read >= MOST_FAULTED:
            self.unread += 1
            return
        self.read += 1
        played = story_of(store, key)
        for fault in played.faults:
            name = played.names[fault.seat]
            self.count((name, fault.kind, fault.detail), {"bot": name, **cut(fault), **key._asdict()})

    def count(self, sort: tuple[str, str, str], fault: Plain) -> None:
        """Once more; the first is that of the first match in the schedule, whichever was played first."""
        known = self.found.get(sort, fault)
        self.found[sort] = min(known, fault, key=place_of) | {"times": known.get("times", 0) + 1}

    def data(self) -> Plain:
        """The most frequent first."""
        different = sorted(self.found.values(), key=lambda fault: (-fault["times"], place_of(fault)))
        return {
            "faults": different[:MOST_FAULTS],
            "untold": max(0, len(different) - MOST_FAULTS),
            "unread": self.unread,
        }


def place_of(fault: Plain) -> tuple[int, int, int]:
    """Where in the schedule it happened."""
    return fault["block"], fault["rotation"], fault["seat"]


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
        "steps": packed_for_page(steps),
    }


def luck_in_places(steps: Iterable[list[float]]) -> list[float]:
    """By seat, how many places luck was worth in a match."""
    return [round(fsum(seat), 2) for seat in zip(*steps, strict=True)]


def packed_for_page(data: Any) -> str:
    """Base64 of zlib of JSON, which the page unpacks when it needs it."""
    return b64encode(zlib.compress(compact(data).encode(), 9)).decode()


def compact(data: Any) -> str:
    """ASCII, so that no text of a bot can trouble whoever writes or reads it."""
    return json.dumps(for_page(data), separators=(",", ":"))
