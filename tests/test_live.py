"""The page for spectators in a real browser, while a tournament is played and as files."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.blocks import MatchKey
from dalang.harness.report.data import packed_for_page
from dalang.harness.serve.growing import Growing
from dalang.harness.serve.wall import Followed, Wall
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.machine_tables import add_machine
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.store import BotRow
from dalang.harness.tournament.window import Glimpse
from tests.browser import Page
from tests.refereed import kept, made
from tests.spectators import run_with_spectators, served
from tests.test_tournament import STRANGE, dalang

pytestmark = pytest.mark.slow

TRICKY = "</script><img src=x onerror=\"document.title='fooled'\">&\u202etricky"
STILL_THERE = "window.wasHere = true"
TOLD_BY_HAND = """
window.sources = {};
window.EventSource = class extends EventTarget {
  constructor(path) { super(); this.readyState = 1; sources[path] = this; }
  close() { this.readyState = EventSource.CLOSED; }
  static CLOSED = 2;
};
"""
"""What a page hears with: whoever tests it says what comes, and when."""
ROOMY_FLAGS = ("--startup-time", "30", "--prepare-time", "30", "--move-time", "60")


class Growth:
    """A tournament that is played block by block, as a test wishes."""

    def __init__(self, path: Path, *names: str, seats: int = 2, **settings: Any) -> None:
        self.path = path
        self.terms = terms_for(find_game("kali"), {}, seats, **settings).with_seed("a seed")
        with create_or_open(path) as store:
            store.begin(self.terms, [BotRow(name, 0, "", name) for name in names])
            self.tournament = Tournament(store.plan(self.terms))

    def play(self, blocks: int) -> None:
        with create_or_open(self.path) as store:
            for _ in range(blocks):
                block = self.tournament.next_block()
                assert block
                self.tournament.open(block, kept(store, self.terms, block))
            if self.tournament.is_over():
                store.finish(self.terms.blocks)


def matches_of(bot: str) -> str:
    return (
        "Number([...document.querySelectorAll('#standings tbody tr')].find((row) => "
        f"row.querySelector('th').textContent.startsWith('{bot}'))?.querySelector('[data-column=Matches]').textContent)"
    )


def test_a_run_in_progress_updates_the_page_without_a_reload(page: Page, tmp_path: Path) -> None:
    growth = Growth(tmp_path / "grows.db", "ann", TRICKY, "crasher", blocks=4, name=TRICKY, max_faults=0)
    growth.play(3)
    with served(growth.path) as site:
        page.visit(site.address)
        page.run(STILL_THERE)
        page.until(f"{matches_of('ann')} === 4")
        assert page.run("document.querySelector('#progress progress').max") == 24
        find_that_a_run_goes_on_after_its_end(page)
        refuse_the_feed_once(page)
        page.run("document.querySelector('#faults summary').click()")
        page.run("document.querySelector('#faults summary').focus()")
        growth.play(5)
        page.until(f"{matches_of('ann')} === {4 + 2 * 4 - 2}")
        assert page.run("document.querySelector('#faults details').open"), "what was unfolded stays so"
        assert page.run("document.activeElement.matches('#faults summary')")
        assert "block 8 of 12" in page.text("#progress")
        growth.play(4)
        page.until("document.querySelector('#progress').textContent.includes('finished')")
        page.until("document.querySelector('#announcer').textContent.includes('finished')")
        assert page.run("window.wasHere")
        assert page.run("document.title") != "fooled"
        assert TRICKY.replace("\u202e", "·") in page.text("#name")
        assert page.run("document.querySelectorAll('img').length") == 0
        look_at_a_finished_match(page)
        look_on_a_phone(page)
        page.leave(forgiving="404")


def find_that_a_run_goes_on_after_its_end(page: Page) -> None:
    """The news that it has ended is made up; that somebody serves the page again is not."""
    page.run(
        "const Any = EventSource; window.EventSource = class extends Any "
        "{ constructor(at) { super(at); window.feed = this; window.EventSource = Any; } }; null"
    )
    page.hide(True)
    page.hide(False)
    page.until("window.feed?.readyState === EventSource.OPEN")
    page.run("feed.dispatchEvent(new Event('ended')) && null")
    assert "the run has ended" in page.text("#progress")
    page.run("feed.dispatchEvent(new Event('error')) && null")
    assert "The page has ended with the run." in page.text("#progress")
    page.hide(True)
    page.hide(False)
    page.until("!document.querySelector('#progress').textContent.includes('ended')")


def refuse_the_feed_once(page: Page) -> None:
    """As a host that is full does: a browser does not ask again after that, so the page must."""
    page.run(
        "const Real = EventSource; window.EventSource = "
        "class extends Real { constructor() { super('nowhere'); window.EventSource = Real; } }; null"
    )
    page.hide(True)
    page.hide(False)
    page.until("document.querySelector('#progress').textContent.includes('lost')")
    page.until("!document.querySelector('#progress').textContent.includes('lost')")


def look_at_a_finished_match(page: Page) -> None:
    """By its number, by the list, and by its address; with hostile notes and all."""
    page.run("document.querySelector('#which').value = '0.1'")
    page.click(".finder button")
    page.until("document.querySelector('#matches .counter')?.value?.startsWith('0 / ')")
    page.run("document.querySelector('#matches .viewer').focus()")
    page.press("End")
    page.until("location.hash.startsWith('#match=0.1&seat=-1&step=')")
    assert "The game is over." in page.text("#matches .happened")
    page.run("document.querySelector('#which').value = '77.0'")
    page.click(".finder button")
    page.until("document.querySelector('#matches .problem').textContent.includes('77.0')")
    page.click(".latest button")
    page.until("document.querySelector('#matches .problem').textContent === ''")
    page.run("location.hash = '#match=1.0&seat=0&step=3'")
    page.until("document.querySelector('#matches .counter')?.value?.startsWith('3 / ')")


def look_on_a_phone(page: Page) -> None:
    page.size(390, 844, phone=True)
    page.until("innerWidth === 390")
    assert page.run("document.documentElement.scrollWidth") == 390


def test_a_running_match_can_be_followed_to_its_end(page: Page, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = shlex.join([sys.executable, str(STRANGE / "waits_for.py"), str(gate)])
    bots = ["first", f"waits={waits}"]
    settings = ["--blocks", "1", "--jobs", "1", "--isolate", "none", "--seed", "1", *ROOMY_FLAGS]
    with run_with_spectators("bali_wrede", *bots, *settings, "--db", tmp_path / "a.db") as site:
        page.visit(site.address)
        page.until("document.querySelector('.at-table .asked')?.textContent === 'waits'")
        assert "Shown is what every seat knows." in page.text("#now")
        page.click(".at-table button")
        page.until("document.querySelector('#now .counter')?.value")
        before = page.text("#now .counter")
        page.run("document.querySelector('#now .raw').open = true")
        page.until("document.querySelector('#now .raw pre').textContent.includes('held')")
        view = page.run("JSON.parse(document.querySelector('#now .raw pre').textContent)")
        assert (view["you"], view["held"]) == (-1, [])
        assert page.run("document.querySelectorAll('#now .stage svg').length") > 2
        page.hide(True)
        page.hide(False)
        page.until("document.querySelector('#now .counter')?.value")
        assert page.text("#now .counter") == before, "shown again, it is followed again"
        gate.touch()
        page.until("document.querySelector('#now .after:not([hidden])')")
        assert page.text("#now .counter") != before
        assert "The game is over." in page.text("#now .happened")
        assert "Place" in page.text("#now .result")
        page.until("document.querySelector('#progress').textContent.includes('finished')")
        site.process.wait(60)
    page.until("document.querySelector('#progress').textContent.includes('The page has ended with the run.')")
    assert "lost" not in page.text("#progress")
    assert page.run("document.querySelectorAll('.at-table').length") == 0, "nothing is played any more"
    assert page.texts("#standings tbody th") and page.run("document.title") != "fooled"
    page.run("document.querySelector('#which').value = '0.0'")
    page.click(".finder button")
    page.until("document.querySelector('#matches .problem').textContent.includes('cannot be reached')")
    page.leave(forgiving="net::ERR")


@contextmanager
def web_host(folder: Path) -> Iterator[str]:
    """Any web host that knows nothing but files."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as host:
        thread = Thread(target=host.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{host.server_port}/"
        finally:
            host.shutdown()
            thread.join()


def test_the_page_is_the_same_from_files_on_any_host(page: Page, tmp_path: Path) -> None:
    names = ("ann", "bob", "cid", "dan", "long " * 7 + "name")
    more = ("fay", "gil", "hal")
    knockout = made(tmp_path / "cup.db", *names, *more, format="knockout", blocks=1, name="A cup")
    swiss = made(tmp_path / "swiss.db", *names, format="swiss", blocks=3, name="A Swiss")
    with create_or_open(knockout) as store:
        store.finish(1)
        far = add_machine(store, "<b>far away", 1234.0, {})
        with store.writing():
            store.connection.execute("insert into match_machine values (0, 0, ?)", [far])
    compared = tmp_path / "compared.db"
    dalang("compare", "kali", "bold", "random", "--sprt", "0,0.3", "--seed", "1", "--isolate", "none", "--db",
           str(compared))  # fmt: skip
    files = map(str, (knockout, swiss, compared))
    dalang("serve", *files, "--static", str(tmp_path / "site"), "--matches", "6")
    with web_host(tmp_path / "site") as address:
        page.visit(address, "cup/#match=0.0&seat=1&step=2")
        page.until("document.querySelector('#matches .counter')?.value?.startsWith('2 / ')")
        assert page.texts("#machines tbody th") == ["(this file's own)", "<b>far away"]
        assert "Final" in page.texts("#rounds h3")[-1]
        assert "6 of 14 matches can be opened here." in page.text("#matches")
        look_at_the_bracket(page)
        page.visit(address, "swiss/")
        assert page.texts("#rounds thead th")[:3] == ["Bot", "Points", "Buchholz"]
        assert len(page.texts("#rounds thead th")) == 6
        assert "long long lon…" in page.texts("#rounds td bdi"), "or later rounds would not be seen"
        assert page.run("document.querySelector('#now').hidden")
        page.visit(address, "compared/")
        assert "It is decided: the candidate is good." in page.text("#comparison")
        assert page.texts("#comparison svg .end") == ["accept 0.3", "accept 0"]
        assert page.run("document.querySelectorAll('#comparison svg .line').length") == 2
        tell_of_a_test_that_is_undecided(page, tmp_path / "site" / "compared" / "overview.json")
        look_on_a_phone(page)
        page.visit(address, "cup/")
        look_again_while_matches_are_written(page, tmp_path / "site" / "cup" / "overview.json")
        page.leave()


def look_at_the_bracket(page: Page) -> None:
    """Who meets in a round comes from ties that lie beside each other; on a phone the bracket alone is too wide."""
    ties = "[...round.querySelectorAll('.tie')]"
    whose = "[...tie.querySelectorAll('{}')].map((each) => each.textContent).sort()"
    rounds = f"[...document.querySelectorAll('#rounds .round')].map((round) => {ties}.map((tie) => {whose}))"
    played = page.run(rounds.format(".whose"))
    through = page.run(rounds.format(".through .whose"))
    assert [len(ties) for ties in through] == [4, 2, 1]
    for winners, following in pairwise(zip(through, played, strict=True)):
        pairs = zip(winners[0][::2], winners[0][1::2], strict=True)
        assert [sorted(one + other) for one, other in pairs] == following[1]
    look_on_a_phone(page)
    assert is_cut(page, "#rounds .scroll")
    page.until("document.querySelector('#rounds .scroll.cut')")


def is_cut(page: Page, selector: str) -> bool:
    frame = f"document.querySelector('{selector}')"
    found: bool = page.run(f"{frame}.scrollWidth > {frame}.clientWidth")
    return found


# ---- A page that is told by hand


LEAGUE_LINE = {"place": 1, "rating": 0.5, "blocks": 9, "is_anchor": False, "withdrawn": ""}
LEAGUE = {
    "rounds": 9,
    "refused": [],
    "lines": [
        {**LEAGUE_LINE, "bot": "the very best of all", "division": 1, "strength": "70 %"},
        {**LEAGUE_LINE, "bot": "another", "division": 2, "strength": "30 %"},
    ],
}
"""As a file tells it."""


class Hearer:
    """A live page whose news come from the test, made by what makes them for a feed."""

    def __init__(self, page: Page, growth: Growth) -> None:
        self.page = page
        self.growing = Growing(growth.path)
        self.wall = Wall(growth.terms, [], 0.0, open_hands=False)

    def hear(self, sort: str, news: Plain, source: str = "feed") -> None:
        data = json.dumps({"data": packed_for_page(news)})
        self.page.run(f"sources['{source}'].dispatchEvent(new MessageEvent('{sort}', {data})) && null")

    def look(self) -> Plain:
        """What the file tells is told, and shown."""
        overview = self.growing.look()
        self.hear("overview", overview)
        self.page.until(
            f"document.querySelector('#progress').textContent.startsWith('{overview['progress']['matches']} ')"
        )
        self.page.until("document.querySelector('#standings tbody tr')")
        return overview

    def play(self, *glimpses: Glimpse) -> None:
        """The wall, with a table for each of these."""
        self.hear("wall", self.wall.data(dict(enumerate(glimpses))))
        decisions = json.dumps([f", decision {len(each.choices)}" for each in glimpses])
        shown = "[...document.querySelectorAll('.at-table h3')].map((each) => each.textContent.replace(/.*(?=,)/, ''))"
        self.page.until(f"JSON.stringify({shown}) === JSON.stringify({decisions})")


@contextmanager
def heard(page: Page, growth: Growth, moment: str = "") -> Iterator[Hearer]:
    """A page that was opened, and has been told nothing yet."""
    added = page.send("Page.addScriptToEvaluateOnNewDocument", source=TOLD_BY_HAND)
    try:
        with served(growth.path) as site:
            page.site = site.address
            page.send("Page.navigate", url=site.address + moment)
            page.until("window.sources?.feed")
            yield Hearer(page, growth)
            page.leave(forgiving="404")
    finally:
        page.send("Page.removeScriptToEvaluateOnNewDocument", **added)


def glimpse(block: int, choices: int, *names: str) -> Glimpse:
    """Of a match in which always the first move is chosen."""
    return Glimpse(block, MatchKey(block, 0), block, names or ("ann", "bob"), [0] * choices)


def focused(page: Page) -> str | None:
    found: str | None = page.run("document.activeElement.getAttribute('aria-label')")
    return found


def top_of(page: Page, selector: str) -> float:
    found: float = page.run(f"document.querySelector('{selector}').getBoundingClientRect().top + scrollY")
    return found


def test_nothing_is_taken_from_under_the_hand_of_who_looks_on(page: Page, tmp_path: Path) -> None:
    growth = Growth(tmp_path / "grows.db", "ann", "bob", blocks=20)
    growth.play(1)
    with heard(page, growth) as here:
        here.look()
        here.play(glimpse(1, 0), glimpse(2, 2))
        top = top_of(page, "#standings")
        page.run("window.button = document.querySelector('[aria-label=\"Follow table 2\"]')")
        page.run("button.focus()")
        page.run("document.addEventListener('focusin', () => (window.wasMoved = true))")
        here.play(glimpse(1, 5), glimpse(12345, 4))
        assert page.run("button.isConnected && document.activeElement === button && !window.wasMoved")
        assert top_of(page, "#standings") == top
        page.run("button.click()")
        assert page.run("'follow/12345.0' in sources"), "followed is what is played there now"
        here.play(glimpse(1, 6))
        page.run("document.querySelector('[aria-label=\"Open match 0.1\"]').focus()")
        growth.play(1)
        here.look()
        assert focused(page) == "Open match 0.1"
        growth.play(6)
        here.look()
        assert focused(page) == "The latest matches", "never the button of another match"


def test_a_match_that_went_by_shows_no_other_one_and_what_is_refused_is_seen(
    page: Page, tmp_path: Path
) -> None:
    growth = Growth(tmp_path / "grows.db", "ann", "bob", blocks=20)
    growth.play(1)
    with heard(page, growth) as here:
        here.look()
        first, second = glimpse(5, 3), glimpse(6, 0)
        here.play(first, second)
        followed = Followed(growth.terms, first, open_hands=False)
        followed.goes_on(first)
        page.click("[aria-label='Follow table 1']")
        here.hear("match", followed.about(), "follow/5.0")
        page.until("document.querySelector('#now .viewer').checkVisibility()")
        page.click("#now [aria-label='Step forward']")
        here.hear("steps", followed.steps, "follow/5.0")
        page.until("document.querySelector('#now .counter').value === '3 / 3'")
        assert page.run("document.querySelector('#now .happened').ariaLive") == "off"
        page.click("#now [aria-label='Step back']")
        assert page.run("document.querySelector('#now .happened').ariaLive") == "polite"
        assert page.run("document.querySelector('#now .counter').ariaLive") == "off"
        here.hear("over", {"ranks": [1, 2], "scores": [3, 2]}, "follow/5.0")
        page.until("document.querySelector('#now .after').checkVisibility()")
        page.run("[...document.querySelectorAll('#now .after button')].at(-1).click()")
        page.until(in_sight("#matches .problem"))
        overview = here.look()
        here.hear(
            "overview",
            {**overview, "latest": [{**overview["latest"][0], "block": 5, "rotation": 0, "open": False}]},
        )
        page.until(
            "document.querySelector('#now .after').innerText.includes('its deal is still being played')"
        )
        assert "See all" not in page.text("#now .after")
        page.click("[aria-label='Follow table 2']")
        page.run(
            "sources['follow/6.0'].close(); sources['follow/6.0'].dispatchEvent(new Event('error')) && null"
        )
        assert "Match 6.0 was over before it could be followed" in page.text("#now")
        assert "See all" in page.text("#now .after")
        assert not page.run("document.querySelector('#now .viewer').checkVisibility()")


def in_sight(selector: str) -> str:
    place = f"document.querySelector('{selector}').getBoundingClientRect()"
    return f"{place}.height > 0 && {place}.top >= 0 && {place}.bottom <= innerHeight"


def test_what_is_read_aloud_is_new_all_of_it_and_not_too_often(page: Page, tmp_path: Path) -> None:
    growth = Growth(tmp_path / "grows.db", "ann", "crasher", blocks=20)
    growth.play(2)
    with heard(page, growth) as here:
        page.run("performance.now = () => 100000")
        overview = here.look()
        lines = overview["standings"]["standings"]
        assert (lines[0]["name"], lines[1]["faults"]) == ("ann", {"crash": 4})
        assert page.text("#announcer") == "", "it was so when the page was opened"
        page.run("performance.now = () => 200000")
        turned = {**overview["standings"], "standings": lines[::-1]}
        uncounted = {**overview["uncounted"], "faults": 50}
        here.hear("overview", {**overview, "standings": turned, "uncounted": uncounted})
        page.until("document.querySelector('#announcer').textContent === 'crasher leads. 54 faults so far.'")
        here.hear("overview", {**overview, "uncounted": {**uncounted, "faults": 60}})
        page.until("document.querySelector('#announcer').textContent === 'ann leads.'")


def test_a_shared_moment_need_not_wait_for_the_standings(page: Page, tmp_path: Path) -> None:
    growth = Growth(tmp_path / "grows.db", "ann", "bob", "a longer name", "dan", seats=4, blocks=2)
    growth.play(1)
    with heard(page, growth, "#match=0.0&seat=0&step=1") as here:
        here.hear("overview", here.growing.glance())
        page.until("document.querySelector('#matches .counter')?.value.startsWith('1 / ')")
        assert "The file is being read" in page.text("#standings")
        dots = "[...document.querySelectorAll('#matches .eyes .dot')]"
        assert page.run(f"new Set({dots}.map((each) => each.style.background)).size") == 4
        page.size(390, 844, phone=True)
        overview = here.look()
        assert not is_cut(page, ".latest .scroll"), "a button that cannot be seen is none"
        here.hear("overview", {**overview, "league": LEAGUE})
        page.until("document.querySelectorAll('#league table').length === 2")
        assert page.texts("#league [data-column=Strength]") == ["70 %", "30 %"]
        assert not is_cut(page, "#league .scroll")


def tell_of_a_test_that_is_undecided(page: Page, overview: Path) -> None:
    progress = json.loads(overview.read_text())["progress"]
    tell_anew(overview, progress=progress | {"is_over": False, "seconds_left": 60})
    page.hide(True)
    page.hide(False)
    page.until("document.querySelector('#progress').textContent.includes('at most 60 seconds left')")


def look_again_while_matches_are_written(page: Page, overview: Path) -> None:
    """Also when all is played already."""
    page.run("const later = setTimeout; window.setTimeout = (act) => later(act, 10); null")
    tell_anew(overview, goes_on=True, written=5)
    page.hide(True)
    page.hide(False)
    page.until("document.querySelector('#matches').textContent.includes('5 of 14 matches')")
    tell_anew(overview, goes_on=True, written=7)
    page.until("document.querySelector('#matches').textContent.includes('7 of 14 matches')")


def tell_anew(overview: Path, **changed: Any) -> None:
    """A host of files tells new from old by the second, and nobody here waits for one."""
    beside = overview.with_name("beside")
    beside.write_text(json.dumps(json.loads(overview.read_text()) | changed))
    now = overview.stat().st_mtime + 2
    os.utime(beside, (now, now))
    beside.replace(overview)
