"""What bots write is shown and nothing else: no terminal, spreadsheet or page takes an order from it."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.harness.escaping import (
    for_csv,
    for_json,
    for_markdown,
    for_markdown_cell,
    for_page,
    for_terminal,
    plain_lines,
)

ORDERS = "\x1b]0;title\x07\x1b[2J\x9b2J\r\x1b[31m\u202emirrored"
"""Set the title, clear the screen twice, go back to the beginning of the line, be red, and turn what follows."""
FORMULA = "=cmd()|<script>x</script>`[a](b)"
"""A name that can be printed, but means something to a spreadsheet and to a page."""


# ---- Each sort of place


def test_a_terminal_gets_our_colours_and_lines_and_no_orders() -> None:
    ours = f"{click.style('good', fg='green', bold=True)}\n{click.style('dim', dim=True)}"
    assert for_terminal(ours) == ours
    assert for_terminal(ORDERS) == "·]0;title··[2J·2J·\x1b[31m·mirrored"
    assert plain_lines(f"{ORDERS}\n{ORDERS}").count("·[31m") == 2


@given(st.text())
def test_whatever_is_printed_can_be_printed(text: str) -> None:
    assert re.sub("\n|\x1b\\[([012]|3[0-7])m", "", for_terminal(text)).isprintable()
    assert plain_lines(text).replace("\n", "").isprintable()


@given(
    st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_json_tells_the_same_in_letters_that_can_be_printed(data: object) -> None:
    assert json.loads(for_json(data)) == data
    assert for_json(data).isprintable()


@given(st.text(alphabet="=+-@＝＋－＠ \t\ra';\"", max_size=8))
def test_no_cell_is_a_formula(text: str) -> None:
    """Nor where a spreadsheet parts cells by semicolons, and does not mind quotes."""
    for cell in for_csv(text).split(";"):
        assert not cell.lstrip(' "').startswith(tuple("=+-@＝＋－＠"))
    assert for_csv(-1.5) == -1.5
    assert for_csv("a;b=c") == "a;b=c"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain-name_2", "plain-name_2"),
        ("too many faults", "too many faults"),
        ("_a_", "`_a_`"),
        ("<script>", "`<script>`"),
        ("[a](b)", "`[a](b)`"),
        ("www.example.org", "`www.example.org`"),
        ("@somebody", "`@somebody`"),
        ("a`b``c", "```a`b``c```"),
        ("`", "`` ` ``"),
        ("a\nb", "`a·b`"),
    ],
)
def test_markdown_has_no_meaning(text: str, shown: str) -> None:
    assert for_markdown(text) == shown


@given(st.text())
def test_a_cell_of_a_markdown_table_is_one(text: str) -> None:
    assert "|" not in for_markdown_cell(text).replace(r"\|", "")
    assert "\n" not in for_markdown_cell(text)


def test_a_page_gets_its_data_without_orders() -> None:
    assert for_page({ORDERS: [ORDERS, 1, None]}) == {for_page(ORDERS): [for_page(ORDERS), 1, None]}
    assert for_page(ORDERS).isprintable()


# ---- All commands


BOT = f"""
import sys
from dalang.kit import run

def choose(request):
    choose.asked += 1
    request.note = {ORDERS!r}
    sys.stderr.write({ORDERS!r} + "\\n")
    if choose.asked > 3:
        sys.exit(1)
    return 0

choose.asked = 0
run(choose, name={ORDERS!r}, version={ORDERS!r})
"""


def dalang(*words: str | Path) -> tuple[int, str]:
    """Exit code and what was printed, all of which can be."""
    done = subprocess.run(
        [sys.executable, "-m", "dalang", *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    printed = done.stdout.decode() + done.stderr.decode()
    assert printed.replace("\n", "").isprintable(), printed
    return done.returncode, done.stdout.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that gives orders wherever it may write, under a name that is a formula."""
    folder = tmp_path_factory.mktemp("orders")
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    (folder / "bot.toml").write_text(f"name = '{FORMULA}'\ncommand = 'python3 bot.py'\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def db(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("db") / "t.db"
    code, shown = dalang("run", "kali", folder, "random", "--blocks", "2", "--seed", "1", "--db", db)
    assert code == 0
    assert FORMULA in shown
    return db


@pytest.mark.slow
def test_match_and_check_show_it(folder: Path) -> None:
    code, shown = dalang("match", "kali", folder, "random", "--seed", ORDERS)
    assert code == 0
    assert "seed ·]0;title" in shown
    assert "stderr: ·]0;title" in shown
    assert "“·]0;title" in shown
    code, shown = dalang("check", folder, "--game", "kali")
    assert code == 1
    assert "stderr: ·]0;title" in shown


@pytest.mark.slow
@pytest.mark.parametrize("build", [False, True])
def test_a_bot_that_dies_at_the_start_or_cannot_be_built(build: bool, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"import sys\nsys.exit({ORDERS!r})\n", encoding="utf-8")
    words = ["command = 'python3 bot.py'", *["build = 'python3 bot.py'"] * build]
    (tmp_path / "bot.toml").write_text("\n".join(words), encoding="utf-8")
    for command in (
        ["match", "kali", tmp_path, "random"],
        ["run", "kali", tmp_path, "random", "--db", tmp_path / "t"],
    ):
        assert dalang(*command)[0] == 2


@pytest.mark.slow
def test_standings_in_every_format(db: Path) -> None:
    assert FORMULA in dalang("standings", db, "--crosstable", "--times")[1]
    rows = list(csv.DictReader(dalang("standings", db, "--format", "csv")[1].splitlines()))
    assert {row["name"] for row in rows} == {f"'{FORMULA}", "random"}
    data = json.loads(dalang("standings", db, "--json")[1])
    assert {row["name"] for row in data["standings"]} == {FORMULA, "random"}
    table = dalang("standings", db, "--format", "markdown", "--crosstable", "--times")[1]
    shown = FORMULA.replace("|", r"\|")
    assert table.count(f"``{shown}``") == table.count(shown) >= 3


@pytest.mark.slow
def test_a_name_that_somebody_has_written_into_the_file(db: Path, tmp_path: Path) -> None:
    changed = tmp_path / "t.db"
    changed.write_bytes(db.read_bytes())
    with closing(sqlite3.connect(changed)) as connection, connection:
        connection.execute("update bot set name = ? where name = 'random'", (ORDERS,))
        connection.execute("update seat set bot = ? where bot = 'random'", (ORDERS,))
    for format_ in ("table", "csv", "markdown"):
        assert "·]0;title" in dalang("standings", changed, "--format", format_)[1]
    data = json.loads(dalang("standings", changed, "--json")[1])
    assert ORDERS in {row["name"] for row in data["standings"]}
    assert "·]0;title" in dalang("replay", changed)[1]
    assert dalang("verify", changed)[0] == 1


@pytest.mark.slow
def test_replay_and_report_show_it(db: Path, tmp_path: Path) -> None:
    story = dalang("replay", db, "0.0", "--text")[1]
    assert "“·]0;title" in story
    assert "stderr: ·]0;title" in story
    assert json.loads(dalang("replay", db, "0.0", "--json")[1])["faults"][0]["stderr"]
    page = tmp_path / "page.html"
    assert dalang("report", db, "-o", page)[0] == 0
    assert "<script>x" not in page.read_text(encoding="utf-8")
    assert not re.search(
        r"\\u(00[01]|007f|00[89]|202e)", page.read_text(encoding="utf-8").replace("\\u003c", "")
    )


@pytest.mark.slow
def test_the_pages_of_a_comparison(folder: Path, tmp_path: Path) -> None:
    pages = ["--markdown", tmp_path / "m.md", "--junit", tmp_path / "j.xml"]
    code, shown = dalang("compare", "kali", folder, "random", "--max-blocks", "2", "--seed", "1", *pages)
    assert code == 4
    assert FORMULA in shown
    markdown = (tmp_path / "m.md").read_text(encoding="utf-8")
    assert FORMULA in markdown
    assert all(f"``{name}``" in markdown for name in (FORMULA, FORMULA.replace("|", r"\|")))
    assert ElementTree.parse(tmp_path / "j.xml").getroot()[0].get("failures") == "1"
