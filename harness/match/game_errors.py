"""A game that fails in a match: told so that its author finds the line, and can go there again."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from linecache import getline
from types import FrameType, TracebackType

from dalang.engine.game import Game, SetupError
from dalang.engine.record import Turn

MOST_TURNS_TOLD = 60
"""The last moves, as many as people read."""
INDENT = "    "
"""What marks lines that belong to an error of ours."""


class GameBroke(SetupError):
    """The game itself failed; its author can mend it."""


def told_of_game(
    error: Exception, game: Game, seed: str, names: Sequence[str], turns: Sequence[Turn]
) -> GameBroke | None:
    """The error with all that leads there, if it was raised by the game; None if by anybody else."""
    places = list(frames(error.__traceback__))
    own = [place for place in places if is_of(game, place[0])]
    engine = [place for place in places if module_of(place[0]).startswith("dalang.engine.")]
    if not own and not engine:
        return None
    frame, line = (own or engine)[-1]
    file = frame.f_code.co_filename
    lines = [
        f"in {file}, line {line}, in {frame.f_code.co_name}: {getline(file, line).strip()}",
        f"seed {seed}, seats: {', '.join(names)}",
        *textwrap.wrap(f"after {moves(turns)}", 110, subsequent_indent="  ", break_long_words=False),
    ]
    failed = f"the game {game.name} has failed: {type(error).__name__}: {error}"
    return GameBroke("\n".join([failed, *(INDENT + each for each in lines)]))


def frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Where the error came through, the innermost place last."""
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def is_of(game: Game, frame: FrameType) -> bool:
    """Whether this is code of the game: of its package, or of its module if that is no package's."""
    package = game.state.__module__.rpartition(".")[0] or game.state.__module__
    return f"{module_of(frame)}.".startswith(f"{package}.")


def module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def moves(turns: Sequence[Turn]) -> str:
    left = len(turns) - MOST_TURNS_TOLD
    told = [*([f"{left} earlier moves"] if left > 0 else []), *map(str, turns[-MOST_TURNS_TOLD:])]
    return "; ".join(told) or "no move"
