"""Prepared games of Bali (Wrede 2017), in few words.

Cards are written s, p, a, fr, fn, fb, fp, o: stonecutter, priest, altar, farmers of rice, peanut, banana
and pepper, oracle. A row is written from top to bottom.
"""

from __future__ import annotations

from typing import Any

from engine.catalogue import find_game
from engine.chance import Chance, ScriptedChance

WREDE = find_game("bali_wrede")
GOODS = ["rice", "peanut", "banana", "pepper"]
NAMES = {
    "s": "stonecutter", "p": "priest", "a": "altar", "o": "oracle",
    "fr": "farmer:rice", "fn": "farmer:peanut", "fb": "farmer:banana", "fp": "farmer:pepper",
}  # fmt: skip
NUMBERS = {"s": 0, "p": 1, "a": 2, "fr": 3, "fn": 4, "fb": 5, "fp": 6, "o": 7}
DISPLAY = "p fr a s  a fn s p  s fb p a  p fp a s"
ROWS = ["p fr a s", "a fn s p", "s fb p a", "p fp a s"]


def script(text: str) -> list[str]:
    """Card names for a script; goods are written in full."""
    return [NAMES.get(word, word) for word in text.split()]


def bali(cards: str = "", seats: int = 3, display: str = DISPLAY, first: str = "", **options: Any) -> Any:
    """A game with this display in which these cards will come; `first` are the setup cards of the place."""
    if options.get("oracle") and not first:
        first = "rice peanut banana pepper"
    return WREDE.start(seats, ScriptedChance(script(f"{display} {first} {cards}")), **options)


def position(
    cards: str = "", seats: int = 3, options: dict[str, Any] | None = None, rows: Any = None, **changes: Any
) -> Any:
    """A prepared game, by default before seat 0 buys; hands and tables are given in words."""
    dump = bali(seats=seats, **(options or {})).dump()
    for name in ("hands", "tables"):
        if name in changes:
            changes[name] = [counts(text) for text in changes[name]]
    if rows is not None:
        changes["rows"] = [[NUMBERS[word] for word in row.split()] for row in rows]
    return load(dump | changes, ScriptedChance(script(cards)))


def load(dump: dict[str, Any], chance: Chance) -> Any:
    return WREDE.load(dump, chance)


def counts(text: str) -> list[int]:
    """So many cards of each sort: "s fr fr" is [1, 0, 0, 2, 0, 0, 0]."""
    numbers = [NUMBERS[word] for word in text.split()]
    return [numbers.count(card) for card in range(7)]


def stack(text: str) -> dict[str, int]:
    names = script(text)
    return {name: names.count(name) for name in NAMES_IN_ORDER}


NAMES_IN_ORDER = [NAMES[word] for word in sorted(NUMBERS, key=lambda word: NUMBERS[word])]


def pile(text: str) -> dict[str, Any]:
    """The changes that lay these cards on the place, oldest first: `rice` from the stock, `1:rice` open by
    seat 1, `1:rice:down` face down."""
    laid: list[list[Any]] = []
    for word in text.split():
        *by, kind, side = word.split(":") if word.endswith(":down") else [*word.split(":"), ""]
        laid.append([int(by[0]) if by else -1, side == "down", GOODS.index(kind)])
    return {"laid": laid, "place": list(range(len(laid)))}


def play(state: Any, text: str) -> Any:
    """Make these moves, separated by commas."""
    for words in text.split(","):
        state.play(tuple(int(word) if word.isdigit() else word for word in words.split()))
    return state


def asked(state: Any) -> tuple[int, str]:
    return state.seat, state.decision


def told(state: Any, name: str) -> list[dict[str, Any]]:
    return [event.full() for event in state.events if event.name == name]


def lying(state: Any) -> list[str]:
    """The kinds on the place, from below."""
    return [GOODS[state.laid[card][2]] for card in state.place]


def moves(state: Any) -> list[str]:
    return [" ".join(map(str, move)) for move in state.moves()]
