"""For authors of games: `check-game`, `new-game`, and what is told of a game that fails in a match."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import xmlschema

from dalang.engine.catalogue import find_game
from dalang.engine.game import Move
from dalang.engine.testing import playing
from dalang.engine.value import Value
from dalang.harness.authors.examination import GameExamination
from dalang.harness.authors.finding import game_or_module
from dalang.harness.authors.parts import PART_CHECKS, cites_its_rules
from dalang.harness.cli.main import answered
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.match.referee import Answer, Match, referee
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import Decision
from tests.beach import BEACH, Beach

FEW = ("--games", "2")
SCHEMA = xmlschema.XMLSchema(Path(__file__).parent / "junit.xsd")


class Trips(Beach):
    """Fails when the second shell is buried."""

    __slots__ = ()

    def on_turn(self, verb: str, name: str) -> None:
        super().on_turn(verb, name)
        if verb == "bury" and sum(self.shovels) == self.seats - 2:
            raise ZeroDivisionError("two shells are buried")


class Circles(Beach):
    __slots__ = ()

    def on_turn(self, verb: str, name: str) -> None:
        self.plan(("turn", self.left_of(self.seat)))


TRIPS = replace(BEACH, name="trips", state=Trips)
WIDE = Face(
    picture=lambda scene: ["x" * 81],
    choice=lambda view, move: "Go on",
    decisions={"nap": Decision("Nap?", "§1")},
)
BEYOND = Face(decisions={"go_on": Decision("Go on?", "§3.4 §99")})
WIDE_PLACE = f"{__name__}:WIDE"
LOST = replace(
    BEACH,
    face=WIDE_PLACE,
    drawing=f"{__package__}:beach.py",
    company=("random",) * 9,
    policy="tests.beach:SAND",
    value=Value(1, lambda state: [0.5]),
)


# ---- check-game


def test_a_sound_game_is_found_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(["check-game", "tests.beach:BEACH", *FEW]) == 0
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith("✓ ") for line in told)
    assert "decisions per second" in told[-1]


def test_a_fault_is_told_with_its_seed_its_line_and_the_shortest_play(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert answered(["check-game", "tests.test_authors:TRIPS", *FEW, "--seats", "2", "--json"]) == 1
    first, *others = json.loads(capsys.readouterr().out)
    assert not first["good"]
    assert "ZeroDivisionError('two shells are buried') in " in first["remark"]
    assert f"{Path(__file__).name}, line " in first["remark"]
    assert [move[0] for move in first["moves"]] == ["bury", "bury"]
    assert (first["seats"], first["seed"][:5]) == (2, "walk ")
    again = re.fullmatch(
        r"again with: dalang (check-game tests\.test_authors:TRIPS --seats 2 .*)", first["hint"]
    )
    assert again and answered(again[1].split()) == 1
    assert [each["remark"] for each in others if "stands in the way" in each["remark"]]


def test_the_findings_are_junit_xml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for module, code in (("tests.beach", 0), ("tests.test_authors:TRIPS", 1)):
        assert answered(["check-game", module, *FEW, "--junit", str(tmp_path / "found.xml")]) == code
        SCHEMA.validate(str(tmp_path / "found.xml"))
        assert ("<failure" in (tmp_path / "found.xml").read_text(encoding="utf-8")) == bool(code)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no_such_game", "there is no game or module 'no_such_game'"),
        ("tests.roomy", "tests.roomy has no dalang.engine.game.Game GAME"),
        ("tests.beach:SHELLS", "tests.beach has no dalang.engine.game.Game SHELLS"),
        ("halves", "halves cannot be imported: SyntaxError"),
        ("wants_more", "wants_more cannot be imported: No module named 'more_of_it'"),
    ],
)
def test_what_is_no_game_is_refused_with_one_line(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "halves.py").write_text("def half(:\n", encoding="utf-8")
    (tmp_path / "wants_more.py").write_text("import more_of_it\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert answered(["check-game", text]) == 2
    assert words in capsys.readouterr().err


def test_parts_that_do_not_fit_are_told() -> None:
    exam = GameExamination(LOST, [2], range(1))
    told = {part.__name__: exam.of_part(part) for part in PART_CHECKS}
    assert [name for name, finding in told.items() if finding.good] == [
        "has_a_rulebook",
        "tells_learners",
        "is_quick",
    ]
    assert "has 81 columns" in told["has_a_picture"].remark
    assert "two moves at 'turn' read ['Go on']" in told["has_words_for_moves"].remark
    assert "there is no decision nap" in told["cites_its_rules"].remark
    assert "no function draw" in told["has_a_drawing"].remark
    assert "is for 2 to 3 players, not for 10" in told["has_company"].remark
    assert "has no part 'tests.beach:SAND'" in told["tells_seer"].remark
    assert "a finite number for every seat" in told["tells_how_seats_stand"].remark


def test_a_point_that_the_rulebook_does_not_have_is_found() -> None:
    kali = find_game("kali")
    found = GameExamination(replace(kali, face=f"{__name__}:BEYOND"), [2], range(1)).of_part(cites_its_rules)
    assert (found.good, found.remark) == (False, "the rulebook has no lines such as `- **§99** ...`")


def test_of_a_game_without_an_end_nothing_else_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_DECISIONS", 500)
    first, last = GameExamination(replace(BEACH, state=Circles), [2], range(1)).findings()
    assert "no end after 500 decisions" in first.remark
    assert "nothing is known of 19 more promises" in last.remark


def test_a_game_of_the_catalogue_goes_by_its_name() -> None:
    assert game_or_module("kali").name == "kali"


# ---- new-game


def test_a_new_game_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert answered(["new-game", "pebbles_2"]) == 0
    assert "dalang check-game pebbles_2" in capsys.readouterr().out
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "pebbles_2/pyproject.toml",
        "pebbles_2/pebbles_2/rulebook.md",
        "pebbles_2/tests/test_pebbles_2.py",
    } <= written
    monkeypatch.chdir(tmp_path / "pebbles_2")
    assert answered(["check-game", "pebbles_2", *FEW]) == 0
    texts = [
        path.read_text(encoding="utf-8")
        for path in Path().rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    ]
    assert not [text for text in texts if "nim" in text.lower().replace("minimum", "")]


def test_a_new_game_has_a_name_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("kali", "json", "Big", "9lives", "class"):
        assert answered(["new-game", str(tmp_path / name)]) == 2
        assert "dalang: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    assert answered(["new-game", str(tmp_path / "mine")]) == 2


# ---- A game that fails in a match


def played_by(choices: list[Move], game: Any = TRIPS, watch: Any = None) -> None:
    """A match in which everybody chooses what comes next in the list."""
    talk = referee(Match(game, "trip", ("ann", "bob")), watch)
    question, coming = next(talk), iter(choices)
    while True:
        moves = [tuple(move) for move in question.message.get("moves", ())]
        wanted = next(coming) if moves else None
        fitting = [number for number, move in enumerate(moves) if move[:1] == wanted]
        question = talk.send(Answer(fitting[0] if fitting else 0))


def test_a_game_that_fails_is_told_with_its_line_the_seed_and_the_moves() -> None:
    with pytest.raises(GameBroke) as broke:
        played_by([("bury",), ("bury",)])
    what, line, seed, moves = str(broke.value).splitlines()
    assert what == "the game trips has failed: ZeroDivisionError: two shells are buried"
    assert line.startswith(f"    in {__file__}, line ") and line.endswith(
        'raise ZeroDivisionError("two shells are buried")'
    )
    assert seed == "    seed trip, seats: ann, bob"
    assert moves.startswith("    after seat 0 turn bury ") and "; seat 1 turn bury " in moves
    assert isinstance(broke.value.__cause__, ZeroDivisionError)


def test_a_decision_that_the_game_forgot_is_its_fault_too() -> None:
    class Forgets(Beach):
        __slots__ = ()

        def do_turn(self, seat: int) -> None:
            self.ask(seat, "dream")

    with pytest.raises(GameBroke, match="has failed: KeyError: 'dream'"):
        played_by([], replace(BEACH, state=Forgets))


def test_what_a_watcher_raises_is_not_blamed_on_the_game() -> None:
    def leaves(events: object) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        played_by([("draw",)] * 3, find_game("kali"), leaves)
