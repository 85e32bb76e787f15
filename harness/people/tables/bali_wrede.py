"""Bali (Wrede 2017) at a terminal: the rows, the goods on the place, in stock and in hand, what everybody has built."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import click

from dalang.engine.game import Move, Plain
from dalang.engine.games.bali_wrede.components import CARD_PRICE, CARDS, FARMER, GOODS, HAND, KIND, WINDOW
from dalang.engine.games.bali_wrede.telling import a_card, card, counted
from dalang.engine.games.bali_wrede.telling import play as played
from dalang.harness.people.english import offered
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import Decision, Scene, flow, grid, heading, padded, painted

DECISIONS = {
    "buy": Decision("Phase 1: buy an offering card?", "§4.1 §4.2 §4.3"),
    "play": Decision("Phase 2: what do you play?", "§5.1 §5.2 §8.2", {"demon": "§11.1"}),
    "offer": Decision("An offering: which card do you lay open on the place?", "§6.1 §6.4 §9.4"),
    "offer_down": Decision("Your offering: which card do you lay face down?", "§6.2 §6.4 §9.4"),
    "add": Decision("And which card from the stock do you lay open?", "§6.3 §9.4"),
    "take": Decision(
        "Phase 3: which card do you take?", "§7.1 §7.2 §7.3 §8.1", {"oracle": "§10.4", "demon": "§11.2"}
    ),
    "look": Decision("An oracle: look at the top of the place?", "§10.4 §10.6 §10.7"),
    "keep": Decision("Which of these cards do you keep?", "§10.6 §10.8 §10.9"),
    "gain": Decision("That kind is out: what do you take instead?", "§8.7 §8.10 §8.11"),
    "reward": Decision("Your altars pay: points or stone?", "§8.5 §9.8"),
}
COLOURS = {"rice": "cyan", "peanut": "magenta", "banana": "yellow", "pepper": "red"}
ROW_WIDTH = 15
ABOUT_ROWS = ("play", "take", "reward")
"""Decisions for which the rows matter more than the goods."""
HEADS = [click.style(good, fg=colour) for good, colour in COLOURS.items()]


# ---- Moves


def choice(view: Plain, move: Move) -> str:
    verb, *words = move
    if verb == "pass":
        return PASS_CHOICES[view["decision"]]
    if verb == "buy":
        price = max(0, CARD_PRICE - view["tables"][view["you"]][FARMER + KIND[str(words[0])]])
        return f"Buy a {words[0]} card for {price} stone" if price else f"Take a {words[0]} card for free"
    if verb == "play":
        return offered(played(words))
    if verb == "take":
        return take(view, int(words[0]))
    if verb == "look":
        return f"Look at the top of the place, {counted(min(WINDOW, view['place']), 'card', '1')}"
    if verb == "reward":
        return "Take stone" if words[0] == "stone" else "Take points"
    return OTHERS[str(verb)].format(*words)


PASS_CHOICES = {"buy": "Buy nothing", "look": "Do not look", "keep": "Keep none", "gain": "Take none"}
OTHERS = {
    "discard": "Put an {} into the box: you cannot pay for one",
    "offer": "Lay a {} card",
    "add": "Add a {} card",
    "keep": "Keep a {} card",
    "gain": "Take a {} card",
}


def take(view: Plain, number: int) -> str:
    """The card at the bottom of a row, and what lies above it."""
    *above, bottom = view["rows"][number]
    last = sum(view["hands"][view["you"]]) == HAND - 1
    then = (
        f"{'valued is' if last else 'above it is'} {a_card(above[-1])}" if above else "the row is laid anew"
    )
    return f"Row {number}: take {a_card(bottom)}; {then}"


# ---- The table


def picture(scene: Scene) -> list[str]:
    return [
        *display(scene.view),
        *stack(scene.view),
        "",
        *goods(scene),
        "",
        *players(scene),
    ]


def brief(scene: Scene) -> list[str]:
    """The rows where cards are taken from them, otherwise the goods; what everybody has built, and the own hand."""
    view = scene.view
    mine = [[f"held by {scene.name(seat)}", *held(scene, seat)] for seat in [view["you"]]]
    goods = [["in stock", *view["stock"]], on_the_place(scene), *mine]
    about = display(view) if view["decision"] in ABOUT_ROWS else grid(goods, ["", *HEADS])
    return [
        *about,
        f" {heading('Offering place:')} {place(scene)}",
        *built(scene),
        *flow(f" {heading('Your hand:')} ", cards_in_hand(view, view["you"])),
    ]


def display(view: Plain) -> list[str]:
    """The four rows side by side; only the bottom card of each can be taken."""
    heads = [f"row {row}" + (" (demon)" if row == view["demon"] else "") for row in range(4)]
    lines = ["".join(padded(heading(head), ROW_WIDTH, left=True) for head in heads)]
    for cards in zip_longest(
        *([*map(plain, row[:-1]), *map(takeable, row[-1:])] for row in view["rows"]), fillvalue=""
    ):
        lines.append("".join(padded(each, ROW_WIDTH, left=True) for each in cards))
    return [f" {line}".rstrip() for line in lines]


def plain(name: str) -> str:
    return coloured(name, " " + card(name))


def takeable(name: str) -> str:
    return coloured(name, "▸" + card(name), bold=True)


def coloured(name: str, text: str, bold: bool = False) -> str:
    return painted(text, COLOURS.get(name.partition(":")[2]), bold)


def stack(view: Plain) -> list[str]:
    left = [f"{number} {card(name)}" for name, number in zip(CARDS, view["stack"], strict=True) if number]
    boxed = [f"{number} {what}" for what, number in view["box"].items() if number]
    lines = flow(f" Stack ({sum(view['stack'])}): ", left)
    return [*lines, *flow(" In the box: ", boxed)] if boxed else lines


# ---- Goods


def goods(scene: Scene) -> list[str]:
    """What lies where, as far as the viewer knows; the remarks say what is not known."""
    view = scene.view
    rows = [
        ["in stock", *view["stock"], ""],
        [*on_the_place(scene), ""],
        *(
            [f"held by {scene.name(seat)}", *held(scene, seat), remark(scene, seat)]
            for seat in range(len(view["stone"]))
        ),
    ]
    return [f" {heading('Offering place:')} {place(scene)}", *grid(rows, ["", *HEADS, ""], words=(0, 5))]


def place(scene: Scene) -> str:
    """V5, V7: how many cards lie there, what its top shows, and how much of it the viewer does not know."""
    view = scene.view
    if not view["place"]:
        return "empty"
    top = "face down" if view["top"] == "down" else view["top"]
    lying = f"{counted(view['place'], 'card', '1')}, the top {top}"
    hidden, picked = sum(not kind for _, _, kind in view["laid"]), sum(view["picks"])
    if is_known(scene):
        return lying
    unseen = f"; {hidden} laid unseen" if hidden else ""
    return lying + unseen + (f"; {picked} taken away" if picked else "")


def is_known(scene: Scene) -> bool:
    """Whether the viewer knows every card: one who may know everything, or all at the end (V17)."""
    return scene.full is not None or bool(scene.view["revealed"])


def on_the_place(scene: Scene) -> list[str | int]:
    view, full = scene.view, scene.full
    if full is not None:
        lying = [GOODS[full["laid"][card][2]] for card in full["place"]]
    elif view["revealed"]:
        lying = view["revealed"]["place"]
    else:
        seen = [kind for _, _, kind in view["laid"] if kind]
        return ["seen to be laid there", *map(seen.count, GOODS)]
    return ["on the place", *map(lying.count, GOODS)]


def held(scene: Scene, seat: int) -> list[int]:
    """The viewer's own cards; of the others what came and went openly (V8)."""
    view, full = scene.view, scene.full
    if full is not None:
        return list(full["held"][seat])
    if view["revealed"]:
        return list(view["revealed"]["held"][seat])
    return list(view["held"] if seat == view["you"] else view["open"][seat])


def remark(scene: Scene, seat: int) -> str:
    """V8: how many cards differ from what came and went openly."""
    view = scene.view
    if is_known(scene) or seat == view["you"]:
        return ""
    parts = [
        f"-{view['down'][seat]} face down" if view["down"][seat] else "",
        f"+{view['picks'][seat]} kept" if view["picks"][seat] else "",
    ]
    return ", ".join(filter(None, parts))


# ---- Players


def players(scene: Scene) -> list[str]:
    return [
        f" {heading('On the tables')} (goods: their farmers)",
        *built(scene),
        "",
        f" {heading('In hand')}",
        *hands(scene),
    ]


def built(scene: Scene) -> list[str]:
    view = scene.view
    heads = ["", "player", "stone", "points", "cutters", "priests", "altars", *HEADS]
    return grid(
        [
            [
                scene.mark(seat),
                scene.name(seat),
                view["stone"][seat],
                view["points"][seat],
                *view["tables"][seat],
            ]
            for seat in range(len(view["stone"]))
        ],
        heads,
        words=(0, 1),
        gap=1,
    )


def hands(scene: Scene) -> Iterator[str]:
    """Hands are public (V2)."""
    for seat in range(len(scene.view["hands"])):
        yield from flow(f"   {padded(scene.name(seat), 16, left=True)}", cards_in_hand(scene.view, seat))


def cards_in_hand(view: Plain, seat: int) -> list[str]:
    numbers = zip(CARDS, view["hands"][seat], strict=False)
    return [coloured(name, card(name)) for name, number in numbers for _ in range(number)]


FACE = Face(
    picture,
    choice,
    DECISIONS,
    brief,
    goal="have the most points: own what the offering place is full of, and build.",
)
