"""A person at the table: `dalang play` in a real terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.game import SetupError
from dalang.engine.record import Record, discrepancies
from dalang.harness.cli.main import cli
from dalang.harness.match.referee import Answer, Match, referee
from dalang.harness.people.english import YOU
from dalang.harness.people.person import in_columns
from dalang.harness.people.sitting import Sitting
from dalang.harness.people.story import event_story
from tests.leftovers import marked_processes
from tests.terminal import CTRL_C, CTRL_D, ESCAPE, LONGEST_WAIT, Terminal, flat, terminal
from tests.test_cli import good
from tests.test_wants import picky

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
ROGUES = ROOT / "tests" / "rogues"
PROMPT = "hint or q: "


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def play_on(at: Terminal, choice: str = "1") -> str:
    """Answer every question in the same way to the end of the game."""
    while at.more():
        if at.shown.endswith(PROMPT):
            at.enter(choice)
    return at.shown


# ---- Playing


@pytest.mark.parametrize("game", bundled_games())
def test_a_whole_game_against_the_usual_company(game: str, tmp_path: Path) -> None:
    options = ["--option", "max_turns=6"] if game == "bali_rosenberg" else []
    with terminal("play", game, "--seed", "1", "--save", "game.json", *options, cwd=tmp_path) as at:
        shown = flat(play_on(at))
        assert at.ended() == 0
    assert "Look again with: dalang replay game.json" in shown
    data = read_json(tmp_path / "game.json")
    assert data["names"] == [YOU, *data["names"][1:]]
    assert data["faults"] == []
    assert discrepancies(Record.of_data(data["record"]), find_game(game)) == []
    assert "you" in flat(good("replay", str(tmp_path / "game.json"), "--text")).lower()


def test_the_table_the_rule_a_hint_and_help(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", "--hint", "first", cwd=tmp_path) as at:
        first = flat(at.until(PROMPT))
        assert "seat 0 is yours" in first
        assert "You dare a card. The card shows" in first
        assert "Dare another card, or stop? 1 Dare a card 2 Stop and pocket 1 in gems" in first
        at.enter("?")
        rule = flat(at.until(PROMPT))
        assert "§3.4 After each footprint card he decides: another card, or stop" in rule
        assert "Dare another card, or stop? 1 Dare a card" in rule, "a long rule takes no move away"
        at.enter("hint")
        assert "Hint: 1 Dare a card" in flat(at.until(PROMPT))
        for nonsense in ("x", "0", "3", "-1", "1.5"):
            at.enter(nonsense)
            assert "Type the number of a move" in at.until(PROMPT)
        at.enter("t")
        again = flat(at.until(PROMPT))
        assert again.removeprefix("t ") in first
        at.enter("q")
        assert at.ended() == 0
    assert "nothing is kept" in at.shown
    assert list(tmp_path.iterdir()) == []


def test_an_adviser_is_asked_again_and_told_what_it_missed(tmp_path: Path) -> None:
    """It raises an error if the events it is told do not add up to the view it is shown."""
    adviser = tmp_path / "counts.py"
    adviser.write_text(
        "from dalang.kit import run\n"
        "def choose(request):\n"
        "    cards = request.memory.setdefault('cards', [])\n"
        "    cards += [event['drawn'][0] for event in request.events if event['event'] == 'card']\n"
        "    assert cards == request.view['turned']\n"
        "    request.note = f'{len(cards)} cards'\n"
        "    return request.moves[-1]\n"
        "run(choose, name='counts')\n",
        encoding="utf-8",
    )
    with terminal("play", "kali", "first", "--seed", "7", "--hint", str(adviser), cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "“1 cards”" in at.until(PROMPT)
        for _ in range(2):
            at.enter("2")
            at.until(PROMPT)
        at.enter("hint")
        assert "Hint: 2" in at.until(PROMPT)
        at.enter("q")
        assert "dalang play kali-1.json" in at.rest()
    with terminal("play", "kali-1.json", "--hint", str(adviser), cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "Hint: 2" in at.until(PROMPT)


@pytest.mark.parametrize("wants", ["", "view", "news"])
def test_an_adviser_is_told_what_it_wants_and_nothing_else(tmp_path: Path, wants: str) -> None:
    with terminal(
        "play", "kali", "first", "--seed", "7", "--hint", picky(*wants.split()), cwd=tmp_path
    ) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "Hint: 1" in at.until(PROMPT)


def test_an_adviser_that_fails_is_no_harm(tmp_path: Path) -> None:
    adviser = tmp_path / "dies.py"
    adviser.write_text(
        "import sys\n\nfrom dalang.kit import run\n\nrun(lambda request: sys.exit(7), name='dies')\n"
    )
    with terminal("play", "kali", "first", "--seed", "7", "--hint", str(adviser), cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "There is no hint: crash: ended with exit code 7" in at.until(PROMPT)
        at.enter("2")
        at.until(PROMPT)


def test_an_adviser_whose_move_does_not_exist_is_no_help(tmp_path: Path) -> None:
    illegal = str(ROGUES / "index_too_large.py")
    with terminal("play", "kali", "first", "--seed", "7", "--hint", illegal, cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "There is no hint: illegal: it chose move 1000000, but" in flat(at.until(PROMPT))


def test_whoever_names_no_adviser_asks_the_one_that_looks_ahead(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "expects place" in at.until(PROMPT)


def test_many_short_moves_stand_in_two_columns() -> None:
    assert in_columns([f"{n:3}  End" for n in range(1, 4)]) == ["  1  End", "  2  End", "  3  End"]
    lines = in_columns([f"{n:3}  Go to {n}" for n in range(1, 14)])
    assert lines[0].split() == ["1", "Go", "to", "1", "8", "Go", "to", "8"]
    assert lines[-1].split() == ["7", "Go", "to", "7"]
    assert in_columns(["x" * 50] * 20) == ["x" * 50] * 20


def test_a_seat_can_be_chosen(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "b=first", "--seed", "4", "--seat", "2", cwd=tmp_path) as at:
        shown = at.until(PROMPT)
        assert "seat 2 is yours" in shown
        assert flat(shown).count("first dares a card.") >= 1


# ---- Leaving and resuming


def test_who_leaves_can_resume_and_the_game_is_the_same(tmp_path: Path) -> None:
    """These bots have no luck of their own, so it does not matter how often the game was left."""
    bots = ("kali", "first")
    with terminal("play", *bots, "--seed", "0", "--save", "whole.json", cwd=tmp_path) as at:
        play_on(at, "2")
    command = ["play", *bots, "--seed", "0"]
    for _ in range(3):
        with terminal(*command, cwd=tmp_path) as at:
            at.until(PROMPT)
            at.enter("2")
            at.until(PROMPT)
            at.enter("q")
            assert "go on with: dalang play kali-1.json" in at.rest()
            assert at.ended() == 0
        command = ["play", "kali-1.json"]
    with terminal(*command, cwd=tmp_path) as at:
        play_on(at, "2")
    whole, parts = (read_json(tmp_path / name) for name in ("whole.json", "kali-1.json"))
    assert parts["record"] == whole["record"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kali-1.json", "whole.json"]


@pytest.mark.parametrize(("key", "code"), [(CTRL_C, 130), (CTRL_D, 0)])
def test_ctrl_c_and_the_end_of_input_leave_like_q(key: str, code: int, tmp_path: Path) -> None:
    mark = f"play-{tmp_path}"
    with terminal("play", "kali", "--seed", "7", cwd=tmp_path, LC_MARK=mark) as at:
        at.until(PROMPT)
        at.enter("1")
        at.until(PROMPT)
        at.type(key)
        assert at.ended() == code
    assert "go on with: dalang play kali-1.json" in at.shown
    assert "Traceback" not in at.shown
    assert marked_processes(mark) == []
    with terminal("play", "kali-1.json", cwd=tmp_path) as at:
        assert "You dare a card." in at.until(PROMPT)


def test_ctrl_c_while_a_bot_thinks_leaves_too(tmp_path: Path) -> None:
    asked, bot = tmp_path / "asked", tmp_path / "ponders.py"
    os.mkfifo(asked)
    listening = os.open(asked, os.O_RDWR)  # also for writing, so that nobody waits for the other end
    bot.write_text(
        "import time\n"
        "from dalang.kit import run\n"
        "def choose(request):\n"
        f"    open({str(asked)!r}, 'w').write('now')\n"
        "    time.sleep(600)\n"
        "run(choose, name='ponders')\n",
        encoding="utf-8",
    )
    mark = f"think-{tmp_path}"
    with terminal(
        "play", "kali", str(bot), "--seed", "7", "--isolate", "none", cwd=tmp_path, LC_MARK=mark
    ) as at:
        at.until(PROMPT)
        at.enter("2")
        assert select.select([listening], [], [], LONGEST_WAIT)[0], "the bot was never asked"
        at.type(CTRL_C)
        assert at.ended() == 130
    os.close(listening)
    assert "Traceback" not in at.shown
    assert "dalang: interrupted" in at.shown
    assert marked_processes(mark) == []


def test_a_bot_that_breaks_the_contract_is_named_and_the_game_goes_on_also_after_a_pause(
    tmp_path: Path,
) -> None:
    bot = str(ROGUES / "dies_in_mid_match.py")
    with terminal("play", "kali", bot, "--seed", "7", cwd=tmp_path) as at:
        at.until(PROMPT)
        while "broke the contract (crash)" not in at.shown:
            at.enter("2")
            at.until(PROMPT)
        at.enter("q")
        assert at.ended() == 0
    with terminal("play", "kali-1.json", cwd=tmp_path) as at:
        shown = play_on(at)
        assert at.ended() == 0
    assert "broke the contract (crash)" not in shown
    assert "dies_in_mid_match broke the contract at decision" in shown
    assert read_json(tmp_path / "kali-1.json")["ranks"] == [1, 2]


# ---- Secrets


@pytest.mark.parametrize(
    ("game", "options"),
    [("bali_rosenberg", {"max_turns": 12}), ("bali_wrede", {"oracle": True, "demon": True})],
    ids=["bali_rosenberg", "bali_wrede"],
)
def test_the_screen_of_a_seat_shows_nothing_hidden(
    game: str, options: dict[str, Any], tmp_path: Path
) -> None:
    """What was told of a secret to the record, and not to this seat, is nowhere on its screen."""
    given = [word for name, value in options.items() for word in ("--option", f"{name}={json.dumps(value)}")]
    with terminal("play", game, "ann=random", "bob=random", "--seed", "5", *given, cwd=tmp_path) as at:
        for _ in range(30):
            at.until(PROMPT)
            at.enter("2")
        at.until(PROMPT)
        at.enter("q")
        assert at.ended() == 0
    everything, mine = told_so_far(read_json(tmp_path / f"{game}-1.json"))
    screen = flat(at.shown)
    assert mine & everything
    secrets = everything - mine
    assert secrets
    assert not [sentence for sentence in secrets if sentence in screen]
    assert [sentence for sentence in mine if sentence not in screen] == []


def told_so_far(data: dict[str, Any]) -> tuple[set[str], set[str]]:
    """All sentences of a game that was left, and those that the person was told."""
    game = find_game(data["game"])
    names = [YOU, "ann", "bob"]
    answers = [list(each) for each in data["answers"]]
    everything: set[str] = set()
    mine: set[str] = set()
    talk = referee(
        Match(game, data["seed"], tuple(names), data["options"]),
        lambda events: everything.update(event_story(game, event, names) for event in events),
    )
    question = next(talk)
    while answers[question.seat]:
        if question.seat == data["seat"]:
            mine |= {event_story(game, event, names) for event in question.message.get("events", ())}
        question = talk.send(Answer(answers[question.seat].pop(0)["move"]))
    if question.seat == data["seat"]:
        mine |= {event_story(game, event, names) for event in question.message["events"]}
    return {flat(text) for text in everything}, {flat(text) for text in mine}


# ---- Without a terminal, without colour


def test_a_file_of_answers_will_do(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.write_text("1\n" * 99, encoding="utf-8")
    with answers.open() as file:
        done = subprocess.run(
            [sys.executable, "-m", "dalang", "play", "kali", "first", "--seed", "7"],
            stdin=file,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Final wealth: you" in flat(done.stdout)
    assert ESCAPE not in done.stdout


def test_colour_is_for_terminals_whose_owners_want_it(tmp_path: Path) -> None:
    for environment, wanted in (({}, True), ({"NO_COLOR": "1"}, False)):
        with terminal("play", "kali", "--seed", "7", cwd=tmp_path, **environment) as at:
            assert (ESCAPE in at.until(PROMPT)) == wanted


# ---- Mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("kalli", "there is no game 'kalli'"),
        ("kali first --seat 2", "with 1 bots the seats are 0 to 1, not 2"),
        ("kali first first first first first first", "kali is for 2 to 6 players, not for 7"),
        ("kali --save /no/where/game.json", "choose a file with --save"),
        ("kali --hint frist", "did you mean 'first'?"),
        ("kali you=first", "no bot can be called 'you' here"),
        ("kali adviser=first", "no bot can be called 'adviser' here"),
        ("nowhere.json", "nowhere.json cannot be read"),
        ("odd.json", "odd.json holds no match"),
        ("over.json", "the game in over.json is over; look at it with: dalang replay over.json"),
        ("old.json", "the rules of kali have changed since"),
        ("left.json first", "left.json says it all; leave out first"),
        ("lost.json", "lost.json is no game that you left"),
        ("few.json", "its answers cannot be read"),
        ("false.json", "its answers cannot be read"),
        ("flat.json", "its answers cannot be read"),
        ("worded.json", "its answers cannot be read"),
        ("guilty.json", "its answers cannot be read"),
        ("illegal.json", "it says that you chose move 99 where there is none"),
        ("below.json", "with 1 bots the seats are 0 to 1, not -1"),
        ("halved.json", "its bots, seat or options cannot be read"),
        ("counted.json", "its bots, seat or options cannot be read"),
        ("optional.json", "its bots, seat or options cannot be read"),
        ("regretted.json", "it cannot have been taken back -1 times"),
    ],
)
def test_what_a_user_can_mend(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = Sitting(find_game("kali"), "7", ("first",)).data()
    files = {
        "left": saved,
        "old": {**saved, "rules_version": 0},
        "few": {**saved, "answers": [[]]},
        "false": {**saved, "answers": [[{"move": 0, "note": ""}], [{"fault": "sloth", "detail": ""}]]},
        "flat": {**saved, "answers": [{}, {}]},
        "worded": {**saved, "answers": [[{"move": "0", "note": ""}], []]},
        "guilty": {**saved, "answers": [[{"fault": "crash", "detail": ""}], []]},
        "illegal": {**saved, "answers": [[{"move": 0, "note": ""}, {"move": 99, "note": ""}], []]},
        "below": {**saved, "seat": -1},
        "halved": {**saved, "seat": 0.5},
        "counted": {**saved, "bots": [1]},
        "optional": {**saved, "options": 3},
        "regretted": {**saved, "taken_back": -1},
        "over": {"record": {}},
        "odd": [],
        "lost": {},
    }
    for name, data in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SetupError) as error:
        cli(["play", *arguments.split()], standalone_mode=False)
    assert message in str(error.value)
