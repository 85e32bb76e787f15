"""The command line as a user meets it: a real process, its output and its exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from engine.catalogue import find_game, games
from engine.record import Record, discrepancies
from harness.cli import cli


def dalang(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd
    )


def good(*arguments: str) -> str:
    done = dalang(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def all_commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    yield path, group.help or ""
    for name, command in group.commands.items():
        yield (*path, name), command.help or ""


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
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "harness", "rules", "kali"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PAGER": "sed s/^/paged:/", "TERM": "xterm", "COLUMNS": "80"},
        ) as process:
            os.close(theirs)
            shown = b"".join(iter(lambda: read(ours), b"")).decode()
            assert process.wait(timeout=60) == 0
    finally:
        os.close(ours)
    lines = [line for line in shown.splitlines() if line]
    assert all(line.startswith("paged:") for line in lines)
    assert any("§4.2 If he stops on a field" in line for line in lines)
    assert "**" not in shown


def read(descriptor: int) -> bytes:
    """A pseudo-terminal whose other end is closed is an error on Linux, not an end of file."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


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
    assert (
        dalang("run", "kali", "first", "random", "--blocks", "3", "--seed", "1", cwd=folder).returncode == 0
    )
    return folder


@pytest.mark.parametrize(
    ("path", "help_text"), list(all_commands()), ids=lambda value: " ".join(value) or "dalang"
)
def test_every_command_has_help_with_an_example_that_works(
    path: tuple[str, ...], help_text: str, folder_with_a_tournament: Path
) -> None:
    example = help_text.partition("Example: dalang ")[2]
    assert example, f"{path} has no example"
    done = dalang(*example.splitlines()[0].split(), cwd=folder_with_a_tournament)
    assert done.returncode == 0, done.stderr
    assert "Example:" in good(*path, "--help")


def test_a_match_is_told_and_is_the_same_for_the_same_seed() -> None:
    told, again, other = (
        story("match", "kali", "first", "random", "b=random", "--seed", seed) for seed in "778"
    )
    assert told == again != other
    assert "first dares a card." in told
    assert "The card shows" in told
    header, _, *places = told.splitlines()[-5:]
    assert header.split()[:4] == ["place", "bot", "seat", "score"]
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
