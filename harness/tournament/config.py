"""What a tournament is to be: from a TOML file or from flags, checked before anything is started."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain, SetupError, quoted, unknown
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import environment, find_entrant, free_name, matching
from dalang.harness.gate import read_toml, there
from dalang.harness.isolation.levels import AUTO, CHOICES
from dalang.harness.match.limits import CPU, MB, WALL, Limits
from dalang.harness.tournament.cluster_place import PLACE_KEYS, ClusterPlace, cluster_section
from dalang.harness.tournament.terms import Terms

MOST_JOBS = 256
"""Workers; each costs some 50 MB beside its bots."""
MOST_MATCHES_PER_WORKER = 256
"""Matches of one worker; each has processes of its own."""
MOST_FAULTS_IN_A_ROW = 2**31
"""After so many matches nobody is withdrawn any more."""


@dataclass(frozen=True)
class Config:
    """What is wished for: the terms, who plays, and how it is run here."""

    terms: Terms
    """Still without a seed."""
    entrants: tuple[Entrant, ...]
    seed: str | None = None
    """None for a random one, or for that of the file which is resumed."""
    matches_per_worker: int = 1
    jobs: int | None = None
    """None for one worker per core."""
    db: Path | None = None
    build_network: bool = False
    """Whether build commands may use the network where they are isolated."""
    keep_stderr: bool = False
    """Whether what bots write to stderr is kept with their matches."""
    scale_clocks: bool = False
    """Whether limits on time are multiplied by how slow a machine is."""
    cluster: ClusterPlace | None = None
    """Who plays instead of workers on this machine."""

    def file(self) -> Path:
        return self.db or Path(f"{self.terms.name}.db")

    def workers(self) -> int:
        return cores() if self.jobs is None else self.jobs


def cores() -> int:
    """The cores that we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def terms_for(game: Game, options: Plain, seats: int | None, **more: Any) -> Terms:
    """The terms of a tournament of this game; None for the smallest table that it knows."""
    return Terms(
        game=game.name,
        rules_version=game.rules_version,
        options=game.checked_options(options),
        seats=game.checked_seats(game.seats[0] if seats is None else seats),
        **more,
    )


# ---- From a file

SECTIONS = ("tournament", "limits", "game", "bot", "cluster")
TOURNAMENT_KEYS = ("name", "format", "seats", "blocks", "common_deals", "advance", "seed", "max_faults", "fresh",
              "ask_forced", "ponder", "isolate", "build_network", "matches_per_worker", "jobs", "scale_clocks", "db",
              "keep_stderr")  # fmt: skip
NUMBER_LIMITS = tuple(field.name for field in fields(Limits) if field.name != "clock")
LIMITS_KEYS = (*NUMBER_LIMITS, "clock")
GAME_KEYS = ("name", "options")
ENTRY_KEYS = ("bot", "name", "env", "limits")
HERE = ("seed", "matches_per_worker", "jobs", "build_network", "keep_stderr", "scale_clocks")
"""What is no term, but how it is run here."""
WHOLE = ("seats", "blocks", "advance", "max_faults", "matches_per_worker", "jobs")
MOST_OF_KEY = {
    "jobs": MOST_JOBS,
    "matches_per_worker": MOST_MATCHES_PER_WORKER,
    "max_faults": MOST_FAULTS_IN_A_ROW,
}
SWITCHES = ("common_deals", "fresh", "ask_forced", "ponder", "build_network", "keep_stderr", "scale_clocks")


def read_config(path: Path) -> Config:
    """The tournament that a TOML file describes; paths in it are seen from its folder."""
    return config_in(read_toml(path), path)


def config_in(data: Plain, path: Path) -> Config:
    """The same from what was read there."""
    check_keys(data, SECTIONS, f"section in {path}")
    about, limits, game_section = (section(data, name, path) for name in ("tournament", "limits", "game"))
    check_keys(about, TOURNAMENT_KEYS, f"key in [tournament] of {path}")
    check_keys(game_section, GAME_KEYS, f"key in [game] of {path}")
    cluster = section(data, "cluster", path)
    check_keys(cluster, PLACE_KEYS, f"key in [cluster] of {path}")
    if "name" not in game_section:
        raise SetupError(f"{path} names no game; write [game] and name = \"kali\"")  # fmt: skip
    game = find_game(str(game_section["name"]))
    settled = {key: value for key, value in about.items() if key not in ("name", "db")}
    check_types(settled, path)
    here = {key: settled.pop(key) for key in HERE if key in settled}
    terms = terms_for(
        game,
        section(game_section, "options", path),
        settled.pop("seats", None),
        name=str(about.get("name", path.stem)),
        limits=limits_section(limits, path),
        clock=limits.get("clock") == CPU or switch(limits.get("clock", True), "clock", path),
        **{"isolate": AUTO, **settled},
    )
    db = path.parent / str(about.get("db", f"{terms.name}.db"))
    entrants = entrants_of(data.get("bot", []), path)
    return Config(terms, entrants, db=db, cluster=cluster_section(cluster, path), **here)


def section(data: Plain, name: str, path: Path) -> Plain:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise SetupError(f"{path}: [{name}] must be a section")
    return found


def check_keys(found: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for key in found:
        if key not in known:
            raise unknown(what, key, known)


def check_types(settled: Plain, path: Path) -> None:
    for key, value in settled.items():
        if key in WHOLE and (type(value) is not int or value < (0 if key == "max_faults" else 1)):
            least = 0 if key == "max_faults" else 1
            raise SetupError(f"{path}: {key} must be a whole number, at least {least}, not {quoted(value)}")
        if key in MOST_OF_KEY and value > MOST_OF_KEY[key]:
            raise SetupError(f"{path}: {key} must be at most {MOST_OF_KEY[key]}, not {quoted(value)}")
        if key in SWITCHES:
            switch(value, key, path)
        if key in ("format", "seed", "isolate") and type(value) is not str:
            raise SetupError(f"{path}: {key} must be text in quotes, not {quoted(value)}")
        if key == "isolate" and value not in CHOICES:
            raise unknown(f"level of isolation in {path},", value, CHOICES)


def switch(value: Any, key: str, path: Path) -> bool:
    if type(value) is not bool:
        raise SetupError(f"{path}: {key} must be true or false, not {quoted(value)}")
    return value


def limits_section(given: Plain, path: Path) -> Limits:
    check_keys(given, LIMITS_KEYS, f"key in [limits] of {path}")
    clock = CPU if given.get("clock") == CPU else WALL
    return Limits(**limit_numbers({key: given[key] for key in given if key != "clock"}, path), clock=clock)


def own_limits(given: Any, path: Path) -> dict[str, Any]:
    """What one bot has other limits for than all."""
    if not isinstance(given, dict):
        raise SetupError(
            f"{path}: limits of a bot must be a table such as {{ startup = 30 }}, not {quoted(given)}"
        )
    check_keys(given, NUMBER_LIMITS, f"key in limits of a bot in {path},")
    numbers = limit_numbers(given, path)
    Limits().changed(numbers)
    return numbers


def limit_numbers(numbers: Plain, path: Path) -> dict[str, Any]:
    numbers = dict(numbers)
    for key, value in numbers.items():
        if type(value) not in (int, float) or not isfinite(value) or value < 0:
            raise SetupError(
                f"{path}: {key} must be a number of {'MB' if key == 'memory' else 'seconds'}, not {quoted(value)}"
            )
    if "memory" in numbers:
        numbers["memory"] = int(numbers["memory"] * MB)
    return numbers


def entrants_of(bots: Any, path: Path) -> tuple[Entrant, ...]:
    entrants: list[Entrant] = []
    for entry in bots if isinstance(bots, list) else [bots]:
        if not isinstance(entry, dict):
            raise SetupError(f'{path}: a bot is a section [[bot]] with a line such as bot = "random"')
        check_keys(entry, ENTRY_KEYS, f"key in [[bot]] of {path}")
        if "bot" not in entry:
            raise SetupError(f"{path}: every [[bot]] needs a line such as bot = \"random\"")  # fmt: skip
        for entrant in meant_by(str(entry["bot"]), path.parent):
            name = str(entry.get("name", entrant.name))
            entrants.append(
                replace(
                    entrant,
                    name=free_name(name, {other.name for other in entrants}),
                    env={**entrant.env, **environment(entry.get("env", {}), path)},
                    limits=own_limits(entry.get("limits", {}), path),
                )
            )
    return tuple(entrants)


def meant_by(text: str, folder: Path) -> list[Entrant]:
    """The bot that stands there, seen from the folder, or all whose paths match a pattern such as `entrants/*`."""
    beside = str(folder / text)
    found = matching(beside)
    if found != [beside] or there(Path(beside).exists):
        return list(map(find_entrant, found))
    return [find_entrant(text)]


EXAMPLE = """\
# A tournament for dalang. Run it with: dalang run {path}
# Running it again resumes; add bots and run it again, and only what is missing is played.

[tournament]
name = "{name}"  # the results go to {name}.db
format = "round-robin"      # or gauntlet, swiss, knockout, ladder
seats = 2                   # bots per table
blocks = 10                 # deals per table; each is played from every seat
# common_deals = false      # true: all tables of a round meet the same deal
# seed = "any text"         # random if you give none; keep it long and secret in a competition
# max_faults = 10           # a bot that faults in this many matches in a row is withdrawn; 0 for never
# jobs = 2                  # worker processes; one per core if you give none
# matches_per_worker = 1    # more only for bots that wait rather than compute
# fresh = false             # a new process for every match
# ponder = false            # true: bots may work while they are not asked
# isolate = "auto"          # or sandbox, restricted, none; see: dalang doctor
# build_network = false     # true: build commands may use the network
# keep_stderr = false       # true: what bots write to stderr is kept with their matches
# scale_clocks = false      # true: a slower machine gives bots more time, a faster one less
# advance = 1               # knockout: how many of a table go on

[limits]                    # seconds
move = 1.0                  # for each decision
bank = 10.0                 # per match, used up by longer thinks
# startup = 10.0            # from start to hello
# prepare = 10.0            # to get ready for a match
# memory = 1024             # MB of memory
# clock = true              # false: bots are told nothing about time; "cpu": processor time counts, not the wall's

# [cluster]                 # play on other machines; needs: pip install 'dalang[cluster]'
# address = "tls://10.0.0.1:8786"     # of a Dask scheduler; or local:2, for two processes on this machine
# scheduler_file = "scheduler.json"   # instead of an address
# tls_ca = "ca.pem"                   # for tls://, with tls_cert and tls_key

[game]
name = "kali"               # see: dalang games
# [game.options]
# fine_rounding = "up"

[[bot]]
bot = "random"              # a bundled bot, a folder with bot.toml, a script, a program or a command line

[[bot]]
bot = "first"

[[bot]]
bot = "random"
name = "random-twin"        # the same bot can enter twice
# limits = {{ startup = 30 }} # this one may take longer to start

# [[bot]]
# bot = "entrants/*"        # every bot there
"""
