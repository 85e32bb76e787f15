"""Liar's Dice at a terminal: whose cups hold how many dice, the own ones open, and the bid."""

from __future__ import annotations

from dalang.engine.game import Move, Plain
from dalang.faces import Decision, Face, Scene, grid, heading, painted
from liars_dice.telling import bid

DICE = " ⚀⚁⚂⚃⚄⚅"
CUP = "▒"


def picture(scene: Scene) -> list[str]:
    view = scene.view
    seats = range(len(view["held"]))
    rows = [[scene.mark(seat), scene.name(seat), cups(scene, seat), role(view, seat)] for seat in seats]
    said = f" {sum(view['held'])} dice on the table. The bid: "
    return [
        said + heading(bid(*view["bid"]) if view["bid"] else "none yet"),
        "",
        *grid(rows, words=(0, 1, 2, 3)),
    ]


def cups(scene: Scene, seat: int) -> str:
    """The dice of a seat, as far as the reader may see them."""
    if scene.full is not None:
        return spaced(scene.full["dice"][seat])
    if scene.is_viewer(seat):
        return painted(spaced(scene.view["dice"]), fg="green")
    return " ".join(CUP * scene.view["held"][seat])


def spaced(dice: list[int]) -> str:
    return " ".join(DICE[die] for die in dice)


def role(view: Plain, seat: int) -> str:
    return "is out" if seat in view["out"] else "made the bid" if seat == view["bidder"] else ""


def choice(view: Plain, move: Move) -> str:
    verb, *what = move
    return f"Bid {bid(*map(int, what))}" if verb == "bid" else f"Doubt that there are {bid(*view['bid'])}"


FACE = Face(
    picture,
    choice,
    {"bid": Decision("Bid higher, or doubt?", "§2.1 §2.3 §2.4 §3.1 §3.2")},
    goal="be the last who has dice.",
)
