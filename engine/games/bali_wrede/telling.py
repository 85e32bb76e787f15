"""Bali (Wrede 2017) in English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalang.engine.games.bali_wrede.components import GOODS


def sentence(event: dict[str, Any]) -> str:
    return SENTENCES[event["event"]](event)


# ---- Moves


def move(event: dict[str, Any]) -> str:
    verb, *words = event["move"]
    if verb == "pass":
        what = PASSES[event["decision"]]
    elif verb == "discard":
        what = "puts an altar into the box"
    else:
        what = MOVES[event["decision"]](words)
    return f"Seat {event['seat']} {what}."


def buy(words: Sequence[Any]) -> str:
    return f"buys a {words[0]} card"


def play(words: Sequence[Any]) -> str:
    if words[0] == "altar":
        return "builds an altar for 7 stone"
    if words[0] != "farmer":
        return f"plays a {words[0]}"
    _, good, number = words
    cost = f" for {number - 1} stone" if number > 1 else ""
    return f"plays {counted(number, f'{good} farmer')}{cost}"


def offer(words: Sequence[Any]) -> str:
    return f"lays a {words[0]} card on the place"


def offer_down(words: Sequence[Any]) -> str:
    return f"lays a {words[0]} card face down" if words else "lays a card face down"


def add(words: Sequence[Any]) -> str:
    return f"adds a {words[0]} card from the stock"


def take(words: Sequence[Any]) -> str:
    return f"takes the bottom card of row {words[0]}"


def look_up(words: Sequence[Any]) -> str:
    return "takes up the top of the place"


def keep(words: Sequence[Any]) -> str:
    return f"keeps a {words[0]} card" if words else "keeps one of the cards"


def gain_other(words: Sequence[Any]) -> str:
    return f"takes a {words[0]} card instead"


def reward(words: Sequence[Any]) -> str:
    return "wants stone" if words[0] == "stone" else "wants points"


PASSES = {
    "buy": "buys nothing",
    "look": "does not look at the place",
    "keep": "keeps none of the cards",
    "gain": "takes no card instead",
}
MOVES: dict[str, Callable[[Sequence[Any]], str]] = {
    "buy": buy,
    "play": play,
    "offer": offer,
    "offer_down": offer_down,
    "add": add,
    "take": take,
    "look": look_up,
    "keep": keep,
    "gain": gain_other,
    "reward": reward,
}


# ---- What follows by itself


def display(event: dict[str, Any]) -> str:
    cards = event["drawn"]
    rows = [f"row {row}: {', '.join(map(card, cards[4 * row : 4 * row + 4]))}" for row in range(4)]
    return f"The display is laid, {'; '.join(rows)}."


def first_offerings(event: dict[str, Any]) -> str:
    kinds = f" From below: {', '.join(event['drawn'])}." if "drawn" in event else ""
    return f"One card of each kind is laid face down on the place.{kinds}"


def price(event: dict[str, Any]) -> str:
    return f"It costs {event['stone']} stone." if event["stone"] else "It is free."


def demon(event: dict[str, Any]) -> str:
    return f"The demon moves to row {event['row']}."


def refill(event: dict[str, Any]) -> str:
    return f"Row {event['row']} is laid anew: {', '.join(map(card, event['drawn']))}."


def oracles(event: dict[str, Any]) -> str:
    go = "goes" if event["number"] == 1 else "go"
    return f"{counted(event['number'], 'oracle').capitalize()} {go} to the box."


def look(event: dict[str, Any]) -> str:
    seen = f", from below {', '.join(event['kinds'])}" if "kinds" in event else ""
    return f"Seat {event['seat']} sees {counted(event['cards'], 'card')}{seen}."


def kept(event: dict[str, Any]) -> str:
    top = {"": "nothing", "down": "a face-down card"}.get(event["top"], f"a {event['top']} card")
    return f"The place now has {counted(event['place'], 'card', 'one')} and shows {top}."


def valuation(event: dict[str, Any]) -> str:
    return f"Row {event['row']} now ends in {a_card(event['card'])}, which is valued."


def pay(event: dict[str, Any]) -> str:
    number = event["number"]
    what = f"{number} stone" if event["what"] == "stone" else counted(number, "point", "1")
    return f"Seat {event['seat']} gets {what}."


def gain(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} gets a {event['good']} card."


def end(event: dict[str, Any]) -> str:
    offered = ", ".join(f"{event['place'].count(good)} {good}" for good in GOODS)
    scores = ", ".join(f"seat {seat} {score}" for seat, score in enumerate(event["scores"]))
    return f"The stack is empty. On the place lie {offered}. Final scores: {scores}."


# ---- Words


def card(name: str) -> str:
    kind, _, good = name.partition(":")
    return f"{good} {kind}" if good else kind


def a_card(name: str) -> str:
    return f"{'an' if name in ('altar', 'oracle') else 'a'} {card(name)}"


def counted(number: int, noun: str, one: str = "a") -> str:
    return f"{one} {noun}" if number == 1 else f"{number} {noun}s"


SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "move": move,
    "display": display,
    "first_offerings": first_offerings,
    "price": price,
    "demon": demon,
    "refill": refill,
    "oracles": oracles,
    "look": look,
    "kept": kept,
    "valuation": valuation,
    "pay": pay,
    "gain": gain,
    "end": end,
}
