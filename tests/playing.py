"""Games for tests: the random ones of `dalang.testing`, and matches between bots without their processes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import RecordingChance
from dalang.engine.record import Record, enact, seen
from dalang.harness.match.limits import Limits
from dalang.kit import Request
from dalang.testing import imagined, play_out, random_record, some, start, walk

__all__ = ["chooser", "imagined", "play_out", "played", "random_record", "some", "start", "walk"]

Choose = Callable[[Request], Any]


def chooser(name: str) -> Choose:
    choose: Choose = import_module(f"dalang.bots.{name}_bot").choose
    return choose


def played(
    game: str,
    choosers: list[Choose],
    seed: str,
    notes: list[str] | None = None,
    key: str = "",
    chance: RecordingChance | None = None,
    **options: Any,
) -> Record:
    """A match without processes: each seat gets the requests that the kit would make; the key changes its own luck."""
    find = find_game(game)
    said = {
        "game": game,
        "seats": len(choosers),
        "options": find.checked_options(options),
        "limits": Limits().announced(),
    }
    requests = [
        Request({**said, "seat": seat, "seed": f"{seed} {seat}{key}"}) for seat in range(len(choosers))
    ]

    told = [0] * len(choosers)

    def choose(state: Any) -> Any:
        seat, moves = state.seat, state.moves()
        request = requests[seat]
        events = seen(state.events[told[seat] :], seat)
        told[seat] = len(state.events)
        asked = {"decision": state.decision, "events": events, "view": state.view(seat)}
        request.take({**asked, "moves": [list(move) for move in moves]})
        chosen = choosers[seat](request)
        if notes is not None and len(moves) > 1:
            notes.append(request.note)
        return moves[chosen] if isinstance(chosen, int) else tuple(chosen)

    return enact(find, len(choosers), seed, choose, chance, **options)
