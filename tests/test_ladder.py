"""The ladders in `examples/`: every table size can be played from the files as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.catalogue import games
from harness.config import read_config
from tests.test_tournament import dalang

EXAMPLES = Path(__file__).parent.parent / "examples"
LADDERS = {game: EXAMPLES / f"ladder_{game}.toml" for game in games()}


@pytest.mark.parametrize("game", LADDERS)
def test_a_ladder_has_a_seed_and_bots_for_every_table(game: str) -> None:
    config = read_config(LADDERS[game])
    assert config.game.name == game
    assert config.seed
    assert len(config.entrants) >= config.game.seats[-1]
    assert {entrant.name.partition(":")[0] for entrant in config.entrants} >= {"seer", "random", "first"}


@pytest.mark.parametrize("game", LADDERS)
def test_a_ladder_can_be_played_at_the_largest_table(game: str, tmp_path: Path) -> None:
    """With hardly any looking ahead, for the sake of time."""
    text = LADDERS[game].read_text(encoding="utf-8")
    quick = tmp_path / "quick.toml"
    quick.write_text(text.replace('"seer:200"', '"seer:1"'), encoding="utf-8")
    seats = games()[game].seats[-1]
    told = dalang("run", str(quick), "--seats", str(seats), "--blocks", "1", "--strict")
    assert "seer:1 " in told
