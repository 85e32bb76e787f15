"""Findings as JUnit XML, in the form that viewers of CI systems commonly accept; tests/junit.xsd states it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from dalang.harness.escaping import plain_lines


@dataclass(frozen=True)
class Case:
    """One sentence and whether it is true."""

    name: str
    failure: str = ""
    """What is wrong; the first line is its headline."""
    skipped: str = ""
    """Why it cannot be told."""
    output: str = ""
    seconds: float | None = None
    """None where times are nobody's business."""


@dataclass(frozen=True)
class Suite:
    """What was tried of one thing."""

    name: str
    classname: str
    cases: Sequence[Case]


def junit(suite: str, classname: str, cases: Sequence[Case]) -> str:
    """One suite of test cases."""
    return junit_of([Suite(suite, classname, cases)])


def junit_of(suites: Sequence[Suite]) -> str:
    root = ElementTree.Element("testsuites")
    root.extend(map(suite_element, suites))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def suite_element(suite: Suite) -> ElementTree.Element:
    cases = suite.cases
    about = {
        "name": plain_lines(suite.name),
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failure) for case in cases)),
        "errors": "0",
        "skipped": str(sum(bool(case.skipped) for case in cases)),
    }
    times = [case.seconds for case in cases if case.seconds is not None]
    if times:
        about["time"] = f"{sum(times):.3f}"
    element = ElementTree.Element("testsuite", about)
    element.extend(case_element(case, suite.classname) for case in cases)
    return element


def case_element(case: Case, classname: str) -> ElementTree.Element:
    element = ElementTree.Element("testcase", classname=plain_lines(classname), name=plain_lines(case.name))
    if case.seconds is not None:
        element.set("time", f"{case.seconds:.3f}")
    for tag, text in (("failure", case.failure), ("skipped", case.skipped)):
        if text:
            remark = ElementTree.SubElement(element, tag, message=plain_lines(text.splitlines()[0]))
            remark.text = plain_lines(text)
    if case.output:
        ElementTree.SubElement(element, "system-out").text = plain_lines(case.output)
    return element
