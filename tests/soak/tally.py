"""What came of a soak: figures, and what went wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tabulate import tabulate

from dalang.harness.terminal import echo
from tests.soak.watch import QUARTERS, Watch

MORE_MEGABYTES = 48.0
"""What the last quarter may have more than the first, in which a process may just have been started."""
MORE_DESCRIPTORS = 64


@dataclass
class Tally:
    count: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    left: int = 0
    """Processes that outlived their run."""
    failures: list[str] = field(default_factory=list)

    def fail(self, what: str) -> None:
        self.failures.append(what)
        echo(f"✗ {what}", err=True)

    def check_growth(self, watch: Watch) -> None:
        for role in watch.roles():
            first, last = watch.of(role, 0), watch.of(role, QUARTERS - 1)
            if first.megabytes and last.megabytes > first.megabytes + MORE_MEGABYTES:
                self.fail(f"{role}: {first.megabytes:.0f} MB became {last.megabytes:.0f} MB")
            if first.descriptors and last.descriptors > first.descriptors + MORE_DESCRIPTORS:
                self.fail(f"{role}: {first.descriptors} descriptors became {last.descriptors}")

    def text(self, watch: Watch) -> str:
        rows = [
            *sorted(self.count.items()),
            *((f"faults: {kind}", number) for kind, number in sorted(self.faults.items())),
            ("processes left", self.left),
        ]
        peaks = [
            [role, *(figure for quarter in (0, QUARTERS - 1) for figure in figures(watch, role, quarter))]
            for role in watch.roles()
        ]
        headers = ["peaks of", "MB, first quarter", "descriptors", "MB, last quarter", "descriptors"]
        return f"{tabulate(rows)}\n\n{tabulate(peaks, headers=headers, floatfmt='.0f')}"


def figures(watch: Watch, role: str, quarter: int) -> tuple[float, int]:
    peak = watch.of(role, quarter)
    return peak.megabytes, peak.descriptors
