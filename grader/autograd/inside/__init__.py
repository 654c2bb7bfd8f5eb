"""Source files that the grader sends into the jail, where they run beside student code. They report and never judge.

nodes.py        plain nodes for checks, which log the calls of their `_backward`
holding.py      what the student's nodes hold, and the right order of calls over them
pairs.py        the slopes that an expression keeps for its leaves
own.py          nodes of the student's class for checks; sent with nodes.py and holding.py
handing.py      what a result hands on to what it was made from; sent with holding.py
sorting.py      a right `build_topo`, handed to a `backward`; sent with nodes.py and holding.py
application.py  one operation, applied to leaves: forward, backward, and what changed
trials.py       every operation at many points; sent together with application.py
arrays.py       every operation of arrays on leaves of chosen shapes
naming.py       the names that a student's objects have
recording.py    what student code does to nodes: calls of `_backward`, changes of gradients
walks.py        walks over graphs, recorded; sent together with recording.py
trace.py        one test, recorded: its graph and its walks; sent together with recording.py

They have the course's names of attributes and methods. `renames` puts those of another engine in their place: pairs of
the course's name and the engine's (`grader/autograd/engine.py`).
"""

from __future__ import annotations

import ast
import functools
import marshal
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import TypeGuard

Renames = tuple[tuple[str, str], ...]


@functools.cache
def source(*names: str, renames: Renames = ()) -> str:
    """Return the text of these files, in this order, as one."""
    return "\n".join(ast.unparse(_tree(name, renames)) if renames else _text(name) for name in names)


def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")


@functools.cache
def compiled(*names: str, renames: Renames = ()) -> str:
    """Return a text that does what `source` does, in a jail of the same Python.

    Compiling the files takes longer than all that they do; Python keeps their code as it keeps that of any module.
    """
    codes = [marshal.dumps(_nameless(_code(name, renames))).hex() for name in names]
    return "import marshal\n" + "\n".join(f"exec(marshal.loads(bytes.fromhex('{code}')))" for code in codes)


def _code(name: str, renames: Renames) -> CodeType:
    if renames:
        found: CodeType = compile(_tree(name, renames), "<helper>", "exec", dont_inherit=True)
        return found
    path = str(Path(__file__).with_name(f"{name}.py"))
    code = SourceFileLoader(name, path).get_code(name)
    assert code is not None
    return code


def _nameless(code: CodeType) -> CodeType:
    """Return code that does not know its file."""
    constants = (_nameless(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename="<helper>", co_consts=tuple(constants))


# --- The names of another engine


def _tree(name: str, renames: Renames) -> ast.Module:
    """Return a file in which nodes have other names."""
    tree = _Renamed(dict(renames)).visit(ast.parse(_text(name)))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree)


@functools.cache
def _own_attributes() -> frozenset[str]:
    """Return the names of attributes and methods of the classes in these files."""
    nodes = [
        node for path in Path(__file__).parent.glob("*.py") for node in ast.walk(ast.parse(_text(path.stem)))
    ]
    methods = [
        each.name
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if _is_method(each)
    ]
    stored = [
        node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    return frozenset({*methods, *stored})


def _is_method(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and not node.name.startswith("__")


class _Renamed(ast.NodeTransformer):
    """Replaces the names of attributes, and those in texts that are nothing but such a name.

    An attribute of our own classes that has the engine's name gets another one. A text that something is compared with
    is none of a node's. `backward` is a text of our own, too, except where an attribute is asked for by it.
    """

    def __init__(self, renames: dict[str, str]) -> None:
        ours = _own_attributes() & {*renames.values()}
        self.renames = renames
        self.names = {**{name: f"{name}_of_ours" for name in ours}, **renames}
        self.texts = {name: own for name, own in renames.items() if name != "backward"}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self.names.get(node.attr, node.attr)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for method in filter(_is_method, node.body):
            for decorator in method.decorator_list:  # @grad.setter
                if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
                    decorator.value.id = self.names.get(decorator.value.id, decorator.value.id)
            method.name = self.names.get(method.name, method.name)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        asks = isinstance(node.func, ast.Name) and node.func.id in {"getattr", "hasattr"}
        if asks and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str):
            node.args[1].value = self.renames.get(node.args[1].value, node.args[1].value)
            node.args[0] = self.visit(node.args[0])
            return node
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            return self.generic_visit(node)
        sides = [
            side if isinstance(side, ast.Constant) else self.visit(side)
            for side in (node.left, *node.comparators)
        ]
        node.left, *node.comparators = sides
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            node.value = self.texts.get(node.value, node.value)
        return node
