"""A tournament file that grows, as the page shows it: added up as far as it has come, and carried on from there."""

from __future__ import annotations

from collections import Counter, deque
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult, MatchKey
from dalang.harness.report.chronicle import Chronicle, Chronicler
from dalang.harness.report.data import FaultList, heading, overview, steppable
from dalang.harness.statistics.luck import SeatLuck
from dalang.harness.tournament.luck import luck_in_block
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.schedule import find_format
from dalang.harness.tournament.standings import thinking_of
from dalang.harness.tournament.store import Arrival, Store
from dalang.harness.tournament.stored import UNREADABLE, microseconds_in, seconds_of
from dalang.harness.tournament.terms import Terms

LATEST = 12
"""Finished matches that are listed."""
PACE_SECONDS = 90.0
"""Over which the pace is measured."""


class Mark(NamedTuple):
    """How far it was at some time."""

    time: float
    matches: int
    blocks: int


class Growing:
    """What is known of a file; nothing of it is read twice. One thread may look, and another one open matches."""

    def __init__(self, path: Path, open_hands: bool = False) -> None:
        self.path = path
        self.open_hands = open_hands
        """Whether everything may be shown at any time."""
        with open_to_read(path) as store:
            self.terms = store.terms()
            find_game(self.terms.game)
        self.forget()

    def forget(self) -> None:
        self.chronicler, self.faults = Chronicler(), FaultList()
        self.times: dict[str, Counter[float]] = {}
        """By bot how many answers took how many microseconds."""
        self.untold: list[Arrival] = []
        """Matches with faults of which no more may be told yet than of which kind they were."""
        self.latest: deque[Arrival] = deque(maxlen=LATEST)
        self.last_arrival = self.matches = 0
        self.over_at: int | None = None
        """With so many matches all was played; None if more were to come."""
        self.marks: deque[Mark] = deque()
        self.luck: dict[int, list[SeatLuck]] = {}
        """By block what luck did in it, where a comparison takes it out."""

    @property
    def is_over(self) -> bool:
        """Whether all was played at the last look."""
        return self.over_at == self.matches

    # ---- All at a glance

    def glance(self) -> Plain:
        """What can be told at once, however long the file is."""
        with open_to_read(self.path) as store:
            progress = {"matches": store.number_of_matches(), "blocks": None, "total": None}
            return {**self.heading(), "standings": None, "progress": progress, "latest": []}

    def look(self) -> Plain:
        """All but the matches themselves."""
        with open_to_read(self.path) as store:
            if store.number_of_matches() < self.matches:
                self.forget()  # somebody has taken matches out
            thinking = self.heard(store)
            chronicle = self.chronicler.read(store)
            data = overview(store, chronicle, thinking, partial(self.luck_in, store))
            self.over_at = self.matches if has_ended(store, chronicle, data["comparison"]) else None
            self.tell_faults(store)
            return {
                **data,
                **self.faults.data(),
                "faults_kept_back": self.kept_back(),
                **self.heading(),
                "progress": self.progress(store, chronicle),
                "latest": [self.listed(store, arrival) for arrival in reversed(self.latest)],
            }

    def heading(self) -> Plain:
        """What was agreed."""
        shown = ("name", "game", "format", "seats", "blocks", "isolate")
        terms = self.terms.data()
        options = find_game(self.terms.game).checked_options(self.terms.options)
        return {
            **heading(self.terms),
            "options": options,
            "tournament": {key: terms[key] for key in shown if key in terms},
        }

    def heard(self, store: Store) -> list[Plain]:
        """How long bots thought, after all that has come."""
        try:
            self.hear(store)
            return thinking_of({name: seconds_of(times) for name, times in self.times.items()})
        except UNREADABLE as error:
            raise store.damage(error) from error

    def hear(self, store: Store) -> None:
        """Of the matches that have come since the last look."""
        for arrival in store.arrived(self.last_arrival):
            # They may be damaged: then none of it counts.
            times = [microseconds_in(each) for each in arrival.times]
            self.last_arrival, self.matches = arrival.number, self.matches + 1
            self.latest.append(arrival)
            for name, microseconds in zip(arrival.result.names, times, strict=True):
                self.times.setdefault(name, Counter()).update(microseconds)
            if any(arrival.result.faults):
                self.untold.append(arrival)

    def tell_faults(self, store: Store) -> None:
        """What bots wrote may tell their hands: it is told when their deals are over."""
        waiting = []
        for arrival in self.untold:
            if self.may_be_opened(store, arrival.key):
                self.faults.add(store, arrival.key)
            else:
                waiting.append(arrival)
        self.untold = waiting

    def kept_back(self) -> list[Plain]:
        """Who broke the contract how in matches of which no more may be told yet, and how often."""
        times = Counter(
            (name, kind)
            for arrival in self.untold
            for name, kind in zip(arrival.result.names, arrival.result.faults, strict=True)
            if kind
        )
        return [
            {"bot": name, "kind": kind, "times": number} for (name, kind), number in sorted(times.items())
        ]

    def luck_in(self, store: Store, result: BlockResult) -> list[SeatLuck]:
        """It takes milliseconds to tell, so it is told once."""
        number = result.block.number
        if number not in self.luck:
            self.luck[number] = luck_in_block(store, result)
        return self.luck[number]

    # ---- How far it is

    def progress(self, store: Store, chronicle: Chronicle) -> Plain:
        total = find_format(chronicle.terms.format).total(store.plan(chronicle.terms))
        now = Mark(monotonic(), self.matches, chronicle.sample.blocks)
        self.marks.append(now)
        while len(self.marks) > 2 and self.marks[0].time < now.time - PACE_SECONDS:
            self.marks.popleft()
        first = self.marks[0]
        seconds = max(now.time - first.time, 1e-9)
        matches, blocks = now.matches - first.matches, now.blocks - first.blocks
        left = (total - now.blocks) * seconds / blocks if total and blocks else None
        return {
            "matches": now.matches,
            "blocks": now.blocks,
            "total": total,
            "is_over": self.is_over,
            "rate": round(matches / seconds, 2) if len(self.marks) > 1 else None,
            "seconds_left": None if left is None or self.is_over else round(left),
        }

    # ---- Matches

    def listed(self, store: Store, arrival: Arrival) -> Plain:
        result = arrival.result
        return {
            **arrival.key._asdict(),
            "names": result.names,
            "ranks": result.ranks,
            "scores": result.scores,
            "faults": result.faults,
            "open": self.may_be_opened(store, arrival.key),
        }

    def may_be_opened(self, store: Store, key: MatchKey) -> bool:
        """Whether nobody who still has to play its deal could be helped by that."""
        return self.open_hands or self.is_over or self.deal_is_over(store, key)

    def deal_is_over(self, store: Store, key: MatchKey) -> bool:
        """Whether every seat has played it, if only this block does."""
        matches = {} if shares_deals(self.terms) else store.matches_of(key.block)
        return key.rotation in matches and len(matches) == len(matches[key.rotation].names)

    def match(self, key: MatchKey) -> Plain | None:
        """A finished match to step through; None if it is not there, or not to be shown yet."""
        with open_to_read(self.path) as store:
            was_over = self.over_at == store.number_of_matches()  # it may have gone on since the last look
            is_open = self.open_hands or was_over or self.deal_is_over(store, key)
            is_there = key.rotation in store.matches_of(key.block)
            return steppable(store, key) if is_open and is_there else None


def has_ended(store: Store, chronicle: Chronicle, comparison: Plain | None) -> bool:
    """Whether all has been played, or what was to be decided is."""
    terms = chronicle.terms
    total = find_format(terms.format).total(store.plan(terms))
    is_decided = comparison is not None and comparison["is_over"]
    return is_decided or store.is_finished(terms.blocks) or chronicle.sample.blocks == total


def shares_deals(terms: Terms) -> bool:
    """Whether several blocks are dealt the same."""
    return bool(terms.common_deals) or terms.compare is not None
