"""The documents' own examples: every command is run, and what it prints must be what the page shows."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.catalogue import games
from dalang.harness.cli.main import cli
from dalang.harness.isolation.levels import diagnoses
from dalang.harness.tournament.config import EXAMPLE
from tests.roomy import room_for

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def all_blocks() -> list[tuple[str, str]]:
    """Language and text of every block of code."""
    text = README.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def code_blocks(language: str) -> list[str]:
    return [block for written_in, block in all_blocks() if written_in == language]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command with the output that the page shows below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def test_every_example_of_the_readme_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the page, for one may need what another has made; what they make stays out of the checkout."""
    for path in tracked():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    session: dict[str, Any] = {}
    for language, block in all_blocks():
        if language == "console":
            for command, shown in commands(block):
                check_command(command, shown, tmp_path)
        elif language == "pycon":
            check_session(block, session)


def check_session(block: str, names: dict[str, Any]) -> None:
    """What is typed at Python's prompt; later sessions know the names of the earlier ones."""
    said: list[str] = []
    test = doctest.DocTestParser().get_doctest(block, names, "README", str(README), 0)
    failed, _ = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not failed, "".join(said)


def tracked() -> Iterator[Path]:
    """What a command may need of the checkout: not what a run has left there."""
    for path in ROOT.iterdir():
        if path.suffix not in (".db", ".html") and path.name != "example_bot":
            yield path


def check_command(command: str, shown: str, folder: Path) -> None:
    if command == "dalang doctor" and not all(each.works for each in diagnoses()):
        return  # it says something else here
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program, name, *_ = command.split()
    roomy = room_for(name) if program == "dalang" else []
    done = subprocess.run(
        " ".join([command, *roomy]),
        shell=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, done.stdout, flags), done.stdout


def test_every_command_in_the_text_has_the_options_that_it_is_given() -> None:
    text = README.read_text(encoding="utf-8")
    given = re.findall(r"`dalang (\w[\w-]*)([^`]*)`", text.replace("\n", " "))
    assert {name for name, _ in given} > {"init", "plan", "run"}
    for name, words in given:
        known = {flag for option in cli.commands[name].loaded().params for flag in option.opts}
        assert {word for word in words.split() if word.startswith("-")} <= known, (name, words)


def test_the_bot_of_the_readme_is_the_one_in_examples() -> None:
    code, _ = code_blocks("python")
    assert code in (ROOT / "examples" / "mine.py").read_text(encoding="utf-8")


def test_the_tests_of_the_readme_pass_for_the_game_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(
        ROOT / "tests"
    )  # where it is a module of its own, as in a package of somebody's
    [points] = code_blocks("toml")
    named = tomllib.loads(points)["project"]["entry-points"]["dalang.games"]
    assert EntryPoint("beach", named["beach"], "dalang.games").load().name == "beach"
    _, code = code_blocks("python")
    tests: dict[str, Any] = {}
    exec(code, tests)
    for name in [name for name in tests if name.startswith("test_")]:
        tests[name]()


def test_the_example_tournament_is_what_init_writes() -> None:
    example = (ROOT / "examples" / "tournament.toml").read_text(encoding="utf-8")
    assert example == EXAMPLE.format(path="examples/tournament.toml", name="tournament")


@pytest.mark.parametrize("name", games())
def test_the_example_game_proves_itself(name: str) -> None:
    script = ROOT / "examples" / "one_game.py"
    done = subprocess.run(
        [sys.executable, script, name], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1].endswith("proved")


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert pictures
    for name in pictures:
        assert 0 < (ROOT / name).stat().st_size < 300_000, name


def test_the_readme_names_only_what_exists() -> None:
    inside = README.read_text(encoding="utf-8").partition("## Inside")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| `.*", inside, re.MULTILINE):
        name, *others = re.findall(r"`([^`]+)`", row)
        assert (ROOT / name).exists(), name
        folder = ROOT / name if (ROOT / name).is_dir() else (ROOT / name).parent
        for other in (other for other in others if re.fullmatch(r"[\w/]+(\.py|\.md|/)", other)):
            assert any(folder.glob(other)) or any(folder.glob(f"*/{other}")) or (ROOT / other).exists(), (
                name,
                other,
            )
