"""One name on the user's machine, names that mean one thing, and dependencies that point one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from dalang.engine.catalogue import bundled_games
from tests.conftest import ON_EVERY_PYTHON, TOGETHER

ROOT = Path(__file__).parent.parent
FOLDERS = {"engine", "protocol", "harness", "bots"}
FACE = ROOT / "harness" / "face"
MAY_USE = {
    "engine": {"engine"},
    "protocol": {"protocol"},
    "harness": {"harness", "engine", "protocol", "kit", "__version__"},
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
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


LEARNERS = {"gymnasium", "numpy", "pettingzoo"}


@pytest.mark.parametrize("path", inner, ids=shown)
def test_only_learners_need_what_only_they_have(path: Path) -> None:
    needed = {name.partition(".")[0] for name in imported(path)} & LEARNERS
    assert not needed or path.is_relative_to(ROOT / "harness" / "learn")


def test_a_bot_that_imports_the_kit_loads_neither_engine_nor_harness() -> None:
    code = "import sys, dalang.kit; print(*(n for n in sys.modules if n.startswith('dalang.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"dalang.kit", "dalang.bots", "dalang.bots.kit"}


# ---- Names

SHARED = {
    "engine/games": {
        *(
            "GAME",
            "LEARNING",
            "PROMISES",
            "CARD",
            "CARDS",
            "COPIES",
            "PRIEST",
            "UNKNOWN",
        ),  # what a game is made of
        *("PASS", "PLAY", "TAKE"),  # moves that have the same verb
        *("MOVES", "PASSES", "SENTENCES"),  # how a game is told
    },
    "harness/people/tables": {"COLOURS", "DECISIONS", "FACE", "HEADS"},  # how a game is shown
    "bots": {"CHIP", "POLICY"},  # what a bot thinks of a game
    "": {"Plain", "T"},  # data in messages and in the engine, neither of which imports the other; any type
}
"""By folder: ideas that several of its modules have, each in its own way."""


def classes_and_constants(path: Path) -> set[str]:
    """What a module defines and is spelled with a capital."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
    within = (
        each for node in body if isinstance(node, ast.Assign | ast.AnnAssign) for each in ast.walk(node)
    )
    stored = {each.id for each in within if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return {name for name in classes | stored if name[0].isupper()}


def home(name: str, path: Path) -> str:
    """The module that defines a name, or the folder that shares it."""
    shared = [
        folder for folder, names in SHARED.items() if name in names and path.is_relative_to(ROOT / folder)
    ]
    return shared[0] if shared else shown(path)


def test_a_class_or_a_constant_has_a_name_of_its_own() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in modules:
        for name in classes_and_constants(path):
            homes[name].add(home(name, path))
    assert not {name: places for name, places in homes.items() if len(places) > 1}


# ---- Games

ASSETS = sorted((ROOT / "harness" / "report" / "assets").iterdir())


def belongs_to_a_game(path: Path) -> bool:
    """Its rules, a part that it brings, or a bot that plays nothing else."""
    return (
        path.is_relative_to(ROOT / "engine" / "games")
        or path.stem.startswith(bundled_games())
        or path.match("bots/*_bot.py")
    )


def words_of(path: Path) -> set[str]:
    """Texts that are one word, and parts of the names of modules that are imported."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {word for name in imported(path) for word in name.split(".")}


@pytest.mark.parametrize("path", [path for path in modules if not belongs_to_a_game(path)], ids=shown)
def test_nobody_but_a_game_names_it(path: Path) -> None:
    """What is to be known of a game it brings itself, as those of other people do."""
    assert not words_of(path) & set(bundled_games())


@pytest.mark.parametrize("path", [path for path in ASSETS if not belongs_to_a_game(path)], ids=shown)
def test_no_part_of_the_page_but_its_drawing_names_a_game(path: Path) -> None:
    assert not [name for name in bundled_games() if name in path.read_text(encoding="utf-8").lower()]


# ---- Rooms

EDGES = ("cli", "people", "terminal")
"""The rooms that talk to a person, and the door through which they do."""
harness = [path for path in inner if path.is_relative_to(ROOT / "harness") and path.name != "__init__.py"]


def room(path: Path) -> str:
    return path.relative_to(ROOT / "harness").parts[0].removesuffix(".py")


def test_no_room_of_the_harness_needs_a_room_that_needs_it() -> None:
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for path in harness:
        parts = [name.split(".") for name in imported(path) if name.startswith("dalang.harness.")]
        needs[room(path)] |= {part[2] for part in parts} - {room(path)}
    assert set(needs) >= {
        "match",
        "entrants",
        "tournament",
        "statistics",
        "people",
        "compare",
        "report",
        "cli",
    }
    TopologicalSorter(needs).prepare()


@pytest.mark.parametrize("path", [path for path in harness if room(path) not in EDGES], ids=shown)
def test_only_the_edge_prints(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    assert not {"print", "click.echo", "click.secho", "echo"} & set(map(ast.unparse, calls))


FILE = ("store.py", "opening.py", "machine_tables.py", "strays.py", "submission_table.py", "file_errors.py")


@pytest.mark.parametrize("path", [path for path in harness if path.name not in FILE], ids=shown)
def test_sql_stands_in_the_store_only(path: Path) -> None:
    assert "sqlite3" not in {name.partition(".")[0] for name in imported(path)}
    text = path.read_text(encoding="utf-8")
    assert "store.rows(" not in text and "store.connection" not in text


# ---- What a start waits for

HEAVY = {
    *(
        "attr",
        "dask",
        "distributed",
        "email",
        "importlib.metadata",
        "msgpack",
        "sqlite3",
        "ssl",
        "tabulate",
        "tqdm",
        "trio",
        "trueskill",
        "xml",
    ),
    *("backports.zstd", "compression.zstd", "dalang.engine.games", "dalang.harness.isolation.cell"),
}
"""What a page of help can do without."""


def loaded_by(code: str) -> set[str]:
    """The modules that a Python has loaded when it comes to its end."""
    telling = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
    done = subprocess.run([sys.executable, "-c", telling + code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def loaded_by_command(word: str) -> set[str]:
    return loaded_by(f"sys.argv[1:] = [{word!r}]; import dalang.__main__; dalang.__main__.main()")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_a_page_of_help_waits_for_nothing_heavy(word: str) -> None:
    found = loaded_by_command(word)
    assert "dalang.harness.cli.main" in found
    assert not found & HEAVY


def test_a_run_that_asks_for_no_cluster_loads_nothing_of_dask() -> None:
    found = loaded_by("import dalang.harness.cli.tournament, dalang.harness.cli.compare")
    assert "dalang.harness.tournament.run" in found
    assert not found & {"dask", "distributed", "tornado", "dalang.harness.cluster"}


def test_the_list_of_games_needs_nothing_that_plays() -> None:
    found = loaded_by_command("games")
    assert "dalang.engine.games.kali" in found
    assert not found & {"msgpack", "sqlite3", "tqdm", "trio", "trueskill", "dalang.harness.isolation.cell"}


def test_a_worker_waits_for_no_database_no_other_packages_and_no_command_line() -> None:
    found = loaded_by("import dalang.harness.tournament.worker")
    assert "trio" in found
    assert not found & {"click", "email", "importlib.metadata", "sqlite3", "tabulate", "tqdm", "trueskill"}
    assert "dalang.engine.games" not in found  # until it is told which one


def test_a_game_that_is_bundled_is_found_without_the_others() -> None:
    found = loaded_by("import dalang; dalang.game('kali')")
    assert "dalang.engine.games.kali" in found
    assert not found & {"dalang.engine.games.bali_wrede", "dalang.engine.plugins", "importlib.metadata"}


@pytest.mark.parametrize("place", [*TOGETHER, *ON_EVERY_PYTHON])
def test_tests_that_are_named_are_there(place: str) -> None:
    path, _, name = place.partition("::")
    assert f"def {name or 'test_'}" in (ROOT / path).read_text(encoding="utf-8")
