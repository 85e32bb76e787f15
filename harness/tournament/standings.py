"""Who is better, and how sure that is: a pure function of the tournament file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from math import inf
from typing import Any

from tabulate import tabulate

from dalang.engine.game import Plain, SetupError, unknown
from dalang.harness.escaping import for_csv, for_markdown_cell, printable
from dalang.harness.match.faults import FAULT_KINDS
from dalang.harness.statistics.intervals import Estimate
from dalang.harness.statistics.luck import LuckFigures
from dalang.harness.statistics.outlook import Outlook
from dalang.harness.statistics.rating import Rating
from dalang.harness.statistics.summary import (
    DEALS_FOR_SCORES,
    BotLine,
    Statistics,
    figures_of,
    letters,
    percentiles,
    worth,
)
from dalang.harness.tournament.bracket import BracketRound, bracket, bracket_text, reached
from dalang.harness.tournament.fitting import fitted, on_screen, wrapped
from dalang.harness.tournament.schedule import find_format
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.swiss_table import SwissLine, meetings_text, swiss_table
from dalang.harness.tournament.tally import Tallied, Tally, tallied
from dalang.harness.tournament.terms import Terms

ORDERS = ("trueskill", "mean", "wins")
DIGITS = 4
"""Of a skill: what is equal in these is equal."""
SEVERAL_SEATS = "a bot sits at a table more than once"
TOO_MANY_FAULTS = "too many faults in a row"
"""Why a bot is withdrawn that nobody took out."""
FINAL = "Intervals and groups are for one look at a finished tournament."
LIVE = "Not finished, or longer than agreed on at first: intervals and groups hold at every look, and are wider for it."
NO_SCORES = f"Scores have no interval below {DEALS_FOR_SCORES} deals or before the end: rare great ones lie beyond any."
LUCK_REMOVED, LUCK_REMOVED_KEY = "beats, luck removed", "beats_luck_removed"
"""The same figure in a table and in data."""
STYLES = ("table", "markdown", "csv", "json")
BY_STYLE = {"simple": printable, "github": for_markdown_cell}
"""How a style of table shows what a bot may have chosen: names, and reasons that name others."""


@dataclass(frozen=True)
class Placed:
    """One bot's line: everything that is known about it."""

    place: int
    line: BotLine
    rating: Rating | None
    """None where nobody can be rated."""
    withdrawn: str

    def cells(self, shown: Callable[[str], str]) -> dict[str, Any]:
        line = self.line
        return {
            "place": self.place,
            "bot": shown(line.name),
            **rating_cells(self.rating, 2, ""),
            "strength": percent(line.strength) if line.blocks else "-",
            "beats": f"{line.place.mean:.1%}" if line.blocks else "-",
            "score": score_cell(line),
            "wins": f"{line.wins:.1%}" if line.blocks else "-",
            "blocks": line.blocks,
            "group": letters(line.groups),
            "faults": ", ".join(f"{number} {kind}" for kind, number in sorted(line.faults.items())),
            "remark": f"withdrawn: {shown(self.withdrawn)}" if self.withdrawn else "",
        }

    def data(self) -> Plain:
        line = asdict(self.line)
        return {
            "place": self.place,
            "beats": line.pop("place"),
            **line,
            "groups": letters(self.line.groups),
            **rating_cells(self.rating, DIGITS, None),
            "withdrawn": self.withdrawn,
        }


@dataclass(frozen=True)
class Standings:
    terms: Terms
    order: str
    """What decides the places."""
    lines: list[Placed]
    statistics: Statistics
    luck: LuckFigures | None = None
    """None where nobody asked to take it out."""
    swiss: list[SwissLine] | None = None
    """In the order of places, where a Swiss decides them."""
    bracket: list[BracketRound] | None = None
    """Where a knockout decides the places."""

    def data(self) -> Plain:
        shown = ("name", "game", "options", "format", "seats", "blocks", "commitment", "isolate")
        terms, statistics = self.terms.data(), self.statistics.plain()
        outlook = self.statistics.outlook
        return {
            "tournament": {key: terms[key] for key in shown if key in terms},
            "order": self.order,
            "standings": [self.line_data(line) for line in self.lines],
            **{key: statistics[key] for key in statistics if key != "bots"},
            "outlook": outlook and {**asdict(outlook), "words": few_deals(outlook)},
            **({"luck": luck_data(self.luck)} if self.luck else {}),
            **({} if self.bracket is None else {"bracket": [asdict(each) for each in self.bracket]}),
        }

    def line_data(self, line: Placed) -> Plain:
        without = self.luck and self.luck.bots.get(line.line.name)
        return {
            **line.data(),
            **({} if self.luck is None else {LUCK_REMOVED_KEY: without and asdict(without.beats)}),
            **({} if self.swiss is None else self.swiss_data(line.line.name)),
            **({} if self.bracket is None else {"reached": reached(self.bracket, line.line.name)}),
        }

    def swiss_data(self, name: str) -> Plain:
        line = next(line for line in self.swiss or () if line.name == name)
        return {
            "points": line.points,
            "buchholz": line.buchholz,
            "meetings": list(map(asdict, line.meetings)),
        }

    def line_cells(self, line: Placed, shown: Callable[[str], str]) -> dict[str, Any]:
        """With luck removed, both figures have their intervals."""
        cells = with_format_cells(line.cells(shown), self.format_cells(line.line.name))
        if self.luck is None:
            return cells
        without = self.luck.bots.get(line.line.name)
        both = {"beats": cells["beats"], LUCK_REMOVED: "-"}
        if without:
            both = {"beats": percent(line.line.place), LUCK_REMOVED: percent(without.beats)}
        return {
            key: value
            for name in cells
            for key, value in (both.items() if name == "beats" else [(name, cells[name])])
        }

    def format_cells(self, name: str) -> dict[str, Any]:
        """By what the format itself places."""
        if self.swiss is not None:
            line = next(line for line in self.swiss if line.name == name)
            return {"points": round(line.points, 2), "buchholz": round(line.buchholz, 2)}
        return {} if self.bracket is None else {"reached": reached(self.bracket, name)}

    def is_rated(self) -> bool:
        return all(line.rating for line in self.lines)

    def faults(self) -> int:
        return sum(sum(line.line.faults.values()) for line in self.lines)

    def text(self, style: str = "simple", crosstable: bool = False, columns: int | None = None) -> str:
        """All of it; the table not wider than so many columns, if that is wished for."""
        table, remarks = self.table(style, columns)
        parts = [table, *([self.crosstable(style)] if crosstable else []), *self.story(style, columns)]
        remarks = remarks if columns is None else wrapped(remarks, columns)
        return "\n\n".join([*parts, remarks])

    def screen(self, columns: int, lines: int) -> str:
        """As much as fits a screen: the leaders, then what the figures rest on."""
        return on_screen(*self.table("simple", columns), columns, lines)

    def table(self, style: str, columns: int | None) -> tuple[str, str]:
        """The table, and what is to be said of it."""
        rows = [self.line_cells(line, BY_STYLE[style]) for line in self.lines]
        rows = [without_empty(row, rows) for row in rows]

        def draw(rows: Sequence[Any]) -> str:
            return tabulated(rows, "keys", style, names=1)

        if columns is None:
            return draw(rows), self.remarks()
        table, gone = fitted(rows, draw, columns)
        no_room = f"\nNo room for {', '.join(gone)}: see --format markdown or json." if gone else ""
        return table, self.remarks() + no_room

    def story(self, style: str, columns: int | None) -> list[str]:
        """Who met whom, where that decides the places."""
        shown = BY_STYLE[style]
        if self.swiss:
            rows = [{"bot": shown(line.name), "met": meetings_text(line, shown)} for line in self.swiss]
            room = columns and max(20, columns - 2 - max(len(row["bot"]) for row in rows))
            rows = [row | {"met": wrapped(row["met"], room)} for row in rows] if room else rows
            return [tabulated(rows, "keys", style)]
        if not self.bracket:
            return []
        text = bracket_text(self.bracket, shown)
        return [f"```\n{text}\n```" if style == "github" else text]

    def crosstable(self, style: str) -> str:
        """How often the row was before the column; a star where that is no accident."""
        cells = {
            (pair.row, pair.column): f"{pair.result:.0%}{'*' * pair.significant}"
            for pair in self.statistics.crosstable
        }
        names = [line.line.name for line in self.lines]
        shown = {name: BY_STYLE[style](name) for name in names}
        rows = [
            [shown[row], *("-" if row == name else cells.get((row, name), "") for name in names)]
            for row in names
        ]
        return tabulated(rows, ["", *shown.values()], style)

    def remarks(self) -> str:
        """What the figures rest on."""
        statistics = self.statistics
        seats = ", ".join(f"seat {seat.seat} {seat.place.mean:.0%}" for seat in statistics.seats)
        return "\n".join(
            [
                *([] if self.is_rated() else [f"Not rated: {SEVERAL_SEATS}."]),
                f"{statistics.matches} matches in {statistics.blocks} complete blocks, independent deals: "
                f"{statistics.units}; places by {self.order}.",
                "strength: the share of the others it would beat if it met all equally often, with its 95 % interval. "
                "Bots that share a group letter cannot be told apart.",
                LIVE if statistics.live else FINAL,
                *([NO_SCORES] if any(bot.score.low is None for bot in statistics.bots) else []),
                *([few_deals(statistics.outlook)] if statistics.outlook else []),
                *([f"Not transitive, and no accident: {self.cycle()}."] if statistics.cycle else []),
                f"Seats: {seats or 'nothing known'}. The duplicate deals were worth {worth(statistics.gain)}.",
                *([luck_in_words(self.luck)] if self.luck else []),
                *(
                    [f"Isolation of the bots: {self.terms.isolate}."]
                    if "isolate" in self.terms.data()
                    else []
                ),
            ]
        )

    def cycle(self) -> str:
        return ", ".join(
            f"{printable(pair.row)} beats {printable(pair.column)} ({pair.result:.0%})"
            for pair in self.statistics.cycle
        )

    def csv(self) -> str:
        out = io.StringIO()
        lines = [flat(self.line_data(line)) for line in self.lines]
        names = list(dict.fromkeys(chain.from_iterable(lines))) or ["place"]
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: for_csv(value) for key, value in line.items()} for line in lines)
        return out.getvalue()


def tabulated(rows: Sequence[Any], headers: str | list[str], style: str, names: int = 0) -> str:
    """A table; in the column with the names, 1e3 is one."""
    return tabulate(rows, headers=headers, tablefmt=style, disable_numparse=[names])


def rating_cells(rating: Rating | None, digits: int, unknown: str | None) -> dict[str, float | str | None]:
    if rating is None:
        return dict.fromkeys(("rating", "mu", "sigma"), unknown)
    figures = {"rating": rating.exposure, "mu": rating.mu, "sigma": rating.sigma}
    return {key: round(value, digits) for key, value in figures.items()}


def luck_data(luck: LuckFigures) -> Plain:
    """All but the intervals, which stand with the bots."""
    return {
        "value_version": luck.value_version,
        "is_off": luck.is_off,
        "gain": luck.gain,
        "bots": {name: {"luck": line.luck, "weight": line.weight} for name, line in luck.bots.items()},
    }


def luck_in_words(luck: LuckFigures) -> str:
    if not luck.bots:
        return "Luck removed: there is no complete block yet to take it out of."
    if luck.is_off:
        return "Luck removed: what could be told of it explains nothing here, so nothing was taken out."
    return (
        f"Luck removed: all draws against what they might have been, by version {luck.value_version} of the game's "
        f"value; that was worth {luck.gain:.1f} times as many deals."
    )


def percent(estimate: Estimate) -> str:
    return f"{estimate.mean:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]"


def score_cell(line: BotLine) -> str:
    score = line.score
    if score.low is None:
        return f"{score.mean:.1f}" if line.blocks else "-"
    return f"{score.mean:.1f} [{score.low:.1f}, {score.high:.1f}]"


def few_deals(outlook: Outlook) -> str:
    """What they can tell at best, and how many more it takes."""
    needed, more = outlook.needed, outlook.needed - outlook.deals
    if outlook.least is None or outlook.wanted is None:
        return (
            f"Few deals: with {outlook.deals} nobody can be told apart, however they end; "
            f"with so many bots it takes {needed} of each at least, {more} more."
        )
    return (
        f"Few deals: at best, bots are told apart whose strengths differ by about {100 * outlook.least:.0f} points; "
        f"for {100 * outlook.wanted:.0f} points it takes about {needed} deals of each, {more} more."
    )


def with_format_cells(cells: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Behind the name."""
    named = {key: cells[key] for key in ("place", "bot")}
    return {**named, **more, **cells}


def without_empty(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A row without the columns that hold nothing for anybody."""
    return {key: value for key, value in row.items() if any(each[key] != "" for each in rows)}


def flat(data: Plain) -> Plain:
    """Nested data as one row of a spreadsheet."""
    row: Plain = {}
    for key, value in data.items():
        if key == "faults":
            row[key] = sum(value.values())
        elif key == "meetings":
            row[key] = " ".join("+".join(meeting["others"]) or "bye" for meeting in value)
        elif isinstance(value, dict):
            row |= {f"{key}_{inner}": item for inner, item in value.items()}
        else:
            row[key] = value
    return row


# ---- From the file


def standings(
    store: Store,
    order: str | None = None,
    void: Collection[str] = (),
    exclude: Collection[str] = (),
    tallied: Tallied = tallied,
) -> Standings:
    """Everything in its order; `void` drops blocks with such faults, `exclude` drops bots and their blocks.

    Whoever has read some of the file before, or looks on while it is read, has another way to add it up.
    """
    check_choice("order", [order] if order else [], ORDERS)
    check_choice("fault", void, list(FAULT_KINDS))
    names = [bot.name for bot in store.bots()]
    check_choice("bot", exclude, names)
    if exclude and set(names) <= set(exclude):
        raise SetupError("--exclude leaves nobody; some bot must stay")
    return placed(store, tallied(store, void, exclude), order)


def placed(store: Store, tally: Tally, order: str | None = None) -> Standings:
    """The standings that a tally of this file makes."""
    terms, names = tally.terms, tally.names
    format = find_format(terms.format)
    figures = figures_of(tally.sample, terms.seed, not is_final(store, tally), format.doubt(terms))
    rated, is_rated = tally.skills.ratings(), tally.skills.can_rate()
    if order == "trueskill" and not is_rated:
        raise SetupError(f"places by trueskill cannot be told, for {SEVERAL_SEATS}; choose --by mean or wins")
    reasons = reasons_out(store, tally.count.withdrawn)
    out = {name for name, reason in reasons.items() if reason}
    ask_format = order is None and not tally.exclude
    by_format = format.placing(store.plan(terms), tally.results, out) if ask_format else None
    decided = format.name if by_format else order or format.order
    places = by_format_places(by_format) if by_format else places_by(ORDER_KEYS[decided], figures, rated)
    lines = [
        Placed(places[bot.name], bot, rated[bot.name] if is_rated else None, reasons[bot.name])
        for bot in figures.bots
    ]
    plan, told = store.plan(terms), tally.results
    return Standings(
        terms,
        decided,
        sorted(lines, key=lambda line: (line.place, names.index(line.line.name))),
        figures,
        swiss=swiss_table(plan, told, out) if decided == "swiss" else None,
        bracket=bracket(plan, told, store.retired(), store.left_out()) if decided == "knockout" else None,
    )


def reasons_out(store: Store, faulty: Iterable[str]) -> dict[str, str]:
    """By bot, why it plays no more; nothing if it does."""
    return {bot.name: bot.withdrawn for bot in store.bots()} | dict.fromkeys(faulty, TOO_MANY_FAULTS)


def is_final(store: Store, tally: Tally) -> bool:
    """Whether all that was agreed on before the first match has been played, no more and no less.

    Who goes on after a look, or lets others join, might have stopped instead if he had seen something else.
    """
    terms, plan = tally.terms, store.plan(tally.terms)
    if terms.lengthened or not find_format(terms.format).ends or plan.beginners() < len(plan.entries):
        return False
    whole = find_format(terms.format).total(plan)
    if tally.sample.blocks == whole:
        return True  # all that files of earlier versions tell
    is_short = whole is not None and store.number_of_matches() < whole * terms.seats
    has_lost_some = is_short and not store.retired() and not tally.count.withdrawn
    return store.is_finished(terms.blocks) and not has_lost_some


ORDER_KEYS: dict[str, Callable[[BotLine, Rating], float]] = {
    "trueskill": lambda line, rating: round(rating.mu, DIGITS) if line.blocks else -inf,
    "mean": lambda line, rating: line.place.mean,
    "wins": lambda line, rating: line.wins,
}


def places_by(
    key: Callable[[BotLine, Rating], float], figures: Statistics, rated: dict[str, Rating]
) -> dict[str, int]:
    values = {bot.name: key(bot, rated[bot.name]) for bot in figures.bots}
    return {name: 1 + sum(other > mine for other in values.values()) for name, mine in values.items()}


def by_format_places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names, 1)}


def check_choice(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise unknown(what, name, known)


def thinking(store: Store) -> list[Plain]:
    """By bot: answers, and their median, 99th percentile and longest, in milliseconds."""
    return thinking_of(store.thinking_times())


def thinking_of(seconds: Mapping[str, Counter[float]]) -> list[Plain]:
    """The same of answers by bot that took so many seconds."""
    names = ("p50 ms", "p99 ms", "longest ms")
    return [
        {"bot": name, "answers": times.total()}
        | {what: round(value * 1000, 2) for what, value in zip(names, percentiles(times), strict=True)}
        for name, times in seconds.items()
    ]
