"""The command line as a user meets it: a real process, its output and its exit code."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from engine.catalogue import games
from harness.cli import cli


def dalang(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
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
        ("demo kali --seats 7", "dalang: kali is for 2 to 6 players, not for 7"),
        ("demo kali --option feilds=1", "dalang: there is no kali option 'feilds'; did you mean 'fields'?"),
        (
            "demo kali --option fields=1,2",
            "dalang: kali option fields must be 18 whole numbers, each at least 1",
        ),
        ("demo kali --option fields=x", "dalang: kali option fields must be 18 whole numbers"),
        ("demo kali --option fine_rounding=left", "fine_rounding must be down or up, not 'left'"),
        ("demo kali --option fields", "dalang: an option is NAME=VALUE, not 'fields'; kali has: fields"),
        ("demo kali --seats few", "dalang: Invalid value for '--seats'"),
        ("gmaes", "dalang: No such command 'gmaes'"),
    ],
)
def test_bad_input_is_one_line_that_names_the_choices(arguments: str, message: str) -> None:
    done = dalang(*arguments.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("path", "help_text"), list(all_commands()), ids=lambda value: " ".join(value) or "dalang"
)
def test_every_command_has_help_with_an_example_that_works(path: tuple[str, ...], help_text: str) -> None:
    example = help_text.partition("Example: dalang ")[2]
    assert example, f"{path} has no example"
    good(*example.splitlines()[0].split())
    assert "Example:" in good(*path, "--help")


def test_demo_tells_the_same_game_for_the_same_seed() -> None:
    told = good("demo", "kali", "--seats", "3", "--seed", "7")
    assert told == good("demo", "kali", "--seats", "3", "--seed", "7")
    assert told != good("demo", "kali", "--seats", "3", "--seed", "8")
    assert "The card shows" in told
    assert told.splitlines()[-5].split() == ["place", "seat", "score"]


def test_options_reach_the_game() -> None:
    assert "finds 9 in gems" in good("demo", "kali", "--option", "fields=" + ",".join("9" * 18))
    assert good("demo", "--option", "fine_rounding=up") != good("demo", "--option", "fine_rounding=down")
