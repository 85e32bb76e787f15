"""Liar's Dice in English."""

from __future__ import annotations

from dalang.engine.game import Plain

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
FACES_IN_WORDS = ("", "one", "two", "three", "four", "five", "six")
PLURALS = ("", "ones", "twos", "threes", "fours", "fives", "sixes")


def bid(count: int, face: int) -> str:
    """As people say it: `four threes`."""
    number = NUMBERS[count] if count < len(NUMBERS) else str(count)
    return f"{number} {FACES_IN_WORDS[face] if count == 1 else PLURALS[face]}"


def dice(number: int) -> str:
    return "a die" if number == 1 else f"{number} dice"


def sentence(event: Plain) -> str:
    sentences = {"roll": roll, "move": move, "lift": lift, "out": out, "end": end}
    return sentences[event["event"]](event)


def roll(event: Plain) -> str:
    seen = f": {' '.join(map(str, event['drawn']))}" if "drawn" in event else ""
    return f"Seat {event['seat']} rolls {dice(event['dice'])}{seen}."


def move(event: Plain) -> str:
    verb, *what = event["move"]
    return f"Seat {event['seat']} " + (f"bids {bid(*what)}." if verb == "bid" else "doubts that.")


def lift(event: Plain) -> str:
    count, face = event["count"], event["bid"][1]
    found = f"there {'is' if count == 1 else 'are'} {bid(count, face)}"
    return f"The cups are lifted: {found}; seat {event['loser']} loses a die."


def out(event: Plain) -> str:
    return f"Seat {event['seat']} is out."


def end(event: Plain) -> str:
    return f"Seat {event['seat']} is the last one with dice and wins."
