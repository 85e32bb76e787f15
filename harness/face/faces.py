"""What the face of a game imports: how it looks to people at a terminal.

A game names its face by its place, `face="nim.face:FACE"`, and it is loaded when somebody sits down:

>>> from dalang.faces import Decision, Face, Scene, grid, heading, painted
>>> def picture(scene: Scene) -> list[str]:
...     rows = [[scene.mark(seat), scene.name(seat), held] for seat, held in enumerate(scene.view["held"])]
...     title = painted(heading(f" {scene.view['heap']} on the heap"), fg="yellow")
...     return [title, *grid(rows, ["", "player", "stones"], words=(0, 1))]
>>> face = Face(picture=picture, decisions={"take": Decision("How many do you take?", "§2.1")})
>>> import click
>>> view = {"you": 0, "asked": 1, "decision": "take", "heap": 6, "held": [2, 3]}
>>> for line in face.picture(Scene(view, ["ann", "bob"])):
...     print(click.unstyle(line))
 6 on the heap
    player  stones
    ann          2
 ►  bob          3
>>> face.question("take")
'How many do you take?'
"""

from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import Decision, Scene, grid, heading, painted

__all__ = ["Decision", "Face", "Scene", "grid", "heading", "painted"]
