"""What was agreed before the first match: settled once, kept in the file, and the same for everybody who asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b, sha256
from math import inf

from dalang import __version__
from dalang.engine.game import Plain, SetupError
from dalang.harness.gate import check_texts
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import NONE, find_isolation, settled
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.calibration import measured_speed

DEFAULT_BLOCKS = 10
UNSAID = {
    "compare": None,
    "isolate": NONE.level,
    "ponder": False,
    "common_deals": True,
    "schedule": 1,
    "lengthened": False,
    "reference_speed": None,
}
"""What terms that leave these out mean."""
SCHEDULE = 2
"""How schedules are drawn now. Since 1, that of version 0.1, ladder and knockout have become fairer."""


@dataclass(frozen=True)
class Terms:
    game: str
    seats: int
    """Bots per table."""
    seed: str = ""
    """The luck of the whole tournament; nobody needs it who only plays matches."""
    commitment: str = ""
    """What was shown of the seed before the first match, so that nobody can change it afterwards."""
    rules_version: int = 1
    options: Plain = field(default_factory=dict)
    format: str = "round-robin"
    blocks: int = DEFAULT_BLOCKS
    """How many rounds; in a knockout how many blocks a table plays."""
    common_deals: bool | None = None
    """Whether all tables of a round meet the same deal; else each block has its own. None if nothing was asked for."""
    schedule: int = SCHEDULE
    """How its schedule is drawn: an earlier way for those that have begun with it."""
    lengthened: bool = False
    """Whether more blocks were agreed on after some were played: nobody knows what had been seen by then."""
    advance: int | None = None
    """Knockout: how many of a table go on; None for its best half."""
    max_faults: int = 10
    """Matches in a row with a fault after which a bot is withdrawn; 0 for never."""
    limits: Limits = field(default_factory=Limits)
    clock: bool = True
    """Whether bots are told about time."""
    fresh: bool = False
    """Whether each match has processes of its own."""
    ask_forced: bool = False
    """Whether bots are asked also where only one move is legal."""
    isolate: str = NONE.level
    """How bots are kept from harm; before it is settled also what is asked for. A file that does not say had none."""
    ponder: bool = False
    """Whether bots may work while they are not asked."""
    reference_speed: float | None = None
    """What limits on time are meant for: a machine of half this speed gives twice the time. None if all are alike."""
    compare: Plain | None = None
    """How a comparison is decided; None for a tournament."""
    name: str = "tournament"
    version: str = __version__
    """The dalang that began it."""

    def with_seed(self, seed: str) -> Terms:
        return replace(self, seed=seed, commitment=commitment(seed))

    def isolated(self, agreed: Terms | None) -> Terms:
        """With a level of isolation that works here: the one that was agreed, if any will do."""
        return replace(self, isolate=settled(self.isolate, agreed.isolate if agreed else None))

    def dealt(self, agreed: Terms | None) -> Terms:
        """With deals and a schedule as they were agreed on, if nothing else is asked for."""
        if agreed is None:
            return replace(self, common_deals=bool(self.common_deals))
        common = agreed.common_deals if self.common_deals is None else self.common_deals
        return replace(self, common_deals=common, schedule=agreed.schedule, lengthened=agreed.lengthened)

    def timed(self, agreed: Terms | None) -> Terms:
        """With clocks for machines of any speed, measured by this one, unless that was done before."""
        known = agreed and agreed.reference_speed
        return replace(self, reference_speed=known or measured_speed(self.game, self.seats, self.options))

    def isolation(self) -> Isolation:
        return find_isolation(self.isolate)

    def without_seed(self) -> Terms:
        """For those who only play: what they are not told they cannot give away."""
        return replace(self, seed="")

    def asks(self, moves: int) -> bool:
        """Whether a bot is asked where this number of moves is legal."""
        return moves > 1 or self.ask_forced

    def deal_seed(self, deal: int) -> str:
        """The luck of one deal, the same for every line-up and every rotation."""
        return blake2b(f"deal/{deal}/{self.seed}".encode(), digest_size=16).hexdigest()

    def binding(self) -> Plain:
        """What a resumed run must have in common with the first."""
        said = {**self.data(), **{key: getattr(self, key) for key in UNSAID if key != "compare"}}
        return {key: value for key, value in said.items() if key not in ("name", "version", "commitment")}

    def may_become(self, later: Terms) -> bool:
        """Whether these can be the later terms of the same tournament: all that ever changes is how long it is."""
        return later.binding() == replace(self, blocks=later.blocks, lengthened=later.lengthened).binding()

    def data(self) -> Plain:
        data = asdict(self) | {"limits": self.limits.announced(), "common_deals": bool(self.common_deals)}
        return {key: value for key, value in data.items() if key not in UNSAID or value != UNSAID[key]}

    @classmethod
    def of_data(cls, data: Plain) -> Terms:
        """The terms whose `data()` this is."""
        check_texts(data, "the terms")
        known = {each.name for each in fields(cls)}
        missing = known - data.keys() - UNSAID.keys()
        if missing:
            raise SetupError(f"{', '.join(sorted(missing))} is missing")
        check_types(data)
        said = {**UNSAID, **{key: data[key] for key in known & data.keys()}}
        return cls(**said | {"limits": Limits(**data["limits"])})


def check_types(data: Plain) -> None:
    sound = {
        "text": [data[key] for key in ("game", "seed", "commitment", "format", "name", "version")]
        + [data.get("isolate", "")],
        "number": [data[key] for key in ("seats", "rules_version", "blocks", "max_faults")]
        + [data.get("schedule", 1)],
        "switch": [data[key] for key in ("clock", "fresh", "ask_forced")]
        + [data.get(key, False) for key in ("ponder", "common_deals", "lengthened")],
        "table": [data["options"], data["limits"], data.get("compare") or {}],
    }
    for kind, values in sound.items():
        for value in values:
            if type(value) is not DATA_TYPES[kind]:
                raise SetupError(f"{value!r} is no {kind}")
    if min(sound["number"]) < 0:
        raise SetupError(f"{min(sound['number'])} is no number of anything")
    if data["limits"].keys() - {each.name for each in fields(Limits)}:
        raise SetupError(f"limits are {data['limits']!r}")
    if type(data["advance"]) not in (int, type(None)):
        raise SetupError(f"advance is {data['advance']!r}")
    if not (data.get("reference_speed") is None or is_speed(data["reference_speed"])):
        raise SetupError(f"reference_speed is {data['reference_speed']!r}")


def is_speed(value: object) -> bool:
    return type(value) is float and 0 < value < inf


DATA_TYPES = {"text": str, "number": int, "switch": bool, "table": dict}


def commitment(seed: str) -> str:
    return sha256(f"dalang {seed}".encode()).hexdigest()
