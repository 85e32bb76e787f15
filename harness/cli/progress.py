"""Where a run stands: a live bar on a terminal, a plain line every few seconds elsewhere, and a stream of events."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from time import monotonic
from typing import IO, Any, TypeVar

from tqdm import tqdm

from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult, place_value
from dalang.harness.escaping import for_json, printable
from dalang.harness.terminal import echo, silence
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.schedule import Plan, find_format
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
    return f"about {seconds // 60:.0f} min {seconds % 60:.0f} s left"


class Progress(RunListener):
    """Counts what is finished and shows it."""

    def __init__(self, plan: Plan, stream: IO[str]) -> None:
        self.total = find_format(plan.terms.format).total(plan)
        self.begin = self.shown = monotonic()
        self.blocks = self.new_blocks = self.matches = self.faults = 0
        self.beaten: defaultdict[str, float] = defaultdict(float)
        self.seen: Counter[str] = Counter()
        self.bar: Any = tqdm(total=self.total, unit="block", file=stream) if stream.isatty() else None

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.matches += len(matches)
        self.faults += sum(map(bool, chain.from_iterable(match.result.faults for match in matches)))
        self.show()

    def counted(self, result: BlockResult) -> None:
        self.blocks += 1
        self.new_blocks += self.matches > 0
        for match in result.matches:
            for seat, name in enumerate(match.names):
                self.beaten[name] += place_value(match.ranks, seat)
                self.seen[name] += 1
        if self.bar is not None:
            self.bar.update()

    def passed(self, blocks: int) -> None:
        self.blocks += blocks
        if self.bar is not None:
            self.bar.update(blocks)

    def show(self) -> None:
        if monotonic() - self.shown < (EVERY if self.bar is None else LIVELY):
            return
        self.shown = monotonic()
        if self.bar is not None:
            self.bar.set_postfix_str(self.remarks())
        else:
            echo(self.line(), err=True)

    def remarks(self) -> str:
        rate = self.matches / max(monotonic() - self.begin, 1e-9)
        faults = f", {self.faults} faults" if self.faults else ""
        return f"{rate:.1f} matches/s{faults}, leading: {', '.join(map(printable, self.leaders())) or 'nobody yet'}"

    def leaders(self) -> list[str]:
        """Who beats the largest share of the others so far."""
        return sorted(self.seen, key=lambda name: -self.beaten[name] / self.seen[name])[:3]

    def line(self) -> str:
        of = f" of {self.total}" if self.total else ""
        return f"block {self.blocks}{of}, {self.remarks()}{self.time_left()}"

    def time_left(self) -> str:
        if not self.total or not self.new_blocks:
            return ""
        return f", {in_words((self.total - self.blocks) * (monotonic() - self.begin) / self.new_blocks)}"

    def close(self) -> None:
        if self.bar is not None:
            self.bar.set_postfix_str(self.remarks(), refresh=False)
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
