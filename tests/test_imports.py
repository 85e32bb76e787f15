"""Dependencies point one way: harness → engine, protocol; bots → protocol, engine; those two know nobody."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"engine", "protocol", "harness", "bots"}
MAY_USE = {
    "engine": {"engine"},
    "protocol": {"protocol"},
    "harness": {"harness", "engine", "protocol"},
    "bots": {"bots", "engine", "protocol"},
}
WORLD = {
    "asyncio", "click", "io", "msgpack", "os", "pathlib", "secrets", "select", "signal", "socket", "sqlite3",
    "subprocess", "sys", "tempfile", "threading", "time", "datetime", "trio", "uuid",
}  # fmt: skip

modules = [path for package in sorted(OURS) for path in sorted((ROOT / package).rglob("*.py"))]
name_of = [str(path.relative_to(ROOT)) for path in modules]


def imports(path: Path) -> set[str]:
    """The top-level packages that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("path", modules, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    assert imports(path) & OURS <= MAY_USE[package]


@pytest.mark.parametrize("path", sorted((ROOT / "engine").rglob("*.py")), ids=lambda path: path.stem)
def test_the_engine_touches_no_world(path: Path) -> None:
    assert not imports(path) & WORLD


@pytest.mark.parametrize("path", sorted((ROOT / "engine").rglob("*.py")), ids=lambda path: path.stem)
def test_the_engine_uses_no_global_randomness(path: Path) -> None:
    """`Random` objects with a seed are fine; the module's own functions share one hidden state."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.Import) and node.names[0].name == "random"
    ]
