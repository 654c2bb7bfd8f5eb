"""Code whose sets have no order that could be seen: it asks for members, and never goes through a set."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.submissions.submission import Block

_UNCLEAR = frozenset(
    {"frozenset", "hash", "__hash__", "globals", "locals", "vars", "eval", "exec", "__dict__", "builtins"}
)


def may_iterate_sets(blocks: Iterable[Block]) -> bool:
    """Return False if every set of this code is a variable that is only asked for members and gets more of them.

    Such code writes `seen = set()`, `node in seen` and `seen.add(node)`. For all other code with sets, True is returned.
    """
    nodes = [node for block in blocks for node in ast.walk(ast.parse(block.source))]
    made = [pair for node in nodes for pair in _made(node)]
    names, allowed = {name.id for name, _ in made}, {id(name) for pair in made for name in pair}
    allowed |= {id(name) for node in nodes for name in _asked(node)}
    return any(_is_unclear(node, names) and id(node) not in allowed for node in nodes)


def _made(node: ast.AST) -> Iterator[tuple[ast.Name, ast.Name]]:
    """Yield the two names of `name = set()`."""
    match node:
        case ast.Assign([ast.Name() as name], ast.Call(ast.Name("set") as maker, [], [])):
            yield name, maker


def _asked(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the name in `x in name`, `x not in name` and `name.add(x)`."""
    match node:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as name]):
            yield name
        case ast.Call(ast.Attribute(ast.Name() as name, "add")):
            yield name


def _is_unclear(node: ast.AST, names: set[str]) -> bool:
    """Return True for what makes a set, takes one from elsewhere, or may use one of `names` in another way."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Name(name) | ast.arg(name):
            return name == "set" or name in names or name in _UNCLEAR
        case ast.Attribute(attr=name):
            return name in _UNCLEAR
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(), right):
            return any(_is_a_view(side) for side in (left, right))
    return False


def _is_a_view(node: ast.expr) -> bool:
    """Return True for keys or items of a dictionary: `&`, `|`, `^` and `-` make sets of them."""
    match node:
        case ast.Call(ast.Attribute(attr="keys" | "items")):
            return True
    return False
