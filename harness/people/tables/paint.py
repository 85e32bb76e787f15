"""What all pictures of tables are painted with: 80 columns, and colour only where the text says the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from dalang.engine.game import Plain

WIDTH = 80
LONGEST_NAME = 14


class Scene(NamedTuple):
    """What is to be painted, and who looks at it."""

    view: Plain
    """What the seat that looks may see."""
    names: Sequence[str]
    full: Plain | None = None
    """Everything, as `State.dump` has it, for a reader who may know everything; then nobody's seat is `you`."""

    def is_viewer(self, seat: int) -> bool:
        return self.full is None and seat == self.view["you"]

    def name(self, seat: int, width: int = LONGEST_NAME) -> str:
        """Who sits there, cut to a width; the viewer is bold."""
        return painted(clipped(self.names[seat], width), bold=self.is_viewer(seat))

    def owner(self, seat: int, width: int = LONGEST_NAME) -> str:
        return "-" if seat < 0 else self.name(seat, width)

    def mark(self, seat: int) -> str:
        """Points at the seat that decides now."""
        return click.style("►", fg="cyan") if seat == self.view["asked"] else " "


class Decision(NamedTuple):
    """A decision for people."""

    question: str
    points: str
    """Where the rulebook speaks of it, such as `§3.4 §8.2`."""
    variants: Mapping[str, str] = {}
    """By option: the points that hold only if it is switched on."""

    def in_force(self, options: Plain) -> list[str]:
        """The points that hold with these options."""
        added = [points for option, points in self.variants.items() if options.get(option)]
        return " ".join([self.points, *added]).split()


def clipped(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def painted(text: str, fg: str | None = None, bold: bool = False) -> str:
    """In colour or bold, if it is to be either."""
    return click.style(text, fg=fg, bold=bold or None) if fg or bold else text


def heading(text: str) -> str:
    return click.style(text, bold=True)


def grid(
    rows: Iterable[Sequence[Any]], headers: Sequence[str] = (), words: Collection[int] = (0,), gap: int = 2
) -> list[str]:
    """Columns without rules: those with words are flush left, the others, with numbers, flush right."""
    body = [[str(cell) for cell in row] for row in rows]
    if headers:
        body.insert(0, [header if size(header) < len(header) else dimmed(header) for header in headers])
    widths = [max(map(size, column)) for column in zip(*body, strict=True)]
    lefts = [column in words for column in range(len(widths))]
    lines = [(" " * gap).join(map(padded, row, widths, lefts)) for row in body]
    return [f" {line}".rstrip() for line in lines]


def dimmed(text: str) -> str:
    return click.style(text, dim=True) if text else ""


def padded(text: str, width: int, left: bool) -> str:
    space = " " * (width - size(text))
    return text + space if left else space + text


def size(text: str) -> int:
    """Its columns on a terminal, colour not counted."""
    return len(click.unstyle(text))


def flow(lead: str, parts: Iterable[str], gap: str = ", ", width: int = WIDTH) -> list[str]:
    """Parts in a row behind a lead; what does not fit goes on below the first part. Parts may have colour."""
    words = list(parts) or ["none"]
    indent = size(lead)
    lines, line, used = [], lead, indent
    for number, word in enumerate(words):
        piece = word + (gap.rstrip() if number < len(words) - 1 and gap.strip() else "")
        if used > indent and used + 1 + size(piece) > width:
            lines.append(line)
            line, used = " " * indent, indent
        space = " " if used > indent else ""
        line, used = line + space + piece, used + len(space) + size(piece)
    return [*lines, line]


def wrapped(lead: str, text: str, width: int = WIDTH) -> list[str]:
    """A sentence that may have colour, wrapped like the parts of a flow."""
    return flow(lead, text.split(" "), " ", width)
