"""A bot is told what it wants to be told, and what nobody wants is not made; the game is the same."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import chain
from random import Random
from typing import Any

import pytest
import trio

from dalang.bots import kit
from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.match.check import examine
from dalang.harness.match.faults import BotFault, Crash
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Answer, Match, Question, RunningMatch, referee
from dalang.protocol.messages import EVERYTHING, NEWS, VIEW
from tests.roomy import ROOMY
from tests.test_arena import STRANGE, answer_all, play

Wants = frozenset[str]
NOTHING: Wants = frozenset()
ONLY_VIEW: Wants = frozenset((VIEW,))
ONLY_NEWS: Wants = frozenset((NEWS,))
FIELDS = {VIEW: "view", NEWS: "events"}
"""What brings it in a message."""

of_each_game = pytest.mark.parametrize("game", ["kali", "bali_wrede", "bali_rosenberg"])


# ---- The referee, without processes


def refereed(
    game: str, wants: list[Wants], watch: Callable[[list[Plain]], None] | None = None
) -> tuple[Played, list[list[Plain]]]:
    """A match at random between seats that want this, and what each of them is told."""
    heard: list[list[Plain]] = [[] for _ in wants]
    rng = Random("any")

    def reply(question: Question) -> Answer:
        heard[question.seat].append(question.message)
        return Answer(rng.randrange(question.moves) if question.moves else 0, wants=wants[question.seat])

    match = Match(find_game(game), "wants", tuple("abcd"))
    return answer_all(referee(match, watch), reply), heard


def without(message: Plain, wants: Wants) -> Plain:
    """The message as it is sent to a bot that wants this."""
    unwanted = {field for word, field in FIELDS.items() if word not in wants}
    return {field: value for field, value in message.items() if field not in unwanted}


@of_each_game
def test_each_seat_of_a_table_is_told_what_it_wants_and_nothing_else(game: str) -> None:
    wants = [ONLY_NEWS, NOTHING, EVERYTHING, ONLY_VIEW]
    _, all_there_is = refereed(game, [EVERYTHING] * 4)
    _, told = refereed(game, wants)
    assert told == [
        [without(message, words) for message in heard]
        for heard, words in zip(all_there_is, wants, strict=True)
    ]
    assert all({*chain(*heard)} >= {"view", "events"} for heard in all_there_is)


@of_each_game
@pytest.mark.parametrize(
    "wants", [NOTHING, ONLY_VIEW, ONLY_NEWS], ids=lambda wants: "+".join(wants) or "nothing"
)
def test_what_is_wanted_changes_no_card_no_move_and_no_result(game: str, wants: Wants) -> None:
    everything, _ = refereed(game, [EVERYTHING] * 4)
    played, _ = refereed(game, [wants] * 4)
    assert played.data() == everything.data()
    assert played.record.drawn and played.record.digest and played.record.turns
    assert played.retold().data() == everything.retold().data()


@of_each_game
def test_who_watches_a_match_sees_every_event_although_no_seat_wants_any(game: str) -> None:
    watched: list[Plain] = []
    played, told = refereed(game, [NOTHING] * 4, watched.extend)
    assert watched == played.retold().record.events
    assert not any("events" in message for heard in told for message in heard)


@pytest.mark.parametrize(
    ("replies", "is_watched", "are_made"),
    [
        ([Answer(wants=NOTHING), Answer(wants=ONLY_VIEW)], False, False),
        ([Answer(wants=NOTHING), Answer(wants=frozenset(("views",)))], False, False),
        ([Answer(wants=NOTHING), Crash("out before the game")], False, False),
        ([Answer(wants=NOTHING), Answer(wants=NOTHING)], True, True),
        ([Answer(wants=NOTHING), Answer(wants=ONLY_NEWS)], False, True),
        ([Answer(), Answer(wants=NOTHING)], False, True),
    ],
)
def test_events_are_made_only_for_somebody_who_is_there_to_hear_of_them(
    replies: list[Answer | BotFault], is_watched: bool, are_made: bool
) -> None:
    running = RunningMatch(Match(find_game("kali"), "listeners", ("a", "b")))
    answer_all(running.prepare(), lambda question: replies[question.seat])
    assert (running.begin(is_watched).events is not None) == are_made


@pytest.mark.parametrize("wants", ["view", ["view"], ("view",)])
def test_a_single_word_is_one_wish(wants: str | list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Plain] = []
    monkeypatch.setattr(kit, "line_to_referee", lambda: (0, sent.append))
    monkeypatch.setattr(kit, "incoming", lambda source: [{"type": "bye"}])
    kit.run(lambda request: 0, name="bot", wants=wants)
    assert sent[0]["wants"] == ["view"]


# ---- Real bots


def picky(*wants: str) -> str:
    return shlex.join(["python", str(STRANGE / "picky.py"), *wants])


@pytest.mark.slow
def test_real_bots_are_told_what_they_ask_for_and_all_if_they_say_nothing() -> None:
    asked_for = {"random": NOTHING, "cautious": ONLY_VIEW, "seer": EVERYTHING, "json_lines": EVERYTHING}
    sent: list[tuple[str, Plain]] = []

    def log(name: str, way: str, message: Any) -> None:
        if message["type"] in ("decide", "end"):
            sent.append((name, message))

    [played] = play("random", "cautious", "seer=seer:2", str(STRANGE / "json_lines.py"), log=log)
    assert played.faults == ()
    for bot, wants in asked_for.items():
        of_bot = [message for name, message in sent if name == bot]
        assert {message["type"] for message in of_bot} == {"decide", "end"}
        for message in of_bot:
            assert ("view" in message) == (VIEW in wants and message["type"] == "decide")
            assert ("events" in message) == (NEWS in wants)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "remark"),
    [
        (picky(), "version 1, json; it wants neither view nor news"),
        (picky("view"), "version 1, json; it wants view"),
        (picky("news", "views"), "version 1, json; it wants news; unknown here, so ignored: 'views'"),
        (str(STRANGE / "json_lines.py"), "version 1, json; it wants view and news"),
        ("random", "version 1, msgpack; it wants neither view nor news"),
    ],
    ids=["neither", "view", "typo", "silent", "bundled"],
)
def test_the_check_says_what_a_bot_wants_and_names_words_that_it_does_not_know(bot: str, remark: str) -> None:
    findings = trio.run(examine, find_entrant(bot), ROOMY, find_game("kali"))
    assert [finding for finding in findings if not finding.good] == []
    assert findings[1].remark == remark
