"""A promise: how it is checked in a game of random moves, and how it is told that it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from typing import Any

from dalang.engine.game import Move, State
from dalang.engine.testing.comparing import difference, shown
from dalang.engine.testing.playing import Play, Table, lottery

Inspection = Callable[[State, Play], None]


class Broken(AssertionError):
    """A promise that a game does not keep: what is wrong, and where. What the game itself raised is its cause.

    >>> from dataclasses import replace
    >>> import dalang
    >>> from dalang.engine.testing.checks import every_event_has_a_sentence
    >>> mute = replace(dalang.game("kali"), sentence=lambda event: "")
    >>> try:
    ...     every_event_has_a_sentence(Table(mute, 2), 7)
    ... except Broken as broken:
    ...     print(broken.where, broken.what, sep="; ")
    kali, 2 seats, seed 7, decision 96; the sentence for 'move' is ''
    """

    def __init__(self, promise: str, play: Play, what: str) -> None:
        super().__init__(promise, play, what)
        self.promise, self.play, self.what = promise, play, what

    @property
    def where(self) -> str:
        return where(self.play)

    def fault(self) -> str:
        """What tells it from others: an error is the same wherever it happens, a broken claim is not."""
        return f"{self.where} {self.what}" if isinstance(self.__cause__, AssertionError) else self.what

    def __str__(self) -> str:
        return f"{self.promise} Not so at {self.where}: {self.what} (after {self.play})"

    def __repr__(self) -> str:
        return f"<Broken: {self}>"


class Check:
    """Plays one game at a table, and raises `Broken` if it does not keep the promise."""

    __name__: str

    def __init__(self, look: Inspection, every: int | None, whole: bool = False) -> None:
        update_wrapper(self, look)
        self.look = look
        self.every = every
        self.whole = whole
        """Whether only a game that is over can be looked at."""
        self.promise = (look.__doc__ or "").partition("\n")[0]

    def __call__(self, table: Table, seed: int) -> None:
        play, chosen = Play(table, seed), lottery(seed, self.every)
        with self.telling(play):
            for state in play.go_on():
                if chosen(len(play.moves), state):
                    self.look(state, play)

    @contextmanager
    def telling(self, play: Play) -> Iterator[None]:
        """Whatever goes wrong breaks the promise: a game that is being written can fail in any way."""
        try:
            yield
        except Exception as error:
            raise Broken(self.promise, play, what(error)) from error


def check(every: int | None, whole: bool = False) -> Callable[[Inspection], Check]:
    """Makes a check of a look at one state: at the end of a game, and if wanted at some decisions of it."""
    return partial(Check, every=every, whole=whole)


def where(play: Play) -> str:
    table = play.table
    options = [f"{name}={value!r}" for name, value in table.options.items()]
    words = [
        table.game.name,
        f"{table.seats} seats",
        *options,
        f"seed {play.seed}",
        f"decision {len(play.moves)}",
    ]
    return ", ".join(words)


def what(error: Exception) -> str:
    """The words of a claim, or the error and the line that raised it."""
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = f" in {trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}" if trace else ""
    return f"{error!r}{line}"


def claim(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def same(one: Any, other: Any, path: str, otherwise: str) -> None:
    claim(one == other, f"{otherwise}: {difference(one, other, path)}")


def follow(state: State, moves: Iterable[Move], otherwise: str) -> None:
    for move in moves:
        claim(move in state.moves(), f"{otherwise}: {shown(move)} is not legal in one of them")
        state.apply(move)


def none_of(complaints: Iterable[str]) -> None:
    for complaint in complaints:
        claim(not complaint, complaint)
