"""The same site as files, for any web host: written anew while the tournament goes on, each file at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.report.data import compact
from dalang.harness.report.page import FILES
from dalang.harness.serve.growing import LATEST, Growing
from dalang.harness.serve.http import Sent
from dalang.harness.serve.site import fixed_files, folders, list_page
from dalang.harness.tournament.opening import open_to_read

MATCHES_WRITTEN = 1000
"""Matches of a tournament that can be stepped through, if nobody says."""
AT_A_TIME = 50
"""Matches that are written between two looks at the file."""


@dataclass
class Written:
    """One tournament in a folder; what was written of a match stays."""

    growing: Growing
    folder: Path
    most: int
    matches: set[MatchKey] = field(default_factory=set)

    def begin(self) -> None:
        if self.shown_there() not in (None, self.growing.terms.commitment):
            raise SetupError(f"{self.folder} shows another tournament; choose another folder, or remove it")
        write_all(self.folder, fixed_files(self.growing.terms, FILES))

    def shown_there(self) -> str | None:
        """By its commitment, of which tournament the matches in the folder are; None if of none."""
        with suppress(OSError, ValueError, LookupError, TypeError):
            before = json.loads((self.folder / "overview.json").read_bytes())
            return str(before["standings"]["tournament"]["commitment"])
        return None

    def write(self) -> bool:
        """What has come since the last time; whether there may be more."""
        overview = self.growing.look()
        fresh = list(self.to_write())
        for key in fresh:
            match = self.growing.match(key)
            if match:
                write(self.folder / "match" / f"{key.short()}.json", compact(match).encode())
                self.matches.add(key)
        goes_on = bool(fresh) or not self.growing.is_over
        told = {"latest": self.listed(overview["latest"]), "written": len(self.matches), "goes_on": goes_on}
        write(self.folder / "overview.json", compact(overview | told).encode())
        return goes_on

    def listed(self, latest: list[Plain]) -> list[Plain]:
        """The latest matches; here only those can be opened that are written."""
        return [each | {"open": MatchKey(each["block"], each["rotation"]) in self.matches} for each in latest]

    def to_write(self) -> Iterator[MatchKey]:
        """Some of the matches that may be shown and are not written yet: those with faults, then as they stand.

        For the latest, which are known when all is over, there is room until then.
        """
        is_over, reserved = self.growing.is_over, min(LATEST, self.most // 4)
        last = [arrival.key for arrival in reversed(self.growing.latest)][:reserved] if is_over else []
        room = min(AT_A_TIME, self.most - len(self.matches) - (0 if is_over else reserved))
        with open_to_read(self.growing.path) as store:
            for key in dict.fromkeys(
                [*last, *store.faulted()[: self.most // 2], *store.first_of_blocks_first(self.most)]
            ):
                if room <= 0:
                    return
                if key not in self.matches and self.growing.may_be_opened(store, key):
                    room -= 1
                    yield key


def begun(paths: Sequence[Path], folder: Path, most: int, open_hands: bool) -> list[Written]:
    """All tournaments in this folder, as far as nothing depends on what is played."""
    growing = {name: Growing(path, open_hands) for name, path in folders(paths).items()}
    if "" not in growing:
        write_all(folder, list_page({name: each.terms.name for name, each in growing.items()}))
    found = [Written(each, folder / name, most) for name, each in growing.items()]
    for each in found:
        each.begin()
    return found


def write_all(folder: Path, files: dict[str, Sent]) -> None:
    for name, file in files.items():
        write(folder / name, file.body)


def write(path: Path, content: bytes) -> None:
    """All of it at once: whoever reads meanwhile has the old or the new."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}; choose another folder") from error
