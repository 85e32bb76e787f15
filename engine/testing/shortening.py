"""The shortest play that breaks a promise: somebody has to read it."""

from __future__ import annotations

from collections import deque
from itertools import islice

from dalang.engine.game import NOBODY, Move
from dalang.engine.testing import playing
from dalang.engine.testing.playing import Play, Stuck
from dalang.engine.testing.promise import Broken, Check

MOST_TRIED = 200
"""Short plays that are tried."""
OTHER_SEEDS = 10
"""Games of random moves that are tried after these."""
FIRST_DECISIONS = 20
"""Of each of them, the decisions that are looked at."""


def shortest(check: Check, broken: Broken) -> Broken:
    """The same promise broken with as few moves as a search finds; a game without an end is as short as it is."""
    if len(broken.play.moves) >= playing.MOST_DECISIONS:
        return broken
    return of_the_same_deal(check, broken) or of_other_deals(check, broken)


def of_the_same_deal(check: Check, broken: Broken) -> Broken | None:
    """All plays of that deal, the short ones first, as many as can be tried."""
    waiting: deque[list[Move]] = deque([[]])
    for _ in range(MOST_TRIED):
        if not waiting or len(waiting[0]) == len(broken.play.moves):
            return broken  # none of the shorter ones does it
        play = Play(broken.play.table, broken.play.seed, waiting.popleft())
        try:
            waiting.extend([*play.moves, move] for move in tried(check, play))
        except Broken as shorter:
            return shorter
    return None


def tried(check: Check, play: Play) -> list[Move]:
    """Look at the state that a play leads to; returns how it may go on."""
    with check.telling(play):
        state = play.again()
        moves = state.moves()
        if not check.whole or state.seat == NOBODY:
            check.look(state, play)
        if not moves and state.seat != NOBODY:
            raise Stuck(f"seat {state.seat} has to decide {state.decision!r}, but there are no moves")
    return moves


def of_other_deals(check: Check, broken: Broken) -> Broken:
    """The shortest of some random games, or the one that was found first."""
    best = broken
    for seed in range(broken.play.seed, broken.play.seed + OTHER_SEEDS):
        try:
            look_through(check, Play(broken.play.table, seed), len(best.play.moves))
        except Broken as other:
            best = other
    return best


def look_through(check: Check, play: Play, below: int) -> None:
    """Look at the first states of a random game, or at its end if that comes soon enough."""
    with check.telling(play):
        for decision, state in enumerate(islice(play.go_on(), below)):
            if state.seat == NOBODY or (not check.whole and decision < FIRST_DECISIONS):
                check.look(state, play)
