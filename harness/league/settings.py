"""What a league is to be: its folder, and league.toml in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from dalang.engine.game import Plain, SetupError, quoted
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.gate import read_toml
from dalang.harness.league.submissions import ANCHOR_MARK, Entrances
from dalang.harness.tournament.config import Config, check_keys, config_in, section
from dalang.harness.tournament.schedule import LEAGUE
from dalang.harness.tournament.schedule.format import MOST_BLOCKS

LEAGUE_FILE, ENTRANTS, VERSIONS, SEASON, FINAL_FILE, FINAL_REPORT = (
    "league.toml", "entrants", "versions", "season.db", "final.db", "final.html",
)  # fmt: skip
LEAGUE_KEYS = ("anchors", "division", "read")
DIVISION = 10


@dataclass(frozen=True)
class Settings:
    folder: Path
    config: Config
    """Of the season: a tournament whose bots come and go."""
    anchors: dict[str, str]
    division: int
    """Bots of a division; with not many more there is only one."""
    read: tuple[Path, ...] = ()
    """What bots may ask to read beyond their own folder and what all can see."""

    def season(self) -> Path:
        return self.folder / SEASON

    def final(self) -> Path:
        return self.folder / FINAL_FILE

    def entrances(self) -> Entrances:
        return Entrances(self.folder / ENTRANTS, self.folder / VERSIONS, self.anchors)


def read_settings(folder: Path) -> Settings:
    path = folder / LEAGUE_FILE
    if not path.is_file():
        raise SetupError(f"{folder} holds no league; make one with: dalang league init {folder}")
    data = read_toml(path)
    league = section(data, "league", path)
    check_keys(league, LEAGUE_KEYS, f"key in [league] of {path}")
    config = config_in({key: value for key, value in data.items() if key != "league"}, path)
    if config.entrants or {"format", "blocks"} & data.get("tournament", {}).keys():
        raise SetupError(
            f"{path}: bots, format and blocks are not said here: bots are folders under {ENTRANTS}/"
        )
    terms = replace(config.terms, format=LEAGUE.name, blocks=MOST_BLOCKS)
    return Settings(
        folder,
        replace(config, terms=terms, db=folder / SEASON),
        anchors_in(league, path),
        division_in(league, path),
        read_in(league, path),
    )


def anchors_in(league: Plain, path: Path) -> dict[str, str]:
    given = league.get("anchors", [])
    if not isinstance(given, list) or not all(isinstance(bot, str) for bot in given):
        raise SetupError(f'{path}: anchors must be a list of bots, such as ["random"]')
    beside = [str(path.parent / bot) if (path.parent / bot).exists() else bot for bot in given]
    return {f"{ANCHOR_MARK}{find_entrant(bot).name}": bot for bot in beside}


def division_in(league: Plain, path: Path) -> int:
    size = league.get("division", DIVISION)
    if type(size) is not int or size < 2:
        raise SetupError(f"{path}: division must be a whole number, at least 2, not {quoted(size)}")
    return size


def read_in(league: Plain, path: Path) -> tuple[Path, ...]:
    given = league.get("read", [])
    if not isinstance(given, list) or not all(
        isinstance(each, str) and Path(each).is_absolute() for each in given
    ):
        raise SetupError(f'{path}: read must be a list of folders or files, such as ["/opt/jdk"]')
    return tuple(Path(each).resolve() for each in given)


LEAGUE_EXAMPLE = """\
# A league for dalang. Bots are folders with bot.toml under entrants/; run it with: dalang league run {folder}
# It looks at the folders between rounds: what is new or changed is built, checked and let in, or refused with a reason
# in entrants/NAME.refused.txt.

[league]
anchors = ["random"]        # bots of yours that stay, so that ratings of different weeks compare
division = 10               # bots of a division
# read = ["/opt/jdk"]       # what bots may ask for (`read` in bot.toml) beyond their own folder

[tournament]
name = "{name}"
seats = 2                   # bots per table
# seed = "any text"         # random if you give none
# max_faults = 10           # a bot that faults in this many matches in a row is withdrawn, until it is sent in anew
# jobs = 2                  # worker processes; one per core if you give none
# isolate = "auto"          # or sandbox, restricted, none; see: dalang doctor
# build_network = false     # true: build commands may use the network

[limits]                    # seconds
move = 1.0                  # for each decision
bank = 10.0                 # per match, used up by longer thinks
# startup = 10.0            # from start to hello
# memory = 1024             # MB of memory
# clock = true              # false: bots are told nothing about time; "cpu": processor time counts

[game]
name = "kali"               # see: dalang games
"""
