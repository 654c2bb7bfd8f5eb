"""Tests of another tool as check files: names of the notebook become `student.NAME`, by the syntax tree.

Nothing of the source is executed here. An expected value that no text says is read in the jail from the reference.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
import symtable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from grader.authoring.foreign import Foreign, ForeignTest

_BUILTINS = frozenset(dir(builtins))
_OF_STUDENT = frozenset(dir(Student))  # methods of `student`, which a name of the notebook may not hide
_NOT_HERE = {  # what a test asks of the process that it stands in, where no code of a student's runs
    "get_ipython": "asks IPython",
    "globals": "looks at the names of the notebook",
    "locals": "looks at the names of the notebook",
    "exec": "executes a text",
    "eval": "executes a text",
    "open": "opens a file",
    "read_csv": "reads a file",
    "loadtxt": "reads a file",
    "display": "displays something",
    "redirect_stdout": "reads what is printed",
    "catch_warnings": "reads warnings",
    "patch": "replaces a name of the notebook",
    "plt": "looks at a plot",
    "inspect": "reads the source of a function",
}
_SIZES = frozenset({"abs", "math.fabs", "np.abs", "numpy.abs"})  # of a difference
_OF_NUMPY = frozenset(  # of numpy.testing
    {"assert_allclose", "assert_array_equal", "assert_array_almost_equal", "assert_array_less"}
)
_REMEDY = "no student's code runs where the check stands; write this test by hand, with `student.helper`"


class NotCarried(Exception):
    """A test cannot become one of a check: the text says why, and what to do."""


@dataclass
class Names:
    """The meaning of names in a test: bound by cells of the notebook, imported somewhere, of a module beside it."""

    notebook: set[str]
    imports: dict[str, str] = field(default_factory=dict)  # by name, the statement
    beside: dict[str, str] = field(default_factory=dict)  # by module, its source


@dataclass
class CheckBody:
    """The statements of one side of a check, the imports above them, and the modules beside it that they need."""

    statements: list[ast.stmt] = field(default_factory=list)
    imports: dict[str, None] = field(default_factory=dict)  # in their order
    modules: set[str] = field(default_factory=set)
    asked: dict[str, None] = field(default_factory=dict)  # names of the notebook


# --- Names


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
    try:
        top = symtable.symtable(text, "cell", "exec")
    except SyntaxError:  # such as `nonlocal` outside of a function
        top = symtable.symtable("def test(): ...", "cell", "exec")
    _, own, *inner = [table.get_symbols() for table in _tables(top)]
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


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [table, *(each for child in table.get_children() for each in _tables(child))]


class _Rewriter(ast.NodeTransformer):
    """Writes `student.NAME` for the names of the notebook in statements, and what else a check has in another way."""

    def __init__(self, body: CheckBody, names: Names, mine: set[str], statements: list[ast.stmt]) -> None:
        calls = [node for each in statements for node in ast.walk(each) if isinstance(node, ast.Call)]
        self.body, self.names, self.mine = body, names, mine
        self.stepped = {ast.unparse(call.args[0]) for call in calls if _called(call) == "next" and call.args}
        self.functions = {each.name: each for each in statements if isinstance(each, ast.FunctionDef)}

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        match node:
            case ast.Name() if node.id in self.mine:
                return of_student(node.id)
            case ast.Compare(
                ast.Call(ast.Name("type"), [value]),
                [ast.Eq() | ast.Is()],
                [ast.Name() | ast.Attribute() as kind],
            ):  # a number that was read is of a class of its own
                return ast.Call(ast.Name("isinstance", ast.Load()), [value, kind], [])
            case ast.Assert(
                ast.Compare(
                    ast.Call(args=[ast.BinOp(left, ast.Sub(), right)]) as size,
                    [ast.Lt() | ast.LtE()],
                    [near],
                )
            ) if _called(size) in _SIZES:
                node.test = _is_near(left, right, near)
            case ast.Expr(ast.Call(args=[left, right], keywords=[]) as called) if re.search(
                r"\bassert_?[aA]lmost_?[eE]qual$", _called(called)
            ):
                return ast.Assert(_is_near(left, right, ast.Constant(5e-8)))
            case ast.Attribute(ast.Compare() as compared, "all" | "any" | "sum" | "mean"):
                compared.left = _as_array(compared.left)  # an array that was read compares as a whole
            case ast.Assign([target]) if ast.unparse(target) in self.stepped:
                node.value = _call("iter", node.value)  # a generator of the jail's is no iterator here
            case ast.Call(args=args) if _called(node).rpartition(".")[2] in _OF_NUMPY:
                node.args = [*map(_as_array, args[:2]), *args[2:]]  # they compare entry by entry
            case ast.Call(args=args, keywords=words) if _called(node).startswith("student."):
                node.args = [self.in_jail(each) for each in args]
                node.keywords = [ast.keyword(word.arg, self.in_jail(word.value)) for word in words]
            case ast.ImportFrom(module, names) if module in self.names.beside:
                self.body.modules.add(str(module))
                renamed = [
                    ast.alias(re.sub("^test", "run_test", each.name), each.asname or each.name)
                    for each in names
                ]
                return ast.ImportFrom("_helpers", renamed, 0)
            case ast.ImportFrom("nose.tools", names):
                self.body.imports["import unittest"] = None
                lines = [
                    f"{each.asname or each.name} = unittest.TestCase()."
                    + re.sub("_(.)", lambda match: match[1].upper(), each.name)
                    for each in names
                ]
                return ast.parse("\n".join(lines)).body
        return node

    def in_jail(self, node: ast.expr) -> ast.expr:
        """Return what is handed to the student's code: a function of the test becomes one that runs in the jail."""
        function = self.functions.get(ast.unparse(node))
        if not function and not isinstance(node, ast.Lambda):
            return node
        name = function.name if function else "given"
        made = ast.unparse(function) if function else f"given = {ast.unparse(node)}"
        known = self.names.imports
        lines = dict.fromkeys(known[each] for each in scope_of(ast.parse(made).body).wanted if each in known)
        return _call("student.helper", ast.Constant("\n".join([*lines, made])), ast.Constant(name))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _call(function: str, *args: ast.expr) -> ast.expr:
    return ast.Call(_parsed(function), list(args), [])


def _is_near(left: ast.expr, right: ast.expr, near: ast.expr) -> ast.expr:
    """Return a comparison that asks no object of the student's for a difference."""
    if "student." not in ast.unparse(left):
        left, right = right, left
    expected = ast.Call(_parsed("approx"), [right], [ast.keyword("abs", near)])
    return ast.Compare(left, [ast.Eq()], [expected])


def _as_array(node: ast.expr) -> ast.expr:
    """Return the expression as a plain array; a literal as it is."""
    return node if isinstance(node, ast.Constant | ast.List | ast.Tuple) else _call("np.asarray", node)


def of_student(name: str) -> ast.expr:
    """Return the expression by which a check reads a name of the notebook."""
    return _call("student.quietly", ast.Constant(name)) if name in _OF_STUDENT else _parsed(f"student.{name}")


# --- One test


def parsed(test: ForeignTest) -> list[ast.stmt]:
    """Return the statements of a test; those of a function `test_...` instead of the function. Raises NotCarried."""
    try:
        body = ast.parse(test.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotCarried(f"this test is not Python ({error}); mend it there, or write it by hand") from error
    functions = [
        node for node in body if isinstance(node, ast.FunctionDef) and re.match(r"_?test", node.name)
    ]
    inlined = {node.name: node.body for node in functions}
    body = [node for node in body if not isinstance(node, ast.Expr) or _called(node.value) not in inlined]
    return [part for node in body for part in inlined.get(getattr(node, "name", ""), [node])]


def _called(node: ast.AST) -> str:
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


class Converter:
    """Makes the bodies of checks, one test after the other; a test may use what an earlier one has set."""

    def __init__(self, names: Names, foreign: Foreign, read: Callable[[str, str], Any]) -> None:
        """`read` returns the value of an expression after statements, in the jail; it raises NotCarried."""
        self.names, self.foreign, self.read = names, foreign, read
        self.earlier: list[tuple[bool, list[ast.stmt]]] = []  # what tests set, and whether they are hidden

    def add(self, body: CheckBody, test: ForeignTest) -> None:
        """Add one test to the body of a check, or a note why it cannot be."""
        try:
            statements = parsed(test)
            setup = self.needed(statements, hidden=test.hidden)
            self.earlier.append((test.hidden, settings(statements)))
            if statements:
                self._add(body, list(self.usable([*setup, *statements], test)), test)
        except NotCarried as error:
            self.foreign.note(test.place, str(error))

    def needed(self, statements: list[ast.stmt], *, hidden: bool) -> list[ast.stmt]:
        """Return what earlier tests have set and this one uses; a visible test takes nothing of a hidden one."""
        setup: list[ast.stmt] = []
        for secret, lines in reversed(self.earlier):
            missing = {name for name in scope_of([*setup, *statements]).wanted if not self._is_known(name)}
            if missing & scope_of(lines).stored and (hidden or not secret):
                setup = [*lines, *setup]
        return copy.deepcopy(setup)

    def _add(self, body: CheckBody, statements: list[ast.stmt], test: ForeignTest) -> None:
        scope = scope_of(statements)
        mine = [name for name in scope.wanted if name in self.names.notebook]
        for name in sorted(scope.deleted & self.names.notebook):
            raise NotCarried(
                f"it deletes `{name}` of the notebook; a check cannot: ask for what the function does instead"
            )
        for name in scope.wanted:
            if name not in scope.stored and not self._is_known(name):
                raise NotCarried(f"`{name}` is defined nowhere; define it in the check, or take the test out")
        own = scope.stored | scope.inner  # also bound by the test: the notebook's value comes first
        first: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], of_student(name)) for name in mine if name in own
        ]
        imported = [
            name for name in scope.wanted if name in self.names.imports.keys() - scope.stored - {*mine}
        ]
        statements = self.with_value(statements, test)
        rewriter = _Rewriter(body, self.names, {*mine} - own, statements)
        body.imports |= {
            ast.unparse(rewriter.visit(ast.parse(self.names.imports[name]))): None for name in imported
        }
        told = first + rewriter.visit(ast.Module(statements, [])).body
        used = {name for each in told for name in _names(each)}
        told = [each for each in told if not isinstance(each, ast.FunctionDef) or each.name in used]
        told = list(self.judging(told, test))
        if not any(map(_can_fail, told)):
            raise NotCarried("nothing in it can fail; write an `assert` by hand")
        body.imports |= dict.fromkeys(
            ["import numpy as np"] * any("np.asarray" in ast.unparse(each) for each in told)
        )
        body.asked |= dict.fromkeys(mine)
        body.statements += [ast.fix_missing_locations(each) for each in told]

    def judging(self, statements: list[ast.stmt], test: ForeignTest) -> Iterator[ast.stmt]:
        """Yield the statements without asserts that look at nothing of the student's, such as at an argument afterwards."""
        read, own = {"student"}, scope_of(statements).stored
        for node in statements:
            parts = list(ast.walk(node))
            if read & _names(node):
                read |= {
                    part.id
                    for part in parts
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                }
                # `found.append(...)`, `found[0] = ...`
                read |= own & {
                    re.split(r"[.\[]", ast.unparse(part))[0]
                    for part in parts
                    if isinstance(part, ast.Attribute | ast.Subscript)
                }
            elif isinstance(node, ast.Assert) or (isinstance(node, ast.Expr) and _judges(node.value)):
                what = "looks at nothing that the student's code gives; an argument that it changes is a copy, so use a helper"
                self.foreign.note(test.place, f"`{_short(node)}` {what}")
                continue
            yield node

    def _is_known(self, name: str) -> bool:
        return name in self.names.notebook or name in self.names.imports or name in _BUILTINS

    def usable(self, statements: list[ast.stmt], test: ForeignTest) -> Iterator[ast.stmt]:
        """Yield the statements that judge or prepare something; a note for each that cannot work in a check."""
        for node in statements:
            if reason := _not_here(node, self.names.notebook):
                self.foreign.note(test.place, f"`{_short(node)}` {reason}; {_REMEDY}")
            elif not _only_tells(node) or (test.value and node is statements[-1]):
                yield node

    def with_value(self, statements: list[ast.stmt], test: ForeignTest) -> list[ast.stmt]:
        """Return the statements with the last expression as an assert, if its value counts."""
        last = statements[-1] if statements and test.value else None
        if not isinstance(last, ast.Expr) or _judges(last.value):
            return statements
        text, want = ast.unparse(last), test.want.replace("np.True_", "True").replace("np.False_", "False")
        is_stale = isinstance(last.value, ast.Compare) and want not in {
            "True",
            "False",
        }  # stored before a change
        try:
            value = ast.literal_eval("" if is_stale else want)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            value = self.read("\n".join(map(ast.unparse, statements[:-1])), text)
        return [*statements[:-1], *ast.parse(asserted(text, value)).body]


def asserted(text: str, value: object) -> str:
    """Return an assert that an expression has a plain value. Raises NotCarried for any other value."""
    plain = repr(value)
    try:
        nodes = list(ast.walk(ast.parse(repr(ast.literal_eval(plain)))))
    except (SyntaxError, ValueError):
        raise NotCarried(f"`{text:.60}` gives no plain value; write the test of it by hand") from None
    if isinstance(value, bool | None):
        return {True: f"assert {text}", False: f"assert not ({text})", None: f"assert ({text}) is None"}[
            value
        ]
    near = any(isinstance(each, ast.Constant) and type(each.value) is float for each in nodes)
    return f"assert ({text}) == {f'approx({plain})' if near else plain}"


def settings(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return what a test sets for later ones: its statements without what judges or tells."""
    left = [
        node for node in statements if isinstance(node, ast.Assert) or _only_tells(node) or _not_here(node)
    ]
    left += [node for node in statements if isinstance(node, ast.Expr) and _judges(node.value)]
    return copy.deepcopy([node for node in statements if node not in left])


def _only_tells(node: ast.stmt) -> bool:
    """Return True for an expression that changes nothing: a comparison, a value, what is printed."""
    return isinstance(node, ast.Expr) and (_called(node.value) or "print") in {"print", "display"}


def _swallows(node: ast.AST) -> bool:
    """Return True for a `try` that catches failed asserts and raises nothing."""
    caught = [
        ast.unparse(each.type) if each.type else "AssertionError" for each in getattr(node, "handlers", ())
    ]
    raises = any(
        isinstance(part, ast.Raise) for each in getattr(node, "handlers", ()) for part in ast.walk(each)
    )
    return bool({"AssertionError", "Exception", "BaseException"} & {*caught}) and not raises


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _not_here(node: ast.stmt, notebook: Collection[str] = ()) -> str:
    """Return the reason why a statement cannot work in a check; empty for one that can."""
    used = _names(node) | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    if _swallows(node):
        return "catches failed asserts"
    return next((reason for name, reason in _NOT_HERE.items() if name in used.difference(notebook)), "")


def _short(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:60]


def _judges(node: ast.expr) -> bool:
    """Return True for a call that raises where something is wrong: `assert_equal(...)`, `test_exercise(...)`."""
    return bool(re.match(r"(assert|test|check|raises|fail)", _called(node).rpartition(".")[2], re.IGNORECASE))


def _can_fail(node: ast.AST) -> bool:
    """Return True for an assert, an error, or a call of a function that may hold some."""
    parts = list(ast.walk(node))
    calls = [part.value for part in parts if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)]
    asserts = any(isinstance(part, ast.Assert | ast.Raise) for part in parts)
    return asserts or any(isinstance(call.func, ast.Name) or _judges(call) for call in calls)


# --- Modules beside the notebook


def helpers(modules: Iterable[str]) -> str:
    """Return the text of `_helpers.py` with the modules one after the other; no name in it may begin with `test`."""
    text = "\n".join(source.strip("\n") + "\n" for source in modules)
    names = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}
    text = re.sub(r"\btest\w*", lambda match: "run_" * (match[0] in names) + match[0], text)
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
