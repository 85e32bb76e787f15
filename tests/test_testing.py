"""`dalang.testing` finds what is wrong with a game: an honest one passes, and each planted fault is named."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle, product
from typing import Any, Self

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.chance import Chance
from dalang.engine.encoding import Feature, by_seat, derived, number, up_to
from dalang.engine.game import Game, Move, Outcome, Plain, Promises, State, ranked
from dalang.engine.learning import Learning
from dalang.engine.testing import playing, shortening
from dalang.engine.testing.comparing import difference, unplain
from dalang.engine.testing.shortening import shortest
from dalang.engine.testing.suite import first_broken
from dalang.testing import (
    CHECKS,
    Broken,
    Play,
    Table,
    check_game,
    contract_of,
    start,
    tables_of,
    told_apart,
)
from tests.beach import BEACH, SHELLS, Beach, no_shell_is_lost, sentence

VARIANTS: list[Plain] = [{"shovels": 0}, {"shovels": 3}]


def test_an_honest_game_passes() -> None:
    assert check_game(BEACH, options=VARIANTS, invariant=no_shell_is_lost) == []


# ---- Planted faults


class NeverEnds(Beach):
    __slots__ = ()

    def on_turn(self, verb: str, name: str) -> None:
        self.plan(("turn", self.left_of(self.seat)))


class HasNoEnding(Beach):
    __slots__ = ()

    def outcome(self) -> Outcome:
        return super().outcome()._replace(ending="")


class CountsInHalves(Beach):
    __slots__ = ()

    def outcome(self) -> Outcome:
        outcome = super().outcome()
        return outcome._replace(scores=tuple(score / 2 for score in outcome.scores))  # type: ignore[arg-type]


class LowestScoreWins(Beach):
    __slots__ = ()

    def outcome(self) -> Outcome:
        outcome = super().outcome()
        return outcome._replace(ranks=ranked([-score for score in outcome.scores]))


class TiesSkipNothing(Beach):
    __slots__ = ()

    def outcome(self) -> Outcome:
        outcome = super().outcome()
        best_first = sorted(set(outcome.scores), reverse=True)
        return outcome._replace(ranks=tuple(1 + best_first.index(score) for score in outcome.scores))


class ListsTwice(Beach):
    __slots__ = ()

    def may_turn(self) -> list[Move]:
        return super().may_turn() * 2


class ChangesItsMind(Beach):
    __slots__ = ()
    ORDERS = cycle([1, -1])

    def may_turn(self) -> list[Move]:
        return super().may_turn()[:: next(self.ORDERS)]


class MovesAreLists(Beach):
    __slots__ = ()

    def may_turn(self) -> list[Move]:
        return [list(move) for move in super().may_turn()]  # type: ignore[misc]

    def play(self, move: Move) -> None:
        self.apply(move)


class LeavesNoChoice(Beach):
    __slots__ = ()

    def may_turn(self) -> list[Move]:
        return [] if sum(map(len, self.shown)) == 2 else super().may_turn()


class PlaysAnything(Beach):
    __slots__ = ()

    def play(self, move: Move) -> None:
        if move in self.moves():
            self.apply(move)


class PaysBeforeItRefuses(Beach):
    __slots__ = ()

    def play(self, move: Move) -> None:
        self.shovels[0] += 1
        super().play(move)
        self.shovels[0] -= 1


class ClonesShareHands(Beach):
    __slots__ = ()

    def copy_to(self, twin: Self) -> None:
        super().copy_to(twin)
        twin.hands = self.hands.copy()


class ClonesForget(Beach):
    __slots__ = ()

    def copy_to(self, twin: Self) -> None:
        super().copy_to(twin)
        twin.shovels = [0] * self.seats


class HasLooseAttributes(Beach):
    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        self.mood = "sunny"
        super().__init__(seats, chance, options)


class DumpsASet(Beach):
    __slots__ = ()

    def dump(self) -> Plain:
        return {**super().dump(), "weather": {"sun", "wind"}}


class LoadsAnotherHand(Beach):
    __slots__ = ()

    @classmethod
    def load(cls, dump: Plain, chance: Chance) -> Self:
        state = super().load(dump, chance)
        state.hands.reverse()
        return state


class LoadsWithoutAgenda(Beach):
    """What is left to do while a decision is open is forgotten."""

    __slots__ = ()

    def on_turn(self, verb: str, name: str) -> None:
        super().on_turn(verb, name)
        self.agenda.insert(0, ("rest",))

    def do_rest(self) -> None:
        self.tell("rest")

    @classmethod
    def load(cls, dump: Plain, chance: Chance) -> Self:
        return super().load({**dump, "agenda": []}, chance)


class ShowsAllHands(Beach):
    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        return {**super().sight(seat), "hands": [sorted(hand) for hand in self.hands]}


class SeesWithoutBeingTold(Beach):
    """What is shown to all is imagined, too: no world differs in it."""

    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        return {**super().sight(seat), "all": [hand.copy() for hand in self.hands]}

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = super().imagine(view, chance)
        state.hands = [hand.copy() for hand in view["all"]]
        return state


class TellsWhatItHides(Beach):
    __slots__ = ()

    def tell_move(self, move: Move) -> None:
        self.tell("move", seat=self.seat, decision=self.decision, move=list(move))


class SeesTheFuture(Beach):
    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        return {**super().sight(seat), "hunch": self.chance.clone().below(2**30, "sand", seat)}


class MovesBetrayHands(Beach):
    """You may not bury what your neighbour holds: so the list of moves tells what that is."""

    __slots__ = ()

    def may_turn(self) -> list[Move]:
        theirs = [("bury", name) for name in self.held_by_the_left()]
        return [move for move in super().may_turn() if move not in theirs]

    def held_by_the_left(self) -> list[str]:
        return [("cone", "cowrie", "conch")[shell] for shell in self.hands[self.left_of(self.seat)]]


class ViewsAreAlive(Beach):
    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        return {**super().sight(seat), "shown": self.shown}


class ViewsCostLuck(Beach):
    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        self.chance.below(6, "sand", seat)
        return super().sight(seat)


class ViewsHoldTuples(Beach):
    __slots__ = ()

    def sight(self, seat: int) -> Plain:
        return {**super().sight(seat), "held": tuple(len(hand) for hand in self.hands)}


class ShowsOnlookersAHand(Beach):
    __slots__ = ()

    def open_sight(self) -> Plain:
        return self.sight(0)


class OnlookersScribble(Beach):
    __slots__ = ()

    def open_sight(self) -> Plain:
        return {"shown": self.shown}


class ImaginesFewerShells(Beach):
    __slots__ = ()

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = super().imagine(view, chance)
        state.hands[view["you"] - 1].clear()
        return state


class ImaginesAloud(Beach):
    __slots__ = ()

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = super().imagine(view, chance)
        state.events = []
        return state


class ImaginesInTheView(Beach):
    """The world is played in the very lists of the view that it was made of."""

    __slots__ = ()

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = super().imagine(view, chance)
        state.shown = view["shown"]
        return state


class CannotImagine(Beach):
    __slots__ = ()

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        raise NotImplementedError


class RewritesHistory(Beach):
    __slots__ = ()

    def do_turn(self, seat: int) -> None:
        self.tell("beach", shown=self.shown)
        super().do_turn(seat)


class TellsSets(Beach):
    __slots__ = ()

    def do_turn(self, seat: int) -> None:
        self.tell("beach", seats={seat})
        super().do_turn(seat)


class ReadsItsEvents(Beach):
    """Whose turn it is depends on events, which may be switched off."""

    __slots__ = ()

    def left_of(self, seat: int) -> int:
        return super().left_of(seat) if self.events else seat


class LooksAtTheSky(Beach):
    """Luck that does not come from the chance that it was given."""

    __slots__ = ()

    def do_find(self, seat: int) -> None:
        super().do_find(seat)
        random.shuffle(self.hands[seat])
        self.shovels[seat] += random.random() < 0.5


class AsksForItsSeed(Beach):
    __slots__ = ()

    def do_find(self, seat: int) -> None:
        super().do_find(seat)
        self.shovels[seat] += hasattr(self.chance, "seed")


class LosesShells(Beach):
    __slots__ = ()

    def on_turn(self, verb: str, name: str) -> None:
        super().on_turn(verb, name)
        if verb == "bury":
            self.sand.take_at(0)


class ImaginesMoreShells(Beach):
    __slots__ = ()

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = super().imagine(view, chance)
        state.sand.add(2)
        return state


def mute(event: Plain) -> str:
    return "" if event["event"] == "end" else sentence(event)


def of(state: type[State]) -> Game:
    return replace(BEACH, name=state.__name__, state=state)


def told(**parts: Any) -> Learning:
    """Beach for learners, with a fault in these parts."""
    return Learning(**{"actions": lambda seats, options: MOVES, "schema": honest_schema, **parts})


MOVES: list[Move] = [(verb, shell) for verb in ("show", "bury") for shell in SHELLS]


def honest_schema(seats: int, options: Plain) -> list[Feature]:
    def shells(key: str) -> Feature:
        parts = [f".{shell}" for shell in SHELLS]
        return derived(key, parts, lambda found, me: [found.count(kind) / 5 for kind in range(3)], key)

    shovels = number("shovels", max(1, options["shovels"]), "left")
    return [
        shells("hand"),
        by_seat(number("held", 3, "in each hand"), seats),
        by_seat(up_to(3, number("shown", 3, "one more than the shell", -1)), seats),
        by_seat(shovels, seats),
    ]


def without(key: str, *more: Feature) -> Callable[[int, Plain], list[Feature]]:
    return lambda seats, options: [
        *[field for field in honest_schema(seats, options) if field.key != key],
        *more,
    ]


def scribbled(view: Any, me: int) -> list[float]:
    view["hand"].clear()
    return [0.5]


LEARNING: dict[str, Learning] = {
    "honest": told(),
    "forgets_to_bury": told(actions=lambda seats, options: MOVES[:3]),
    "lists_an_action_twice": told(actions=lambda seats, options: MOVES * 2),
    "turns_only_there": told(turned=lambda move, steps, seats: move if steps < 0 else MOVES[0]),
    "goes_beyond_1": told(
        schema=without("held", derived("held", [""], lambda held, me: [max(held)], "too much"))
    ),
    "counts_luck": told(schema=without("", derived("", [""], lambda view, me: [random.random()], "a whim"))),
    "changes_the_view": told(schema=without("", derived("", [""], scribbled, "and forgets"))),
    "says_less_than_it_names": told(
        schema=without("held", derived("held", ["", ""], lambda *_: [0.0], "all"))
    ),
    "leaves_out_silently": told(schema=without("shovels")),
    "tells_nothing_of_hands": told(schema=without("hand", derived("hand", [""], lambda *_: [0.0], "no"))),
    "is_open_about_it": told(schema=without("hand"), left_out={"hand": "for a test"}),
}


def learnt(name: str) -> Game:
    return replace(BEACH, name=name, learning=f"tests.test_testing:{name.upper()}")


globals().update({name.upper(): learning for name, learning in LEARNING.items()})


@pytest.mark.parametrize("name", ["honest", "is_open_about_it"])
def test_a_game_that_tells_learners_what_matters_passes(name: str) -> None:
    assert check_game(learnt(name), options=VARIANTS, games=3) == []


FAULTS: list[tuple[Game, str, str]] = [
    (learnt("forgets_to_bury"), "every_legal_move_is_one_action", "is not among the 3 actions of"),
    (learnt("lists_an_action_twice"), "every_legal_move_is_one_action", "an action is named twice"),
    (learnt("turns_only_there"), "every_legal_move_is_one_action", "does not lead back to its move"),
    (learnt("goes_beyond_1"), "a_view_becomes_numbers", "not from 0 to 1"),
    (learnt("counts_luck"), "a_view_becomes_numbers", "makes different numbers"),
    (learnt("changes_the_view"), "a_view_becomes_numbers", "making numbers of a view changed it: view.hand"),
    (learnt("says_less_than_it_names"), "a_view_becomes_numbers", "numbers have"),
    (learnt("leaves_out_silently"), "views_that_differ_make_different_numbers", "left out: ['shovels']"),
    (learnt("tells_nothing_of_hands"), "views_that_differ_make_different_numbers", "same numbers: view.hand"),
    (of(NeverEnds), "a_game_of_legal_moves_ends_with_a_ranking", "no end after 500 decisions"),
    (of(HasNoEnding), "a_game_of_legal_moves_ends_with_a_ranking", "the ending is ''"),
    (of(CountsInHalves), "a_game_of_legal_moves_ends_with_a_ranking", "is no tuple of 2 ints"),
    (of(LowestScoreWins), "places_follow_the_scores", "do not follow the scores"),
    (of(TiesSkipNothing), "places_follow_the_scores", "ties skip places"),
    (of(ListsTwice), "moves_are_a_list_in_one_order", "a move is listed twice"),
    (of(ChangesItsMind), "moves_are_a_list_in_one_order", "asked twice, a state gives two lists"),
    (of(MovesAreLists), "moves_are_a_list_in_one_order", "is no tuple of a verb"),
    (of(LeavesNoChoice), "moves_are_a_list_in_one_order", "there are no moves"),
    (of(PlaysAnything), "an_illegal_move_is_refused", "is not in the list of moves, but can be played"),
    (
        of(PaysBeforeItRefuses),
        "an_illegal_move_is_refused",
        "was refused and changed something: state.dump.shovels[0] is 1 or 8",
    ),
    (of(ClonesShareHands), "a_clone_goes_its_own_way", "changed its parent: state.dump.hands[0] is"),
    (
        of(ClonesForget),
        "a_clone_goes_its_own_way",
        "is not as its parent is: state.dump.shovels[0] is 1 or 0",
    ),
    (
        of(HasLooseAttributes),
        "a_dump_loads_in_the_middle_of_anything",
        "not in __slots__ are in no dump: ['mood']",
    ),
    (of(DumpsASet), "a_dump_loads_in_the_middle_of_anything", "dump.weather is {"),
    (
        of(LoadsAnotherHand),
        "a_dump_loads_in_the_middle_of_anything",
        "what was loaded is not what was dumped: dump.hands",
    ),
    (
        of(LoadsWithoutAgenda),
        "a_dump_loads_in_the_middle_of_anything",
        "what was dumped: dump.agenda is [['rest']] or []",
    ),
    (of(ShowsAllHands), "a_seat_cannot_tell_worlds_apart", "view.hands[1]"),
    (of(SeesTheFuture), "a_seat_cannot_tell_worlds_apart", "view.hunch"),
    (of(SeesWithoutBeingTold), "what_is_told_alike_looks_alike", "can tell them apart: view.all[1]"),
    (
        replace(of(TellsWhatItHides), promises=Promises(hidden={"move": {"move"}})),
        "events_hide_what_the_game_hides",
        "is told ['move'] of the event 'move'",
    ),
    (of(MovesBetrayHands), "a_seat_cannot_tell_worlds_apart", "imagines: moves"),
    (
        of(ViewsAreAlive),
        "a_view_shares_nothing_with_the_state",
        "changed something: state.dump.shown is [[], []] or []",
    ),
    (of(ViewsCostLuck), "a_view_shares_nothing_with_the_state", "changed something: state.luck used"),
    (
        of(ViewsHoldTuples),
        "a_view_shares_nothing_with_the_state",
        "view of seat 0.held is (3, 3), which is not plain data",
    ),
    (of(ShowsOnlookersAHand), "a_seat_cannot_tell_worlds_apart", "open view.hand"),
    (of(OnlookersScribble), "a_view_shares_nothing_with_the_state", "changed something: state.dump.shown"),
    (of(ImaginesFewerShells), "a_seat_cannot_tell_worlds_apart", "view.held"),
    (of(ImaginesAloud), "an_imagined_game_can_be_played", "has its events switched on"),
    (of(ImaginesInTheView), "an_imagined_game_can_be_played", "was played, and changed it: view.shown"),
    (of(CannotImagine), "an_imagined_game_can_be_played", "NotImplementedError() in"),
    (of(RewritesHistory), "events_stay_as_they_were_told", "has changed since it was told: events"),
    (of(TellsSets), "events_stay_as_they_were_told", "event 'beach'.seats is {0}, which is not plain data"),
    (of(ReadsItsEvents), "events_can_be_switched_off", "without events the game goes another way: "),
    (replace(BEACH, sentence=mute), "every_event_has_a_sentence", "the sentence for 'end' is ''"),
    (of(LooksAtTheSky), "a_seed_gives_one_game", "the same moves give two games"),
    (of(AsksForItsSeed), "a_record_proves_itself", "from the cards: "),
    (of(LosesShells), "the_invariant_holds", "AssertionError() in"),
    (of(ImaginesMoreShells), "an_imagined_game_can_be_played", "AssertionError() in"),
]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_DECISIONS", 500)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("game", "name", "words"), FAULTS, ids=[game.name for game, _, _ in FAULTS])
def test_a_planted_fault_is_found_and_named(game: Game, name: str, words: str) -> None:
    [check] = [check for check in CHECKS if check.__name__ == name]
    assert words in what_breaks(check, game)
    assert check_game(game, invariant=no_shell_is_lost, games=20)


def what_breaks(check: Callable[[Table, int], None], game: Game) -> str:
    """The first complaint of some games."""
    with pytest.raises(Broken) as broken:
        for table, seed in product(tables_of(game, invariant=no_shell_is_lost), range(20)):
            check(table, seed)
    return broken.value.what


def test_every_check_finds_something() -> None:
    assert {name for _, name, _ in FAULTS} == {check.__name__ for check in CHECKS}


# ---- What is said


def test_a_finding_says_what_is_promised_where_and_what_is_wrong() -> None:
    [broken] = check_game(of(ViewsAreAlive), seats=[3], options=[{"shovels": 3}], games=1, seed=4)[:1]
    assert str(broken).startswith(
        "A view is plain data of its own: making it changes nothing, and neither does scribbling on it. "
        "Not so at ViewsAreAlive, 3 seats, seed 4, decision "
    )
    assert "ViewsAreAlive, 3 seats, shovels=3, seed 4" in repr(
        check_game(of(ViewsAreAlive), seats=[3], options=[{"shovels": 3}], games=1, seed=4)
    )


def test_what_the_game_raised_is_the_cause() -> None:
    with pytest.raises(Broken, match=r"NotImplementedError\(\) in .*test_testing.py, line \d+") as broken:
        for check in CHECKS:
            check(Table(of(CannotImagine), 2), 0)
    assert isinstance(broken.value.__cause__, NotImplementedError)


def test_a_fault_that_no_check_gets_past_is_told_once_for_each_table() -> None:
    found = check_game(of(LeavesNoChoice), games=1)
    assert len(found) == len({broken.where for broken in found})


def test_each_table_is_taken_with_its_defaults_and_with_what_is_given() -> None:
    assert [str(table) for table in tables_of(BEACH, options=VARIANTS)] == [
        *("beach-2p", "beach-2p-shovels-0", "beach-2p-shovels-3"),
        *("beach-3p", "beach-3p-shovels-0", "beach-3p-shovels-3"),
    ]


def test_a_fault_is_told_with_the_play_that_shows_it() -> None:
    [broken, *_] = check_game(of(LeavesNoChoice), seats=[2], games=1)
    assert broken.play.again().moves() == []
    assert str(broken).endswith(f"(after {broken.play})")
    assert str(broken.play).startswith("seat 0 turn show ")


@pytest.mark.parametrize("way", ["MOST_TRIED", "OTHER_SEEDS"])
def test_the_shortest_play_is_found(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two shells must be shown: by any two moves of the same deal, or in another game in which nothing is buried."""
    check, table = CHECKS[0], Table(of(LeavesNoChoice), 2)
    found = (first_broken(check, table, [seed]) for seed in range(100))
    long = next(broken for broken in found if broken and len(broken.play.moves) == 4)
    monkeypatch.setattr(shortening, way, 0)
    assert [move[0] for move in shortest(check, long).play.moves] == ["show", "show"]


def test_what_shows_before_the_end_is_shown_before_the_end() -> None:
    [broken] = check_game(of(SeesWithoutBeingTold), seats=[2], games=1)
    assert broken.play.moves == []


def test_a_play_too_long_to_read_is_told_by_its_end() -> None:
    play = Play(Table(BEACH, 2), 0, [("show", "cone")] * 15)
    assert play.told()[0] == "... 3 moves"
    assert len(play.told()) == 13


def test_the_contract_is_a_class_of_tests() -> None:
    tests = contract_of(BEACH, games=1)
    names = [name for name in vars(tests) if name.startswith("test_")]
    assert len(names) == len(CHECKS) * 2
    for name in names:
        getattr(tests(), name)()
    with pytest.raises(Broken, match=r"view\.hands"):
        contract_of(of(ShowsAllHands))().test_a_seat_cannot_tell_worlds_apart_at_ShowsAllHands_2p()  # type: ignore[attr-defined]


def test_states_that_look_alike_are_not_told_apart() -> None:
    one: Any = start(Table(BEACH, 2), "beach")
    other = one.clone()
    other.hands[1] = [0, 0, 0] if one.hands[1] != [0, 0, 0] else [1, 1, 1]
    assert told_apart(one, other, 0) == ""
    assert told_apart(one, other, 1).startswith("view.hand")


# ---- Plain data


plain_data = st.recursive(
    st.text() | st.integers(-(2**63), 2**64 - 1) | st.booleans(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    max_leaves=10,
)
a_few = settings(max_examples=30, deadline=None)


@a_few
@given(plain_data)
def test_plain_data_is_what_msgpack_and_json_carry_unchanged(data: Any) -> None:
    assert unplain(data, "data") == ""
    assert difference(msgpack.unpackb(msgpack.packb(data)), data, "msgpack") == ""
    assert difference(json.loads(json.dumps(data)), data, "json") == ""


@a_few
@given(plain_data, st.sampled_from([None, 0.5, (), {1}, b"", 2**64, {1: 2}]))
def test_anything_else_in_it_is_found(data: Any, strange: Any) -> None:
    assert "data" in unplain([data, {"strange": strange}], "data")
    assert unplain(strange, "data[1].strange") == unplain([data, {"strange": strange}], "data")
