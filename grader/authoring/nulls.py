"""Submissions that know nothing: a check that gives one of them points gives them away."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from grader.authoring.generated import top_level

if TYPE_CHECKING:
    from grader.submissions.submission import Block

_NULL = """
class Null:
    def __init__(self, *args, **keywords):
        self.__dict__["first"] = args[0] if args else 0.0
    def __getattr__(self, name):
        if name in {functions}:
            return self._same
        return {attribute}
    def _same(self, *args, **keywords):
        return self
    __call__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = _same
    __truediv__ = __rtruediv__ = __pow__ = _same

def null_function(*args, **keywords):
    return {result}

SAME = Null()
null_answer = {answer}
"""
NULLS = {
    "all zeros": {"attribute": "0.0", "result": "0.0", "answer": "0.0"},
    "all ones": {"attribute": "1.0", "result": "1.0", "answer": "1.0"},
    "echo": {"attribute": 'self.__dict__["first"]', "result": "args[0] if args else None", "answer": "[]"},
    "the same object everywhere": {"attribute": "SAME", "result": "SAME", "answer": "SAME"},
}


def null_submission(blocks: list[Block], title: str) -> str:
    """A submission that defines every name of the reference and knows nothing."""
    functions = set().union(*(functions_of_objects(block.source) for block in blocks))
    source = [_NULL.format(**NULLS[title], functions=sorted(functions))]
    for block in blocks:
        for node in top_level(block.source):
            if isinstance(node, ast.ClassDef):
                source.append(f"{node.name} = Null")
            elif isinstance(node, ast.FunctionDef):
                source.append(f"{node.name} = null_function")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                stored = [
                    n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                ]
                source += [f"{name.id} = null_answer" for name in stored]
    return "\n".join(source)


def functions_of_objects(source: str) -> set[str]:
    """Return the names that are called on objects: methods, and attributes to which a function is assigned."""
    nodes = [node for statement in top_level(source) for node in ast.walk(statement)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    names = {function.name for function in functions}
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    called = {f.name for f in functions if any(f in body for body in bodies) and not _is_property(f)}
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_function(node.value, names):
            called |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return {name for name in called if not name.startswith("__")}


def _is_property(function: ast.FunctionDef) -> bool:
    return "property" in map(ast.unparse, function.decorator_list)


def _is_function(value: ast.expr, names: set[str]) -> bool:
    return isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in names)
