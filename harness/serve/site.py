"""Which address shows what: a tournament at the root, or several in folders of their own with a list of them.

The same addresses are files for `--static`: whatever a page asks for it asks for relative to its own place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from html import escape
from http import HTTPStatus
from pathlib import Path

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.escaping import printable
from dalang.harness.report.page import FEED, asset, filled_in, live_page, live_script
from dalang.harness.serve.http import CONTENT_POLICY, NOT_FOUND, Sent, Streamed, refusal
from dalang.harness.serve.show import Show
from dalang.harness.tournament.stored import UNREADABLE
from dalang.harness.tournament.terms import Terms

HTML, CSS = "text/html; charset=utf-8", "text/css; charset=utf-8"
SCRIPT, JSON_DATA = "text/javascript; charset=utf-8", "application/json"
MATCH_ADDRESS = re.compile(r"(match|follow)/(\d{1,10})\.(\d{1,3})(\.json)?")
"""A finished match ends with .json, one that is followed does not."""
TOO_EARLY = refusal(
    HTTPStatus.NOT_FOUND, "it is not finished, or its deal is still being played: see --open-hands"
)
DAMAGED = refusal(
    HTTPStatus.INTERNAL_SERVER_ERROR, "it cannot be read; `dalang verify` tells the organiser why"
)


def fixed_files(terms: Terms, source: str) -> dict[str, Sent]:
    """What never changes of the pages of a tournament, by name."""
    return {
        "index.html": Sent(live_page(terms.name, source, CONTENT_POLICY).encode(), HTML),
        "style.css": Sent(asset("style.css").encode(), CSS),
        "script.js": Sent(live_script(find_game(terms.game)).encode(), SCRIPT),
    }


def list_page(names: dict[str, str]) -> dict[str, Sent]:
    """The way to several tournaments, by folder the name of each; also the folder where names are alike."""
    shown = {folder: escape(printable(name)) for folder, name in names.items()}
    times = Counter(shown.values())
    links = "".join(
        f'<li><a href="{escape(folder)}/">{name}{f" ({escape(folder)})" if times[name] > 1 else ""}</a></li>'
        for folder, name in shown.items()
    )
    text = filled_in("list.html", policy=CONTENT_POLICY, links=links)
    return {"index.html": Sent(text.encode(), HTML), "style.css": Sent(asset("style.css").encode(), CSS)}


def folders(paths: Sequence[Path]) -> dict[str, Path]:
    """A folder for each file, by its name; the root for one that is alone."""
    if len(paths) == 1:
        return {"": paths[0]}
    found: dict[str, Path] = {}
    for path in paths:
        word = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-") or "tournament"
        number = sum(re.fullmatch(rf"{re.escape(word)}(-\d+)?", folder) is not None for folder in found)
        found[f"{word}-{number + 1}" if number else word] = path
    return found


class Theatre:
    """All shows of a site."""

    def __init__(self, shows: dict[str, Show]) -> None:
        self.shows = shows
        self.fixed = {folder: fixed_files(show.growing.terms, FEED) for folder, show in shows.items()}
        if "" not in shows:
            self.fixed[""] = list_page({folder: show.growing.terms.name for folder, show in shows.items()})

    async def answer(self, path: str) -> Sent | Streamed:
        """What is at this address; nothing that is not known here by name is ever looked for."""
        folder, name = self.found(path.removeprefix("/"))
        if folder is None:
            return (
                Sent(b"", status=HTTPStatus.FOUND, location=f"{path}/") if name in self.shows else NOT_FOUND
            )
        if name in self.fixed[folder]:
            return self.fixed[folder][name]
        return await self.moving(self.shows[folder], name) if folder in self.shows else NOT_FOUND

    def found(self, path: str) -> tuple[str | None, str]:
        """Folder and name of what is asked for; no folder if there is none."""
        folder, slash, name = path.partition("/") if "" not in self.shows else ("", "/", path)
        if (not slash and path in self.fixed[""]) or not path:
            return "", path or "index.html"
        if not slash or folder not in self.shows:
            return None, path
        return folder, name or "index.html"

    async def moving(self, show: Show, name: str) -> Sent | Streamed:
        """What changes while it is played."""
        if name == "feed":
            return Streamed(show.feed.listen)
        if name == "overview.json":
            await show.up_to_date()
            return Sent(show.latest(), JSON_DATA)
        address = MATCH_ADDRESS.fullmatch(name)
        if not address:
            return NOT_FOUND
        what, block, rotation, ending = address.groups()
        return await self.match(show, what, MatchKey(int(block), int(rotation)), bool(ending))

    async def match(self, show: Show, what: str, key: MatchKey, is_file: bool) -> Sent | Streamed:
        if what == "match" and is_file:
            return await self.finished(show, key)
        followed = None if is_file or what == "match" else await show.to_follow(key)
        return Streamed(partial(show.follow, followed)) if followed else NOT_FOUND

    async def finished(self, show: Show, key: MatchKey) -> Sent:
        try:
            found = await show.match(key)
        except (SetupError, *UNREADABLE):
            return DAMAGED
        return Sent(found, JSON_DATA) if found else TOO_EARLY
