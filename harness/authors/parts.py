"""What a game brings besides its rules, tried on real states: its face, its drawing, its company, what it tells
`seer` and learners.

Each demand is one function; its docstring is the sentence. It returns a remark for people, and raises where something
is wrong. A part that a game does not bring has its default, and nothing to be wrong with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from time import perf_counter

import click

from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, Game, State
from dalang.engine.learning import learning_of
from dalang.engine.luck import luck_in
from dalang.engine.testing.playing import Table, random_record, some
from dalang.engine.testing.promise import claim
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.people.sitting import company
from dalang.harness.people.tables import WIDTH, Scene, face_of, point_text
from dalang.harness.report.page import table_drawing

PartCheck = Callable[[Game, list[Table]], str]

STATES_PER_TABLE = 20
SECONDS_OF_PLAY = 0.3
"""How long the speed is measured."""
NAMES = [f"a-bot-with-a-long-name-{seat}" for seat in range(100)]


def states(tables: list[Table]) -> Iterator[State]:
    """Some states of a random game at each table, its end among them."""
    for table in tables:
        yield from some(table, seed=0, every=STATES_PER_TABLE)


def has_a_rulebook(game: Game, tables: list[Table]) -> str:
    """Its rulebook can be read."""
    text = game.rulebook.read_text(encoding="utf-8")
    claim(text.strip(), "the rulebook is empty")
    return f"{len(text.split())} words"


def has_a_picture(game: Game, tables: list[Table]) -> str:
    """People see its table in 80 columns, through the eyes of every seat and with everything."""
    face = face_of(game)
    for state in states(tables):
        names, views = NAMES[: state.seats], [state.view(seat) for seat in range(state.seats)]
        scenes = [*(Scene(view, names) for view in views), Scene(views[0], names, state.dump())]
        for line in (click.unstyle(line) for scene in scenes for line in face.picture(scene)):
            claim(len(line) <= WIDTH, f"a line of the picture has {len(line)} columns: {line!r}")
    return "a picture of its own" if game.face else "none of its own; views are shown as bots have them"


def has_words_for_moves(game: Game, tables: list[Table]) -> str:
    """People choose from moves in words, each with words of its own."""
    face = face_of(game)
    for state in states(tables):
        words = [face.choice(state.view(state.seat), move) for move in state.moves()]
        twice = [text for text in words if words.count(text) > 1]
        claim(not twice, f"two moves at {state.decision!r} read {twice[:1]}")
    return "in words of its own" if game.face else "as bots have them"


def cites_its_rules(game: Game, tables: list[Table]) -> str:
    """Where it explains a decision, there is such a decision, and the rulebook has the points."""
    decisions = face_of(game).decisions
    strange = decisions.keys() - game.state.MAY.keys()
    claim(not strange, f"there is no decision {', '.join(sorted(strange))}")
    points = [
        point
        for decision in decisions.values()
        for point in decision.in_force(dict.fromkeys(decision.variants, True))
    ]
    missing = [point for point in points if not point_text(game, point)]
    claim(not missing, f"the rulebook has no lines such as `- **{' '.join(missing[:1])}** ...`")
    return f"{len(decisions)} of {len(game.state.MAY)} decisions are explained"


def has_a_drawing(game: Game, tables: list[Table]) -> str:
    """Its drawing on the page of `dalang report` is a script with a function `draw`."""
    script = table_drawing(game)
    claim(re.search(r"\bfunction draw\b|\bdraw =", script), "there is no function draw(view, match) in it")
    return f"{len(script):,} letters" if game.drawing else "none; views are shown as data"


def has_company(game: Game, tables: list[Table]) -> str:
    """The company that it suggests for `dalang play` can be found, and fits the table."""
    bots = find_entrants(company(game))
    game.checked_seats(len(bots) + 1)
    return ", ".join(bot.name for bot in bots)


def tells_seer(game: Game, tables: list[Table]) -> str:
    """What it tells `seer` fits its moves and its seats."""
    if not game.policy:
        return "nothing; seer plays by the rules alone"
    policy = game.part(game.policy)
    strange = {*policy.weights, *policy.pauses} - game.state.MAY.keys()
    claim(not strange, f"there is no decision {', '.join(sorted(strange))}")
    for state in states(tables):
        state.events = None
        weigh, moves = policy.weights.get(state.decision), state.moves()
        weights = weigh(state, moves) if weigh else [1] * len(moves)
        fit = len(weights) == len(moves) and all(weight > 0 for weight in weights)
        claim(fit, f"the weights at {state.decision!r} are {weights}, for {len(moves)} moves")
        hash(policy.situation(state))
        if state.seat == NOBODY or state.decision in policy.pauses:
            rewards = policy.standing(state)
            claim(len(rewards) == state.seats, f"{state.seats} seats have the rewards {rewards}")
    return f"weights for {len(policy.weights)} of {len(game.state.MAY)} decisions"


def tells_how_seats_stand(game: Game, tables: list[Table]) -> str:
    """What it guesses of how the seats stand is a number for every seat, and tells the luck of a match."""
    if not game.value.version:
        return "nothing; all stand even until the end"
    for table in ends_of(tables):
        luck_in(random_record(table, 0), game)
    return f"version {game.value.version}"


def tells_learners(game: Game, tables: list[Table]) -> str:
    """Learners find its moves numbered, and its views in numbers."""
    table, learning = ends_of(tables)[0], learning_of(game)
    actions = "actions" if learning.actions else "actions found by playing, for it names none"
    numbers = "numbers" if learning.schema else "numbers by hash, for it declares no schema"
    return f"{table}: {len(table.actions)} {actions}; {table.encoding.size} {numbers}"


def is_quick(game: Game, tables: list[Table]) -> str:
    """Its speed with random moves, which searching bots live on."""
    return "; ".join(
        f"{table}: {decisions_per_second(table):,.0f} decisions per second" for table in ends_of(tables)
    )


def ends_of(tables: list[Table]) -> list[Table]:
    """The smallest and the largest table, without options."""
    sizes = {table.seats: table for table in reversed(tables)}
    return [sizes[size] for size in sorted({min(sizes), max(sizes)})]


def decisions_per_second(table: Table) -> float:
    """Without events and with the luck of searching bots."""
    rng, made, begin = Random(0), 0, perf_counter()
    chosen = rng.random
    while (spent := perf_counter() - begin) < SECONDS_OF_PLAY:
        state = table.game.start(table.seats, QuickChance(rng), **table.options)
        state.events = None
        while state.seat != NOBODY:
            moves = state.moves()
            state.apply(moves[int(chosen() * len(moves))])
            made += 1
    return made / spent


PART_CHECKS: tuple[PartCheck, ...] = (
    has_a_rulebook,
    has_a_picture,
    has_words_for_moves,
    cites_its_rules,
    has_a_drawing,
    has_company,
    tells_seer,
    tells_how_seats_stand,
    tells_learners,
    is_quick,
)
