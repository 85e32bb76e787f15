"""Beach, a small game for tests: show your shells, or bury one and look for a better one. Hands are secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from dalang.engine import options
from dalang.engine.chance import Bag, Chance
from dalang.engine.game import Game, Move, Outcome, Plain, State, all_options, ranked

SHELLS = ("cone", "cowrie", "conch")  # worth 1, 2 and 3
COPIES = (5, 5, 5)


class Beach(State):
    __slots__ = ("hands", "sand", "shovels", "shown")
    OPTIONS: ClassVar = {"shovels": options.whole(1, minimum=0)}
    BAGS: ClassVar = {"sand": SHELLS}

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.sand = Bag(SHELLS, COPIES)
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.shown: list[list[int]] = [[] for _ in range(seats)]
        self.shovels = [options["shovels"]] * seats
        self.plan(*[("find", seat) for seat in range(seats) for _ in range(3)], ("turn", 0))
        self.advance()

    def do_find(self, seat: int) -> None:
        shell = self.chance.draw(self.sand, "sand", seat)
        self.hands[seat].append(shell)
        self.tell_secret("find", seat, {"drawn": [SHELLS[shell]]}, seat=seat)

    def do_turn(self, seat: int) -> None:
        if self.hands[seat]:
            self.ask(seat, "turn")
        else:
            self.tell("end", shown=[shells.copy() for shells in self.shown])

    def may_turn(self) -> list[Move]:
        verbs = ["show", "bury"] if self.shovels[self.seat] else ["show"]
        return [(verb, SHELLS[shell]) for verb in verbs for shell in sorted(set(self.hands[self.seat]))]

    def on_turn(self, verb: str, name: str) -> None:
        seat, shell = self.seat, SHELLS.index(name)
        self.plan(("turn", self.left_of(seat)))
        self.hands[seat].remove(shell)
        if verb == "show":
            self.shown[seat].append(shell)
        else:
            self.shovels[seat] -= 1
            self.sand.add(shell)
            self.plan(("find", seat))

    def tell_move(self, move: Move) -> None:
        told = {"seat": self.seat, "decision": self.decision}
        if move[0] == "show":
            self.tell("move", **told, move=list(move))
        else:
            self.tell_secret("move", self.seat, {"move": list(move)}, **told)

    def sight(self, seat: int) -> Plain:
        return {
            "hand": sorted(self.hands[seat]),
            "held": [len(hand) for hand in self.hands],
            "shown": [shells.copy() for shells in self.shown],
            "shovels": self.shovels.copy(),
        }

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.__new__(cls)
        super().__init__(state, len(view["held"]), chance, all_options(cls.OPTIONS, view["options"]))
        state.events = None
        state.shown = [shells.copy() for shells in view["shown"]]
        state.shovels = view["shovels"].copy()
        state.sand = Bag(SHELLS, COPIES)
        for shells in (view["hand"], *state.shown):
            for shell in shells:
                state.sand.take(shell)
        state.hands = [[] for _ in view["held"]]
        state.hands[view["you"]] = view["hand"].copy()
        for seat in state.others(view["you"]):
            state.hands[seat] = [chance.draw(state.sand, "sand", seat) for _ in range(view["held"][seat])]
        state.ask(view["asked"], view["decision"])
        return state

    def outcome(self) -> Outcome:
        scores = tuple(sum(shells) + len(shells) for shells in self.shown)
        return Outcome(scores, ranked(scores), "all_shown")

    def copy_to(self, twin: Self) -> None:
        twin.sand = self.sand.clone()
        twin.hands = [hand.copy() for hand in self.hands]
        twin.shown = [shells.copy() for shells in self.shown]
        twin.shovels = self.shovels.copy()


def sentence(event: Plain) -> str:
    return f"{event['event']} by seat {event.get('seat', 'nobody')}."


def no_shell_is_lost(state: Any) -> None:
    held = [shell for shells in state.hands + state.shown for shell in shells]
    assert [state.sand.counts[shell] + held.count(shell) for shell in range(3)] == list(COPIES)


BEACH = Game(
    name="beach",
    title="Beach",
    seats=(2, 3),
    rules_version=1,
    state=Beach,
    rulebook=Path(__file__),
    sentence=sentence,
)
