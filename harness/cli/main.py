"""The command line."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from dalang import __version__
from dalang.engine.game import SetupError
from dalang.harness.cli.common import ExitCode, note
from dalang.harness.escaping import shortened
from dalang.harness.gate import check_text
from dalang.harness.isolation.prctl import hide_from_others
from dalang.harness.match.faults import HostTooBusy
from dalang.harness.terminal import NobodyReads, echo, open_standard_streams

SYSTEM_ADVICE = {
    errno.ENOSPC: "the disk is full: free some space and run the same command again",
    errno.EDQUOT: "you may not have more on this disk: free some space and run the same command again",
    errno.EIO: "a file or disk failed while it was read or written: look after it, or choose another",
    errno.EMFILE: "too many files are open: allow more with `ulimit -n 1024`, or use fewer --jobs",
    errno.ENFILE: "too many files are open on this machine: close some programs and run the same command again",
    errno.EAGAIN: "no more processes can be started: allow more with `ulimit -u`, or use fewer --jobs",
    errno.ENOMEM: "there is not enough memory: use fewer --jobs, or close some programs",
}
"""What to do when the system refuses something that any of our calls may need."""
LONGEST_LINE = 1000
"""Letters of a line of an error: it may quote what somebody has typed or a file holds."""


class Commands(click.Group):
    """The gate for whatever is typed: it is text, or it goes no further."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for word in args:
            check_text(word, "what is typed")
        return super().parse_args(ctx, args)


class Announced(click.Command):
    """A command that is loaded when somebody calls it: a page of help waits for none of them."""

    def __init__(self, name: str, place: str, help: str) -> None:
        super().__init__(name, help=help)
        self.place = place
        """Module and name in this folder."""

    def loaded(self) -> click.Command:
        """The command itself; until it is there Ctrl-C simply ends us, as it does before."""
        module, _, name = self.place.partition(":")
        interrupted = signal.signal(signal.SIGINT, signal.SIG_DFL)
        command: click.Command = getattr(import_module(f"dalang.harness.cli.{module}"), name)
        signal.signal(signal.SIGINT, interrupted)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """From here on it is the command itself that parses, completes and runs."""
        return self.loaded().make_context(info_name, args, parent, **extra)


class BotStarter(Announced):
    """A command that starts bots, and so needs a guardian: that is what `cli` is given as `obj`."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        # a shell that only completes its words starts nothing
        if parent and parent.obj and not parent.resilient_parsing:
            parent.obj()
        return super().make_context(info_name, args, parent, **extra)


COMMANDS = (
    Announced("games", "catalogue:games_command", "List the games, how many can play, and their options."),
    Announced("rules", "catalogue:rules", "Show the rulebook of GAME, with every ruling."),
    Announced("formats", "formats:formats_command",
              "List the formats of tournaments, or show the rules of FORMAT: who meets whom, what decides the places."),
    BotStarter("match", "match:match", "Play one match of GAME between BOTS, told as it happens."),
    BotStarter("ask", "ask:ask", "Put one position of a match that was played to BOT, and show what it answers."),
    BotStarter("check", "check:check",
              "Check that BOT keeps the contract, step by step; where it fails, show what was seen."),
    BotStarter("play", "play:play", "Play GAME yourself against BOTS, or go on with a game that you left."),
    Announced("replay", "play:replay",
              "Look again at a match of the tournament in DB, or at one that was written by `dalang match --record`."),
    Announced("new", "new:new", "Write a bot that already plays into the new folder DIR."),
    Announced("new-game", "authors:new_game",
              "Write a small game that already works into the new folder DIR: rules, rulebook, tests and entry point."),
    Announced("check-game", "authors:check_game_command",
              "Check that a game keeps the contract; where it fails, show the shortest play that was found to do so."),
    BotStarter("run", "tournament:run",
              "Play a tournament and print the standings; the same command again resumes it."),
    Announced("standings", "standings:standings_command",
              "Show the standings of the tournament in DB, finished or not."),
    Announced("faults", "faults:faults",
              "List who broke the contract in the tournament in DB: in which match, how, and with what on stderr."),
    Announced("verify", "tournament:verify", "Prove that the matches in DB were played as they are told."),
    Announced("report", "report:report",
              "Show the tournament in DB as one HTML file: standings, charts, faults, and matches to step through."),
    Announced("serve", "serve:serve_command",
              "Show the tournaments in FILES on a web page, while they are played or afterwards."),
    Announced("withdraw", "tournament:withdraw",
              "Take BOT out of the tournament in DB: what it played counts, what it has not played is left out."),
    Announced("init", "tournament:init",
              "Write a commented example of a tournament to PATH, or to tournament.toml."),
    BotStarter("league", "league:league",
              "Hold a league: bots are folders that come and go, and play for as long as wanted."),
    Announced("seed", "league:seed",
              "Write a secret seed to FILE, and print the commitment that can be published before it is used."),
    BotStarter("compare", "compare:compare",
              "Has a change made a bot better? CANDIDATE and BASELINE play in the same chairs of the same deals."),
    BotStarter("plan", "compare:plan",
              "How many blocks `dalang compare` will need to see a difference of D, and how long that takes."),
    Announced("doctor", "doctor:doctor",
              "Show how well bots can be isolated on this machine, and what stands in the way of more."),
)  # fmt: skip
"""With the first paragraph of what each says of itself."""


@click.group(
    cls=Commands,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="dalang")
def cli() -> None:
    """Referee, run and rank matches between game-playing programs.

    Example: dalang match kali first random
    """


def prepare() -> None:
    """What a process settles that a command has for itself."""
    open_standard_streams()
    warnings.showwarning = one_line_warning
    hide_from_others()


def main() -> None:
    sys.exit(answered(sys.argv[1:], go_below_a_guardian))


def go_below_a_guardian() -> None:
    """It is loaded when it is needed, as commands are."""
    import_module("dalang.harness.match.guardian").attended()


def answered(arguments: Sequence[str], guard: Callable[[], None] | None = None) -> int:
    """The exit code of a command; what the user can mend is one line and exit code 2.

    Whoever starts bots goes on in the process that the guard makes of this one.
    """
    try:
        settings = {"prog_name": "dalang", "standalone_mode": False, "color": colour(), "obj": guard}
        code: int | None = cli(list(arguments), **settings)
        sys.stdout.flush()
        return code or ExitCode.GOOD
    except (SetupError, HostTooBusy) as error:
        return complaint(str(error), ExitCode.USAGE)
    except click.exceptions.NoArgsIsHelpError as error:
        echo(error.format_message())
        return ExitCode.USAGE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "dalang"
        return complaint(f"{error.format_message()} See '{command} --help'.", ExitCode.USAGE)
    except click.ClickException as error:
        return complaint(error.format_message(), ExitCode.USAGE)
    except NobodyReads:
        return ExitCode.UNREAD
    except OSError as error:
        return complaint(system_error(error), ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second Ctrl-C
        return complaint("interrupted", ExitCode.INTERRUPTED)


def system_error(error: OSError) -> str:
    """What the system refuses and the user can mend; anything else is our bug and keeps its traceback."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        sys.stdout = None  # what it still holds cannot be written either
    if error.errno in SYSTEM_ADVICE:
        return SYSTEM_ADVICE[error.errno]
    if error.filename is None:
        raise error
    return f"{error.filename}: {error.strerror}"


def colour() -> bool | None:
    """No colour for those who do not want any (no-color.org); otherwise click looks for a terminal."""
    return False if os.environ.get("NO_COLOR") else None


def complaint(message: str, code: int) -> int:
    """One line, and below it only what we ourselves have indented: the output of a build."""
    lines = re.sub(r"\n(?! {4})", " ", f"dalang: {message}").split("\n")
    note("\n".join(shortened(line, LONGEST_LINE) for line in lines))
    return code


def one_line_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    note(f"dalang: {message}")
