"""One name on the user's machine, and dependencies that point one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {"engine", "protocol", "harness", "bots"}
FACE = ROOT / "harness" / "face"
MAY_USE = {
    "engine": {"engine"},
    "protocol": {"protocol"},
    "harness": {"harness", "engine", "protocol"},
    "bots": {"bots", "engine", "protocol", "kit"},
}
WORLD = {
    "asyncio", "click", "io", "msgpack", "os", "pathlib", "secrets", "select", "signal", "socket", "sqlite3",
    "subprocess", "sys", "tempfile", "threading", "time", "datetime", "trio", "uuid",
}  # fmt: skip

modules = [path for folder in sorted(FOLDERS) for path in sorted((ROOT / folder).rglob("*.py"))]
inner = [path for path in modules if path.parent != FACE]
everything = modules + [
    path for name in ("tests", "examples") for path in sorted((ROOT / name).rglob("*.py"))
]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(path: Path) -> Iterator[str]:
    """The full names of the modules that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def ours(path: Path) -> set[str]:
    """The parts of dalang that a module imports."""
    parts = [name.split(".") for name in imported(path)]
    return {part[1] for part in parts if part[0] == "dalang" and len(part) > 1}


@pytest.mark.parametrize("path", everything, ids=shown)
def test_nothing_is_imported_by_the_bare_name_of_a_folder(path: Path) -> None:
    """From the root of the repository `engine` and `dalang.engine` would be two modules."""
    assert not {name.partition(".")[0] for name in imported(path)} & FOLDERS
    assert not [name for name in imported(path) if name.startswith("dalang.harness.face")]


@pytest.mark.parametrize("path", inner, ids=shown)
def test_imports_go_one_way(path: Path) -> None:
    assert ours(path) <= MAY_USE[path.relative_to(ROOT).parts[0]]


@pytest.mark.parametrize("path", sorted((ROOT / "engine").rglob("*.py")), ids=shown)
def test_the_engine_touches_no_world(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imported(path)} & WORLD


@pytest.mark.parametrize("path", sorted((ROOT / "engine").rglob("*.py")), ids=shown)
def test_the_engine_uses_no_global_randomness(path: Path) -> None:
    """`Random` objects with a seed are fine; the module's own functions share one hidden state."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.Import) and node.names[0].name == "random"
    ]


def test_a_bot_that_imports_the_kit_loads_neither_engine_nor_harness() -> None:
    code = "import sys, dalang.kit; print(*(n for n in sys.modules if n.startswith('dalang.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"dalang.kit", "dalang.bots", "dalang.bots.kit"}
