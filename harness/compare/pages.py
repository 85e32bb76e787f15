"""A comparison for people, for a pull request, for CI viewers and for programs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from math import ceil
from typing import NamedTuple

import click

from dalang.engine.game import Plain
from dalang.harness.blocks import MatchKey, MatchResult
from dalang.harness.compare.sprt import Trial
from dalang.harness.compare.verdict import (
    DENIALS,
    FAULTY,
    GOOD,
    LOOKS_ERROR,
    NOT_BETTER,
    UNDECIDED,
    WORSE,
    Comparison,
    PairedBlock,
)
from dalang.harness.escaping import for_markdown, printable, shortened
from dalang.harness.junit import Case, junit
from dalang.harness.match.played import Played
from dalang.harness.statistics.intervals import ERROR, tidy
from dalang.harness.statistics.luck import gain_in, variance
from dalang.harness.statistics.sample import mean_of

SHOWN = 3
"""Matches that are worth a look."""
LETTERS_OF_A_LINE = 400
"""Of a line that the candidate wrote."""
FENCE = "```"
"""Around code in Markdown; no line between can end it, for none begins with it."""
BAR = 31
"""Letters of the bar that shows where the test stands."""
LOOKS = (
    f"after every block, and it may end early: {100 * LOOKS_ERROR:g} % of the {100 * ERROR:g} % error goes to that, "
    "the rest to the last look"
)
VERDICT_COLOURS = {GOOD: "green", WORSE: "red", NOT_BETTER: "red", UNDECIDED: "yellow", FAULTY: "red"}


@dataclass(frozen=True)
class Report:
    """A comparison, and what it takes to tell of it."""

    comparison: Comparison
    game: str
    bots: Mapping[str, str]
    """By name: how the bot was given."""
    settings: Sequence[str]
    """Options of `dalang match` with which a match is played as it was here."""
    seconds: float | None
    """None if two runs shall be the same to the last byte."""
    shown: Callable[[str], str] = printable
    """How names are shown, which the bots have chosen."""
    stories: Mapping[MatchKey, Played] = field(default_factory=dict)
    """The matches in which the candidate broke the contract, as far as they are told."""

    # ---- Sentences

    def headline(self) -> str:
        names = list(map(self.shown, self.comparison.plan.names))
        others = f", with {', '.join(names[2:])}" if names[2:] else ""
        table = f"{self.game}, {self.comparison.plan.seats} seats"
        return f"{table}: {names[0]} (candidate) against {names[1]} (baseline){others}"

    def reason(self) -> str:
        """Why the verdict is what it is."""
        comparison = self.comparison
        rule, verdict = comparison.rule, comparison.verdict()
        if verdict == FAULTY:
            return f"the candidate broke the contract in {self.fault_rate():.2%} of its seats"
        if comparison.broken():
            return f"{self.broken()}, so the matches say nothing about the candidate"
        if rule.sprt and verdict == UNDECIDED:
            return f"neither effect is accepted within {rule.blocks} blocks{self.if_alike()}"
        if rule.sprt:
            word, other = ("HIGH", rule.sprt.low) if verdict == GOOD else ("LOW", rule.sprt.high)
            return f"{word} is accepted, an effect of {comparison.accepted:g} rather than {other:g}"
        where = {GOOD: "lies above", WORSE: "lies below", UNDECIDED: "reaches across"}[verdict]
        return f"the interval {where} {0 - rule.margin:g}{self.more_blocks()}"

    def more_blocks(self) -> str:
        """How many blocks it would take, as far as those that were played can tell."""
        comparison = self.comparison
        difference, number = comparison.deciding(), len(comparison.blocks)
        apart = abs(difference.mean + comparison.rule.margin)
        if comparison.verdict() != UNDECIDED or number < 2 or not apart:
            return ""
        if alike := self.if_alike():
            return alike
        needed = ceil(number * ((difference.high - difference.low) / 2 / apart) ** 2)
        return f"; if the difference stays what it is, {max(needed, number + 1)} blocks will tell"

    def if_alike(self) -> str:
        """The same where all blocks ended alike, which is no reason to be sure while there are few."""
        needed = self.comparison.blocks_if_alike()
        return f"; if all blocks go on to end alike, {needed} will tell" if needed else ""

    def broken(self) -> str:
        """Who else broke the contract too often, and how often."""
        comparison = self.comparison
        return ", ".join(
            f"{'the baseline' if name == comparison.baseline else f'the opponent {self.shown(name)}'} "
            f"broke the contract in {comparison.fault_rate(name):.2%} of its seats"
            for name in comparison.broken()
        )

    def rows(self) -> list[tuple[str, str]]:
        """What was found, line by line."""
        comparison = self.comparison
        difference = comparison.difference()
        interval = f"{signed(difference.low)} to {signed(difference.high)}"
        biased = "; biased, for it was stopped by what it saw" if comparison.is_biased() else ""
        sure = f"{100 * (1 - LOOKS_ERROR):g} % at every look" if comparison.early else "95 %"
        means = ", ".join(
            f"{role} {mean_of(means or [0.0]):.3f}"
            for role, means in zip(("candidate", "baseline"), comparison.means.values(), strict=True)
        )
        measure = {"place": "beats", "score": "mean score"}[comparison.rule.by]  # the words of the standings
        return [
            ("difference", f"{signed(difference.mean)}, {sure} from {interval}{biased}"),
            *([("no luck", without_luck(comparison))] if comparison.rule.luck else []),
            (measure, means),
            ("effect", self.effect()),
            *([("evidence", evidence(comparison.trial))] if comparison.trial else []),
            ("blocks", self.effort()),
            *([] if comparison.trial else [("looks", LOOKS if comparison.wager else self.one_look())]),
            ("faults", self.faults()),
        ]

    def effect(self) -> str:
        effect, deviation = self.comparison.effect(), self.comparison.deviation()
        if effect is None:
            return "cannot be told, for " + (
                "all blocks ended alike" if self.comparison.blocks else "no block is done"
            )
        return f"{effect:+.3f} standard deviations; one of a block is {deviation:.3f}"

    def effort(self) -> str:
        comparison = self.comparison
        time = "" if self.seconds is None else f", {self.seconds:.1f} s"
        return f"{len(comparison.blocks)} of at most {comparison.rule.blocks}, {comparison.matches} matches{time}"

    def one_look(self) -> str:
        return f"one, after {self.comparison.rule.blocks} blocks"

    def fault_rate(self) -> float:
        return self.comparison.fault_rate(self.comparison.candidate)

    def faults(self) -> str:
        comparison = self.comparison
        by_bot = [
            f"{self.shown(name)}: {kinds_in_words(kinds)}"
            for name, kinds in comparison.faults.items()
            if kinds
        ]
        allowed = f"candidate {self.fault_rate():.2%} of {comparison.seats[comparison.candidate]} seats"
        return f"{allowed}, at most {comparison.rule.max_fault_rate:.2%}" + "".join(
            f"; {each}" for each in by_bot
        )

    # ---- Matches to look at

    def command(self, block: PairedBlock, match: MatchResult) -> str:
        """The command that plays this match again."""
        seed = self.comparison.plan.terms.deal_seed(block.lineups[0].block.deal)
        bots = [self.bots[name] for name in match.names]
        words = ["dalang", "match", self.game, *bots, "--seed", seed, "--key", block.key_of(match).short()]
        return shlex.join([*words, *self.settings])

    def worst(self) -> list[Plain]:
        """Of each of the worst blocks the match that went worst."""
        found = []
        for block, difference in self.comparison.worst(SHOWN):
            match = self.comparison.worst_match(block)
            found.append(
                {
                    "block": block.number,
                    "difference": tidy(difference),
                    "names": list(match.names),
                    "places": list(match.ranks),
                    "scores": list(match.scores),
                    "command": self.command(block, match),
                }
            )
        return found

    def faulty(self) -> list[Plain]:
        found = []
        for block, match, kind in islice(self.comparison.faulty(), SHOWN):
            told = self.fault_in(block.key_of(match))
            about = {"block": block.number, "fault": kind, "command": self.command(block, match)}
            found.append({**about, **told})
        return found

    def fault_in(self, key: MatchKey) -> Plain:
        """What is known of the candidate's fault in this match, and what it wrote last."""
        played = self.stories.get(key)
        for fault in played.faults if played else ():
            if played and played.names[fault.seat] == self.comparison.candidate:
                return {"moment": fault.moment(), "detail": fault.detail, "stderr": fault.stderr}
        return {"moment": "", "detail": "", "stderr": []}

    def looks(self) -> list[WorthALook]:
        """Every match that is worth a look."""
        told: set[tuple[str, str]] = set()
        found = []
        for each in self.faulty():
            detail = f" {each['moment']}: {each['detail']}" if each["moment"] else ""
            sort = (each["fault"], each["detail"])
            said = [] if sort in told else each["stderr"]  # one traceback of a sort is enough
            told.add(sort)
            remark = f"block {each['block']}, {each['fault']}{detail}"
            found.append(WorthALook(printable(remark), each["command"], said))
        worst = self.worst()
        return found + [
            WorthALook(f"block {each['block']}, {signed(each['difference'])}", each["command"])
            for each in worst
        ]

    # ---- Pages

    def text(self) -> str:
        verdict = self.comparison.verdict()
        rows = [
            ("verdict", f"{click.style(verdict, VERDICT_COLOURS[verdict], bold=True)}: {self.reason()}"),
            *self.rows(),
        ]
        lines = [self.headline(), "", *(f"{label:11} {value}" for label, value in rows)]
        looks = self.looks()
        if looks:
            lines += ["", "What went worst for the candidate, and how to see it again:"]
            lines += [line for look in looks for line in look.lines("  ", "    ", "    stderr: ")]
        return "\n".join([*lines, "", f"seed {self.comparison.plan.terms.seed}"])

    def markdown(self) -> str:
        return replace(self, shown=for_markdown).marked_down()

    def marked_down(self) -> str:
        verdict = self.comparison.verdict()
        lines = [f"### {verdict}: {self.reason()}", "", self.headline(), "", "| | |", "|---|---|"]
        lines += [f"| {label} | {value.replace('|', chr(92) + '|')} |" for label, value in self.rows()]
        looks = self.looks()
        if looks:
            fold = "<details open>" if verdict == FAULTY else "<details>"
            lines += ["", f"{fold}<summary>What went worst for the candidate</summary>", "", FENCE + "sh"]
            lines += [line for look in looks for line in look.lines("# ", "", "#   stderr: ")]
            lines += [FENCE, "", "</details>"]
        return "\n".join([*lines, "", f"seed {for_markdown(self.comparison.plan.terms.seed)}"])

    def junit(self) -> str:
        """Two test cases: it is no worse, and it keeps the contract."""
        comparison = self.comparison
        verdict, page = comparison.verdict(), click.unstyle(self.text())
        explained = f"{self.reason()}\n{page}"
        better = Case(
            "the candidate is good enough",
            failure=explained if verdict in DENIALS else "",
            skipped=explained if verdict in (UNDECIDED, FAULTY) else "",
            output=page if verdict == GOOD else "",
            seconds=self.seconds,
        )
        lawful = Case(
            "the candidate keeps the contract",
            failure=explained if verdict == FAULTY else "",
            seconds=self.seconds and 0.0,
        )
        names = comparison.plan.names
        return junit(f"dalang compare {self.game} {names[0]} {names[1]}", names[0], [better, lawful])

    def luck_data(self) -> Plain:
        comparison = self.comparison
        found, version = comparison.without_luck(), comparison.value.version
        told = {"weight": found.weight, "is_off": found.is_off, "value_version": version}
        return {**asdict(comparison.deciding()), **told}

    def data(self) -> Plain:
        comparison = self.comparison
        plan, rule, sprt = comparison.plan, comparison.rule, comparison.rule.sprt
        return {
            "verdict": comparison.verdict(),
            "reason": self.reason(),
            "game": self.game,
            "seats": plan.seats,
            "seed": plan.terms.seed,
            "candidate": plan.names[0],
            "baseline": plan.names[1],
            "opponents": plan.names[2:],
            "by": rule.by,
            "blocks": len(comparison.blocks),
            "max_blocks": rule.blocks,
            "matches": comparison.matches,
            "early": bool(comparison.early),
            "difference": {**asdict(comparison.difference()), "biased": comparison.is_biased()},
            **({"luck_removed": self.luck_data()} if rule.luck else {}),
            "means": {name: tidy(mean_of(means or [0.0])) for name, means in comparison.means.items()},
            "deviation": comparison.deviation(),
            "effect": comparison.effect(),
            "sprt": comparison.trial and sprt_data(comparison.trial),
            "margin": None if sprt else rule.margin,
            "faults": {name: dict(sorted(kinds.items())) for name, kinds in comparison.faults.items()},
            "fault_rate": self.fault_rate(),
            "max_fault_rate": rule.max_fault_rate,
            "worst": self.worst(),
            "faulty": self.faulty(),
            **({} if self.seconds is None else {"seconds": round(self.seconds, 3)}),
        }


class WorthALook(NamedTuple):
    """A match that is worth a look: why, how to see it again, and what the candidate wrote last."""

    remark: str
    command: str
    stderr: Sequence[str] = ()

    def lines(self, before_remark: str, before_command: str, before_stderr: str) -> list[str]:
        said = [f"{before_stderr}{shortened(printable(line), LETTERS_OF_A_LINE)}" for line in self.stderr]
        return [f"{before_remark}{self.remark}", *said, f"{before_command}{printable(self.command)}"]


def evidence(trial: Trial) -> str:
    """What was won by betting against either effect, and as a bar how much of what it takes."""
    sprt, against_low, against_high = trial.sprt, trial.against_low(), trial.against_high()
    right, left = (
        min(1.0, max(0.0, share)) for share in (against_low / sprt.upper, against_high / -sprt.lower)
    )
    at = round((1 + right - left) / 2 * (BAR - 1))
    bar = "".join("●" if place == at else "─" for place in range(BAR))
    return (
        f"LOW {sprt.low:g} {bar} HIGH {sprt.high:g}, "
        f"against LOW {against_low:.2f} of {sprt.upper:.2f}, against HIGH {against_high:.2f} of {-sprt.lower:.2f}"
    )


def sprt_data(trial: Trial) -> Plain:
    return {
        **asdict(trial.sprt),
        "against_low": trial.against_low(),
        "against_high": trial.against_high(),
        "refutes_low": trial.sprt.upper,
        "refutes_high": -trial.sprt.lower,
        "accepted": trial.accepted(),
    }


def without_luck(comparison: Comparison) -> str:
    """The difference with luck removed, by which it is decided."""
    found, difference = comparison.without_luck(), comparison.deciding()
    if found.is_off:
        return "what could be told of luck explains nothing here, so nothing was taken out"
    interval = f"95 % from {signed(difference.low)} to {signed(difference.high)}"
    times = gain_in(variance(comparison.differences), variance(found.values), len(found.values))
    return f"{signed(difference.mean)} with luck removed, {interval}; worth {times:.1f} times as many blocks"


def signed(value: float) -> str:
    return f"{value:+.3f}"


def kinds_in_words(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
