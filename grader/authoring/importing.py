"""`grade new --from`: the files of an assignment made from one of nbgrader's or otter's.

foreign.py reads the source as data, conversion.py rewrites its tests by their syntax trees. Only one thing runs, in the
jail and over the reference: expressions of tests whose value no text says.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
import json
import os
import re
import symtable
import sys
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.authoring.conversion import (
    CheckBody,
    Converter,
    Names,
    NotCarried,
    bound_by,
    check_file,
    helpers,
    scope_of,
)
from grader.authoring.file_rules import UNSEEDED, pitfalls
from grader.authoring.foreign import MAX_BESIDE, ForeignCell, read_beside
from grader.authoring.reference import parse_source
from grader.data import DATA, MOST_BYTES
from grader.errors import Broken, Refused
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Student, Unanswered

if TYPE_CHECKING:
    from collections.abc import Collection

    from grader.authoring.foreign import Foreign, ForeignQuestion

_PLOTS = frozenset({"matplotlib", "seaborn", "plotly", "bokeh", "altair", "IPython", "ipywidgets"})
_DRAWS = frozenset({"plot", "hist", "boxplot"})  # methods of tables that draw
_CODED = re.compile(r"cell_[0-9a-f]{6,}|cell_\d+|")  # a name that no person chose
_MAGIC = re.compile(r"^([ \t]*)([%!].*)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\((?!https?:|attachment:)([^)\s]{1,200})")
_FILE = re.compile(r"(\./)?(?!\.+/)[\w.\-]+(/(?!\.+/)[\w.\-]+)*\.(?!(?:py|ipynb)$)\w{1,8}")
_SEEDS = ("import random", "random.seed(1)"), ("import numpy as np", "np.random.seed(1)")
_HINT = "Work out the smallest example by hand, and compare with the result of your code."


def imported_files(foreign: Foreign, name: str, stem: str, title: str) -> dict[str, str | bytes]:
    """Return the files of the assignment `name`, whose reference is `stem`.py, by their paths in the course."""
    maker = _Maker(foreign, name)
    try:
        maker.prepare()
        maker.make_checks()
        maker.finish(stem, title)
    except (RecursionError, MemoryError, SyntaxError) as error:
        why = "is not Python" if isinstance(error, SyntaxError) else "is nested too deeply"
        raise Refused(
            f"{foreign.path}: some code in this notebook or in a module beside it {why}; take that code out"
        ) from error
    return maker.files


class _Maker:
    def __init__(self, foreign: Foreign, name: str) -> None:
        self.foreign, self.root = foreign, foreign.path.parent
        self.shown, self.secret = f"assignments/{name}", f"solutions/{name}"
        self.files: dict[str, str | bytes] = {}
        self.specs: dict[str, dict[str, Any]] = {}  # of the manifest, by check
        self.titles: set[str] = set()
        self.data: dict[str, str] = {}  # by path in the source, the path in the course
        self.names = Names()

    # Reading

    def prepare(self) -> None:
        """Read the modules and the data beside the notebook, clean the cells, and collect their names."""
        tests = [test for question in self.foreign.questions for test in question.tests]
        shown = [cell.tree for cell in self.foreign.cells] + [
            parse_source(t.code) for t in tests if not t.hidden
        ]
        self.read_files(shown, self.shown)
        self.read_files([parse_source(test.code) for test in tests if test.hidden], self.secret)
        self.names.beside = {module: self.move_data(text) for module, text in self.names.beside.items()}
        self.foreign.cells = [part for cell in self.foreign.cells for part in self.clean(cell)]
        for cell in self.foreign.cells:
            self.names.notebook |= _defined_names(cell.tree) - self.names.imports.keys()
        for tree in [cell.tree for cell in self.foreign.cells] + [parse_source(test.code) for test in tests]:
            self.learn_imports(tree)
        plots = {
            name for name, line in self.names.imports.items() if _modules(ast.parse(line).body[0]) & _PLOTS
        }
        for cell in self.foreign.cells:
            nodes = cell.tree.body
            wanted, bound = scope_of(nodes)
            attributes = {getattr(part, "attr", "") for part in ast.walk(cell.tree)}
            draws = (
                plots & {*wanted} - bound
                or _DRAWS & attributes
                or _PLOTS & set().union(*map(_modules, nodes))
            )
            if draws or (nodes and all(map(_only_shows, nodes))):
                cell.tags.add("demo")  # grading skips it

    def read_files(self, trees: list[ast.Module], side: str) -> None:
        """Take the modules beside the notebook that code imports from, and the files of data that it names."""
        nodes = [node for tree in trees for node in ast.walk(tree)]
        for node in nodes:  # those of modules come to them
            value = getattr(node, "value", None)
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                path = self.root.joinpath(*node.module.split(".")).with_suffix(".py")
                if node.module not in self.names.beside and path.is_file():
                    text = (
                        read_beside(path, MAX_BESIDE, self.root)
                        .decode("utf-8", "replace")
                        .replace("\r\n", "\n")
                    )
                    self.names.beside[node.module] = text
                    nodes += ast.walk(tree := parse_source(text))
                    names = _defined_names(tree) if side == self.shown else ()
                    self.names.imports |= {name: f"from {node.module} import {name}" for name in names}
            elif isinstance(value, str) and value not in self.data and _FILE.fullmatch(value):
                self.take(value, side)

    def take(self, text: str, side: str) -> None:
        """Take the file beside the notebook that a text names, if there is one. Raises Refused."""
        path, place = self.root / text, text.removeprefix("./")
        if not os.path.isfile(path):  # noqa: PTH113  `Path.is_file` raises for a name that is too long
            return
        self.data[text] = place if place.startswith("data/") else f"data/{place}"
        self.files[f"{side}/{self.data[text]}"] = read_beside(path, MOST_BYTES, self.root)
        if sum(map(len, self.files.values())) > MOST_BYTES:
            raise Refused(
                f"{path}: the files of data have more than {MOST_BYTES >> 20} MB; make them smaller"
            )
        if text != self.data[text]:
            self.foreign.note(
                text,
                f"this file is now {self.data[text]}, and the code names the new place; correct texts that name the old place",
            )

    def move_data(self, code: str) -> str:
        """Return code with the new places of data."""
        for old, new in self.data.items():
            code = re.sub(rf"([\"']){re.escape(old)}\1", rf"\g<1>{new}\g<1>", code)
        return code

    def clean(self, cell: ForeignCell) -> list[ForeignCell]:
        """Return a cell without magics. Modules beside it and imports for plots become cells of their own."""
        if cell.kind != "code":
            for picture in _PICTURE.findall(cell.text):
                self.foreign.note(
                    cell.number, f"its picture {picture:.60} is not copied; put it where students can see it"
                )
            return [cell]
        for magic in _MAGIC.findall(cell.text):
            self.foreign.note(cell.number, f"`{magic[1]:.40}` is IPython's, not Python; it is a comment now")
        text = self.move_data(_MAGIC.sub(r"\1# IPython: \2", cell.text))
        try:
            nodes = ast.parse(text).body
            symtable.symtable(text, "cell", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.foreign.note(cell.number, "this is not Python, so it is left out; write it as text")
            return []
        before, lines = [], text.split("\n")
        for node in nodes:
            beside = self.names.beside.get(getattr(node, "module", None) or "")
            if beside is not None or _modules(node) & _PLOTS:
                own = ast.unparse(node) if beside is None else beside.strip("\n")
                before.append(ForeignCell(cell.number, "code", own))
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
        rest = "\n".join(lines).strip("\n")
        return [*before, *[replace(cell, text=rest)] * bool(rest.strip() or not before)]

    def learn_imports(self, tree: ast.Module) -> None:
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)):
            module = getattr(node, "module", None)
            for alias in (
                node.names if module not in self.names.beside and not getattr(node, "level", 0) else ()
            ):
                one = ast.ImportFrom(module, [alias], 0) if module else ast.Import([alias])
                self.names.imports.setdefault(bound_by(alias), ast.unparse(one))

    # Checks

    def make_checks(self) -> None:
        converter = Converter(self.names, self.foreign, self.read)
        modules: dict[str, set[str]] = {self.shown: set(), self.secret: set()}
        for question in self.foreign.questions:
            sides = {self.shown: CheckBody(), self.secret: CheckBody()}
            for test in question.tests:
                code = self.move_data(test.code)
                converter.add(sides[self.secret if test.hidden else self.shown], replace(test, code=code))
            _fold(*sides.values())
            name, title = self.name_and_title(
                question, [each for body in sides.values() for each in body.asked]
            )
            written = {side: body for side, body in sides.items() if body.statements}
            for side, body in written.items():
                self.seed(name, body)
                self.files[f"{side}/checks/test_{name}.py"] = check_file(title, name, body)
                modules[side] |= body.modules
            worth = round(question.worth, 2)
            other = {"hints": [_HINT]} if written else {"manual": True, "title": title}
            self.specs[name] = {"points": int(worth) if worth == int(worth) else worth} | other
            if not written and not question.manual:
                self.foreign.note(
                    f"check {name}",
                    "none of its tests could be converted, so you mark this check by hand; write a test",
                )
            for cell in (each for each in self.foreign.cells if each.question is question):
                if "demo" in cell.tags:
                    what = "for plots that `grade mark` draws again, add `matplotlib` to `imports` in assignment.yaml"
                    self.foreign.note(cell.number, what)
                cell.tags.add(name)
            if len(question.tests) > len({test.hidden for test in question.tests}):
                self.foreign.note(
                    "questions with several tests",
                    "each question is one check now, which gives all of its points or none",
                )
        if modules[self.secret]:
            modules[self.secret] |= modules[self.shown]  # hidden checks read only their own file
        for side, wanted in modules.items():
            texts = [self.names.beside[module] for module in sorted(wanted)]
            self.files |= {f"{side}/checks/_helpers.py": helpers(texts)} if texts else {}

    def seed(self, name: str, body: CheckBody) -> None:
        """Put a seed before tests that draw random numbers without one."""
        calls = [call for call, problem in pitfalls(check_file("", name, body)) if problem == UNSEEDED]
        if calls:
            drawn = ast.unparse(calls[0].func)
            self.foreign.note(
                f"check {name}",
                f"{drawn}() had no seed, and has one now; better take random numbers from `rng`",
            )
            line, seed = _SEEDS["numpy." in drawn or "np." in drawn]
            body.imports[line] = None
            body.statements[:0] = ast.parse(seed).body

    def name_and_title(self, question: ForeignQuestion, asked: list[str]) -> tuple[str, str]:
        """Return a new name and a new title for a check; `asked` are the names of the notebook in it."""
        name = _portable(question.name).removeprefix("test_")
        if _CODED.fullmatch(name):
            name = next(filter(None, map(_portable, asked)), "answer")
        shown = (parse_source(test.code) for test in question.tests if not test.hidden)
        docstrings = ((ast.get_docstring(tree) or "").partition("\n\n")[0] for tree in shown)
        functions = " and ".join(dict.fromkeys(asked[:3]))
        other = f"{functions}: examples" if asked else f"{name.replace('_', ' ')}, marked by hand"
        title = " ".join((question.title or next(filter(None, docstrings), other)).split())
        title = _new(title.replace("\\", "").replace('"', "'")[:120], self.titles, "{} ({})")
        self.titles.add(title)
        return _new(name, self.specs, "{}_{}"), title

    def read(self, before: str, text: str) -> Any:
        """Return the value of an expression, in the jail, after the cells of the reference. Raises NotCarried."""
        imports, arrays = self.third_party()
        blocks = [*(ast.unparse(cell.tree) for cell in self.foreign.cells), f"{before}\n_value = ({text}\n)"]
        data = {
            path.partition(f"/{DATA}/")[2]: text
            for path, text in self.files.items()
            if isinstance(text, bytes)
        }
        modules = imports + ["numpy"] * arrays
        try:
            with (
                Launcher() as launcher,
                contextlib.closing(
                    Sandbox(
                        launcher,
                        blocks=blocks,
                        limits=Limits(),
                        imports=modules,
                        arrays=arrays,
                        data={"visible": data},
                    )
                ) as box,
            ):
                student = Student(box)
                return student.listed(student.quietly("_value"))
        except (StudentError, SubmissionStopped, Undefined, Unanswered, Broken) as error:
            why = getattr(error, "cause", None) or error
            raise NotCarried(
                f"the reference gives no value for `{text:.60}` ({why}); write the test by hand"
            ) from error

    def third_party(self) -> tuple[list[str], bool]:
        """Return the modules that the graded cells import, and whether they or the tests import numpy."""
        nodes = [node for cell in self.foreign.cells for node in ast.walk(cell.tree)]
        found = dict.fromkeys(name for node in nodes for name in sorted(_modules(node)))
        tests = {name for line in self.names.imports.values() for name in _modules(ast.parse(line).body[0])}
        own = {"numpy", *sys.stdlib_module_names, *self.names.beside}
        return [name for name in found if name not in own], "numpy" in found or "numpy" in tests

    def finish(self, stem: str, title: str) -> None:
        """Write the reference and the manifest."""
        self.files[f"{self.secret}/{stem}.py"] = "\n\n".join(map(_percent, self.foreign.cells))
        imports, arrays = self.third_party()
        lines = ["format: 1", f"title: {json.dumps(title, ensure_ascii=False)}", f"submission: {stem}.ipynb"]
        lines += (
            ["arrays: true"] * arrays + [f"imports: [{', '.join(imports)}]"] * bool(imports) + ["checks:"]
        )
        for name, spec in self.specs.items():
            lines += [
                f"  {name}:",
                *(f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in spec.items()),
            ]
        self.files[f"{self.shown}/assignment.yaml"] = "\n".join(lines) + "\n"
        self.foreign.note("hints", "each check has the same general hint and a plain title; write your own")


def _fold(shown: CheckBody, hidden: CheckBody) -> None:
    """Put visible statements before a single hidden assert, which code that does nothing may pass."""
    if shown.statements and sum(isinstance(node, ast.Assert) for node in hidden.statements) == 1:
        hidden.statements[:0] = copy.deepcopy(shown.statements)
        hidden.modules |= shown.modules
        hidden.imports |= shown.imports


def _percent(cell: ForeignCell) -> str:
    """Return a cell in percent format."""
    tags = f" tags={json.dumps(sorted(cell.tags))}" if cell.tags else ""
    lines = re.sub(r"^# *%%", "# -", cell.text, flags=re.MULTILINE).split("\n")
    if cell.kind == "code":
        return "\n".join([f"# %%{tags}", *lines, ""])
    return "\n".join([f"# %% [markdown]{tags}", *(f"# {line}".rstrip() for line in lines), ""])


def _new(first: str, taken: Collection[str], form: str) -> str:
    """Return a text, with a number if it is taken."""
    others = (form.format(first.rstrip("."), number) for number in itertools.count(2))
    return next(text for text in itertools.chain([first], others) if text not in taken)


def _defined_names(tree: ast.Module) -> set[str]:
    """Return the names that code defines, without its imports. Raises SyntaxError for code such as a lone `nonlocal`."""
    symbols = symtable.symtable(ast.unparse(tree), "cell", "exec").get_symbols()
    return {each.get_name() for each in symbols if each.is_assigned() and not each.is_imported()}


def _modules(node: ast.AST) -> set[str]:
    """Return the first parts of the modules that a statement imports."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [str(node.module)] if isinstance(node, ast.ImportFrom) and not node.level else []
    return {name.partition(".")[0] for name in names}


def _only_shows(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(node, ast.Expr) and isinstance(called, ast.Name | None)


def _portable(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"\W+", "_", plain).strip("_")
    return f"q{plain}"[:48] if plain[:1].isdigit() else plain[:48]
