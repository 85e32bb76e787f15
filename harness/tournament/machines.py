"""Where the matches of a file were played, and whether bots had the same time everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from dalang.engine.game import Plain, SetupError
from dalang.harness.statistics.slowness import BotHere, chance_of_timeouts
from dalang.harness.tournament.machine_tables import SeatsOn, knows_machines, matches_on, seats_on, speeds
from dalang.harness.tournament.store import Store

HERE_NAME = "(this file's own)"
"""The machine that has the file, whose workers need no name."""
SLOW_BELOW = 1e-3
"""The chance below which a machine is named."""


@dataclass(frozen=True)
class MachineLine:
    """What was played on a machine."""

    machine: str
    matches: int
    voids: int
    speed: float | None
    """Decisions of a fixed search per second; None where it was not measured."""
    timeouts: int
    seats: int
    chance: float
    """Of as many timeouts as it has on one of the machines, if bots had the same time on all of them."""

    def is_slow(self) -> bool:
        return self.chance < SLOW_BELOW

    def cells(self, shown: Callable[[str], str]) -> Plain:
        return {
            "machine": shown(self.machine),
            "matches": self.matches,
            "voids": self.voids,
            "speed": "-" if self.speed is None else f"{self.speed:,.0f}",
            "timeouts": self.timeouts,
            "remark": "bots time out here more often than chance allows" if self.is_slow() else "",
        }

    def data(self) -> Plain:
        return {**asdict(self), "is_slow": self.is_slow()}


def machines_of(store: Store) -> list[MachineLine]:
    """Every machine on which something was played."""
    if not knows_machines(store):
        raise SetupError(
            f"{store.path} was played by one machine alone; --machines is for those that were run with --cluster"
        )
    seats, known = seats_on(store), speeds(store)
    played = matches_on(store)
    return [line(on.machine, on.matches, on.voided, known, seats, len(played)) for on in played]


def line(
    machine: str, matches: int, voids: int, known: dict[str, float], seats: Sequence[SeatsOn], machines: int
) -> MachineLine:
    here = [each for each in seats if each.machine == machine]
    return MachineLine(
        machine or HERE_NAME,
        matches,
        voids,
        known.get(machine),
        sum(each.timeouts for each in here),
        sum(each.seats for each in here),
        chance_of_timeouts(compared(here, seats), machines),
    )


def compared(here: Sequence[SeatsOn], seats: Sequence[SeatsOn]) -> list[BotHere]:
    """Each bot on this machine beside what it did everywhere."""
    sat, late = Counter[str](), Counter[str]()
    for each in seats:
        sat[each.bot] += each.seats
        late[each.bot] += each.timeouts
    return [BotHere(each.seats, each.timeouts, sat[each.bot], late[each.bot]) for each in here]
