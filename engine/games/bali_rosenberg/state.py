"""Bali (Rosenberg 2001) from the first turn to scoring; the setup is in position.py.

§ marks refer to rulebook.md beside this file.
"""

from __future__ import annotations

from typing import Any, Self

from dalang.engine.chance import Chance
from dalang.engine.game import NOBODY, Move, Outcome, Plain, open_event, ranked, secret_event, unseen_event
from dalang.engine.games.bali_rosenberg.components import (
    ARTIST,
    BLOCK,
    CARD,
    CARD_KINDS,
    CARDS,
    CONTEST,
    DONE,
    DRAW,
    END,
    FIRST_DALANG,
    FLEE,
    ISLAND,
    ISLANDS,
    KEPT,
    LAY,
    MOST,
    NOT_HERE,
    PASS,
    PLAY,
    PRIEST,
    PRINCE,
    PUT,
    SCHOLAR,
    SEAL,
    SHOW,
    SPARE,
    SWAP,
    TAKE,
    VOYAGE,
    WARRIOR,
)
from dalang.engine.games.bali_rosenberg.memory import (
    TRAIL_DREW,
    TRAIL_PUT,
    TRAIL_SEEN,
    TRAIL_TOOK,
    TRAIL_UP,
    catch_up,
    hear_reshuffle,
    hear_shown,
)
from dalang.engine.games.bali_rosenberg.position import Position
from dalang.engine.games.bali_rosenberg.sight import imagine, named_counts, open_sight_of, sight_of


class BaliRosenberg(Position):
    __slots__ = ()

    # ---- Setup (§2), after deal and start cards

    def __init__(self, seats: int, chance: Chance, options: Plain) -> None:
        super().__init__(seats, chance, options)
        self.pick_up(None)  # §2.9
        self.begin_turn(self.active)

    # ---- Decisions: the legal moves, row by row of the table

    def may_turn(self) -> list[Move]:
        hand = self.hands[self.seat]
        moves = [END]
        if hand[WARRIOR]:
            moves += SPARE[self.seats, self.seat]
        if hand[SCHOLAR]:
            moves.append(PLAY[SCHOLAR])
        if hand[ARTIST]:
            moves.append(PLAY[ARTIST])
        for card in (PRIEST, PRINCE):
            if hand[card] > 1:  # §8.2
                moves += CONTEST[card][: hand[card] - 1]
        for card in range(FIRST_DALANG, len(CARDS)):
            if hand[card]:
                moves += VOYAGE[card][self.island]
        return moves

    def may_defend(self) -> list[Move]:
        return [FLEE, PLAY[WARRIOR]] if self.hands[self.seat][WARRIOR] else [FLEE]  # §5.5

    def may_flee(self) -> list[Move]:
        home = self.home
        return [move for card, held in enumerate(self.hands[self.seat]) if held for move in PUT[card][home]]

    def may_respond(self) -> list[Move]:
        return [PASS, PLAY[self.kind]] if self.hands[self.seat][self.kind] else [PASS]

    def may_scholar(self) -> list[Move]:
        moves = [DONE]
        if self.mode != "take":  # §6.4
            moves += self.may_flee()
        if self.mode != "put":
            stacks = self.stacks[self.seat]  # the one at home is empty
            moves += [move for move, stack in zip(TAKE, stacks, strict=True) if stack]
        return moves

    def may_artist(self) -> list[Move]:
        return [DONE, *[move for move, held in zip(SWAP, self.hands[self.seat], strict=True) if held]]

    def may_second(self) -> list[Move]:
        return [PASS, PLAY[self.kind]] if self.hands[self.seat][self.kind] else [PASS]

    def may_replace(self) -> list[Move]:
        return [PASS, DRAW]

    def may_show(self) -> list[Move]:
        return [PASS, *SHOW[self.best + 1 : self.hands[self.seat][self.kind] + 1]]  # §8.3, §8.4

    def may_block(self) -> list[Move]:
        hand = self.hands[self.seat]
        return [PASS, *[move for card, move in BLOCK[self.target] if hand[card]]]

    def may_lay(self) -> list[Move]:
        return [move for move, held in zip(LAY, self.hands[self.seat], strict=True) if held]

    # ---- The turn (§3): draws, ( `turn`, its effect )*

    def begin_turn(self, seat: int) -> None:
        self.turn += 1
        self.idle += 1
        self.active = seat
        self.fled = [False] * self.seats  # §5.7
        if self.events is not None:
            self.tell("turn", turn=self.turn, seat=seat)
        self.draw(seat, 2)  # §3.2
        for other in self.others(seat):
            self.draw(other, 1)
        self.ask(seat, "turn")

    def draw(self, seat: int, number: int) -> None:
        for _ in range(number):
            if not self.pile.size:
                if not self.discards.size:
                    return  # §3.5
                self.reshuffle()
            card = self.chance.draw(self.pile, "draw", seat)
            self.hands[seat][card] += 1
            self.idle = 0
            self.heard.append((TRAIL_DREW, seat, self.home, card))
            if self.events is not None:
                self.tell_secret("draw", seat, {"drawn": [CARDS[card]]}, seat=seat)

    def reshuffle(self) -> None:
        self.pile, self.discards = self.discards, self.pile  # §3.4
        hear_reshuffle(self)
        self.tell("reshuffle", cards=named_counts(self.pile.counts))

    def on_turn(self, verb: str, name: str = "", aim: Any = None) -> None:
        if verb == "end":
            self.end_turn()
            return
        self.idle = 0
        self.kind = card = CARD[name]
        self.spend(self.active, card)  # §4.1
        if card == WARRIOR:
            self.spared = aim
            self.plan(*self.each("defend"), ("go_on",))
        elif card in (SCHOLAR, ARTIST):
            self.plan((name, self.active), *self.each("respond"), ("go_on",))
        elif card in (PRIEST, PRINCE):
            self.show(self.active, aim)
            self.plan(*self.each("show"), ("award",), ("go_on",))
        else:
            self.target = ISLAND[aim]
            self.plan(*self.each("block"), ("travel",))

    def do_go_on(self) -> None:
        """The card is resolved: the turn goes on unless a second card has ended it (§4.5)."""
        forced = self.forced
        self.settle()
        if forced:
            self.end_turn()
        else:
            self.ask(self.active, "turn")

    def end_turn(self) -> None:
        if self.idle >= 2 * self.seats:
            self.end("standstill")  # §12.5, before §12.6 by §12.8
        elif self.turn >= self.options["max_turns"]:
            self.end("max_turns")  # §12.6
        else:
            self.begin_turn(self.left_of(self.active))  # §3.7

    def spend(self, seat: int, card: int) -> None:
        """A card of this hand goes to the discard pile, for all to see (§1.11)."""
        self.hands[seat][card] -= 1
        self.discards.add(card)
        self.heard.append((TRAIL_SEEN, seat, self.home, card))

    def tell_discard(self, seat: int, cards: list[int]) -> None:
        if cards:
            self.tell("discard", seat=seat, cards=[CARDS[card] for card in cards])

    # ---- Forced end (§4): `second`, ( play: `replace` )?

    def do_second(self, seat: int) -> None:
        if not self.forced:  # §4.9
            self.ask(seat, "second")

    def on_second(self, verb: str, name: str = "") -> None:
        if verb == "play":
            self.spend(self.seat, self.kind)
            self.forced = True  # §4.5
            self.ask(self.seat, "replace")

    def on_replace(self, verb: str) -> None:
        if verb == "draw":
            self.draw(self.seat, 1)  # §4.6

    # ---- Warrior (§5): each: `defend`, ( flee: `flee`*, discard rest | play: `second` ... )

    def do_defend(self, seat: int) -> None:
        self.ask(seat, "defend")

    def on_defend(self, verb: str, name: str = "") -> None:
        if verb == "flee":
            self.fled[self.seat] = True
            self.plan(("flee", self.seat))
        else:
            self.spend(self.seat, WARRIOR)
            self.plan(("second", self.seat))

    def do_flee(self, seat: int) -> None:
        if any(self.hands[seat]):
            self.ask(seat, "flee")

    def on_flee(self, verb: str, name: str, island: str) -> None:
        self.put(CARD[name], ISLAND[island])
        if self.used < MOST and any(self.hands[self.seat]):  # §5.6
            self.ask(self.seat, "flee")
        else:
            self.finish_use()
            self.throw_hand_away(self.seat)

    def throw_hand_away(self, seat: int) -> None:
        cards = [card for card in CARD_KINDS for _ in range(self.hands[seat][card])]
        for card in cards:
            self.spend(seat, card)
        self.tell_discard(seat, cards)

    # ---- Scholar (§6) and artist (§7): `scholar`*, each: `respond`, ( play: `scholar`*, `second` ... )?

    def do_respond(self, seat: int) -> None:
        self.ask(seat, "respond")

    def on_respond(self, verb: str, name: str = "") -> None:
        if verb == "play":
            self.spend(self.seat, self.kind)
            self.plan((name, self.seat), ("second", self.seat))  # §4.7

    def do_scholar(self, seat: int) -> None:
        self.ask(seat, "scholar")

    def on_scholar(self, verb: str, *args: str) -> None:
        if verb == "put":
            self.put(CARD[args[0]], ISLAND[args[1]])
        elif verb == "take":
            self.take(ISLAND[args[0]])
        if verb == "done" or self.used == MOST:
            self.finish_use()
        else:
            self.ask(self.seat, "scholar")

    def put(self, card: int, island: int) -> None:
        self.hands[self.seat][card] -= 1
        self.stacks[self.seat][island].append(card)  # §6.2
        self.used += 1
        self.mode = "put"
        self.heard.append((TRAIL_PUT, self.seat, self.home, island))

    def take(self, island: int) -> None:
        stack = self.stacks[self.seat][island]
        self.hands[self.seat][stack.pop()] += 1  # §6.3
        if len(stack) < self.dealt[self.seat][island]:
            self.dealt[self.seat][island] = len(stack)
        self.used += 1
        self.mode = "take"
        self.heard.append((TRAIL_TOOK, self.seat, self.home, island))

    def do_artist(self, seat: int) -> None:
        self.ask(seat, "artist")

    def on_artist(self, verb: str, name: str = "") -> None:
        if verb == "swap":
            self.spend(self.seat, CARD[name])
            self.used += 1
            self.mode = "swap"
        if verb == "done" or self.used == MOST:
            self.draw(self.seat, self.used)  # §7.3
            self.finish_use()
        else:
            self.ask(self.seat, "artist")

    def finish_use(self) -> None:
        self.used = 0
        self.mode = ""

    # ---- Contest (§8, §9): each: `show`; chip, seal

    def do_show(self, seat: int) -> None:
        self.ask(seat, "show")

    def on_show(self, verb: str, number: int = 0) -> None:
        if verb == "show":
            self.show(self.seat, number)

    def show(self, seat: int, number: int) -> None:
        self.best = number
        self.leader = seat
        hear_shown(self, seat, number)

    def do_award(self) -> None:
        winner, here = self.leader, self.island
        chips = self.chips[self.kind - PRIEST]
        if self.events is not None:
            change = {"from": chips[here], "to": winner}
            self.tell("chip", kind=CARDS[self.kind], island=ISLANDS[here], **change)
        chips[here] = winner  # §8.5, §8.6
        if self.chips[0][here] == self.chips[1][here] != self.seals[here]:  # §9.1
            self.tell("seal", **{"island": ISLANDS[here], "from": self.seals[here], "to": winner})
            self.seals[here] = winner

    # ---- Dalang (§10): each until a block: `block`; if unblocked: travel, each seat: `lay`*, masks?, pick up

    def do_block(self, seat: int) -> None:
        self.ask(seat, "block")

    def on_block(self, verb: str, name: str = "") -> None:
        if verb == "block":
            self.spend(self.seat, CARD[name])
            self.agenda.clear()  # §10.4
            self.plan(("go_on",))  # §10.5

    def do_travel(self) -> None:
        self.tell("travel", **{"from": ISLANDS[self.island], "to": ISLANDS[self.target]})
        self.island = self.target
        self.fled = [False] * self.seats  # §10.7
        self.settle()
        self.plan(("lay", self.active), *[("lay", seat) for seat in self.others(self.active)], ("arrive",))

    def do_lay(self, seat: int) -> None:
        if any(self.hands[seat]):
            self.ask(seat, "lay")
        else:
            self.hand_is_down(seat)

    def on_lay(self, verb: str, name: str) -> None:
        hand, card = self.hands[self.seat], CARD[name]
        hand[card] -= 1
        self.laid.append(card)
        if any(hand):
            self.ask(self.seat, "lay")
        else:
            self.hand_is_down(self.seat)

    def hand_is_down(self, seat: int) -> None:
        self.stacks[seat][self.home] = laid = self.laid  # §10.6
        self.laid = []
        if self.events is not None:
            own = {"cards": [CARDS[card] for card in laid]}
            self.tell_secret("laid", seat, own, seat=seat, island=ISLANDS[self.home], number=len(laid))

    def do_arrive(self) -> None:
        self.home = self.island
        if self.active not in (self.chips[0][self.island], self.chips[1][self.island]):  # §11.1
            self.pick_up(None)
            self.ask(self.active, "turn")  # §11.9
            return
        self.give_masks()
        if not self.masks:
            self.end("masks")  # §11.7
        else:
            self.pick_up(KEPT)
            self.end_turn()  # §11.8

    def pick_up(self, most: int | None) -> None:
        """Everybody takes up the stack at the new island; only its bottom cards, if there is a limit."""
        here = self.island
        for seat in (self.active, *self.others(self.active)):
            stack, hand = self.stacks[seat][here], self.hands[seat]
            self.stacks[seat][here] = []
            self.dealt[seat][here] = 0
            for card in stack:
                hand[card] += 1
            if self.events is not None:
                own = {"cards": [CARDS[card] for card in stack]}
                kept = len(stack[:most])
                self.tell_secret("pick_up", seat, own, seat=seat, island=ISLANDS[here], kept=kept)
            if most is None:
                self.heard.append((TRAIL_UP, seat, here))
            else:
                self.throw_top_away(seat, stack[most:])

    def throw_top_away(self, seat: int, top: list[int]) -> None:
        """Part of a stack that was picked up: all see which cards, nobody in which order they lay."""
        cards = sorted(top)
        for card in cards:
            self.hands[seat][card] -= 1
            self.discards.add(card)
        self.heard.append((TRAIL_UP, seat, self.island, *cards))
        self.tell_discard(seat, cards)

    # ---- Scoring and end (§11, §12)

    def give_masks(self) -> None:
        owners = {self.chips[0][self.island], self.chips[1][self.island]} - {NOT_HERE, self.active}
        lowest = self.masks[0]
        if owners and len(self.masks) > 1:  # §11.6
            self.give_mask(owners.pop(), 0)  # §11.4
            higher = (place for place, value in enumerate(self.masks) if value > lowest)
            self.give_mask(self.active, next(higher, 0) if self.options["split_mask"] == "higher" else 0)
        else:
            self.give_mask(self.active, 0)  # §11.2, §11.3

    def give_mask(self, seat: int, place: int) -> None:
        value = self.masks.pop(place)
        self.taken[seat].append(value)
        self.tell("mask", seat=seat, value=value)

    def end(self, ending: str) -> None:
        self.ending = ending
        scores, ranks, _ = self.outcome()
        self.tell("end", ending=ending, scores=list(scores), ranks=list(ranks))

    def outcome(self) -> Outcome:
        seals = map(self.seals.count, range(self.seats))
        scores = [sum(masks) + SEAL * won for masks, won in zip(self.taken, seals, strict=True)]  # §12.2
        ender = self.active if self.ending == "masks" else NOBODY  # §12.4, §12.7
        best = max(scores)
        keys = [(score, score == best and seat == ender) for seat, score in enumerate(scores)]  # §12.3
        return Outcome(tuple(scores), ranked(keys), self.ending)

    # ---- Who sees what

    def tell_move(self, move: Move) -> None:
        said: Plain = {"seat": self.seat, "decision": self.decision, "move": list(move)}
        verb = move[0]
        if verb == "put":
            own = {"move": list(move)}
            event = secret_event(
                "put", self.seat, own, seat=self.seat, decision=self.decision, island=move[2]
            )
        elif verb == "take":
            top = self.stacks[self.seat][ISLAND[str(move[1])]][-1]
            event = secret_event("take", self.seat, {"card": CARDS[top]}, **said)
        elif verb == "lay":
            event = unseen_event("lay", said)  # the others see it as a whole, once the hand is down
        elif verb == "pass" and self.decision in ("second", "replace"):
            event = unseen_event("declined", said)
        elif verb == "show":
            event = open_event("move", {**said, "kind": CARDS[self.kind]})
        else:
            event = open_event("move", said)
        assert self.events is not None
        self.events.append(event)

    up_to_date = catch_up

    sight = sight_of  # the function itself: every question carries a view
    open_sight = open_sight_of

    @classmethod
    def imagine(cls, view: Plain, chance: Chance) -> Self:
        state = cls.blank(len(view["hands"]), chance, view)
        imagine(state, view)
        return state
