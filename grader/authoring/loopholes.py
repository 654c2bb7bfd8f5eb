"""Loopholes: tests that never run, lines that no submission can fail, and methods that students get by oversight."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from grader.authoring.reference import parse_source, read_text, stripped_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment

Scope = ast.Module | ast.ClassDef | ast.FunctionDef

_NOT_CALLED = re.compile(r"pytest_.*|set_?up.*|teardown.*|__.*__")  # pytest calls these
_COLLECTED = (
    "pytest takes only `test_...` at the left margin or in a class `Test...` without `__init__`; rename it, move it or "
    "remove it"
)
_EMPTY = re.compile(r"\[\]|\(\)|\{\}|''|(list|tuple|dict|set)\(\)|range\((0|-\d+|(\d+), \3(, \d+)?)\)")
_GIVEN = re.compile(r"#\s*given\b")


# --- Check files


def loopholes(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, problem with remedy) for each test of a check file that never runs, and each line that cannot fail.

    Nothing for a source that does not parse: the suite reports that.
    """
    nodes = list(ast.walk(parse_source(source)))
    used = {name for node in nodes for name in _names_in(node)}
    raising = {each for node in nodes if isinstance(node, ast.With) for each in node.body}
    for node in nodes:
        if isinstance(node, Scope):
            yield from _never_run(node, used)
        if isinstance(node, ast.stmt | ast.expr) and node not in raising and (problem := _cannot_fail(node)):
            yield node.lineno, problem


def tests_in(scope: Scope) -> list[ast.FunctionDef]:
    """Return the tests that pytest collects from a module, a class or a function itself."""
    functions = [node for node in scope.body if isinstance(node, ast.FunctionDef)]
    is_class = isinstance(scope, ast.ClassDef) and scope.name.startswith("Test")
    is_unusual = isinstance(scope, ast.ClassDef) and any("TestCase" in ast.unparse(b) for b in scope.bases)
    if (
        is_unusual
        or not (is_class or isinstance(scope, ast.Module))
        or "__init__" in [f.name for f in functions]
    ):
        return []
    return [function for function in functions if function.name.startswith("test")]


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names by which a node uses others; a text may be a fixture's name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            yield name


def _never_run(scope: Scope, used: set[str]) -> Iterator[tuple[int, str]]:
    tests = tests_in(scope)
    last = {node.name: node for node in scope.body if isinstance(node, ast.FunctionDef)}
    for test in tests:
        if last[test.name] is not test:
            again = last[test.name].lineno
            yield (
                test.lineno,
                f"`{test.name}` never runs, because line {again} defines the same name; rename one of the two",
            )
    for name, node in last.items():
        is_kept = any("pytest.mark" not in ast.unparse(each) for each in node.decorator_list)
        is_meant = name.startswith("test") or tests or not isinstance(scope, ast.ClassDef)
        is_run = node in tests or name in used or is_kept or _NOT_CALLED.fullmatch(name)
        if is_meant and not is_run:
            yield node.lineno, f"`{name}` never runs, because nothing calls it, and {_COLLECTED}"


def _cannot_fail(node: ast.stmt | ast.expr) -> str:
    """Return the reason why a line lets every submission pass, with the remedy; empty for any other line."""
    match node:
        case ast.Assert(test=ast.Tuple(elts=[_, *_])):
            return "this asserts a pair, which is always true; remove the parentheses"
        case ast.Assert(test=ast.Constant(last) | ast.BoolOp(ast.Or(), [*_, ast.Constant(last)])) if last:
            return "this is always true; write a whole comparison, on each side of `or` too"
        case ast.FunctionDef(
            name=name,
            body=[
                *_,
                ast.Assert(ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant()])) as last,
            ],
        ) if name.startswith("test") and [
            each for each in ast.walk(node) if isinstance(each, ast.Assert)
        ] == [last]:
            return f"{name} asserts only what the value is not; compare with the right value"
        case ast.Expr(value=ast.Compare(ops=[ast.Eq()])):
            return "this comparison asserts nothing; write `assert` before it"
        case ast.Call(
            func=ast.Name(id="raises") | ast.Attribute(attr="raises"),
            args=[ast.Name(id="Exception" | "BaseException"), *_],
            keywords=[],
        ):
            return "any error passes this, even a mistyped name; name the right error"
        case (
            ast.For(iter=over)
            | ast.GeneratorExp(generators=[ast.comprehension(iter=over), *_])
            | ast.ListComp(generators=[ast.comprehension(iter=over), *_])
        ) if _EMPTY.fullmatch(ast.unparse(over)):
            return "this loop iterates over nothing, so its lines never run; correct the iterable"
        case ast.Call(ast.Attribute(attr="parametrize"), [_, over, *_]) if _EMPTY.fullmatch(
            ast.unparse(over)
        ):
            return "the test never runs, because it has no values; write some"
        case ast.Attribute(value=ast.Attribute(attr="mark"), attr="skip" | "xfail"):
            return "with this mark the test judges nothing; remove the mark or the test"
    return ""


# --- The reference


def open_methods(assignment: Assignment) -> Iterator[str]:
    """Yield each function that stays in the stub while students write the others of its class or cell.

    Yields only functions that a check names, that need none of the missing ones, and that have no `# given`.
    """
    sources = [read_text(path) for _, _, path in assignment.check_files()]
    asked = {
        name for source in sources for node in ast.walk(parse_source(source)) for name in _names_in(node)
    }
    cells = [(cell, kept) for cell, (kept, _) in stripped_cells(assignment) if cell.is_code]
    left = {ast.unparse(f) for _, kept in cells for found in _functions(kept) for f in found}
    scopes = [(cell, found) for cell, _ in cells for found in _functions(cell.text)]
    own = {f.name for _, found in scopes for f in found if ast.unparse(f) not in left}
    for cell, found in scopes:
        written = [f.name for f in found if ast.unparse(f) not in left]
        for f in found if len(written) > 1 else ():
            uses = {name for node in ast.walk(f) for name in _names_in(node)}
            is_given = f.name.startswith("__") or _GIVEN.search(cell.source.split("\n")[f.lineno - 1])
            if f.name in asked - own and not uses & own and not is_given:
                yield (
                    f"{assignment.reference}, line {cell.first_line + f.lineno - 1}: students get the whole `{f.name}`, but "
                    f"write {', '.join(f'`{one}`' for one in written)} themselves; put the body of `{f.name}` between "
                    "`### BEGIN SOLUTION` and `### END SOLUTION`, or end this line with `# given`"
                )


def _functions(source: str) -> list[list[ast.FunctionDef]]:
    """Return the functions of a cell itself, and of each of its classes."""
    tree = parse_source(source)
    scopes: list[Scope] = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    return [[node for node in scope.body if isinstance(node, ast.FunctionDef)] for scope in scopes]
