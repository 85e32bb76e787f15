"""How a league stands, as plain data: for a terminal, for a page, for other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from tabulate import tabulate

from dalang.engine.game import Plain
from dalang.harness.escaping import printable
from dalang.harness.league.season import JOINED, LEFT, RETIRED, SIDELINED, TURNED_DOWN
from dalang.harness.league.submission_table import Happening, division_of, happenings
from dalang.harness.league.submissions import is_anchor
from dalang.harness.match.check_apart import headline
from dalang.harness.tournament.fitting import Cells, cut, fitted
from dalang.harness.tournament.schedule.league import PLACEMENT
from dalang.harness.tournament.standings import Placed, Standings, percent, standings
from dalang.harness.tournament.store import Store

FOLDERS = re.compile(r"(?<!\S)/(?:[^\s/]*/)+")
"""Of a file that is named with its whole path."""
SLACK = 1.5
"""So many times as many bots as a division has still make one division."""


@dataclass(frozen=True)
class LeagueLine:
    """A bot that is in the league."""

    place: int | None
    """Among those that are placed; None for one that is not yet, or that is withdrawn."""
    division: int | None
    name: str
    bot: str
    is_anchor: bool
    blocks: int
    placing: bool
    """Whether it has still to be placed."""
    rating: float | None
    """Its skill above that of the anchors, if there are any."""
    strength: str
    faults: int
    withdrawn: str


@dataclass(frozen=True)
class LeagueState:
    rounds: int
    matches: int
    lines: list[LeagueLine]
    refused: list[Happening]
    """Of each name what was refused last, if nothing was let in since."""

    def data(self) -> Plain:
        refused = [asdict(each) | {"headline": headline(each.reason)} for each in self.refused]
        return asdict(self) | {"refused": refused}

    def told_to_all(self) -> Plain:
        """The same for a page: what else there is to a refusal is for the author, and where files lie for nobody."""
        refused = [{"name": each.name, "headline": in_short(each.reason)} for each in self.refused]
        return asdict(self) | {"refused": refused}


def in_short(reason: str) -> str:
    """What was asked for in vain, without what the bot or its build said, and without the folders of files."""
    sentence, more, _ = headline(reason).partition(": ")
    return FOLDERS.sub("…/", sentence) + (": no" if more else "")


def league_state(store: Store, table: Standings | None = None) -> LeagueState:
    """A pure function of the file; whoever has its standings already need not have them made again."""
    happened, table = happenings(store), table or standings(store)
    names = {each.bot: each.name for each in happened if each.what == JOINED}
    gone = {each.bot for each in happened if each.what in (RETIRED, LEFT)}
    there = [line for line in table.lines if line.line.name in names.keys() - gone]
    placed = [line.line.name for line in there if line.line.blocks >= PLACEMENT and not line.withdrawn]
    size, zero = division_size(len(placed), division_of(store)), anchored(there, names)
    lines = [league_line(line, names[line.line.name], placed, size, zero) for line in there]
    return LeagueState(store.next_round(), store.number_of_matches(), lines, refusals(happened))


def league_line(line: Placed, name: str, placed: list[str], size: int, zero: float) -> LeagueLine:
    bot, figures = line.line.name, line.line
    place = placed.index(bot) + 1 if bot in placed else None
    return LeagueLine(
        place=place,
        division=None if place is None else (place - 1) // size + 1,
        name=name,
        bot=bot,
        is_anchor=is_anchor(name),
        blocks=figures.blocks,
        placing=figures.blocks < PLACEMENT,
        rating=round(line.rating.mu - zero, 2) if line.rating and figures.blocks else None,
        strength=percent(figures.strength) if figures.blocks else "-",
        faults=sum(figures.faults.values()),
        withdrawn=line.withdrawn,
    )


def anchored(lines: list[Placed], names: dict[str, str]) -> float:
    """The mean skill of the anchors, which ratings are told above; 0 if there are none."""
    skills = [line.rating.mu for line in lines if line.rating and is_anchor(names[line.line.name])]
    return fmean(skills) if skills else 0.0


def division_size(bots: int, wanted: int) -> int:
    return max(1, bots) if bots <= SLACK * wanted else wanted


def refusals(happened: list[Happening]) -> list[Happening]:
    last = {each.name: each for each in happened if each.what not in (RETIRED, SIDELINED)}
    return [each for each in last.values() if each.what == TURNED_DOWN]


# ---- In words


def state_text(state: LeagueState, columns: int | None = None) -> str:
    """A table for each division, one for those who are not placed, and who was withdrawn and refused why."""
    gone: dict[str, None] = {}
    parts = [f"{state.matches} matches in {state.rounds} rounds, {len(state.lines)} bots"]
    for title, lines in tables_of(state):
        table, without = lines_table(lines, columns)
        parts.append(f"{title}\n{table}" if title else table)
        gone |= dict.fromkeys(without)
    if out := [line for line in state.lines if line.withdrawn]:
        reasons = [f"{line.bot}: {headline(line.withdrawn)}" for line in out]
        parts.append(listed("Withdrawn (until they are sent in anew):", reasons, columns))
    if state.refused:
        reasons = [f"{each.name}: {headline(each.reason)}" for each in state.refused]
        parts.append(listed("Refused (the whole reason is in NAME.refused.txt):", reasons, columns))
    parts += [f"No room for {', '.join(gone)}: see --json."] if gone else []
    return "\n\n".join(parts)


def listed(title: str, reasons: list[str], columns: int | None) -> str:
    lines = [f"  {printable(reason)}" for reason in reasons]
    return "\n".join([title, *(lines if columns is None else [cut(line, columns) for line in lines])])


def tables_of(state: LeagueState) -> Iterator[tuple[str, list[LeagueLine]]]:
    """With their titles; that of the only division needs none."""
    divisions = sorted({line.division for line in state.lines if line.division})
    for division in divisions:
        title = f"Division {division}" if len(divisions) > 1 else ""
        yield title, [line for line in state.lines if line.division == division]
    if waiting := [line for line in state.lines if line.division is None and not line.withdrawn]:
        yield f"Not placed (that takes {PLACEMENT} blocks)", waiting


def lines_table(lines: list[LeagueLine], columns: int | None) -> tuple[str, list[str]]:
    """The table, and which columns gave way to what is shown on."""
    rows = [line_cells(line) for line in lines]
    return (draw(rows), []) if columns is None else fitted(rows, draw, columns)


def draw(rows: Sequence[Cells]) -> str:
    words = [at for at, column in enumerate(rows[0]) if column in ("bot", "rating")]  # 1e3 is a name
    return tabulate(rows, headers="keys", disable_numparse=words)


def line_cells(line: LeagueLine) -> Cells:
    return {
        "place": "-" if line.place is None else line.place,
        "bot": printable(line.bot),
        "rating": "-" if line.rating is None else f"{line.rating:+.2f}",
        "strength": line.strength,
        "blocks": line.blocks,
        "faults": line.faults or "",
        "remark": "anchor" if line.is_anchor else "",
    }


def history_text(happened: list[Happening], columns: int | None = None) -> str:
    rows = [
        {
            "time": each.time,
            "round": each.round,
            "what": each.what,
            "bot": printable(each.bot or each.name),
            "reason": printable(headline(each.reason)) if each.reason else "",
        }
        for each in happened
    ]
    text = tabulate(rows, headers="keys", disable_numparse=[3]) if rows else "nothing has happened yet"
    return text if columns is None else "\n".join(cut(line, columns) for line in text.splitlines())
