"""Many bots are checked at once, each by a dalang of its own: what one does to its host the others do not feel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import trio

from dalang.engine.game import Plain
from dalang.harness.junit import Case
from dalang.harness.match.check import Finding, cases

CAN_BEGIN = "It can be found and built"
"""The sentence that is true of whoever can be examined at all."""


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
                return f"{finding.sentence}: {finding.remark.splitlines()[0] if finding.remark else 'no'}"
        return ""

    def hint(self) -> str:
        return next((finding.hint for finding in self.findings if not finding.good), "")

    def data(self) -> Plain:
        return {"bot": self.bot, "good": self.good, "findings": [asdict(each) for each in self.findings]}

    def cases(self) -> list[Case]:
        return cases(self.findings)


async def examined_apart(bot: str, flags: Sequence[str] = ()) -> Examined:
    """What `dalang check` finds; if it cannot even begin, why not."""
    done = await trio.run_process(
        [sys.executable, "-P", "-m", "dalang", "check", "--json", *flags, "--", bot],
        capture_stdout=True,
        capture_stderr=True,
        check=False,
    )
    try:
        findings = [Finding(**each) for each in json.loads(done.stdout)]
    except ValueError:
        findings = []
    return Examined(bot, findings or [not_begun(done)])


def not_begun(done: subprocess.CompletedProcess[bytes]) -> Finding:
    said = done.stderr.decode(errors="replace").strip()
    lines = [line for line in said.splitlines() if not line.startswith("building ")]
    return Finding(
        CAN_BEGIN, False, "\n".join(lines).removeprefix("dalang: ") or f"exit code {done.returncode}"
    )


async def all_examined(
    bots: Sequence[str],
    flags: Sequence[str],
    at_once: int,
    told: Callable[[Examined], None] = lambda examined: None,
) -> list[Examined]:
    """All of them in their order; each is told of as soon as it is known."""
    found: dict[int, Examined] = {}
    limiter = trio.CapacityLimiter(at_once)

    async def examine_one(number: int, bot: str) -> None:
        async with limiter:
            found[number] = await examined_apart(bot, flags)
        told(found[number])

    async with trio.open_nursery() as nursery:
        for number, bot in enumerate(bots):
            nursery.start_soon(examine_one, number, bot)
    return [found[number] for number in range(len(bots))]
