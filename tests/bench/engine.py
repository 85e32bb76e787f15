"""How fast the games are, in one process: `make bench`.

Absolute figures depend on the machine and the hour; the last column does not: it sets each game beside a
bare loop that makes the same number of random choices and nothing else, measured in the same breath.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter

from tabulate import tabulate

from dalang.engine.catalogue import games
from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, Game, State

ROUNDS = 5
SECONDS = 0.4


def main() -> None:
    rows = [row(game, seats) for game in games().values() for seats in (game.seats[0], game.seats[-1])]
    headers = ["game", "seats", "decisions/s", "checked/s", "clones/s", "views/s", "bare choices/s", "share"]
    print(tabulate(rows, headers=headers, intfmt=",", floatfmt=".2f"))
    print("decisions: moves() and apply(), events off; checked: the same with play().")
    print("share: decisions / bare choices.")


def row(game: Game, seats: int) -> list[object]:
    rng = Random(1)
    middle, chance = game_in_progress(game, seats, rng), QuickChance(1)
    measures = [
        lambda: playing(game, seats, rng, State.apply),
        lambda: playing(game, seats, rng, State.play),
        lambda: repeating(lambda: middle.clone(chance)),
        lambda: repeating(lambda: middle.view(0)),
        lambda: repeating(lambda: rng.choice(ABOUT_FOUR)),
    ]
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    figures = [round(median(column)) for column in zip(*rounds, strict=True)]
    share = median(each[0] / each[-1] for each in rounds)
    return [game.name, seats, *figures, share]


ABOUT_FOUR = [1, 2, 3, 4]


def playing(
    game: Game, seats: int, rng: Random, step: Callable[[State, tuple[str | int, ...]], None]
) -> float:
    """Decisions per second of random play."""
    chance, decisions, begin = QuickChance(rng.randrange(2**32)), 0, perf_counter()
    while perf_counter() - begin < SECONDS:
        state = game.start(seats, chance)
        state.events = None
        while state.seat != NOBODY:
            step(state, rng.choice(state.moves()))
            decisions += 1
    return decisions / (perf_counter() - begin)


def repeating(act: Callable[[], object]) -> float:
    """Calls per second."""
    calls, begin = 0, perf_counter()
    while perf_counter() - begin < SECONDS / 4:
        for _ in range(100):
            act()
        calls += 100
    return calls / (perf_counter() - begin)


def game_in_progress(game: Game, seats: int, rng: Random) -> State:
    """A position some way into a game, events off as in search."""
    state = game.start(seats, QuickChance(1))
    state.events = None
    for _ in range(20):
        if state.seat != NOBODY:
            state.apply(rng.choice(state.moves()))
    return state


if __name__ == "__main__":
    main()
