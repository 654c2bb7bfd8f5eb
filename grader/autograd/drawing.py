"""`draw()` in a notebook: the graph below a value as SVG, with the data and the gradient of every node.

It reads the attributes that the course gives a value: `data`, `grad`, `label`, and `_prev` or `_children` with `_op`.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from grader.render.htmlpage import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NODES = 60
WIDTH, LINE, GAP, BETWEEN = 122, 17, 46, 14  # pixels: a box, a line of text, between columns, between boxes
MARGIN, LETTERS, LINE_LETTERS = 6, 10, 14
MOST_ROWS = 4  # of an array


class _Drawing:
    """The picture of a graph; in a terminal, or in a notebook that Jupyter does not trust, lines of text."""

    def __init__(self, svg: str | None, text: str) -> None:
        self._svg, self._text = svg, text

    def __repr__(self) -> str:
        return self._text

    def _repr_svg_(self) -> str | None:
        return self._svg


# From a child to a node -> the heights of the arrow in the columns between them.
_Ways: TypeAlias = dict[tuple[int, int], list[float]]


class Node(NamedTuple):
    """One value of the graph: the lines of its box, its operation, and the indices of its children, with repeats."""

    lines: list[str]
    op: str
    children: list[int]


def draw(root: object) -> _Drawing:
    """Draw the graph below `root`, leaves to the left; a value without a label gets the name that it has in the notebook.

    A graph with more than 60 nodes is not drawn.
    """
    known = reversed(sys._getframe(1).f_globals.items())  # noqa: SLF001  the caller's; the first name counts
    names = {id(value): name for name, value in known if not name.startswith("_")}
    values = _below(root)
    if len(values) > MOST_NODES:
        return _Drawing(None, f"This graph has more than {MOST_NODES} nodes. Draw a smaller part of it.")
    index = {id(value): i for i, value in enumerate(values)}
    nodes = [
        Node(
            _lines(value, names),
            _short(getattr(value, "_op", "")),
            # In a ring, leave out a child that comes later.
            [index[id(child)] for child in _children(value) if index[id(child)] < i],
        )
        for i, value in enumerate(values)
    ]
    return _Drawing(str(svg_of(nodes)), "\n".join(map(_text, nodes)))


def _below(root: object) -> list[object]:
    """Return the root and every value below it, children before parents; a few more than MOST_NODES at most."""
    found: dict[int, object] = {}
    done: list[object] = []

    def visit(value: object) -> None:
        if id(value) not in found and len(found) <= MOST_NODES:
            found[id(value)] = value
            for child in _children(value):
                visit(child)
            done.append(value)

    visit(root)
    return done


def _children(value: object) -> list[object]:
    found = getattr(value, "_prev", None) or getattr(value, "_children", None)
    # By label: a set has no order of its own.
    found = (
        sorted(found, key=lambda child: str(getattr(child, "label", "")))
        if isinstance(found, set | frozenset)
        else found
    )
    return [child for child in found if hasattr(child, "data")] if isinstance(found, list | tuple) else []


def _lines(value: object, names: dict[int, str]) -> list[str]:
    label = _short(getattr(value, "label", "") or names.get(id(value), ""))
    shown = [_field(name, getattr(value, name)) for name in ("data", "grad") if hasattr(value, name)]
    return [label, *(line for lines in shown for line in lines)]


def _field(name: str, value: Any) -> list[str]:
    """Return the lines of a number, or of an array: its shape and, if it is small, its rows."""
    shape = getattr(value, "shape", ())
    if not shape:
        return [f"{name} {_short(value.item() if hasattr(value, 'item') else value)}"]
    if len(shape) > 2 or (len(shape) == 2 and shape[0] > MOST_ROWS):
        return [f"{name} {tuple(shape)}"]
    rows = value.tolist() if len(shape) == 2 else [value.tolist()]
    texts = [" ".join(f"{number:.3g}" for number in row) for row in rows]
    return [f"{name} {tuple(shape)}", *(f" {_cut(text, LINE_LETTERS)}" for text in texts)]


def _short(value: object) -> str:
    return _cut(f"{value:.4g}" if isinstance(value, int | float) else str(value), LETTERS)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _text(node: Node) -> str:
    label, *fields = node.lines
    return ", ".join(filter(None, [label, *map(str.strip, fields), f"by {node.op}" if node.op else ""]))


# --- The picture


def svg_of(nodes: list[Node]) -> str:
    """Return the nodes in columns, each to the right of its children."""
    column: list[int] = []
    for node in nodes:
        column.append(1 + max((column[child] for child in node.children), default=-1))
    high = LINE * max(len(node.lines) for node in nodes) + 6
    tops, ways = _rows(nodes, column, high)
    lefts = [_x_of(place) for place in column]
    wide = max(lefts) + WIDTH + MARGIN
    tall = max([*(top + high for top in tops), *(y for way in ways.values() for y in way)]) + MARGIN
    return fill(
        "autograd/drawing.svg",
        title=_text(nodes[-1]),
        wide=wide,
        tall=tall,
        arrows=list(_arrows(nodes, column, tops, ways, high)),
        boxes=list(zip(nodes, lefts, tops, strict=True)),
        size=(WIDTH, high, LINE),
    )


def _x_of(column: int) -> float:
    return MARGIN + column * (WIDTH + GAP)


def _rows(nodes: list[Node], column: list[int], high: float) -> tuple[list[float], _Ways]:
    """Return the top of each box, and for each arrow its heights in the columns that it passes.

    A box is at the height of the middle of its children, an arrow at the height of its child; nothing overlaps.
    """
    tops = [0.0] * len(nodes)
    ways: _Ways = {(child, i): [] for i, node in enumerate(nodes) for child in node.children}
    for place in range(max(column) + 1):
        wanted = [  # the top, a child or -1 for a box, the node
            (sum(tops[child] for child in node.children) / max(1, len(node.children)), -1, i)
            for i, node in enumerate(nodes)
            if column[i] == place
        ]
        wanted += [
            ([tops[child] + high / 2, *way][-1] - high / 2, child, i)
            for (child, i), way in ways.items()
            if column[child] < place < column[i]
        ]
        free = float(MARGIN)
        for top, child, i in sorted(wanted):
            if child < 0:
                tops[i] = max(free, top)
                free = tops[i] + high + BETWEEN
            else:
                ways[child, i].append(max(free, top + high / 2))
                free = ways[child, i][-1] + BETWEEN
    return tops, ways


def _arrows(
    nodes: list[Node], column: list[int], tops: list[float], ways: _Ways, high: float
) -> Iterator[str]:
    """Yield the path of each arrow; two arrows from one child are apart."""
    for i, node in enumerate(nodes):
        for child, count in Counter(node.children).items():
            heights = [tops[child] + high / 2, *ways[child, i], tops[i] + high / 2]
            places = [(_x_of(place), y) for place, y in enumerate(heights, column[child])]
            points = [(x + right, y) for x, y in places for right in (0, WIDTH)][1:-1]
            for n in range(count):
                bend = 36 * (n - (count - 1) / 2)
                path = "M{:.0f} {:.0f}".format(*points[0])
                for (x, y), (x2, y2) in itertools.pairwise(points):
                    middle = (x + x2) / 2
                    path += f" C{middle:.0f} {y + bend:.0f} {middle:.0f} {y2 + bend:.0f} {x2:.0f} {y2:.0f}"
                yield path
