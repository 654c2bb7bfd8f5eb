"""Test impact: which functions of the reference each check runs. An edit of another one changes none of its results."""

from __future__ import annotations

import ast
import copy
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

NOTED = "_functions_that_ran"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def functions_run(grader: Grader, blocks: Sequence[Block]) -> dict[str, set[str]]:
    """Return for each check the names ("2.0": the first function of the third block) of the functions that it runs.

    A check with a test that does not pass, or does not say what it ran, is left out.
    """
    noting = [Block("impact", None, 1, f"{NOTED} = {{}}"), *map(_noting, blocks, count())]
    found: dict[str, set[str]] = {}
    unclear = set()
    loads: dict[tuple[str, str, str], list[Test]] = {}
    with quiet(), grader.sandbox(noting) as sandbox:
        for test in grader.suite.tests:
            loads.setdefault((test.check, test.visibility, test.order), []).append(test)
        for (check, *_), tests in loads.items():
            running = Running(sandbox, None, lambda _: False)
            results = grader.suite.judge(running, tests, replay=False)
            try:
                names = sandbox.get(NOTED)
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
        (outside, *olds), (outside_now, *news) = map(_parts, (old.source, new.source))
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
        function.body[at:at] = ast.parse(f"{NOTED}['{number}.{index}'] = True").body
    return replace(block, source=ast.unparse(ast.fix_missing_locations(tree)))


def _functions(tree: ast.AST) -> Iterator[_Function]:
    return (node for node in ast.walk(tree) if isinstance(node, _Function))
