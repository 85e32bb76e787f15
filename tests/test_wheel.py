"""The packages are whole: built and installed far from the checkout, dalang works, whatever lies beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from dalang import __version__
from dalang.engine.catalogue import find_game
from dalang.harness.authors.beginning import MODEL
from dalang.harness.cli.new import LANGUAGES, write_bot
from tests.roomy import room_for
from tests.terminal import LONGEST_WAIT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
TAKEN = ("engine", "protocol", "harness", "bots", "examples", "kit")
"""Names of ours that a user's folder may have as well."""
BOT = """\
from dalang.kit import run

run(lambda request: request.rng.choice(request.moves), name="beside")
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- What is in the packages


class Packages(NamedTuple):
    sdist: Path
    wheel: Path
    """Built from the sdist, as an installer does that finds no wheel."""
    wheel_of_checkout: Path


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    both, one = tmp_path_factory.mktemp("sdist"), tmp_path_factory.mktemp("checkout")
    build = (sys.executable, "-m", "build", "--no-isolation")
    run(*build, "--outdir", both, ROOT, cwd=both)
    run(*build, "--wheel", "--outdir", one, ROOT, cwd=one)
    wheels = (next(folder.glob("dalang-*.whl")) for folder in (both, one))
    return Packages(next(both.glob("dalang-*.tar.gz")), *wheels)


def contents_of_wheel(wheel: Path) -> dict[str, bytes]:
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_wheel_takes_one_name_and_no_other(packages: Packages) -> None:
    assert {name.partition("/")[0] for name in contents_of_wheel(packages.wheel)} == {
        "dalang",
        f"dalang-{__version__}.dist-info",
    }


def test_the_wheel_is_the_same_from_the_sdist_and_from_the_checkout(packages: Packages) -> None:
    assert contents_of_wheel(packages.wheel) == contents_of_wheel(packages.wheel_of_checkout)


def test_a_wheel_has_more_than_modules(packages: Packages) -> None:
    names = set(contents_of_wheel(packages.wheel))
    assert {"dalang/__init__.py", "dalang/py.typed", "dalang/protocol/SPEC.md"} <= names
    assets = (ROOT / "harness" / "report" / "assets").iterdir()
    assert {f"dalang/{path.relative_to(ROOT)}" for path in assets} <= names
    assert {name.split("/")[2] for name in names if name.startswith("dalang/examples/")} == {
        MODEL,
        *LANGUAGES,
    }
    assert not [name for name in names if name.startswith("dalang/harness/face")]


def test_an_editable_install_sees_a_file_as_soon_as_it_is_there(packages: Packages, tmp_path: Path) -> None:
    with tarfile.open(packages.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    checkout = tmp_path / packages.sdist.name.removesuffix(".tar.gz")
    run(sys.executable, "-c", "from hatchling.build import build_editable as b; b('.')", cwd=checkout)
    installed = contents_of_wheel(next(checkout.glob("*.whl")))
    [way] = (text.decode().strip() for name, text in installed.items() if name.endswith(".pth"))
    (checkout / "engine" / "newcomer.py").touch()
    for name in ("dalang", "dalang.kit", "dalang.engine.newcomer"):
        code = f"import {name} as found; print(found.__file__)"
        found = Path(run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=way).strip())
        assert found.resolve().is_relative_to(checkout)


# ---- Installed


@pytest.fixture(scope="module")
def programs(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of a clean environment are that has the wheel and what it needs, nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    install = (folder / "bin" / "python", "-m", "pip", "install", "--quiet")
    run(*install, "--constraint", ROOT / "constraints.txt", packages.wheel, cwd=folder)
    return folder / "bin"


def test_an_installed_wheel_knows_the_rules_and_writes_bots(programs: Path, tmp_path: Path) -> None:
    rulebook = find_game("kali").rulebook.read_text(encoding="utf-8")
    assert run(programs / "dalang", "rules", "kali", cwd=tmp_path) == rulebook
    for language in LANGUAGES:
        run(programs / "dalang", "new", language, "--language", language, cwd=tmp_path)
        write_bot(tmp_path / "checkout" / language, language)
        assert contents(tmp_path / language) == contents(tmp_path / "checkout" / language)


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the lock that a build may have left in the checkout."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "Cargo.lock"
    }


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """Somebody's folder in which our names are taken, by modules and packages that nobody of us may import."""
    for name in TAKEN:
        (tmp_path / name).mkdir()
        for path in (tmp_path / f"{name}.py", tmp_path / name / "__init__.py"):
            path.write_text(f"raise RuntimeError('{path.name} of {name} is not yours')\n", encoding="utf-8")
    (tmp_path / "beside.py").write_text(BOT, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("is_on_the_path", [False, True])
def test_an_installed_dalang_does_not_care_what_the_users_files_are_called(
    is_on_the_path: bool, programs: Path, crowded: Path
) -> None:
    path = {"PYTHONPATH": str(crowded)} if is_on_the_path else {}
    with pytest.raises(AssertionError, match="is not yours"):
        run(programs / "python", "-c", "import engine", cwd=crowded, **path)

    def dalang(*arguments: str) -> str:
        return run(programs / "dalang", *arguments, *room_for(arguments[0]), cwd=crowded, **path)

    assert run(programs / "python", "-m", "dalang", "--version", cwd=crowded, **path).endswith(
        f" {__version__}\n"
    )
    assert "bali_wrede" in dalang("games")
    assert dalang("rules", "kali") == find_game("kali").rulebook.read_text(encoding="utf-8")
    dalang("new", "mine")
    for bot in ("mine", "beside.py"):
        assert "✗" not in dalang("check", bot, "--game", "kali")
    bots = ["first", "seer:5", "cautious", "mine", "beside.py"]
    told = dalang("run", "kali", *bots, "--blocks", "1", "--seed", "crowd", "--db", "t.db", "--strict")
    assert all(name in told for name in ("first", "seer", "cautious", "mine", "beside"))
    assert "as they should be" in dalang("verify", "t.db")
    dalang("report", "t.db", "-o", "t.html")
