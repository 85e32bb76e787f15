"""The drawings of the page about statistics: `python -m tests.charts` plays tournaments and draws what came of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from dalang.harness.library import FinishedMatch, Standing, TournamentFile
from tests.test_tournament import ROOT, dalang

WARY = str(ROOT / "examples" / "wary.py")
SEASONS, SEASON_BLOCKS = 40, 20
"""Small tournaments of the same two bots, each with deals of its own."""
LENGTHS = (5, 10, 20, 40, 80, 160, 320)
WIDTH, LEFT, RIGHT = 720, 150, 40
INK, PALE, GOOD, BAD = "#24292f", "#8b949e", "#0f766e", "#c2410c"


def main() -> None:
    with TemporaryDirectory() as folder:
        long = played(Path(folder) / "long.db", "long", LENGTHS[-1])
        truth = wary_in(long).strength.mean
        draw("block", 176, blocks(long))
        seasons = [played(Path(folder) / f"{n}.db", f"season {n}", SEASON_BLOCKS) for n in range(SEASONS)]
        draw("interval", 40 + 9 * SEASONS, intervals([wary_in(each) for each in seasons], truth))
        growing = [played(Path(folder) / f"of {n}.db", "growing", n) for n in LENGTHS]
        draw("believable", 60 + 34 * len(LENGTHS), narrowing(growing))


def played(db: Path, seed: str, blocks: int) -> TournamentFile:
    dalang("run", "kali", WARY, "random", "--blocks", str(blocks), "--seed", seed, "--db", str(db))
    return TournamentFile(db)


def wary_in(tournament: TournamentFile) -> Standing:
    return next(line for line in tournament.standings() if line.name == "wary")


# ---- The drawings


def blocks(tournament: TournamentFile) -> Iterable[str]:
    """Three deals, each played from both seats."""
    for column, (number, pair) in enumerate(
        islice(groupby(tournament.matches(), lambda match: match.block), 3)
    ):
        x = 24 + column * 232
        yield box(x, 16, 216, 144)
        yield text(x + 12, 40, f"block {number}: one deal", bold=True)
        matches = list(pair)
        for row, match in enumerate(matches):
            yield from scores(match, x + 12, 66 + row * 28)
        share = sum(won_by_wary(match) for match in matches) / len(matches)
        yield text(x + 12, 140, f"wary beats random in {share:.0%}", colour=GOOD if share > 0.5 else INK)


def scores(match: FinishedMatch, x: float, y: float) -> Iterable[str]:
    for seat, (name, score) in enumerate(zip(match.bots, match.scores, strict=True)):
        is_first = match.places[seat] == 1
        yield text(x + seat * 100, y, f"{name} {score}", bold=is_first, colour=GOOD if is_first else PALE)


def won_by_wary(match: FinishedMatch) -> float:
    mine, other = match.places[match.bots.index("wary")], match.places[match.bots.index("random")]
    return (mine < other) + (mine == other) / 2


def intervals(lines: list[Standing], truth: float) -> Iterable[str]:
    foot = 24 + 9 * len(lines)
    yield from axis(foot)
    yield text(12, 22, f"{len(lines)} tournaments,")
    yield text(12, 40, f"{SEASON_BLOCKS} deals each")
    yield line(across(truth), 12, across(truth), foot, INK)
    for row, found in enumerate(lines):
        y = 18 + 9 * row
        covers = found.strength.low <= truth <= found.strength.high
        yield line(across(found.strength.low), y, across(found.strength.high), y, GOOD if covers else BAD, 3)
        yield dot(across(found.strength.mean), y, GOOD if covers else BAD)


def narrowing(tournaments: list[TournamentFile]) -> Iterable[str]:
    foot = 30 + 34 * len(tournaments)
    yield from axis(foot)
    yield line(across(0.5), 12, across(0.5), foot, INK)
    for row, tournament in enumerate(tournaments):
        y, found = 36 + 34 * row, wary_in(tournament)
        told = len({bot.groups for bot in tournament.standings()}) > 1
        yield text(12, y + 5, f"{found.blocks} deals")
        yield line(across(found.strength.low), y, across(found.strength.high), y, GOOD if told else PALE, 5)
        yield dot(across(found.strength.mean), y, GOOD if told else PALE)


# ---- Painting


def across(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def axis(y: float) -> Iterable[str]:
    yield line(across(0), y, across(1), y, PALE)
    for tenth in range(0, 11, 2):
        yield text(across(tenth / 10) - 12, y + 15, f"{tenth * 10} %", colour=PALE)


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="none" stroke="{PALE}"/>'


def text(x: float, y: float, words: str, bold: bool = False, colour: str = INK) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{weight}>{words}</text>'


def draw(name: str, height: int, parts: Iterable[str]) -> None:
    size = f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    ground = f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>'
    drawing = "\n".join([head, ground, *parts, "</svg>", ""])
    (ROOT / "docs" / "pictures" / f"{name}.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
