"""A miniature course: one function, one class, two checks, two mistakes.

`build(root)` writes what an author writes and lets the real `grade stub mini` make the rest.
The texts are kept in `FILES` under their places in the course, so that a test can change one
of them and see what comes of it.
"""

from __future__ import annotations

from pathlib import Path

from helpers import grade

MANIFEST = """\
format: 1
title: Doubling
submission: mini.ipynb
checks:
  double:
    points: 60
    hints: ["How often does x stand in the answer?", "Add x to itself."]
  box:
    points: 40
    needs: [double]
    hints: ["Which function do you have already?", "Keep what double gives for the number."]
"""

REFERENCE = '''\
# %% [markdown]
# # Doubling
#
# Write a function, then a box that uses it.

# %%
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION: write double
    return x + x
    ### END SOLUTION


# %%
class Box:
    """Keeps a number."""

    def __init__(self, number):
        self.number = number

    def grow(self):
        """Doubles the number that is kept."""
        ### BEGIN SOLUTION
        # STUB: if self.number:  # an empty box stays empty
        # STUB:     raise NotImplementedError("make the box grow")
        self.number = double(self.number)
        ### END SOLUTION


# %% [markdown]
# Look at a box before and after.

# %% tags=["demo"]
box = Box(2.5)
box.grow()
print(box.number)
'''

VISIBLE_DOUBLE = '''\
"""Doubling: twice the number."""


def test_three(student):
    """Twice 3 is 6."""
    assert student.double(3) == 6
'''

HIDDEN_DOUBLE = '''\
"""Doubling: twice the number."""

from pytest import approx


def test_any(student, rng):
    """Twice any number."""
    x = rng.uniform(3, 9)
    assert student.double(x) == approx(2 * x)
'''

VISIBLE_BOX = '''\
"""A box grows: it keeps twice its number."""

from pytest import approx


def test_grow(student):
    """A box of 2.5 holds 5 when it has grown."""
    box = student.Box(2.5)
    box.grow()
    assert box.number == approx(5.0)
'''

HIDDEN_BOX = '''\
"""A box grows: it keeps twice its number."""

from pytest import approx


def test_grow_twice(student, rng):
    """A box that grows twice holds four times its number."""
    x = rng.uniform(3, 9)
    box = student.Box(x)
    box.grow()
    box.grow()
    assert box.number == approx(4 * x)
'''

MISTAKES = """\
Mistake(
    "double_squares",
    "The number is multiplied by itself. Twice a number is the number added to itself.",
    edits={"return x + x": "return x * x"},
    fails="double box",
)

Mistake(
    "box_forgets",
    "The box doubles its number and does not keep the result.",
    edits={"self.number = double(self.number)": "double(self.number)"},
    fails="box",
)
"""

FILES = {
    "assignments/mini/assignment.yaml": MANIFEST,
    "assignments/mini/checks/test_double.py": VISIBLE_DOUBLE,
    "assignments/mini/checks/test_box.py": VISIBLE_BOX,
    "solutions/mini/mini.py": REFERENCE,
    "solutions/mini/salt.txt": "a pinch of salt\n",
    "solutions/mini/checks/test_double.py": HIDDEN_DOUBLE,
    "solutions/mini/checks/test_box.py": HIDDEN_BOX,
    "solutions/mini/mistakes/doubling.py": MISTAKES,
}


def build(root: Path) -> Path:
    """The whole course in `root`, sound, with its generated files."""
    for name, text in FILES.items():
        put(root, name, text)
    ran = grade("stub", "mini", cwd=root)
    assert ran.code == 0, ran.text
    return root


def put(root: Path, name: str, text: str) -> Path:
    """Write a file of the course; gives its path."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def change(root: Path, name: str, old: str, new: str) -> Path:
    """Put `new` into the place of `old`, which is in the file once; gives the file's path."""
    path = root / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {text.count(old)} times: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def add_second(root: Path, name: str, reference: str) -> Path:
    """A second assignment with the first one's checks and another reference; gives its path."""
    for place, text in FILES.items():
        if place.endswith((".yaml", ".txt")) or "/checks/" in place:
            put(root, place.replace("/mini/", f"/{name}/"), text.replace("mini.ipynb", f"{name}.ipynb"))
    return put(root, f"solutions/{name}/{name}.py", reference)


def unmarked(reference: str) -> str:
    """The reference as an author leaves it who forgets the markers: everything is open."""
    lines = reference.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith(("### ", "# STUB:")))
