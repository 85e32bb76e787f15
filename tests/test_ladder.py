"""The ladders in `examples/`: every table size can be played from the files as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalang.engine.catalogue import bundled_games, games
from dalang.harness.tournament.config import read_config
from tests.test_tournament import dalang

pytestmark = pytest.mark.slow

LADDERS = sorted((Path(__file__).parent.parent / "examples").glob("ladder_*.toml"))
SIZES = [(name, seats) for name in bundled_games() for seats in games()[name].seats]
RULES_OF_THUMB = {"cautious", "bold", "planner", "guardian"}


@pytest.mark.parametrize(("game", "seats"), SIZES)
def test_there_is_a_ladder_for_every_table(game: str, seats: int) -> None:
    configs = [config for config in map(read_config, LADDERS) if config.terms.game == game]
    assert any(len(config.entrants) >= seats for config in configs)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda path: path.stem)
def test_a_ladder_has_a_seed_and_bots_of_every_sort(ladder: Path) -> None:
    config = read_config(ladder)
    names = {entrant.name.partition(":")[0] for entrant in config.entrants}
    assert config.seed
    assert names >= {"seer", "random"}
    assert names & RULES_OF_THUMB


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda path: path.stem)
def test_a_ladder_can_be_played_at_its_largest_table(ladder: Path, tmp_path: Path) -> None:
    """With hardly any looking ahead, for the sake of time."""
    quick = tmp_path / "quick.toml"
    quick.write_text(ladder.read_text(encoding="utf-8").replace('"seer:200"', '"seer:1"'), encoding="utf-8")
    config = read_config(quick)
    seats = min(games()[config.terms.game].seats[-1], len(config.entrants))
    told = dalang("run", str(quick), "--seats", str(seats), "--blocks", "1", "--strict")
    assert "seer:1 " in told
