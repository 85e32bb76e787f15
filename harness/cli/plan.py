"""A tournament before it is played: `plan FILE.toml`, and what `run` says of it beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio

from dalang.engine.catalogue import find_game
from dalang.harness.cli.common import as_json, echo_json, note
from dalang.harness.cli.progress import length
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import interruptible
from dalang.harness.terminal import echo
from dalang.harness.tournament.config import Config, cores, read_config
from dalang.harness.tournament.entry import Prepared
from dalang.harness.tournament.forecast import MANY_MATCHES, Tried, forecast, tried
from dalang.harness.tournament.schedule import Entry, Plan, find_format
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import Terms


class OrTournament(click.Command):
    """`plan` of a comparison, or of a tournament if a TOML file is named."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if any(word.endswith(".toml") for word in args):
            return plan_tournament.make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command()
@click.argument("file", metavar="FILE.toml", type=click.Path(dir_okay=False, path_type=Path))
@as_json
def plan_tournament(file: Path, json_: bool) -> None:
    """How many matches the tournament in FILE.toml has, how long that takes, and what it can tell apart.

    A few matches are played to see how long one takes. Nothing is kept.

    Example: dalang plan my.toml
    """
    config = read_config(file)
    terms = config.terms.isolated(None).dealt(None)
    plan = plan_of(config.entrants, terms)
    find_format(terms.format).check(plan)
    found = forecast(plan)
    Workshop(terms.isolation(), config.build_network).prepare(config.entrants, note)
    pace = trio.run(interruptible, partial(tried, terms, config.entrants))
    if json_:
        echo_json(
            {**asdict(found), "seconds": pace.total(found.matches, hands(config)), "tried": asdict(pace)}
        )
    else:
        echo(f"{found.in_words()}.\n{duration(pace, found.matches, hands(config))}.")


def hands(config: Config) -> int:
    """Workers that a core each can be had for."""
    return min(config.workers(), cores())


def duration(pace: Tried, matches: int, workers: int) -> str:
    """About how long, and what that rests on."""
    total = length(pace.total(matches, workers))
    if not pace.matches:
        return f"More than {total}: a match takes longer than {pace.seconds:.0f} s"
    rests_on = f"matches tried: {pace.matches}, {pace.seconds / pace.matches:.2g} s each"
    return f"About {total} with {workers} workers: {rests_on}"


def plan_of(entrants: Sequence[Entrant], terms: Terms) -> Plan:
    return Plan(terms, tuple(Entry(entrant.name) for entrant in entrants), find_game(terms.game).seats)


def say_beforehand(store: Store, ready: Prepared) -> None:
    """What `run` tells before the first match; of one that is resumed what is left."""
    found = forecast(ready.plan)
    left = found.matches - store.number_of_matches()
    if left <= 0:
        return
    said = found.in_words()
    if left >= MANY_MATCHES:
        terms, workers = (
            ready.assignment.terms,
            ready.workers if ready.abroad else min(ready.workers, cores()),
        )
        pace = trio.run(interruptible, partial(tried, terms, ready.assignment.entrants))
        said += f". {duration(pace, left, workers)}"
    note(said)
