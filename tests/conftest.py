from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.browser import Page, browsing, chromium

pytest.register_assert_rewrite("tests.rosenberg", "tests.tables")

CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}

settings.register_profile("full", deadline=None)  # a busy machine may take its time for an example
settings.load_profile("full")
settings.register_profile("lean", max_examples=25)
"""For another Python after the whole was run with one: `--hypothesis-profile lean` tries everything, but less often."""

TOGETHER = (
    "tests/test_attackers.py::test_attackers_gain_nothing_and_nobody_is_harmed",
    "tests/test_cluster.py",
    "tests/test_docs.py::test_the_site",
    "tests/test_live.py",
    "tests/test_report.py",
    "tests/test_serve.py",
    "tests/test_spec.py",
    "tests/test_wheel.py",
)
"""Tests that share what takes long to make: one worker runs them all."""
ON_EVERY_PYTHON = (
    "tests/test_arena.py",
    "tests/test_fuzz.py",
    "tests/test_gates.py",
    "tests/test_isolation.py",
    "tests/test_packages.py",
    "tests/test_play.py",
    "tests/test_rest.py",
    "tests/test_tournament.py::test_a_run_killed_again_and_again_ends_like_one_that_was_never_touched",
    "tests/test_tournament.py::test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on",
    "tests/test_usage.py",
    "tests/test_wheel.py",
    "tests/test_workers.py",
)
"""Slow tests of what another Python may change: processes, pipes, signals, terminals, what is installed, and the errors
of the standard library. The other slow ones are about what is played and told."""
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


@pytest.hookimpl(optionalhook=True)  # for runs without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class ByWhatIsShared(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((shared for shared in TOGETHER if nodeid.startswith(shared)), nodeid)

    return ByWhatIsShared(config, log)


def pytest_configure() -> None:
    """Of workers that test at once, each keeps to a core of its own with all that it starts.

    A dalang that may use one core plays with one worker, which costs least; and none is pinned to where another plays.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(CORES)[int(worker.removeprefix("gw")) % len(CORES)]})


@pytest.fixture
def all_cores() -> Iterator[None]:
    """For tests of what many workers do: they truly run at the same time."""
    if hasattr(os, "sched_setaffinity"):
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, CORES)
        yield
        os.sched_setaffinity(0, before)
    else:
        yield


@pytest.hookimpl(tryfirst=True)  # before anybody selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in MARKED_BY_FIXTURE.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKED_BY_FIXTURE[fixture])
        if item.nodeid.startswith(ON_EVERY_PYTHON):
            item.add_marker("every_python")


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
    browser.site = ""
    yield browser
    assert browser.complaints() == []
