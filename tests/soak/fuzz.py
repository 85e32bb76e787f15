"""Beside the tournaments every gate is fed with what nobody should send (tests/test_fuzz.py)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from tests import test_fuzz
from tests.soak.tally import Tally

SHARE = 0.5
"""Of the time of a soak, for all gates one after the other."""
LONGEST_FUZZ = 600.0
"""Seconds for the last cases when the time is over; after that it is taken to hang."""
GATES = sum(name.startswith("test_") for name in vars(test_fuzz))
GATE = re.compile(r"::(\w+).*?(PASSED|FAILED|ERROR)\s*cases (\d+) to (\d+)", re.DOTALL)
"""What is printed of a gate: its name, how it went, the first case and the last."""


@contextmanager
def fuzz(seconds: float, first: int, tally: Tally) -> Iterator[None]:
    """Inside the block the gates are tried, from this case on; after it what came of that is in the tally."""
    command = [
        *(sys.executable, "-m", "pytest", "-v", "-s", "-p", "no:cacheprovider", str(test_fuzz.__file__)),
        *("--fuzz-seconds", str(SHARE * seconds / GATES), "--fuzz-from", str(first)),
    ]
    with TemporaryFile() as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, cwd=Path(__file__).parent.parent.parent
        )
        try:
            yield
            process.wait(LONGEST_FUZZ)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        enter(out.read().decode(errors="replace"), process.returncode, tally)


def enter(said: str, code: int, tally: Tally) -> None:
    gates = GATE.findall(said)
    failed = [(name, last) for name, verdict, _, last in gates if verdict != "PASSED"]
    tally.count["inputs tried at gates"] += sum(int(last) - int(first) for *_, first, last in gates)
    tally.count["findings at gates"] += len(failed)
    for name, last in failed:
        tally.fail(f"a gate failed; again: pytest tests/test_fuzz.py -k {name} --fuzz-from {last}")
    if (code and not failed) or len(gates) < GATES:
        tally.fail(f"not all gates were tried: {said[-500:]}")
