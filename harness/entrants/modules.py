"""What a script imports from beside it: part of what it is made of, and of what it may read."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from dalang.harness.gate import oddity


def modules_beside(script: Path, found: set[Path]) -> set[Path]:
    """The modules and packages in a script's folder that it imports, directly or not: other bots may lie there too."""
    return imported_from(script.parent, script, found)


def imported_from(folder: Path, script: Path, found: set[Path]) -> set[Path]:
    for name in imported(script):
        package, module = folder / name, module_in(folder, name)
        if package.is_dir() and package not in found:
            found.add(package)
            for inner in sorted(package.rglob("*.py")):
                imported_from(folder, inner, found)
        elif module.is_file() and not package.is_dir() and module not in found:
            found.add(module)
            imported_from(folder, module, found)
    return found


def module_in(folder: Path, name: str) -> Path:
    """Its source; where there is none, what was compiled of it."""
    source = folder / f"{name}.py"
    return source if source.is_file() else source.with_suffix(".pyc")


def imported(script: Path) -> frozenset[str]:
    """The first parts of the names that it imports anywhere; none if it is no Python that we understand."""
    if oddity(script):
        return frozenset()
    try:
        return imported_by(script.read_bytes())
    except OSError:
        return frozenset()


@lru_cache(256)  # a bot is started again and again, and to parse a long script costs others their time
def imported_by(text: bytes) -> frozenset[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    names = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else called_for(node)
        )
    }
    return frozenset(name.partition(".")[0] for name in names) - {""}


def called_for(node: ast.AST) -> list[str]:
    """What is imported by `__import__("name")` or `import_module("name")`."""
    match node:
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            return [name]
    return []
