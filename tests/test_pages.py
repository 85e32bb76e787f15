"""Rulebooks on a terminal."""

from __future__ import annotations

import pytest

from dalang.engine.catalogue import games
from dalang.engine.game import Game
from dalang.harness.people.pages import page

EXAMPLE = """# Title
A first line
and its second.

- **§1** one point that is longer than the line may be
- another

| id | what |
|---|---|
| D1 | several words in one cell of a table |

```
code   stays
```
"""


def test_paragraphs_items_tables_and_code_are_laid_out() -> None:
    assert page(EXAMPLE, 30).splitlines()[1:] == [
        "A first line and its second.",
        "",
        "- §1 one point that is longer",
        "  than the line may be",
        "- another",
        "",
        "id    what",
        "----  --------------------",
        "D1    several words in one",
        "      cell of a table",
        "",
        "    code   stays",
    ]


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("game", games().values(), ids=games().keys())
def test_every_rulebook_fits_the_terminal_and_keeps_its_words(game: Game, width: int) -> None:
    text = game.rulebook.read_text(encoding="utf-8")
    lines = page(text, width).splitlines()
    fenced = {"    " + line for line in text.splitlines()}  # code is not broken
    assert (
        max(len(line) for line in lines if line not in fenced) <= min(width, 100) + 8
    )  # a heading's escape codes
    for word in text.replace("*", "").replace("`", "").replace("|", " ").split():
        if word.isalpha():
            assert any(word in line for line in lines), word
