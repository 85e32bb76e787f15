"""A badge: a small picture for the front page of a repository that says who leads a tournament."""

from __future__ import annotations

from html import escape

from dalang.harness.escaping import printable
from dalang.harness.tournament.fitting import cut
from dalang.harness.tournament.standings import Standings

LETTER, BESIDE, HEIGHT = 6.6, 8, 20
"""Of a letter of the usual width in 11 pixels, and of what is beside and around the text."""
MOST_OF_HALF = 40
"""Of each half."""


def badge(standings: Standings) -> str:
    """An SVG that needs nothing but itself."""
    return drawn(standings.terms.name, leading(standings))


def leading(standings: Standings) -> str:
    matches = standings.statistics.matches
    if not matches:
        return "not begun"
    first = [line.line.name for line in standings.lines if line.place == 1]
    who = first[0] if len(first) == 1 else f"{first[0]} +{len(first) - 1}"
    verb = "leads" if standings.statistics.live else "has won of"
    return f"{cut(who, MOST_OF_HALF // 2)} {verb} {len(standings.lines)} bots"


def drawn(left: str, right: str) -> str:
    left, right = (cut(printable(text), MOST_OF_HALF) for text in (left, right))
    begin = round(2 * BESIDE + LETTER * len(left))
    width = begin + round(2 * BESIDE + LETTER * len(right))
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{round(LETTER * len(text))}">{escape(text)}</text>'
        for x, text in ((BESIDE, left), (begin + BESIDE, right))
    )
    title = escape(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<rect width="{width}" height="{HEIGHT}" rx="3" fill="#24566b"/>'
        f'<path fill="#4a4a4a" d="M3 0h{begin - 3}v{HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
