"""Names of Python code, by its syntax tree and Python's own table of symbols; nothing is executed."""

from __future__ import annotations

import ast
import symtable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Scope(NamedTuple):
    """The names of statements that stand in a function.

    `stored` are its own, `bound` those of them that it does not import, `inner` those of functions and comprehensions in
    it, `wanted` those that it loads and does not store before, in their order, `deleted` those of a `del`.
    """

    stored: set[str]
    bound: set[str]
    inner: set[str]
    wanted: list[str]
    deleted: set[str]


def scope_of(statements: Sequence[ast.stmt]) -> Scope:
    """Return the names of statements as if they were the body of a function."""
    function = ast.parse("def test(): pass")
    function.body[0].body += statements  # type: ignore[attr-defined]
    text = ast.unparse(ast.fix_missing_locations(function)).replace("import *", "import _")
    _, own, *inner = [table.get_symbols() for table in _tables(text)]
    local = [symbol for symbol in own if symbol.is_local()]
    stored = {symbol.get_name() for symbol in local}
    defined = {symbol.get_name() for symbol in local if symbol.is_imported() or symbol.is_namespace()}
    free = {symbol.get_name() for table in (own, *inner) for symbol in table if symbol.is_global()}
    every = list(ast.walk(ast.parse(text)))
    caught = {str(each.name) for each in every if isinstance(each, ast.ExceptHandler)}
    nodes = [node for node in every if isinstance(node, ast.Name)]
    nodes.sort(key=lambda node: (node.lineno, isinstance(node.ctx, ast.Store), node.col_offset))
    first = {node.id: isinstance(node.ctx, ast.Load) for node in reversed(nodes)}
    early = {name for name in stored - defined - caught if first.get(name)}
    return Scope(
        stored,
        {symbol.get_name() for symbol in local if not symbol.is_imported()},
        {symbol.get_name() for table in inner for symbol in table if symbol.is_local()},
        [name for name in dict.fromkeys(node.id for node in nodes) if name in free | early],
        {node.id for node in nodes if isinstance(node.ctx, ast.Del)},
    )


def _tables(source: str) -> Iterator[symtable.SymbolTable]:
    try:
        waiting = [symtable.symtable(source, "cell", "exec")]
    except SyntaxError:  # such as `nonlocal` outside of a function
        waiting = [symtable.symtable("def test(): ...", "cell", "exec")]
    while waiting:
        table = waiting.pop(0)
        yield table
        waiting += table.get_children()
