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

from grader.authoring.scopes import scope_of
from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

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
_NUMPYS = {"np.True_": "True", "np.False_": "False"}  # how numpy writes them
_OF_NUMPY = frozenset(  # of numpy.testing
    {"assert_allclose", "assert_array_equal", "assert_array_almost_equal", "assert_array_less"}
)
_REMEDY = "no student's code runs where the check stands; write this test by hand, with `student.helper`"


class NotCarried(Exception):
    """A test cannot become one of a check: the text says why, and what to do."""


@dataclass
class Names:
    """What names mean in a test: bound by cells of the notebook, imported somewhere, of a module beside it."""

    notebook: set[str]
    imports: dict[str, str] = field(default_factory=dict)  # by name, the statement
    beside: dict[str, str] = field(default_factory=dict)  # by module, its source


@dataclass
class CheckBody:
    """The statements of one side of a check, the imports above them, and the modules beside it that they need."""

    statements: list[ast.stmt] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)  # names of the notebook

    def add_import(self, line: str) -> None:
        """Add an import once."""
        if line not in self.imports:
            self.imports.append(line)

    def extend_front(self, other: CheckBody) -> None:
        """Put the statements of another body above these."""
        self.statements = [*copy.deepcopy(other.statements), *self.statements]
        self.modules |= other.modules
        for line in other.imports:
            self.add_import(line)


# --- Names


class _ToStudent(ast.NodeTransformer):
    """Writes `student.NAME` for names of the notebook, and what else a check writes in another way."""

    def __init__(self, names: set[str], statements: Iterable[ast.stmt]) -> None:
        calls = [node for each in statements for node in ast.walk(each) if isinstance(node, ast.Call)]
        self.names = names
        self.stepped = {ast.unparse(call.args[0]) for call in calls if _called(call) == "next" and call.args}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return of_student(node.id) if node.id in self.names else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Write `isinstance` for `type(x) == T`: a number that was read is of a class of its own."""
        self.generic_visit(node)
        match node:
            case ast.Compare(
                ast.Call(ast.Name("type"), [value]),
                [ast.Eq() | ast.Is()],
                [ast.Name() | ast.Attribute() as kind],
            ):
                return ast.Call(ast.Name("isinstance", ast.Load()), [value, kind], [])
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Write `(np.asarray(x) == y).all()` for `(x == y).all()`: an array that was read compares as a whole."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Compare) and node.attr in {"all", "any", "sum", "mean"}:
            node.value.left = _as_array(node.value.left)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Write `f = iter(...)` for what the test hands to `next`: a generator of the jail's is no iterator here."""
        self.generic_visit(node)
        if ast.unparse(node.targets[0]) in self.stepped:
            node.value = ast.Call(ast.Name("iter", ast.Load()), [node.value], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Hand plain arrays to the asserts of numpy, which compare entry by entry."""
        self.generic_visit(node)
        if _called(node).rpartition(".")[2] in _OF_NUMPY:
            node.args[:2] = [_as_array(each) for each in node.args[:2]]
        return node


class _Imports(ast.NodeTransformer):
    """Writes imports from modules beside the notebook, and from `nose`, as a check has them."""

    def __init__(self, body: CheckBody, beside: Mapping[str, str]) -> None:
        self.body, self.beside = body, beside

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.module in self.beside:
            self.body.modules.add(str(node.module))
            renamed = [ast.alias(_helper_name(each.name), each.asname or each.name) for each in node.names]
            return ast.ImportFrom("_helpers", renamed, 0)
        if node.module != "nose.tools":
            return node
        self.body.add_import("import unittest")
        methods = {a.asname or a.name: re.sub(r"_(.)", lambda m: m[1].upper(), a.name) for a in node.names}
        return ast.parse("\n".join(f"{name} = unittest.TestCase().{to}" for name, to in methods.items())).body


def _as_array(node: ast.expr) -> ast.expr:
    """Return the expression as a plain array; a literal as it is."""
    if isinstance(node, ast.Constant | ast.List | ast.Tuple):
        return node
    return ast.Call(ast.parse("np.asarray", mode="eval").body, [node], [])


def of_student(name: str) -> ast.expr:
    """Return the expression by which a check reads a name of the notebook."""
    text = f"student.quietly({name!r})" if name in _OF_STUDENT else f"student.{name}"
    return ast.parse(text, mode="eval").body


# --- One test


def parsed(test: ForeignTest) -> list[ast.stmt]:
    """Return the statements of a test; those of a function `test_...` instead of the function. Raises NotCarried."""
    lines = test.code.split("\n")
    if magic := next((line for line in lines if re.match(r"\s*[%!]", line)), ""):
        raise NotCarried(
            f"`{magic.strip():.40}` is IPython's, not Python; take it out, or write the test by hand"
        )
    try:
        body = ast.parse(test.code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotCarried(f"this test is not Python ({error}); mend it there, or write it by hand") from error
    found: list[ast.stmt] = []
    inlined = set()
    for node in body:
        if isinstance(node, ast.FunctionDef) and re.match(r"_?test", node.name):
            inlined.add(node.name)
            found += node.body
        elif not (isinstance(node, ast.Expr) and _called(node.value) in inlined):
            found.append(node)
    return found


def _called(node: ast.expr) -> str:
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
        except NotCarried as error:
            self.foreign.note(test.place, str(error))
            return
        if not statements:
            return
        before = len(self.earlier)
        self.earlier.append((test.hidden, settings(statements)))
        try:
            statements = [*self.needed(statements, before, hidden=test.hidden), *statements]
            self._add(body, statements, test)
        except NotCarried as error:
            self.foreign.note(test.place, str(error))

    def needed(self, statements: list[ast.stmt], before: int, *, hidden: bool) -> list[ast.stmt]:
        """Return what earlier tests have set and this one uses; a visible test takes nothing of a hidden one."""
        setup: list[ast.stmt] = []
        for secret, lines in reversed(self.earlier[:before]):
            missing = {name for name in scope_of([*setup, *statements]).wanted if not self._is_known(name)}
            if missing & scope_of(lines).stored and (hidden or not secret):
                setup = [*lines, *setup]
        return copy.deepcopy(setup)

    def _add(self, body: CheckBody, statements: list[ast.stmt], test: ForeignTest) -> None:
        statements = list(self.usable(statements, test))
        scope = scope_of(statements)
        if changed := sorted(scope.deleted & self.names.notebook):
            raise NotCarried(
                f"it deletes `{changed[0]}` of the notebook; a check cannot: ask for what the function does instead"
            )
        mine = [name for name in scope.wanted if name in self.names.notebook]
        if unknown := [
            name for name in scope.wanted if name not in scope.stored and not self._is_known(name)
        ]:
            raise NotCarried(
                f"`{unknown[0]}` is defined nowhere; define it in the check, or take the test out"
            )
        if test.value:
            statements = self.with_value(statements, test)
        for name in scope.wanted:
            if name not in scope.stored | self.names.notebook and name in self.names.imports:
                self.add_import(body, name)
        own = scope.stored | scope.inner  # also bound by the test: the notebook's value comes first
        to_student = _ToStudent({*mine} - own, statements)
        first = [ast.Assign([ast.Name(name, ast.Store())], of_student(name)) for name in mine if name in own]
        told = [*first, *(to_student.visit(node) for node in statements)]
        told = self.judging(_handed_over(told, self.names.imports), test)
        if not any(_can_fail(node) for node in told):
            raise NotCarried("nothing in it can fail; write an `assert` by hand")
        if any("np.asarray" in ast.unparse(node) for node in told):
            body.add_import("import numpy as np")
        body.asked += [name for name in mine if name not in body.asked]
        tree = _Imports(body, self.names.beside).visit(ast.Module(told, []))
        body.statements += ast.fix_missing_locations(tree).body

    def judging(self, statements: list[ast.stmt], test: ForeignTest) -> list[ast.stmt]:
        """Return the statements without asserts that look at nothing of the student's, such as at an argument afterwards."""
        read, kept, own = {"student"}, [], scope_of(statements).stored
        for node in statements:
            parts = list(ast.walk(node))
            names = [part for part in parts if isinstance(part, ast.Name)]
            if read & {name.id for name in names}:
                read |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
                # `found.append(...)`, `found[0] = ...`
                read |= own & {
                    _root(part) for part in parts if isinstance(part, ast.Attribute | ast.Subscript)
                }
            elif isinstance(node, ast.Assert) or (isinstance(node, ast.Expr) and _judges(node.value)):
                what = "looks at nothing that the student's code gives; an argument that it changes is a copy, so use a helper"
                self.foreign.note(test.place, f"`{_short(node)}` {what}")
                continue
            kept.append(node)
        return kept

    def _is_known(self, name: str) -> bool:
        return name in self.names.notebook or name in self.names.imports or name in _BUILTINS

    def add_import(self, body: CheckBody, name: str) -> None:
        """Add the import of a name to the check."""
        tree = _Imports(body, self.names.beside).visit(ast.parse(self.names.imports[name]))
        for line in ast.unparse(tree).split("\n"):
            body.add_import(line)

    def usable(self, statements: list[ast.stmt], test: ForeignTest) -> Iterator[ast.stmt]:
        """Yield the statements that judge or prepare something; a note for each that cannot work in a check."""
        for place, node in enumerate(statements):
            is_last = place == len(statements) - 1
            if isinstance(node, ast.Try) and _swallows(node):
                what = (
                    "it catches failed asserts and prints them; here the first one that fails fails the check"
                )
                self.foreign.note(test.place, what)
                yield from self.usable([*node.body, *node.orelse], test)
            elif reason := _not_here(node, self.names.notebook):
                self.foreign.note(test.place, f"`{_short(node)}` {reason}; {_REMEDY}")
            elif not _only_tells(node) or (test.value and is_last):
                yield node

    def with_value(self, statements: list[ast.stmt], test: ForeignTest) -> list[ast.stmt]:
        """Return the statements with the last expression as an assert."""
        if not statements or not isinstance(statements[-1], ast.Expr) or _judges(statements[-1].value):
            return statements
        before, last = statements[:-1], statements[-1]
        assert isinstance(last, ast.Expr)
        text, want = ast.unparse(last), _NUMPYS.get(test.want, test.want)
        if isinstance(last.value, ast.Compare) and want not in {"True", "False"}:
            want = ""  # stored before the test was changed
        try:
            value = ast.literal_eval(want)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            value = self.read("\n".join(map(ast.unparse, before)), text)
        return [*before, ast.parse(asserted(text, value)).body[0]]


def asserted(text: str, value: object) -> str:
    """Return an assert that an expression has a plain value. Raises NotCarried for any other value."""
    if value is True or value is False:
        return f"assert {text}" if value else f"assert not ({text})"
    if value is None:
        return f"assert ({text}) is None"
    plain = repr(value)
    try:
        ast.literal_eval(plain)
    except (SyntaxError, ValueError):
        raise NotCarried(f"`{text:.60}` gives no plain value; write the test of it by hand") from None
    near = any(
        isinstance(each, ast.Constant) and type(each.value) is float for each in ast.walk(ast.parse(plain))
    )
    return f"assert ({text}) == {f'approx({plain})' if near else plain}"


def settings(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return what a test sets for later ones: its statements without what judges or tells."""
    kept = [node for node in statements if not isinstance(node, ast.Assert) and not _only_tells(node)]
    kept = [node for node in kept if not isinstance(node, ast.Expr) or not _judges(node.value)]
    return [copy.deepcopy(node) for node in kept if not _not_here(node)]


def _only_tells(node: ast.stmt) -> bool:
    """Return True for an expression that changes nothing: a comparison, a value, what is printed."""
    if not isinstance(node, ast.Expr):
        return False
    return not isinstance(node.value, ast.Call) or _called(node.value) in {"print", "display"}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return ast.unparse(node)


def _swallows(node: ast.Try) -> bool:
    caught = [ast.unparse(each.type) if each.type else "" for each in node.handlers]
    raises = any(isinstance(part, ast.Raise) for each in node.handlers for part in ast.walk(each))
    return "AssertionError" in caught and not raises


def _not_here(node: ast.stmt, notebook: Collection[str] = ()) -> str:
    """Return the reason why a statement cannot work in a check; empty for one that can."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    used |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    if isinstance(node, ast.With) and "catch_warnings" in used and "record=True" not in ast.unparse(node):
        used.discard("catch_warnings")  # it only silences them
    return next((reason for name, reason in _NOT_HERE.items() if name in used.difference(notebook)), "")


def _short(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0][:60]


def _judges(node: ast.expr) -> bool:
    """Return True for a call that raises where something is wrong: `assert_equal(...)`, `test_exercise(...)`."""
    name = _called(node).rpartition(".")[2]
    return bool(re.match(r"(assert|test|check|raises|fail)", name, re.IGNORECASE))


def _can_fail(node: ast.AST) -> bool:
    """Return True for an assert, an error, or a call of a function that may hold some."""
    parts = list(ast.walk(node))
    calls = [part.value for part in parts if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call)]
    own = any(isinstance(call.func, ast.Name) or _judges(call) for call in calls)
    return own or any(isinstance(part, ast.Assert | ast.Raise) for part in parts)


# --- Functions that a test hands to the student's code


def _handed_over(statements: list[ast.stmt], imports: Mapping[str, str]) -> list[ast.stmt]:
    """Return the statements with each function that is handed to the student's code as one that runs in the jail."""
    functions: dict[str, ast.FunctionDef] = {}  # those above each statement
    for each in statements:
        functions |= {each.name: each} if isinstance(each, ast.FunctionDef) else {}
        for node in ast.walk(each):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("student."):
                node.args = [_in_jail(arg, functions, imports) for arg in node.args]
                for word in node.keywords:
                    word.value = _in_jail(word.value, functions, imports)
    used = {part.id for each in statements for part in ast.walk(each) if isinstance(part, ast.Name)}
    return [node for node in statements if not isinstance(node, ast.FunctionDef) or node.name in used]


def _in_jail(
    node: ast.expr, functions: Mapping[str, ast.FunctionDef], imports: Mapping[str, str]
) -> ast.expr:
    if isinstance(node, ast.Lambda):
        name, made = "given", f"given = {ast.unparse(node)}"
    elif isinstance(node, ast.Name) and node.id in functions:
        name, made = node.id, ast.unparse(functions[node.id])
    else:
        return node
    used = scope_of(ast.parse(made).body).wanted
    if any(each.startswith("student") for each in used):
        raise NotCarried(
            f"`{name}` is handed to the student's code and uses a name of the notebook; write it by hand"
        )
    lines = dict.fromkeys(imports[each] for each in used if each in imports)
    source = "\n".join([*lines, made])
    return ast.parse(f"student.helper({source!r}, {name!r})", mode="eval").body


# --- Modules beside the notebook


def _helper_name(name: str) -> str:
    """Return the name that a function of a module beside the notebook has in `_helpers.py`, where no test may stand."""
    return f"run_{name}" if name.startswith("test") else name


def helpers(modules: Mapping[str, str], docstring: str) -> str:
    """Return the text of `_helpers.py` with the modules one after the other."""
    parts = [f'"""{docstring}"""\n']
    for source in modules.values():
        text = source
        names = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
        for name in sorted(names):
            if _helper_name(name) != name:
                text = re.sub(rf"\b{re.escape(name)}\b", _helper_name(name), text)
        parts.append(text.strip("\n") + "\n")
    return "\n".join(parts)


def check_file(title: str, name: str, body: CheckBody, seeds: Sequence[str]) -> str:
    """Return the text of a check file with one test."""
    docstring: list[ast.stmt] = [ast.Expr(ast.Constant(title))]
    test = ast.parse(f"def test_{name}(student): ...")
    test.body[0].body = [*docstring, *_parsed(seeds), *body.statements]  # type: ignore[attr-defined]
    code = ast.unparse(ast.fix_missing_locations(test))
    imports = list(body.imports) + ["from pytest import approx"] * ("approx(" in code)
    parts = [ast.unparse(ast.Module(docstring, [])), "\n".join(sorted(imports, key=_order)), code]
    return "\n\n".join(part for part in parts if part) + "\n"


def _order(line: str) -> tuple[bool, str]:
    return not line.startswith(("import ", "from ")), line


def _parsed(lines: Iterable[str]) -> list[ast.stmt]:
    return [node for line in lines for node in ast.parse(line).body]
