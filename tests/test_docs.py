"""The documents: every example is run and shows what the page says, every link leads somewhere, the site is whole."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.catalogue import games
from dalang.harness.cli.main import cli
from dalang.harness.isolation.levels import diagnoses
from dalang.harness.tournament.config import EXAMPLE
from tests.browser import Page
from tests.roomy import room_for
from tests.terminal import LONGEST_WAIT

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
GAMES, INSIDE = ROOT / "docs" / "games.md", ROOT / "docs" / "inside.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
"""What people read first; each stands for itself."""
LINKING = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("protocol/*.md"))]
MOST_LINES = 150
"""Of the front page."""


def named(path: Path) -> str:
    return path.stem


each_page = pytest.mark.parametrize("page", PAGES, ids=named)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def all_blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of every block of code."""
    found = re.findall(r"^( *)```(\w+)\n(.*?)^\1```", text_of(page), re.MULTILINE | re.DOTALL)
    return [(language, textwrap.dedent(block)) for _, language, block in found]


def code_blocks(page: Path, language: str) -> list[str]:
    return [block for written_in, block in all_blocks(page) if written_in == language]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command with the output that the page shows below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


# ---- Examples


@pytest.mark.slow
@each_page
def test_every_example_of_a_page_does_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the page, for one may need what another has made; what they make stays out of the checkout."""
    for path in tracked():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    session: dict[str, Any] = {}
    for language, block in all_blocks(page):
        if language == "console":
            for command, shown in commands(block):
                check_command(command, shown, tmp_path)
        elif language == "pycon":
            check_session(block, session, page)


def check_session(block: str, names: dict[str, Any], page: Path) -> None:
    """What is typed at Python's prompt; later sessions know the names of the earlier ones."""
    said: list[str] = []
    test = doctest.DocTestParser().get_doctest(block, names, page.stem, str(page), 0)
    failed, _ = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not failed, "".join(said)


def tracked() -> Iterator[Path]:
    """What a command may need of the checkout: not what a run has left there."""
    for path in ROOT.iterdir():
        if path.suffix not in (".db", ".html") and path.name != "example_bot":
            yield path


def check_command(command: str, shown: str, folder: Path) -> None:
    if command == "dalang doctor" and not all(each.works for each in diagnoses()):
        return  # it says something else here
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program, name, *_ = command.split()
    roomy = room_for(name) if program == "dalang" else []
    done = subprocess.run(
        " ".join([command, *roomy]),
        shell=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(shown, done.stdout, flags), done.stdout


@each_page
def test_every_command_in_the_text_has_the_options_that_it_is_given(page: Path) -> None:
    """Where it is not run: in sentences, and in blocks for a shell of other machines."""
    text = "\n".join([text_of(page).replace("\n", " "), *code_blocks(page, "sh")])
    given = re.findall(r"(?:`|^)dalang (\w[\w-]*)([^`\n]*)", text, re.MULTILINE)
    for name, words in given:
        known = {flag for option in cli.commands[name].loaded().params for flag in option.opts} | {"--help"}
        flags = {word.partition("=")[0] for word in words.split() if word.startswith("-") and word != "-"}
        assert flags <= known, (name, words)


@each_page
def test_every_bot_and_script_of_a_page_is_a_file_in_examples(page: Path) -> None:
    """There it is tried; the page about games shows tests instead, which are run below."""
    kept = [text_of(path) for path in sorted((ROOT / "examples").rglob("*.py"))]
    for code in code_blocks(page, "python") if page != GAMES else []:
        assert any(code in text for text in kept), code


@each_page
def test_every_toml_of_a_page_can_be_read(page: Path) -> None:
    for text in code_blocks(page, "toml"):
        assert tomllib.loads(text)


def test_the_tests_that_are_shown_pass_for_the_game_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(
        ROOT / "tests"
    )  # where it is a module of its own, as in a package of somebody's
    [points] = code_blocks(GAMES, "toml")
    named = tomllib.loads(points)["project"]["entry-points"]["dalang.games"]
    assert EntryPoint("beach", named["beach"], "dalang.games").load().name == "beach"
    [code] = code_blocks(GAMES, "python")
    tests: dict[str, Any] = {}
    exec(code, tests)
    for name in [name for name in tests if name.startswith("test_")]:
        tests[name]()


def test_the_example_tournament_is_what_init_writes() -> None:
    example = (ROOT / "examples" / "tournament.toml").read_text(encoding="utf-8")
    assert example == EXAMPLE.format(path="examples/tournament.toml", name="tournament")


@pytest.mark.parametrize("name", games())
def test_the_example_game_proves_itself(name: str) -> None:
    script = ROOT / "examples" / "one_game.py"
    done = subprocess.run(
        [sys.executable, script, name], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1].endswith("proved")


# ---- Pages


def test_the_front_page_is_short() -> None:
    assert len(text_of(README).splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", LINKING, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file that is there, no folder, for the site has none; and to a heading of it if one is named."""
    for link, heading in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)]*))?\)", without_code(page)):
        target = page.parent / link if link else page
        assert target.is_file(), link
        assert not heading or heading in anchors(target), (link, heading)


def without_code(page: Path) -> str:
    return re.sub(r"^( *)```.*?^\1```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- (?:.*: )?(\w+\.md)$", text_of(ROOT / "mkdocs.yml"), re.MULTILINE)
    assert set(listed) >= {path.name for path in PAGES if path != README}
    assert len(set(listed)) == len(listed)


def test_the_pictures_of_the_pages_are_there_and_small() -> None:
    pictures = [
        page.parent / name
        for page in PAGES
        for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", without_code(page))
    ]
    assert README.parent / "docs/pictures/report.png" in pictures
    for picture in pictures:
        assert 0 < picture.stat().st_size < 300_000, picture


def test_the_map_names_only_what_exists() -> None:
    for row in re.findall(r"^\| `.*", text_of(INSIDE), re.MULTILINE):
        name, *others = re.findall(r"`([^`]+)`", row)
        assert (ROOT / name).exists(), name
        folder = ROOT / name if (ROOT / name).is_dir() else (ROOT / name).parent
        for other in (other for other in others if re.fullmatch(r"[\w/]+(\.py|\.md|/)", other)):
            assert any(folder.glob(other)) or any(folder.glob(f"*/{other}")) or (ROOT / other).exists(), (
                name,
                other,
            )


# ---- The site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make docs` builds it: a page or heading that a link does not find ends it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [Path(sys.executable).parent / "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.mark.slow
def test_the_site_has_every_page_and_asks_no_other_host(site: Path) -> None:
    pages = [site / path.name for path in site.glob("*.html")]
    assert {path.stem for path in pages} >= {path.stem for path in PAGES if path != README} | {
        "index",
        "spec",
    }
    for page in pages:
        assert re.findall(r"<(?!a )[^>]*?(?:src|href)=[\"']?((?:https?:)?//[^\s\"'>]*)", text_of(page)) == []


@pytest.mark.slow
def test_the_site_opened_as_a_file_can_be_searched_and_fits_a_phone_in_the_dark(
    site: Path, page: Page
) -> None:
    page.read(site / "index.html")
    page.run(
        "(() => { const field = document.querySelector('.md-search__input'); field.focus(); field.value = 'sandbox'; "
        "field.dispatchEvent(new Event('keyup')); })()"
    )
    page.until("document.querySelector('.md-search-result__item')")
    assert "isolation" in page.text(".md-search-result__item").lower()
    page.size(390, 844, phone=True)
    page.prefer("dark")
    page.read(site / "statistics.html")
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.run("document.body.dataset.mdColorScheme") == "slate"
