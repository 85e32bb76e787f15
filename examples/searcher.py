"""A bot that looks ahead, in any game: it tries each of its moves in imagined worlds, and plays on there at random."""

import dalang
from dalang.engine.chance import QuickChance
from dalang.kit import run

WORLDS = 10


def choose(request):
    game = dalang.game(request.game)
    totals = [0] * len(request.moves)
    for _ in range(WORLDS):
        world = game.imagine(request.view, QuickChance(request.rng))
        for number, move in enumerate(request.moves):
            totals[number] += place_after(world.clone(world.chance), tuple(move), request)
    request.note = f"expects place {min(totals) / WORLDS:.1f}"
    return totals.index(min(totals))


def place_after(state, move, request):
    state.apply(move)
    while state.decision:
        state.apply(request.rng.choice(state.moves()))
    return state.outcome().ranks[request.seat]


if __name__ == "__main__":
    run(choose, name="searcher", wants=["view"])
