"""The day of a bot's author: what it prints, a debugger in it, and the position where it went wrong put to it again."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.bots import kit
from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.record import Turn, discrepancies
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from dalang.harness.people.debugging import LONGEST_PIECE, LiveStderr, is_traced
from dalang.protocol import messages
from tests.leftovers import excuse, gone
from tests.refereed import play
from tests.roomy import room_for
from tests.terminal import CTRL_C, LONGEST_WAIT, Terminal, flat, terminal
from tests.test_cli import dalang

REMEMBERS = """
import sys
from dalang.kit import run

def choose(request):
    request.memory["asked"] = request.memory.get("asked", 0) + 1
    print(f"question {request.id} \\x1b[2J", file=sys.stderr if request.id % 2 else sys.stdout)
    request.note = f"{request.memory['asked']} {len(request.events)} {request.rng.random()} {request.clock}"
    return request.rng.choice(request.moves)

run(choose, name="remembers")
"""
STUMBLES = REMEMBERS.replace("    return", "    assert request.id < 3, 'too much'\n    return")
BREAKS = REMEMBERS.replace("    return", "    if request.id == 1: breakpoint()\n    return")
ENDLESS = REMEMBERS.replace("    return", "    print('x' * 20000, file=sys.stderr)\n    return")


class Author:
    """Somebody with bots in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in (
            ("remembers", REMEMBERS),
            ("stumbles", STUMBLES),
            ("breaks", BREAKS),
            ("endless", ENDLESS),
        ):
            (folder / f"{name}.py").write_text(text, encoding="utf-8")

    def runs(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = dalang(*words, *room_for(words[0]), cwd=self.folder)
        assert done.returncode == code, done.stderr
        return done

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self.runs(*words, "--json", code=code).stdout)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Author:
    """With a tournament and a match behind him."""
    author = Author(tmp_path_factory.mktemp("author"))
    bots = ["kali", "remembers.py", "random"]
    author.runs("run", *bots, "--blocks", "1", "--seed", "1", "--db", "t.db", "--keep-stderr")
    kept = ["--seed", "7", "--key", "3.1", "--ask-forced", "--keep-stderr"]
    author.runs("match", *bots, *kept, "--record", "match.json")
    author.runs("match", "kali", "stumbles.py", "first", "--seed", "7", "--record", "fault.json")
    return author


# ---- What bots print


@pytest.mark.slow
def test_what_bots_print_is_shown_as_it_comes_escaped_and_beside_what_we_print(author: Author) -> None:
    done = author.runs("match", "kali", "remembers.py", "random", "--seed", "7", "--stderr", "--json")
    asked = len(json.loads(done.stdout)["microseconds"][0])
    assert done.stderr.splitlines() == [f"remembers │ question {n} ·[2J" for n in range(1, asked + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("colour", [{}, {"NO_COLOR": "1"}])
def test_on_a_terminal_it_has_the_bots_colour_and_comes_before_its_move_is_told(
    author: Author, colour: dict[str, str]
) -> None:
    words = ["match", "kali", "remembers.py", "random", "--seed", "7", "--stderr", *room_for("match")]
    with terminal(*words, cwd=author.folder, **colour) as at:
        assert at.ended() == 0
    assert ("\x1b[36mremembers │ question 1" in at.shown) == (not colour)
    story = flat(at.shown)
    note = json.loads((author.folder / "match.json").read_text())["notes"]
    assert "\x1b[2J" not in at.shown and note
    assert story.index("question 1") < story.index("“1 ") < story.index("question 2") < story.index("“2 ")


def test_lines_come_whole_and_long_ones_in_pieces() -> None:
    shown: list[str] = []
    live = LiveStderr(["a", "long name"], shown.append)
    for chunk in (b"on", b"e\ntw", "ö\n".encode()[:1], "ö\n".encode()[1:], b"x" * (LONGEST_PIECE + 1), b"y"):
        live.hear("a", chunk)
    live.hear("long name", b"\xff\x1b[31m\n")
    live.close()
    plain = [re.sub(r"\x1b\[\d+m", "", line) for line in shown]
    assert plain == [
        "a         │ one",
        "a         │ twö",
        f"a         │ {'x' * (LONGEST_PIECE + 1)}",
        "long name │ �·[31m",
        "a         │ y",
    ]


@pytest.mark.slow
def test_what_was_kept_is_shown_by_replay_but_to_no_other_seat(author: Author) -> None:
    then = story(author, "t.db", "0.0")
    kept = dict(zip(then["names"], then["stderr"], strict=True))
    assert kept["remembers"].startswith("question 1 \x1b[2J\nquestion 2 \x1b[2J\n") and kept["random"] == ""
    for match in (["t.db", "0.0"], ["match.json"]):
        other = str(story(author, *match)["names"].index("random"))
        assert (
            "remembers wrote to stderr:\n  question 1 ·[2J\n"
            in author.runs("replay", *match, "--text").stdout
        )
        seen = author.runs("replay", *match, "--text", "--seat", other).stdout
        assert "stderr" not in seen
    assert "as they should be" in author.runs("verify", "t.db").stdout
    assert "stderr" not in story(author, "fault.json")


@pytest.mark.slow
def test_of_endless_words_the_beginning_and_the_end_are_kept(author: Author) -> None:
    played = author.json("match", "kali", "endless.py", "first", "--seed", "7", "--keep-stderr")
    [said, nothing] = played["stderr"]
    assert len(said) < 8192 + 100 and said.startswith("question 1") and said.endswith("xx\n")
    assert (nothing, played["faults"]) == ("", [])


# ---- A debugger


@contextmanager
def debugged(author: Author, mark: str, *more: str) -> Iterator[Terminal]:
    words = ["match", "kali", "breaks.py", "first", "--seed", "7", *room_for("match"), *more]
    with terminal(*words, cwd=author.folder, LC_MARK=mark) as at:
        yield at


@pytest.mark.slow
def test_a_breakpoint_has_the_terminal_and_no_clock(author: Author) -> None:
    """With a thousandth of a second for a move nobody could type anything."""
    mark = f"debug-{os.getpid()}"
    limits = ["--move-time", "0.001", "--bank", "0", "--record", "debugged.json"]
    with debugged(author, mark, *limits, "--debug", "breaks") as at:
        at.until("(Pdb) ")
        at.enter("p request.moves, request.clock")
        assert "([['draw'], ['stop']], {'move': 0.001, 'bank': 0.0})" in flat(at.until("(Pdb) "))
        at.enter("import sys, os; os.isatty(0), os.isatty(1), os.isatty(2)")
        assert "(True, True, True)" in at.until("(Pdb) ")
        at.enter("c")
        assert at.ended() == 0
    assert "question 2" in at.shown, "what it prints is on the terminal, too"
    faults = json.loads((author.folder / "debugged.json").read_text())["faults"]
    assert [fault["seat"] for fault in faults if fault["seat"] == 0] == []
    assert gone(mark)


@pytest.mark.slow
def test_ctrl_c_in_a_debugger_leaves_nobody_behind_and_the_terminal_as_it_was(author: Author) -> None:
    mark = f"interrupted-{os.getpid()}"
    with debugged(author, mark, "--debug", "breaks.py") as at:
        before = termios.tcgetattr(at.descriptor)
        at.until("(Pdb) ")
        at.type(CTRL_C)
        assert at.ended() == 130
        assert termios.tcgetattr(at.descriptor) == before
    assert gone(mark)


@pytest.mark.slow
def test_without_a_terminal_nobody_can_debug_in_it(author: Author) -> None:
    done = author.runs("match", "kali", "breaks.py", "first", "--debug", "breaks", code=2)
    assert done.stderr.endswith("stdin and stdout are no terminal; use --attach\n")
    [fault] = author.json("match", "kali", "breaks.py", "first", "--seed", "7")["faults"]
    assert fault["kind"] == "crash" and "--debug BOT" in fault["stderr"][-2], "it does not wait for its time"
    assert (
        "did you mean 'breaks'?"
        in author.runs("match", "kali", "breaks.py", "first", "--attach", "brekas", code=2).stderr
    )


@pytest.mark.slow
def test_enter_begins_a_match_that_waits_for_a_debugger(author: Author) -> None:
    words = ["match", "kali", "remembers.py", "first", "--seed", "7", "--attach", "remembers"]
    with terminal(*words, *room_for("match"), cwd=author.folder) as at:
        at.until("press Enter to go on.\n")
        assert re.search(r"remembers is process \d+, and no clock runs for it", at.shown)
        at.enter()
        assert at.ended() == 0
    assert "dares a card" in at.shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of debuggers")
def test_a_debugger_that_attaches_itself_begins_the_match(author: Author) -> None:
    words = [
        "match",
        "kali",
        "remembers.py",
        "first",
        "--seed",
        "7",
        "--attach",
        "remembers",
        *room_for("match"),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "dalang", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=author.folder,
    ) as process:
        try:
            assert process.stdout and process.stderr
            assert select.select([process.stderr], [], [], LONGEST_WAIT)[0]
            [pid] = re.findall(rb"remembers is process (\d+)", process.stderr.readline())
            assert not is_traced(int(pid))
            with seized(int(pid)):
                story, _ = process.communicate(timeout=LONGEST_WAIT)
        finally:
            process.kill()
    assert process.returncode == 0
    assert b"dares a card" in story


SEIZE = """
import ctypes, os, sys
pid = int(sys.argv[1])
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
if ptrace(ctypes.c_long(0x4206), ctypes.c_long(pid), None, None):
    sys.exit(os.strerror(ctypes.get_errno()))
while not os.WIFSIGNALED(status := os.waitpid(pid, 0x40000000)[1]) and not os.WIFEXITED(status):
    ptrace(7, pid, None, os.WSTOPSIG(status) if status >> 16 == 0 else 0)
"""
"""What a debugger does that lets everything happen."""


@contextmanager
def seized(pid: int) -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "-c", SEIZE, str(pid)], stderr=subprocess.PIPE, text=True
    ) as tracer:
        yield
        _, problem = tracer.communicate(timeout=LONGEST_WAIT)
    excuse(problem and f"no debugger may attach itself here: {problem}")


def test_the_kit_and_the_protocol_call_the_descriptors_alike() -> None:
    assert kit.LINE_VARIABLE == messages.DESCRIPTORS


# ---- Positions


@cache
def story(author: Author, *match: str) -> Any:
    return author.json("replay", *match)


def decisions_of(played: Any) -> list[int]:
    """Where the bot that says something was asked."""
    return [int(turn) for turn in played["notes"]]


@pytest.mark.slow
@pytest.mark.parametrize("match", [["t.db", "0.0"], ["t.db", "0.1"], ["match.json"]])
def test_a_bot_that_is_asked_again_remembers_draws_and_answers_as_then(
    author: Author, match: list[str]
) -> None:
    then = story(author, *match)
    turns, seat = decisions_of(then), then["names"].index("remembers")
    limits = [word for word in room_for("match") if "match" in match[0]]  # the record says so itself
    for number, turn in ((1, turns[0]), (len(turns), turns[-1])):
        asked = [
            "ask",
            "remembers.py",
            *match[1:],
            "--from",
            match[0],
            "--turn",
            str(turn),
            "--json",
            *limits,
        ]
        done = dalang(*asked, cwd=author.folder)
        again = json.loads(done.stdout)
        assert (again["question"], again["turn"], again["seat"]) == (number, turn, seat), done.stderr
        assert again["note"] == then["notes"][str(turn)]
        assert again["move"] == again["then"] == then["record"]["turns"][turn][2]
        assert (again["otherwise"], again["fault"]) == (0, None)
        assert again["stderr"] == [f"question {number} \x1b[2J"]


@pytest.mark.slow
def test_at_once_a_bot_is_asked_a_single_time_and_told_all_that_happened(author: Author) -> None:
    then = story(author, "t.db", "0.0")
    turn = decisions_of(then)[-1]
    where = ["ask", "remembers.py", "0.0", "--from", "t.db", "--turn", str(turn)]
    again, once = author.json(*where), author.json(*where, "--at-once")
    assert once["question"] == again["question"] > 1
    asked, events, *_ = once["note"].split()
    assert asked == "1" and int(events) > int(again["note"].split()[1])


@pytest.mark.slow
def test_what_another_bot_would_have_done_is_told_with_how_often_it_differs(author: Author) -> None:
    then = story(author, "t.db", "0.0")
    turns = decisions_of(then)
    page = author.runs("ask", "first", "0.0", "--from", "t.db", "--turn", str(turns[-1])).stdout
    others = [turn for turn in turns[:-1] if then["record"]["turns"][turn][2][0] in ("stop", "decline")]
    assert others, "the match is one in which it matters"
    seat = then["names"].index("remembers")
    assert f"Decision {turns[-1]}, question {len(turns)} to seat {seat}: " in page
    assert f"Of the {len(turns) - 1} questions before, it answers {len(others)} otherwise than then." in page
    assert re.search(r"^first: \w+, after [\d.]+ ms$", page, re.MULTILINE)


@pytest.mark.slow
def test_a_crash_is_met_again_where_it_was_with_its_traceback(author: Author) -> None:
    [fault] = story(author, "fault.json")["faults"]
    assert (fault["kind"], fault["question"]) == ("crash", 3)
    page = author.runs("ask", "stumbles.py", "--from", "fault.json", code=1).stdout
    turns = story(author, "fault.json")["record"]["turns"]
    last = max(turn for turn, (seat, decision, _) in enumerate(turns) if seat == 0 and decision == "go_on")
    assert last > fault["turn"]
    moment = f"stumbles broke the contract at decision {fault['turn']}, its question 3: crash"
    assert moment in page and "AssertionError: too much" in page and "... at question 3, deciding" in page
    later = author.json("ask", "stumbles.py", "--from", "fault.json", "--turn", str(last), code=1)
    assert (later["fault"]["turn"], later["fault"]["question"]) == (fault["turn"], 3)
    assert (later["move"], later["seconds"]) == (None, None)
    assert moment in author.runs("replay", "fault.json", "--text").stdout
    assert (
        "Then the stand-in of stumbles chose " in author.runs("ask", "first", "--from", "fault.json").stdout
    )


@pytest.mark.slow
def test_a_match_that_goes_on_with_the_same_bots_ends_as_it_did(author: Author) -> None:
    played = story(author, "t.db", "0.0")
    then, names = played["record"], {"remembers": "remembers.py", "random": "random"}
    bots = ["match", "kali", *(names[name] for name in played["names"]), "0.0", "--from", "t.db"]
    middle = len(then["turns"]) // 2
    again = author.json(*bots, "--turn", str(middle))
    assert again["record"] == then
    assert again["conditions"]["key"] == "0.0"
    otherwise = author.json(*bots, "--turn", str(middle), "--seed", "other luck")["record"]
    assert otherwise["turns"][:middle] == then["turns"][:middle]
    assert otherwise["drawn"] != then["drawn"] and otherwise["events"][-1]["event"] == "end"
    told = author.runs(*bots, "--turn", str(middle)).stdout
    assert f", on from decision {middle}: {', '.join(played['names'])}" in told
    assert "“1 " not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("ask first", "say of which match"),
        ("ask first --from t.db", "say which match of t.db; they go from 0.0 to 0.1"),
        ("ask first 0.9 --from t.db", "there is no match '0.9'"),
        ("ask first 0.0 --from t.db", "say which decision with --turn; the decisions of this match are numbered 0 to"),
        ("ask first 0.0 --from t.db --turn 99999", "are numbered 0 to"),
        ("ask first 0.0 --from t.db --turn 0", "nobody was asked; the next question was at decision"),
        ("ask first 0.0 --from match.json", "match.json holds a single match; leave out 0.0"),
        ("match kali first random --turn 3", "--turn goes with --from"),
        ("match kali first 0.0 --from t.db --turn 3", "that match had 2 seats: name a bot for each, as"),
        ("match bali_wrede first first 0.0 --from t.db --turn 3", "one of kali, not of bali_wrede"),
        ("match kali first first 0.0 --from t.db --turn 3 --key 1.1", "says it all; leave out --key"),
        ("match kali first first 0.0 --from t.db --turn 3 --option fine_rounding=up", "leave out --option"),
        ("match kali first first 0.0 --from t.db --turn 3 --seed x --record no.json", "leave out --record"),
    ],
)  # fmt: skip
def test_a_position_that_is_none_is_one_line(author: Author, words: str, problem: str) -> None:
    done = dalang(*words.split(), cwd=author.folder)
    assert done.returncode == 2
    assert problem in done.stderr and done.stderr.count("\n") == 1


@settings(max_examples=30)
@given(st.data())
def test_any_match_goes_on_from_any_decision_to_the_same_end(data: st.DataObject) -> None:
    """Whoever sits there is asked the same questions as then, and what it says before that decision changes nothing."""
    game = find_game(data.draw(st.sampled_from(bundled_games())))
    names = tuple("abcdef"[: game.seats[0]])
    match = Match(game, str(data.draw(st.integers(0, 99))), names, ask_forced=data.draw(st.booleans()))
    whole = play(match)
    turn = data.draw(st.integers(0, len(whole.record.turns)))
    gone_on = replace(match, given=[each.move for each in whole.record.turns[:turn]])
    assert same(play(gone_on), whole)
    assert discrepancies(play(replace(gone_on, at_once=True)).record, game) == []


def same(one: Played, other: Played) -> bool:
    return (one.record, one.ranks, one.microseconds) == (other.record, other.ranks, other.microseconds)


def test_what_a_seat_says_of_the_past_is_not_heeded_but_a_fault_is_one() -> None:
    match = Match(find_game("kali"), "1", ("a", "crasher"))
    clean = play(replace(match, names=("a", "b")))
    given = [turn.move for turn in clean.record.turns]
    told = play(replace(match, given=given))
    assert told.record.turns == [Turn(*turn) for turn in clean.record.turns]
    [fault] = told.faults
    assert (fault.seat, fault.question, told.notes) == (1, 2, {})
