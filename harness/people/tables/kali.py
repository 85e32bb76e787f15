"""Die Augen der Kali at a terminal: the path, the loot, the odds of the deck, the gems of all."""

from __future__ import annotations

import click

from dalang.engine.game import Move, Plain
from dalang.engine.games.kali.components import CARDS, FIELD_VALUES, LAST_FIELD, NOISE
from dalang.engine.games.kali.state import price_of
from dalang.engine.games.kali.telling import gems
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import Decision, Scene, flow, grid, heading, painted

DECISIONS = {
    "first_card": Decision("Turn up a card", "§3.2 §3.3 §8.9"),
    "go_on": Decision("Dare another card, or stop?", "§3.4 §5.1 §5.2 §6.1 §6.2 §7.2 §7.3 §8.2"),
    "takeover": Decision("Take over slave and loot?", "§8.1 §8.2 §8.4 §8.9 §8.11"),
}
EYES = ("(- -)", "(o -)", "(o o)")
HEADS = ("1 step", "2 steps", "3 steps", "4 steps", "noise", "fright")
RISKS = (
    "A noise costs the loot and a quarter of your gems, a fright half of them.",
    "A noise costs the loot and half of your gems, a fright all; it ends the game.",
    "Kali is awake.",
)
LONGEST_BAR = 24


def choice(view: Plain, move: Move) -> str:
    verb = move[0]
    if verb == "draw":
        return "Dare a card"
    if verb == "stop":
        return (
            f"Stop and pocket {gems(view['loot'])}, unless somebody takes over for {price_of(view['loot'])}"
        )
    if verb == "take_over":
        return f"Take over: pay seat {view['acting']} {gems(view['price'])}, then you must dare a card"
    return f"Decline; if all do, seat {view['acting']} pockets {gems(view['loot'])}"


def picture(scene: Scene) -> list[str]:
    view = scene.view
    return [
        *path(view),
        treasure(view),
        "",
        *odds(view),
        "",
        *players(scene),
    ]


def brief(scene: Scene) -> list[str]:
    """The path, the odds and the gems of all, each in a line or two."""
    view = scene.view
    owned = [f"{scene.mark(seat)} {scene.name(seat)} {wealth}" for seat, wealth in enumerate(view["wealth"])]
    return [*path(view), treasure(view), deck(view), risk(view), *flow(" Gems: ", owned)]


def treasure(view: Plain) -> str:
    price = f" A takeover costs {view['price']}." if view["price"] else ""
    return f" Loot on the board {heading(str(view['loot']))}, in the temple {view['temple']}.{price}"


def path(view: Plain) -> list[str]:
    """The 18 fields with what they yield now, and how far the slave has come."""
    values = view["options"].get("fields", FIELD_VALUES)
    yields = [value * 2 if view["frights"] else value for value in values]
    eyes = painted(EYES[view["frights"]], fg="red" if view["frights"] else None)
    fields = range(1, LAST_FIELD + 1)
    return [
        " field " + "".join(f"{field:{width(field)}}" for field in fields) + "   KALI",
        " gems  " + "".join(f"{yields[field - 1]:{width(field)}}" for field in fields) + f"   {eyes}",
        " slave " + trail(view["field"]),
    ]


def width(field: int) -> int:
    return 3 if field < 10 else 4


def trail(field: int) -> str:
    if field > LAST_FIELD:
        return "  " + "─" * (sum(map(width, range(1, LAST_FIELD + 1))) - 1) + "──" + slave()
    walked = sum(map(width, range(2, field + 1)))
    return "  " + ("╶" + "─" * (walked - 1) if walked else "") + slave()


def slave() -> str:
    return click.style("▲", fg="yellow", bold=True)


def deck(view: Plain) -> str:
    left = [view["deck"][card] for card in CARDS]
    cards, good = sum(left), sum(left[:NOISE])
    return f" Deck of {cards} cards, {good} with footprints ({good / max(1, cards):.0%})"


def risk(view: Plain) -> str:
    return f" {RISKS[view['frights']]}"


def odds(view: Plain) -> list[str]:
    left = [view["deck"][card] for card in CARDS]
    cards = sum(left)
    colours = ["green"] * NOISE + ["red"] * (len(CARDS) - NOISE)
    share = [f"{number / max(1, cards):.0%}" for number in left]
    rows = [
        ["left", *left],
        ["chance", *(click.style(text, fg=colour) for text, colour in zip(share, colours, strict=True))],
    ]
    return [deck(view), *grid(rows, ["next card", *HEADS]), risk(view)]


def players(scene: Scene) -> list[str]:
    view = scene.view
    richest = max(1, *view["wealth"])
    return grid(
        [
            [scene.mark(seat), scene.name(seat), wealth, bar(wealth, richest), role(view, seat)]
            for seat, wealth in enumerate(view["wealth"])
        ],
        ["", "player", "gems", "", ""],
        words=(0, 1, 3, 4),
    )


def bar(number: int, most: int) -> str:
    cells = round(number * LONGEST_BAR / most)
    return click.style("█" * cells, fg="green") if cells else ""


def role(view: Plain, seat: int) -> str:
    if view["ending"]:
        return ""
    if seat == view["acting"]:
        return "turns cards" if seat == view["owner"] else "has taken over"
    return "whose turn it is" if seat == view["owner"] else ""


FACE = Face(picture, choice, DECISIONS, brief, goal="be the richest when Kali wakes or is reached.")
