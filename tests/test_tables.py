"""Games for people: every table fits the terminal, every move has words of its own, every decision its rule."""

from __future__ import annotations

import re
from operator import attrgetter

import click
import pytest

from dalang.engine.catalogue import games
from dalang.engine.game import Game, State
from dalang.engine.record import seen
from dalang.harness.people.english import YOU, named, offered
from dalang.harness.people.tables import WIDTH, Face, Scene, face_of, rule_of
from tests.playing import some, start, walk
from tests.tables import TABLES, Table

at_every_table = pytest.mark.parametrize("table", TABLES, ids=str)
LONG_NAMES = ["a-bot-with-quite-a-long-name"] * 6
SEED = 9


def scenes(state: State) -> list[Scene]:
    """As every seat sees it, and as somebody sees it who knows everything."""
    names = LONG_NAMES[: state.seats]
    views = [state.view(seat) for seat in range(state.seats)]
    return [*(Scene(view, names) for view in views), Scene(views[0], names, state.dump())]


@at_every_table
def test_the_picture_fits_the_terminal(table: Table) -> None:
    for state in some(table, SEED, every=12):
        for scene in scenes(state):
            for line in face_of(table.game).picture(scene):
                shown = click.unstyle(line)
                assert len(shown) <= WIDTH
                assert shown == shown.rstrip()


@at_every_table
def test_every_move_has_words_of_its_own(table: Table) -> None:
    names = [YOU, "ann", "bob", "cid", "dee", "eve"]
    for state in walk(table, SEED):
        view = state.view(state.seat)
        words = [named(face_of(table.game).choice(view, move), names) for move in state.moves()]
        assert len(set(words)) == len(words)
        assert all(len(text) <= WIDTH - 5 for text in words), max(words, key=len)
        assert not any(re.search(r"[{}\[\]']|seat \d", text) for text in words)


@at_every_table
def test_what_is_told_to_you_is_english(table: Table) -> None:
    *_, last = walk(table, SEED)
    for seat in range(table.seats):
        names = [YOU if other == seat else f"bot{other}" for other in range(table.seats)]
        for event in seen(last.events or [], seat):
            text = named(table.game.sentence(event), names)
            assert not re.search(rf"\b[Yy]ou [a-z]+s\b|[Ss]eat {seat}", text), text
            assert not re.match(r"You .*\band [a-z]+s\b", text), text


@pytest.mark.parametrize(
    ("told", "offer"),
    [
        ("plays a priest and shows 1 more", "Play a priest and show 1 more"),
        ("passes", "Pass"),
        ("reaches Bali and pushes on", "Reach Bali and push on"),
        ("mixes the pile and goes", "Mix the pile and go"),
        ("chooses and loses", "Choose and lose"),
    ],
)
def test_what_somebody_does_is_an_offer(told: str, offer: str) -> None:
    assert offered(told) == offer
    assert named(f"Seat 0 {told}.", [YOU, "ann"]) == f"You {offer[0].lower()}{offer[1:]}."


@pytest.mark.parametrize("game", [game for game in games().values() if game.face], ids=attrgetter("name"))
def test_every_decision_has_a_question_and_the_words_of_the_rulebook(game: Game) -> None:
    rulebook = re.sub(r"[*`]", "", game.rulebook.read_text(encoding="utf-8"))
    decisions = face_of(game).decisions
    assert set(decisions) == set(game.state.MAY)
    for decision, (question, points) in decisions.items():
        assert 0 < len(question) < WIDTH
        lines = rule_of(game, decision)
        assert all(len(line) <= WIDTH for line in lines)
        cited = re.split(r" (?=§[\d.]+ [A-Z])", re.sub(r"\s+", " ", " ".join(lines)))
        assert [text.split()[0] for text in cited] == points.split()
        assert all(text in rulebook for text in cited)


def test_a_game_without_a_face_is_listed_as_bots_see_it() -> None:
    view = start(Table(games()["kali"], 2, {}), "plain").view(0)
    plain = Face()
    lines = plain.picture(Scene(view, ["a", "b"]))
    assert "wealth: [40, 40]" in lines
    assert all(len(line) <= WIDTH for line in lines)
    assert plain.choice(view, ("take", 2)) == "take 2"
    assert plain.question("take") == "Decide: take"
