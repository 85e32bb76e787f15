"""The processes that verify: each takes its turn with a few matches, so that what they find comes in schedule order.

One that is started reads spans of matches from stdin and writes what it found to stdout, as msgpack; it ends when stdin
closes.
"""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import msgpack

from dalang.engine.game import SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.match.children import CHILDREN
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.proof import Checked, matches_checked
from dalang.harness.tournament.store import Span, Store
from dalang.harness.tournament.terms import Terms

SPAN_MATCHES = 32
"""Matches that a process is given at once."""
SPANS_AHEAD = 2
"""Spans that a process has at hand."""
WORTH_IT = 100
"""Matches for each process; with fewer, to start it takes longer than to do without."""


def all_matches_checked(store: Store, terms: Terms, jobs: int) -> Iterator[Checked]:
    """Every match in schedule order, by as many processes as are wanted and worth it."""
    jobs = min(jobs, store.number_of_matches() // WORTH_IT)
    spans = store.spans(SPAN_MATCHES)
    if jobs > 1:
        yield from checked_by_others(store.path, spans, jobs)
        return
    for span in spans:
        yield from matches_checked(store, terms, span)


def checked_by_others(path: Path, spans: Iterator[Span], jobs: int) -> Iterator[Checked]:
    with ExitStack() as exits:
        turns = cycle([exits.enter_context(verifier(path)) for _ in range(jobs)])
        under_way: deque[tuple[Verifier, Span]] = deque()
        for span in spans:
            under_way.append((next(turns), span))
            under_way[-1][0].ask(span)
            if len(under_way) == SPANS_AHEAD * jobs:
                yield from answer(*under_way.popleft())
        while under_way:
            yield from answer(*under_way.popleft())


class Verifier:
    """One of the processes, as the one that asks it sees it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.answers = msgpack.Unpacker(process.stdout, max_buffer_size=2**31 - 1)

    def ask(self, span: Span) -> None:
        assert self.process.stdin
        with suppress(BrokenPipeError):  # who waits for its answer will hear of it
            self.process.stdin.write(msgpack.packb(span))


def answer(verifier: Verifier, span: Span) -> Iterator[Checked]:
    try:
        found: Any = verifier.answers.unpack()
    except msgpack.OutOfData:
        raise SetupError(
            f"the process that verified {span.first} to {span.last} died; try again with --jobs 1"
        ) from None
    if isinstance(found, str):
        raise SetupError(found)
    yield from (Checked(*each) for each in found)


@contextmanager
def verifier(path: Path) -> Iterator[Verifier]:
    """A process that verifies matches of this file; gone when the block is left."""
    process = CHILDREN.start([sys.executable, "-P", "-m", "dalang.harness.tournament.verifiers", str(path)])
    try:
        yield Verifier(process)
    finally:
        process.kill()
        with process:
            CHILDREN.forget(process)


def main() -> None:
    with open(0, "rb", buffering=0) as stdin, open_to_read(Path(sys.argv[1])) as store:
        spans = msgpack.Unpacker(stdin)
        terms = store.terms()
        for first, last in spans:
            sys.stdout.buffer.write(reply(store, terms, Span(MatchKey(*first), MatchKey(*last))))
            sys.stdout.buffer.flush()


def reply(store: Store, terms: Terms, span: Span) -> bytes:
    """What was found, or why the file cannot be read any further."""
    found: list[Checked] | str
    try:
        found = list(matches_checked(store, terms, span))
    except SetupError as error:
        found = str(error)
    packed: bytes = msgpack.packb(found)
    return packed


if __name__ == "__main__":
    main()
