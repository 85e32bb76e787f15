"""Bali (Rosenberg 2001) in English."""

from __future__ import annotations

from collections import Counter
from typing import Any

PASSES = {
    "respond": "does not answer",
    "second": "plays no second card",
    "replace": "draws no replacement",
    "show": "shows nothing",
    "block": "does not block",
}
ENDINGS = {
    "masks": "The last mask is given out",
    "standstill": "Nobody can or will play any more",
    "max_turns": "The last turn is over",
}


def sentence(event: dict[str, Any]) -> str:
    return SENTENCES[event["event"]](event)


# ---- Moves


def move(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} {MOVES[event['move'][0]](event)}."


def play(event: dict[str, Any]) -> str:
    name, aim = event["move"][1], event["move"][2:]
    played = f"plays {card(name)}"
    if event["decision"] == "defend":
        return "defends with a warrior"
    if event["decision"] == "respond":
        return f"answers with {card(name)}"
    if event["decision"] == "second":
        return f"plays a second {name} and ends the turn"
    if name == "warrior":
        return f"{played} and spares seat {aim[0]}"
    if name in ("priest", "prince"):
        return f"{played} and shows {number_of(aim[0], name)} more"
    if name.startswith("dalang:"):
        return f"{played} and wants to go to {island(aim[0])}"
    return played


def passing(event: dict[str, Any]) -> str:
    return PASSES[event["decision"]]


def done(event: dict[str, Any]) -> str:
    return f"is done with the {event['decision']}"


def swap(event: dict[str, Any]) -> str:
    return f"throws away {card(event['move'][1])}"


def show(event: dict[str, Any]) -> str:
    return f"shows {number_of(event['move'][1], event['kind'])}"


def block(event: dict[str, Any]) -> str:
    return f"blocks with {card(event['move'][1])}"


MOVES = {
    "end": lambda event: "ends the turn",
    "flee": lambda event: "flees",
    "draw": lambda event: "takes a replacement",
    "play": play,
    "pass": passing,
    "done": done,
    "swap": swap,
    "show": show,
    "block": block,
}


def put(event: dict[str, Any]) -> str:
    what = card(event["move"][1]) if "move" in event else "a card"
    return f"Seat {event['seat']} puts {what} on the stack at {island(event['island'])}."


def take(event: dict[str, Any]) -> str:
    what = card(event["card"]) if "card" in event else "the top card"
    return f"Seat {event['seat']} takes {what} from the stack at {island(event['move'][1])}."


def lay(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} lays down {card(event['move'][1])}."


def laid(event: dict[str, Any]) -> str:
    what = listed(event, event["number"])
    return f"Seat {event['seat']} leaves {what} at {island(event['island'])}."


# ---- What follows


def deal(event: dict[str, Any]) -> str:
    return f"Everybody gets {event['cards']} cards face down at each island."


def start(event: dict[str, Any]) -> str:
    cards = ", ".join(f"seat {seat} {name[-1]}" for seat, name in enumerate(event["drawn"]))
    where = island(event["island"])
    return f"Start cards: {cards}. The Dalang stands on {where}, and seat {event['seat']} starts."


def turn(event: dict[str, Any]) -> str:
    return f"Turn {event['turn']}: seat {event['seat']} is active."


def draw(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} draws {card(event['drawn'][0]) if 'drawn' in event else 'a card'}."


def reshuffle(event: dict[str, Any]) -> str:
    return f"The discard pile, {cards_in_number(sum(event['cards'].values()))}, becomes the draw pile."


def discard(event: dict[str, Any]) -> str:
    counts = Counter(event["cards"])
    what = ", ".join(card(name) if count == 1 else several(count, name) for name, count in counts.items())
    return f"Seat {event['seat']} discards {what}."


def pick_up(event: dict[str, Any]) -> str:
    taken = f"Seat {event['seat']} takes up {listed(event, event['kept'])} at {island(event['island'])}"
    if len(event.get("cards", ())) > event["kept"]:
        return f"{taken} and keeps the bottom {event['kept']}."
    return f"{taken}."


def chip(event: dict[str, Any]) -> str:
    chip = f"The {event['kind']} chip of {island(event['island'])}"
    if event["from"] == event["to"]:
        return f"{chip} stays with seat {event['to']}."
    if event["from"] < 0:
        return f"{chip} enters the game with seat {event['to']}."
    return f"{chip} goes from seat {event['from']} to seat {event['to']}."


def seal(event: dict[str, Any]) -> str:
    source = "" if event["from"] < 0 else f" from seat {event['from']}"
    return f"Seat {event['to']} takes the seal of {island(event['island'])}{source}."


def travel(event: dict[str, Any]) -> str:
    return f"The Dalang goes from {island(event['from'])} to {island(event['to'])}."


def mask(event: dict[str, Any]) -> str:
    return f"Seat {event['seat']} gets a mask worth {event['value']}."


def end(event: dict[str, Any]) -> str:
    points = ", ".join(f"seat {seat} {score}" for seat, score in enumerate(event["scores"]))
    winners = [f"seat {seat}" for seat, rank in enumerate(event["ranks"]) if rank == 1]
    won = " and ".join(winners) + (" wins" if len(winners) == 1 else " win")
    return f"{ENDINGS[event['ending']]}. Points: {points}; {won}."


SENTENCES = {
    "move": move,
    "put": put,
    "take": take,
    "lay": lay,
    "laid": laid,
    "declined": move,
    "deal": deal,
    "start": start,
    "turn": turn,
    "draw": draw,
    "reshuffle": reshuffle,
    "discard": discard,
    "pick_up": pick_up,
    "chip": chip,
    "seal": seal,
    "travel": travel,
    "mask": mask,
    "end": end,
}


# ---- Words


def card(name: str) -> str:
    if name.startswith("dalang:"):
        return "the Dalang card " + "/".join(map(island, name.removeprefix("dalang:").split("+")))
    return f"an {name}" if name[0] == "a" else f"a {name}"


def island(name: str) -> str:
    return name.capitalize()


def number_of(number: int, kind: str) -> str:
    return f"1 {kind}" if number == 1 else f"{number} {kind}s"


def listed(event: dict[str, Any], number: int) -> str:
    """The cards from bottom to top, to whom they are known; otherwise how many."""
    return ", ".join(map(card, event.get("cards", ()))) or cards_in_number(number)


def several(number: int, name: str) -> str:
    if name.startswith("dalang:"):
        return f"{number} times {card(name)}"
    return number_of(number, name)


def cards_in_number(number: int) -> str:
    return "no cards" if number == 0 else "1 card" if number == 1 else f"{number} cards"
