"""Prepared positions of Bali (Rosenberg 2001), in short words.

Cards are written as in "2 priest kw": two priests and the Dalang card Kukusch/Wontong.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import QuickChance, ScriptedChance, SeededChance
from dalang.engine.game import Move, Plain, plain

BALI = find_game("bali_rosenberg")
ISLANDS = ["kukusch", "panschar", "tschakkalag", "wontong"]
SHORT = {a[0] + b[0]: f"dalang:{a}+{b}" for number, a in enumerate(ISLANDS) for b in ISLANDS[number + 1 :]}
COPIES = dict.fromkeys(("warrior", "scholar"), 30) | {"artist": 15} | dict.fromkeys(("priest", "prince"), 30)
COPIES |= dict.fromkeys(SHORT.values(), 4)
CARDS = list(COPIES)
CHIPS = ("priest", "prince")


def cards(text: str) -> list[str]:
    """ "2 priest kw" in full."""
    found, times = [], 1
    for word in text.split():
        if word.isdigit():
            times = int(word)
        else:
            found += [SHORT.get(word, word)] * times
            times = 1
    return found


def opening(start: str = "1 2 3 4", deal: str = "", draws: str = "", **options: Any) -> Any:
    """A new game with these start cards, first deal and first draws."""
    seats = len(start.split())
    dealt = cards(deal) or ["warrior", "scholar", "prince"] * 4 * seats
    drawn = cards(draws) or ["priest"] * (seats + 1)
    script = dealt + [f"start:{number}" for number in start.split()] + drawn
    return BALI.start(seats, ScriptedChance(script), **options)


def position(
    *hands: str,
    stacks: dict[tuple[int, str], str] | None = None,
    discards: str = "",
    pile: str = "",
    rest: tuple[int, str] | str = "pile",
    draws: str | None = None,
    chips: dict[str, int] | None = None,
    seals: dict[str, int] | None = None,
    island: str = "wontong",
    active: int = 0,
    options: Plain | None = None,
    chance: Any = None,
    **changes: Any,
) -> Any:
    """The active seat is to move with these hands; all other cards are where `rest` says."""
    seats = range(len(hands))
    piles = {(seat, place): list[str]() for seat in seats for place in ISLANDS}
    piles |= {where: cards(text) for where, text in (stacks or {}).items()}
    left = Counter(COPIES)
    left.subtract(cards(discards) + cards(pile))
    left.subtract(card for heap in [*piles.values(), *map(cards, hands)] for card in heap)
    assert min(left.values()) >= 0
    lying = {"discards": Counter(cards(discards)), "pile": Counter(cards(pile))}
    if isinstance(rest, str):
        lying[rest] += left
    else:
        piles[rest] = list(left.elements()) + piles[rest]
    here = ISLANDS.index(island)
    dump = BALI.start(len(hands), SeededChance("any"), **(options or {})).dump()
    dump |= {name: {card: content[card] for card in CARDS} for name, content in lying.items()}
    dump |= {
        "hands": [[cards(held).count(card) for card in CARDS] for held in hands],
        "stacks": [[list(map(CARDS.index, piles[seat, place])) for place in ISLANDS] for seat in seats],
        "dealt": [[0] * 4 for _ in seats],
        "chips": [[(chips or {}).get(f"{kind} {place}", -1) for place in ISLANDS] for kind in CHIPS],
        "seals": [(seals or {}).get(place, -1) for place in ISLANDS],
        "island": here,
        "home": here,
        "active": active,
        "seat": active,
        "decision": "turn",
        "idle": 0,
        **changes,
    }
    script = ScriptedChance(cards(draws)) if draws is not None else QuickChance(1)
    return BALI.load(plain(dump), chance or script)


def move(text: str) -> Move:
    return tuple(int(word) if word.isdigit() else SHORT.get(word, word) for word in text.split())


def play(state: Any, *moves: str) -> Any:
    for text in moves:
        state.play(move(text))
    return state


def may(state: Any, *moves: str) -> bool:
    """Are these exactly the legal moves, in this order?"""
    assert state.moves() == [move(text) for text in moves]
    return True


def asked(state: Any) -> tuple[int, str]:
    return state.seat, state.decision


def hand(state: Any, seat: int) -> list[str]:
    return [CARDS[card] for card, held in enumerate(state.hands[seat]) for _ in range(held)]


def stack(state: Any, seat: int, island: str) -> list[str]:
    return [CARDS[card] for card in state.stacks[seat][ISLANDS.index(island)]]


def thrown(state: Any) -> list[str]:
    """What lies on the discard pile."""
    return list(Counter(state.discards.named()).elements())


def told(state: Any, name: str) -> list[Plain]:
    return [event.full for event in state.events if event.name == name]


def heard(state: Any, seat: int, name: str) -> list[Plain]:
    """The events of this name as a seat sees them."""
    return [
        seen for event in state.events if event.name == name and (seen := event.seen_by(seat)) is not None
    ]
