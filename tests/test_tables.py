"""Games for people: every table fits the terminal, every move has words of its own, every decision its rule."""

from __future__ import annotations

import re
from operator import attrgetter

import click
import pytest

from dalang.engine.catalogue import bundled_games, games
from dalang.engine.game import Game, State
from dalang.engine.record import seen
from dalang.harness.people.english import YOU, named, offered
from dalang.harness.people.person import in_columns
from dalang.harness.people.tables import WIDTH, Face, Scene, face_of, opening, rule_of
from tests.playing import some, start, walk
from tests.tables import TABLES, Table
from tests.terminal import flat

at_every_table = pytest.mark.parametrize("table", TABLES, ids=str)
LONG_NAMES = ["a-bot-with-quite-a-long-name"] * 6
SEED = 9
SMALL_TERMINAL, FRAME = 24, 4
"""Its rows; and of them those of two lines around the table, of the question, and of what is typed."""


def scenes(state: State) -> list[Scene]:
    """As every seat sees it, and as somebody sees it who knows everything."""
    names = LONG_NAMES[: state.seats]
    views = [state.view(seat) for seat in range(state.seats)]
    return [*(Scene(view, names) for view in views), Scene(views[0], names, state.dump())]


@at_every_table
def test_the_picture_fits_the_terminal(table: Table) -> None:
    for state in some(table, SEED, every=12):
        for scene in scenes(state):
            face = face_of(table.game)
            for line in [*face.picture(scene), *(face.brief(scene) if face.brief else [])]:
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
    for decision, explained in decisions.items():
        assert 0 < len(explained.question) < WIDTH
        for options in ({}, dict.fromkeys(explained.variants, True)):
            lines = rule_of(game, decision, options)
            assert all(len(line) <= WIDTH for line in lines)
            cited = re.split(r" (?=§[\d.]+ [A-Z])", re.sub(r"\s+", " ", " ".join(lines)))
            assert [text.split()[0] for text in cited] == explained.in_force(options)
            assert all(text in rulebook for text in cited)


def test_a_rule_is_told_only_where_its_option_is_in_force() -> None:
    wrede = games()["bali_wrede"]
    assert "demon" not in " ".join(rule_of(wrede, "take", {}))
    assert "nobody may take a card from the row with the demon" in flat(
        " ".join(rule_of(wrede, "take", {"demon": True}))
    )


@pytest.mark.parametrize("name", bundled_games())
def test_a_game_begins_with_what_it_is_about_and_its_goal_on_one_small_screen(name: str) -> None:
    lines = [click.unstyle(line) for line in opening(games()[name])]
    assert [line.partition(".")[0] for line in lines if line[0].isdigit()] == [str(n) for n in range(1, 11)]
    assert lines[-1].startswith("Goal: ")
    assert len(lines) <= SMALL_TERMINAL - 3
    assert all(len(line) <= WIDTH for line in lines)


@at_every_table
def test_the_folded_table_and_the_moves_fit_a_small_terminal_but_for_the_longest_lists(table: Table) -> None:
    face = face_of(table.game)
    for state in walk(table, SEED) if face.brief else ():
        view = state.view(state.seat)
        offers = in_columns([f"{n:3}  {face.choice(view, move)}" for n, move in enumerate(state.moves(), 1)])
        rows = len(face.brief(Scene(view, LONG_NAMES))) + len(offers)
        assert rows + FRAME <= SMALL_TERMINAL or len(state.moves()) > 20


def test_a_game_without_a_face_is_listed_as_bots_see_it() -> None:
    view = start(Table(games()["kali"], 2, {}), "plain").view(0)
    plain = Face()
    lines = plain.picture(Scene(view, ["a", "b"]))
    assert "wealth: [40, 40]" in lines
    assert all(len(line) <= WIDTH for line in lines)
    assert plain.choice(view, ("take", 2)) == "take 2"
    assert plain.question("take") == "Decide: take"
