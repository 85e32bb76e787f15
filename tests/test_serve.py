"""The site for spectators, as a stranger meets it: what it answers, what it refuses, and whom it does not wait for."""

from __future__ import annotations

import json
import re
import shutil
import socket
import zlib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.cli import serve as serve_command
from dalang.harness.match.referee import Match
from dalang.harness.people.story import event_story
from dalang.harness.serve import feed as feed_module
from dalang.harness.serve import growing as growing_module
from dalang.harness.serve import http, show, static
from dalang.harness.serve import wall as wall_module
from dalang.harness.serve.feed import Feed, event
from dalang.harness.serve.growing import Growing
from dalang.harness.serve.http import Door, Sent, Streamed, is_welcome
from dalang.harness.serve.serving import Serving
from dalang.harness.serve.site import folders, list_page
from dalang.harness.serve.wall import END_LOOKS, Followed, Wall
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.standings import standings, thinking
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.window import Glimpse, Pane, new_window, panes_in
from tests.refereed import kept, made, play
from tests.spectators import LONGEST_ANSWER, Served, events, served
from tests.test_tournament import dalang

NAMES = ("ann", "bob", "crasher")
TOLD_OF_FILES = ("stored", "standings", "times", "faults", "latest", "history")
STRANGE_ADDRESSES = (
    *(
        "/..",
        "/../three.db",
        "/%2e%2e/three.db",
        "/three.db",
        "/etc/passwd",
        "/match/../overview.json",
        "/%00",
        "/%ff",
    ),
    *("//", "/index.html/", "/feed/", "/match/", "/match/0.0", "/follow/0.0", "/match/0.0.json/"),
    *("/match/99.0.json", "/match/99999999999.0.json", "/match/-1.0.json"),
)


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(b64decode(text)))


# ---- A site


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("serve") / "three.db", *NAMES, blocks=4, max_faults=0)


@pytest.fixture(scope="module")
def site(file: Path) -> Iterator[Served]:
    with served(file) as found:
        yield found


def test_a_page_and_what_it_needs_are_there_and_nothing_else(site: Served) -> None:
    assert b'data-source="feed"' in site.ask("/").body
    assert site.ask("/index.html").body == site.ask("/").body
    for name, kind in (
        ("style.css", "text/css"),
        ("script.js", "text/javascript"),
        ("overview.json", "json"),
    ):
        assert kind in site.ask(f"/{name}").headers["content-type"]
    for strange in STRANGE_ADDRESSES:
        assert site.ask(strange).status == 404, strange


def test_every_answer_keeps_strangers_out(site: Served) -> None:
    for path in ("/", "/script.js", "/nowhere"):
        headers = site.ask(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_the_overview_tells_the_standings(site: Served, file: Path) -> None:
    told = json.loads(site.ask("/overview.json").body)
    with open_to_read(file) as store:
        assert told["standings"] == json.loads(json.dumps(standings(store).data()))
        assert sorted(told["times"], key=str) == sorted(thinking(store), key=str)
    assert told["progress"]["is_over"] and told["progress"]["matches"] == 24
    assert "a seed" not in json.dumps(told)


def test_a_match_is_loaded_when_it_is_opened(site: Served) -> None:
    match = json.loads(site.ask("/match/3.1.json").body)
    assert (match["block"], match["rotation"]) == (3, 1)
    assert unpacked(match["steps"])["steps"][0]["events"] is not None


def test_a_match_can_be_opened_while_a_long_file_is_being_read(file: Path) -> None:
    async def opening() -> bytes | None:
        shown = show.Show(file)
        async with shown.reading:
            with trio.fail_after(LONGEST_ANSWER):
                return await shown.match(MatchKey(3, 1))

    assert trio.run(opening)


def test_head_is_answered_without_a_body(site: Served) -> None:
    found = site.ask("/style.css", "HEAD")
    assert found.status == 200 and found.body == b""
    assert int(found.headers["content-length"]) == len(site.ask("/style.css").body)
    feed = site.ask("/feed", "HEAD").headers
    assert (feed["content-type"], feed["x-accel-buffering"]) == ("text/event-stream", "no")


def test_one_connection_serves_several_requests(site: Served) -> None:
    request = b"GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert site.say(request + request + last).count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"])
def test_nothing_can_be_done_but_to_look(method: str, site: Served) -> None:
    found = site.ask("/", method)
    assert (found.status, found.headers["allow"]) == (405, "get, head")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\r\n\r\nhello there\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: nine\r\n\r\n", 400),
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            400,
        ),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", 405),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * http.LONGEST_REQUEST + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: x\r\n" * 3000 + b"\r\n", 431),
        (b"GET /?" + b"x" * 30_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500 + b"\r\n\r\n", 400),
    ],
)
def test_what_is_no_request_gets_one_answer_and_is_let_go(request_: bytes, status: int, site: Served) -> None:
    answer = site.say(request_)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"connection: close" in answer.lower()
    assert site.ask("/style.css").status == 200


def test_a_whole_address_is_as_good_as_a_path(site: Served) -> None:
    for address in ("http://localhost/style.css", "HTTP://127.0.0.1:8801/style.css?x=http://y/z"):
        assert site.ask(address).body == site.ask("/style.css").body
    assert site.ask("http://localhost").body == site.ask("/").body
    assert site.ask("/http://localhost/style.css").status == 404


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example"),
        *("localhost:evil.example", "[::1]evil.example", "[localhost", "[[::1]]", "localhost:80:80"),
    ],
)
def test_a_name_that_a_stranger_let_lead_here_is_refused(host: str, site: Served) -> None:
    assert site.ask("/overview.json", host=host).status in (400, 421)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:81", "127.0.0.1", "127.0.0.1:9", "[::1]:80", "192.168.0.7"]
)
def test_addresses_of_this_machine_are_welcome(host: str, site: Served) -> None:
    assert site.ask("/style.css", host=host).status == 200


def test_a_name_can_be_allowed() -> None:
    assert is_welcome("games.example", Serving(names=("Games.Example",)).hosts())
    assert not is_welcome("games.example", Serving().hosts())


# ---- Whom it does not wait for


async def talk(door: Door, say: bytes, read: bool = True) -> bytes:
    """What a door answers to this until it is shut."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    heard = b""
    place = listener.socket.getsockname()[:2]
    async with listener, await trio.open_tcp_stream(*place) as client, trio.open_nursery() as nursery:
        nursery.start_soon(door.welcome, await listener.accept())
        await client.send_all(say)
        while read and (more := await client.receive_some()):
            heard += more
    return heard


async def nothing(path: str) -> Sent | Streamed:
    return Sent(b"here\n")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience that a test has; sockets do not heed a clock that jumps."""
    monkeypatch.setattr(http, "ASKING_SECONDS", 0.05)
    monkeypatch.setattr(http, "READING_SECONDS", 0.05)
    monkeypatch.setattr(http, "PARTING_WORDS_SECONDS", 0.05)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_who_asks_slowly_is_let_go(begun: bytes) -> None:
    assert trio.run(talk, Door(nothing, {"localhost"}), begun) == b""


@pytest.mark.usefixtures("quick")
def test_who_reads_slowly_is_let_go() -> None:
    async def much(path: str) -> Sent | Streamed:
        return Sent(b"x" * 50_000_000)

    door = Door(much, {"localhost"})
    trio.run(talk, door, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", False)
    assert door.connections == 0


@pytest.mark.usefixtures("quick")
def test_there_are_never_more_than_so_many() -> None:
    door = Door(nothing, {"localhost"}, most=2)
    door.connections = 2
    answer = trio.run(talk, door, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert door.connections == 2
    door.connections = 2 + http.MOST_TURNED_AWAY
    assert trio.run(talk, door, b"") == b""


def test_a_listener_that_leaves_is_noticed_though_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "HEARTBEAT_SECONDS", inf)

    async def leaving() -> None:
        feed = Feed()

        async def listen(path: str) -> Sent | Streamed:
            return Streamed(feed.listen)

        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, trio.open_nursery() as nursery:
            client = await trio.open_tcp_stream(*listener.socket.getsockname()[:2])
            nursery.start_soon(Door(listen, {"localhost"}).welcome, await listener.accept())
            await client.send_all(b"GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
            heard = b""
            while b"retry" not in heard:
                heard += await client.receive_some()
            assert feed.listeners == 1
            await client.aclose()
            nursery.cancel_scope.deadline = trio.current_time() + LONGEST_ANSWER
        assert not nursery.cancel_scope.cancelled_caught
        assert feed.listeners == 0

    trio.run(leaving)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system does not know that")
def test_a_listener_that_falls_asleep_is_forgotten_as_soon_as_one_that_does_not_read() -> None:
    async def patience() -> int:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener, await trio.open_tcp_stream(*listener.socket.getsockname()[:2]) as client:
            stream = await listener.accept()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Door(nothing, {"localhost"}).welcome, stream)
                await trio.testing.wait_all_tasks_blocked()
                found = stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                await client.aclose()
            return int(found)

    assert trio.run(patience) == 1000 * http.READING_SECONDS


def test_who_is_slow_misses_what_was_between() -> None:
    async def listening() -> list[bytes]:
        feed, heard = Feed(), []
        gate = trio.Event()

        async def slowly(data: bytes) -> None:
            heard.append(data)
            await gate.wait()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(feed.listen, slowly)
            await trio.testing.wait_all_tasks_blocked()
            for number in range(5):
                feed.tell("count", b"%d" % number)
            gate.set()
            await trio.testing.wait_all_tasks_blocked()
            feed.tell("count", b"9")
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return heard[1:]

    assert trio.run(listening) == [b"4", b"9"]


@given(
    st.lists(st.binary(max_size=80), max_size=6),
    st.sampled_from([b"", b"GET / HTTP/1.1\r\n", b"Host: localhost\r\n\r\n"]),
)
def test_no_bytes_bring_it_down(parts: list[bytes], begin: bytes) -> None:
    async def feed_it() -> None:
        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        async with ours, theirs:
            await theirs.send_all(begin + b"".join(parts))
            await theirs.send_eof()
            await http.Visit(ours, nothing, {"localhost"}).talk()

    trio.run(feed_it)


def test_who_asks_for_much_at_once_lets_others_have_their_turn_in_between() -> None:
    async def turns_of_others() -> int:
        turns = 0

        async def take_turns() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        async with ours, theirs, trio.open_nursery() as nursery:
            await theirs.send_all(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
            await theirs.send_eof()
            nursery.start_soon(take_turns)
            await http.Visit(ours, nothing, {"localhost"}).talk()
            nursery.cancel_scope.cancel()
        return turns

    assert trio.run(turns_of_others) >= 100


def test_two_hundred_spectators_are_told_the_same(site: Served) -> None:
    with ExitStack() as exits:
        wires = [exits.enter_context(site.connect()) for _ in range(200)]
        feeds = [events(wire, "/feed") for wire in wires]
        told = [next(found for _, told in feed if (found := unpacked(told)["standings"])) for feed in feeds]
    assert all(each == told[0] for each in told)
    assert site.ask("/style.css").status == 200


def test_a_match_that_cannot_be_read_ends_nothing(file: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copy(file, tmp_path / "damaged.db"))
    with create_or_open(damaged) as store, store.writing():
        store.connection.execute("update match set record = x'00112233' where block = 1")
    with served(damaged) as site:
        assert site.ask("/match/1.0.json").status == 500
        assert site.ask("/match/2.0.json").status == 200
        damaged.rename(tmp_path / "away.db")
        assert site.ask("/match/2.1.json").status == 500
        told = site.ask("/overview.json").body.decode()
        assert site.ask("/").status == 200
    assert str(tmp_path) not in told


# ---- Several files, and none


def test_several_files_have_a_list_and_folders_of_their_own(file: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "<b>.db", "x", "y", blocks=1, name="<i>&tricky")
    with served(file, other) as both:
        listed = both.ask("/").body.decode()
        assert "&lt;i&gt;&amp;tricky" in listed and "<i>" not in listed
        assert re.findall('href="([^"]*)/"', listed) == ["three", "b"]
        assert both.ask("/b").headers["location"] == "/b/"
        assert json.loads(both.ask("/b/overview.json").body)["progress"]["matches"] == 2
        assert both.ask("/three/match/0.0.json").status == 200
        for strange in ("/nowhere/", "/nowhere/overview.json", "/overview.json", "/feed", "/three/../b/"):
            assert both.ask(strange).status == 404


def test_tournaments_of_one_name_can_be_told_apart_in_the_list() -> None:
    listed = list_page({"x": "A cup", "x-2": "A cup", "y": "Another"})["index.html"].body.decode()
    assert re.findall('/">([^<]*)</a>', listed) == ["A cup (x)", "A cup (x-2)", "Another"]


def test_folders_have_names_that_differ() -> None:
    paths = [Path("a/x.db"), Path("b/x.db"), Path("x-2.db"), Path("ü.db")]
    assert len(folders(paths)) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", folder) for folder in folders(paths))


def test_what_cannot_be_served_is_told_in_one_line(file: Path, tmp_path: Path) -> None:
    assert "there is no file" in dalang("serve", str(tmp_path / "none.db"), "--port", "0", code=2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        complaint = dalang("serve", str(file), "--port", port, code=2)
        assert complaint.count("\n") == 1 and "is taken" in complaint and "--port 0" in complaint
        complaint = dalang(
            "run",
            "kali",
            "first",
            "random",
            "--serve",
            "--port",
            port,
            "--db",
            str(tmp_path / "a.db"),
            code=2,
        )
        assert "is taken" in complaint
    assert "is no address of this machine" in dalang(
        "serve", str(file), "--host", "192.0.2.1", "--port", "0", code=2
    )
    assert "goes with --serve" in dalang("run", "kali", "first", "random", "--delay", "3", code=2)


def test_whoever_listens_to_everybody_is_told_what_that_means() -> None:
    serving = Serving("0.0.0.0", 0, delay=5.0)
    with serving.listener() as listener:
        assert serving.address(listener).startswith("http://127.0.0.1:")
        assert "running matches after 5 s" in serving.exposure(listener, is_played=True)
        assert "--delay" in Serving("0.0.0.0", 0).exposure(listener, is_played=True)
        assert "running" not in serving.exposure(listener)
    with Serving(port=0).listener() as listener:
        assert Serving().exposure(listener) == ""


def test_the_address_that_is_told_answers_also_where_everybody_asks_by_ipv6() -> None:
    try:
        listener = Serving("::", 0).listener()
    except SetupError:
        pytest.skip("this machine has no IPv6")
    with listener:
        port = listener.getsockname()[1]
        assert Serving("::", 0).address(listener) == f"http://[::1]:{port}/"
        socket.create_connection(("::1", port), LONGEST_ANSWER).close()


# ---- How far it is


def test_of_a_knockout_it_is_told_how_long_the_rest_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms, tournament = begun(tmp_path / "cup.db", *"abcde", blocks=1, format="knockout")
    now, told = 0.0, []
    monkeypatch.setattr(growing_module, "monotonic", lambda: now)
    growing = Growing(tmp_path / "cup.db")
    with create_or_open(tmp_path / "cup.db") as store:
        for _ in walked(tournament, lambda block: kept(store, terms, block)):
            told.append(growing.look()["progress"])
            now += 30
        now += growing_module.QUIET_SECONDS
        quiet = growing.look()["progress"]
    assert [(each["matches"], each["matches_in_all"]) for each in told] == [(2, 8), (4, 8), (6, 8), (8, 8)]
    assert [each["seconds_left"] for each in told] == [None, 60, 30, 0]
    assert [each["rate"] for each in told] == [None, *[0.07] * 3]
    assert (quiet["rate"], quiet["seconds_left"]) == (0, None)


@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
def test_matches_that_a_withdrawn_bot_would_have_played_are_not_waited_for(
    format: str, tmp_path: Path
) -> None:
    terms, tournament = begun(
        tmp_path / "four.db", "ann", "bob", "crasher", "dan", blocks=10, max_faults=3, format=format
    )
    growing, told = Growing(tmp_path / "four.db"), []
    with create_or_open(tmp_path / "four.db") as store:
        while block := tournament.next_block():
            if tournament.open(block, {}):
                for rotation, match in kept(store, terms, block).items():
                    tournament.add(block.number, rotation, match)
                tournament.settle()
            told.append(growing.look()["progress"])
    whole = told[0]["total"] * 2
    assert (told[0]["matches_in_all"], told[-1]["total"]) == (whole, None)
    later = [each["matches_in_all"] for each in told[len(told) // 4 :]]
    assert max(abs(each - told[-1]["matches"]) for each in later) <= 4 < whole - told[-1]["matches"]


# ---- What may be seen


def begun(path: Path, *names: str, blocks: int, **settings: Any) -> tuple[Terms, Tournament]:
    terms = terms_for(find_game("kali"), {}, 2, blocks=blocks, **settings).with_seed("a seed")
    with create_or_open(path) as store:
        store.begin(terms, [BotRow(name, 0, "", name) for name in names])
        return terms, Tournament(store.plan(terms))


def test_a_match_can_be_opened_when_its_deal_is_over(tmp_path: Path) -> None:
    terms, tournament = begun(tmp_path / "half.db", "ann", "bob", blocks=3)
    block = tournament.next_block()
    assert block
    with create_or_open(tmp_path / "half.db") as store:
        growing = Growing(tmp_path / "half.db")
        kept(store, terms, block)
        store.connection.execute("delete from match where rotation = 1")
        store.connection.execute("delete from seat where rotation = 1")
        store.connection.commit()
        assert growing.look()["latest"][0]["open"] is False
        assert growing.match(MatchKey(0, 0)) is None
        assert Growing(tmp_path / "half.db", open_hands=True).match(MatchKey(0, 0))
        kept(store, terms, block)
        assert growing.look()["latest"][0]["open"] is True
        assert growing.match(MatchKey(0, 0))
        assert growing.match(MatchKey(1, 0)) is None


def test_what_a_bot_wrote_is_told_when_its_deal_is_over(tmp_path: Path) -> None:
    """It may have written what it held: until then only of which kind its fault was."""
    terms, tournament = begun(tmp_path / "half.db", "ann", "crasher", blocks=3)
    block = tournament.next_block()
    assert block
    with create_or_open(tmp_path / "half.db") as store:
        growing = Growing(tmp_path / "half.db")
        kept(store, terms, block)
        store.connection.execute("delete from match where rotation = 1")
        store.connection.execute("delete from seat where rotation = 1")
        store.connection.commit()
        seen = growing.look()
        assert (seen["faults"], seen["faults_kept_back"]) == (
            [],
            [{"bot": "crasher", "kind": "crash", "times": 1}],
        )
        assert "it had to be" not in json.dumps(seen)
        assert "it had to be" in json.dumps(Growing(tmp_path / "half.db", open_hands=True).look())
        kept(store, terms, block)
        seen = growing.look()
    assert [fault["times"] for fault in seen["faults"]] == [2] and not seen["faults_kept_back"]


def test_where_blocks_share_deals_nothing_is_opened_before_the_end(tmp_path: Path) -> None:
    terms, tournament = begun(tmp_path / "shared.db", "ann", "bob", blocks=2, common_deals=True)
    growing = Growing(tmp_path / "shared.db")
    opened = []
    with create_or_open(tmp_path / "shared.db") as store:
        while block := tournament.next_block():
            tournament.open(block, kept(store, terms, block))
            growing.look()
            opened.append(growing.match(MatchKey(0, 0)) is not None)
    assert opened == [False, True]


def test_what_was_over_is_closed_again_when_somebody_joins_who_plays_the_same_deals(tmp_path: Path) -> None:
    path = tmp_path / "joined.db"
    terms, tournament = begun(path, "ann", "bob", blocks=1, common_deals=True)
    growing = Growing(path)
    with create_or_open(path) as store:
        for _ in walked(tournament, lambda block: kept(store, terms, block)):
            pass
        store.finish(1)
        assert growing.look()["progress"]["is_over"] and growing.match(MatchKey(0, 0))
        store.begin(terms, [BotRow("cid", 1, "", "cid")])
        tournament = Tournament(store.plan(terms))
        joined = next(block for block in iter(tournament.next_block, None) if block.number)
        kept(store, terms, joined)
        assert growing.match(joined.key(0)) is None, "also before anybody looks at all of it"
        assert not growing.look()["progress"]["is_over"]
        assert growing.match(MatchKey(0, 0)) is None


def test_who_looks_again_sees_what_somebody_sees_who_looks_first(tmp_path: Path) -> None:
    path = tmp_path / "grows.db"
    terms, tournament = begun(path, *NAMES, blocks=5, max_faults=0)
    growing = Growing(path)
    with create_or_open(path) as store:
        while block := tournament.next_block():
            tournament.open(block, kept(store, terms, block))
            seen, fresh = growing.look(), Growing(path).look()
            for looked in (seen, fresh):
                looked["progress"] = {
                    key: looked["progress"][key] for key in ("matches", "blocks", "total", "is_over")
                }
            assert seen == fresh
        store.connection.execute("delete from match where block > 2")
        store.connection.execute("delete from seat where block > 2")
        store.connection.commit()
        seen, fresh = growing.look(), Growing(path).look()
        assert [seen[key] for key in TOLD_OF_FILES] == [fresh[key] for key in TOLD_OF_FILES]


@pytest.mark.parametrize("game", bundled_games())
def test_onlookers_of_a_running_match_see_what_every_seat_knows(game: str) -> None:
    """Also move by move: no step tells more than the table as it stands, and no event more than to the others."""
    seats = find_game(game).seats[-1]
    terms, names = Terms(game, seats, seed="a seed"), tuple("abcdef"[:seats])
    with new_window(1) as file:
        [playing], [watching] = panes_in(file.fileno()), panes_in(file.fileno())
        playing.seat(MatchKey(5, 0), 3, names)
        played = play(Match(find_game(game), terms.deal_seed(3), names), playing)
        wall = Wall(terms, [watching], delay=0.0, open_hands=False)
        wall.look(0.0)
        glimpses = wall.glimpses(0.0)
        followed = wall.follow(glimpses[0])
        [table] = wall.data(glimpses)["tables"]
    assert followed and len(followed.steps) == len(played.record.turns) + 1
    view: Plain = {}
    for step in followed.steps:
        view |= step["all"]
        assert (step["own"], step["table"]) == ([{}], {})
    others = [
        event.others and event_story(find_game(game), event.others, names)
        for event in followed.state.events or []
    ]
    assert [sentence for step in followed.steps for sentence in step["events"]] == others
    assert view == table["view"] == followed.state.open_view()
    assert set(played.notes.values()) == {"I like it"} and "I like it" not in json.dumps(followed.steps)


def test_where_hands_are_open_a_running_match_is_shown_whole() -> None:
    terms, names = Terms("bali_wrede", 2, seed="a seed"), ("a", "b")
    with new_window(1) as file:
        [playing], [watching] = panes_in(file.fileno()), panes_in(file.fileno())
        playing.seat(MatchKey(5, 0), 3, names)
        play(Match(find_game(terms.game), terms.deal_seed(3), names), playing)
        wall = Wall(terms, [watching], delay=0.0, open_hands=True)
        wall.look(0.0)
        glimpses = wall.glimpses(0.0)
        followed = wall.follow(glimpses[0])
        [table] = wall.data(glimpses)["tables"]
    assert followed
    state = followed.state
    assert table["view"] == state.view(0) | {"you": -1, "whole": state.dump()}
    one, other = ([step["own"][seat].get("held") for step in followed.steps] for seat in (0, 1))
    assert any(one) and one != other


def test_a_match_that_was_opened_before_somebody_joined_is_closed_too(tmp_path: Path) -> None:
    path = tmp_path / "joined.db"
    terms, tournament = begun(path, "ann", "bob", blocks=1, common_deals=True)

    async def opened_before_and_after(store: Store) -> list[bool]:
        shown, opened = show.Show(path), []
        for added in ([], [BotRow("cid", 1, "", "cid")]):
            store.begin(terms, added)
            shown.due = -inf  # a while later
            opened.append(await shown.match(MatchKey(0, 0)) is not None)
        return opened

    with create_or_open(path) as store:
        for _ in walked(tournament, lambda block: kept(store, terms, block)):
            pass
        store.finish(1)
        assert trio.run(opened_before_and_after, store) == [True, False]


def test_another_tournament_at_the_place_of_a_file_is_not_told_by_the_terms_of_the_first(
    tmp_path: Path,
) -> None:
    """It may be one whose blocks share deals, of which nothing may be seen before the end."""
    path = made(tmp_path / "first.db", "ann", "bob", blocks=1)
    terms, tournament = begun(tmp_path / "next.db", "ann", "bob", blocks=2, common_deals=True)
    with create_or_open(tmp_path / "next.db") as store:
        block = tournament.next_block()
        assert block and kept(store, terms, block)

    async def before_and_after() -> None:
        shown = show.Show(path)
        assert await shown.match(MatchKey(0, 0))
        (tmp_path / "next.db").replace(path)
        await shown.up_to_date()
        assert "another tournament has taken the place of first.db" in shown.overview["problem"]
        with pytest.raises(SetupError, match="another tournament"):
            await shown.match(MatchKey(0, 0))

    trio.run(before_and_after)


def test_more_blocks_may_be_agreed_on_while_a_file_is_shown(tmp_path: Path) -> None:
    terms, _ = begun(tmp_path / "grows.db", "ann", "bob", blocks=1)
    growing = Growing(tmp_path / "grows.db")
    with create_or_open(tmp_path / "grows.db") as store:
        store.begin(replace(terms, blocks=5, lengthened=True), [])
    assert growing.look()["tournament"]["blocks"] == growing.look()["progress"]["total"] == 5


def test_all_who_follow_a_match_hear_its_end_also_those_who_came_at_once(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wall_module, "END_LOOKS", 1)

    async def following(playing: Pane, watching: Pane) -> list[list[bytes]]:
        shown, heard = show.Show(file), [list[bytes](), list[bytes]()]
        wall = shown.wall = Wall(shown.growing.terms, [watching], delay=0.0, open_hands=False)

        async def hear(number: int, followed: Followed) -> None:
            async def take(news: bytes) -> None:
                heard[number].append(news)

            await shown.follow(followed, take)

        async def goes_on() -> None:
            await trio.testing.wait_all_tasks_blocked()
            wall.look(trio.current_time())
            shown.carry_on(wall.glimpses(trio.current_time()))
            shown.moved.unpark_all()

        wall.look(trio.current_time())
        both = [await shown.to_follow(MatchKey(77, 0)) for _ in heard]
        with trio.fail_after(LONGEST_ANSWER):
            async with trio.open_nursery() as nursery:
                for number, followed in enumerate(both):
                    assert followed
                    nursery.start_soon(hear, number, followed)
                playing.choose(0)
                await goes_on()
                playing.clear()
                await goes_on()
        assert not shown.followed
        return heard

    with new_window(1) as window:
        [playing], [watching] = panes_in(window.fileno()), panes_in(window.fileno())
        playing.seat(MatchKey(77, 0), 0, ("a", "b"))
        playing.start()
        playing.choose(0)
        one, other = trio.run(following, playing, watching)
    assert one == other
    assert [news.split(b"\n")[0] for news in one] == [b"event: match", *[b"event: steps"] * 2, b"event: over"]


@pytest.mark.parametrize("luck", ["the same", "another"])
def test_a_match_has_its_end_though_its_result_is_stored_a_moment_later(luck: str, tmp_path: Path) -> None:
    """But not that of another match of these bots at this place, which was played because this one was voided."""
    terms, tournament = begun(tmp_path / "late.db", "ann", "bob", blocks=1)
    block, shown = tournament.next_block(), show.Show(tmp_path / "late.db")
    assert block
    key = block.key(0)
    match = Match(find_game("kali"), terms.deal_seed(block.deal), block.lineup, key=key.short())
    with new_window(1) as window, create_or_open(tmp_path / "late.db") as store:
        [playing], [watching] = panes_in(window.fileno()), panes_in(window.fileno())
        playing.seat(key, block.deal, block.lineup)
        play(match if luck == "the same" else replace(match, key="another"), playing)
        wall = Wall(terms, [watching], delay=0.0, open_hands=False)
        wall.look(0.0)
        followed = wall.follow(wall.glimpses(0.0)[0])
        assert followed
        shown.followed[key] = followed
        shown.carry_on({})
        assert followed.result is None
        ranks = kept(store, terms, block)[0].ranks
        shown.carry_on({})
    assert followed.result is not None and followed.result.get("ranks") == (
        ranks if luck == "the same" else None
    )


def test_a_match_that_is_never_stored_ends_without_a_result(file: Path) -> None:
    followed = Followed(Terms("kali", 2), Glimpse(1, MatchKey(77, 0), 0, ("a", "b"), []), open_hands=False)
    shown = show.Show(file)
    shown.followed[MatchKey(77, 0)] = followed
    for _ in range(END_LOOKS):
        assert followed.result is None
        shown.carry_on({})
    assert followed.result == {}


def test_once_a_run_has_ended_no_table_is_on_the_wall_any_more(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, ticks = list[int](), list[int]()
    monkeypatch.setattr(show, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(show, "SHARE", 0)
    monkeypatch.setattr(show, "PICTURES_PER_SECOND", inf)
    monkeypatch.setattr(show, "picture", lambda wall, glimpses: told.append(len(glimpses)) or b"")
    monkeypatch.setattr(show.Show, "carry_on", lambda self, glimpses: ticks.append(len(glimpses)))

    async def to_the_end(watching: Pane) -> list[str]:
        shown = show.Show(file)
        wall = shown.wall = Wall(shown.growing.terms, [watching], delay=0.0, open_hands=False)
        wall.look(trio.current_time())
        with trio.fail_after(LONGEST_ANSWER), shown.feed.listening():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(shown.run)
                while 1 not in told:
                    await trio.lowlevel.checkpoint()
                await shown.end()
                ticks.clear()
                while len(ticks) < 3:
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
        return list(shown.feed.latest)

    with new_window(1) as window:
        [playing], [watching] = panes_in(window.fileno()), panes_in(window.fileno())
        playing.seat(MatchKey(77, 0), 0, ("a", "b"))
        playing.start()
        assert trio.run(to_the_end, watching) == ["overview", "wall", "ended"]
    assert told[-1] == 0 and told.count(0) == 1
    assert ticks[-1] == 1, "who still hears a match out is not left alone"


class Shown(Pane):
    """A place at which a test puts what it likes."""

    def __init__(self) -> None:
        self.now: Any = None

    def look(self) -> Any:
        return self.now


def test_what_is_shown_later_is_shown_as_it_was() -> None:
    place = Shown()
    wall = Wall(Terms("kali", 2), [place], delay=10.0, open_hands=False)
    seen = []
    for second in range(25):
        place.now = second if second >= 3 else None
        wall.look(float(second))
        seen.append(wall.glimpses(float(second)).get(0))
    assert seen == [None] * 13 + list(range(3, 15))
    assert len(wall.places[0].taken) <= 12


def test_of_what_nobody_looks_at_no_more_is_kept_than_may_still_be_shown() -> None:
    wall = Wall(Terms("kali", 2), [Shown()], delay=10.0, open_hands=False)
    for second in range(100):
        wall.look(float(second))
    assert len(wall.places[0].taken) <= 12


def test_a_match_that_makes_no_sense_is_not_shown() -> None:
    with new_window(1) as file:
        [playing], [watching] = panes_in(file.fileno()), panes_in(file.fileno())
        playing.seat(MatchKey(0, 0), 0, ("a", "b"))
        playing.start()
        playing.choose(77)
        wall = Wall(Terms("kali", 2, seed="x"), [watching], delay=0.0, open_hands=False)
        wall.look(0.0)
        glimpses = wall.glimpses(0.0)
        assert wall.data(glimpses)["tables"] == []
        assert wall.follow(glimpses[0]) is None


# ---- As files


def test_the_same_site_can_be_files(file: Path, site: Served, tmp_path: Path) -> None:
    told = json.loads(dalang("serve", str(file), "--static", str(tmp_path / "site"), "--json"))
    assert told == {"folder": str(tmp_path / "site"), "matches": 24}
    written = json.loads((tmp_path / "site" / "overview.json").read_text())
    asked = json.loads(site.ask("/overview.json").body)
    assert written["standings"] == asked["standings"]
    match = (tmp_path / "site" / "match" / "3.1.json").read_bytes()
    assert match == site.ask("/match/3.1.json").body
    assert 'data-source="files"' in (tmp_path / "site" / "index.html").read_text()
    assert not list(tmp_path.rglob("*.new"))


def test_of_many_matches_only_so_many_are_written(file: Path, tmp_path: Path) -> None:
    told = json.loads(dalang("serve", str(file), "--static", str(tmp_path), "--matches", "5", "--json"))
    assert told["matches"] == len(list((tmp_path / "match").iterdir())) == 5
    complaint = dalang("serve", str(file), "--static", str(file / "in"), code=2)
    assert "cannot be written" in complaint


def test_files_are_written_anew_while_the_tournament_goes_on(tmp_path: Path) -> None:
    terms, tournament = begun(tmp_path / "grows.db", "ann", "bob", blocks=3)
    [written] = static.begun([tmp_path / "grows.db"], tmp_path / "site", most=10, open_hands=False)
    told = []
    with create_or_open(tmp_path / "grows.db") as store:
        while block := tournament.next_block():
            tournament.open(block, kept(store, terms, block))
            if tournament.is_over():
                store.finish(terms.blocks)
            is_going_on = written.write()
            overview = json.loads((tmp_path / "site" / "overview.json").read_text())
            told.append((is_going_on, overview["progress"]["is_over"], overview["written"]))
    assert told == [(True, False, 2), (True, False, 4), (True, True, 6)]
    assert not written.write(), "all that may be shown is there"
    assert len(list((tmp_path / "site" / "match").iterdir())) == 6


def test_what_files_are_told_to_open_is_there(file: Path, tmp_path: Path) -> None:
    """Also the latest matches, for which there is room when all is over."""
    [written] = static.begun([file], tmp_path, most=8, open_hands=False)
    written.write()
    told = json.loads((tmp_path / "overview.json").read_text())["latest"]
    can_be_opened = {f"{each['block']}.{each['rotation']}.json" for each in told if each["open"]}
    assert can_be_opened < {each.name for each in (tmp_path / "match").iterdir()}
    assert [each["open"] for each in told[:2]] == [True, True]


def test_files_of_what_is_over_are_written_without_a_rest(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    monkeypatch.setattr(static, "AT_A_TIME", 10)
    monkeypatch.setattr(static, "write_all", lambda folder, files: None)
    monkeypatch.setattr(serve_command.time, "sleep", told.append)
    serve_command.write_site((file,), tmp_path, 1000, open_hands=False, json_=True)
    assert not told and len(list((tmp_path / "match").iterdir())) == 24


def test_matches_of_two_tournaments_never_lie_in_one_folder(file: Path, tmp_path: Path) -> None:
    dalang("serve", str(file), "--static", str(tmp_path), "--matches", "1")
    dalang("serve", str(file), "--static", str(tmp_path), "--matches", "1")
    shown = tmp_path / "overview.json"
    shown.write_text(re.sub('"commitment":"[0-9a-f]*"', '"commitment":"another"', shown.read_text()))
    assert "shows another tournament" in dalang("serve", str(file), "--static", str(tmp_path), code=2)


# ---- What it costs


def test_nobody_looks_at_the_file_for_nobody(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr(Growing, "look", lambda self: looked.append(1) or {})

    async def waiting() -> None:
        shown = show.Show(file)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shown.run)
            await trio.testing.wait_all_tasks_blocked()
            assert not looked
            with shown.feed.listening():
                while not looked:
                    await trio.testing.wait_all_tasks_blocked(0.01)
            nursery.cancel_scope.cancel()

    trio.run(waiting)


def test_however_much_there_was_to_read_the_next_look_is_not_far_away(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show, "timed", lambda work: (work(), 1000.0))

    async def waits() -> float:
        shown = show.Show(file)
        await shown.refresh()
        return shown.due - trio.current_time()

    assert trio.run(waits, clock=trio.testing.MockClock()) == show.LONGEST_PAUSE


def test_an_event_is_one_line_of_data() -> None:
    assert event("sort", {"text": "a\nb"}).count(b"\n") == 3
