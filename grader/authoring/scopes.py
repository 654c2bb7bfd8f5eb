"""Names of Python code by its syntax tree: what it stores, and what it loads before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Flow(ast.NodeVisitor):
    """Finds the names that code stores, and those that it loads before: `early`, in the order in which they are met."""

    def __init__(self, stored: Iterable[str] = ()) -> None:
        self.stored, self.early, self.deleted = set(stored), dict[str, None](), set[str]()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.stored.add(node.id)
        elif node.id not in self.stored:
            self.early.setdefault(node.id)
        if isinstance(node.ctx, ast.Del):
            self.deleted.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        for part in (node.value, *node.targets):
            self.visit(part)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name) and node.target.id not in self.stored:
            self.early.setdefault(node.target.id)
        self.visit(node.target)

    def visit_For(self, node: ast.For) -> None:
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.stored.add(node.name)
        for part in (*node.decorator_list, *node.args.defaults):
            self.visit(part)
        self._inner(argument_names(node.args), node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.stored.add(node.name)
        self._inner((), [*node.bases, *node.body])

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._inner(argument_names(node.args), [node.body])

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.stored |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}

    visit_ImportFrom = visit_Import  # noqa: N815  ast's own

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.stored |= {node.name} if node.name else set()
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, COMPREHENSIONS):
            self._inner(target_names(node), list(ast.iter_child_nodes(node)))
        else:
            super().generic_visit(node)

    def _inner(self, own: Iterable[str], parts: Iterable[ast.AST]) -> None:
        inner = Flow([*self.stored, *own])
        for part in parts:
            inner.visit(part)
        for name in inner.early:
            self.early.setdefault(name)


def flow_of(nodes: Iterable[ast.AST]) -> Flow:
    """Return the names that statements store and load."""
    found = Flow()
    for node in nodes:
        found.visit(node)
    return found


def bound_names(source: ast.Module) -> set[str]:
    """Return the names that a cell binds, without those that it imports."""
    bodies = [node for node in source.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    inner = {alias for node in ast.walk(source) if isinstance(node, ast.Import) for alias in node.names}
    return flow_of(bodies).stored - {alias.asname or alias.name for alias in inner}


def used_names(source: ast.Module) -> set[str]:
    """Return the names that code loads and does not bind before."""
    return set(flow_of(source.body).early)


def argument_names(args: ast.arguments) -> list[str]:
    """Return the names of a function's parameters."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [each.arg for each in every if each is not None]


def target_names(node: ast.AST) -> list[str]:
    """Return the names that a comprehension binds."""
    parts = [part for each in getattr(node, "generators", ()) for part in ast.walk(each.target)]
    return [part.id for part in parts if isinstance(part, ast.Name)]
