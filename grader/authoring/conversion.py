"""Tests of another tool as check files: names of the notebook become `student.NAME`, by the syntax tree.

Nothing of the source is executed here. An expected value that no text says is read in the jail from the reference.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from grader.authoring.foreign import Foreign, ForeignTest

_BUILTINS = frozenset(dir(builtins))
_OF_STUDENT = frozenset(dir(Student))  # methods of `student`, which a name of the notebook may not hide
_NOT_HERE = {  # uses of the process of the check, where no code of a student's runs
    "get_ipython": "uses IPython",
    "globals": "looks at the names of the notebook",
    "locals": "looks at the names of the notebook",
    "exec": "executes a text",
    "eval": "executes a text",
    "open": "opens a file",
    "read_csv": "reads a file",
    "loadtxt": "reads a file",
    "display": "displays something",
    "redirect_stdout": "reads printed text",
    "catch_warnings": "reads warnings",
    "patch": "replaces a name of the notebook",
    "plt": "looks at a plot",
    "inspect": "reads the source of a function",
}
_CATCHES = re.compile(r"except(:| .*\b(AssertionError|(Base)?Exception)\b)")
_SIZES = frozenset({"abs", "math.fabs", "np.abs", "numpy.abs"})  # of a difference
_OF_NUMPY = frozenset(  # of numpy.testing
    {"assert_allclose", "assert_array_equal", "assert_array_almost_equal", "assert_array_less"}
)
_BINDS = {ast.FunctionDef: "name", ast.ClassDef: "name", ast.ExceptHandler: "name", ast.arg: "arg"}


class NotCarried(Exception):
    """A test cannot become one of a check. The text gives the reason and the remedy."""


@dataclass
class Names:
    """The meaning of names in a test: bound by cells of the notebook, imported somewhere, of a module beside it."""

    notebook: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)  # by name, the statement
    beside: dict[str, str] = field(default_factory=dict)  # by module, its source


@dataclass
class CheckBody:
    """The statements of one side of a check, the imports above them, and the modules beside it that they need."""

    statements: list[ast.stmt] = field(default_factory=list)
    imports: dict[str, None] = field(default_factory=dict)  # in their order
    modules: set[str] = field(default_factory=set)
    asked: dict[str, None] = field(default_factory=dict)  # names of the notebook


def scope_of(statements: list[ast.stmt]) -> tuple[list[str], set[str]]:
    """Return the names that statements load before they assign them, in order, and the names that they bind anywhere.

    >>> scope_of(ast.parse("found = square(given)").body)
    (['square', 'given'], {'found'})
    """
    nodes = list(ast.walk(ast.parse(ast.unparse(ast.Module(statements, [])))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    names.sort(key=lambda node: (node.lineno, isinstance(node.ctx, ast.Store), node.col_offset))
    first = {node.id: node.ctx for node in reversed(names)}
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {getattr(node, _BINDS[type(node)]) for node in nodes if type(node) in _BINDS}
    bound |= {bound_by(node) for node in nodes if isinstance(node, ast.alias)}
    return [
        name for name in dict.fromkeys(node.id for node in names) if isinstance(first[name], ast.Load)
    ], bound


def bound_by(alias: ast.alias) -> str:
    """Return the name that a part of an import binds."""
    return alias.asname or alias.name.partition(".")[0]


# --- Other ways to write it


class _Rewriter(ast.NodeTransformer):
    """Writes `student.NAME` for names of the notebook, and other idioms as a check needs them."""

    def __init__(self, body: CheckBody, names: Names, mine: set[str], statements: list[ast.stmt]) -> None:
        self.body, self.names, self.mine = body, names, mine
        self.stepped = re.findall(r"\bnext\((\w+)", ast.unparse(ast.Module(statements, [])))
        self.functions = {each.name: each for each in statements if isinstance(each, ast.FunctionDef)}

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        match node:
            case ast.Name() if node.id in self.mine:
                return _of_student(node.id)
            case ast.Compare(
                ast.Call(ast.Name("type"), [value]),
                [ast.Eq() | ast.Is()],
                [ast.Name() | ast.Attribute() as kind],
            ):  # a number that was read is of a class of its own
                return _call("isinstance", value, kind)
            case ast.Assert(
                ast.Compare(
                    ast.Call(args=[ast.BinOp(left, ast.Sub(), right)]) as size, [ast.Lt() | ast.LtE()], [near]
                )
            ) if _name_of_call(size) in _SIZES:
                node.test = _is_near(left, right, near)
            case ast.Expr(ast.Call(args=[left, right], keywords=[]) as called) if re.search(
                r"\bassert_?[aA]lmost_?[eE]qual$", _name_of_call(called)
            ):
                return ast.Assert(_is_near(left, right, ast.Constant(5e-8)))
            case ast.Attribute(ast.Compare() as compared, "all" | "any" | "sum" | "mean"):
                compared.left = _as_array(compared.left)  # an array that was read compares as a whole
            case ast.Assign([ast.Name(name)]) if name in self.stepped:
                node.value = _call("iter", node.value)  # a generator of the jail's is no iterator here
            case ast.Call(args=args) if _name_of_call(node).rpartition(".")[2] in _OF_NUMPY:
                node.args = [*map(_as_array, args[:2]), *args[2:]]  # they compare entry by entry
            case ast.Call(args=args, keywords=words) if _name_of_call(node).startswith("student."):
                node.args = [self.in_jail(each) for each in args]
                node.keywords = [ast.keyword(word.arg, self.in_jail(word.value)) for word in words]
            case ast.ImportFrom(module, names) if module in self.names.beside:
                self.body.modules.add(str(module))
                aliases = [ast.alias(_run_name(each.name), each.asname or each.name) for each in names]
                return ast.ImportFrom("_helpers", aliases, 0)
            case ast.ImportFrom("nose.tools", names):
                self.body.imports["import unittest"] = None
                lines = [
                    f"{bound_by(each)} = unittest.TestCase().{re.sub('_(.)', lambda match: match[1].upper(), each.name)}"
                    for each in names
                ]
                return ast.parse("\n".join(lines)).body
        return node

    def in_jail(self, node: ast.expr) -> ast.expr:
        """Return an argument for the student's code. A function of the test becomes one that runs in the jail."""
        function = self.functions.get(ast.unparse(node))
        if not function and not isinstance(node, ast.Lambda):
            return node
        made = ast.unparse(function) if function else f"given = {ast.unparse(node)}"
        lines = [line for name, line in self.names.imports.items() if name in _names(function or node)]
        name = function.name if function else "given"
        return _call("student.helper", ast.Constant("\n".join([*lines, made])), ast.Constant(name))


def _parse_expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _call(function: str, *args: ast.expr) -> ast.expr:
    return ast.Call(_parse_expression(function), list(args), [])


def _is_near(left: ast.expr, right: ast.expr, near: ast.expr) -> ast.expr:
    """Return a comparison that takes no difference of a student's object."""
    if "student." not in ast.unparse(left):
        left, right = right, left
    expected = ast.Call(_parse_expression("approx"), [right], [ast.keyword("abs", near)])
    return ast.Compare(left, [ast.Eq()], [expected])


def _as_array(node: ast.expr) -> ast.expr:
    return node if isinstance(node, ast.Constant | ast.List | ast.Tuple) else _call("np.asarray", node)


def _run_name(name: str) -> str:
    """Return a name for a function that pytest must not collect."""
    return re.sub("^test", "run_test", name)


def _of_student(name: str) -> ast.expr:
    """Return the expression by which a check reads a name of the notebook."""
    return (
        _call("student.quietly", ast.Constant(name))
        if name in _OF_STUDENT
        else _parse_expression(f"student.{name}")
    )


# --- One test


@dataclass
class Converter:
    """Makes the bodies of checks. `read` returns the value of an expression after statements, in the jail."""

    names: Names
    foreign: Foreign
    read: Callable[[str, str], Any]  # may raise NotCarried
    earlier: list[tuple[bool, list[ast.stmt]]] = field(
        default_factory=list
    )  # hidden tests or not: what they set

    def add(self, body: CheckBody, test: ForeignTest) -> None:
        """Add one test to the body of a check, or a note with the reason why not."""
        try:
            statements = _statements(test)
            setup = self.find_needed(statements, hidden=test.hidden)
            sets = [
                node for node in statements if not (_judges(node) or _only_tells(node) or _not_here(node, ()))
            ]
            self.earlier.append((test.hidden, sets))
            if statements:
                self._add(body, self.usable([*setup, *copy.deepcopy(statements)], test))
        except NotCarried as error:
            self.foreign.note(test.place, str(error))

    def find_needed(self, statements: list[ast.stmt], *, hidden: bool) -> list[ast.stmt]:
        """Return the statements of earlier tests that set names of this one. A visible test takes none of a hidden one."""
        setup: list[ast.stmt] = []
        for is_hidden, lines in reversed(self.earlier):
            if (hidden or not is_hidden) and self.find_undefined([*setup, *statements]) & scope_of(lines)[1]:
                setup = [*copy.deepcopy(lines), *setup]
        return setup

    def find_undefined(self, statements: list[ast.stmt]) -> set[str]:
        """Return the names that neither these statements nor the notebook define."""
        wanted, bound = scope_of(statements)
        known = bound | self.names.notebook | self.names.imports.keys() | _BUILTINS | _NOT_HERE.keys()
        return {*wanted} - known

    def _add(self, body: CheckBody, statements: list[ast.stmt]) -> None:
        wanted, bound = scope_of(statements)
        mine = [name for name in wanted if name in self.names.notebook]
        told: list[ast.stmt] = [  # the test binds these, too: the notebook's value comes first
            ast.Assign([ast.Name(name, ast.Store())], _of_student(name)) for name in mine if name in bound
        ]
        rewriter = _Rewriter(body, self.names, {*mine} - bound, statements)
        lines = [self.names.imports.get(name, "") for name in wanted if name not in bound | {*mine}]
        body.imports |= {ast.unparse(rewriter.visit(ast.parse(line))): None for line in lines if line}
        told += rewriter.visit(ast.Module(statements, [])).body
        used = {name for each in told for name in _names(each)}
        told = [each for each in told if not isinstance(each, ast.FunctionDef) or each.name in used]
        if not any(map(_can_fail, told)):
            raise NotCarried("nothing in this test can fail; write an `assert` by hand")
        body.imports |= (
            {"import numpy as np": None} if any("np.asarray" in ast.unparse(each) for each in told) else {}
        )
        body.asked |= dict.fromkeys(mine)
        body.statements += [ast.fix_missing_locations(each) for each in told]

    def usable(self, statements: list[ast.stmt], test: ForeignTest) -> list[ast.stmt]:
        """Return the statements that prepare or judge something. A note for each that cannot work in a check."""
        wanted, bound = scope_of(statements)
        for name in sorted(self.find_undefined(statements)):
            raise NotCarried(f"`{name}` is defined in a hidden test or nowhere; define `{name}` in this test")
        read, kept = {*wanted} & self.names.notebook, []  # names with something of the student's
        for node in self.with_value(statements, test):
            if reason := _not_here(node, self.names.notebook):
                what = "but student code does not run where the check runs; write this test by hand, with `student.helper`"
                self.foreign.note(test.place, f"`{_short(node)}` {reason}, {what}")
            elif read & _names(node):
                kinds = ast.Attribute | ast.Subscript  # `found.append(...)`, `found[0] = ...`
                changed = [
                    part
                    for part in ast.walk(node)
                    if isinstance(part, kinds) or isinstance(getattr(part, "ctx", None), ast.Store)
                ]
                read |= bound & {re.split(r"[.\[]", ast.unparse(part))[0] for part in changed}
                read.add(getattr(node, "name", ""))
                kept.append(node)
            elif _judges(node):
                what = "compares nothing of the student's, because arguments are copies; use a helper that returns the argument"
                self.foreign.note(test.place, f"`{_short(node)}` {what}")
            else:
                kept.append(node)
        return [node for node in kept if not _only_tells(node)]

    def with_value(self, statements: list[ast.stmt], test: ForeignTest) -> list[ast.stmt]:
        """Return the statements with the last expression as an assert, if its value is compared."""
        last = statements[-1] if statements and test.want is not None else None
        if not isinstance(last, ast.Expr) or _judges(last):
            return statements
        text = ast.unparse(last)
        try:
            value = ast.literal_eval(test.want or "")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            value = self.read("\n".join(map(ast.unparse, statements[:-1])), text)
        return [*statements[:-1], *ast.parse(_assert_line(text, value)).body]


def _statements(test: ForeignTest) -> list[ast.stmt]:
    """Return the statements of a test, with those of functions `test_...` instead of the functions. Raises NotCarried."""
    try:
        body = ast.parse(test.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotCarried(
            f"this test is not Python ({error}); correct the notebook, or write the test by hand"
        ) from error
    inlined = {
        node.name: node.body
        for node in body
        if isinstance(node, ast.FunctionDef) and re.match("_?test", node.name)
    }
    body = [
        node for node in body if not isinstance(node, ast.Expr) or _name_of_call(node.value) not in inlined
    ]
    return [part for node in body for part in inlined.get(getattr(node, "name", ""), [node])]


def _assert_line(text: str, value: object) -> str:
    """Return an assert that an expression has a plain value. Raises NotCarried for any other value."""
    try:
        nodes = list(ast.walk(ast.parse(repr(ast.literal_eval(repr(value))))))
    except (SyntaxError, ValueError):
        raise NotCarried(f"`{text:.60}` gives no plain value; write the test of it by hand") from None
    if isinstance(value, bool):
        return f"assert {'' if value else 'not '}({text})"
    near = any(isinstance(each, ast.Constant) and type(each.value) is float for each in nodes)
    return (
        f"assert ({text}) {'is' if value is None else '=='} {f'approx({value!r})' if near else repr(value)}"
    )


def _not_here(node: ast.stmt, notebook: Collection[str]) -> str:
    """Return the reason why a statement cannot work in a check. Empty for one that can; NotCarried for a `del`."""
    parts = list(ast.walk(node))
    for name in (part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del)):
        if name in notebook:
            raise NotCarried(
                f"this test deletes `{name}` of the notebook, and a check cannot do that; test what the function returns"
            )
    caught = isinstance(node, ast.Try) and _CATCHES.search(ast.unparse(node))
    if caught and not any(isinstance(part, ast.Raise) for part in parts):
        return "catches failed asserts"
    used = {getattr(part, "id", getattr(part, "attr", "")) for part in parts}
    return next((reason for name, reason in _NOT_HERE.items() if name in used.difference(notebook)), "")


def _name_of_call(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _only_tells(node: ast.stmt) -> bool:
    """Return True for an expression that changes nothing: a comparison, a value, a call of `print`."""
    return isinstance(node, ast.Expr) and (_name_of_call(node.value) or "print") in {"print", "display"}


def _short(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:60]


def _judges(node: ast.AST) -> bool:
    """Return True for an assert, and a call that raises where something is wrong: `assert_equal(...)`, `test_it(...)`."""
    called = _name_of_call(node.value).rpartition(".")[2] if isinstance(node, ast.Expr) else ""
    return isinstance(node, ast.Assert) or bool(
        re.match("(assert|test|check|raises|fail)", called, re.IGNORECASE)
    )


def _can_fail(node: ast.AST) -> bool:
    """Return True for an assert, an error, or a call of a function that may hold some."""
    calls = (
        part for part in ast.walk(node) if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)
    )
    is_raised = any(_judges(part) or isinstance(part, ast.Raise) for part in ast.walk(node))
    return is_raised or any("." not in _name_of_call(call.value) for call in calls)


# --- Files


def helpers(modules: Iterable[str]) -> str:
    """Return the text of `_helpers.py` with the modules one after the other, without names for tests."""
    text = "\n".join(source.strip("\n") + "\n" for source in modules)
    names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    text = re.sub(r"\btest\w*", lambda match: _run_name(match[0]) if match[0] in names else match[0], text)
    return f'"""What the tests of this side share."""\n\n{text}'


def check_file(title: str, name: str, body: CheckBody) -> str:
    """Return the text of a check file with one test."""
    docstring: list[ast.stmt] = [ast.Expr(ast.Constant(title))]
    test = ast.parse(f"def test_{name}(student): ...")
    test.body[0].body = [*docstring, *body.statements]  # type: ignore[attr-defined]
    code = ast.unparse(ast.fix_missing_locations(test))
    imports = list(body.imports) + ["from pytest import approx"] * ("approx(" in code)
    imports.sort(key=lambda line: (not line.startswith(("import ", "from ")), line))
    parts = (ast.unparse(ast.Module(docstring, [])), "\n".join(imports), code)
    return "\n\n".join(filter(None, parts)) + "\n"
