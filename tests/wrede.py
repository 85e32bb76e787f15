"""Prepared games of Bali (Wrede 2017), in few words.

Cards are written s, p, a, fr, fn, fb, fp, o: stonecutter, priest, altar, farmers of rice, peanut, banana
and pepper, oracle. A row is written from top to bottom.
"""

from __future__ import annotations

from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import Chance, QuickChance, ScriptedChance
from tests.playing import play_out

WREDE = find_game("bali_wrede")
GOODS = ["rice", "peanut", "banana", "pepper"]
NAMES = {
    "s": "stonecutter", "p": "priest", "a": "altar", "o": "oracle",
    "fr": "farmer:rice", "fn": "farmer:peanut", "fb": "farmer:banana", "fp": "farmer:pepper",
}  # fmt: skip
ORACLE = {"oracle": True}
DEMON = {"demon": True}
EMPTY = [0, 0, 0, 0]
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
    return [event.full for event in state.events if event.name == name]


def lying(state: Any) -> list[str]:
    """The kinds on the place, from below."""
    return [GOODS[state.laid[card][2]] for card in state.place]


def moves(state: Any) -> list[str]:
    return [" ".join(map(str, move)) for move in state.moves()]


# ---- Moments of the game


def taking(row: str = "a s", cards: str = "", **changes: Any) -> Any:
    """Seat 0 must take one card, and row 0 is this one."""
    changes = {"hands": ["p p", "s s s", "s s s"], "decision": "take", **changes}
    return position(cards, rows=[row, *ROWS[1:]], **changes)


def valued(card: str, tables: list[str], **changes: Any) -> Any:
    """Seat 0 takes his last card, and this one is uncovered."""
    changes = {"seats": len(tables), "stone": [0] * len(tables), **changes}
    changes["hands"] = ["p p"] + ["s s s"] * (len(tables) - 1)
    return play(taking(f"{card} s", tables=tables, **changes), "take 0")


def scored(place: str, **changes: Any) -> Any:
    """A game that ends now, with this place."""
    seats = changes.pop("seats", 2)
    changes = {"hands": ["p p"] + ["s s s"] * (seats - 1), "stone": [0] * seats, **changes}
    return play(taking("s", "s s", seats=seats, stack=stack("s s"), **pile(place), **changes), "take 0")


def altar(**changes: Any) -> Any:
    """Seat 1 of three has just built an altar."""
    changes = {"hands": ["", "a p p", ""], "stone": [0, 7, 0], "seat": 1, "turn": 1, **changes}
    return play(position(decision="play", **changes), "play altar")


def oracle_row(cards: str = "s o p fr", place: str = "rice peanut banana pepper", **changes: Any) -> Any:
    """Seat 0 takes his last card but one and so makes a new row with these cards."""
    changes = {"hands": ["p", "s s s", "s s s"], "options": ORACLE, **changes}
    return play(taking("s", cards, **pile(place), **changes), "take 0")


def random_game(seed: int, seats: int, **options: Any) -> Any:
    return play_out(WREDE.start(seats, QuickChance(seed), **options), seed)
