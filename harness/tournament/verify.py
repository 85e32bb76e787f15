"""`dalang verify`: prove that a tournament file tells the truth, match by match."""

from __future__ import annotations

from collections.abc import Iterator

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Game, Plain, SetupError
from dalang.engine.record import DAMAGE, Record, discrepancies
from dalang.harness.blocks import Block, BlockResult
from dalang.harness.match.referee import checked_record, final_ranks, stand_in_choice
from dalang.harness.tournament.machine import Walk, commitment, deal_seed, plan_of
from dalang.harness.tournament.store import Store, result_of


def problems(store: Store) -> Iterator[tuple[str, list[str]]]:
    """Each thing that was checked, by name, with what is wrong about it."""
    agreed = store.terms()
    yield "the master seed", seed_problems(agreed)
    game = find_game(agreed["game"])
    yield "the schedule", list(schedule_problems(store, agreed, game))
    for name, found in store.records():
        if isinstance(found, str):
            yield name, [f"the record cannot be read: {found}"]
        else:
            yield name, match_problems(store, agreed, game, *found)


def seed_problems(agreed: Plain) -> list[str]:
    if commitment(agreed["seed"]) == agreed["commitment"]:
        return []
    return ["it is not the seed that was committed to before the first match"]


def schedule_problems(store: Store, agreed: Plain, game: Game) -> Iterator[str]:
    """Everybody sat where the schedule, walked anew with the results of the file, puts them."""
    lost = store.rows("select block, rotation from seat except select block, rotation from match limit 1")
    for block_number, rotation in lost:
        yield f"block {block_number}, rotation {rotation} has lost its record"
    played = {number for (number,) in store.rows("select distinct block from match")}
    walk = Walk(plan_of(agreed, store.bots(), game.seats), agreed["max_faults"], store.bots())
    for block in walk.blocks():
        known = store.matches_of(block.number)
        played.discard(block.number)
        for rotation, match in known.items():
            if match.names != block.seatings()[rotation]:
                yield f"block {block.number} is for {', '.join(block.lineup)}, but others played it"
                return
        if len(known) == len(block.lineup):
            walk.count(BlockResult(block, tuple(known[rotation] for rotation in sorted(known))))
        elif not walk.is_skipped(block) and walk.is_adaptive:
            played -= {
                number for number in played if number > block.number
            }  # what comes after cannot be known yet
            break
    if played:
        yield f"block {min(played)} is not in the schedule"


def match_problems(
    store: Store, agreed: Plain, game: Game, block: Block, rotation: int, data: Plain
) -> list[str]:
    try:
        record = checked_record(data)
        found = discrepancies(record, game)
        if found:
            return found
        return [
            *term_problems(agreed, block, record),
            *place_problems(data, record),
            *stand_in_problems(data, record, game, agreed["ask_forced"]),
            *row_problems(store, block, rotation, data),
        ]
    except (*DAMAGE, SetupError) as error:
        return [f"the record cannot be read: {error!r}"]


def term_problems(agreed: Plain, block: Block, record: Record) -> Iterator[str]:
    """The game, its options and its luck are those that were agreed."""
    if (record.game, record.options) != (agreed["game"], agreed["options"]):
        yield "game or options are not those that were agreed"
    if record.seed != deal_seed(agreed["seed"], block.deal):
        yield f"its luck is not that of deal {block.deal}"
    if record.seats != len(block.lineup):
        yield f"{record.seats} seats were played by {len(block.lineup)} bots"


def place_problems(data: Plain, record: Record) -> Iterator[str]:
    faulters = [fault["seat"] for fault in data["faults"]]
    ranks = list(final_ranks(record.outcome.ranks, faulters))
    if ranks != data["ranks"]:
        yield f"places recorded as {data['ranks']}, but by game and faults they are {ranks}"


def stand_in_problems(data: Plain, record: Record, game: Game, ask_forced: bool) -> Iterator[str]:
    """From its fault on, a bot's seat is played by the stand-in and by nobody else."""
    out_from = {fault["seat"]: fault["turn"] for fault in data["faults"]}
    if not out_from:
        return
    luck = SeededChance(record.seed)
    state = game.start(record.seats, SeededChance(record.seed), **record.options)
    for number, turn in enumerate(record.turns):
        moves = state.moves()
        asked = len(moves) > 1 or ask_forced
        if asked and number >= out_from.get(turn.seat, len(record.turns)):
            choice = moves[stand_in_choice(luck, len(moves), turn.seat)]
            if turn.move != choice:
                yield f"move {number} of the stand-in recorded as {turn}, but it was {choice}"
                return
        state.apply(turn.move)
    assert state.seat == NOBODY


def row_problems(store: Store, block: Block, rotation: int, data: Plain) -> Iterator[str]:
    """The tables that people query say the same as the record."""
    if store.matches_of(block.number).get(rotation) != result_of(data):
        yield "the table `seat` says something else than the record"
    [row] = store.rows(
        "select ending, voided from match where block = ? and rotation = ?", block.number, rotation
    )
    if row != (data["record"]["outcome"]["ending"], data["voided"]):
        yield "the table `match` says something else than the record"
