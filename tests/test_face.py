"""The public face: every name is there, is explained, and has an example that runs."""

from __future__ import annotations

import ast
import doctest
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import dalang.kit
import dalang.testing

ROOT = Path(__file__).parent.parent
DOORS = [path.stem for path in sorted((ROOT / "harness" / "face").glob("*.py")) if path.stem[0] != "_"]
BEHIND = [path.stem for path in sorted((ROOT / "engine" / "testing").glob("*.py"))]
MODULES = [
    "dalang",
    *(f"dalang.{name}" for name in DOORS),
    *(f"dalang.engine.testing.{name}".removesuffix(".__init__") for name in BEHIND),
]


def examples(module: ModuleType) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "tests" / "old" / "kali-0.1.0.sqlite", tmp_path / "kali.db")
    monkeypatch.chdir(tmp_path)
    for test in examples(import_module(name)):
        said: list[str] = []
        doctest.DocTestRunner().run(test, out=said.append)
        assert not said, "".join(said)


@pytest.mark.parametrize("name", DOORS)
def test_a_door_only_opens(name: str) -> None:
    """What is public is listed and explained; nothing is made at the door."""
    door = import_module(f"dalang.{name}")
    for public in door.__all__:
        thing = getattr(door, public)
        assert getattr(thing, "__module__", "") != door.__name__
    assert sorted(door.__all__) == sorted(name for name in vars(door) if name[0] != "_")


@pytest.mark.parametrize(
    ("door", "public"),
    [
        (door, name)
        for door in (dalang, dalang.kit, dalang.testing)
        for name in door.__all__
        if name[0] != "_"
    ],
)
def test_every_public_name_is_explained_by_an_example(door: ModuleType, public: str) -> None:
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for name in MODULES
        for test in examples(import_module(name))
        for example in test.examples
        for node in ast.walk(ast.parse(example.source))
        if isinstance(node, ast.Attribute | ast.Name)
    }
    assert getattr(door, public).__doc__
    assert public in used
