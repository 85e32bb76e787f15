"""The wheel is whole: installed into a clean environment far from the checkout, it knows its rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from dalang.harness.cli.new import LANGUAGES, write_bot

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_wheel_knows_the_rules_and_writes_bots(tmp_path: Path) -> None:
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path
    )  # fmt: skip
    wheel = next(tmp_path.glob("dalang-*.whl"))
    names = ZipFile(wheel).namelist()
    assert "protocol/SPEC.md" in names
    assets = [path.relative_to(ROOT) for path in (ROOT / "harness" / "report" / "assets").iterdir()]
    assert {str(path) for path in assets} <= set(names)
    assert not [name for name in names if name.startswith("examples/")]
    carried = {name.split("/")[2] for name in names if name.startswith("harness/examples/")}
    assert carried == set(LANGUAGES)
    run(sys.executable, "-m", "venv", tmp_path / "clean", cwd=tmp_path)
    python = tmp_path / "clean" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "--constraint", constraints, wheel, cwd=tmp_path)
    dalang = tmp_path / "clean" / "bin" / "dalang"
    rulebook = (ROOT / "engine" / "games" / "kali" / "rulebook.md").read_text(encoding="utf-8")
    assert run(dalang, "rules", "kali", cwd=tmp_path) == rulebook
    for language in LANGUAGES:
        run(dalang, "new", language, "--language", language, cwd=tmp_path)
        write_bot(tmp_path / "checkout" / language, language)
        assert contents(tmp_path / language) == contents(tmp_path / "checkout" / language)
    assert "✗" not in run(dalang, "check", "python", "--game", "kali", cwd=tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the lock that a build may have left in the checkout."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "Cargo.lock"
    }
