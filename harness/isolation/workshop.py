"""Where bots are built: isolated as they are when they play, but with leave to write to their own folder."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import IO, Any

from dalang.engine.game import SetupError
from dalang.harness.entrants.building import build
from dalang.harness.entrants.entrant import CannotPlay, Entrant
from dalang.harness.entrants.finding import program_path
from dalang.harness.isolation.cell import Cell, Isolation, Leave
from dalang.harness.isolation.prctl import DIE_WITH_US
from dalang.harness.isolation.sight import granted, in_sight
from dalang.harness.isolation.usage import bytes_in

LONGEST_BUILD = 1800.0
"""Seconds that a build may take."""
SHOWN_LINES = 30
"""Lines of a failed build's output that are shown."""
MOST_OUTPUT = 64 * 1024 * 1024
"""Bytes that a build may print."""
MOST_BUILT = 2 * 1024**3
"""Bytes that a build may add to its folder and its home."""
MOST_BUILT_FILES = 500_000
"""In each of them."""
BUILD_LOOK_SECONDS = 0.2
DISK_LOOK_SHARE = 20
"""Of the time, one part is spent on looking at what a build has written: that may be many files."""

SETTINGS = ("/etc/maven",)
"""What tools ask about themselves."""
FOR_NETWORK = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
)
UNREACHED = re.compile(
    "network|resolve|unreachable|enotfound|eai_again|dial tcp|getaddrinfo|could ?n.t connect|connection refused"
    "|download|name resolution|unknown host|offline",
    re.IGNORECASE,
)
"""What programs say that miss the network."""


@dataclass(frozen=True)
class Workshop:
    isolation: Isolation
    network: bool = False
    """Whether builds may use it; without isolation they always may."""

    def prepare(self, entrants: Sequence[Entrant], tell: Callable[[str], None]) -> None:
        """Before any of them plays: build those that need it, and tell what they get to see beyond what all do."""
        for entrant in entrants:
            if self.isolation.hides and (paths := granted(entrant)):
                more = " and ".join(map(str, paths))
                tell(f"{entrant.name} asks for more than its own files, and may read {more}")
            build(entrant, self.make, tell)

    def in_sight(self, entrant: Entrant, file: Path) -> Path | None:
        """Where an entrant could read this file, when it plays or when it is built; None if it cannot."""
        if not self.isolation.hides:
            return None
        return in_sight(entrant, file) or (self.builder_sees(entrant, file) if entrant.build else None)

    def builder_sees(self, entrant: Entrant, file: Path) -> Path | None:
        with suppress(SetupError):  # there is nothing to build it with, as it will hear
            return in_sight(self.builder(entrant), file)
        return None

    def make(self, entrant: Entrant) -> None:
        """Run the build command of an entrant; what it prints is shown only if it fails."""
        try:
            builder = self.builder(entrant)
            code, output = self.ended(builder)
        except (OSError, SetupError) as error:
            raise CannotPlay(f"{entrant.name} cannot be built: {error}", [entrant.name]) from error
        if code:
            said = output.strip().splitlines()[-SHOWN_LINES:]
            headline = f"{entrant.name} cannot be built; `{shlex.join(entrant.build)}` fails"
            hint = self.hint(builder, said)
            first = f"{headline} ({hint}) and says:" if hint else f"{headline} and says:"
            raise CannotPlay("\n    ".join([first, *(said or ["nothing"])]), [entrant.name])

    def builder(self, entrant: Entrant) -> Entrant:
        """An entrant that builds instead of playing: it sees the programs on the PATH, too."""
        program, *arguments = entrant.build
        assert entrant.folder
        command = (program_path(program, entrant.folder), *arguments)
        return replace(entrant, command=command, read=(*entrant.read, *self.tools()))

    def tools(self) -> list[str]:
        paths = [*os.get_exec_path(), str(rustup()), *SETTINGS, *(FOR_NETWORK if self.network else ())]
        return [path for path in paths if Path(path).is_absolute() and Path(path).exists()]

    def ended(self, builder: Entrant) -> tuple[int, str]:
        """Exit code and output; if it takes too long or we are stopped, all that it started ends with it."""
        assert builder.folder
        written = OnDisk([builder.folder])
        with tempfile.TemporaryFile() as output:

            def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
                if self.isolation.hides:  # otherwise its home is ours
                    written.places.append(Path(options["env"]["HOME"]))
                streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
                return subprocess.Popen(
                    [*DIE_WITH_US, *command], **{**options, **streams}, start_new_session=True
                )

            leave = Leave(self.network, {"RUSTUP_HOME": str(rustup())})
            cell = self.isolation.start(builder, half_of_memory(), start, leave)
            try:
                wait(cell, output, written)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(cell.process.pid, signal.SIGKILL)
                cell.process.wait()
                cell.close()
            output.seek(0)
            return cell.exit_code() or 0, output.read(MOST_OUTPUT).decode(errors="replace")

    def hint(self, builder: Entrant, said: Sequence[str]) -> str:
        """What of the isolation may have made a build fail that said this."""
        if not self.isolation.hides:
            return ""
        if not self.network and any(map(UNREACHED.search, said)):
            return "it has no network; allow it with --build-network"
        return self.isolation.hint(builder, said)


class OnDisk:
    """What a build writes to disk."""

    def __init__(self, places: list[Path]) -> None:
        self.places = places
        self.before = self.bytes()
        if self.before == inf:
            raise SetupError(
                f"its folder has more than {MOST_BUILT_FILES} files, or some that nobody may look at"
            )
        self.next_look = 0.0

    def bytes(self) -> float:
        return sum(bytes_in(place, MOST_BUILT_FILES) for place in self.places)

    def check(self) -> None:
        started = monotonic()
        if self.bytes() - self.before > MOST_BUILT:
            raise SetupError(f"it writes more than {MOST_BUILT // 1024**2} MB, or too many files")
        self.next_look = started + DISK_LOOK_SHARE * (monotonic() - started)


def wait(cell: Cell, output: IO[bytes], written: OnDisk) -> None:
    deadline = monotonic() + LONGEST_BUILD
    while True:
        with suppress(subprocess.TimeoutExpired):
            cell.process.wait(min(BUILD_LOOK_SECONDS, LONGEST_BUILD))
            written.check()
            return
        if monotonic() > written.next_look:
            written.check()
        if monotonic() > deadline:
            raise SetupError(f"it timed out after {LONGEST_BUILD:g} s")
        if misuse := cell.misuse():
            raise SetupError(misuse)
        if os.fstat(output.fileno()).st_size > MOST_OUTPUT:
            raise SetupError(f"it prints more than {MOST_OUTPUT} bytes")


def rustup() -> Path:
    """Where Rust's programs look for themselves."""
    return Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))


def half_of_memory() -> int:
    """Of this machine: more than that no build may have."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
