"""Test impact: the runs of a mistake whose results can differ from those of another run.

A check that never calls an edited function has the results of the reference. Code that iterates over no set has
the same results under every order of sets.
"""

from __future__ import annotations

import ast
import copy
import functools
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from grader.console import quiet
from grader.grading.run import Running
from grader.sandbox import StudentError, SubmissionStopped, Undefined
from grader.submissions.submission import Block
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.grading.grader import Grader
    from grader.topic import Test

_NOTED = "_functions_that_ran"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def functions_run(grader: Grader, blocks: Sequence[Block]) -> dict[str, set[str]]:
    """Return for each check the names ("2.0": the first function of the third block) of the functions that it runs.

    A check with a test that does not pass, or does not say what it ran, is left out.
    """
    noting = [Block("impact", None, 1, f"{_NOTED} = {{}}"), *map(_noting, blocks, count())]
    found: dict[str, set[str]] = {}
    unclear = set()
    loads: dict[tuple[str, str, str], list[Test]] = {}
    with quiet(), grader.sandbox(noting, of_author=True) as sandbox:
        for test in grader.suite.tests:
            loads.setdefault((test.check, test.visibility, test.order), []).append(test)
        for (check, *_), tests in loads.items():
            running = Running(sandbox, None, lambda _: False)
            results = grader.suite.judge(running, tests, replay=False)
            try:
                names = sandbox.get(_NOTED)
            except (StudentError, SubmissionStopped, Undefined):
                names = None
            if all(r.outcome is TestOutcome.PASSED for r in results) and isinstance(names, dict):
                found.setdefault(check, set()).update(names)
            else:
                unclear.add(check)
    return {check: names for check, names in found.items() if check not in unclear}


def functions_edited(before: Sequence[Block], after: Sequence[Block]) -> set[str] | None:
    """Return the names of the functions whose own lines differ; None if any line outside of functions does."""
    if len(before) != len(after):
        return None
    edited = set()
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old.source == new.source:
            continue
        try:
            (outside, *olds), (outside_now, *news) = map(_parts, (old.source, new.source))
        except SyntaxError:
            return None  # a magic: code in a notebook, a comment in a reference
        if outside != outside_now or len(olds) != len(news):
            return None
        edited |= {f"{number}.{i}" for i, (a, b) in enumerate(zip(olds, news, strict=True)) if a != b}
    return edited


def _parts(source: str) -> list[str]:
    """Return the code outside of functions and the body of each function, as texts, without what is in functions inside."""
    tree = ast.parse(source)
    functions = list(_functions(tree))
    bodies = [copy.copy(function.body) for function in functions]
    for function in functions:
        function.body = []
    return [ast.dump(tree), *("".join(map(ast.dump, body)) for body in bodies)]


def _noting(block: Block, number: int) -> Block:
    """Return a block whose functions note that they run."""
    tree = ast.parse(block.source)
    for index, function in enumerate(list(_functions(tree))):
        at = 0 if ast.get_docstring(function, clean=False) is None else 1
        function.body[at:at] = ast.parse(f"{_NOTED}['{number}.{index}'] = True").body
    return replace(block, source=ast.unparse(ast.fix_missing_locations(tree)))


def _functions(tree: ast.AST) -> Iterator[_Function]:
    return (node for node in ast.walk(tree) if isinstance(node, _Function))


# --- Sets

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
