"""Every table the contract is tested at, and the golden games."""

from __future__ import annotations

from typing import Any

from dalang.engine.catalogue import bundled_games, games
from dalang.testing import Table, tables_of

GOLDEN: dict[str, list[dict[str, Any]]] = {
    "bali_wrede": [{}, {"oracle": True, "demon": True}],
    "bali_rosenberg": [{"max_turns": 16}],
}
"""The option sets of the golden games, where these are not the defaults alone."""

TABLES = [table for game in games().values() for table in tables_of(game)]
PLAYTHROUGHS = [
    Table(games()[name], seats, options)
    for name in bundled_games()
    for seats in games()[name].seats
    for options in GOLDEN.get(name, [{}])
]
