"""Looking again: `dalang replay`, step by step in a real terminal, and as a story."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.game import Event, Plain, SetupError, State
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import MatchKey
from dalang.harness.cli.main import cli
from dalang.harness.match.played import Played
from dalang.harness.people.replay import Replay
from dalang.harness.people.story import event_story
from dalang.harness.report.reenacted import reenacted
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.stored import packed
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.verify import everything_checked
from tests.playing import random_record
from tests.tables import Table
from tests.terminal import CTRL_C, CTRL_D, ESCAPE, flat, terminal
from tests.test_cli import dalang, good

pytestmark = pytest.mark.slow

ROGUES = Path(__file__).parent / "rogues"
STEP = "s, e or q: "


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two blocks, in which one bot breaks the contract in every match and another has something to say."""
    folder = tmp_path_factory.mktemp("replay")
    chatty = folder / "chatty.py"
    chatty.write_text(
        "from dalang.kit import run\n"
        "def choose(request):\n"
        "    request.note = f'I see {len(request.moves)} moves'\n"
        "    return request.moves[0]\n"
        "run(choose, name='chatty')\n",
        encoding="utf-8",
    )
    rogue = ROGUES / "dies_in_mid_match.py"
    good_run = dalang("run", "kali", str(chatty), str(rogue), "--blocks", "2", "--seed", "1", cwd=folder)
    assert good_run.returncode == 0
    return folder / "kali.db"


def test_the_matches_of_a_file_are_listed(tournament: Path) -> None:
    header, _, *lines, key = good("replay", str(tournament)).splitlines()
    assert header.split() == ["match", "bots", "places", "scores", "faults"]
    assert [line.split()[0] for line in lines] == ["0.0", "0.1", "1.0", "1.1"]
    assert key.startswith("✗")
    listed = json.loads(good("replay", str(tournament), "--json"))
    assert listed[0]["match"] == "0.0"
    assert sorted(listed[0]["bots"]) == ["chatty", "dies_in_mid_match"]
    assert json.loads(good("replay", str(tournament), "1.0", "--json"))["names"] == listed[2]["bots"]


def test_stepping_through_a_match(tournament: Path) -> None:
    with terminal("replay", str(tournament), "0.0") as at:
        start = flat(at.until(STEP))
        assert "Before the first decision" in start
        at.enter("b")
        assert "This is the beginning." in at.until(STEP)
        at.enter()
        first = at.until(STEP)
        assert "Decision 0 of" in first
        at.enter("n")
        second = flat(at.until(STEP))
        assert "Decision 1 of" in second
        at.enter("b")
        assert flat(at.until(STEP)).removeprefix("b ") == flat(first)
        at.enter("1")
        assert flat(at.until(STEP)).removeprefix("1 ") == second.removeprefix("n ")
        at.enter("f")
        assert "dies_in_mid_match broke the contract at decision" in flat(at.until(STEP))
        at.enter("f")
        assert "There is no fault after this." in at.until(STEP)
        at.enter("what?")
        assert "NUMBER to a decision" in at.until(STEP)
        at.enter("99999")
        last = flat(at.until(STEP))
        assert "place bot seat gems longest think fault" in last
        at.enter()
        assert "The match is over." in at.until(STEP)
        at.enter("s")
        assert flat(at.until(STEP)).removeprefix("s ") in start
        at.enter("e")
        assert flat(at.until(STEP)).removeprefix("e ") == last.removeprefix("99999 ")
        at.enter("q")
        assert at.ended() == 0


@pytest.mark.parametrize(("key", "code"), [(CTRL_C, 130), (CTRL_D, 0)])
def test_a_replay_is_left_by_ctrl_c_and_the_end_of_input(key: str, code: int, tournament: Path) -> None:
    with terminal("replay", str(tournament), "0.0") as at:
        at.until(STEP)
        at.type(key)
        assert at.ended() == code
    assert "Traceback" not in at.shown


def test_the_whole_story_with_notes_and_faults(tournament: Path) -> None:
    text = good("replay", str(tournament), "0.1", "--text")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert ESCAPE not in text
    assert "“I see 2 moves”" in text
    assert "dies_in_mid_match broke the contract at decision" in text
    assert "stderr: out of ideas" in text
    assert "From here on a stand-in decides for dies_in_mid_match." in text
    names = json.loads(good("replay", str(tournament), "0.1", "--json"))["names"]
    chatty, rogue = (
        good("replay", str(tournament), "0.1", "--text", "--seat", str(names.index(name)))
        for name in ("chatty", "dies_in_mid_match")
    )
    assert "“I see 2 moves”" in chatty
    assert "broke the contract" not in chatty
    assert "“I see 2 moves”" not in rogue
    assert "broke the contract" in rogue


# ---- Secrets


def random_match(game: str, **options: object) -> Played:
    record = random_record(Table(find_game(game), 3, options), 1)
    return Played(record, ("ann", "bob", "cid"), (1, 2, 3), (), {}, ([], [], []))


def replay_of_a_random_game(game: str, seat: int | None, **options: object) -> Replay:
    return Replay(random_match(game, **options), seat)


@pytest.mark.parametrize(
    ("game", "options"),
    [("bali_rosenberg", {"max_turns": 20}), ("bali_wrede", {"oracle": True})],
    ids=["bali_rosenberg", "bali_wrede"],
)
def test_a_replay_for_a_seat_shows_nothing_hidden(game: str, options: dict[str, object]) -> None:
    """Of each secret the whole story has the full sentence, and a seat's story only what that seat was told."""
    replays = {seat: replay_of_a_random_game(game, seat, **options) for seat in (None, 0, 1, 2)}
    stories = {seat: flat(" ".join(shown.story())) for seat, shown in replays.items()}
    sentences = {
        seat: {
            flat(event_story(shown.game, event, shown.names))
            for frame in shown.frames
            for event in frame.events
        }
        for seat, shown in replays.items()
    }
    assert all(sentence in stories[None] for sentence in sentences[None])
    for seat in range(3):
        secrets = sentences[None] - sentences[seat]
        assert secrets
        assert not [sentence for sentence in secrets if sentence in stories[seat]]
        assert all(sentence in stories[seat] for sentence in sentences[seat])


@pytest.mark.parametrize("game", bundled_games())
def test_a_replay_for_a_seat_asks_for_nothing_but_its_view_and_its_events(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the whole truth is not to be had, the story of a seat is told all the same."""
    expected = [list(replay_of_a_random_game(game, seat).story()) for seat in range(3)]
    honest = State.view
    allowed = 0

    def own_view(state: State, seat: int) -> Plain:
        assert seat == allowed
        return honest(state, seat)

    def truth(anything: object) -> Plain:
        raise AssertionError("somebody looked at everything")

    match = random_match(game)
    monkeypatch.setattr(State, "view", own_view)
    monkeypatch.setattr(State, "dump", truth)
    monkeypatch.setattr(Event, "full", property(truth))
    for allowed in range(3):
        assert list(Replay(match, allowed).story()) == expected[allowed]


# ---- Mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.db", "there is no file nowhere.db"),
        ("DB 2.0", "there is no match '2.0' in DB; they go from 0.0 to 1.1"),
        ("DB x", "there is no match 'x'"),
        ("DB 0.0 --seat 2", "the seats of this match are 0 to 1, not 2"),
        ("DB 0.0 --seat 1 --json", "leave out --seat"),
        ("over.json 0.0", "over.json holds a single match; leave out 0.0"),
        ("left.json", "the game in left.json is not over; go on with: dalang play left.json"),
        ("odd.json", "odd.json holds no match"),
        ("over.json", "this match cannot be shown"),
    ],
)
def test_what_a_user_can_mend(
    arguments: str, message: str, tournament: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data in {"left": {"answers": []}, "over": {"record": {}}, "odd": []}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    (tmp_path / "DB").symlink_to(tournament)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SetupError) as error:
        cli(["replay", *arguments.split()], standalone_mode=False)
    assert message in str(error.value)


def test_a_damaged_match_is_one_line_and_the_others_can_be_seen(tournament: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    shutil.copy(tournament, damaged)
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute("update match set record = x'00' where block = 0 and rotation = 0")
    with pytest.raises(SetupError, match=r"damaged\.db: the record of block 0, rotation 0 cannot be read"):
        cli(["replay", str(damaged), "0.0", "--text"], standalone_mode=False)
    cli(["replay", str(damaged), "0.1", "--text"], standalone_mode=False)


def test_a_record_that_cannot_have_happened_is_not_shown(tournament: Path, tmp_path: Path) -> None:
    data = json.loads(good("replay", str(tournament), "0.0", "--json"))
    for change in ({"rules_version": 0}, {"turns": data["record"]["turns"][1:]}, {"seed": "another"}):
        file = tmp_path / "changed.json"
        file.write_text(json.dumps({**data, "record": {**data["record"], **change}}), encoding="utf-8")
        with pytest.raises(SetupError):
            cli(["replay", str(file), "--text"], standalone_mode=False)


@pytest.mark.parametrize(
    "damage",
    [
        {"notes": []},
        {"notes": {"x": "y"}},
        {"microseconds": []},
        {"microseconds": [[], ["quick"]]},
        {"names": ["chatty"]},
        {"ranks": [1, "2"]},
        {"faults": 3},
        {"faults": [{"seat": 2, "kind": "crash", "detail": "", "turn": 0, "stderr": []}]},
        {"faults": [{"seat": 0, "kind": "crash"}]},
        {"record": {"turns": []}},
        {"record": {"turns": [[0]]}},
        {"record": {"options": []}},
        {"record": {"seats": "two"}},
        {"record": {"outcome": {"scores": [], "ranks": [], "ending": ""}}},
    ],
    ids=str,
)
def test_a_damaged_record_is_one_line_everywhere(damage: Plain, tournament: Path, tmp_path: Path) -> None:
    data = stored_match(tournament)
    data |= damage | {"record": data["record"] | damage.get("record", {})}
    file = tmp_path / "damaged.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(SetupError):
        cli(["replay", str(file), "--text"], standalone_mode=False)
    with suppress(*DAMAGE):
        assert reenacted(Terms("kali", 2), Played.of_data(data))["problem"]
    copy = Path(shutil.copy(tournament, tmp_path))
    with closing(sqlite3.connect(copy)) as connection, connection:
        query = "update match set record = ? where block = 0 and rotation = 0"
        connection.execute(query, (packed(data),))
    with pytest.raises(SetupError):
        cli(["replay", str(copy), "0.0", "--text"], standalone_mode=False)
    with open_to_read(copy) as store:
        assert [each.what for each in everything_checked(store) if each.problems] == ["block 0, rotation 0"]


def stored_match(tournament: Path) -> Plain:
    with open_to_read(tournament) as store:
        found = store.story(MatchKey(0, 0))
    assert found
    data: Plain = json.loads(json.dumps(found.data()))
    return data
