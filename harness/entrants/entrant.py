"""A bot that is to play: what it is called, and how it is started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from dalang.engine.game import Plain, SetupError, quoted
from dalang.harness.gate import check_text


class CannotPlay(SetupError):
    """These entrants cannot be built or started."""

    def __init__(self, message: str, names: Iterable[str]) -> None:
        super().__init__(message)
        self.names = frozenset(names)


@dataclass(frozen=True)
class Entrant:
    name: str
    command: tuple[str, ...]
    folder: Path | None = None
    """Where it runs; None for the current folder."""
    env: Mapping[str, str] = field(default_factory=dict)
    build: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    """What it may read besides its own files, where that is limited."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """What it may use, where that differs from what all may."""

    def __post_init__(self) -> None:
        """An operating system takes all of it."""
        for text in (*self.command, *self.build, *self.read, str(self.folder), *chain(*self.env.items())):
            check_text(text, f"what {quoted(self.name)} is started with")
        for variable in self.env:
            if not variable or "=" in variable:
                raise SetupError(f"{quoted(self.name)}: {quoted(variable)} cannot be the name of a variable")

    def data(self) -> Plain:
        """What whoever starts it must know."""
        folder = None if self.folder is None else str(self.folder)
        return {
            "name": self.name,
            "command": self.command,
            "folder": folder,
            "env": dict(self.env),
            "read": self.read,
            "limits": dict(self.limits),
        }

    @classmethod
    def of_data(cls, data: Plain) -> Entrant:
        folder = None if data["folder"] is None else Path(data["folder"])
        return cls(
            data["name"],
            tuple(data["command"]),
            folder,
            data["env"],
            read=tuple(data.get("read", ())),
            limits=data.get("limits", {}),
        )
