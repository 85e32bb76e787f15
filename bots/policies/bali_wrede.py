"""Bali (Wrede) at a glance: simple preferences within a turn, and the planner's prospects at its end.

§ marks refer to engine/games/bali_wrede/rulebook.md.
"""

from __future__ import annotations

from math import exp, sqrt

from dalang.bots import planner_bot
from dalang.bots.search import Policy, rewards, rewards_by_lead, weights_by_value
from dalang.engine.game import NOBODY, Move, Plain
from dalang.engine.games.bali_wrede.components import CARD, CARD_PRICE, FARMER, HAND, KIND, KINDS, STONECUTTER
from dalang.engine.games.bali_wrede.state import BaliWrede

CARD_ALLURE = (0.8, 1.4, 1.2, 0.8, 0.8, 0.8, 0.8)
"""How much a card is wanted in hand, in points."""
UNIT_WORTH = (0.4, 1.0, 1.0, 1.5, 1.5, 1.5, 1.5)
"""What one unit of a valuation is worth, in points (§8)."""
FARMERS_ALLURE = (0.0, 1.2, 1.7, 2.0)
"""By the number of farmers played at once: how tempting that is."""


# ---- Choices


def take(state: BaliWrede, moves: list[Move]) -> list[float]:
    """The card itself, and for the last one what it uncovers (§8.1)."""
    last = sum(state.hands[state.seat]) == HAND - 1
    weights = []
    for _, number in moves:
        row = state.rows[int(number)]
        value = CARD_ALLURE[row[-1]]
        if last and len(row) > 1:
            value += advantage(state, row[-2])
        weights.append(exp(3 * value))
    return weights


def advantage(state: BaliWrede, card: int) -> float:
    """What a valuation brings the deciding seat more than the others on average."""
    counts = [table[card] for table in state.tables]
    most = max(counts)
    lone = most >= 2 and counts.count(most) == 1
    pays = [min(1, number) for number in counts] if card >= FARMER else counts
    mine = pays[state.seat] + (lone and counts[state.seat] == most)
    others = sum(pays) + lone - mine
    return UNIT_WORTH[card] * (mine - others / (state.seats - 1))


def play(state: BaliWrede, moves: list[Move]) -> list[float]:
    table = state.tables[state.seat]
    weights = []
    for _, what, *more in moves:
        if more:
            kind, number = more
            weights.append(FARMERS_ALLURE[int(number)] + (0.0 if table[FARMER + KIND[str(kind)]] else 1.0))
        else:
            weights.append((2.0, 3.0, 6.0)[CARD[str(what)]])
    return weights


def buy(state: BaliWrede, moves: list[Move]) -> list[float]:
    """What the card would bring today against its price (§4.2)."""
    table, worth = state.tables[state.seat], state.values()
    weights = []
    for _, good in moves[:-1]:
        kind = KIND[str(good)]
        price = max(0, CARD_PRICE - table[FARMER + kind])
        weights.append(exp(1.5 * (worth[kind] - UNIT_WORTH[STONECUTTER] * price)))
    return [*weights, 1.0]


def what_one_has(state: BaliWrede, moves: list[Move]) -> list[float]:
    """More of that on the place makes the rest of it worth more (§9.4)."""
    held = state.held[state.seat]
    return [0.5 + held[KIND[str(move[1])]] for move in moves]


def look(state: BaliWrede, moves: list[Move]) -> list[float]:
    return [3.0, 1.0]


def counsel(view: Plain, moves: list[Move]) -> list[float]:
    """What the planner thinks of the moves."""
    prospect = planner_bot.Prospect(view)
    return weights_by_value([planner_bot.value(prospect, view["decision"], move) for move in moves], 2.0)


# ---- How a position stands


class OpenProspect(planner_bot.Prospect):
    """The planner's prospects, with nothing hidden."""

    def __init__(self, state: BaliWrede) -> None:
        self.seats = state.seats
        self.tables, self.hands, self.rows = state.tables, state.hands, state.rows
        self.stone, self.points = list(state.stone), list(state.points)
        self.stack, self.stock, self.demon = state.stack.counts, state.stock, state.demon
        self.held = [list(held) for held in state.held]
        lying = [state.laid[card][2] for card in state.place]
        self.pile = [lying.count(kind) for kind in KINDS]
        self.foresee()


def standing(state: BaliWrede) -> list[float]:
    if state.seat == NOBODY:
        return rewards(state.outcome())
    prospect = OpenProspect(state)
    return rewards_by_lead(prospect.prospects(), 1.5 + sqrt(prospect.turns))


POLICY = Policy(
    weights={
        "buy": buy,
        "play": play,
        "take": take,
        "offer": what_one_has,
        "offer_down": what_one_has,
        "add": what_one_has,
        "look": look,
    },
    counsel=counsel,
    pauses=("buy",),
    horizon=10,
    standing=standing,
)
