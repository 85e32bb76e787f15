"""How the folders of this repository become the package `dalang`.

`engine/` is imported as `dalang.engine`, and so on; what lies in `harness/face/` is `dalang` itself. A wheel gets the
files under those names. An editable install gets a folder of links, so that what is edited or added is seen at once.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("engine", "protocol", "harness", "bots", "examples")
FACE = Path("harness", "face")
LINKS = Path("build", "dev", "dalang")


class OneName(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        doors = [path.relative_to(root) for path in (root / FACE).iterdir() if path.is_file()]
        if version == "editable":
            link_all(root, [*map(Path, FOLDERS), *doors])
        else:
            build_data["force_include"].update({str(door): f"dalang/{door.name}" for door in doors})


def link_all(root: Path, targets: list[Path]) -> None:
    shutil.rmtree(root / LINKS, ignore_errors=True)
    (root / LINKS).mkdir(parents=True)
    for target in targets:
        (root / LINKS / target.name).symlink_to(os.path.relpath(root / target, root / LINKS))
