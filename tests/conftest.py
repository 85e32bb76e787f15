from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("tests.rosenberg", "tests.tables")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-playthroughs", action="store_true", help="write the golden games in tests/playthroughs anew"
    )


@pytest.fixture
def from_a_terminal() -> Iterator[None]:
    """Children heed Ctrl-C and a lost terminal, also where the tests run in the background or under nohup."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
