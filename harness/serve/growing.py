"""A tournament file that grows, as the page shows it: added up as far as it has come, and carried on from there."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection
from functools import partial
from pathlib import Path
from time import monotonic

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import BlockResult, MatchKey
from dalang.harness.report.chronicle import Chronicle, Chronicler
from dalang.harness.report.data import FaultList, heading, overview, steppable
from dalang.harness.statistics.luck import SeatLuck
from dalang.harness.tournament.forecast import number_of_matches
from dalang.harness.tournament.luck import luck_in_block
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.pace import Pace
from dalang.harness.tournament.schedule import Plan, find_format
from dalang.harness.tournament.standings import thinking_of
from dalang.harness.tournament.store import Arrival, Store
from dalang.harness.tournament.stored import UNREADABLE, microseconds_in, seconds_of
from dalang.harness.tournament.terms import Terms

LATEST = 12
"""Finished matches that are listed."""
QUIET_SECONDS = 90.0
"""Without a match after which nothing goes on any more, for all that can be seen."""


class Growing:
    """What is known of a file; nothing of it is read twice. One thread may look, and another one open matches."""

    def __init__(self, path: Path, open_hands: bool = False) -> None:
        self.path = path
        self.open_hands = open_hands
        """Whether everything may be shown at any time."""
        with open_to_read(path) as store:
            self.terms = store.terms()
            find_game(self.terms.game)
        self.plan: Plan | None = None
        self.planned: int | None = None
        """What was agreed at the last look, and how many matches that is; None if nobody can tell."""
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
        self.pace, self.moved = Pace(), monotonic()
        """How quickly matches come, and when the last was seen to come."""
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
            self.agree_with(store)
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

    def agree_with(self, store: Store) -> None:
        """More blocks may have been agreed on; but what may be shown, and of what, hangs on all the rest."""
        terms = store.terms()
        if not self.terms.may_become(terms):
            raise SetupError(
                f"another tournament has taken the place of {self.path}; end this, and serve the file anew"
            )
        self.terms = terms

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
        before = self.matches
        for arrival in store.arrived(self.last_arrival):
            # They may be damaged: then none of it counts.
            times = [microseconds_in(each) for each in arrival.times]
            self.last_arrival, self.matches = arrival.number, self.matches + 1
            self.latest.append(arrival)
            for name, microseconds in zip(arrival.result.names, times, strict=True):
                self.times.setdefault(name, Counter()).update(microseconds)
            if any(arrival.result.faults):
                self.untold.append(arrival)
        if self.matches > before:
            self.moved = monotonic()
            self.pace.add(self.matches - before, self.moved)

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
        plan = store.plan(chronicle.terms)
        out = chronicle.count.withdrawn | store.retired().keys()
        in_all = self.in_all(store, plan, out)
        each, is_quiet = self.pace.seconds_per_match(), monotonic() - self.moved > QUIET_SECONDS
        return {
            "matches": self.matches,
            "matches_in_all": in_all,
            "blocks": chronicle.sample.blocks,
            "total": None if out else find_format(chronicle.terms.format).total(plan),
            "is_over": self.is_over,
            "rate": 0.0 if is_quiet else each and round(1 / each, 2),
            "seconds_left": None if is_quiet or self.is_over else self.seconds_left(in_all, each),
        }

    def seconds_left(self, in_all: int | None, each: float | None) -> int | None:
        """For that many matches, of which one takes so many seconds; None if nobody can tell."""
        return None if in_all is None or each is None else round(max(0, in_all - self.matches) * each)

    def in_all(self, store: Store, plan: Plan, out: Collection[str]) -> int | None:
        """About how many matches there will be when these bots do not play any more."""
        if plan != self.plan:
            self.plan, self.planned = plan, number_of_matches(plan)
        format = find_format(plan.terms.format)
        if not self.planned or not out or not format.passes:
            return self.planned
        left = self.planned - (store.last_block() + 1) * plan.seats
        return self.matches + round(left * format.share_without(plan, out))

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
            self.agree_with(store)
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
