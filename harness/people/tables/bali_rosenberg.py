"""Bali (Rosenberg 2001) at a terminal: islands with chips, seals and stacks, the masks, the hand and the own stacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalang.engine.game import Move, Plain
from dalang.engine.games.bali_rosenberg.components import CARDS, ISLANDS, SEAL
from dalang.engine.games.bali_rosenberg.telling import MOVES as MOVES_IN_WORDS
from dalang.engine.games.bali_rosenberg.telling import card, island, number_of
from dalang.harness.people.english import offered
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import Decision, Scene, flow, grid, heading, painted, wrapped

DECISIONS = {
    "turn": Decision(
        "Your turn: play a card, or end the turn?", "§3.6 §3.7 §4.1 §4.5 §5.1 §6.1 §7.1 §8.1 §8.2 §10.1 §11.1"
    ),
    "defend": Decision("A warrior challenges you: flee or defend?", "§5.4 §5.5 §5.6 §5.7 §5.9"),
    "flee": Decision("You flee: which card do you save, and where?", "§5.6 §5.7"),
    "respond": Decision("Do you answer with the same card?", "§4.3 §4.5 §6.5 §7.2"),
    "scholar": Decision("Your scholar: put cards on stacks, or take some up?", "§6.1 §6.2 §6.3 §6.4"),
    "artist": Decision("Your artist: which cards do you exchange?", "§7.1 §7.3"),
    "second": Decision("Play a second card and end the turn?", "§4.5 §4.6 §4.7"),
    "replace": Decision("Draw a replacement for the second card?", "§4.6"),
    "show": Decision("A contest: how many do you show?", "§8.3 §8.4 §8.5 §9.1"),
    "block": Decision("Block the Dalang, or let him go?", "§10.3 §10.4 §10.6"),
    "lay": Decision("The Dalang has left: lay down your hand, bottom card first", "§10.6 §11.8 §11.9"),
}
COLOURS = {"warrior": "red", "scholar": "blue", "artist": "magenta", "priest": "yellow", "prince": "cyan"}
DALANG_COLOUR = "green"
ABOUT_CARDS = ("flee", "scholar", "artist", "lay")
"""Decisions for which the own cards matter more than the islands."""
LONGEST = 13
"""How much of a name fits into the column of an island."""


# ---- Moves


def choice(view: Plain, move: Move) -> str:
    """In few words, for there may be many of them, and the question says what they are about."""
    verb, *words = map(str, move)
    if verb == "put":
        return f"Put {brief_name(words[0])} at {island(words[1])}"
    if verb == "take":
        return f"Take up the top card at {island(words[0])}"
    if verb == "lay":
        return f"Lay down {card(words[0])}"
    if verb == "done":
        return "That is all"
    if verb == "play" and words[1:]:
        return played_with(*words)
    return offered(
        MOVES_IN_WORDS[verb](
            {"decision": view["decision"], "move": move, "kind": view["play"].get("card", "")}
        )
    )


def played_with(name: str, word: str) -> str:
    """A card that is played with a seat to spare, an island to go to, or a number of others to show."""
    if name == "warrior":
        return f"Play a warrior; spare seat {word}"
    if name.startswith("dalang:"):
        return f"Go to {island(word)} by {brief_name(name)}"
    return f"Play a {name}; show {word} more"


# ---- The table


def picture(scene: Scene) -> list[str]:
    return [
        *islands(scene),
        "",
        *points(scene),
        "",
        *piles(scene.view),
        *in_play(scene),
        *known_cards(scene),
        "",
        *(all_cards(scene) if scene.full is not None else own_cards(scene)),
    ]


def brief(scene: Scene) -> list[str]:
    """The own cards where they are what is moved, otherwise the islands and the hand; who leads, what is in play."""
    view = scene.view
    seats = range(len(view["taken"]))
    standing = [f"{scene.name(seat)} {points_of(view, seat)}" for seat in seats]
    where = f" Turn {view['turn']} at {title(view['island'], view['island'])}; points: "
    about = (
        [*own_hand(scene), *own_stacks(scene, lines=1)]
        if view["decision"] in ABOUT_CARDS
        else [*islands(scene), *own_hand(scene)]
    )
    return [*about, *flow(where, standing), *in_play(scene)]


def islands(scene: Scene) -> list[str]:
    """One column for each island: chips, seal, and how many cards everybody has there."""
    view = scene.view
    seats = range(len(view["hands"]))
    return grid(
        [
            *(["", f"{kind} chip", *owners(scene, view["chips"][kind])] for kind in ("priest", "prince")),
            ["", "seal", *owners(scene, view["seals"])],
            *([scene.mark(seat), scene.name(seat), *cards_there(view, seat)] for seat in seats),
        ],
        ["", "", *(title(name, view["island"]) for name in ISLANDS)],
        words=range(6),
    )


def title(name: str, here: str) -> str:
    return painted(f"◆ {island(name).upper()}", DALANG_COLOUR, bold=True) if name == here else island(name)


def owners(scene: Scene, seats: Sequence[int]) -> list[str]:
    return [scene.owner(seat, LONGEST) for seat in seats]


def cards_there(view: Plain, seat: int) -> Iterator[str]:
    """How many cards a seat has at each island; the hand is its stack where the Dalang was last."""
    for name, stack in zip(ISLANDS, view["stacks"][seat], strict=True):
        if name == view["home"] and not stack:
            yield "fled" if seat in view["fled"] else f"{view['hands'][seat]} in hand"
        else:
            yield number_in_words(stack)


def number_in_words(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"


def points(scene: Scene) -> list[str]:
    view = scene.view
    rows: list[list[Any]] = []
    for seat, masks in enumerate(view["taken"]):
        seals = view["seals"].count(seat)
        active = "active" if seat == view["active"] else ""
        rows.append(
            [
                scene.mark(seat),
                scene.name(seat),
                points_of(view, seat),
                seals,
                numbers(masks) or "-",
                active,
            ]
        )
    return grid(rows, ["", "player", "points", "seals", "masks", ""], words=(0, 1, 4, 5))


def points_of(view: Plain, seat: int) -> int:
    return int(sum(view["taken"][seat]) + SEAL * view["seals"].count(seat))


def numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values))


def piles(view: Plain) -> list[str]:
    where = island(view["island"])
    return [
        f" Turn {view['turn']}; the Dalang (◆) stands on {where}; {number_in_words(view['pile'])} to draw from.",
        f" Masks left: {numbers(view['masks']) or 'none'}",
        *flow(" Discarded: ", counted(view["discards"])),
    ]


def in_play(scene: Scene) -> list[str]:
    """The card that is being resolved."""
    view, play = scene.view, scene.view["play"]
    if not play:
        return []
    active = scene.name(view["active"])
    text = f"{active} played {card(play['card'])}"
    if "spared" in play:
        text += f", {scene.name(play['spared'])} is spared"
    if "target" in play:
        text += f", to go to {island(play['target'])}"
    if "best" in play:
        text += f"; {scene.name(play['leader'])} shows {number_of(play['best'], play['card'])}"
    return wrapped(" In play: ", text + ("; the turn ends after this." if "forced" in play else "."))


def known_cards(scene: Scene) -> list[str]:
    """What contests have shown, and still must be there."""
    shown = [
        f"{scene.name(seat)} {number_of(number, kind)} at {island(where)}"
        for seat, where, kind, number in scene.view["sure"]
        if not scene.is_viewer(seat)
    ]
    return flow(" Known from contests: ", shown) if shown and scene.full is None else []


# ---- Cards


def own_hand(scene: Scene) -> list[str]:
    view = scene.view
    lines = flow(f" {heading('Your hand:')} ", counted(view["hand"]))
    if view["laid"]:
        lines += flow(" Laid down so far, bottom first: ", map(short, view["laid"]))
    return lines


def own_cards(scene: Scene) -> list[str]:
    return [*own_hand(scene), f" {heading('Your stacks')}, bottom card first", *own_stacks(scene)]


def own_stacks(scene: Scene, lines: int | None = None) -> Iterator[str]:
    """Bottom card first; of each no more than so many lines."""
    for name, cards in scene.view["own"].items():
        if cards:
            stack = flow(f"   {island(name):<12}", map(short, cards))
            yield from stack[:lines]


def all_cards(scene: Scene) -> list[str]:
    """Everybody's hand and stacks."""
    assert scene.full is not None
    lines = [f" {heading('Hands')}, and stacks with the bottom card first"]
    if scene.full["laid"]:
        lines += flow("   Laid down so far: ", (short(CARDS[number]) for number in scene.full["laid"]))
    for seat, (hand, stacks) in enumerate(zip(scene.full["hands"], scene.full["stacks"], strict=True)):
        lines += flow(f"   {heading(scene.name(seat))}: ", counted(dict(zip(CARDS, hand, strict=True))))
        for name, stack in zip(ISLANDS, stacks, strict=True):
            if stack:
                lines += flow(f"     {island(name):<12}", (short(CARDS[number]) for number in stack))
    return lines


def counted(cards: Mapping[str, int]) -> list[str]:
    return [f"{number} {short(name)}" for name, number in cards.items() if number]


def short(name: str) -> str:
    """A card by its kind; a Dalang card by its two islands."""
    if name.startswith("dalang:"):
        return painted(
            "Dalang " + "/".join(map(island, name.removeprefix("dalang:").split("+"))), fg=DALANG_COLOUR
        )
    return painted(name, COLOURS.get(name))


def brief_name(name: str) -> str:
    """A card by its kind; a Dalang card by the first letters of its islands."""
    kind, _, islands = name.partition(":")
    return "Dalang " + "/".join(island(each)[:3] for each in islands.split("+")) if islands else card(kind)


FACE = Face(
    picture, choice, DECISIONS, brief, goal="have the most points in masks and seals when the masks are gone."
)
