"""What the site needs beyond the pages of this folder: those that are kept elsewhere, and links that lead to them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
BROUGHT = {
    "index.md": "README.md",
    "spec.md": "protocol/SPEC.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
"""Pages of the site, and where they are kept."""
PLACES = {kept: page for page, kept in BROUGHT.items()}
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
"""A link to a file."""


def on_files(files: Any, config: Any) -> None:
    for page, kept in BROUGHT.items():
        files.append(File.generated(config, page, content=(ROOT / kept).read_text(encoding="utf-8")))
    for kept in linked_sources():
        files.append(File.generated(config, f"source/{kept}.txt", content=(ROOT / kept).read_bytes()))


def linked_sources() -> set[str]:
    """The files of source that pages link to: the site has copies of them."""
    pages = [*BROUGHT.values(), *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
    targets = {
        target_of(page, link)
        for page in pages
        for link in LINK.findall((ROOT / page).read_text(encoding="utf-8"))
    }
    return {
        target
        for target in targets
        if (ROOT / target).is_file() and target not in PLACES and not target.startswith("docs/")
    }


def target_of(page: str, link: str) -> str:
    """The path in the checkout that a link of a page means."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    kept = BROUGHT.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return LINK.sub(lambda link: f"]({place_of(target_of(kept, link[1]))}", markdown)


def place_of(target: str) -> str:
    """Where the site has a file of the checkout."""
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return PLACES.get(target) or f"source/{target}.txt"
