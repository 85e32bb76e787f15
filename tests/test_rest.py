"""Off its turn a bot rests: one that works then is found, and stopped while it is not asked."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import count, islice
from pathlib import Path

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.isolation.levels import LEVELS
from dalang.harness.match import rest as resting
from dalang.harness.match.arena import Arena, open_arena
from dalang.harness.match.faults import Ponder
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from dalang.harness.match.rest import Rest
from tests.leftovers import need_level
from tests.test_rogues import ROOMY
from tests.test_tournament import command

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what others use is told by /proc"),
]

KALI = find_game("kali")
STRANGE = Path(__file__).parent / "strange"
BURNER = f"burner={STRANGE / 'burns_off_turn.py'}"


def strange(name: str, milliseconds: int) -> str:
    return f"{name}={shlex.join(['python', str(STRANGE / f'{name}.py'), str(milliseconds)])}"


def burn(seconds: float) -> None:
    """Use the processor ourselves, so that whoever wants it off its turn gets some too."""
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass


async def burn_off_turn() -> None:
    """While nobody is asked; those who look around get their turn."""
    burn(0.05)
    await trio.lowlevel.checkpoint()


DEALS = map(str, count())
"""Never the same twice, so that the same processes play on."""


async def matches(arena: Arena, bots: Sequence[str], number: int) -> list[Played]:
    entrants = find_entrants(bots)
    names = tuple(entrant.name for entrant in entrants)
    return [
        await arena.play(Match(KALI, deal, names, ask_forced=True), entrants)
        for deal in islice(DEALS, number)
    ]


def rests(arena: Arena, name: str) -> Rest:
    return next(bot.process.rest for bot in arena.bots if bot.name == name)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_works_off_its_turn_is_stopped_and_plays_on(level: str) -> None:
    need_level(level)
    told: list[str] = []

    async def play() -> None:
        async with open_arena(ROOMY, isolation=LEVELS[level], tell=told.append) as arena:
            await matches(arena, [BURNER, "first"], 1)
            while not arena.restless:
                await burn_off_turn()
            used = rests(arena, "burner").used()
            burn(0.3)
            assert rests(arena, "burner").used() - used <= 2 * resting.TICK
            for played in await matches(arena, [BURNER, "first"], 3):
                assert played.faults == ()
            assert arena.restless == {"burner"}

    trio.run(play)
    [line] = told
    assert line.startswith("burner works while it is not asked")


def test_who_is_allowed_to_ponder_is_not_stopped() -> None:
    async def play() -> float:
        async with open_arena(ROOMY, ponder=True, tell=pytest.fail) as arena:
            await matches(arena, [BURNER, "first"], 1)
            while rests(arena, "burner").used() < 1.0:
                await burn_off_turn()
            return rests(arena, "burner").off_turn

    assert trio.run(play) == 0.0  # nobody has looked


def test_a_bot_that_thinks_on_its_turn_rests_off_it() -> None:
    async def play() -> Rest:
        async with open_arena(ROOMY, tell=pytest.fail) as arena:
            await matches(arena, [strange("computes", 20), "first"], 3)
            rest = rests(arena, "computes")
            assert not rest.look()
            return rest

    rest = trio.run(play)
    assert rest.on_turn > 0.2
    assert rest.off_turn < 0.2


def test_who_only_waits_on_its_turn_saves_nothing_up() -> None:
    async def play() -> tuple[Rest, float]:
        async with open_arena(ROOMY) as arena:
            [played] = await matches(arena, [strange("thinks", 300), "first"], 1)
            return rests(arena, "thinks"), sum(played.microseconds[0]) / 1e6

    rest, asked = trio.run(play)
    assert asked > 0.3
    assert rest.on_turn < asked / 2


def test_a_new_process_of_a_restless_bot_is_stopped_from_its_start_on() -> None:
    async def play() -> None:
        async with open_arena(ROOMY) as arena:
            arena.restless.add("burner")
            await arena.bot(find_entrants([BURNER])[0])
            assert len(rests(arena, "burner").held) == 3
            while any(resting.status(pid)[0] != b"T" for pid in rests(arena, "burner").held):
                burn(0.01)  # the signal is on its way

    trio.run(play)


def test_children_count_also_when_they_have_ended_and_nobody_cared(tmp_path: Path) -> None:
    """One is waited for, the other is not, and its parent has said that it does not want to hear of it."""
    script = (
        "import os, signal, sys, time\n"
        "def burn():\n"
        "    while time.process_time() < 0.2: pass\n"
        "def child(): pid = os.fork(); pid or (burn(), print('burnt', flush=True), sys.stdin.readline(), os._exit(0)); "
        "return pid\n"
        "os.waitpid(child(), 0)\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "child()\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin and process.stdout
        rest = Rest(process.pid)
        for used in (0.2, 0.4):
            process.stdout.readline()
            assert rest.used() >= used - 3 * resting.TICK
            process.stdin.write(b"\n")
        while len(rest.processes()) > 1:
            pass
        assert rest.used() >= 0.4 - 3 * resting.TICK
        process.kill()


def test_whose_processes_come_and_go_too_quickly_to_be_stopped_breaks_the_contract() -> None:
    class Comet(Rest):
        """Each look finds another process."""

        numbers = iter(range(2**30, 2**31))  # which no process has

        def processes(self) -> list[int]:
            return [next(self.numbers)]

    comet = Comet(os.getpid())
    comet.watch()
    assert isinstance(comet.offence, Ponder)


def test_who_goes_on_in_spite_of_being_stopped_breaks_the_contract_when_it_is_next_asked() -> None:
    async def play() -> Played:
        async with open_arena(ROOMY) as arena:
            await matches(arena, [BURNER, "first"], 1)
            rests(arena, "burner").watch()
            rests(arena, "burner").watch()
            return (await matches(arena, [BURNER, "first"], 1))[0]

    [fault] = trio.run(play).faults
    assert fault.kind == "ponder"


def test_who_is_found_late_is_forgiven_what_it_used_until_then() -> None:
    class Told(Rest):
        """Its processes have used what we say."""

        seconds = 0.0

        def used(self) -> float:
            return self.seconds

    rest = Told(2**30)  # which no process has
    rest.begin()
    rest.seconds = 100.0
    assert rest.look()
    rest.watch()
    assert not rest.look()
    rest.seconds += 2 * resting.FORGIVEN_SECONDS
    assert rest.look()


@pytest.mark.usefixtures("all_cores")
def test_the_organiser_of_a_run_is_told_once(tmp_path: Path) -> None:
    arguments = ["run", "kali", BURNER, strange("computes", 20), "--blocks", "100000", "--jobs", "2"]
    with subprocess.Popen(
        command(*arguments, "--db", str(tmp_path / "t.db"), "--move-time", "20"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr
        assert any("burner works while it is not asked" in line for line in run.stderr)
        run.send_signal(signal.SIGINT)
        assert "works while" not in run.stderr.read()
