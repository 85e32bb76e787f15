"""How fast `seer` looks ahead, and what a larger budget brings against rules of thumb: `make bench`.

A cell of the second table gets the same time whatever the budget, on all cores: so small budgets play more matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from math import inf
from os import cpu_count
from random import Random
from statistics import median
from time import perf_counter, process_time

from tabulate import tabulate

from dalang.bots.policies import policy_of
from dalang.bots.search import Budget, Search
from dalang.bots.seer_bot import chooser as seer
from dalang.engine.catalogue import games
from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, Game, State
from dalang.harness.statistics.intervals import estimate
from tests.playing import chooser, played

ROUNDS = 3
SECONDS = 0.5
BUDGETS = (50, 200, 800)
RIVALS = {"kali": ("cautious", 2), "bali_wrede": ("planner", 2), "bali_rosenberg": ("guardian", 3)}
CELL = 20.0
"""Seconds for each game and budget."""
LEAST = 6
"""Matches to be played all the same."""


def main() -> None:
    rows = [
        [game.name, seats, *speeds(game, seats)]
        for game in games().values()
        for seats in (game.seats[0], game.seats[-1])
    ]
    print(tabulate(rows, headers=["game", "seats", "iterations/s", "playing to the end"], intfmt=","))
    print()
    with ProcessPoolExecutor() as pool:
        lines = [strength(pool, game, budget) for game in RIVALS for budget in BUDGETS]
    print(tabulate(lines, headers=["game", "against", "iterations", "mean place", "95 %", "even", "matches"]))
    print("One seer, the others play by rules of thumb.")


# ---- Speed


def speeds(game: Game, seats: int) -> list[int]:
    """Iterations per second with what seer knows of the game, and without."""
    known, unknown = policy_of(game), type(policy_of(game))()
    return [
        round(median(iterations(Search(game, policy, Random(1)), seats) for _ in range(ROUNDS)))
        for policy in (known, unknown)
    ]


def iterations(search: Search, seats: int) -> float:
    """Per second of processor time, over the decisions of random games."""
    number, spent = 0, 0.0
    for state in decisions(search.game, seats):
        begin = process_time()
        number += search.think(state.view(state.seat), state.moves(), Budget(100, inf)).visits
        spent += process_time() - begin
        if spent > SECONDS:
            break
    return number / spent


def decisions(game: Game, seats: int) -> Iterator[State]:
    """Some of those of random games where there is a choice."""
    rng = Random(2)
    for _ in count():
        state = game.start(seats, QuickChance(rng))
        state.events = None
        while state.seat != NOBODY:
            moves = state.moves()
            if len(moves) > 1 and not rng.randrange(10):
                yield state
            state.apply(rng.choice(moves))


# ---- Strength


def strength(pool: ProcessPoolExecutor, game: str, budget: int) -> list[object]:
    rival, seats = RIVALS[game]
    places = results(pool, game, budget)
    mean = estimate(places, (1, seats), "bench")
    return [
        game,
        rival,
        budget,
        mean.mean,
        f"{mean.low:.2f} to {mean.high:.2f}",
        (1 + seats) / 2,
        len(places),
    ]


def results(pool: ProcessPoolExecutor, game: str, budget: int) -> list[float]:
    """Places of seer, in matches from all seats in turn, as many as fit into the time."""
    end, numbers = perf_counter() + CELL, count()
    running = {pool.submit(place, game, budget, next(numbers)) for _ in range(cpu_count() or 1)}
    places: list[float] = []
    while running:
        done, running = first_of(running)
        places += [future.result() for future in done]
        for _ in done:
            if perf_counter() < end or len(places) + len(running) < LEAST:
                running.add(pool.submit(place, game, budget, next(numbers)))
    return places


def first_of(running: set[Future[float]]) -> tuple[set[Future[float]], set[Future[float]]]:
    done, rest = wait(running, return_when=FIRST_COMPLETED)
    return done, rest


def place(game: str, budget: int, number: int) -> float:
    rival, seats = RIVALS[game]
    seat = number % seats
    choosers = [seer(Budget(budget, inf)) if each == seat else chooser(rival) for each in range(seats)]
    record = played(game, choosers, f"bench {number // seats}")
    ranks = record.outcome.ranks
    return ranks[seat] + (ranks.count(ranks[seat]) - 1) / 2


if __name__ == "__main__":
    main()
