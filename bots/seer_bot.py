"""Looks ahead by searching imagined worlds: `seer:500` iterations per decision, or `seer@0.2s`."""

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf

from dalang.bots.policies import policy_of
from dalang.bots.search import Budget, Node, Search
from dalang.engine.catalogue import find_game, games
from dalang.engine.game import SetupError
from dalang.kit import LegalMove, Request, run

DEFAULT = Budget(iterations=300, seconds=inf)


def budget(words: list[str]) -> Budget:
    """What the command line says: nothing, `500` iterations or `0.2s`."""
    if not words:
        return DEFAULT
    [word] = words
    return Budget(inf, float(word[:-1])) if word.endswith("s") else Budget(int(word), inf)


def chooser(wanted: Budget) -> Callable[[Request], LegalMove]:
    def choose(request: Request) -> LegalMove:
        if len(request.moves) == 1:
            return request.moves[0]
        search = request.memory.get("search") or begin(request)
        moves = [tuple(move) for move in request.moves]
        allowed = Budget(wanted.iterations, min(wanted.seconds, affordable(request)))
        tree = search.think(request.view, moves, allowed, expected(request))
        move = search.best(moves)
        request.memory["following"] = tree.arms[move].following if move in tree.arms else {}
        request.note = note(tree, move, request.seats)
        return list(move)

    return choose


def begin(request: Request) -> Search:
    game = find_game(request.game)
    search = Search(game, policy_of(game), request.rng)
    request.memory["search"] = search
    return search


def expected(request: Request) -> Node | None:
    """What was thought about this decision before the last one, unless somebody else or luck came between."""
    for event in request.events:
        if event.get("seat", request.seat) != request.seat or "drawn" in event:
            return None
    node: Node | None = request.memory.get("following", {}).get((request.seat, request.decision))
    return node


def affordable(request: Request) -> float:
    """Seconds that never lead to a timeout: most of the move's own time and a tenth of the bank."""
    clock = request.clock or request.limits  # both are empty where no time counts
    return 0.7 * clock["move"] + 0.1 * clock["bank"] if clock else inf


def note(tree: Node, move: tuple[str | int, ...], seats: int) -> str:
    arm = tree.arms.get(move)
    if not tree.visits or not arm:
        return "no time to think"
    place = 1 + (1 - arm.value()) * (seats - 1)
    return f"expects place {min(max(place, 1), seats):.1f}, {arm.visits / tree.visits:.0%} of {tree.visits} visits"


def load_games() -> None:
    """Before any clock runs; a game whose part cannot be loaded is told when it is to be played."""
    for game in games().values():
        with suppress(SetupError):
            policy_of(game)


if __name__ == "__main__":
    load_games()
    gc.disable()  # trees and states have no cycles, and are many
    run(chooser(budget(sys.argv[1:])), name="seer")
