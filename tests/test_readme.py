"""The documents' own examples: every command is run, and what it prints must be what the page shows."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def code_blocks(language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def commands() -> Iterator[tuple[str, str]]:
    """Each command with the output that the page shows below it."""
    for block in code_blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


@pytest.mark.parametrize(("command", "shown"), list(commands()))
def test_a_command_of_the_readme_prints_what_it_says(command: str, shown: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, done.stdout, flags), done.stdout


@pytest.mark.parametrize("code", code_blocks("python"))
def test_python_of_the_readme_runs(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=300)


def test_the_readme_names_only_what_exists() -> None:
    inside = README.read_text(encoding="utf-8").partition("## Inside")[2].partition("\n## ")[0]
    for name in re.findall(r"^\| `([^`]+)`", inside, re.MULTILINE):
        assert (ROOT / name).exists(), name
