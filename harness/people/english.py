"""What is told of seats by number, said to a person: names for seats, `you` for the own one, offers for moves."""

from __future__ import annotations

import re
from collections.abc import Sequence

YOU = "you"
"""The name of a person at the table."""
SEAT = re.compile(r"\b[Ss]eat (\d+)")
IRREGULAR = {"is": "are", "has": "have", "does": "do", "goes": "go"}
HISSING = ("sses", "ches", "shes", "xes")
"""Ends of verbs that take -es: passes, reaches, pushes, mixes."""


def named(text: str, names: Sequence[str]) -> str:
    """With names for seats; if one of them is `you`, `Seat 1 takes over.` becomes `You take over.`"""
    if YOU in names:
        text = to_you(text, names.index(YOU))
    return SEAT.sub(lambda found: name_of(names, int(found[1])), text)


def name_of(names: Sequence[str], seat: int) -> str:
    return names[seat] if seat < len(names) else f"seat {seat}"


def to_you(text: str, seat: int) -> str:
    if re.match(rf"Seat {seat}\b", text):
        text = second_verbs(text)
    text = re.sub(rf"\b([Ss])eat {seat} ([a-z]+s)\b", lambda found: f"{you(found[1])} {base(found[2])}", text)
    return re.sub(rf"\b([Ss])eat {seat}\b", lambda found: you(found[1]), text)


def you(letter: str) -> str:
    return YOU.capitalize() if letter == "S" else YOU


def offered(deed: str) -> str:
    """What somebody does, as an offer: `plays a priest and shows 1 more` is `Play a priest and show 1 more`."""
    verb, space, rest = second_verbs(deed).partition(" ")
    return f"{base(verb).capitalize()}{space}{rest}"


def second_verbs(text: str) -> str:
    """The verbs behind an `and`, without their s."""
    return re.sub(r"\band ([a-z]+s)\b", lambda found: f"and {base(found[1])}", text)


def base(verb: str) -> str:
    return IRREGULAR.get(verb, verb.removesuffix("es" if verb.endswith(HISSING) else "s"))
