"""Test impact: code that iterates over no set has the same results under every order of sets."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_UNCLEAR = [
    "set",
    "frozenset",
    "hash",
    "__hash__",
    "globals",
    "locals",
    "vars",
    "eval",
    "exec",
    "__dict__",
    "builtins",
]
# Modules that put no object of the student's into a set.
_SETLESS = ("contextlib", "grader", "io", "json", "math", "numpy", "pathlib", "random", "time")


def may_iterate_sets(sources: Sequence[str]) -> bool:
    """Return False if this code uses sets only for membership: it adds to a variable and tests `in`.

    Such code writes `seen = set()`, `node in seen` and `seen.add(node)`. Any other code with sets gives True.
    """
    variables, others = map(frozenset[str]().union, *map(_names_in, sources))
    imports = {name for name in others if name.startswith("import ")}
    known = {f"import {module}" for module in _SETLESS}
    return not imports <= known or not others.isdisjoint({*_UNCLEAR, *variables})


@functools.cache
def _names_in(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables of `name = set()`, and all names except in their `set()`, `in` and `add`.

    What makes a set in another way has the name `set`, an import the name `import MODULE`.
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return frozenset(), frozenset({"set"})  # a part of a text that becomes code
    variables, clear = set[str](), set[ast.Name]()
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name) as made], ast.Call(ast.Name("set") as maker, [], [])):
                variables.add(name)
                clear |= {made, maker}
            case (
                ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as asked])
                | ast.Call(ast.Attribute(ast.Name() as asked, "add"))
                | ast.Call(ast.Name("vars") as asked, [_])  # the attributes of an object
            ):
                clear.add(asked)
    return frozenset(variables), frozenset(
        name for node in nodes if node not in clear for name in _names_of(node)
    )


def _names_of(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(name) | ast.arg(name) | ast.Attribute(attr=name):
            return [name]
        case ast.Set() | ast.SetComp() | ast.BinOp(ast.Call(ast.Attribute(attr="keys" | "items"))):
            return ["set"]
        case ast.BinOp(right=ast.Call(ast.Attribute(attr="keys" | "items"))):
            return ["set"]
        case ast.Import(modules):
            return [f"import {module.name.partition('.')[0]}" for module in modules]
        case ast.ImportFrom(module):
            return [f"import {str(module).partition('.')[0]}"]
    return []
