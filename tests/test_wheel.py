"""The wheel is whole: installed into a clean environment far from the checkout, it knows its rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from harness.commands.new import LANGUAGES, write_bot

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.xdist_group("wheel")  # one worker builds it, once


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a wheel in an environment of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    wheel = next(folder.glob("dalang-*.whl"))
    names = ZipFile(wheel).namelist()
    assert "protocol/SPEC.md" in names
    assets = [path.relative_to(ROOT) for path in (ROOT / "harness" / "report" / "assets").iterdir()]
    assert {str(path) for path in assets} <= set(names)
    assert not [name for name in names if name.startswith("examples/")]
    run(sys.executable, "-m", "venv", folder / "clean", cwd=folder)
    python = folder / "clean" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "--constraint", constraints, wheel, cwd=folder)
    return folder / "clean" / "bin" / "dalang"


def test_an_installed_wheel_shows_the_rules(installed: Path, tmp_path: Path) -> None:
    rulebook = (ROOT / "engine" / "games" / "kali.md").read_text(encoding="utf-8")
    assert run(installed, "rules", "kali", cwd=tmp_path) == rulebook


def test_an_installed_wheel_writes_a_bot_in_every_language(installed: Path, tmp_path: Path) -> None:
    for language in LANGUAGES:
        run(installed, "new", language, "--language", language, cwd=tmp_path)
        write_bot(tmp_path / "checkout" / language, language)
        assert contents(tmp_path / language) == contents(tmp_path / "checkout" / language)
    assert "✗" not in run(installed, "check", "python", "--game", "kali", cwd=tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the lock that a build may have left in the checkout."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "Cargo.lock"
    }
