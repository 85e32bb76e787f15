"""Bali (Rosenberg) at a glance: which card is worth keeping, which play worth trying, who stands how well.

§ marks refer to engine/games/bali_rosenberg/rulebook.md.
"""

from __future__ import annotations

from dalang.bots.guardian_bot import Court
from dalang.bots.search import Policy, rewards, rewards_by_lead, weights_by_value
from dalang.engine.game import NOBODY, Move, Plain
from dalang.engine.games.bali_rosenberg.components import (
    CARD,
    FIRST_DALANG,
    ISLAND,
    KEPT,
    PRIEST,
    SEAL,
)
from dalang.engine.games.bali_rosenberg.position import Position

WORTH = [0.25, 0.2, 0.2, 0.3, 0.3] + [0.5] * 6
"""Of a card, in points, while all masks are in stock."""
CHIP = 3.0
"""Of a chip, likewise: what it will bring as long as one can hope to keep it."""
ALL_MASKS = 56


# ---- Choices


def turn(state: Position, moves: list[Move]) -> list[float]:
    seat, hand, chips = state.seat, state.hands[state.seat], state.chips
    weights = []
    for move in moves:
        if move[0] == "end":
            weights.append(1.0)
        elif len(move) == 2:  # a scholar or an artist
            weights.append(0.5)
        elif move[1] == "warrior":
            weights.append(0.2)
        elif (card := CARD[str(move[1])]) < FIRST_DALANG:  # a contest
            wanted = chips[card - PRIEST][state.island] != seat
            weights.append((3.0 if move[2] == hand[card] - 1 else 0.3) if wanted else 0.1)
        else:
            to = ISLAND[str(move[2])]
            mine = (chips[0][to] == seat) + (chips[1][to] == seat)
            weights.append((0.4, 5.0, 8.0)[mine])
    return weights


def block(state: Position, moves: list[Move]) -> list[float]:
    chips, target = state.chips, state.target
    owners = (chips[0][target], chips[1][target])
    scores = state.active in owners and state.seat not in owners
    return [1.0] + [3.0 if scores else 0.2] * (len(moves) - 1)


def show(state: Position, moves: list[Move]) -> list[float]:
    return [1.0] + [1.0] * (len(moves) - 2) + [2.0]


def defend(state: Position, moves: list[Move]) -> list[float]:
    return [1.0, 2.0]


def replace(state: Position, moves: list[Move]) -> list[float]:
    return [0.05, 0.95]


def cards_first(state: Position, moves: list[Move]) -> list[float]:
    """Good cards before bad ones: at the bottom they are kept (§11.8), and those that flee are not lost."""
    return [WORTH[CARD[str(move[1])]] ** 2 for move in moves]


def artist(state: Position, moves: list[Move]) -> list[float]:
    return [0.5] + [0.01 / WORTH[CARD[str(move[1])]] ** 2 for move in moves[1:]]


def counsel(view: Plain, moves: list[Move]) -> list[float]:
    """What the guardian thinks of the moves."""
    worth = getattr(Court(view), view["decision"])
    return weights_by_value([worth(list(move)) for move in moves], 1.5)


# ---- How a position stands


def standing(state: Position) -> list[float]:
    """Places as likely as points, chips and cards make them."""
    if state.seat == NOBODY:
        return rewards(state.outcome())
    left = sum(state.masks) / ALL_MASKS
    values = [points(state, seat) + left * promise(state, seat) for seat in range(state.seats)]
    return rewards_by_lead(values, 1.0 + 6.0 * left)


def points(state: Position, seat: int) -> int:
    """§12.2."""
    return sum(state.taken[seat]) + SEAL * state.seals.count(seat)


def promise(state: Position, seat: int) -> float:
    """What chips and cards will bring; what lies above the bottom four may be lost (§11.8)."""
    value: float = CHIP * (state.chips[0].count(seat) + state.chips[1].count(seat))
    value += sum([held * worth for held, worth in zip(state.hands[seat], WORTH, strict=True)])
    for stack in state.stacks[seat]:
        value += sum([WORTH[card] for card in stack[:KEPT]]) + sum([WORTH[card] for card in stack[KEPT:]]) / 2
    return value


POLICY = Policy(
    weights={
        "turn": turn,
        "block": block,
        "show": show,
        "defend": defend,
        "replace": replace,
        "flee": cards_first,
        "lay": cards_first,
        "artist": artist,
    },
    counsel=counsel,
    pauses=("turn",),
    horizon=8,
    standing=standing,
)
