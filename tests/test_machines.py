"""Where it was played: kept with every match, and a machine on which bots time out is found."""

from __future__ import annotations

import json
from itertools import product
from math import comb
from pathlib import Path
from random import Random

import pytest

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.match.limits import MOST_SECONDS
from dalang.harness.statistics import slowness
from dalang.harness.statistics.slowness import BotHere, chance_of_timeouts
from dalang.harness.tournament.calibration import measured_speed, scaled
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import settle
from dalang.harness.tournament.machine_tables import add_machine
from dalang.harness.tournament.machines import HERE_NAME, machines_of
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms
from tests.test_tournament import dalang

GAME = find_game("kali")

# ---- Chance


def by_counting(bots: list[BotHere]) -> float:
    """The share of all ways to spread the timeouts that give this machine at least as many."""
    seen, good, ways = sum(bot.timeouts for bot in bots), 0, 0
    for here in product(*(range(bot.all_timeouts + 1) for bot in bots)):
        number = 1
        for bot, late in zip(bots, here, strict=True):
            number *= comb(bot.seats, late) * comb(bot.all_seats - bot.seats, bot.all_timeouts - late)
        ways += number
        good += number * (sum(here) >= seen)
    return good / ways


def test_chance_is_what_counting_all_ways_gives() -> None:
    random = Random("ways")
    for _ in range(50):
        bots = []
        for _ in range(random.randint(1, 3)):
            sat, late = random.randint(1, 9), random.randint(0, 4)
            here = random.randint(0, sat)
            late = min(late, sat)
            least, most = max(0, late - (sat - here)), min(here, late)
            bots.append(BotHere(here, random.randint(least, most), sat, late))
        assert chance_of_timeouts(bots, 1) == pytest.approx(by_counting(bots))


def test_many_timeouts_are_judged_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = [BotHere(300, 75, 1000, 200), BotHere(200, 24, 500, 50)]
    exact = chance_of_timeouts(bots, 1)
    monkeypatch.setattr(slowness, "MANY_TIMEOUTS", 10)
    assert chance_of_timeouts(bots, 1) == pytest.approx(exact, rel=0.3)
    assert exact < 0.05


def test_a_slow_bot_is_no_slow_machine() -> None:
    """One that plays on one machine alone, and always times out."""
    assert chance_of_timeouts([BotHere(100, 100, 100, 100), BotHere(100, 0, 1000, 0)], 5) == 1.0


def test_machines_that_are_alike_are_hardly_ever_named() -> None:
    random, named = Random("alike"), 0
    for _ in range(300):
        late = [[random.random() < 0.05 for _ in range(200)] for _ in range(4)]
        total = sum(map(sum, late))
        named += any(chance_of_timeouts([BotHere(200, sum(each), 800, total)], 4) < 0.05 for each in late)
    assert named <= 25


# ---- In the file


def match(number: int, fault: str, machine: int | None) -> StoredMatch:
    result = MatchResult(("a", "b"), (1, 2), (0, 0), ("", fault))
    block = Block(number // 2, 0, ("a", "b"), number // 2)
    if number % 2:
        result = MatchResult(("b", "a"), (2, 1), (0, 0), (fault, ""))
    voided = int(number % 50 == 0)
    return StoredMatch(block, number % 2, result, "end", voided, [0, 0], [0.0, 0.0], [b"", b""], b"", machine)


def begun(store: Store) -> None:
    store.begin(terms_for(GAME, {}, 2).with_seed("1"), [BotRow(name, 0, "", name) for name in "ab"])


def test_a_machine_on_which_bots_time_out_is_named(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    with create_or_open(db) as store:
        begun(store)
        quick, slow = (add_machine(store, name, 1e5, {"cores": 2}) for name in ("quick", "slow"))
        where = [None, quick, quick, slow]
        store.save(
            [
                match(
                    number,
                    "timeout" if where[number % 4] == slow and number % 16 == 3 else "",
                    where[number % 4],
                )
                for number in range(400)
            ]
        )
        store.save([match(1, "", slow)])
    with open_to_read(db) as store:
        lines = {line.machine: line for line in machines_of(store)}
    assert {name: (line.matches, line.timeouts, line.is_slow()) for name, line in lines.items()} == {
        HERE_NAME: (100, 0, False),
        "quick": (200, 0, False),
        "slow": (100, 25, True),
    }
    assert (lines["slow"].speed, lines[HERE_NAME].speed, lines[HERE_NAME].voids) == (1e5, None, 4)
    shown = dalang("standings", str(db), "--machines")
    [named] = [line for line in shown.splitlines() if "more often than chance allows" in line]
    assert named.startswith("slow")
    rows = json.loads(dalang("standings", str(db), "--machines", "--json"))["machines"]
    assert [row["machine"] for row in rows if row["is_slow"]] == ["slow"]


def test_a_file_of_one_machine_says_so(tmp_path: Path) -> None:
    with create_or_open(tmp_path / "t.db") as store:
        begun(store)
        with pytest.raises(SetupError, match="was played by one machine alone"):
            machines_of(store)


# ---- Clocks


def test_the_search_that_measures_speed_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr("dalang.harness.tournament.calibration.thread_time", lambda: next(ticks) / 2)
    assert measured_speed("kali", 2, {}) == 60_000


def test_scaled_clocks_stay_such_as_can_be_set() -> None:
    limits = scaled({"move": MOST_SECONDS, "bank": 0, "startup": 10, "memory": 5, "clock": "cpu"}, 2.0)
    assert limits == {"move": MOST_SECONDS, "bank": 0, "startup": 20, "memory": 5, "clock": "cpu"}


def test_what_clocks_are_scaled_by_is_settled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = iter([100.0, 300.0])
    monkeypatch.setattr("dalang.harness.tournament.terms.measured_speed", lambda *game: next(speeds))
    config = Config(terms_for(GAME, {}, 2), (), seed="1", scale_clocks=True)
    with create_or_open(tmp_path / "t.db") as store:
        store.begin(settle(store, config), [])
        assert settle(store, config).reference_speed == 100.0
        with pytest.raises(SetupError, match=r"reference_speed was 100\.0, now not said"):
            settle(store, Config(config.terms, (), seed="1"))


@pytest.mark.parametrize("speed", [0.0, -1.0, float("inf"), float("nan"), "fast", True])
def test_terms_with_a_speed_that_is_none_are_refused(speed: object) -> None:
    data = terms_for(GAME, {}, 2).data() | {"reference_speed": speed}
    with pytest.raises(SetupError, match="reference_speed is"):
        Terms.of_data(data)
