"""Nim: take stones from one heap; whoever takes the last one wins. § marks refer to rulebook.md beside this file."""

from collections.abc import Sequence
from importlib.resources import files
from typing import ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Chance
from dalang.engine.encoding import Feature, each_of, number, seat
from dalang.engine.game import NOBODY, Game, Move, Outcome, Plain, State, ranked
from dalang.engine.learning import Learning


class Nim(State):
    __slots__ = ("heaps", "winner")
    OPTIONS: ClassVar = {"heaps": options.wholes([3, 4, 5], minimum=1)}

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.heaps = options["heaps"].copy()
        self.winner = NOBODY
        self.ask(0, "take")

    def may_take(self) -> list[Move]:  # §2
        return [
            ("take", number, heap) for heap, left in enumerate(self.heaps) for number in range(1, left + 1)
        ]

    def on_take(self, verb: str, number: int, heap: int) -> None:
        self.heaps[heap] -= number
        if any(self.heaps):
            self.ask(self.left_of(self.seat), "take")
        else:
            self.winner = self.seat  # §3: nobody is asked any more, so the game is over

    def outcome(self) -> Outcome:
        scores = tuple(int(seat == self.winner) for seat in range(self.seats))
        return Outcome(scores, ranked(scores), "all_taken")

    def sight(self, seat: int) -> Plain:
        return {"heaps": self.heaps.copy(), "winner": self.winner}

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.blank(2, chance, view)
        state.heaps, state.winner = view["heaps"].copy(), view["winner"]
        return state

    def copy_to(self, twin: Self) -> None:
        twin.heaps, twin.winner = self.heaps.copy(), self.winner


def sentence(event: Plain) -> str:
    _, number, heap = event["move"]
    return f"Seat {event['seat']} takes {number} from heap {heap}."


def actions(seats: int, options: Plain) -> list[Move]:
    """Every move that can ever be legal, for learners."""
    return [("take", n, heap) for heap, full in enumerate(options["heaps"]) for n in range(1, full + 1)]


def schema(seats: int, options: Plain) -> Sequence[Feature]:
    """What a view becomes for them: numbers from 0 to 1."""
    most = max(options["heaps"])
    labels = [str(heap) for heap in range(len(options["heaps"]))]
    return [
        each_of(labels, number("heaps", most, "stones on each heap")),
        seat("winner", seats, "who won, if somebody did"),
    ]


LEARNING = Learning(actions=actions, schema=schema)
GAME = Game(
    name="nim",
    title="Nim",
    seats=(2,),
    rules_version=1,
    state=Nim,
    rulebook=files(__package__) / "rulebook.md",
    sentence=sentence,
    learning="nim:LEARNING",
)
