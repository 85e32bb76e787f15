"""The wheel is whole: installed into a clean environment far from the checkout, it knows its rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_wheel_shows_the_rules(tmp_path: Path) -> None:
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path
    )  # fmt: skip
    wheel = next(tmp_path.glob("dalang-*.whl"))
    packed = ZipFile(wheel).namelist()
    assert "protocol/SPEC.md" in packed
    assets = [path.relative_to(ROOT) for path in (ROOT / "harness" / "report" / "assets").iterdir()]
    assert {str(path) for path in assets} <= set(packed)
    run(sys.executable, "-m", "venv", tmp_path / "clean", cwd=tmp_path)
    python = tmp_path / "clean" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "--constraint", constraints, wheel, cwd=tmp_path)
    rulebook = (ROOT / "engine" / "games" / "kali.md").read_text(encoding="utf-8")
    assert run(tmp_path / "clean" / "bin" / "dalang", "rules", "kali", cwd=tmp_path) == rulebook
