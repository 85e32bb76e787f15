"""Where a run stands: a live bar on a terminal, a plain line every few seconds elsewhere, and a stream of events."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from time import monotonic
from typing import IO, Any, TypeVar

from tqdm import tqdm

from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult, place_value
from dalang.harness.escaping import for_json, printable
from dalang.harness.terminal import echo, silence
from dalang.harness.tournament.entry import Prepared
from dalang.harness.tournament.forecast import number_of_matches
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.machine import Count
from dalang.harness.tournament.pace import Pace
from dalang.harness.tournament.schedule import Plan
from dalang.harness.tournament.stored import StoredMatch

T = TypeVar("T")
EVERY = 5.0
"""Seconds between two plain lines."""
LIVELY = 0.1
"""Seconds between two remarks beside the bar: to paint one for every match would cost more than to store it."""


def with_progress(items: Iterable[T], total: int, unit: str) -> Iterator[T]:
    """These items, while stderr shows how far we are with them, and how long the rest will take."""
    if sys.stderr.isatty():
        yield from tqdm(items, total=total, unit=unit, leave=False)
        return
    begin = shown = monotonic()
    for number, item in enumerate(items):
        if number and monotonic() - shown >= EVERY:
            shown = monotonic()
            left = in_words((total - number) * (shown - begin) / number)
            echo(f"{unit} {number} of {total}, {left}", err=True)
        yield item


def in_words(seconds: float) -> str:
    return f"about {length(seconds)} left"


def length(seconds: float) -> str:
    """So that it can be read at a glance: in seconds, then in minutes, then in hours and days."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    hours = seconds / 3600
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.0f} days"


class Progress(RunListener):
    """Counts what is finished and shows it, in matches."""

    BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} matches{postfix}"
    ENDLESS_BAR = "{n_fmt} matches{postfix}"

    def __init__(self, plan: Plan, stream: IO[str], playing: Collection[str] | None = None) -> None:
        """Only who plays now can lead; others are in the file, but were retired before."""
        self.playing = set(plan.names if playing is None else playing)
        self.count = Count(plan.terms.max_faults)
        self.seats = plan.seats
        self.total = number_of_matches(plan)
        self.begin = self.shown = monotonic()
        self.pace = Pace()
        self.before = self.matches = self.faults = 0
        """Matches that the file had, and those that were played now."""
        self.beaten: defaultdict[str, float] = defaultdict(float)
        self.seen: Counter[str] = Counter()
        self.bar: Any = None
        if stream.isatty():
            style = self.BAR if self.total else self.ENDLESS_BAR
            self.bar = tqdm(total=self.total, file=stream, bar_format=style, dynamic_ncols=True)

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.matches += len(matches)
        self.pace.add(len(matches), monotonic())
        self.faults += sum(map(bool, chain.from_iterable(match.result.faults for match in matches)))
        self.show()

    def counted(self, result: BlockResult) -> None:
        if not self.matches:
            self.before += len(result.matches)
        self.count.add(result)
        for match in result.matches:
            for seat, name in enumerate(match.names):
                self.beaten[name] += place_value(match.ranks, seat)
                self.seen[name] += 1

    def passed(self, blocks: int) -> None:
        self.before += blocks * self.seats

    def taken_out(self, name: str) -> None:
        self.playing.discard(name)

    def show(self) -> None:
        if monotonic() - self.shown < (EVERY if self.bar is None else LIVELY):
            return
        self.shown = monotonic()
        if self.bar is None:
            echo(self.line(), err=True)
        else:
            self.paint_bar()

    def paint_bar(self) -> None:
        done = self.before + self.matches
        self.bar.n = done if self.total is None else min(done, self.total)
        self.bar.set_postfix_str(self.remarks())

    def remarks(self) -> str:
        rate = self.matches / max(monotonic() - self.begin, 1e-9)
        faults = f", {self.faults} faults" if self.faults else ""
        leading = ", ".join(map(printable, self.leaders())) or "nobody yet"
        return f"{rate:.1f} matches/s{self.time_left()}{faults}, leading: {leading}"

    def leaders(self) -> list[str]:
        """Who beats the largest share of the others so far."""
        there = [name for name in self.seen if name in self.playing and name not in self.count.withdrawn]
        return sorted(there, key=lambda name: -self.beaten[name] / self.seen[name])[:3]

    def line(self) -> str:
        of = f" of {self.total}" if self.total else ""
        return f"match {self.before + self.matches}{of}, {self.remarks()}"

    def time_left(self) -> str:
        each = self.pace.seconds_per_match()
        if not self.total or each is None:
            return ""
        return f", {in_words(max(0, self.total - self.before - self.matches) * each)}"

    def close(self) -> None:
        if self.bar is not None:
            self.paint_bar()
            self.bar.close()
        seconds = monotonic() - self.begin
        echo(f"{self.matches} matches played in {seconds:.1f} s, {self.faults} faults", err=True)


class Events(RunListener):
    """Appends each finished match to a stream, one line of JSON each."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.is_read = True

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        if self.is_read:
            self.write("".join(f"{for_json(event_of(match))}\n" for match in matches))

    def write(self, lines: str) -> None:
        """A reader who goes away does not end the run."""
        try:
            self.stream.write(lines)
            self.stream.flush()
        except BrokenPipeError:
            silence(self.stream)
            self.is_read = False
            echo("nobody reads the events any more; the run goes on without them", err=True)


def event_of(match: StoredMatch) -> Plain:
    """A finished match for other programs, without its record."""
    block, result = match.block, match.result
    return {
        "block": block.number,
        "rotation": match.rotation,
        "round": block.round,
        "deal": block.deal,
        "names": result.names,
        "places": result.ranks,
        "scores": result.scores,
        "faults": result.faults,
        "seconds": match.seconds,
        "voided": match.voided,
    }


def progress_of(ready: Prepared) -> Progress:
    """As a run shows it on stderr."""
    return Progress(ready.plan, sys.stderr, [entrant.name for entrant in ready.assignment.entrants])
