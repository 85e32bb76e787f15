"""Says what it holds in notes that look like markup, and breaks down with such words in its fifth decision."""

import sys

from dalang.kit import LegalMove, Request, run

TRICK = "</script><img src=x onerror=\"document.title='fooled'\"><b>\u202e"


def choose(request: Request) -> LegalMove:
    request.memory["asked"] = request.memory.get("asked", 0) + 1
    request.note = f"{TRICK} seat {request.seat} has {request.view.get('hand', request.view.get('held'))}"
    if request.memory["asked"] > 4:
        sys.exit(f"{TRICK} enough")
    move: LegalMove = request.rng.choice(request.moves)
    return move


run(choose, name="tells_all")
