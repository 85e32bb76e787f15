"""protocol/SPEC.md tells the truth: its examples, numbers and faults, and what it says of every game."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from functools import cache
from inspect import signature
from typing import Any

import pytest

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.game import Game
from dalang.harness.match.faults import BotFault
from dalang.harness.match.limits import MAX_ERROR, MAX_STDERR_BYTES, Limits
from dalang.harness.match.process import GRACE_SECONDS
from dalang.harness.match.referee import bot_seed
from dalang.harness.match.wire import Stderr
from dalang.protocol import messages
from dalang.protocol.codec import MAX_DEPTH, MAX_ITEMS, MAX_MESSAGE_BYTES, MAX_VALUES, pack
from dalang.protocol.messages import DESCRIPTORS, Garbled, parse
from tests.spec import (
    Row,
    Types,
    example,
    said_by_referee,
    section,
    sections,
    sights,
    spoken,
    table,
    text,
)

FROM_BOT = {"hello": messages.Hello, "ready": messages.Ready, "move": messages.ChosenMove}
ALL = [*FROM_BOT, *said_by_referee()]

of_each_message = pytest.mark.parametrize("name", ALL)
of_each_game = pytest.mark.parametrize("game", [*map(find_game, bundled_games())], ids=bundled_games())


def shown(name: str) -> dict[str, Any]:
    """The example of a message."""
    data: dict[str, Any] = json.loads(example(section("Messages", name), "json"))
    return data


def of_message(name: str) -> list[Row]:
    return table(section("Messages", name))


def of_game(game: Game, part: str) -> list[Row]:
    return table(section("Games", game.name, part))


def column(rows: list[Row], name: str) -> list[str]:
    found = [row[name] for row in rows]
    assert len(found) == len(set(found)), f"a {name} is listed twice"
    return found


# ---- Messages


def test_every_message_has_a_section() -> None:
    assert set(sections(section("Messages"), 3)) == set(ALL)


@of_each_message
def test_the_bytes_of_an_example_are_its_encoding(name: str) -> None:
    assert bytes.fromhex(example(section("Messages", name), "hex")) == pack(shown(name))


@of_each_message
def test_an_example_has_the_fields_and_types_of_its_table(name: str) -> None:
    message = shown(name)
    rows = {row["field"]: row for row in of_message(name)}
    assert set(message) <= set(rows)
    for field, row in rows.items():
        assert row["optional"] in ("", "yes")
        assert field in message or row["optional"]
        assert field not in message or Types().fits(message[field], row["type"]), field


@pytest.mark.parametrize("name", FROM_BOT)
def test_what_a_bot_says_has_the_fields_that_the_referee_reads(name: str) -> None:
    assert isinstance(parse(shown(name)), FROM_BOT[name])
    assert column(of_message(name), "field") == ["type", *signature(FROM_BOT[name]).parameters]
    for row in of_message(name):
        less = {field: value for field, value in shown(name).items() if field != row["field"]}
        if row["optional"]:
            assert isinstance(parse(less), FROM_BOT[name])
        else:
            with pytest.raises(Garbled):
                parse(less)


@pytest.mark.parametrize("name", FROM_BOT)
def test_what_a_bot_may_leave_out_has_a_default(name: str) -> None:
    optional = {row["field"] for row in of_message(name) if row["optional"]}
    defaults = {
        field.name
        for field in signature(FROM_BOT[name]).parameters.values()
        if field.default is not field.empty
    }
    assert defaults <= optional


@pytest.mark.parametrize("name", said_by_referee())
def test_what_the_referee_says_is_from_a_real_match(name: str) -> None:
    """If this fails after a change that is meant, `python -m tests.spec` writes the examples anew."""
    said = json.loads(json.dumps(said_by_referee()[name]))
    assert shown(name) == said
    assert column(of_message(name), "field") == list(said)


@pytest.mark.parametrize("name", ["decide", "end"])
def test_what_may_be_absent_is_what_a_bot_need_not_want(name: str) -> None:
    """But for the clock, which the organiser may hide."""
    optional = {row["field"] for row in of_message(name) if row["optional"]}
    assert optional - {"clock"} == set(said_by_referee()[name]) - set(said_by_referee(frozenset())[name])
    assert [("view" in said, "events" in said) for said in said_with(name, [], ["view"], ["news"])] == [
        (False, False),
        (name == "decide", False),
        (False, True),
    ]


def said_with(name: str, *wants: list[str]) -> list[dict[str, Any]]:
    """What the referee says to a bot that wants only this."""
    return [said_by_referee(frozenset(words))[name] for words in wants]


def test_the_words_for_what_a_bot_wants_are_those_of_the_code() -> None:
    (wants,) = [row["type"] for row in of_message("hello") if row["field"] == "wants"]
    assert set(re.findall(r'"(\w+)"', wants)) == messages.EVERYTHING == set(shown("hello")["wants"])


def test_the_answer_of_the_examples_is_to_their_question() -> None:
    assert shown("move")["id"] == shown("decide")["id"]
    assert shown("move")["move"] in range(len(shown("decide")["moves"]))


# ---- Numbers and words


def test_the_complete_bot_has_at_most_15_lines() -> None:
    bot = example(section("A complete bot"), "text")
    assert 0 < len(bot.splitlines()) <= 15
    said = [json.loads(re.sub(r"message\.id|choice", "0", line)) for line in re.findall(r"say (\{.*\})", bot)]
    assert [type(parse(message)) for message in said] == list(FROM_BOT.values())


def test_the_limits_are_those_of_the_code() -> None:
    assert {row["limit"]: int(row["value"]) for row in table(section("Limits"))} == {
        "message": MAX_MESSAGE_BYTES,
        "entries": MAX_ITEMS,
        "depth": MAX_DEPTH,
        "values": MAX_VALUES,
        "stderr": MAX_STDERR_BYTES,
        "answers": 1,
    }


def test_the_clocks_are_those_of_the_code() -> None:
    assert {row["limit"]: float(row["default"]) for row in table(section("Clocks"))} == Limits().announced()


def test_every_limit_of_a_run_can_be_told_in_start() -> None:
    (limits,) = [row["type"] for row in of_message("start") if row["field"] == "limits"]
    assert re.findall(r'"(\w+)\?"', limits) == [field.name for field in fields(Limits)]
    for told in (Limits().announced(), Limits(memory=2**30).announced(), {}):
        assert Types().fits(told, limits)


def test_the_faults_are_those_of_the_code() -> None:
    assert column(table(section("Faults")), "fault") == [kind.kind for kind in BotFault.__subclasses__()]


def test_the_numbers_in_the_text_are_those_of_the_code() -> None:
    assert f"# The Dalang protocol, version {messages.VERSION}\n" in text()
    assert f"the major version, now {messages.VERSION};" in section("Versions")
    assert shown("hello")["protocol"] == messages.VERSION
    assert f"What still runs {GRACE_SECONDS:g} second later is killed." in section("The conversation")
    assert f"a text of {len(bot_seed('any', 0))} hex digits" in section("Luck")
    assert f"its first {MAX_ERROR} letters" in section("Messages", "move")
    assert f"up to {2 * Stderr.KEPT_BYTES} bytes for each seat" in section("The conversation")
    assert f"`{DESCRIPTORS}`" in section("Debugging")


def test_the_links_of_the_page_lead_somewhere() -> None:
    anchors = {heading.lower().replace(" ", "-") for heading in sections(text(), 2)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text())) <= anchors


# ---- Games


@cache
def words(game: Game) -> dict[str, str]:
    return {row["word"]: row["one of"] for row in of_game(game, "Words")}


@cache
def types(game: Game) -> Types:
    return Types(words(game))


def test_every_game_has_a_section() -> None:
    assert set(bundled_games()) == set(sections(section("Games"), 3))


@of_each_game
def test_a_section_names_title_seats_and_rules_version(game: Game) -> None:
    seats = ", ".join(map(str, game.seats))
    assert f"{game.title}. Seats: {seats}. Rules version: {game.rules_version}." in section(
        "Games", game.name
    )


@of_each_game
def test_the_options_of_a_game(game: Game) -> None:
    rows = of_game(game, "Options")
    assert {row["option"]: json.loads(row["default"]) for row in rows} == {
        name: option.default for name, option in game.options.items()
    }
    for row in rows:
        assert types(game).fits(json.loads(row["default"]), row["type"]), row


@of_each_game
def test_every_move_of_a_game_is_described_and_every_described_move_occurs(game: Game) -> None:
    rows = of_game(game, "Moves")
    seen = sights(game.name).moves
    assert {row["decision"] for row in rows} == set(seen) == set(game.state.MAY)
    unused = {(row["decision"], row["move"]) for row in rows}
    assert len(unused) == len(rows)
    for decision, moves in seen.items():
        shapes = [row["move"] for row in rows if row["decision"] == decision]
        for move, seats in moves:
            fitting = [shape for shape in shapes if types(game).fits(list(move), shape, seats)]
            assert len(fitting) == 1, f"{move} at {decision} is described by {fitting}"
            unused.discard((decision, fitting[0]))
    assert not unused


@of_each_game
def test_every_word_of_a_game_is_used(game: Game) -> None:
    kinds = [
        *of_game(game, "Moves"),
        *of_game(game, "View"),
        *of_game(game, "Events"),
        *of_game(game, "Options"),
    ]
    used = " ".join(row.get("type", row.get("move", "")) for row in kinds)
    for word in words(game):
        assert re.search(rf"\b{word}\b", re.sub(r'"[^"]*"', "", used)), word


@of_each_game
def test_every_value_of_a_word_occurs(game: Game) -> None:
    found = sights(game.name)
    said = spoken([*found.moves.values(), *found.views, *found.events.values()])
    for word, values in words(game).items():
        for value in re.findall(r'"([^"]+)"', values):
            assert value in said, f"{word}: {value}"


@of_each_game
def test_the_view_of_a_game_has_the_fields_and_types_of_its_table(game: Game) -> None:
    rows = table(section("Games")) + of_game(game, "View")
    listed = {row["field"]: row["type"] for row in rows}
    assert len(listed) == len(rows)
    for view, seats in sights(game.name).views:
        assert set(view) == set(listed)
        for field, value in view.items():
            assert types(game).fits(value, listed[field], seats), f"{field}: {value}"


@of_each_game
def test_the_events_of_a_game_are_those_of_its_table(game: Game) -> None:
    listed = {row["event"] for row in of_game(game, "Events")}
    assert listed == set(sights(game.name).events)


@of_each_game
def test_an_event_has_the_fields_and_types_of_its_table(game: Game) -> None:
    for name, by_text in sights(game.name).events.items():
        happened = list(by_text.values())
        rows = [row for row in of_game(game, "Events") if row["event"] == name]
        listed = {row["field"].rstrip("?"): row["type"] for row in rows if row["field"]}
        always = {row["field"] for row in rows if row["field"] and not row["field"].endswith("?")}
        full = [max(told, key=len) for told in happened]
        assert {key for event in full for key in event} == {"event", *listed}, name
        assert set.intersection(*[set(event) for event in full]) == {"event", *always}, name
        for told in happened:
            for event in told:
                for key in event.keys() & listed.keys():
                    assert types(game).fits(event[key], listed[key], len(told)), f"{name}.{key}: {event[key]}"


@of_each_game
def test_who_sees_what_of_an_event(game: Game) -> None:
    for row in of_game(game, "Events"):
        if row["field"]:
            key = row["field"].rstrip("?")
            sorts = {audience(told, key) for told in sights(game.name).events[row["event"]].values()} - {
                "nobody"
            }
            strictest = max(sorts, key=["all", "owner, others in part", "owner"].index)
            assert row["seen by"] == strictest, row


def audience(told: list[dict[str, Any]], key: str) -> str:
    """Who sees this field of an event that these seats were told of."""
    seeing = [seat for seat, event in enumerate(told) if key in event]
    if not seeing:
        return "nobody"
    if len(seeing) < len(told):
        assert seeing == [told[0]["seat"]]
        return "owner"
    return "all" if all(event[key] == told[0][key] for event in told) else "owner, others in part"
