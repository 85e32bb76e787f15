"""Many bots are checked at once, each by a dalang of its own: what one does to its host the others do not feel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import IO

import trio

from dalang.engine.game import Plain
from dalang.harness.junit import Case
from dalang.harness.match.check import Finding, cases
from dalang.harness.match.children import CHILDREN, kill_family
from dalang.harness.match.guardian import PARENT_IS_GONE
from dalang.harness.match.orphans import REAP_SECONDS

EXAMINER = [sys.executable, "-P", "-m", "dalang.harness.cli.guarded"]
"""A dalang that ends with the process whose number comes next."""
CAN_BEGIN = "It can be found and built"
"""The sentence that is true of whoever can be examined at all."""
TRACEBACK = "Traceback (most recent call last):"
CHECK_LOOK_SECONDS = 0.02
"""Between two looks whether one has ended."""


@dataclass(frozen=True)
class Examined:
    """A bot, and what came of its examination."""

    bot: str
    """As it was named by whoever wants to know."""
    findings: list[Finding] = field(default_factory=list)
    """In the order in which they were tried, up to the first that is bad."""

    @property
    def good(self) -> bool:
        return bool(self.findings) and all(finding.good for finding in self.findings)

    def first_failing(self) -> str:
        """In one line: the sentence that is not true, and what was seen instead; nothing if all are."""
        for finding in self.findings:
            if not finding.good:
                return f"{finding.sentence}: {headline(finding.remark)}"
        return ""

    def hint(self) -> str:
        return next((finding.hint for finding in self.findings if not finding.good), "")

    def data(self) -> Plain:
        return {"bot": self.bot, "good": self.good, "findings": [asdict(each) for each in self.findings]}

    def cases(self) -> list[Case]:
        return cases(self.findings)


def headline(text: str) -> str:
    """Its first line; where that ends with a colon, as that of a failed build, the next as well."""
    first, *more = text.splitlines() or ["no"]
    return f"{first} {more[0].strip()}" if more and first.endswith(":") else first


async def examined_apart(bot: str, flags: Sequence[str] = (), longest: float = inf) -> Examined:
    """What `dalang check` finds; if it cannot even begin or takes longer than so many seconds, that."""
    command = [*EXAMINER, str(os.getpid()), "check", "--json", *flags, "--", bot]
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as remarks:
        code = await ended(command, told, remarks, longest)
        if code is None:
            return Examined(bot, [Finding(CAN_BEGIN, False, f"not built and checked within {longest:g} s")])
        try:
            findings = [Finding(**each) for each in json.loads(whole(told))]
        except ValueError:
            findings = []
        return Examined(bot, findings or [not_begun(code, whole(remarks))])


async def ended(command: Sequence[str], told: IO[bytes], remarks: IO[bytes], longest: float) -> int | None:
    """The exit code; None if it had to be ended because it took too long. Whatever ends us ends it, too."""
    process = CHILDREN.start(command, stdin=subprocess.DEVNULL, stdout=told, stderr=remarks)
    try:
        with trio.move_on_after(longest):
            while process.poll() is None:
                await trio.sleep(CHECK_LOOK_SECONDS)
        return process.returncode
    finally:
        if process.poll() is None:
            end(process)
        process.wait()
        CHILDREN.forget(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """By its guardian, who sees to it that nothing is left; by force if that takes too long."""
    process.send_signal(PARENT_IS_GONE)
    try:
        process.wait(2 * REAP_SECONDS)
    except subprocess.TimeoutExpired:
        kill_family(process.pid)


def whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def last_said(lines: Sequence[str]) -> str:
    """By a traceback; one of several errors is drawn with lines."""
    return next(filter(None, (line.strip(" |+-") for line in reversed(lines))), "")


def not_begun(code: int, remarks: str) -> Finding:
    lines = [line for line in remarks.strip().splitlines() if not line.startswith("building ")]
    if any(TRACEBACK in line for line in lines):
        lines = [f"dalang itself failed: {last_said(lines)}"]
    return Finding(CAN_BEGIN, False, "\n".join(lines).removeprefix("dalang: ") or f"exit code {code}")


async def all_examined(
    bots: Sequence[str],
    flags: Sequence[str],
    at_once: int,
    told: Callable[[Examined], None] = lambda examined: None,
    longest: float = inf,
) -> list[Examined]:
    """All of them in their order; each is told of as soon as it is known."""
    found: dict[int, Examined] = {}
    limiter = trio.CapacityLimiter(at_once)

    async def examine_one(number: int, bot: str) -> None:
        async with limiter:
            found[number] = await examined_apart(bot, flags, longest)
        told(found[number])

    async with trio.open_nursery() as nursery:
        for number, bot in enumerate(bots):
            nursery.start_soon(examine_one, number, bot)
    return [found[number] for number in range(len(bots))]
