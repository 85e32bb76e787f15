"""The command line."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from typing import Any

import click

from dalang import __version__
from dalang.engine.game import SetupError
from dalang.harness.cli import catalogue, compare, doctor, match, new, play, report, tournament
from dalang.harness.cli.common import ExitCode
from dalang.harness.isolation.levels import hide_from_others
from dalang.harness.match.arena import HostTooBusy
from dalang.harness.match.children import CHILDREN


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dalang")
def cli() -> None:
    """Referee, run and rank matches between game-playing programs.

    Example: dalang match kali first random
    """


def main() -> None:
    """Run the command line; what the user can mend is one line and exit code 2."""
    warnings.showwarning = one_line_warning
    hide_from_others()
    CHILDREN.adopt_orphans()
    try:
        code = cli(prog_name="dalang", standalone_mode=False, color=colour())
        sys.stdout.flush()
        sys.exit(code)
    except (SetupError, HostTooBusy) as error:
        complain(str(error), ExitCode.USAGE)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(ExitCode.USAGE)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "dalang"
        complain(f"{error.format_message()} See '{command} --help'.", ExitCode.USAGE)
    except click.ClickException as error:
        complain(error.format_message(), ExitCode.USAGE)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.stdout = None  # what it still holds cannot be written either
        complain("the disk is full: free some space and run the same command again", ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second Ctrl-C
        complain("interrupted", ExitCode.INTERRUPTED)


def colour() -> bool | None:
    """No colour for those who do not want any (no-color.org); otherwise click looks for a terminal."""
    return False if os.environ.get("NO_COLOR") else None


def complain(message: str, code: int) -> None:
    click.echo(f"dalang: {message}", err=True)
    sys.exit(code)


def one_line_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    click.echo(f"dalang: {message}", err=True)


for command in (
    catalogue.games_command,
    catalogue.rules,
    match.match,
    match.check,
    play.play,
    play.replay,
    new.new,
    tournament.run,
    tournament.standings_command,
    tournament.verify,
    report.report,
    tournament.withdraw,
    tournament.init,
    compare.compare,
    compare.plan,
    doctor.doctor,
):
    cli.add_command(command)
