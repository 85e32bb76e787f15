"""`dalang verify`: prove that a tournament file tells the truth, match by match."""

from __future__ import annotations

from collections.abc import Iterator

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Game, SetupError
from dalang.engine.record import DAMAGE, Record, discrepancies
from dalang.harness.blocks import Block
from dalang.harness.match.played import Played, final_ranks
from dalang.harness.match.referee import stand_in_choice
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.store import Found, Store
from dalang.harness.tournament.terms import Terms, commitment


def problems(store: Store) -> Iterator[tuple[str, list[str]]]:
    """Each thing that was checked, by name, with what is wrong about it."""
    terms = store.terms()
    yield "the master seed", seed_problems(terms)
    yield "the schedule", list(schedule_problems(store, terms))
    for key, found in store.stories():
        if isinstance(found, str):
            yield str(key), [f"the record cannot be read: {found}"]
        else:
            yield str(key), match_problems(store, terms, found)


def seed_problems(terms: Terms) -> list[str]:
    if commitment(terms.seed) == terms.commitment:
        return []
    return ["it is not the seed that was committed to before the first match"]


def schedule_problems(store: Store, terms: Terms) -> Iterator[str]:
    """Everybody sat where the schedule, walked anew with the results of the file, puts them."""
    for key in store.without_record():
        yield f"{key} has lost its record"
    played, last = {key.block for key in store.match_keys()}, store.last_block()
    tournament = Tournament(store.plan(terms), store.retired(), last_round=store.last_round())
    for block, known in walked(tournament, lambda block: store.matches_of(block.number)):
        played.discard(block.number)
        if not block.is_played_by(known):
            yield f"block {block.number} is for {', '.join(block.lineup)}, but others played it"
            return
        if block.number >= last:
            break
    if tournament.format.adapts and tournament.queue:  # what comes after cannot be known yet
        played = {number for number in played if number < tournament.queue[0].block.number}
    if played:
        yield f"block {min(played)} is not in the schedule"


def match_problems(store: Store, terms: Terms, found: Found) -> list[str]:
    game, played = find_game(terms.game), found.played
    try:
        wrong = discrepancies(played.record, game)
        if wrong:
            return wrong
        return [
            *term_problems(terms, found.block, played.record),
            *place_problems(played),
            *stand_in_problems(terms, game, played),
            *row_problems(store, found),
        ]
    except (*DAMAGE, SetupError) as error:
        return [f"the record cannot be read: {error!r}"]


def term_problems(terms: Terms, block: Block, record: Record) -> Iterator[str]:
    """The game, its options and its luck are those that were agreed."""
    if (record.game, record.options) != (terms.game, terms.options):
        yield "game or options are not those that were agreed"
    if record.seed != terms.deal_seed(block.deal):
        yield f"its luck is not that of deal {block.deal}"
    if record.seats != len(block.lineup):
        yield f"{record.seats} seats were played by {len(block.lineup)} bots"


def place_problems(played: Played) -> Iterator[str]:
    ranks = final_ranks(played.record.outcome.ranks, [fault.seat for fault in played.faults])
    if ranks != played.ranks:
        yield f"places recorded as {list(played.ranks)}, but by game and faults they are {list(ranks)}"


def stand_in_problems(terms: Terms, game: Game, played: Played) -> Iterator[str]:
    """From its fault on, a bot's seat is played by the stand-in and by nobody else."""
    record, out_from = played.record, played.out_from()
    if not out_from:
        return
    luck = SeededChance(record.seed)
    state = game.start(record.seats, SeededChance(record.seed), **record.options)
    for number, turn in enumerate(record.turns):
        moves = state.moves()
        if terms.asks(len(moves)) and number >= out_from.get(turn.seat, len(record.turns)):
            choice = moves[stand_in_choice(luck, len(moves), turn.seat)]
            if turn.move != choice:
                yield f"move {number} of the stand-in recorded as {turn}, but it was {choice}"
                return
        state.apply(turn.move)
    assert state.seat == NOBODY


def row_problems(store: Store, found: Found) -> Iterator[str]:
    """The tables that people query say the same as the record."""
    played, key = found.played, found.block.key(found.rotation)
    if store.matches_of(key.block).get(key.rotation) != played.result():
        yield "the table `seat` says something else than the record"
    if store.match_columns(key) != (played.record.outcome.ending, played.voided):
        yield "the table `match` says something else than the record"
