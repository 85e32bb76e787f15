"""The bundled games, each a package of the same shape.

- `components.py`: what is in the box, the names by which bots know it, and ready-made moves
- `state.py`: the rules, one class in the order of the rulebook
- `sight.py`: what a seat sees, and the worlds it can imagine
- `telling.py`: what happens, in English
- `promises.py`: what is conserved and what is hidden, for those who check it
- `rulebook.md`: the rules in words; the § marks in the code refer to it

What outgrows its module has another beside it: `bali_wrede/worlds.py` counts the worlds that fit what a seat saw,
`bali_rosenberg/position.py` is the table that its rules work on.
"""

BUNDLED_GAMES = ("kali", "bali_wrede", "bali_rosenberg")
"""Each is a package of its name; its `GAME` names all that it brings, as in the packages of other people."""
