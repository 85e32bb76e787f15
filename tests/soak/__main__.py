"""`make soak`: runs for as long as it is told, prints a table, and tells by its exit code whether all was well."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import takewhile
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic

import click

from dalang.harness.terminal import echo
from tests.soak.contests import ROOM, Contest, Contests
from tests.soak.fuzz import fuzz
from tests.soak.running import Done, Ground
from tests.soak.tally import Tally
from tests.soak.watch import Watch
from tests.test_attackers import UNTOUCHED, scene
from tests.test_rogues import ZOO

MOST_TROUBLED = 6
"""How often a run is troubled before it is left in peace to finish."""
WAS_KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
"""Exit codes of a run: the process that was started was killed, or another that belongs to it."""
CUT_SHORT = ("run the same command again", "failed to set the FSIZE resource limit")
"""What a run says that could not write; and a bot that it was just starting when no file could grow any more."""
PATIENCE = 60.0


@click.command()
@click.option("--hours", type=float, default=0.0)
@click.option("--minutes", type=float, default=0.0)
@click.option("--seed", default="soak", show_default=True)
def main(hours: float, minutes: float, seed: str) -> None:
    """Play tournaments under all kinds of trouble for HOURS and MINUTES; 10 minutes if neither is given."""
    seconds = 3600 * hours + 60 * minutes or 600.0
    rng, tally, watch = Random(seed), Tally(), Watch(seconds)
    end = monotonic() + seconds
    watch.start()
    with (
        TemporaryDirectory(prefix="dalang-soak-") as place,
        fuzz(seconds, Random(f"{seed} fuzz").randrange(10**9), tally),
        long_run(Path(place), seed, tally, watch),
    ):
        for contest in takewhile(lambda _: monotonic() < end, Contests(rng)):
            with scene() as folder:
                hold(contest, Ground(folder, uuid.uuid4().hex, rng, tally, watch))
            echo(str(contest), err=True)
    watch.ended.set()
    tally.check_growth(watch)
    echo(tally.text(watch))
    echo("\n".join(f"✗ {failure}" for failure in tally.failures) or f"✓ all was well; seed {seed!r}")
    sys.exit(bool(tally.failures))


# ---- One contest


def hold(contest: Contest, ground: Ground) -> None:
    tally = ground.tally
    if contest.is_refused:
        done = ground.dalang(*contest.arguments(), "--db", "refused.db")
        tally.count["refused"] += 1
        if done.code != 2 or (ground.folder / "refused.db").exists():
            tally.fail(f"not refused: {shown(contest, done)}")
        return
    begin = monotonic()
    untouched = ground.dalang(*contest.arguments(), "--db", "untouched.db", *speed(ground.rng))
    troubled = under_trouble(contest, ground, monotonic() - begin)
    for done in (untouched, troubled):
        if done.code not in contest.good_codes():
            tally.fail(f"not finished: {shown(contest, done)}")
            return
    tally.count["tournaments with blocks left out"] += troubled.code != 0
    check(contest, ground, untouched.out, troubled.out)


def speed(rng: Random) -> list[str]:
    """What must not matter."""
    return ["--jobs", rng.choice("123"), "--matches-per-worker", rng.choice("113")]


def under_trouble(contest: Contest, ground: Ground, span: float) -> Done:
    """Run again and again until it is finished."""
    for _ in range(ground.rng.randrange(1, MOST_TROUBLED)):
        arguments = [*contest.arguments(), "--db", "troubled.db", *speed(ground.rng)]
        done = ground.dalang(*arguments, befall=ground.troubles(), span=span)
        if done.code in contest.good_codes():
            return done
        if done.code not in WAS_KILLED and not (
            done.code == 2 and any(word in done.err for word in CUT_SHORT)
        ):
            ground.tally.fail(f"it ended wrongly: {shown(contest, done)}")
        ground.tally.count["resumes"] += 1
    return ground.dalang(*contest.arguments(), "--db", "troubled.db", *speed(ground.rng))


def check(contest: Contest, ground: Ground, untouched: str, troubled: str) -> None:
    tally, result = ground.tally, json.loads(troubled)
    tally.count["matches"] += result["matches"]
    for line in result["standings"]:
        tally.faults.update(line["faults"])
        forgiven = set() if contest.is_compared else {"timeout"}
        if line["name"] in contest.bots and line["faults"].keys() - forgiven:
            tally.fail(f"an honest bot faulted: {line['name']} {line['faults']} in {contest}")
    if contest.is_compared:
        tally.count["standings compared"] += 1
        if troubled != untouched:
            tally.fail(f"other standings than untroubled: {contest}")
    else:
        tally.count["standings not compared"] += 1
    verified = ground.dalang("verify", "troubled.db")
    if verified.code != 0:
        tally.fail(f"not verified: {shown(contest, verified)}")
    for name in UNTOUCHED:
        if (ground.folder / name).read_text(encoding="utf-8") != "untouched":
            tally.fail(f"{name} was harmed in {contest}")


def shown(contest: Contest, done: Done) -> str:
    last = [line for line in done.err.splitlines() if line.strip()][-3:]
    return f"code {done.code}, {' / '.join(last)} in {contest}"


# ---- Beside them one run that is never restarted


@contextmanager
def long_run(place: Path, seed: str, tally: Tally, watch: Watch) -> Iterator[None]:
    """Whether a run grows shows only if it is long; a bot that dies in every match has others started for ever."""
    [mortal] = [str(rogue) for rogue in ZOO if rogue.stem == "dies_in_mid_match"]
    bots = ["first", "random", mortal]
    settings = ["--blocks", "1000000", "--max-faults", "0", "--seed", seed, *ROOM]
    command = [
        sys.executable,
        "-m",
        "dalang",
        "run",
        "kali",
        *bots,
        *settings,
        "--jobs",
        "1",
        "--db",
        "long.db",
    ]
    with (place / "long.err").open("wb") as err:
        process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=err)
    watch.runs[process.pid] = "the long run"
    try:
        yield
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
    finally:
        del watch.runs[process.pid]
        process.kill()
        process.wait()
    if process.returncode != 130:
        tally.fail(f"the long run ended with {process.returncode}: {(place / 'long.err').read_text()[-500:]}")
    with closing(sqlite3.connect(place / "long.db")) as connection:
        tally.count["matches of the long run"] += connection.execute("select count(*) from match").fetchone()[
            0
        ]


if __name__ == "__main__":
    main()
