"""The page for spectators in a real browser, while a tournament is played and as files."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dalang.engine.catalogue import find_game
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.machine_tables import add_machine
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.store import BotRow
from tests.browser import Page
from tests.refereed import kept, made
from tests.spectators import run_with_spectators, served
from tests.test_tournament import STRANGE, dalang

pytestmark = pytest.mark.slow

TRICKY = "</script><img src=x onerror=\"document.title='fooled'\">&\u202etricky"
STILL_THERE = "window.wasHere = true"
ROOMY_FLAGS = ("--startup-time", "30", "--prepare-time", "30", "--move-time", "60")


class Growth:
    """A tournament that is played block by block, as a test wishes."""

    def __init__(self, path: Path, *names: str, **settings: Any) -> None:
        self.path = path
        self.terms = terms_for(find_game("kali"), {}, 2, **settings).with_seed("a seed")
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
        page.until("document.querySelector('#now .after button')")
        assert page.text("#now .counter") != before
        assert "The game is over." in page.text("#now .happened")
        assert "Place" in page.text("#now .result")
        page.until("document.querySelector('#progress').textContent.includes('finished')")
        site.process.wait(60)
    page.until("document.querySelector('#progress').textContent.includes('lost')")
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
        yield f"http://127.0.0.1:{host.server_port}/"
        host.shutdown()
        thread.join()


def test_the_page_is_the_same_from_files_on_any_host(page: Page, tmp_path: Path) -> None:
    names = ("ann", "bob", "cid", "dan", "eve")
    knockout = made(tmp_path / "cup.db", *names, format="knockout", blocks=1, name="A cup")
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
        page.visit(address, "cup/#match=0.1&seat=1&step=2")
        page.until("document.querySelector('#matches .counter')?.value?.startsWith('2 / ')")
        assert page.texts("#machines tbody th") == ["(this file's own)", "<b>far away"]
        assert "Final" in page.texts("#rounds h3")[-1]
        assert "6 of 8 matches can be opened here." in page.text("#matches")
        assert page.run("document.querySelectorAll('#rounds .through').length") >= 4
        page.visit(address, "swiss/")
        assert page.texts("#rounds thead th")[:3] == ["Bot", "Points", "Buchholz"]
        assert len(page.texts("#rounds thead th")) == 6
        assert page.run("document.querySelector('#now').hidden")
        page.visit(address, "compared/")
        assert "It is decided: the candidate is good." in page.text("#comparison")
        assert page.texts("#comparison svg .end") == ["accept 0.3", "accept 0"]
        assert page.run("document.querySelectorAll('#comparison svg .line').length") == 2
        look_on_a_phone(page)
        page.leave()
