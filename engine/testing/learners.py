"""What a game promises to those who learn to play it; a part that it does not bring promises nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dalang.engine.game import Plain, State, plain
from dalang.engine.learning import learning_of, left_out
from dalang.engine.testing.comparing import shown
from dalang.engine.testing.playing import Play
from dalang.engine.testing.promise import check, claim, same

OTHER_DEALS = 20
"""Whose beginnings are compared with each other and with the rest."""


@check(every=10)
def every_legal_move_is_one_action(state: State, play: Play) -> None:
    """Every legal move is one of the actions that the game names, and has a number of its own."""
    table = play.table
    if learning_of(table.game).actions is None:
        return
    actions, moves = table.actions, state.moves()
    claim(len(set(actions)) == len(actions), "an action is named twice")
    for move in moves:
        number = actions.index(move, state.seat)
        same(
            move, actions.move(number, state.seat), "move", f"action {number} does not lead back to its move"
        )
    numbers = {actions.index(move, state.seat) for move in moves}
    claim(len(numbers) == len(moves), f"two legal moves have one number: {shown(moves)}")


@check(every=10)
def a_view_becomes_numbers(state: State, play: Play) -> None:
    """Every view becomes as many numbers from 0 to 1, made of the view alone and without changing it."""
    encoding = play.table.encoding
    for seat in range(play.table.seats):
        view = state.view(seat)
        kept = plain(view)
        numbers = encoding.encode(view)
        claim(len(numbers) == encoding.size, f"{len(numbers)} numbers have {encoding.size} names")
        beyond = [name for name, each in zip(encoding.names, numbers, strict=True) if not 0 <= each <= 1]
        claim(not beyond, f"the view of seat {seat} makes numbers that are not from 0 to 1: {shown(beyond)}")
        same(kept, view, "view", "making numbers of a view changed it")
        claim(encoding.encode(kept) == numbers, f"one view of seat {seat} makes different numbers")


@check(every=None)
def views_that_differ_make_different_numbers(last: State, play: Play) -> None:
    """All of a view is told in its numbers, but for what the game says that it leaves out."""
    game, encoding = play.table.game, play.table.encoding
    if learning_of(game).schema is None:
        return
    untold = left_out(game).keys()
    told = {feature.key.partition(".")[0] for feature in encoding.features} | untold
    seen_before: dict[tuple[int, bytes], Plain] = {}
    for state in chain(replayed(play), other_deals(play)):
        seat = max(state.seat, 0)
        view = state.view(seat)
        claim(not view.keys() - told, f"neither told nor left out: {sorted(view.keys() - told)}")
        matters = {key: value for key, value in view.items() if key not in untold}
        known = seen_before.setdefault((seat, encoding.encode(view).tobytes()), matters)
        same(known, matters, "view", f"two views of seat {seat} make the same numbers")


def other_deals(play: Play) -> Iterator[State]:
    """They look alike but for what was dealt."""
    return (Play(play.table, play.seed + more).begin() for more in range(1, 1 + OTHER_DEALS))


def replayed(play: Play) -> Iterator[State]:
    """The state before each move of a play, and after the last."""
    state = play.begin()
    yield state
    for move in play.moves:
        state.play(move)
        yield state
