"""Game options as they are typed on a command line: NAME=VALUE."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dalang.engine.game import Game, SetupError, quoted, unknown


def parse_options(game: Game, texts: Iterable[str]) -> dict[str, Any]:
    """The options that these texts give, of the right type and allowed values."""
    given = dict(parse_option(game, text) for text in texts)
    game.checked_options(given)
    return given


def parse_option(game: Game, text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SetupError(
            f"an option is NAME=VALUE, not {quoted(text)}; {game.name} has: {', '.join(game.options)}"
        )
    if name not in game.options:
        raise unknown(f"{game.name} option", name, game.options)
    if isinstance(game.options[name].default, list) and not value.startswith("["):
        return name, [parse_value(part.strip()) for part in value.split(",")]
    return name, parse_value(value)


def parse_value(text: str) -> Any:
    """JSON where it is JSON, else the word itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
