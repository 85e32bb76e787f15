"""A comparison without a verdict, on the same pages as one that has it: so none of an older one is left."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from dalang.engine.game import Plain
from dalang.harness.compare.verdict import FAULTY
from dalang.harness.escaping import for_markdown, printable
from dalang.harness.junit import Case, junit

FAILED, UNFINISHED = "failed", "unfinished"
"""It cannot be played; or it is being played, or was ended by force."""
NOT_OVER = "the comparison is being played, or was ended before its verdict"


@dataclass(frozen=True)
class Failure:
    verdict: str
    """FAULTY if it is the candidate that cannot be built or started, FAILED or UNFINISHED."""
    reason: str
    """Of several lines if a build says more."""
    game: str
    candidate: str
    """As it was given, like the baseline."""
    baseline: str
    command: str
    """That repeats it."""

    def headline(self) -> str:
        return self.reason.split("\n")[0]

    def details(self) -> list[str]:
        return [f"    {printable(line.strip())}" for line in self.reason.split("\n")[1:]]

    def text(self) -> str:
        lines = [f"{self.verdict}: {printable(self.headline())}", *self.details()]
        return "\n".join([*lines, f"  again:  {printable(self.command)}"])

    def markdown(self) -> str:
        """In code that begins no line with what could end it."""
        who = f"{self.game}: {for_markdown(self.candidate)} against {for_markdown(self.baseline)}"
        code = [f"    {printable(self.headline())}", *self.details(), "", f"    {printable(self.command)}"]
        return "\n".join([f"### {self.verdict}: {TOLD[self.verdict]}", "", who, "", *code])

    def junit(self) -> str:
        sentence = (
            "the candidate keeps the contract" if self.verdict == FAULTY else "the comparison is played"
        )
        suite = f"dalang compare {self.game} {self.candidate} {self.baseline}"
        return junit(suite, self.candidate, [Case(sentence, failure=self.text())])

    def data(self) -> Plain:
        return asdict(self)


TOLD = {
    FAULTY: "the candidate cannot be built or started",
    FAILED: "there is nothing to compare",
    UNFINISHED: NOT_OVER,
}
