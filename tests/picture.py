"""The documents' pictures of reports: `python -m tests.picture` plays two tournaments and photographs their pages."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.browser import Page, browsing, chromium
from tests.test_tournament import ROOT, dalang

WIDTH = 1280


class Picture(NamedTuple):
    name: str
    game: str
    bots: tuple[str, ...]
    settings: tuple[str, ...]
    moment: str
    scheme: str
    first: str
    """The picture begins at the top of this element,"""
    last: str
    """and ends at the foot of this one."""


PICTURES = (
    Picture(
        "report", "kali", ("bold", "cautious", "random", "first", "twin=random"), ("--seats", "3", "--blocks", "25"),
        "", "light", "header", "#crosstable",
    ),
    Picture(
        "match", "bali_rosenberg", ("guardian", "random", "first", "twin=guardian"), ("--seats", "3", "--blocks", "1"),
        "#match=0.0&seat=0&step=100", "dark", "#matches", "#matches",
    ),
)  # fmt: skip


def write_report(picture: Picture, folder: Path) -> Path:
    db, html = folder / f"{picture.name}.db", folder / f"{picture.name}.html"
    dalang("run", picture.game, *picture.bots, *picture.settings, "--seed", "picture", "--db", str(db))
    dalang("report", str(db), "-o", str(html))
    return html


def photograph(page: Page, picture: Picture, html: Path) -> bytes:
    page.size(WIDTH, 900)
    page.prefer(picture.scheme)
    page.open(html, picture.moment)
    page.size(WIDTH, page.run("document.documentElement.scrollHeight"))
    page.run("scrollTo(0, 0)")
    top = page.run(f"document.querySelector('{picture.first}').getBoundingClientRect().top")
    foot = page.run(f"document.querySelector('{picture.last}').getBoundingClientRect().bottom")
    return page.picture(top, WIDTH, foot - top + 16)


def main() -> None:
    program = chromium()
    assert program, "there is no chromium; on Debian: apt-get install chromium"
    with browsing(program) as page, TemporaryDirectory() as folder:
        for picture in PICTURES:
            html = write_report(picture, Path(folder))
            (ROOT / "docs" / "pictures" / f"{picture.name}.png").write_bytes(photograph(page, picture, html))


if __name__ == "__main__":
    main()
