"""The bot that looks ahead: legal, reproducible, in time, and not blind to what wins."""

from __future__ import annotations

import gc
from math import inf
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Self

import pytest
import trio

from dalang.bots import seer_bot
from dalang.bots.policies import policy_of
from dalang.bots.search import Budget, Policy, Search, rewards, rewards_by_lead
from dalang.engine.catalogue import find_game, games
from dalang.engine.chance import Bag, Chance, QuickChance, SeededChance
from dalang.engine.game import NOBODY, Game, Move, NoWorld, Outcome, Plain, SetupError, State, ranked
from dalang.engine.games.bali_rosenberg import story
from dalang.engine.games.bali_rosenberg.components import FIRST_DALANG, NAMED_ON
from dalang.engine.games.kali.components import CARDS
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import fingerprint, own_files
from dalang.harness.match.check import examine
from dalang.harness.match.limits import Limits
from dalang.kit import Request
from tests.playing import start
from tests.tables import TABLES, Table


def decided(state: State, iterations: int, policy: Policy | None = None, seed: int = 1) -> Move:
    """What seer does here."""
    game = game_of(state)
    search = Search(game, policy or policy_of(game), Random(seed))
    search.think(state.view(state.seat), state.moves(), Budget(iterations, inf))
    return search.best(state.moves())


def game_of(state: State) -> Game:
    return NIM if isinstance(state, Nim) else next(t.game for t in TABLES if isinstance(state, t.game.state))


# ---- A game that seer has never heard of


class Nim(State):
    """Take one to three of the sticks; who takes the last one wins."""

    __slots__ = ("sticks",)
    sticks: int

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.sticks = 10
        self.ask(0, "take")

    def may_take(self) -> list[Move]:
        return [("take", number) for number in (1, 2, 3) if number <= self.sticks]

    def on_take(self, verb: str, number: int) -> None:
        self.sticks -= number
        if self.sticks:
            self.ask(self.left_of(self.seat), "take")
        else:
            self.agenda.append(("win", self.seat))

    def do_win(self, seat: int) -> None:
        self.options = {"winner": seat}

    def outcome(self) -> Outcome:
        scores = tuple(int(seat == self.options["winner"]) for seat in range(self.seats))
        return Outcome(scores, ranked(scores), "taken")

    def sight(self, seat: int) -> Plain:
        return {"sticks": self.sticks, "seats": self.seats}

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls(view["seats"], chance, {})
        state.events = None
        state.sticks = view["sticks"]
        state.ask(view["asked"], "take")
        return state

    def copy_to(self, twin: Self) -> None:
        twin.sticks = self.sticks


NIM = Game("nim", "Nim", (2, 3), 1, Nim, Path(), lambda event: "")


@pytest.mark.parametrize("sticks", [5, 6, 7, 9])
def test_it_learns_an_unknown_game_by_looking_ahead(sticks: int) -> None:
    state = NIM.start(2, QuickChance(1))
    assert isinstance(state, Nim)
    state.sticks = sticks
    assert decided(state, 600, Policy()) == ("take", sticks % 4)


# ---- Positions with one good move


def kali(**changes: Any) -> Any:
    """Somebody has stepped on a field and may go on."""
    state: Any = find_game("kali").start(3, SeededChance("seer"))
    state.ask(0, "go_on")
    for name, value in changes.items():
        setattr(state, name, value)
    return state


def test_it_dares_the_last_step_to_kali() -> None:
    deck = Bag(CARDS, [0, 10, 0, 0, 1, 1])
    assert decided(kali(field=17, loot=10, frights=1, deck=deck), 100) == ("draw",)


def test_it_stops_where_only_kali_can_wake() -> None:
    deck = Bag(CARDS, [1, 0, 0, 0, 0, 4])
    assert decided(kali(field=3, loot=2, frights=1, deck=deck), 100) == ("stop",)


def test_it_leads_the_dalang_where_the_last_mask_wins() -> None:
    state: Any = find_game("bali_rosenberg").start(3, SeededChance("seer"))
    here, me = state.island, state.seat
    card, pair = next((card, pair) for card, pair in NAMED_ON.items() if here in pair)
    [there] = set(pair) - {here}
    state.hands = [[0] * FIRST_DALANG + [0] * 6 for _ in range(3)]
    state.hands[me][card] = state.hands[me][0] = 1
    state.masks = [5]
    state.chips[0][there] = state.chips[1][there] = me
    assert state.view(me)["hand"].keys() >= {"warrior"}
    move = decided(state, 60)
    assert move[0] == "play" and str(move[1]).startswith("dalang:")


# ---- Every table


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_it_plays_every_table_and_the_same_way_twice(table: Table) -> None:
    def moves_of_a_game() -> list[Move]:
        state = start(table, "seer")
        searches = [Search(table.game, policy_of(table.game), Random(seat)) for seat in range(state.seats)]
        made = []
        for _ in range(40):
            if state.seat == NOBODY:
                break
            search, moves = searches[state.seat], state.moves()
            search.think(state.view(state.seat), moves, Budget(4, inf))
            made.append(search.best(moves))
            state.play(made[-1])
        return made

    assert moves_of_a_game() == moves_of_a_game()


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_it_leaves_no_garbage_for_it_collects_none(table: Table) -> None:
    gc.collect()
    gc.disable()
    try:
        search, rng, state = (
            Search(table.game, policy_of(table.game), Random(1)),
            Random(2),
            start(table, "3"),
        )
        while state.seat != NOBODY:
            moves = state.moves()
            if not rng.randrange(10):
                search.think(state.view(state.seat), moves, Budget(3, inf))
            state.play(rng.choice(moves))
        del search, state
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("name", "seats", "options"), [("bali_wrede", 2, {}), ("bali_rosenberg", 3, {"max_turns": 24})]
)
def test_it_beats_luck(name: str, seats: int, options: dict[str, int]) -> None:
    game, rng = find_game(name), Random(1)
    places = []
    for seat in range(seats):
        search = Search(game, policy_of(game), Random(seat))
        state = game.start(seats, SeededChance(f"luck {seat}"), **options)
        while state.seat != NOBODY:
            moves = state.moves()
            if state.seat == seat and len(moves) > 1:
                search.think(state.view(seat), moves, Budget(8, inf))
                state.play(search.best(moves))
            else:
                state.play(rng.choice(moves))
        places.append(state.outcome().ranks[seat])
    assert mean(places) < 1.5


# ---- The bot: budget, clock, note


def request(limits: dict[str, float], clock: dict[str, float] | None = None) -> Request:
    state = find_game("bali_wrede").start(2, SeededChance("seer"))
    state.play(state.moves()[-1])
    said = {
        "game": "bali_wrede",
        "seats": 2,
        "seat": 0,
        "options": state.options,
        "limits": limits,
        "seed": "x",
    }
    made = Request(said)
    moves = [list(move) for move in state.moves()]
    asked = {"decision": state.decision, "events": [], "view": state.view(0), "moves": moves}
    made.take({**asked, "clock": clock} if clock else asked)
    return made


def test_it_tells_what_it_expects() -> None:
    asked = request({"move": 1.0, "bank": 10.0})
    assert seer_bot.chooser(Budget(30, inf))(asked) in asked.moves
    assert asked.note.startswith("expects place 1.")
    assert asked.note.endswith("of 30 visits")


def test_without_time_it_trusts_its_first_glance() -> None:
    asked = request({"move": 1.0, "bank": 10.0}, clock={"move": 0.0, "bank": 0.0})
    assert seer_bot.chooser(Budget(10**9, inf))(asked) in asked.moves
    assert asked.note == "no time to think"


def test_where_no_world_can_be_found_it_trusts_its_first_glance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "MOST_TELLINGS", 0)
    game = find_game("bali_rosenberg")
    state = game.start(3, SeededChance("no world"))
    search, view, moves = Search(game, policy_of(game), Random(1)), state.view(state.seat), state.moves()
    with pytest.raises(NoWorld):
        game.imagine(view, QuickChance(1))
    assert not search.think(view, moves, Budget(6, inf)).visits
    assert search.best(moves) in moves


@pytest.mark.parametrize(("move", "bank"), [(1.0, 10.0), (0.05, 0.0), (0.0, 3.0)])
def test_it_takes_less_than_it_is_allowed(move: float, bank: float) -> None:
    clock = {"move": move, "bank": bank}
    assert seer_bot.affordable(request({"move": 9.0, "bank": 9.0}, clock)) < move + 0.2 * bank
    assert seer_bot.affordable(request(clock)) < move + 0.2 * bank
    assert seer_bot.affordable(request({})) == inf


def test_a_budget_is_iterations_or_time() -> None:
    assert seer_bot.budget(["500"]) == Budget(500, inf)
    assert seer_bot.budget(["0.2s"]) == Budget(inf, 0.2)
    assert seer_bot.budget([]) == seer_bot.DEFAULT


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("seer", "seer", []),
        ("seer:500", "seer:500", ["500"]),
        ("seer@0.2s", "seer@0.2s", ["0.2s"]),
        ("seer@2s", "seer@2s", ["2s"]),
        ("deep=seer:9000", "deep", ["9000"]),
    ],
)
def test_a_name_can_carry_a_budget(text: str, name: str, arguments: list[str]) -> None:
    entrant = find_entrant(text)
    assert entrant.name == name
    assert list(entrant.command[3:]) == arguments


@pytest.mark.parametrize("text", ["seer:", "seer:0", "seer:many", "seer@0s", "seer@2", "seer@.s", "seer:5s"])
def test_a_budget_that_cannot_be_read_is_one_line(text: str) -> None:
    with pytest.raises(SetupError, match=r"^seer.* such as seer:500, or seconds, such as seer@0\.2s$"):
        find_entrant(text)


def test_who_does_not_search_has_no_budget() -> None:
    with pytest.raises(SetupError, match="random has no budget; write just random"):
        find_entrant("random:5")


def test_the_fingerprint_knows_budget_and_modules() -> None:
    deep, quick = find_entrant("x=seer:800"), find_entrant("x=seer:50")
    assert fingerprint(deep) != fingerprint(quick)
    assert {"seer_bot.py", "search.py", "kit.py", "bali_wrede.py"} <= {path.name for path in own_files(deep)}


@pytest.mark.slow
@pytest.mark.parametrize("game", games())
def test_the_referee_has_no_objections(game: str) -> None:
    findings = trio.run(examine, find_entrant("seer:3"), Limits(), find_game(game))
    assert [finding.remark for finding in findings if not finding.good] == []


# ---- Rewards


def test_a_place_counts_more_than_points() -> None:
    first, second, third = rewards(Outcome((51, 49, 0), (1, 2, 3), "over"))
    assert first > second > third
    assert rewards(Outcome((5, 5), (1, 1), "over")) == [0.5, 0.5]
    assert rewards(Outcome((-50, 50), (2, 1), "over")) == pytest.approx([-0.1, 1.0])


def test_a_lead_is_worth_as_much_as_it_will_last() -> None:
    assert rewards_by_lead([3.0, 3.0, 3.0], 5.0) == pytest.approx([0.5, 0.5, 0.5])
    assert rewards_by_lead([9.0, 3.0], 1.0)[0] > rewards_by_lead([9.0, 3.0], 5.0)[0] > 0.5
