"""Who sees what in Bali (Wrede 2017): the view of a seat, and the worlds that it can imagine.

V marks refer to rulebook.md beside this file.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING, Any

from dalang.engine.chance import Bag
from dalang.engine.game import NOBODY, Plain
from dalang.engine.games.bali_wrede.components import CARD, CARDS, GOODS, KIND, TOPS, UNKNOWN
from dalang.engine.games.bali_wrede.worlds import Clues, Laid, Look, worlds

if TYPE_CHECKING:
    from dalang.engine.games.bali_wrede.state import BaliWrede

ONLOOKER = -2
"""Whose eyes are those of no seat, and not the stock's either."""
TOP = {name: top for top, name in enumerate(TOPS)} | {"": UNKNOWN}


# ---- The view of a seat


def sight_of(state: BaliWrede, seat: int) -> Plain:
    """Counts of cards are in the order of CARDS, counts of goods in the order of GOODS."""
    return {
        "turn": state.turn,
        "row": state.row,  # from which a card was last taken this turn, or -1
        "due": state.due,  # cards still due to the seat that is asked to gain
        "rows": [[CARDS[card] for card in row] for row in state.rows],
        "demon": state.demon,
        "stack": state.stack.counts.copy(),
        "stock": state.stock.copy(),
        "box": {"altar": state.box[0], "oracle": state.box[1]},
        "tables": [table.copy() for table in state.tables],
        "hands": [hand.copy() for hand in state.hands],
        "stone": state.stone.copy(),
        "points": state.points.copy(),
        "held": state.held[seat].copy(),
        "total": [sum(held) for held in state.held],
        "open": [ledger.copy() for ledger in state.open],
        "down": state.down.copy(),
        "picks": state.picks.copy(),
        # What perfect recall adds to the ledger: its lowest in each stretch between two hidden acts of a
        # seat. So it is known which kinds the seat can have held when it laid a card face down.
        "lows": [[low.copy() for low in lows] for lows in state.lows],
        "place": len(state.place),
        "top": TOPS[state.top()],
        "laid": [laid_card(card, seat) for card in state.laid],
        "looks": [look_at_place(look, seat) for look in state.looks],
        "revealed": {} if state.stack.size else revealed(state),
    }


def laid_card(card: tuple[int, bool, int], seat: int) -> list[str | int]:
    """V6, V7, V9a: by whom (-1 from the stock), open or down, the kind if this seat saw it."""
    by, down, kind = card
    if down:
        return [by, "down", GOODS[kind] if by == seat else ""]
    return [by, "open", GOODS[kind]]


def look_at_place(look: tuple[int, int, int, int, int, list[int]], seat: int) -> list[Any]:
    """V9b: by whom, after how many laid cards, at how many, was one kept, the top afterwards; and for the
    looker the kinds from bottom to top and the kind kept."""
    by, after, size, kind, top, seen = look
    known = [[GOODS[each] for each in seen], TOPS[kind]] if by == seat else [[], ""]
    return [by, after, size, kind != UNKNOWN, TOPS[top], *known]


def revealed(state: BaliWrede) -> Plain:
    """What everybody learns at the end (V17)."""
    return {
        "place": [GOODS[state.laid[card][2]] for card in state.place],
        "held": [held.copy() for held in state.held],
    }


def open_sight_of(state: BaliWrede) -> Plain:
    """For an onlooker: nobody's hidden cards."""
    return sight_of(state, 0) | {
        "held": [],
        "laid": [laid_card(card, ONLOOKER) for card in state.laid],
        "looks": [look_at_place(look, ONLOOKER) for look in state.looks],
    }


# ---- The worlds that a seat can imagine


def imagine(state: BaliWrede, view: Plain) -> None:
    """Fill a blank state with a world that looks like this."""
    see_the_table(state, view)
    choose_a_world(state, view)


def see_the_table(state: BaliWrede, view: Plain) -> None:
    state.turn, state.row, state.due, state.demon = view["turn"], view["row"], view["due"], view["demon"]
    state.stock, state.stone, state.points = view["stock"].copy(), view["stone"].copy(), view["points"].copy()
    state.down, state.picks = view["down"].copy(), view["picks"].copy()
    state.tables = [table.copy() for table in view["tables"]]
    state.hands = [hand.copy() for hand in view["hands"]]
    state.open = [ledger.copy() for ledger in view["open"]]
    state.lows = [[low.copy() for low in lows] for lows in view["lows"]]
    state.rows = [[CARD[card] for card in row] for row in view["rows"]]
    state.stack = Bag(CARDS, view["stack"])
    state.box = [view["box"]["altar"], view["box"]["oracle"]]


def choose_a_world(state: BaliWrede, view: Plain) -> None:
    """Choose a world for what the view leaves open; each possible one is equally likely.

    A world says what every hidden card is and which card left the place at every hidden pick.
    """
    known = worlds(clues(view))
    world = known.world(state.chance.below(known.number, "world") if known.number > 1 else 0)
    state.place = world.place
    state.laid = [
        (by, side == "down", kind) for (by, side, _), kind in zip(view["laid"], world.kinds, strict=True)
    ]
    state.looks = [
        (by, after, size, kind, TOP[top], seen)
        for (by, after, size, _, top, *_), (seen, kind) in zip(view["looks"], world.looks, strict=True)
    ]
    state.held = holdings(state)


def holdings(state: BaliWrede) -> list[list[int]]:
    """V8: the open ledger less what was laid face down, plus what was picked."""
    held = [ledger.copy() for ledger in state.open]
    for by, down, kind in state.laid:
        if down and by != NOBODY:
            held[by][kind] -= 1
    for by, _, _, kind, _, _ in state.looks:
        if kind != UNKNOWN:
            held[by][kind] += 1
    return held


def clues(view: Plain) -> Clues:
    """The part of a view that tells something about hidden cards."""
    lows = [list(map(tuple, stretches)) for stretches in view["lows"]]
    place = None
    if view["revealed"]:
        place = tuple(KIND[good] for good in view["revealed"]["place"])
        for stretches, ledger, held in zip(lows, view["open"], view["revealed"]["held"], strict=True):
            stretches[-1] = tuple(map(sub, ledger, held))  # now it is known to the card what was spent
    laid = tuple(Laid(by, side == "down", TOP[kind]) for by, side, kind in view["laid"])
    looks = tuple(
        Look(by, after, size, kept, TOP[top], tuple(KIND[each] for each in seen), TOP[kind])
        for by, after, size, kept, top, seen, kind in view["looks"]
    )
    return Clues(view["you"], laid, looks, tuple(map(tuple, lows)), place)
