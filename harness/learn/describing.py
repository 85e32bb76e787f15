"""What the numbers and the actions of a game mean, for those who look at them."""

from __future__ import annotations

from typing import Any

from tabulate import tabulate

from dalang.engine.game import Game
from dalang.engine.learning import left_out
from dalang.harness.learn.table import LearningTable


def describe(game: str | Game, seats: int | None = None, **options: Any) -> str:
    """The actions of a table, and its observation field by field, as Markdown.

    >>> from dalang import learn
    >>> print(learn.describe("kali").splitlines()[0])
    4 actions: draw; stop; take_over; decline.
    """
    table = LearningTable(game, seats, options)
    actions = "; ".join(" ".join(map(str, move)) for move in table.actions)
    rows, start = [], 0
    for feature in table.encoding.features:
        last = start + len(feature.parts) - 1
        key = f"`{feature.key}`" if feature.key else "all of it"
        rows.append([span(start, last), key, shortened(feature.parts), feature.about])
        start = last + 1
    told = tabulate(
        rows, ["numbers", "of the view", "each", "what they tell"], "github", disable_numparse=True
    )
    return "\n\n".join(
        [
            f"{len(table.actions)} actions: {actions}.",
            f"{table.encoding.size} numbers from 0 to 1:",
            told,
            *not_told(table.game),
        ]
    )


def not_told(game: Game) -> list[str]:
    untold = [[f"`{key}`", why] for key, why in left_out(game).items()]
    return ["Not told, or not in full:", tabulate(untold, ["of the view", "why"], "github")] if untold else []


def span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def shortened(parts: tuple[str, ...]) -> str:
    """The first few of them."""
    shown = ", ".join(f"`{part}`" for part in parts[:MOST_PARTS] if part)
    return f"{shown}, …" if len(parts) > MOST_PARTS else shown


MOST_PARTS = 4
