"""Names of Python code, by its syntax tree and Python's own table of symbols; nothing is executed."""

from __future__ import annotations

import ast
import symtable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Scope(NamedTuple):
    """The names of statements that stand in a function.

    `stored` are its own, `inner` those of functions and comprehensions in it, `wanted` those that it loads and does not
    store before, in their order, `deleted` those of a `del`.
    """

    stored: set[str]
    inner: set[str]
    wanted: list[str]
    deleted: set[str]


def scope_of(statements: Sequence[ast.stmt]) -> Scope:
    """Return the names of statements as if they were the body of a function."""
    function = ast.parse("def test(): pass")
    function.body[0].body += statements  # type: ignore[attr-defined]
    text = ast.unparse(ast.fix_missing_locations(function))
    tables = list(_tables(text))[1:]
    stored = {symbol.get_name() for symbol in tables[0].get_symbols() if symbol.is_local()}
    inner = {symbol.get_name() for table in tables[1:] for symbol in table.get_symbols() if symbol.is_local()}
    free = {each.get_name() for table in tables for each in table.get_symbols() if each.is_global()}
    every = list(ast.walk(ast.parse(text)))
    bound = {each.asname or each.name for each in every if isinstance(each, ast.alias)}
    bound |= {
        str(each.name)
        for each in every
        if isinstance(each, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler)
    }
    nodes = [node for node in every if isinstance(node, ast.Name)]
    nodes.sort(key=lambda node: (node.lineno, isinstance(node.ctx, ast.Store), node.col_offset))
    first = {node.id: isinstance(node.ctx, ast.Load) for node in reversed(nodes)}
    early = {name for name in stored - bound if first.get(name)}
    wanted = [name for name in dict.fromkeys(node.id for node in nodes) if name in free | early]
    return Scope(stored, inner, wanted, {node.id for node in nodes if isinstance(node.ctx, ast.Del)})


def bound_names(tree: ast.Module) -> set[str]:
    """Return the names that a cell binds, without those that it imports."""
    symbols = next(_tables(ast.unparse(tree))).get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned() and not symbol.is_imported()}


def used_names(tree: ast.Module) -> set[str]:
    """Return the names that a cell loads and does not bind."""
    top, *inner = _tables(ast.unparse(tree))
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    loaded = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    loaded |= {symbol.get_name() for table in inner for symbol in table.get_symbols() if symbol.is_global()}
    return loaded - bound


def _tables(source: str) -> Iterator[symtable.SymbolTable]:
    try:
        waiting = [symtable.symtable(source, "cell", "exec")]
    except SyntaxError:  # such as `nonlocal` outside of a function
        waiting = [symtable.symtable("def test(): ...", "cell", "exec")]
    while waiting:
        table = waiting.pop(0)
        yield table
        waiting += table.get_children()
