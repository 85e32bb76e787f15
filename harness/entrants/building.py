"""How a bot with a build command is built, and when that is needed again."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import LEFT_OUT, digest, own_files

LONGEST_BUILD = 1800.0
"""Seconds that a build may take."""
SHOWN_LINES = 30
"""Lines of a failed build's output that are shown."""
STAMP = ".dalang-built"
"""The file in a bot's folder that tells what was built: a digest of its files, and the folders that were filled."""


def build(entrant: Entrant, tell: Callable[[str], None]) -> None:
    """Build an entrant that has a build command, if it never was built or its files have changed since.

    It can take a while, so that it happens is told.
    """
    if not entrant.build or not entrant.folder or is_built(entrant, entrant.folder):
        return
    sources = own_files(entrant)
    made_of = digest(entrant.build, sources)
    stamp = entrant.folder / STAMP
    with suppress(OSError):
        stamp.unlink()  # a build that fails may have spoilt what the last one made
    tell(f"building {entrant.name}: {shlex.join(entrant.build)}")
    run_build(entrant)
    products = [name for name in sorted(LEFT_OUT) if (entrant.folder / name).is_dir()]
    with suppress(OSError):  # where we may not write, it is built each time
        if digest(entrant.build, sources) == made_of:  # nobody has changed them meanwhile
            # with a lock file that the build may have added
            made_of = digest(entrant.build, own_files(entrant))
            stamp.write_text(" ".join([made_of, *products]), encoding="utf-8")


def is_built(entrant: Entrant, folder: Path) -> bool:
    """Whether the last build was of the files that are there now, and what it made is still there."""
    try:
        made_of, *products = (folder / STAMP).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    return made_of == digest(entrant.build, own_files(entrant)) and all(
        (folder / name).is_dir() for name in products
    )


def run_build(entrant: Entrant) -> None:
    """What it prints is shown only if it fails."""
    try:
        code, output = in_own_group(entrant)
    except FileNotFoundError as error:
        raise SetupError(
            f"{entrant.name} cannot be built: there is no program {entrant.build[0]!r}"
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{entrant.name} cannot be built: {error}") from error
    if code:
        said = output.strip().splitlines()[-SHOWN_LINES:] or ["nothing"]
        headline = f"{entrant.name} cannot be built; `{shlex.join(entrant.build)}` fails and says:"
        raise SetupError("\n    ".join([headline, *said]))


def in_own_group(entrant: Entrant) -> tuple[int, str]:
    """Exit code and output of the build; if it takes too long or we are stopped, all that it started ends with it."""
    process = subprocess.Popen(
        entrant.build,
        cwd=entrant.folder,
        env={**os.environ, **entrant.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            output, _ = process.communicate(timeout=LONGEST_BUILD)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output
