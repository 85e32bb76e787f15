"""The command line as a user meets it: a real process, its output and its exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dalang.engine.catalogue import find_game, games
from dalang.engine.record import Record, discrepancies
from dalang.harness.cli.main import cli
from tests.roomy import room_for
from tests.terminal import CTRL_C, CTRL_D, ESCAPE, LONGEST_WAIT, terminal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


def dalang(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dalang", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        cwd=cwd,
    )


def good(*arguments: str) -> str:
    done = dalang(*arguments, *room_for(arguments[0]))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


HELP = {(): cli.help, **{(name,): each.loaded().help for name, each in cli.commands.items()}}


def test_the_version() -> None:
    assert good("--version").startswith("dalang, version ")


def test_games_as_a_table() -> None:
    table = good("games")
    assert table.split()[:4] == ["name", "title", "players", "options"]
    assert "2-6" in table
    assert "fine_rounding: down or up" in table


def test_games_as_json() -> None:
    listed = json.loads(good("games", "--json"))
    assert [entry["name"] for entry in listed] == list(games())
    kali = listed[0]
    assert kali["seats"] == [2, 3, 4, 5, 6]
    assert kali["options"]["after_takeover"] == "original"
    assert kali["rules_version"] == 1
    assert kali["title"].startswith("Die Augen der Kali")


@pytest.mark.parametrize("name", games())
def test_rules_are_the_rulebook_itself_when_piped(name: str) -> None:
    assert good("rules", name) == games()[name].rulebook.read_text(encoding="utf-8")


def test_rules_are_laid_out_and_paged_on_a_terminal() -> None:
    with terminal("rules", "kali", PAGER="sed s/^/paged:/") as at:
        assert at.ended() == 0
    lines = [line for line in at.shown.splitlines() if line]
    assert all(line.startswith("paged:") for line in lines)
    assert any("§4.2 If he stops on a field" in line for line in lines)
    assert "**" not in at.shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rules kalli", "dalang: there is no game 'kalli'; did you mean 'kali'? choose from: kali"),
        ("match kali " + "first " * 7, "dalang: kali is for 2 to 6 players, not for 7"),
        (
            "match kali first first --option feilds=1",
            "dalang: there is no kali option 'feilds'; did you mean 'fields'?",
        ),
        (
            "match kali first first --option fields=1,2",
            "dalang: kali option fields must be 18 whole numbers, each at least 1",
        ),
        ("match kali first first --option fields=x", "dalang: kali option fields must be 18 whole numbers"),
        (
            "match kali first first --option fine_rounding=left",
            "fine_rounding must be down or up, not 'left'",
        ),
        (
            "match kali first first --option fields",
            "dalang: an option is NAME=VALUE, not 'fields'; kali has: fields",
        ),
        (
            "match kali first frist",
            "there is no bot, folder, script or program 'frist'; did you mean 'first'?",
        ),
        ("match kali first first --bank few", "dalang: Invalid value for '--bank'"),
        ("match kali first first --record /no/where", "dalang: /no/where cannot be written"),
        ("gmaes", "dalang: No such command 'gmaes'"),
    ],
)
def test_bad_input_is_one_line_that_names_the_choices(arguments: str, message: str) -> None:
    done = dalang(*arguments.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.fixture(scope="module")
def folder_with_a_tournament(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the examples of the help texts are at home: some read the file kali.db."""
    folder = tmp_path_factory.mktemp("examples")
    words = ["run", "kali", "first", "random", "--blocks", "3", "--seed", "1", *room_for("run")]
    assert dalang(*words, cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("path", HELP, ids=lambda path: " ".join(path) or "dalang")
def test_every_command_has_help_with_an_example_that_works_and_colour_only_where_it_is_wanted(
    path: tuple[str, ...], folder_with_a_tournament: Path
) -> None:
    example = HELP[path].partition("Example: dalang ")[2]
    assert example, f"{path} has no example"
    words = example.splitlines()[0].split()
    words += room_for(words[0])
    done = dalang(*words, cwd=folder_with_a_tournament)
    assert done.returncode == 0, done.stderr
    assert ESCAPE not in done.stdout + done.stderr
    with terminal(*words, cwd=folder_with_a_tournament, NO_COLOR="1", PAGER="cat") as at:
        at.type(CTRL_D)
        at.rest()
    assert ESCAPE not in at.shown


@pytest.mark.parametrize("path", HELP, ids=lambda path: " ".join(path) or "dalang")
def test_help_keeps_its_example_on_one_line(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    cli([*path, "--help"], standalone_mode=False)
    example = HELP[path].partition("Example: ")[2].splitlines()[0]
    assert f"Example: {example}\n" in capsys.readouterr().out


@pytest.mark.parametrize("module", ["click", "tabulate"])
def test_ctrl_c_before_everything_is_loaded_shows_no_traceback(module: str, tmp_path: Path) -> None:
    slow = "import signal\nprint('loading', flush=True)\nsignal.pause()\n"
    (tmp_path / f"{module}.py").write_text(slow, encoding="utf-8")
    with terminal("games", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}") as at:
        at.until("loading\n")
        at.type(CTRL_C)
        assert at.ended() == -signal.SIGINT
    assert "Traceback" not in at.shown


@pytest.mark.parametrize("name", cli.commands)
def test_a_command_is_announced_as_it_is(name: str) -> None:
    announced = cli.commands[name]
    command = announced.loaded()
    assert command.name == name
    assert announced.get_short_help_str(1000) == command.get_short_help_str(1000)


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("dalang repl", ["plain,replay"]),
        ("dalang rules ka", ["plain,kali"]),
        ("dalang match kali ra", ["plain,random"]),
        ("dalang match kali ./exam", ["file,./exam"]),
        ("dalang run bali", ["plain,bali_wrede", "plain,bali_rosenberg"]),
        ("dalang compare ka", ["plain,kali"]),
        ("dalang compare kali ra", ["plain,random"]),
        ("dalang compare kali random fir", ["plain,first"]),
        ("dalang compare kali first random --opponents ra", ["plain,random"]),
        ("dalang plan kali random fir", ["plain,first"]),
    ],
)
def test_a_shell_completes_commands_games_and_bots(
    line: str, completed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_DALANG_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit):
        cli(prog_name="dalang")
    shown = capsys.readouterr().out.splitlines()
    assert shown == completed


def test_a_match_is_told_and_is_the_same_for_the_same_seed() -> None:
    told, again, other = (
        story("match", "kali", "first", "random", "b=random", "--seed", seed) for seed in "778"
    )
    assert told == again != other
    assert "first dares a card." in told
    assert "The card shows" in told
    header, _, *places = told.splitlines()[-5:]
    assert header.split()[:4] == ["place", "bot", "seat", "gems"]
    assert sorted(line.split()[1] for line in places) == ["b", "first", "random"]


def story(*arguments: str) -> str:
    """What a match prints, without the thinking times."""
    return re.sub(r"[\d.]+ ms", "", good(*arguments))


def test_options_reach_the_game() -> None:
    nines = "fields=" + ",".join("9" * 18)
    assert "finds 9 in gems" in good("match", "kali", "first", "first", "--seed", "1", "--option", nines)


def test_a_match_as_json_is_a_record_that_proves_itself(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    printed = good("match", "kali", "first", "random", "--seed", "1", "--json", "--record", str(file))
    data = json.loads(printed)
    assert json.loads(file.read_text(encoding="utf-8")) == data
    assert data["names"] == ["first", "random"]
    assert data["faults"] == []
    assert discrepancies(Record.of_data(data["record"]), find_game("kali")) == []


def test_the_traffic_is_logged_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "traffic"
    good("match", "kali", "first", "random", "--seed", "1", "--log-traffic", str(file))
    lines = [line.split(" ", 2) for line in file.read_text(encoding="utf-8").splitlines()]
    kinds = [(name, way, json.loads(message)["type"]) for name, way, message in lines]
    mine = [(way, kind) for name, way, kind in kinds if name == "first"]
    assert mine[:4] == [(">>", "hello"), ("<<", "start"), (">>", "ready"), ("<<", "decide")]
    assert mine[-2:] == [("<<", "end"), ("<<", "bye")]


def test_a_fault_is_told_with_stderr_and_the_command_that_shows_it_again() -> None:
    rogue = "tests/rogues/dies_in_mid_match.py"
    done = dalang("match", "kali", "first", rogue, "--seed", "4", "--bank", "1", "--strict")
    assert done.returncode == 4
    assert "dies_in_mid_match broke the contract at decision" in done.stdout
    assert "crash: ended with exit code 7" in done.stdout
    assert "stderr: out of ideas" in done.stdout
    assert "broke the contract (crash); a stand-in plays on for it." in done.stdout.partition("place")[0]
    again = done.stdout.partition("again:")[2].split()
    assert again == f"dalang match kali first {rogue} --seed 4 --bank 1.0 --strict".split()
    assert dalang(*again[1:-1]).returncode == 0


def test_a_bot_that_cannot_be_started_is_one_line_before_anything_is_played() -> None:
    done = dalang("match", "kali", "first", "tests/rogues/dies_at_once.py")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "dalang: dies_at_once cannot be started: instead of a hello: ended with exit code 3"
    )
    assert "no licence found" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "dares" not in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("words", [["games"], ["match", "kali", "first", "random", "--json"]])
def test_a_full_disk_is_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dalang", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LONGEST_WAIT,
        )
    assert done.returncode == 2
    assert done.stderr == "dalang: the disk is full: free some space and run the same command again\n"
