"""Who broke the contract: `faults`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import click
from tabulate import tabulate

from dalang.engine.game import Plain
from dalang.harness.blocks import MatchKey
from dalang.harness.cli.common import as_json, echo_json
from dalang.harness.escaping import printable
from dalang.harness.match.faults import FAULT_KINDS
from dalang.harness.match.played import Fault
from dalang.harness.people.story import fault_story
from dalang.harness.terminal import echo
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.standings import check_choice
from dalang.harness.tournament.store import Store


class FaultFound(NamedTuple):
    """A fault in a file, and where it is."""

    key: MatchKey
    bot: str
    fault: Fault

    def data(self) -> Plain:
        return {"match": self.key.short(), "bot": self.bot, **asdict(self.fault)}


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--bot", help="Only of this bot.")
@click.option("--kind", type=click.Choice(list(FAULT_KINDS)), help="Only faults of this kind.")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Not more than the first N.")
@as_json
def faults(db: Path, bot: str | None, kind: str | None, most: int | None, json_: bool) -> None:
    """List who broke the contract in the tournament in DB: in which match, how, and with what on stderr.

    Example: dalang faults kali.db --most 5
    """
    with open_to_read(db) as store:
        store.terms()
        check_choice("bot", [bot] if bot else [], [row.name for row in store.bots()])
        found = [each for each in faults_in(store) if each.bot == (bot or each.bot)]
        found = [each for each in found if each.fault.kind == (kind or each.fault.kind)]
    if json_:
        echo_json([each.data() for each in found[:most]])
        return
    for each in found[:most]:
        again = ["dalang", "replay", str(db), each.key.short()]
        echo(f"{each.key.short()}: {fault_story(each.fault, printable(each.bot), again)}")
    echo(summary(found, db))


def faults_in(store: Store) -> Iterator[FaultFound]:
    for key in store.faulted():
        played = store.story(key)
        if played:
            yield from (FaultFound(key, played.names[fault.seat], fault) for fault in played.faults)


def summary(found: list[FaultFound], db: Path) -> str:
    """How often each bot did what."""
    if not found:
        return "nobody broke the contract"
    kinds = [kind for kind in FAULT_KINDS if any(each.fault.kind == kind for each in found)]
    bots = sorted({each.bot for each in found})
    rows = [
        [
            printable(bot),
            *(sum(each.bot == bot and each.fault.kind == kind for each in found) for kind in kinds),
        ]
        for bot in bots
    ]
    table = tabulate(rows, headers=["bot", *kinds], disable_numparse=[0])
    return f"\n{table}\n\nTo ask a bot the same again: dalang ask BOT MATCH --from {shlex.quote(str(db))}"
