"""Games of other people, installed: the examples in an environment of their own, from the check to the page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Page

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PACKAGES = [str(ROOT / "examples" / name) for name in ("liars_dice", "nim")]
BROKEN = """
from dataclasses import replace
from nim import GAME as NIM, Nim

class Trips(Nim):
    __slots__ = ()

    def on_take(self, verb, number, heap):
        super().on_take(verb, number, heap)
        if sum(self.heaps) < 6:
            self.heaps[9] = 0

GAME = replace(NIM, name="trips", state=Trips)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an environment has our packages and those of the examples."""
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    [packages] = (folder / "env" / "lib").glob("python*/site-packages")
    ours = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (packages / "ours.pth").write_text(ours, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", folder / "env" / "bin" / "python", "install", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([*pip, *offline, *PACKAGES], check=True)
    return folder


def python(place: Path, *words: str, typed: str = "", code: int = 0, cwd: Path | None = None) -> str:
    """What the Python of the environment prints: its stdout, or stderr where an error is expected."""
    done = subprocess.run(
        [place / "env" / "bin" / "python", *words],
        input=typed,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd or place,
        env={**os.environ, "PYTHONPATH": str(place / "added")},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code == 2 else done.stdout


def dalang(place: Path, *words: str, typed: str = "", code: int = 0) -> str:
    return python(place, "-m", "dalang", *words, typed=typed, code=code)


@pytest.fixture(scope="module")
def tournament(place: Path) -> Path:
    """The bots see all that the environment sees: ours is in two places."""
    bots = ["seer:2", "random", "first"]
    settings = ["--seats", "3", "--blocks", "1", "--seed", "1", "--isolate", "none", "--strict"]
    dalang(place, "run", "liars_dice", *bots, *settings, "--db", "dice.db")
    return place / "dice.db"


@pytest.mark.parametrize("game", ["liars_dice", "nim"])
def test_an_installed_game_keeps_the_contract(game: str, place: Path) -> None:
    found = json.loads(dalang(place, "check-game", game, "--games", "1", "--json"))
    assert [finding["remark"] for finding in found if not finding["good"]] == []


def test_a_game_of_dice_is_played_by_bots_and_proved_in_both_ways(place: Path, tournament: Path) -> None:
    assert "3 matches" in dalang(place, "verify", str(tournament))
    record = json.loads(dalang(place, "replay", str(tournament), "0.0", "--json"))["record"]
    rolls = [event["drawn"] for event in record["events"] if event["event"] == "roll"]
    assert [die - 1 for dice in rolls for die in dice] != []
    assert sorted(record["drawn"]) == sorted(die - 1 for dice in rolls for die in dice)


def test_a_person_plays_and_looks_again(place: Path) -> None:
    answers = "?\n" + "1\n" * 300
    told = dalang(place, "play", "liars_dice", "random", "first", "--seed", "1", "--isolate", "none",
                  "--save", "game.json", typed=answers)  # fmt: skip
    assert re.search(r"you +⚂ ⚂ ⚂ ⚂ ⚃", told)
    assert "random  ▒ ▒ ▒ ▒ ▒" in told
    assert "  1  Bid one one" in told
    assert "§2.3 A bid is higher if it names more dice" in told
    assert "You bid one one." in told
    assert "outlasted" in told
    again = dalang(place, "replay", "game.json", "--text")
    assert re.search(r"random +[⚀⚁⚂⚃⚄⚅] ", again)


def test_the_report_has_the_drawing_of_the_package(place: Path, tournament: Path, page: Page) -> None:
    dalang(place, "report", str(tournament), "-o", "dice.html")
    page.open(place / "dice.html")
    assert page.texts(".stage figcaption") == ["The bid", "The cups"]
    assert len(page.texts(".stage .card")) == 15
    page.click(".eyes input[value='0']")
    assert page.texts(".stage title").count("a hidden die") == 10
    page.click("button[aria-label='Last step']")
    assert page.texts(".stage title").count("a hidden die") < 10
    assert "Outlasted" in page.text("#matches")


@pytest.fixture
def tripping(place: Path) -> Iterator[None]:
    """A game more, which is installed by hand, and fails."""
    about = place / "added" / "trips-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: trips\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[dalang.games]\ntrips = trips:GAME\n", encoding="utf-8")
    (place / "added" / "trips.py").write_text(BROKEN, encoding="utf-8")
    yield
    shutil.rmtree(place / "added")


@pytest.mark.usefixtures("tripping")
def test_a_game_that_fails_in_a_tournament_is_told_in_one_block(place: Path) -> None:
    bots = ["random", "first", "--blocks", "1", "--isolate", "none", "--seed", "1"]
    told = dalang(place, "run", "trips", *bots, "--db", "trips.db", code=2)
    block = told[told.index("dalang: the game trips has failed: IndexError: ") :]
    assert re.search(r"^    in \S+trips\.py, line 11, in on_take: self\.heaps\[9\] = 0$", block, re.MULTILINE)
    assert re.search(r"^    seed [0-9a-f]+, seats: \w+, \w+$", block, re.MULTILINE)
    assert re.search(r"^    after seat 0 take take ", block, re.MULTILINE)
    assert "workers died" not in told


def test_our_own_suite_holds_where_they_are_installed(place: Path) -> None:
    """What it asks of every game of the catalogue is asked of theirs, and what it asks of ours is not."""
    quiet = ["-q", "--no-header", "-n", "0", "-p", "no:cacheprovider", f"--basetemp={place / 'suite'}"]
    names = (
        "catalogue",
        "cli",
        "contract",
        "pages",
        "play",
        "playthroughs",
        "replay",
        "report",
        "seer",
        "spec",
        "tables",
    )
    files = [f"tests/test_{name}.py" for name in names]
    chosen = "liars_dice-3p or nim or bundled_game or every_game or rulebook or plug_in or golden or games_as"
    told = python(place, "-m", "pytest", *quiet, "-k", chosen, *files, cwd=ROOT)
    assert re.search(r"^\d{2,} passed, \d+ deselected", told, re.MULTILINE)
