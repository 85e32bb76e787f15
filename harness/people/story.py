"""A match for people: told as it happens, with the result and the faults at the end."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain
from dalang.harness.escaping import printable
from dalang.harness.match.check import Finding
from dalang.harness.match.played import Fault, Played
from dalang.harness.people.english import named


def event_story(game: Game, event: Plain, names: Sequence[str]) -> str:
    """An event in English, with the bots' names for their seats."""
    return named(game.sentence(event), names)


def stand_in_story(name: str, kind: str) -> str:
    return f"{name} broke the contract ({kind}); a stand-in plays on for it."


def note_story(note: str) -> str:
    return click.style(f"    “{printable(note)}”", dim=True)


def result_table(played: Played) -> str:
    columns = played.ranks, played.names, played.scores, played.microseconds, played.fault_kinds()
    rows = [
        [rank, printable(name), seat, score, longest(times), fault]
        for seat, (rank, name, score, times, fault) in enumerate(zip(*columns, strict=True))
    ]
    headers = ["place", "bot", "seat", find_game(played.record.game).scored_by, "longest think", "fault"]
    return tabulate(sorted(rows), headers=headers, disable_numparse=[1])


def longest(microseconds: Sequence[int]) -> str:
    return f"{max(microseconds) / 1000:.1f} ms" if microseconds else "-"


def fault_story(fault: Fault, name: str, again: Sequence[str]) -> str:
    """What went wrong, what the bot said last, and how to see it again."""
    return "\n".join([*fault_lines(fault, name), f"  again:  {shlex.join(again)}"])


def fault_lines(fault: Fault, name: str) -> list[str]:
    what = f"{name} broke the contract {fault.moment()}: {fault.kind}: {printable(fault.detail)}"
    return [click.style(what, fg="red"), *(f"  stderr: {printable(line)}" for line in fault.stderr)]


def finding_story(finding: Finding) -> str:
    """One step of an examination."""
    first, *more = map(printable, finding.remark.splitlines() or [""])
    if finding.good:
        return f"{click.style('✓', fg='green')} {finding.sentence}: {first}"
    lines = [f"{click.style('✗', fg='red')} {finding.sentence}: {first}", *(f"    {line}" for line in more)]
    return "\n".join([*lines, f"    hint: {finding.hint}"])
