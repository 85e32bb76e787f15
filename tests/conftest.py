from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.rosenberg", "tests.tables")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-playthroughs", action="store_true", help="write the golden games in tests/playthroughs anew"
    )
