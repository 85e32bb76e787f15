"""A rulebook on a terminal: Markdown laid out for its width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby

import click
from tabulate import tabulate

WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""
GAP = 4
"""What tabulate puts around a column under a header."""


def page(markdown: str, width: int) -> str:
    """The text with headings, tables and paragraphs fitted to the width."""
    width = min(width, WIDEST)
    return "\n".join(line for sort, lines in blocks(markdown) for line in laid_out(sort, lines, width)) + "\n"


def blocks(markdown: str) -> Iterator[tuple[str, list[str]]]:
    """Runs of lines of one sort: table, code, text."""
    fenced = False

    def sort_of(line: str) -> str:
        nonlocal fenced
        if line.startswith("```"):
            fenced = not fenced
            return "code"
        if fenced:
            return "code"
        return "table" if line.lstrip().startswith("|") else "text"

    for sort, lines in groupby(markdown.splitlines(), sort_of):
        yield sort, list(lines)


def laid_out(sort: str, lines: list[str], width: int) -> Iterator[str]:
    if sort == "table":
        yield from table(lines, width)
    elif sort == "code":
        yield from ("    " + line for line in lines if not line.startswith("```"))
    else:
        for paragraph in paragraphs(lines):
            yield from text(paragraph, width)


def paragraphs(lines: list[str]) -> Iterator[str]:
    """Lines that belong together joined, list items and headings kept apart."""
    gathered = ""
    for line in lines:
        alone = not line or re.match(r"#|\s*- |\d+\. ", line)
        if alone and gathered:
            yield gathered
            gathered = ""
        if not line:
            yield ""
        else:
            gathered = f"{gathered} {line.strip()}" if gathered else line
        if line.startswith("#"):
            yield gathered
            gathered = ""
    if gathered:
        yield gathered


def text(paragraph: str, width: int) -> list[str]:
    if paragraph.startswith("#"):
        return [click.style(paragraph.lstrip("# "), bold=True)]
    lead = re.match(r"\s*(- |\d+\. )?", paragraph)
    indent = " " * (len(lead.group()) if lead else 0)
    return textwrap.wrap(bare(paragraph), width, subsequent_indent=indent) or [""]


def table(lines: list[str], width: int) -> list[str]:
    header, _, *rows = [[bare(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    columns = column_widths([header, *rows], width)
    return tabulate(rows, header, maxcolwidths=columns, disable_numparse=True).splitlines()


def column_widths(rows: list[list[str]], width: int) -> list[int]:
    """Every column at least as wide as its longest word; what is left is shared by what each still wants."""
    columns = list(zip(*rows, strict=True))
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    wanted = [max(map(len, column)) - size for column, size in zip(columns, least, strict=True)]
    spare = max(0, width - sum(least) - GAP * len(columns))
    share = min(1.0, spare / max(1, sum(wanted)))
    return [max(1, size + int(more * share)) for size, more in zip(least, wanted, strict=True)]


def bare(markdown: str) -> str:
    """Without the marks for bold and code."""
    return re.sub(r"\*\*|`", "", markdown)
