"""What every game promises, one function for each promise.

A check plays one game of random moves, and raises `Broken` where the promise does not hold. Its name and the first
sentence of its docstring say what is promised.
"""

from __future__ import annotations

from typing import Any

from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, IllegalMove, Outcome, Plain, State, plain
from dalang.engine.record import Record, discrepancies, enact, seen
from dalang.engine.testing.comparing import everything, scribble, shown, told_apart, unplain
from dalang.engine.testing.learners import (
    a_view_becomes_numbers,
    every_legal_move_is_one_action,
    views_that_differ_make_different_numbers,
)
from dalang.engine.testing.playing import OtherLuck, Play, imagined, play_out
from dalang.engine.testing.promise import Check, check, claim, follow, none_of, same

# ---- The end


@check(every=None, whole=True)
def a_game_of_legal_moves_ends_with_a_ranking(last: State, play: Play) -> None:
    """A game of legal moves ends, with a score and a place for every seat, and says why."""
    outcome = last.outcome()
    claim(isinstance(outcome, Outcome), f"outcome() is {shown(outcome)}, which is no Outcome")
    claim(type(outcome.ending) is str and outcome.ending, f"the ending is {outcome.ending!r}, not a word")
    seats = play.table.seats
    for name, numbers in (("scores", outcome.scores), ("ranks", outcome.ranks)):
        whole = type(numbers) is tuple and all(type(number) is int for number in numbers)
        claim(whole and len(numbers) == seats, f"{name}: {numbers} is no tuple of {seats} ints")
    claim(last.moves() == [], f"the game is over, but there are moves: {shown(last.moves())}")


@check(every=None, whole=True)
def places_follow_the_scores(last: State, play: Play) -> None:
    """Nobody has a better place with a lower score; ties share a place and skip the next ones."""
    scores, ranks, _ = last.outcome()
    for rank in ranks:
        claim(rank == 1 + sum(other < rank for other in ranks), f"places {ranks}: ties skip places")
    by_place = [
        score for _, score in sorted(zip(ranks, scores, strict=True), key=lambda both: (both[0], -both[1]))
    ]
    claim(by_place == sorted(scores, reverse=True), f"places {ranks} do not follow the scores {scores}")


# ---- Moves


@check(every=10)
def moves_are_a_list_in_one_order(state: State, play: Play) -> None:
    """There is always a move, none twice, always in the same order; a move is a verb and then words and ints."""
    moves = state.moves()
    claim(bool(moves) == (state.seat != NOBODY), f"seat {state.seat} has {len(moves)} moves")
    same(moves, state.moves(), "moves", "asked twice, a state gives two lists")
    same(moves, state.clone().moves(), "moves", "a clone gives another list")
    for move in moves:
        well_formed = type(move) is tuple and move and type(move[0]) is str
        claim(
            well_formed and all(type(word) in (str, int) for word in move),
            f"{shown(move)} is no tuple of a verb and words and ints",
        )
    claim(len(set(moves)) == len(moves), f"a move is listed twice: {shown(moves)}")


@check(every=10)
def an_illegal_move_is_refused(state: State, play: Play) -> None:
    """A move that is not in the list is refused with IllegalMove, and changes nothing."""
    before, moves = everything(state), state.moves()
    move = moves[0] if moves else ("pass",)
    bad: Any
    for bad in ((), ("nonsense",), (*move, "more"), move[1:], list(move), None, 0):
        if bad not in moves:
            claim(refused(state, bad), f"{bad!r} is not in the list of moves, but can be played")
    same(before, everything(state), "state", "a move was refused and changed something")


def refused(state: State, move: Any) -> bool:
    try:
        state.play(move)
    except IllegalMove:
        return True
    return False


# ---- Copies


@check(every=50)
def a_clone_goes_its_own_way(state: State, play: Play) -> None:
    """A clone is as its parent is, and however it goes on, its parent does not notice."""
    before = everything(state)
    clone = state.clone()
    same(before, everything(clone), "state", "a clone is not as its parent is")
    play_out(clone, play.seed)
    same(before, everything(state), "state", "what was done to a clone changed its parent")


@check(every=50)
def a_dump_loads_in_the_middle_of_anything(state: State, play: Play) -> None:
    """A dump is plain data of the whole state: what is loaded from it goes on as the original does."""
    loose = list(vars(state)) if hasattr(state, "__dict__") else []
    claim(not loose, f"attributes that are not in __slots__ are in no dump: {loose}")
    dump = state.dump()
    none_of([unplain(dump, "dump")])
    loaded = play.table.game.load(plain(dump), state.chance.clone())
    same(dump, loaded.dump(), "dump", "what was loaded is not what was dumped")
    same(state.moves(), loaded.moves(), "moves", "what was loaded has other moves")
    known = len(state.events or ())
    on, later = play_out(state.clone(), play.seed), play_out(loaded, play.seed)
    same(on.dump(), later.dump(), "dump", "what was loaded comes to another end")
    same(on.outcome(), later.outcome(), "outcome", "what was loaded comes to another end")
    same((on.events or [])[known:], later.events, "events", "what was loaded tells other events")


# ---- Secrets


@check(every=10)
def a_view_shares_nothing_with_the_state(state: State, play: Play) -> None:
    """A view is plain data of its own: making it changes nothing, and neither does scribbling on it."""
    before = everything(state)
    for seat in range(play.table.seats):
        view = state.view(seat)
        none_of([unplain(view, f"view of seat {seat}")])
        scribble(view)
    if (shown_to_all := state.open_view()) is not None:
        none_of([unplain(shown_to_all, "open view")])
        scribble(shown_to_all)
    same(before, everything(state), "state", "making views and scribbling on them changed something")


@check(every=10)
def a_seat_cannot_tell_worlds_apart(state: State, play: Play) -> None:
    """A seat cannot tell the real world from those that `imagine` makes of its view: neither by view nor by moves."""
    for seat in range(play.table.seats):
        found = told_apart(state, imagined(state, seat, play.seed), seat)
        claim(not found, f"seat {seat} can tell the real world from one that it imagines: {found}")


@check(every=50)
def an_imagined_game_can_be_played(state: State, play: Play) -> None:
    """An imagined world tells no events, can be played to its end, and leaves the view that it was made of alone."""
    for seat in range(play.table.seats):
        view = state.view(seat)
        kept = plain(view)
        world = play.table.game.imagine(view, QuickChance(play.seed))
        claim(world.events is None, f"the world that seat {seat} imagines has its events switched on")
        play.table.hold(world)
        play.table.hold(play_out(world, play.seed))
        claim(world.outcome().ending, f"the world that seat {seat} imagines ends without an ending")
        same(kept, view, "view", f"a world made of the view of seat {seat} was played, and changed it")


@check(every=None)
def what_is_told_alike_looks_alike(last: State, play: Play) -> None:
    """As long as a seat is told the same, it sees the same, whatever luck the others have."""
    for seat in range(play.table.seats):
        found = betrayed(play, seat)
        claim(not found, f"seat {seat} was told the same in two games, but can tell them apart: {found}")


def betrayed(play: Play, seat: int) -> str:
    """How a seat can tell the game from one with other luck for the others, before it is told; empty if it cannot."""
    real, other = play.begin(), play.begin(OtherLuck(play.deal, seat))
    for move in [*play.moves, None]:
        if news(real, seat) != news(other, seat):
            return ""
        found = told_apart(real, other, seat)
        if found or move is None:
            return found
        moves = other.moves()
        real.play(move)
        other.play(move if move in moves else moves[0])
    return ""


def news(state: State, seat: int) -> tuple[int, str, list[Plain]]:
    """What a seat hears that it has not heard, and who has to decide."""
    told = seen(state.events or [], seat)
    state.events = []
    return state.seat, state.decision, told


@check(every=None)
def events_hide_what_the_game_hides(last: State, play: Play) -> None:
    """An event tells nobody but its owner what the game says is hidden."""
    hidden = play.table.game.promises.hidden
    for event in last.events or ():
        for seat in set(range(play.table.seats)) - {event.owner}:
            told = [key for key in event.seen_by(seat) or {} if key in hidden.get(event.name, ())]
            claim(not told, f"seat {seat} is told {told} of the event {event.name!r} of seat {event.owner}")


# ---- Events and records


@check(every=None)
def events_stay_as_they_were_told(last: State, play: Play) -> None:
    """Events are plain data, and what happens later does not change them."""
    state = play.begin()
    told = [plain(event) for event in state.events or ()]
    for move in play.moves:
        state.play(move)
        told += [plain(event) for event in (state.events or ())[len(told) :]]
    same(
        told,
        [plain(event) for event in last.events or ()],
        "events",
        "an event has changed since it was told",
    )
    for event in last.events or ():
        versions = [event.full] if event.full is event.others else [event.full, event.others, event.own]
        none_of(unplain(version, f"event {event.name!r}") for version in versions if version is not None)


@check(every=None)
def events_can_be_switched_off(last: State, play: Play) -> None:
    """A game without events goes the same way, and stays without them."""
    silent = play.begin()
    silent.events = None
    follow(silent, play.moves, "without events the game goes another way")
    same(last.dump(), silent.dump(), "dump", "without events the game goes another way")
    claim(silent.events is None, "events were switched off, and are on again")


@check(every=None)
def every_event_has_a_sentence(last: State, play: Play) -> None:
    """Every event has a sentence, as the record has it and as each seat sees it."""
    events = last.events or []
    seats = range(play.table.seats)
    for event in [event.full for event in events] + [told for seat in seats for told in seen(events, seat)]:
        sentence = play.table.game.sentence(event)
        claim(sentence.rstrip().endswith((".", "!")), f"the sentence for {event['event']!r} is {sentence!r}")


@check(every=None)
def a_seed_gives_one_game(last: State, play: Play) -> None:
    """The same seed and the same moves give the same game, whatever sort of luck it is."""
    again = play.begin()
    follow(again, play.moves, "one seed and the same moves give two games")
    same(everything(last), everything(again), "state", "one seed and the same moves give two games")
    one, other = (quick_game(play) for _ in range(2))
    same(everything(one), everything(other), "state", "one quick chance and the same moves give two games")


def quick_game(play: Play) -> State:
    return play_out(play.begin(QuickChance(play.seed)), play.seed)


@check(every=None, whole=True)
def a_record_proves_itself(last: State, play: Play) -> None:
    """A record is plain data; the game can be re-enacted from its seed, and without it from what chance gave."""
    table, moves = play.table, iter(play.moves)
    record = enact(table.game, table.seats, play.deal, lambda state: next(moves), **table.options)
    data = plain(record.data())
    none_of([unplain(data, "record")])
    again = Record.of_data(data)
    same(record.data(), again.data(), "record", "what is read is not the record that was written")
    none_of(discrepancies(again, table.game))


# ---- What you know


@check(every=1)
def the_invariant_holds(state: State, play: Play) -> None:
    """What is said to be conserved is conserved, in every state."""
    play.table.hold(state)


CHECKS: tuple[Check, ...] = (
    a_game_of_legal_moves_ends_with_a_ranking,
    places_follow_the_scores,
    moves_are_a_list_in_one_order,
    an_illegal_move_is_refused,
    a_clone_goes_its_own_way,
    a_dump_loads_in_the_middle_of_anything,
    a_view_shares_nothing_with_the_state,
    a_seat_cannot_tell_worlds_apart,
    an_imagined_game_can_be_played,
    what_is_told_alike_looks_alike,
    events_hide_what_the_game_hides,
    events_stay_as_they_were_told,
    events_can_be_switched_off,
    every_event_has_a_sentence,
    a_seed_gives_one_game,
    a_record_proves_itself,
    every_legal_move_is_one_action,
    a_view_becomes_numbers,
    views_that_differ_make_different_numbers,
    the_invariant_holds,
)
"""All of them, the simple ones first: what breaks one of these often breaks those after it."""
