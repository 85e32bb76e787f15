"""Text that strangers wrote, made fit for the place where it goes: one function for each sort of place.

Bots choose their names, what they say and what they print, and a file may have been made by anybody. Nothing of it may
steer a terminal, become a formula in a spreadsheet, or markup on a page.
"""

from __future__ import annotations

import json
import re
from typing import Any

OURS = re.compile("(\n|\x1b\\[(?:[012]|3[0-7])m)")
"""What we ourselves print besides letters: line ends, and the codes for colour, bold and dim."""
FORMULA = re.compile(r'(^|;)(?=[\s"]*[=+\-@＝＋－＠])')
"""Where a spreadsheet sees the beginning of a formula: in some languages also in full width, or behind a semicolon."""
PLAIN_WORDS = re.compile("[A-Za-z0-9]+(( |[_-]+)[A-Za-z0-9]+)*")
"""What no reader of Markdown takes for anything else: neither markup nor an address nor somebody's name."""


def printable(text: str) -> str:
    """On one line, without the codes that could play tricks on a terminal or turn the direction of what follows."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "·" for letter in text)


def shortened(text: str, most: int) -> str:
    """Beginning and end of a long text."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def plain_lines(text: str) -> str:
    """Lines without colour: errors, which quote what bots wrote, and XML, which has no room for any controls."""
    return "\n".join(map(printable, text.split("\n")))


def for_terminal(text: str) -> str:
    """What we print, lines and colours and all; whatever else a terminal would obey is only shown."""
    if text.isprintable():
        return text
    return "".join(part if OURS.fullmatch(part) else printable(part) for part in OURS.split(text))


def for_json(data: Any) -> str:
    """JSON in letters that people can read, where the others are escaped: it tells the same."""
    text = json.dumps(data, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def for_csv(cell: Any) -> Any:
    """A cell of a spreadsheet; text that would be a formula there is marked as text."""
    if not isinstance(cell, str):
        return cell
    return FORMULA.sub(r"\1'", printable(cell))


def for_markdown(text: str) -> str:
    """As it is where it is plain, otherwise as code, in which nothing has a meaning."""
    text = printable(text)
    if not text or PLAIN_WORDS.fullmatch(text):
        return text
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def for_markdown_cell(text: str) -> str:
    """The same in a table, which looks for its bars also in code."""
    return for_markdown(text).replace("|", r"\|")


def for_page(data: Any) -> Any:
    """Plain data whose texts are to be shown by a browser, which escapes markup but not what turns directions."""
    if isinstance(data, str):
        return printable(data)
    if isinstance(data, dict):
        return {for_page(key): for_page(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return list(map(for_page, data))
    return data
