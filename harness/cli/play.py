"""For people: `play` and `replay`."""

from __future__ import annotations

import os
import re
import secrets
import shlex
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio
from tabulate import tabulate

from dalang.engine.catalogue import find_game, games
from dalang.engine.game import Plain, SetupError
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import MatchKey, MatchResult
from dalang.harness.cli.common import as_json, echo_json, game_names, is_given, note, writing
from dalang.harness.cli.flags import bot_names, game_options, isolation_options
from dalang.harness.cli.options import parse_options
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.escaping import for_json, printable
from dalang.harness.gate import check_is_kept, read_json, there
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import interruptible
from dalang.harness.match.played import Played
from dalang.harness.people.replay import Replay, replay_of
from dalang.harness.people.screen import QUIT, Left, Lines, Screen
from dalang.harness.people.sitting import ADVISER, Sitting, company, find_adviser
from dalang.harness.people.story import fault_lines, result_table
from dalang.harness.terminal import echo
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.store import Store

SQLITE = b"SQLite format 3\0"


# ---- play


@click.command()
@click.argument("what", metavar="GAME | SAVED.json", shell_complete=game_names)
@click.argument("bots", nargs=-1, shell_complete=bot_names)
@game_options
@click.option("--seat", type=click.IntRange(min=0), default=0, show_default=True, help="Where you sit.")
@click.option(
    "--hint", "adviser", metavar="BOT", default=ADVISER, show_default=True, help="Whom `hint` asks."
)
@isolation_options
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the game is kept when you leave, and its record when it ends; GAME-1.json if you leave and gave none.",
)
@click.pass_context
def play(
    context: click.Context,
    /,
    what: str,
    bots: tuple[str, ...],
    adviser: str,
    isolate: str,
    build_network: bool,
    save: Path | None,
    **settings: Any,
) -> None:
    """Play GAME yourself against BOTS, or go on with a game that you left.

    You see what your seat may see. Type the number of a move; ? shows the rule and ?? the rulebook, hint asks a bot,
    u takes back your last decision, q leaves.

    Example: dalang play kali --seed 7
    """
    if is_saved(what):
        given = [*bots, *(name for name in settings if is_given(context, name))]
        if given:
            raise SetupError(f"{what} says it all; leave out {', '.join(given)}")
        sitting, save = resumed(Path(what)), save or Path(what)
    else:
        sitting = begun(what, bots, **settings)
    check_can_save(save.parent if save else Path())
    hints, isolation = find_adviser(adviser), isolation_that_works(isolate)
    Workshop(isolation, build_network).prepare([*sitting.entrants, hints], note)
    screen = Screen()
    screen.put(f"{sitting.game.title}, seed {sitting.seed}, seat {sitting.seat} is yours")
    try:
        played = trio.run(interruptible, partial(sit, sitting, hints, screen, isolation))
    except Left:
        leave(sitting, save)
    except KeyboardInterrupt:
        leave(sitting, save)
        raise
    else:
        finish(played, save)


async def sit(sitting: Sitting, adviser: Entrant, screen: Screen, isolation: Isolation) -> Played:
    """The whole game, and its result below what happened last."""
    played = await sitting.play(adviser, screen, isolation)
    with suppress(Left):
        await screen.show(["", *result_table(played).splitlines()])
    return played


def is_saved(what: str) -> bool:
    return what.endswith(".json") or (what not in games() and there(Path(what).is_file))


def begun(what: str, bots: tuple[str, ...], seed: str | None, seat: int, options: tuple[str, ...]) -> Sitting:
    game = find_game(what)
    return Sitting(
        game,
        seed if seed is not None else secrets.token_hex(8),
        bots or company(game),
        seat,
        parse_options(game, options),
    )


def resumed(path: Path) -> Sitting:
    data = read_match(path)
    if "record" in data:
        raise SetupError(f"the game in {path} is over; look at it with: dalang replay {path}")
    try:
        return Sitting.of_data(data)
    except (KeyError, TypeError) as error:
        raise SetupError(f"{path} is no game that you left: {error!r}") from error


def check_can_save(folder: Path) -> None:
    """Before anything is played, so that nothing is played in vain."""
    if not os.access(folder, os.W_OK):
        raise SetupError(f"a game could not be saved in {folder.absolute()}; choose a file with --save")


def leave(sitting: Sitting, save: Path | None) -> None:
    echo()
    if not sitting.has_begun():
        echo("You left before your first move; nothing is kept.")
        return
    path = save or free_file(sitting.game.name)
    write_json(path, sitting.data())
    echo(f"The game is kept; go on with: dalang play {shlex.quote(str(path))}")


def free_file(name: str) -> Path:
    """The first of kali-1.json, kali-2.json ... that is not there yet."""
    return next(path for number in range(1, 2**31) if not (path := Path(f"{name}-{number}.json")).exists())


def finish(played: Played, save: Path | None) -> None:
    for fault in played.faults:
        echo("\n".join(["", *fault_lines(fault, played.names[fault.seat])]))
    if save:
        write_json(save, played.retold().data())
        echo(f"\nLook again with: dalang replay {shlex.quote(str(save))}")


# ---- replay

KEYS = "Enter next, b back, NUMBER to a decision, f next fault, s start, e end, q quit"


@click.command()
@click.argument("file", metavar="DB | RECORD.json", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("match", required=False, metavar="[MATCH]")
@click.option(
    "--seat", type=click.IntRange(min=0), help="Show only what this seat saw; everything if not given."
)
@click.option("--text", is_flag=True, help="Print the whole story at once.")
@as_json
def replay(file: Path, match: str | None, seat: int | None, text: bool, json_: bool) -> None:
    """Look again at a match of the tournament in DB, or at one that was written by `dalang match --record`.

    MATCH is BLOCK.ROTATION, such as 4.1; without it the matches of DB are listed.

    Example: dalang replay kali.db 0.1 --text
    """
    if json_ and seat is not None:
        raise SetupError("--json gives the whole record; leave out --seat")
    if match is None and is_database(file):
        with open_to_read(file) as store:
            store.terms()
            show_matches([listed(*each) for each in store.listing()], json_)
        return
    played = story_in(file, match)
    if json_:
        echo_json(played.retold().data())
        return
    shown = replay_of(played, seat)
    if text:
        echo("\n".join(shown.story()))
    else:
        trio.run(interruptible, partial(walk, shown, Lines()))


def is_database(path: Path) -> bool:
    """Whether this is to be opened as a tournament; what is not there is, to be told so in the same words."""
    if not path.is_file():
        return True
    check_is_kept(path)
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:  # to read tells no name
        raise SetupError(f"{path}: {error.strerror}") from error


def listed(key: MatchKey, result: MatchResult) -> Plain:
    return {
        "match": key.short(),
        "bots": result.names,
        "places": result.ranks,
        "scores": result.scores,
        "faults": result.faults,
    }


def story_in(path: Path, match: str | None) -> Played:
    """The whole story of a match."""
    if is_database(path):
        with open_to_read(path) as store:
            return match_in(store, match or "")
    if match is not None:
        raise SetupError(f"{path} holds a single match; leave out {match}")
    data = read_match(path)
    if "answers" in data:
        raise SetupError(f"the game in {path} is not over; go on with: dalang play {path}")
    try:
        return Played.of_data(data)
    except DAMAGE as error:
        raise SetupError(f"this match cannot be shown: {error}") from error


def match_in(store: Store, match: str) -> Played:
    numbers = re.fullmatch(r"(\d{1,9})\.(\d{1,9})", match)
    found = store.story(MatchKey(int(numbers[1]), int(numbers[2]))) if numbers else None
    if found is not None:
        return found
    known = [key.short() for key in store.match_keys()]
    there = f"they go from {known[0]} to {known[-1]}" if known else "none is finished yet"
    problem = f"there is no match {match!r} in {store.path}" if match else f"say which match of {store.path}"
    raise SetupError(f"{problem}; {there}")


def show_matches(found: list[Plain], json_: bool) -> None:
    if json_:
        echo_json(found)
        return
    rows = [
        {key: row[key] if key == "match" else in_words(row[key]) for key in row}
        | {"faults": who_faulted(row)}
        for row in found
    ]
    echo(tabulate(rows, headers="keys", disable_numparse=True))
    if faulty := sum(any(row["faults"]) for row in found):
        echo(f"✗ {faulty} of {len(found)} with faults; `dalang faults DB` lists them with what was on stderr")


def who_faulted(row: Plain) -> str:
    """Who broke the contract in a match, and how; nothing if nobody did."""
    faults = zip(row["bots"], row["faults"], strict=True)
    said = ", ".join(f"{printable(bot)} {fault}" for bot, fault in faults if fault)
    return said and f"✗ {said}"


def in_words(values: Sequence[Any]) -> str:
    return ", ".join(printable(str(value)) for value in values if value != "")


async def walk(shown: Replay, lines: Lines) -> None:
    """Step through a match as the reader wishes."""
    echo("\n".join([*shown.title(), KEYS]))
    index: int | None = 0
    while index is not None:
        echo("\n".join(["", *shown.screen(index)]))
        index = await wanted(shown, index, lines)


async def wanted(shown: Replay, index: int, lines: Lines) -> int | None:
    """The frame that the reader asks for; None to leave."""
    last = len(shown.frames) - 1
    while (word := await lines.ask("Enter, b, NUMBER, f, s, e or q: ")) != QUIT:
        if re.fullmatch(r"\d{1,9}", word):
            return shown.index_of(int(word))
        target = {"": index + 1, "n": index + 1, "b": index - 1, "s": 0, "e": last}.get(word)
        target = shown.next_fault(index) if word == "f" else target
        if target is not None and 0 <= target <= last:
            return target
        echo(UNWANTED.get(word, KEYS))
    return None


UNWANTED = {
    "": "The match is over.",
    "n": "The match is over.",
    "b": "This is the beginning.",
    "f": "There is no fault after this.",
}


# ---- Files


def read_match(path: Path) -> Plain:
    data = read_json(path)
    if not isinstance(data, dict):
        raise SetupError(f"{path} holds no match")
    return data


def write_json(path: Path, data: Plain) -> None:
    with writing(str(path)) as file:
        print(for_json(data), file=file)
