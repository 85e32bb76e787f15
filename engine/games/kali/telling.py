"""Die Augen der Kali in English."""

from __future__ import annotations

from typing import Any

from dalang.engine.games.kali.components import LAST_FIELD

CARD_NAMES = {
    "step1": "1 footprint",
    "step2": "2 footprints",
    "step3": "3 footprints",
    "step4": "4 footprints",
    "noise": "a noise",
    "fright": "a fright",
}
MOVES = {
    "draw": "dares a card",
    "stop": "says stop",
    "take_over": "takes over",
    "decline": "declines to take over",
}


def sentence(event: dict[str, Any]) -> str:
    return SENTENCES[event["event"]](event)


def move(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} {MOVES[event['move'][0]]}."


def card(event: dict[str, Any]) -> str:
    return f"The card shows {CARD_NAMES[event['drawn'][0]]}."


def step(event: dict[str, Any]) -> str:
    if event["to"] > LAST_FIELD:
        return f"The slave walks from field {event['from']} past the last stone and reaches Kali."
    return f"The slave walks from field {event['from']} to {event['to']} and finds {gems(event['gems'])}."


def flight(event: dict[str, Any]) -> str:
    eye = "" if not event["frights"] else " Kali has one eye open."
    return (
        f"The slave flees home and drops {gems(event['loot'])}; seat {event['seat']} pays "
        f"{gems(event['fine'])}.{eye}"
    )


def takeover(event: dict[str, Any]) -> str:
    return f"Seat {event['from']} pays seat {event['to']} {gems(event['price'])} for slave and loot."


def pocket(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} pockets {gems(event['gems'])}."


def end(event: dict[str, Any]) -> str:
    what = (
        f"Kali wakes, and seat {event['seat']} loses everything."
        if event["ending"] == "kali_wakes"
        else f"Seat {event['seat']} takes all that is left in the temple."
    )
    wealth = ", ".join(f"seat {seat} {gems(score)}" for seat, score in enumerate(event["scores"]))
    return f"{what} Final wealth: {wealth}."


def gems(number: int) -> str:
    return "nothing" if number == 0 else f"{number} in gems"


SENTENCES = {
    "move": move,
    "card": card,
    "step": step,
    "flight": flight,
    "takeover": takeover,
    "pocket": pocket,
    "end": end,
}
