from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.browser import Page, browsing, chromium

pytest.register_assert_rewrite("tests.rosenberg", "tests.tables")

MARKED_BY_FIXTURE = {"browser": "browser", "built": "compiler"}
"""Whoever asks for the fixture gets the mark, so that a run can go without."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-playthroughs", action="store_true", help="write the golden games in tests/playthroughs anew"
    )
    parser.addoption(
        "--fuzz-seconds", type=float, default=2.0, help="for how long tests/test_fuzz.py tries each gate"
    )
    parser.addoption("--fuzz-from", type=int, default=0, help="the case with which tests/test_fuzz.py begins")


@pytest.hookimpl(tryfirst=True)  # before anybody selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in MARKED_BY_FIXTURE.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKED_BY_FIXTURE[fixture])


@pytest.fixture
def from_a_terminal() -> Iterator[None]:
    """Children heed Ctrl-C and a lost terminal, also where the tests run in the background or under nohup."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# ---- Pages in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    program = chromium()
    if program is None:
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing("there is no chromium to look at the page with; on Debian: apt-get install chromium")
    with browsing(program) as page:
        yield page


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    """The browser with a desktop's window; afterwards it must have nothing to complain about."""
    browser.size(1280, 900)
    browser.prefer("light")
    browser.events.clear()
    yield browser
    assert browser.complaints() == []
