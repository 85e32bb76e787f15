"""Matches between real processes: reuse, clocks, formats, and a host that admits when it was late."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.engine.record import discrepancies
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.bare import Bare
from dalang.harness.isolation.cell import Cell
from dalang.harness.match import arena
from dalang.harness.match.arena import CHECKPOINT_EVERY, MOST_LIVE_BOTS, Arena, drive, open_arena
from dalang.harness.match.check import examine
from dalang.harness.match.faults import BotFault, Crash, Timeout
from dalang.harness.match.guardian import ends
from dalang.harness.match.limits import MAX_DETAIL, MAX_NOTES, Clock, Limits
from dalang.harness.match.played import BEFORE_THE_FIRST, Fault, Played
from dalang.harness.match.referee import CUT, Answer, Match, Question, Talk, bot_seed, referee
from dalang.harness.match.rest import Rest
from dalang.harness.match.wire import SLICE_SECONDS, Pipes, Wire
from dalang.protocol.codec import pack
from dalang.protocol.messages import Ready
from tests.leftovers import gone, marked_processes
from tests.roomy import ROOMY
from tests.test_rogues import ZOO, expected, limits_for

pytestmark = pytest.mark.slow

KALI = find_game("kali")
STRANGE = Path(__file__).parent / "strange"


def play(*bots: str, matches: int = 1, seed: str = "arena", **arena: Any) -> list[Played]:
    async def all_matches() -> list[Played]:
        entrants = find_entrants(bots)
        names = tuple(entrant.name for entrant in entrants)
        async with open_arena(ROOMY, **arena) as stage:
            return [await stage.play(Match(KALI, f"{seed} {n}", names), entrants) for n in range(matches)]

    return trio.run(all_matches)


TALKER = """\
import json, sys
for number in range(3):
    print(json.dumps({"type": "hello", "protocol": 1, "name": chr(0x10ffff) * 5000}), flush=True)
    sys.stdin.buffer.readline()
"""
"""It tells its name, and tells it again whatever it is asked."""


def test_of_what_a_bot_says_instead_of_an_answer_only_so_much_is_kept(tmp_path: Path) -> None:
    script = tmp_path / "talker.py"
    script.write_text(TALKER, encoding="utf-8")
    [fault] = play(str(script), "first")[0].faults
    assert fault.kind == "garbage"
    assert fault.detail.startswith("the answer to start must be ready, not Hello(")
    assert MAX_DETAIL <= len(fault.detail) < MAX_DETAIL + 10


def test_an_examination_quotes_only_so_much_of_what_a_bot_says(tmp_path: Path) -> None:
    script = tmp_path / "talker.py"
    script.write_text(TALKER, encoding="utf-8")
    findings = trio.run(partial(examine, find_entrant(str(script)), ROOMY))
    assert not findings[-1].good
    assert all(len(line) <= MAX_DETAIL + 10 for each in findings for line in each.remark.splitlines())


def stable(played: Played) -> dict[str, Any]:
    """What a match is but for the host it was played on."""
    return {key: value for key, value in played.data().items() if key not in ("microseconds", "voided")}


def test_a_bot_that_chooses_what_is_not_there_is_ended_and_its_next_match_has_a_new_process() -> None:
    """As after any other fault: what it does next must not depend on which process is at hand."""

    async def two_matches() -> list[int]:
        entrants, pids = find_entrants([str(STRANGE / "always_illegal.py"), "first"]), []
        async with open_arena(ROOMY) as stage:
            for number in range(2):
                played = await stage.play(Match(KALI, f"illegal {number}", ("a", "b")), entrants)
                assert [fault.kind for fault in played.faults] == ["illegal"]
                [rogue] = [bot.process for bot in stage.bots if bot.name == entrants[0].name]
                assert not rogue.alive
                pids.append(rogue.process.pid)
        return pids

    first, second = trio.run(two_matches)
    assert first != second


# ---- The referee, without processes


def answer_all(talk: Talk, reply: Callable[[Any], Answer | BotFault]) -> Played:
    question = next(talk)
    try:
        while True:
            question = talk.send(reply(question))
    except StopIteration as stop:
        record: Played = stop.value
        return record


def test_forced_moves_are_asked_only_if_wanted() -> None:
    for ask_forced in (False, True):
        questions: list[Any] = []
        answer_all(referee(Match(KALI, "forced", ("a", "b"), ask_forced=ask_forced)), answering(questions))
        assert (1 in [question.moves for question in questions]) == ask_forced


def answering(heard: list[Any]) -> Callable[[Any], Answer]:
    """Takes the first move, and keeps what it was asked."""

    def reply(question: Any) -> Answer:
        heard.append(question)
        return Answer()

    return reply


def test_whoever_faults_is_last_and_the_earlier_the_lower() -> None:
    def reply(question: Any) -> Answer | BotFault:
        if question.moves and question.seat == 2:
            return Timeout("asleep")
        if question.moves and question.seat == 0:
            return Answer(99)
        return Answer()

    record = answer_all(referee(Match(KALI, "faults", ("a", "b", "c", "d"), ask_forced=True)), reply)
    assert sorted((fault.seat, fault.kind) for fault in record.faults) == [(0, "illegal"), (2, "timeout")]
    first, second = (fault.seat for fault in record.faults)
    assert (record.ranks[first], record.ranks[second]) == (4, 3)
    assert {record.ranks[seat] for seat in (1, 3)} <= {1, 2}
    assert discrepancies(record.record, KALI) == []


def test_of_endless_notes_the_beginning_is_kept_and_the_cut_is_marked() -> None:
    """By seat: what one bot writes does not shorten what another may."""

    def reply(question: Any) -> Answer:
        return Answer(0, "x" * (MAX_NOTES - 1) if question.seat == 0 else "short")

    played = answer_all(referee(Match(KALI, "notes", ("a", "b"), ask_forced=True)), reply)
    first, second = (
        [note for turn, note in sorted(played.notes.items()) if played.record.turns[turn].seat == seat]
        for seat in (0, 1)
    )
    assert first == ["x" * (MAX_NOTES - 1), "x" + CUT]
    assert second == ["short"] * sum(turn.seat == 1 for turn in played.record.turns)


def test_a_faulter_is_never_asked_again_and_the_stand_in_is_reproducible() -> None:
    asked: list[int] = []

    def reply(question: Any) -> Answer | BotFault:
        asked.append(question.seat)
        return Crash("gone") if question.seat == 1 else Answer()

    records = [answer_all(referee(Match(KALI, "stand-in", ("a", "b"))), reply) for _ in range(2)]
    assert asked.count(1) == 2
    assert records[0].data() == records[1].data()
    assert records[0].faults == (Fault(1, "crash", "gone", BEFORE_THE_FIRST),)


def test_a_fault_before_the_game_is_not_one_at_the_first_decision() -> None:
    for is_early, moment in ((True, "before the game"), (False, "at decision 0, its question 1")):
        plan = Match(KALI, "moment", ("a", "b"), ask_forced=True)
        record = answer_all(
            referee(plan),
            lambda question, is_early=is_early: (
                Crash("gone") if is_early != bool(question.moves) else Answer()
            ),
        )
        assert record.faults[0].moment() == moment


def test_if_everybody_faults_the_match_still_ends() -> None:
    record = answer_all(referee(Match(KALI, "ruin", ("a", "b", "c"))), lambda question: Crash("gone"))
    assert record.ranks == (3, 2, 1)
    assert record.record.outcome.ending


def test_every_seat_is_told_every_event_once_and_in_order() -> None:
    told: dict[int, list[Any]] = {0: [], 1: [], 2: []}

    def reply(question: Any) -> Answer:
        told[question.seat] += question.message.get("events", [])
        return Answer()

    record = answer_all(referee(Match(KALI, "news", ("a", "b", "c"))), reply)
    assert all(events == record.retold().record.events for events in told.values())


def test_seeds_of_bots_differ_by_seat_and_match_and_do_not_contain_the_match_seed() -> None:
    seeds = {bot_seed(seed, seat) for seed in ("one", "two") for seat in range(4)}
    assert len(seeds) == 8
    assert not any("one" in seed for seed in seeds)


def test_a_clock_takes_from_the_bank_what_exceeds_the_move() -> None:
    clock = Clock(Limits(move=1.0, bank=3.0))
    clock.charge(0.5)
    assert clock.allowance() == 4.0
    clock.charge(2.5)
    assert clock.announced == {"move": 1.0, "bank": 1.5}
    clock.charge(99)
    assert clock.allowance() == 1.0


class Instant:
    """Somebody who never waits, while the clock runs on."""

    def __init__(self, clock: list[float]) -> None:
        self.clock = clock

    async def reply(self, question: Question) -> Answer:
        self.clock[0] += CHECKPOINT_EVERY / 4
        return Answer()


def test_others_get_their_turn_also_if_nobody_ever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, turns = [0.0], [0]
    monkeypatch.setattr(arena, "perf_counter", lambda: clock[0])

    async def take_turns() -> None:
        while True:
            await trio.lowlevel.checkpoint()
            turns[0] += 1

    async def both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(take_turns)
            await drive(referee(Match(find_game("bali_wrede"), "turns", ("a", "b"))), [Instant(clock)] * 2)
            nursery.cancel_scope.cancel()

    trio.run(both)
    assert turns[0] > clock[0] / CHECKPOINT_EVERY / 2 > 5


# ---- Real bots


def test_bots_are_reused_and_their_matches_are_reproducible() -> None:
    once, again = (
        play("first", "random", "r=random", matches=3),
        play("first", "random", "r=random", matches=3),
    )
    assert list(map(stable, once)) == list(map(stable, again))
    assert stable(once[0]) != stable(once[1])


@pytest.mark.parametrize("fresh", [False, True])
def test_a_process_plays_many_matches_unless_a_fresh_one_is_wanted(fresh: bool) -> None:
    pids = set()

    async def count() -> None:
        entrants = find_entrants(["first", "random"])
        async with open_arena(ROOMY, fresh=fresh) as arena:
            for number in range(3):
                pids.add((await arena.bot(entrants[0])).process.pid)
                await arena.play(Match(KALI, str(number), ("first", "random")), entrants)

    trio.run(count)
    assert len(pids) == (3 if fresh else 1)


def test_the_same_bot_can_sit_at_a_table_twice() -> None:
    random = find_entrant("random")

    async def mirror() -> Played:
        async with open_arena(ROOMY) as arena:
            return await arena.play(Match(KALI, "mirror", ("random", "random")), [random, random])

    assert trio.run(mirror).faults == ()


def test_a_json_bot_plays_like_the_others_and_its_notes_are_kept() -> None:
    [played] = play(str(STRANGE / "json_lines.py"), "first")
    assert played.faults == ()
    assert "2 möglich" in played.notes.values()


def test_stray_prints_of_a_kit_bot_do_no_harm() -> None:
    [played] = play(str(STRANGE / "chatty.py"), "first")
    assert played.faults == ()


def test_an_exception_in_a_bot_shows_on_stderr_with_the_decision_that_caused_it() -> None:
    [played] = play(str(STRANGE / "raises.py"), "first")
    [fault] = played.faults
    assert (fault.kind, fault.detail) == ("crash", "ended with exit code 1")
    assert "KeyError: 'no such key'" in "\n".join(fault.stderr)
    assert "at question 1, deciding 'go_on'" in fault.stderr[-1]


def test_a_bot_is_told_its_limits_and_its_clock_or_nothing_about_time() -> None:
    heard: list[Any] = []
    for show_clock in (True, False):
        heard.clear()
        play("first", "random", log=lambda name, way, message: heard.append(message), show_clock=show_clock)
        starts = [message for message in heard if message["type"] == "start"]
        decides = [message for message in heard if message["type"] == "decide"]
        assert all(bool(message["limits"]) == show_clock for message in starts)
        assert all(("clock" in message) == show_clock for message in decides)


def test_an_arena_left_by_an_error_leaves_nothing_behind() -> None:
    mark = "arena-error-mark"

    async def fail(arena: Arena) -> None:
        entrant = replace(find_entrant(str(STRANGE.parent / "rogues" / "spins.py")), env={"LC_MARK": mark})
        await arena.bot(entrant)
        assert marked_processes(mark)
        raise RuntimeError("our own bug")

    async def run() -> None:
        async with open_arena(ROOMY) as arena:
            await fail(arena)

    with pytest.raises(RuntimeError, match="our own bug"):
        trio.run(run)
    assert marked_processes(mark) == []


class Littered(Bare):
    """Cells that are tidied up only when somebody else has had a turn meanwhile."""

    def __init__(self) -> None:
        self.others = Event()
        self.waited: list[bool] = []

    def start(self, entrant: Entrant, *more: Any) -> Cell:
        littered, cell = self, super().start(entrant, *more)

        class LitteredCell(Cell):
            def sweep(self) -> None:
                littered.waited.append(littered.others.wait(20))

            close = sweep

        return LitteredCell(cell.process)


def test_what_it_takes_to_tidy_up_after_a_bot_makes_no_other_match_late() -> None:
    littered = Littered()

    async def let_go() -> None:
        await wait_all_tasks_blocked()
        littered.others.set()

    async def run() -> None:
        async with (
            trio.open_nursery() as nursery,
            open_arena(ROOMY, alone=False, isolation=littered) as arena,
        ):
            bots = find_entrants(["first", "random"])
            await arena.preflight(bots, KALI, 2)
            nursery.start_soon(let_go)
            await arena.play(Match(KALI, "litter", ("a", "b")), bots)

    trio.run(run)
    assert littered.waited == [True] * 4  # before the match, and at the end


@pytest.mark.parametrize("closes_stderr", [False, True])
@pytest.mark.parametrize(("thinks", "sleeps"), [(5.0, 0.0), (0.0, 0.5), (5.0, 0.5)])
def test_only_the_hosts_own_lateness_counts_however_long_a_bot_thinks(
    thinks: float, sleeps: float, closes_stderr: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MockClock()  # one that is set by hand: no machine is too busy for it
    monkeypatch.setattr("dalang.harness.match.wire.perf_counter", trio.current_time)

    async def answer(stdout: BinaryIO) -> None:
        while trio.current_time() < thinks:
            await trio.lowlevel.checkpoint()
            clock.jump(0.002)
        clock.jump(sleeps)  # and nobody could do anything in the meantime
        stdout.write(pack({"type": "ready"}))

    async def asked() -> float:
        with scripted_bot() as (wire, stdout, stderr):
            if closes_stderr:
                stderr.close()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(answer, stdout)
                assert await wire.ask({"type": "start"}, 60.0) == Ready()
            return wire.take_lag()

    assert trio.run(asked, clock=clock) == pytest.approx(sleeps, abs=max(SLICE_SECONDS))


@contextmanager
def scripted_bot() -> Iterator[tuple[Wire, BinaryIO, BinaryIO]]:
    """The wire to a bot without a process, and where that bot speaks: stdout and stderr."""
    pipes = [
        (os.fdopen(reads, "rb", 0), os.fdopen(writes, "wb", 0))
        for reads, writes in (os.pipe(), os.pipe(), os.pipe())
    ]
    (_, stdin), (stdout, speaks), (stderr, complains) = pipes
    wire = Wire("scripted", Pipes(stdin, stdout, stderr), Rest(os.getpid()), never_dies, None)
    wire.poll_seconds = 0
    try:
        yield wire, speaks, complains
    finally:
        wire.close()
        for pipe in chain(*pipes):
            pipe.close()


async def never_dies() -> str:
    raise AssertionError("nobody asked how it died")


def test_waiting_for_a_bot_costs_the_host_next_to_nothing() -> None:
    thinker = shlex.join(["python", str(STRANGE / "thinks.py"), "250"])
    began = time.process_time()
    [played] = play(f"a={thinker}", f"b={thinker}")
    assert played.faults == ()
    assert sum(map(len, played.microseconds)) > 5
    seconds = sum(map(sum, played.microseconds)) / 1e6
    assert time.process_time() - began < seconds / 2, "the referee was busy waiting"


def test_an_answer_ahead_of_its_question_is_a_flood(tmp_path: Path) -> None:
    """The other bot thinks until the answer has been given."""
    ahead, slow = (
        shlex.join(["python", str(STRANGE / name), str(tmp_path / "answered")])
        for name in ("answers_ahead.py", "waits_for.py")
    )
    [played] = play(f"ahead={ahead}", f"slow={slow}", seed="ahead")
    [fault] = played.faults
    assert (fault.seat, fault.kind) == (0, "flood")
    assert "it spoke before it was asked" in fault.detail


def test_no_more_bots_than_needed_stay_alive() -> None:
    async def count() -> int:
        async with open_arena(ROOMY) as arena:
            for entrant in find_entrants(["first"] * (MOST_LIVE_BOTS + 3)):
                await arena.bot(entrant)
            return len(arena.bots)

    assert trio.run(count) == MOST_LIVE_BOTS


def test_who_has_met_all_deals_that_it_may_leaves_but_not_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "MOST_DEALS", 1)

    async def alive() -> list[list[str]]:
        found = []
        async with open_arena(ROOMY) as opened:
            for deal in ("one", "two", "three"):
                for entrant in find_entrants(["first", "random"]):
                    await opened.bot(entrant, deal)
                found.append([each.name for each in opened.bots])
        return found

    assert trio.run(alive) == [["first", "random"]] * 3


def test_a_bot_is_not_asked_for_what_it_says_it_cannot_play() -> None:
    only = find_entrant(str(STRANGE / "only_bali.py"))

    async def start() -> None:
        async with open_arena(ROOMY) as arena:
            await arena.preflight([only], find_game("bali_wrede"), 2)
            await arena.preflight([only], find_game("bali_wrede"), 3)

    with pytest.raises(SetupError, match="only_bali says that it cannot play bali_wrede with 3 seats"):
        trio.run(start)
    *_, last = trio.run(examine, only, ROOMY, KALI)
    assert (last.good, last.remark.splitlines()[0]) == (False, "it says that it can play none of them")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_limit_is_a_number_of_seconds(value: float) -> None:
    with pytest.raises(SetupError, match="the limit move must be a number of seconds"):
        Limits(move=value)


# ---- The whole program


def dalang(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "dalang", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_match_in_which_the_host_was_late_is_void_and_played_again(tmp_path: Path) -> None:
    """A busy machine may have been late more than once; that it was stopped for long is certain."""
    stopper = shlex.join(["python", str(STRANGE / "stops_the_host.py"), str(tmp_path / "once")])
    terms = ["--seed", "9", "--move-time", "5", "--isolate", "none", "--json"]
    with dalang("match", "kali", "first", f"stopper={stopper}", *terms) as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    result = json.loads(out)
    assert result["voided"] >= 1 and result["faults"] == []


def wait_for(pipe: Any, words: str) -> None:
    assert any(words in line for line in pipe), words


@pytest.mark.parametrize(
    ("name", "rogue"),
    [
        ("SIGINT", "spins"),
        ("SIGINT", "daemonises"),
        ("SIGTERM", "ignores_sigterm"),
        ("SIGTERM", "daemonises"),
        ("SIGHUP", "daemonises"),
        ("SIGKILL", "spins"),
        ("SIGKILL", "ignores_sigterm"),
    ],
)
def test_nothing_is_left_when_dalang_itself_is_stopped(name: str, rogue: str, from_a_terminal: None) -> None:
    mark = f"mark-{name}-{rogue}-{os.getpid()}"
    bot = str((STRANGE if rogue == "daemonises" else STRANGE.parent / "rogues") / f"{rogue}.py")
    with dalang("match", "kali", "first", bot, "--bank", "600", "--seed", "7", LC_MARK=mark) as process:
        wait_for(process.stdout, "first dares a card")
        assert len(marked_processes(mark)) >= 3
        process.send_signal(signal.Signals[name])
        _, err = process.communicate(timeout=60)
    assert process.returncode == (-9 if name == "SIGKILL" else 130)
    assert err.strip() == ("" if name == "SIGKILL" else "dalang: interrupted")
    assert gone(mark)


def test_under_nohup_the_terminal_may_go_away(from_a_terminal: None) -> None:
    assert signal.SIGHUP in ends()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert signal.SIGHUP not in ends()


def test_a_child_in_a_session_of_its_own_is_found_and_killed() -> None:
    mark = f"mark-daemon-{os.getpid()}"
    bot = str(STRANGE / "daemonises.py")
    with dalang(
        "match",
        "kali",
        "first",
        bot,
        "--seed",
        "7",
        "--move-time",
        "0.3",
        "--bank",
        "0",
        "--json",
        LC_MARK=mark,
    ) as process:
        out, _ = process.communicate(timeout=60)
    told = json.loads(out)
    assert [fault["kind"] for fault in told["faults"]] == ["timeout"]
    assert told["microseconds"][1][-1] >= 300_000  # that it waited in vain is not hidden
    assert gone(mark)


# ---- Conformance


@pytest.mark.parametrize(
    "bot", ["first", "random", str(STRANGE / "json_lines.py"), str(STRANGE / "chatty.py")]
)
def test_good_bots_pass_the_examination(bot: str) -> None:
    findings = trio.run(examine, find_entrant(bot), ROOMY, KALI)
    assert [finding for finding in findings if not finding.good] == []
    assert len(findings) == 10


def test_a_child_that_is_left_behind_is_found() -> None:
    *_, last = trio.run(examine, find_entrant(str(STRANGE / "leaves_a_child.py")), ROOMY, KALI)
    assert not last.good and "live on" in last.remark and "end your children" in last.hint


@pytest.mark.parametrize("rogue", ZOO, ids=lambda path: path.stem)
def test_every_rogue_fails_with_what_was_seen_and_a_hint(rogue: Path) -> None:
    *_, last = trio.run(examine, find_entrant(str(rogue)), limits_for(rogue), KALI)
    assert not last.good
    assert last.remark.startswith(f"{expected(rogue)}: ")
    assert last.hint
