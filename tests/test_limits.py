"""What a bot may use: by the wall or by the processor, for all alike or for one bot alone."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match import stopwatch
from dalang.harness.match.arena import open_arena
from dalang.harness.match.limits import CPU, Clock, Limits
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from dalang.harness.match.wire import Log
from dalang.harness.tournament.config import read_config
from dalang.harness.tournament.opening import open_to_read
from tests.roomy import ROOMY
from tests.test_tournament import dalang

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what others use is told by /proc"),
]
KALI = find_game("kali")
TIGHT = replace(ROOMY, move=0.2, bank=0.0, clock=CPU)


def bot(folder: Path, name: str, thinking: str) -> str:
    """One that does this before each answer."""
    script = folder / f"{name}.py"
    script.write_text(
        "import os, time\nfrom dalang.kit import run\n\n"
        f"def choose(request):\n    {thinking}\n    return 0\n\nrun(choose, name={name!r})\n"
    )
    return shlex.join([sys.executable, str(script)])


def played(bots: list[str], limits: Limits, log: Log | None = None, own: Limits | None = None) -> Played:
    entrants = find_entrants(bots)
    if own:
        entrants[0] = replace(entrants[0], limits=own.announced())

    async def play() -> Played:
        async with open_arena(limits, log=log) as arena:
            names = tuple(entrant.name for entrant in entrants)
            return await arena.play(Match(KALI, "seed", names, ask_forced=True), entrants)

    return trio.run(play)


def test_who_waits_uses_no_processor_time(tmp_path: Path) -> None:
    idle = bot(tmp_path, "idle", "time.sleep(0.25)")
    assert not played([f"idle={idle}", "first"], TIGHT).faults
    assert played([f"idle={idle}", "first"], replace(TIGHT, clock="wall")).fault_kinds() == ("timeout", "")


@pytest.mark.parametrize(
    "thinking",
    [
        "while True: pass",
        "os.fork() or os.execvp('sh', ['sh', '-c', 'while :; do :; done']); time.sleep(9)",
    ],
    ids=["alone", "by a child"],
)
def test_processor_time_runs_out_whoever_of_a_bot_uses_it(
    tmp_path: Path, thinking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopwatch, "WALL_PER_CPU", 100)
    found = played([f"busy={bot(tmp_path, 'busy', thinking)}", "first"], replace(TIGHT, move=0.5))
    assert found.fault_kinds() == ("timeout", "")
    assert "0.5 s of processor time" in found.faults[0].detail
    assert 500_000 <= found.microseconds[0][-1] < 10_000_000


def test_an_answer_that_took_too_much_of_the_processor_is_late_though_it_came(tmp_path: Path) -> None:
    thinking = "begin = time.process_time()\n    while time.process_time() < begin + 0.05: pass"
    busy = bot(tmp_path, "busy", thinking)
    found = played([f"busy={busy}", "first"], replace(TIGHT, move=0.001))
    assert found.fault_kinds() == ("timeout", "")
    assert not played([f"busy={busy}", "first"], replace(TIGHT, bank=60.0)).faults


def test_what_was_used_counts_also_if_the_answer_was_there_before_anybody_looked() -> None:
    watch = stopwatch.CpuStopwatch(Clock(Limits(move=1.0, bank=0.5)))
    assert watch.is_over(1.6) and not watch.is_over(1.5)
    assert not stopwatch.Stopwatch(Clock(Limits())).is_over(100.0)


def test_a_bot_is_told_what_clock_counts_and_what_limits_are_its_own(tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, object]]] = []

    def log(name: str, way: str, message: dict[str, object]) -> None:
        if way == "<<" and message["type"] in ("start", "decide"):
            told.append((name, message))

    own = replace(ROOMY, move=7.0)
    played(["mine=first", "other=first"], replace(ROOMY, clock=CPU), log, own)
    limits = {name: message["limits"] for name, message in told if message["type"] == "start"}
    assert limits["other"] == {**ROOMY.announced(), "clock": "cpu"}
    assert limits["mine"] == {**ROOMY.announced(), "move": 7.0, "clock": "cpu"}
    clocks = {name: message["clock"] for name, message in told if message["type"] == "decide"}
    assert clocks == {"other": {"move": 20.0, "bank": 20.0}, "mine": {"move": 7.0, "bank": 20.0}}


CONFIG = """
[tournament]
blocks = 1
seed = "1"
[limits]
startup = 30
move = 20
clock = "cpu"
[game]
name = "kali"
[[bot]]
bot = "entrants/*"
[[bot]]
bot = "first"
limits = { startup = 40, memory = 500 }
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A tournament of all bots in a folder and one with limits of its own."""
    (tmp_path / "entrants").mkdir()
    for name in ("ann", "bob"):
        bot(tmp_path / "entrants", name, "pass")
    path = tmp_path / "t.toml"
    path.write_text(CONFIG)
    return path


def test_a_file_may_name_all_bots_of_a_folder_and_give_one_limits_of_its_own(config: Path) -> None:
    found = read_config(config)
    assert [entrant.name for entrant in found.entrants] == ["ann", "bob", "first"]
    assert found.terms.limits.clock == CPU and found.terms.clock
    assert [dict(entrant.limits) for entrant in found.entrants] == [
        {},
        {},
        {"startup": 40, "memory": 500 * 1024**2},
    ]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ('"much"', "limits of a bot must be a table"),
        ("{ clock = true }", "key in limits of a bot"),
        ("{ startup = -1 }", "startup must be a number of seconds"),
        ("{ startup = 1e99 }", "the limit startup must be a number of seconds"),
    ],
)
def test_limits_of_a_bot_that_cannot_be_are_refused(config: Path, own: str, said: str) -> None:
    config.write_text(CONFIG.replace("{ startup = 40, memory = 500 }", own))
    with pytest.raises(SetupError, match=said):
        read_config(config)


def test_the_file_keeps_the_limits_of_a_bot_and_holds_it_to_them(config: Path) -> None:
    dalang("run", str(config))
    with open_to_read(config.with_suffix(".db")) as store:
        assert store.bot_limits() == {"first": {"startup": 40, "memory": 500 * 1024**2}}
    dalang("run", str(config))
    assert told_again(config, "first") == (40, 500 * 1024**2) and told_again(config, "ann") == (30, None)
    assert told_again(config, "first", "--startup-time", "60") == (60, 500 * 1024**2)
    config.write_text(CONFIG.replace("startup = 40", "startup = 50"))
    assert "the limits of first" in dalang("run", str(config), code=2)
    dalang("verify", str(config.with_suffix(".db")))


def told_again(config: Path, name: str, *more: str) -> tuple[object, object]:
    """The limits that are told to whoever plays on in this bot's place."""
    db, traffic = config.with_suffix(".db"), config.with_suffix(".traffic")
    with open_to_read(db) as store:
        stories = ((key, store.story(key)) for key in store.match_keys())
        key, names = next((key, story.names) for key, story in stories if story and name in story.names)
    bots = [f"{'mine' if each == name else 'other'}=first" for each in names]
    where = [key.short(), "--from", str(db), "--turn", "1", "--log-traffic", str(traffic)]
    dalang("match", "kali", *bots, *where, *more)
    [limits] = re.findall(
        r'^mine << .*"type": "start".*"limits": (\{.*?\})', traffic.read_text(), re.MULTILINE
    )
    told = json.loads(limits)
    return told["startup"], told.get("memory")
