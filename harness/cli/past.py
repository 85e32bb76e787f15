"""What `ask` and `match` share: matches that were played, and bots that are debugged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from dalang.engine.game import Game, SetupError, unknown
from dalang.harness.blocks import MatchKey
from dalang.harness.cli.common import is_given, note
from dalang.harness.cli.play import is_database, match_in, story_in
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.arena import Attended
from dalang.harness.people.debugging import attached, debugged
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.past import Past

SAID_BY_THE_MATCH = ("options", "key", "ask_forced", "no_clock")
"""Flags that a match which goes on says itself."""
MATCH = re.compile(r"\d{1,9}\.\d{1,9}")


def from_options(command: Callable[..., None]) -> Callable[..., None]:
    """Which position of which match."""
    for option in (
        click.option("--at-once", is_flag=True,
                     help="Do not ask again what was asked before it; tell all of it with the first question."),
        click.option("--turn", type=click.IntRange(min=0), metavar="N",
                     help="The decision, as `dalang replay` counts them; that of the first fault if not given."),
        click.option("--from", "source", type=click.Path(dir_okay=False, path_type=Path),
                     metavar="DB MATCH | RECORD.json",
                     help="A match that was played: of a tournament, or one that `match --record` wrote."),
    ):  # fmt: skip
        command = option(command)
    return command


def past_in(path: Path, match: str | None) -> Past:
    if not is_database(path):
        return Past.of_record(story_in(path, match))
    with open_to_read(path) as store:
        played, terms, own_limits = match_in(store, match or ""), store.terms(), store.bot_limits()
    block, rotation = map(int, (match or "").split("."))
    return Past.of_tournament(played, MatchKey(block, rotation), terms, own_limits)


def bots_and_past(
    context: click.Context, words: tuple[str, ...], source: Path | None, turn: int | None
) -> tuple[tuple[str, ...], Past | None]:
    """Who plays, and the match from which they go on, if there is one: MATCH is the last of the words."""
    if source is None:
        if turn is not None:
            raise SetupError("--turn goes with --from, which says of which match")
        return words, None
    for name in SAID_BY_THE_MATCH:
        if is_given(context, name):
            raise SetupError(
                f"the match of --from says it all; leave out --{name.replace('_', '-').rstrip('s')}"
            )
    has_match = bool(words) and MATCH.fullmatch(words[-1])
    bots, match = (words[:-1], words[-1]) if has_match else (words, None)
    return bots, past_in(source, match)


def check_fits(past: Past, game: Game, entrants: Sequence[Entrant]) -> None:
    record, names = past.played.record, past.played.names
    if record.game != game.name:
        raise SetupError(f"that match was one of {record.game}, not of {game.name}")
    if len(entrants) != record.seats:
        raise SetupError(
            f"that match had {record.seats} seats: name a bot for each, as {', '.join(names)} then"
        )


def check_provable(record: str | None, seed: str | None) -> None:
    if record and seed is not None:
        raise SetupError("with --from and --seed a match has the luck of two seeds; leave out --record")


def attended_by(
    entrants: Sequence[Entrant], words: Sequence[str], debug: str | None, attach: str | None
) -> dict[str, Attended]:
    """The bots that somebody debugs, by name."""
    found = {}
    for word, attend in ((debug, debugged), (attach, attached)):
        if word is not None:
            name = named(word, entrants, words)
            found[name] = attend(name, note)
    return found


def named(word: str, entrants: Sequence[Entrant], words: Sequence[str]) -> str:
    """The name of the bot that is meant, by its name or as it was given."""
    for entrant, given in zip(entrants, words, strict=True):
        if word in (entrant.name, given):
            return entrant.name
    raise unknown("bot at this table", word, [entrant.name for entrant in entrants])
