"""The page: markup, style, scripts and data in one file, which the browser may not let speak to anybody."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from dalang.engine.game import Plain
from dalang.harness.escaping import printable
from dalang.harness.report.data import compact

ASSETS = files(__package__) / "assets"
SCRIPTS = (
    "dom", "charts", "standings", "ratings", "crosstable", "seats", "times", "faults",
    "drawing", "kali", "bali_wrede", "bali_rosenberg", "replay", "viewer", "main",
)  # fmt: skip


def page(data: Plain) -> str:
    script = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    parts = {
        "policy": policy(script),
        "title": escape(printable(data["standings"]["tournament"]["name"])),
        "style": asset("style.css"),
        "data": compact(data).replace("<", "\\u003c"),  # so that it cannot end its own element
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], asset("page.html"))


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def policy(script: str) -> str:
    """Nothing may be loaded from anywhere, and no script may run but ours."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
