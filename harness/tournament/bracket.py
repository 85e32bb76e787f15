"""The story of a knockout as plain data: who beat whom in which round and by what, who had a bye, who came back.

A pure function of the plan and of the blocks that count, so a table in text and a page show the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from dalang.harness.blocks import BlockResult
from dalang.harness.tournament.machine import Count
from dalang.harness.tournament.schedule import Plan, SoFar
from dalang.harness.tournament.schedule.knockout import Form, KnockoutRound, forms, knockout_rounds
from dalang.harness.tournament.schedule.plan import Lineup

TIE_BREAKS = ("points", "matches won", "sum of scores")
BY_LOT, WITHDRAWN = "lot", "withdrawal"
LAST_ROUND = "final"
LAST_ROUNDS = {2: "semi-finals", 4: "quarter-finals"}
"""What a round of so many tables of two is called."""


@dataclass(frozen=True)
class TieLine:
    """One bot at one table of a round."""

    name: str
    points: float
    won: int
    score: int
    goes_on: bool


@dataclass(frozen=True)
class Tie:
    """One table of a round."""

    lines: tuple[TieLine, ...]
    """Best first once the round is over; until then as seated."""
    decided_by: str
    """What parted those who go on from the others: points, else the first tie-break that did; empty until then."""


@dataclass(frozen=True)
class BracketRound:
    name: str
    ties: tuple[Tie, ...]
    byes: tuple[str, ...]
    returned: tuple[str, ...]
    """Losers of earlier rounds who came back to fill a table."""
    is_over: bool


def bracket(
    plan: Plan,
    results: Sequence[BlockResult],
    retired: Mapping[str, int] | None = None,
    left_out: Collection[int] = (),
) -> list[BracketRound]:
    """All rounds that can be told: those that are over, and the one that is played.

    `retired` says from which round on a bot was withdrawn by hand, `left_out` which blocks could not be played.
    """
    count, so_far, rounds = Count(plan.terms.max_faults), SoFar(list(results)), list[BracketRound]()
    by_hand = retired or {}
    turns = knockout_rounds(plan, so_far)
    so_far.out = out_from(0, by_hand)
    this = next(turns, None)
    while this:
        of_turn = [result for result in results if result.block.round == this.turn and count.add(result)]
        done = {result.block.number for result in of_turn} | set(left_out)
        out = count.withdrawn | by_hand.keys()
        is_over = all(block.number in done or not out.isdisjoint(block.lineup) for block in this.blocks)
        so_far.out = count.withdrawn | out_from(this.turn + 1, by_hand)
        following = next(turns, None) if is_over else None  # only now this one knows who goes on
        rounds.append(bracket_round(plan, this, of_turn, is_over))
        this = following
    return rounds


def out_from(turn: int, retired: Mapping[str, int]) -> set[str]:
    return {name for name, begin in retired.items() if begin <= turn}


def bracket_round(
    plan: Plan, this: KnockoutRound, results: Sequence[BlockResult], is_over: bool
) -> BracketRound:
    found = forms(plan, results, this.names)
    return BracketRound(
        round_name(this, plan),
        tuple(tie(table, this, found) for table in this.tables),
        tuple(this.idle),
        tuple(this.returned),
        is_over,
    )


def tie(table: Lineup, this: KnockoutRound, found: Mapping[str, Form]) -> Tie:
    ordered = [name for name in this.order if name in table] or list(table)
    through = [name for name in ordered if name in this.going_on]
    names = [*through, *(name for name in ordered if name not in through)]
    lines = tuple(TieLine(name, *found[name], goes_on=name in through) for name in names)
    return Tie(lines, decided_by(names, len(through), ordered, found) if this.order else "")


def decided_by(names: list[str], through: int, ordered: list[str], found: Mapping[str, Form]) -> str:
    """What parts the last who goes on from the first who does not."""
    if not 0 < through < len(names):
        return ""
    last, first = names[through - 1], names[through]
    if ordered.index(first) < ordered.index(last):
        return WITHDRAWN  # by form it would have gone on
    parted = (
        what for what, *both in zip(TIE_BREAKS, found[last], found[first], strict=True) if len({*both}) > 1
    )
    return next(parted, BY_LOT)


def round_name(this: KnockoutRound, plan: Plan) -> str:
    if this.is_final():
        return LAST_ROUND
    halves = plan.seats == 2 and not this.idle and not this.returned
    return LAST_ROUNDS.get(len(this.tables) if halves else 0, f"round {this.turn + 1}")


def reached(rounds: Sequence[BracketRound], name: str) -> str:
    """The last round in which it was still in; the champion has won."""
    if name == champion(rounds):
        return "champion"
    came = [each.name for each in rounds if name in each.byes or is_in(name, each)]
    return came[-1] if came else ""


def champion(rounds: Sequence[BracketRound]) -> str | None:
    """Who has won it all; None until then, or if nobody could."""
    if not rounds or not rounds[-1].is_over or rounds[-1].name != LAST_ROUND:
        return None
    return next((line.name for line in rounds[-1].ties[0].lines if line.goes_on), None)


def is_in(name: str, this: BracketRound) -> bool:
    return any(line.name == name for tie in this.ties for line in tie.lines)


# ---- In words


def bracket_text(rounds: Sequence[BracketRound], shown: Callable[[str], str]) -> str:
    """Round by round who beat whom; below it the tree, where of every table one went on."""
    parts = [round_text(each, shown) for each in rounds]
    tree = tree_text(rounds, shown)
    return "\n\n".join([*parts, *([tree] if tree else [])])


def round_text(this: BracketRound, shown: Callable[[str], str]) -> str:
    lines = [f"{this.name.capitalize()}:", *(f"  {tie_text(each, shown)}" for each in this.ties)]
    lines += [f"  bye: {', '.join(map(shown, this.byes))}"] * bool(this.byes)
    lines += [f"  came back to fill a table: {', '.join(map(shown, this.returned))}"] * bool(this.returned)
    return "\n".join(lines)


def tie_text(tie: Tie, shown: Callable[[str], str]) -> str:
    def said(lines: Sequence[TieLine]) -> str:
        return ", ".join(f"{shown(line.name)} {round(line.points, 2):g}" for line in lines)

    through = [line for line in tie.lines if line.goes_on]
    others = [line for line in tie.lines if not line.goes_on]
    if not through or not others:
        return f"{said(tie.lines)} ({'nobody goes on' if tie.decided_by else 'not decided'})"
    return f"{said(through)} beat {said(others)}, by {tie.decided_by}{margin(tie, through[-1], others[0])}"


def margin(tie: Tie, last: TieLine, first: TieLine) -> str:
    """Where points do not tell it, what does."""
    figures = {TIE_BREAKS[1]: (last.won, first.won), TIE_BREAKS[2]: (last.score, first.score)}
    both = figures.get(tie.decided_by)
    return f" {both[0]}:{both[1]}" if both else ""


def tree_text(rounds: Sequence[BracketRound], shown: Callable[[str], str]) -> str:
    """The champion and all who were beaten on the way, as a tree that lies on its side.

    Only where that is one: of every table one went on, nobody came back, and it is over.
    """
    winner = champion(rounds)
    if winner is None or any(each.returned for each in rounds):
        return ""
    if any(sum(line.goes_on for line in tie.lines) != 1 for each in rounds for tie in each.ties):
        return ""
    tree = Tree(rounds, shown)
    tree.draw(winner, len(rounds))
    return tree.text()


class Tree:
    """A drawing in letters: each round is a column, and who went on stands between those who met."""

    def __init__(self, rounds: Sequence[BracketRound], shown: Callable[[str], str]) -> None:
        self.rounds, self.shown = rounds, shown
        names = {line.name for each in rounds for tie in each.ties for line in tie.lines}
        self.step = max(len(shown(name)) for name in names) + 5
        self.cells: dict[tuple[int, int], str] = {}
        self.height = 0

    def draw(self, name: str, turn: int) -> int:
        """Who came to this round, and where from; the row in which the name stands."""
        column = turn * self.step
        if turn == 0:
            row = self.height
            self.height += 2
        else:
            rows = [self.draw(other, turn - 1) for other in self.company(name, turn - 1)]
            row = (rows[0] + rows[-1]) // 2
            self.join(rows, row, column - 2)
        self.write(row, column, f"{self.shown(name)} ")
        return row

    def company(self, name: str, turn: int) -> list[str]:
        """Who sat at its table, itself included; itself alone where it had a bye."""
        tables = ([line.name for line in tie.lines] for tie in self.rounds[turn].ties)
        return next((table for table in tables if name in table), [name])

    def join(self, rows: list[int], row: int, column: int) -> None:
        for at in range(rows[0] + 1, rows[-1]):
            self.cells[at, column] = "│"
        for at in rows:
            self.cells[at, column] = "┐" if at == rows[0] else "┘" if at == rows[-1] else "┤"
            end = max(x for y, x in self.cells if y == at and x < column) + 1
            self.write(at, end, "─" * (column - end))
        before = self.cells[row, column]
        self.cells[row, column] = {"│": "├", "┤": "┼"}.get(before, "─")
        self.cells[row, column + 1] = "─"

    def write(self, row: int, column: int, text: str) -> None:
        self.cells |= {(row, at): letter for at, letter in enumerate(text, start=column)}

    def text(self) -> str:
        rows = range(max(row for row, _ in self.cells) + 1)
        widths = [max((x for y, x in self.cells if y == row), default=-1) + 1 for row in rows]
        lines = ("".join(self.cells.get((row, x), " ") for x in range(widths[row])) for row in rows)
        return "\n".join(line.rstrip() for line in lines)
