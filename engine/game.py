"""The contract between games and everybody else: referee, bots, records, tests.

A game is described by one `Game` and played by one subclass of `State`. For each decision *d* of the
rulebook the state class has two methods: `may_d` lists the legal moves, `on_d` applies one of them, with
`seat` still the one who decided. What is left to do lies on the agenda, a stack of plain tuples; the step
`("deal", 3)` is done by `do_deal(3)`. So a state in the middle of anything can be cloned, dumped and
compared. Effects and steps go on until one of them calls `ask`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from reprlib import Repr
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from dalang.engine.chance import Bag, Chance
from dalang.engine.options import Option
from dalang.engine.value import EVEN, Value

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from dalang.engine.encoding import Encoding
    from dalang.engine.learning import Actions

NOBODY = -1
"""The seat that decides when the game is over."""

Move = tuple[str | int, ...]
"""A verb and its arguments: words and ints. In messages it is a list, the `LegalMove` of a bot's kit."""

Plain = dict[str, Any]
"""Data that msgpack and JSON carry unchanged: dicts with text keys, lists, words, ints, booleans."""


class IllegalMove(Exception):
    """A move that the rules do not allow now."""


class NoWorld(ValueError):
    """None was found that agrees with a view: somebody changed it, or it is too hard to find one."""


class SetupError(Exception):
    """A game, number of seats or option that does not exist; the message says what does."""


def quoted(value: Any) -> str:
    """A value as an error shows it, cut to what people read: it may be anything."""
    return QUOTING.repr(value)


QUOTING = Repr()
QUOTING.maxstring = QUOTING.maxother = QUOTING.maxlong = 120
QUOTING.maxlist = QUOTING.maxdict = QUOTING.maxtuple = 20


def unknown(what: str, name: str, valid: Iterable[str]) -> SetupError:
    """The error for a name that is not one of the valid ones, with a guess at what was meant."""
    names = list(valid)
    close = get_close_matches(name[:100], names, n=1)
    guess = f" did you mean {close[0]!r}?" if close else ""
    return SetupError(f"there is no {what} {quoted(name)};{guess} choose from: {', '.join(names) or 'none'}")


class Event(NamedTuple):
    """Something that happened, as everybody concerned has it. Many share its data: nobody may change them.

    Two keys mean the same in every game: `move` is a move in full, and `drawn` lists what chance gave, in order: cards
    by name, and numbers as they are, such as the faces of dice.
    """

    name: str
    full: Plain
    """All of it, as the story of a match tells it."""
    others: Plain | None
    """As everybody but the owner sees it; None if nobody sees it."""
    owner: int = NOBODY
    own: Plain | None = None

    def seen_by(self, seat: int) -> Plain | None:
        """The event as this seat sees it; None if it sees nothing."""
        return self.own if seat == self.owner else self.others


def open_event(name: str, facts: Plain) -> Event:
    """Everybody sees all of it."""
    full = {"event": name, **facts}
    return Event(name, full, full)


def secret_event(name: str, owner: int, own: Plain, hidden: Plain | None = None, **open: Any) -> Event:
    """Its owner sees more of it than the others, and the story of the match tells even more."""
    others = {"event": name, **open}
    mine = {**others, **own}
    return Event(name, {**mine, **hidden} if hidden else mine, others, owner, mine)


def unseen_event(name: str, hidden: Plain) -> Event:
    """Only the story of the match tells it."""
    return Event(name, {"event": name, **hidden}, None)


class Outcome(NamedTuple):
    """Scores and places by seat (place 1 is best, ties share), and why the game ended."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    ending: str


def ranked(keys: Sequence[Any]) -> tuple[int, ...]:
    """Places for keys of which the highest is best: equal keys share a place, the next ones are skipped."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


class State(ABC):
    """One game in progress, full knowledge. Mutable; `clone` when you need another."""

    __slots__ = ("agenda", "chance", "decision", "events", "options", "seat", "seats", "special")

    OPTIONS: ClassVar[Mapping[str, Option]] = {}
    BAGS: ClassVar[Mapping[str, Sequence[str]]] = {}
    """The attributes that are bags, and what lies in them."""
    MAY: ClassVar[dict[str, Callable[..., Any]]]
    ON: ClassVar[dict[str, Callable[..., Any]]]
    DO: ClassVar[dict[str, Callable[..., Any]]]
    SAVED: ClassVar[tuple[str, ...]]
    """The attributes that make up the state."""
    PUT_OFF: ClassVar[tuple[str, ...]] = ()
    """Lists of what `up_to_date` has still to work out: no part of what is saved."""

    seats: int
    seat: int
    decision: str
    chance: Chance
    options: Plain
    special: Plain
    """The options that differ from their defaults: all that a view has to carry of them."""
    agenda: list[tuple[Any, ...]]
    events: list[Event] | None
    """What happened so far; set it to None to switch events off, as searching bots do."""

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        self.seats = seats
        self.chance = chance
        self.options = options
        self.special = special_options(options, self.OPTIONS)
        self.seat = NOBODY
        self.decision = ""
        self.agenda = []
        self.events = []

    def __init_subclass__(cls) -> None:
        """Find the methods by decision and step once, so that play need not spell their names."""
        super().__init_subclass__()
        cls.MAY, cls.ON, cls.DO = (methods(cls, prefix) for prefix in ("may_", "on_", "do_"))
        slots = [name for base in reversed(cls.__mro__) for name in getattr(base, "__slots__", ())]
        left_out = ("chance", "events", "special", *cls.PUT_OFF)
        cls.SAVED = tuple(name for name in slots if name not in left_out)

    # ---- Playing

    def moves(self) -> list[Move]:
        """All legal moves in canonical order; empty only when the game is over."""
        if not self.decision:
            return []
        moves: list[Move] = self.MAY[self.decision](self)
        return moves

    def play(self, move: Move) -> None:
        """Apply a legal move and every automatic step after it."""
        if not isinstance(move, tuple) or move not in self.moves():
            raise IllegalMove(f"{move!r} is not a legal move for seat {self.seat} at {self.decision!r}")
        self.apply(move)

    def apply(self, move: Move) -> None:
        """`play` for callers who took the move from `moves()`: the same without the check."""
        if self.events is not None:
            self.tell_move(move)
        effect = self.ON[self.decision]
        self.decision = ""
        effect(self, *move)
        if not self.decision:
            self.advance()

    def advance(self) -> None:
        """Do what lies on the agenda up to the next decision."""
        agenda = self.agenda
        while agenda:
            step = agenda.pop()
            self.DO[step[0]](self, *step[1:])
            if self.decision:
                return
        self.seat = NOBODY

    def ask(self, seat: int, decision: str) -> None:
        self.seat = seat
        self.decision = decision

    def plan(self, *steps: tuple[Any, ...]) -> None:
        """Put these steps on the agenda, the first to be done first."""
        self.agenda.extend(reversed(steps))

    def left_of(self, seat: int) -> int:
        return (seat + 1) % self.seats

    def others(self, seat: int) -> list[int]:
        """The other seats, clockwise from the left of this one."""
        return list(clockwise(self.seats, seat))

    # ---- Telling

    def tell(self, name: str, **open: Any) -> None:
        """Record an event that everybody sees in full."""
        if self.events is not None:
            self.events.append(open_event(name, open))

    def tell_secret(
        self, name: str, owner: int, own: Plain, hidden: Plain | None = None, **open: Any
    ) -> None:
        """Record an event of which its owner sees more than the others."""
        if self.events is not None:
            self.events.append(secret_event(name, owner, own, hidden, **open))

    def tell_move(self, move: Move) -> None:
        """Record a move; games with hidden moves override this."""
        self.tell("move", seat=self.seat, decision=self.decision, move=list(move))

    # ---- Knowing

    def view(self, seat: int) -> Plain:
        """Where this seat stands: all it has lawfully seen that bears on the position, nothing else."""
        return {
            "you": seat,
            "asked": self.seat,
            "decision": self.decision,
            "options": plain(self.special) if self.special else {},
            **self.sight(seat),
        }

    def open_view(self) -> Plain | None:
        """Where the game stands for an onlooker, who sees what every seat sees; None if the game does not say."""
        sight = self.open_sight()
        if sight is None:
            return None
        options = plain(self.special) if self.special else {}
        return {"you": NOBODY, "asked": self.seat, "decision": self.decision, "options": options, **sight}

    @abstractmethod
    def sight(self, seat: int) -> Plain:
        """The game's own part of the view: fresh plain data."""

    def open_sight(self) -> Plain | None:
        """The game's own part of what an onlooker sees, shaped like a view; without it he hears only the story."""
        return None

    @abstractmethod
    def outcome(self) -> Outcome:
        """Scores, places and ending of a game that is over."""

    @classmethod
    @abstractmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        """A complete state drawn at random from those that look like this to the seat; events are off.

        NoWorld if none is found.
        """

    @classmethod
    def blank(cls, seats: int, chance: Chance, view: Plain) -> Self:
        """A state that asks what the view says, with nothing on the table yet: where `imagine` begins."""
        state = cls.__new__(cls)
        State.__init__(state, seats, chance, all_options(cls.OPTIONS, view["options"]))
        state.events = None
        state.ask(view["asked"], view["decision"])
        return state

    # ---- Copying

    @abstractmethod
    def copy_to(self, twin: Self) -> None:
        """Copy the game's own attributes, sharing nothing that can change."""

    def clone(self, chance: Chance | None = None) -> Self:
        """An independent copy, with the same luck to come unless another is given."""
        twin = self.__class__.__new__(self.__class__)
        twin.seats = self.seats
        twin.seat = self.seat
        twin.decision = self.decision
        twin.options = self.options
        twin.special = self.special
        twin.agenda = self.agenda.copy()
        twin.events = None if self.events is None else self.events.copy()
        twin.chance = self.chance.clone() if chance is None else chance
        self.copy_to(twin)
        return twin

    def up_to_date(self) -> None:  # noqa: B027 (not abstract, since most games put nothing off)
        """Work out what was put off until somebody looks."""

    def dump(self) -> Plain:
        """Everything but luck and the events, as plain data."""
        self.up_to_date()
        return {name: plain(getattr(self, name)) for name in self.SAVED}

    @classmethod
    def load(cls, dump: Plain, chance: Chance) -> Self:
        """The state whose `dump()` this is; its events begin here."""
        state = cls.__new__(cls)
        for name in cls.SAVED:
            setattr(state, name, plain(dump[name]))
        for name in cls.PUT_OFF:
            setattr(state, name, [])
        for name, cards in cls.BAGS.items():
            setattr(state, name, Bag.of(cards, dump[name]))
        state.agenda = [tuple(step) for step in dump["agenda"]]
        state.special = special_options(state.options, cls.OPTIONS)
        state.chance = chance
        state.events = []
        return state


@cache
def clockwise(seats: int, seat: int) -> tuple[int, ...]:
    """All other seats, from the left of this one on."""
    return tuple((seat + step) % seats for step in range(1, seats))


def methods(cls: type, prefix: str) -> dict[str, Callable[..., Any]]:
    """The methods whose names begin with the prefix, by the rest of their names."""
    return {name.removeprefix(prefix): getattr(cls, name) for name in dir(cls) if name.startswith(prefix)}


def plain(value: Any) -> Any:
    """A deep copy that is plain data."""
    if isinstance(value, Bag):
        return value.named()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def all_options(options: Mapping[str, Option], given: Mapping[str, Any]) -> Plain:
    """A fresh copy of all options, the given ones over the defaults."""
    return {name: plain(given.get(name, option.default)) for name, option in options.items()}


def special_options(given: Plain, options: Mapping[str, Option]) -> Plain:
    return {name: value for name, value in given.items() if value != options[name].default}


def bare_sentence(event: Plain) -> str:
    """An event of a game that has no sentences: a move by its words, anything else as it is."""
    if "move" in event and "seat" in event:
        return f"Seat {event['seat']} chooses {' '.join(map(str, event['move']))}."
    facts = [f"{key} {value}" for key, value in event.items() if key != "event"]
    return f"{event['event']}{': ' if facts else ''}{', '.join(facts)}."


@dataclass(frozen=True, eq=False)
class Promises:
    """What a game says of itself beyond the contract, for those who check it."""

    conserved: Callable[[Any], None] | None = None
    """Raises where a state, real or imagined, has lost or made something, such as a card."""
    hidden: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By event: the keys that only its owner may see."""
    variants: Sequence[Plain] = ()
    """Options to be tried beside the defaults."""


@dataclass(frozen=True)
class Game:
    """What the catalogue knows about a game: all that it brings.

    What is not rules is named by its place and loaded by whoever needs it: a bot that plays waits for no picture.
    """

    name: str
    title: str
    seats: tuple[int, ...]
    rules_version: int
    """Goes into every record; raised when the same seed and moves could lead to something else."""
    state: type[State]
    rulebook: Traversable
    sentence: Callable[[Plain], str] = bare_sentence
    """An event, as the record or a seat has it, in English."""
    scored_by: str = "score"
    """What the scores count, in a word, such as gems."""
    company: tuple[str, ...] = ()
    """Bots to play with a person who names nobody; random ones if there are none."""
    face: str = ""
    """`module:NAME` of the `dalang.faces.Face` that people see at a terminal."""
    drawing: str = ""
    """`package:path` of the script that draws its table on the page of `dalang report`."""
    policy: str = ""
    """`module:NAME` of the `dalang.bots.search.Policy` that says what `seer` knows beyond the rules."""
    learning: str = ""
    """`module:NAME` of the `dalang.engine.learning.Learning` that says what learners need."""
    promises: Promises = Promises()
    value: Value = EVEN
    """How the seats stand in the middle of a game: luck is reckoned with it."""

    @property
    def options(self) -> Mapping[str, Option]:
        return self.state.OPTIONS

    def start(self, seats: int, chance: Chance, **options: Any) -> State:
        """A new game, automatic steps done up to the first decision."""
        return self.state(self.checked_seats(seats), chance, self.checked_options(options))

    def load(self, dump: Plain, chance: Chance) -> State:
        """The state that `state.dump()` described."""
        return self.state.load(dump, chance)

    def imagine(self, view: Plain, chance: Chance) -> State:
        """A state drawn at random from those that the seat with this view cannot tell from the real one."""
        return self.state.imagine(view, chance)

    def actions(self, seats: int, options: Mapping[str, Any] | None = None) -> Actions:
        """Every move that can ever be legal at such a table, numbered."""
        from dalang.engine.learning import actions_of  # only learners ask

        return actions_of(self, self.checked_seats(seats), self.checked_options(options or {}))

    def encoding(self, seats: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How the views of such a table become numbers."""
        from dalang.engine.learning import encoding_of

        return encoding_of(self, self.checked_seats(seats), self.checked_options(options or {}))

    def players(self, to: str = "-") -> str:
        """How many can play: 2-6, or 2 if it must be two."""
        return to.join(str(size) for size in dict.fromkeys((self.seats[0], self.seats[-1])))

    def part(self, place: str) -> Any:
        """What stands at `module:NAME`, where the game says that a part of it is."""
        module, _, name = place.partition(":")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise SetupError(f"{self.name} has no part {place!r}: {error}") from error

    def checked_seats(self, seats: int) -> int:
        if seats not in self.seats:
            raise SetupError(f"{self.name} is for {self.players(' to ')} players, not for {seats}")
        return seats

    def checked_options(self, given: Mapping[str, Any]) -> Plain:
        """All options, the given ones over the defaults."""
        for name, value in given.items():
            if name not in self.options:
                raise unknown(f"{self.name} option", name, self.options)
            if not self.options[name].accepts(value):
                raise SetupError(
                    f"{self.name} option {name} must be {self.options[name].allowed}, not {quoted(value)}"
                )
        return all_options(self.options, given)
