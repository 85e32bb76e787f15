"""What this machine can do: `doctor`."""

from __future__ import annotations

import click

from dalang.harness.cli.common import as_json, echo_json
from dalang.harness.isolation.levels import Diagnosis, diagnoses
from dalang.harness.terminal import echo


@click.command()
@as_json
def doctor(json_: bool) -> None:
    """Show how well bots can be isolated on this machine, and what stands in the way of more.

    Example: dalang doctor
    """
    found = diagnoses()
    if json_:
        echo_json([each.data() for each in found])
        return
    for each in found:
        echo(line(each))


def line(diagnosis: Diagnosis) -> str:
    mark = click.style("✓", fg="green") if diagnosis.works else click.style("✗", fg="red")
    remark = f"does not work here: {diagnosis.problem}" if diagnosis.problem else "works here"
    chosen = ", and is what --isolate auto means" if diagnosis.chosen else ""
    return f"{mark} {diagnosis.level}: {remark}{chosen}"
