"""`grade new --from`: the files of an assignment made from one of nbgrader's or otter's.

The source is read as data (foreign.py), its tests are rewritten by their syntax trees (conversion.py). What runs, runs in
the jail: expressions of tests whose value no text says, over the reference.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
import json
import re
import sys
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.authoring.conversion import (
    CheckBody,
    Converter,
    Names,
    NotCarried,
    check_file,
    helpers,
    scope_of,
)
from grader.authoring.file_rules import pitfalls
from grader.authoring.foreign import MAX_BESIDE, MAX_LINE_READ, ForeignCell, read_beside
from grader.authoring.loopholes import loopholes
from grader.authoring.reference import parse_source
from grader.data import DATA, MOST_BYTES
from grader.errors import Broken, Refused
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Student, Unanswered

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from grader.authoring.foreign import Foreign, ForeignQuestion

PLOTS = frozenset({"matplotlib", "seaborn", "plotly", "bokeh", "altair", "IPython", "ipywidgets"})
_DRAWS = frozenset({"plot", "hist", "boxplot"})  # methods of tables that draw
_CODED = re.compile(r"cell_[0-9a-f]{6,}|cell_\d+")  # a name that nobody chose
_MAGIC = re.compile(r"^([ \t]*)([%!].*)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\((?!https?:|attachment:)([^)\s]{1,200})")
_SEEDS = ("import random", "random.seed(1)"), ("import numpy as np", "np.random.seed(1)")
HINT = "Work out the smallest example by hand, and compare with what your code gives."


def first_heading(foreign: Foreign) -> str:
    """Return the text of the first heading of a notebook; empty if it has none."""
    lines = (line for cell in foreign.cells if not cell.is_code for line in cell.text.split("\n"))
    found = next((line.strip("# \t") for line in lines if re.match(r"#{1,3} +\S", line)), "")
    return "".join(
        letter for letter in re.sub(r"<[^>]*>|[*`$]", "", found[:MAX_LINE_READ]) if letter.isprintable()
    )[:80].strip()


def imported_files(foreign: Foreign, name: str, stem: str, title: str) -> dict[str, str | bytes]:
    """Return the files of the assignment `name`, whose reference is `stem`.py, by their paths in the course."""
    maker = _Maker(foreign, name)
    try:
        maker.prepare()
        maker.make_checks()
        maker.finish(stem, title)
    except (RecursionError, MemoryError) as error:
        raise Refused(
            f"{foreign.path}: its code is nested too deeply to be read; take that cell out"
        ) from error
    return maker.files


class _Maker:
    def __init__(self, foreign: Foreign, name: str) -> None:
        self.foreign, self.root = foreign, foreign.path.parent
        self.shown, self.secret = f"assignments/{name}", f"solutions/{name}"
        self.tests = [test for question in foreign.questions for test in question.tests]
        self.files: dict[str, str | bytes] = {}
        self.specs: dict[str, dict[str, Any]] = {}  # of the manifest, by check
        self.data: dict[str, str] = {}  # by path in the source, that in the course
        self.titles: set[str] = set()
        self.names = Names(set())

    # What is there

    def prepare(self) -> None:
        """Read the modules and the data beside the notebook, clean the cells, and collect their names."""
        for side in (self.shown, self.secret):  # what hidden tests alone name stays with them
            trees = [parse_source(test.code) for test in self.tests if test.hidden is (side == self.secret)]
            trees += [cell.tree for cell in self.foreign.cells if side == self.shown]
            self.read_files(trees, side)
        self.names.beside = {module: self.moved(text) for module, text in self.names.beside.items()}
        for question in self.foreign.questions:
            question.tests = [replace(test, code=self.moved(test.code)) for test in question.tests]
        self.foreign.cells = [part for cell in self.foreign.cells for part in self.cleaned(cell)]
        for cell in self.foreign.cells:
            self.names.notebook |= scope_of(cell.tree.body).bound - self.names.imports.keys()
            self.learn_imports(cell.tree)
        for test in self.tests:
            self.learn_imports(parse_source(test.code))
        self.tag_plots()

    def read_files(self, trees: list[ast.Module], side: str) -> None:
        """Take the modules beside the notebook that code imports from, and the files of data that it names."""
        nodes = [node for tree in trees for node in ast.walk(tree)]
        for node in nodes:  # those of modules come to them
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                path = self.root.joinpath(*node.module.split(".")).with_suffix(".py")
                if node.module not in self.names.beside and path.is_file():
                    text = read_beside(path, MAX_BESIDE, self.root).decode("utf-8", "replace")
                    self.names.beside[node.module] = text.replace("\r\n", "\n")
                    nodes += ast.walk(tree := parse_source(text))
                    names = scope_of(tree.body).bound if side == self.shown else ()
                    self.names.imports |= {name: f"from {node.module} import {name}" for name in names}
            elif (
                isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in self.data
            ):
                self.take(node.value, side)

    def take(self, text: str, side: str) -> None:
        """Take the file beside the notebook that a text names, if it does and the file is plain and small."""
        path, place = self.named_file(text), text.removeprefix("./")
        if path is None:
            return
        self.data[text] = place if place.startswith("data/") else f"data/{place}"
        self.files[f"{side}/{self.data[text]}"] = read_beside(path, MOST_BYTES, self.root)
        if sum(map(len, self.files.values())) > MOST_BYTES:
            raise Refused(
                f"{path}: the files of data have more than {MOST_BYTES >> 20} MB; make them smaller"
            )
        if text != self.data[text]:
            self.foreign.note(text, f"now {self.data[text]}, also where code names it; correct it in texts")

    def named_file(self, text: str) -> Path | None:
        """Return the file beside the notebook that a text names; None for any other text."""
        if not re.fullmatch(r"(\./)?(?!\.+/)[\w.\-]+(/(?!\.+/)[\w.\-]+)*\.\w{1,8}", text):
            return None
        with contextlib.suppress(OSError):
            path = self.root / text
            return path if path.suffix not in {".py", ".ipynb"} and path.is_file() else None
        return None

    def moved(self, code: str) -> str:
        """Return code with the new places of data."""
        for old, new in self.data.items():
            code = re.sub(rf"([\"']){re.escape(old)}\1", rf"\g<1>{new}\g<1>", code)
        return code

    def cleaned(self, cell: ForeignCell) -> list[ForeignCell]:
        """Return a cell as ours: without magics, modules beside it and imports that draw as cells of their own."""
        for picture in [] if cell.is_code else _PICTURE.findall(cell.text):
            self.foreign.note(
                cell.number, f"its picture {picture:.60} is not copied; put it where students can see it"
            )
        if not cell.is_code:
            return [cell]
        for magic in _MAGIC.findall(cell.text):
            self.foreign.note(cell.number, f"`{magic[1]:.40}` is IPython's, not Python; it is a comment now")
        text = self.moved(_MAGIC.sub(r"\1# IPython: \2", cell.text))
        try:
            nodes = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.foreign.note(cell.number, "this is not Python, so it is left out; write it as text")
            return []
        before, lines = [], text.split("\n")
        for node in nodes:
            module = getattr(node, "module", None)
            if module in self.names.beside or _modules(node) & PLOTS:
                own = self.names.beside.get(str(module), ast.unparse(node)).strip("\n")
                before.append(ForeignCell(cell.number, own, is_code=True))
                end = node.end_lineno or node.lineno
                lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
        rest = "\n".join(lines).strip("\n")
        return [*before, *[replace(cell, text=rest)] * bool(rest.strip() or not before)]

    def learn_imports(self, tree: ast.Module) -> None:
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            if module in self.names.beside or (isinstance(node, ast.ImportFrom) and node.level):
                continue
            for alias in node.names:
                one = ast.ImportFrom(module, [alias], 0) if module else ast.Import([alias])
                bound = alias.asname or alias.name.partition(".")[0]
                self.names.imports.setdefault(bound, ast.unparse(one))

    # Checks

    def make_checks(self) -> None:
        converter = Converter(self.names, self.foreign, self.read)
        modules: dict[str, set[str]] = {self.shown: set(), self.secret: set()}
        for question in self.foreign.questions:
            sides = {self.shown: CheckBody(), self.secret: CheckBody()}
            for test in question.tests:
                converter.add(sides[self.secret if test.hidden else self.shown], test)
            self.fold(sides[self.shown], sides[self.secret])
            asked = [name for body in sides.values() for name in body.asked]
            name, title = self.name_of(question, asked), self.title_of(question, asked)
            written = {side: body for side, body in sides.items() if body.statements}
            other = {"hints": [HINT]} if written else {"manual": True, "title": title}
            worth = round(question.worth, 2)
            self.specs[name] = {"points": int(worth) if worth == int(worth) else worth} | other
            if not written and not question.manual:
                self.foreign.note(
                    f"check {name}", "none of its tests could be taken, so it is marked by hand; write some"
                )
            for side, body in written.items():
                self.seed(name, body)
                self.files[f"{side}/checks/test_{name}.py"] = check_file(title, name, body)
                modules[side] |= body.modules
            for cell in (each for each in self.foreign.cells if each.question is question):
                if "demo" in cell.tags:
                    self.foreign.note(
                        cell.number,
                        "for plots that `grade mark` draws again, add `matplotlib` to `imports` in assignment.yaml",
                    )
                cell.tags.add(name)
        if several := sum(
            len(each.tests) > len({t.hidden for t in each.tests}) for each in self.foreign.questions
        ):
            self.foreign.note(
                f"{several} question{'s' if several > 1 else ''}",
                "had several tests; each is one check now, all or nothing",
            )
        if modules[self.secret]:
            modules[self.secret] |= modules[self.shown]  # hidden checks read their own file alone
        for side, wanted in modules.items():
            texts = [self.names.beside[module] for module in sorted(wanted)]
            self.files |= {f"{side}/checks/_helpers.py": helpers(texts)} if texts else {}

    def fold(self, shown: CheckBody, hidden: CheckBody) -> None:
        """Put visible statements before a hidden assert that stands alone: code that knows nothing may pass that."""
        both = bool(shown.statements and hidden.statements)
        is_weak = both and any(loopholes(check_file("", "shown", shown)))
        if is_weak or (both and sum(isinstance(node, ast.Assert) for node in hidden.statements) == 1):
            hidden.statements[:0] = copy.deepcopy(shown.statements)
            hidden.modules |= shown.modules
            hidden.imports |= shown.imports
        if is_weak:
            self.foreign.note(
                f"`{ast.unparse(shown.statements[-1]):.60}`", "proves little alone; it is a hidden test now"
            )
            shown.statements = []

    def seed(self, name: str, body: CheckBody) -> None:
        """Put a seed before tests that draw random numbers without one."""
        found = [
            what.split(" ")[0] for _, what in pitfalls(check_file("", name, body)) if "is not seeded" in what
        ]
        for drawn in found[:1]:
            self.foreign.note(f"check {name}", f"{drawn} had no seed; it has one now, or take `rng`")
            line, seed = _SEEDS["numpy." in drawn or "np." in drawn]
            body.imports[line] = None
            body.statements[:0] = ast.parse(seed).body

    def name_of(self, question: ForeignQuestion, asked: list[str]) -> str:
        name = _portable(question.name).removeprefix("test_")
        if _CODED.fullmatch(name) or not name:
            name = next(filter(None, map(_portable, asked)), "answer")
        return _new(name, self.specs, "{}_{}")

    def title_of(self, question: ForeignQuestion, asked: list[str]) -> str:
        docstrings = (
            (ast.get_docstring(parse_source(test.code)) or "").partition("\n\n")[0]
            for test in question.tests
            if not test.hidden
        )
        functions = " and ".join(dict.fromkeys(asked[:3]))
        by_hand = f"{_portable(question.name).replace('_', ' ')}, marked by hand"
        other = f"{functions}: what is asked" if asked else by_hand
        title = question.title or next(filter(None, docstrings), other)
        title = _new(
            " ".join(title.split()).replace("\\", "").replace('"', "'")[:120], self.titles, "{} ({})"
        )
        self.titles.add(title)
        return title

    def read(self, before: str, text: str) -> Any:
        """Return the value of an expression, in the jail, after the cells of the reference. Raises NotCarried."""
        imports, arrays = self.third_party()
        blocks = [ast.unparse(cell.tree) for cell in self.foreign.cells]
        blocks.append(f"{before}\n_value = ({text}\n)")
        data = {
            path.partition(f"/{DATA}/")[2]: text
            for path, text in self.files.items()
            if isinstance(text, bytes)
        }
        try:
            with (
                Launcher() as launcher,
                contextlib.closing(
                    Sandbox(
                        launcher,
                        blocks=blocks,
                        limits=Limits(),
                        imports=imports + ["numpy"] * arrays,
                        arrays=arrays,
                        data={"visible": data},
                    )
                ) as box,
            ):
                student = Student(box)
                return student.listed(student.quietly("_value"))
        except (StudentError, SubmissionStopped, Undefined, Unanswered, Broken) as error:
            raise NotCarried(
                f"`{text:.60}` has no value that the reference gives ({getattr(error, 'cause', None) or error}); write the test by hand"
            ) from error

    # The notebook

    def tag_plots(self) -> None:
        """Find the cells that only show something, or draw: grading skips them."""
        lines = self.names.imports.items()
        plots = {name for name, line in lines if _modules(ast.parse(line).body[0]) & PLOTS}
        for cell in self.foreign.cells:
            nodes = cell.tree.body
            attributes = {node.attr for node in ast.walk(cell.tree) if isinstance(node, ast.Attribute)}
            imported = set().union(*map(_modules, nodes))
            draws = plots & {*scope_of(nodes).wanted} or attributes & _DRAWS or imported & PLOTS
            if draws or (nodes and all(map(_only_shows, nodes))):
                cell.tags.add("demo")

    def third_party(self) -> tuple[list[str], bool]:
        """Return the modules that the graded cells import, and whether numpy is among them or the tests'."""
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
            told = [f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in spec.items()]
            lines += [f"  {name}:", *told]
        self.files[f"{self.shown}/assignment.yaml"] = "\n".join(lines) + "\n"
        self.foreign.note("hints", "each check has the same general hint; write your own in assignment.yaml")


def _percent(cell: ForeignCell) -> str:
    """Return a cell in percent format."""
    tags = f" tags={json.dumps(sorted(cell.tags))}" if cell.tags else ""
    text = re.sub(r"^# *%%", "# -", cell.text, flags=re.MULTILINE)
    body = text if cell.is_code else "\n".join(f"# {line}".rstrip() for line in text.split("\n"))
    return f"# %%{'' if cell.is_code else ' [markdown]'}{tags}\n{body}\n"


def _new(first: str, taken: Collection[str], form: str) -> str:
    """Return a text, with a number if it is taken."""
    others = (form.format(first.rstrip("."), number) for number in itertools.count(2))
    return next(text for text in itertools.chain([first], others) if text not in taken)


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
