"""`grade new --from`: the files of an assignment made from one of nbgrader's or otter's.

The source is read as data (foreign.py), its tests are rewritten by their syntax trees (conversion.py). What runs, runs in
the jail: expressions of tests whose value no text says, over the reference.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import re
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

from grader.authoring.conversion import (
    CheckBody,
    Converter,
    Names,
    NotCarried,
    check_file,
    helpers,
    settings,
)
from grader.authoring.file_rules import pitfalls
from grader.authoring.foreign import MAX_BESIDE, MAX_LINE_READ, ForeignCell, read_beside
from grader.authoring.loopholes import loopholes
from grader.authoring.reference import parse_source, strip_solutions
from grader.authoring.scopes import bound_names, used_names
from grader.data import DATA, MOST_BYTES
from grader.errors import Broken, Refused
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Student, Unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from grader.authoring.foreign import Foreign, ForeignQuestion

PLOTS = frozenset({"matplotlib", "seaborn", "plotly", "bokeh", "altair", "IPython", "ipywidgets"})
_DRAWS = frozenset({"plot", "hist", "boxplot"})  # methods of tables that draw
_CODED = re.compile(r"cell_[0-9a-f]{6,}|cell_\d+")  # a name that nobody chose
_MAGIC = re.compile(r"^([ \t]*)([%!].*)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]{0,200}\]\((?!https?:|attachment:)([^)\s]{1,200})")
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
        self.sides = (self.shown, self.secret)
        self.size = 0  # bytes of data
        self.files: dict[str, str | bytes] = {}
        self.specs: dict[str, dict[str, Any]] = {}  # of the manifest, by check
        self.data: dict[str, str] = {}  # by path in the source, that in the course
        self.given: set[str] = set()  # titles that are taken
        self.names = Names(set())
        self.tags: dict[int, set[str]] = {}  # by the place of a cell
        self.asked: set[str] = set()
        self.imports: list[str] = []

    # What is there

    def prepare(self) -> None:
        """Read the modules and the data beside the notebook, clean the cells, and collect their names."""
        tests = [test for question in self.foreign.questions for test in question.tests]
        codes = {
            side: [test.code for test in tests if test.hidden is (side == self.secret)] for side in self.sides
        }
        codes[self.shown] += [cell.text for cell in self.foreign.cells if cell.is_code]
        for side, texts in codes.items():  # what hidden tests alone name stays with them
            trees = [*map(parse_source, texts)]
            self.read_data([*trees, *self.read_modules(trees, side)], side)
        self.names.beside = {module: self.moved(text) for module, text in self.names.beside.items()}
        for question in self.foreign.questions:
            question.tests = [test.moved(self.moved) for test in question.tests]
        cells: list[ForeignCell] = []
        for cell in self.foreign.cells:
            cells += self.cleaned(cell)
        for tree in [parse_source(cell.text) for cell in cells if cell.is_code]:
            self.names.notebook |= bound_names(tree) - self.names.imports.keys()
            self.learn_imports(tree)
        for test in tests:
            self.learn_imports(parse_source(test.code))
        self.foreign.cells = list(self.with_settings(cells))

    def read_modules(self, trees: list[ast.Module], side: str) -> list[ast.Module]:
        """Read the modules beside the notebook that code imports from; return those that are new."""
        found = []
        for node in (node for tree in trees for node in ast.walk(tree)):
            module = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
            path = self.root.joinpath(*module.split(".")).with_suffix(".py") if module else None
            if module and path and module not in self.names.beside and path.is_file():
                text = read_beside(path, MAX_BESIDE, self.root).decode("utf-8", "replace")
                self.names.beside[module] = text.replace("\r\n", "\n")
                found.append(parse_source(text))
                names = bound_names(found[-1]) if side == self.shown else ()
                self.names.imports |= {name: f"from {module} import {name}" for name in names}
        return found

    def read_data(self, trees: list[ast.Module], side: str) -> None:
        """Take the files beside the notebook that its code names, as far as they are plain and small."""
        for tree in trees:
            for node in ast.walk(tree):
                text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
                path = self.named_file(text)
                if path is None or text in self.data:
                    continue
                data = read_beside(path, MOST_BYTES, self.root)
                self.size += len(data)
                if self.size > MOST_BYTES:
                    raise Refused(
                        f"{path}: the files of data have more than {MOST_BYTES >> 20} MB; make them smaller"
                    )
                place = text.removeprefix("./")
                self.data[text] = place if place.startswith("data/") else f"data/{place}"
                self.files[f"{side}/{self.data[text]}"] = data
                if text != self.data[text]:
                    self.foreign.note(
                        text, f"now {self.data[text]}, also where code names it; correct it in texts"
                    )

    def named_file(self, text: str) -> Path | None:
        """Return the file beside the notebook that a text names; None for any other text. Raises Refused for a link."""
        parts = text.removeprefix("./").split("/")
        if (
            not re.fullmatch(r"(\./)?[\w.\-/]+\.\w{1,8}", text)
            or "" in parts
            or any(set(part) == {"."} for part in parts)
        ):
            return None
        path = self.root.joinpath(*parts)
        with contextlib.suppress(OSError):
            if path.suffix not in {".py", ".ipynb"} and path.is_file():
                return path
        return None

    def moved(self, code: str) -> str:
        """Return code with the new places of data."""
        for old, new in self.data.items():
            code = re.sub(rf"([\"']){re.escape(old)}\1", rf"\g<1>{new}\g<1>", code)
        return code

    def cleaned(self, cell: ForeignCell) -> list[ForeignCell]:
        """Return a cell as ours: without magics, modules beside it as cells; what is not Python becomes text."""
        if not cell.is_code:
            for picture in _PICTURE.findall(cell.text):
                self.foreign.note(
                    cell.number, f"its picture {picture:.60} is not copied; put it where students can see it"
                )
            return [cell]
        for _, magic in _MAGIC.findall(cell.text):
            self.foreign.note(cell.number, f"`{magic:.40}` is IPython's, not Python; it is a comment now")
        text = self.moved(_MAGIC.sub(r"\1# IPython: \2", cell.text))
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.foreign.note(
                cell.number, "this is not Python; students get it as text, without its solution"
            )
            kept = strip_solutions(text, f"cell {cell.number}")[0]
            lines = [
                line
                for line in kept.split("\n")
                if "NotImplementedError" not in line and "SOLUTION" not in line
            ]
            return [ForeignCell(cell.number, "\n".join(["```python", *lines, "```"]), is_code=False)]
        before, lines = [], text.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module in self.names.beside:
                before.append(
                    ForeignCell(cell.number, self.names.beside[node.module].strip("\n"), is_code=True)
                )
            elif not (isinstance(node, ast.Import | ast.ImportFrom) and _modules(node) & PLOTS):
                continue
            else:
                before.append(ForeignCell(cell.number, ast.unparse(node), is_code=True))
            lines[node.lineno - 1 : node.end_lineno] = [""] * (
                (node.end_lineno or node.lineno) - node.lineno + 1
            )
        rest = "\n".join(lines).strip("\n")
        return [
            *before,
            *([ForeignCell(cell.number, rest, True, cell.question)] if rest.strip() or not before else []),
        ]

    def with_settings(self, cells: list[ForeignCell]) -> Iterator[ForeignCell]:
        """Yield the cells; before one that uses what tests above it set, a cell that sets it."""
        visible = [test for question in self.foreign.questions for test in question.tests if not test.hidden]
        for cell in cells:
            used = used_names(parse_source(cell.text)) if cell.is_code else set()
            for test in visible:
                missing = used - self.names.notebook - self.names.imports.keys()
                lines = ast.unparse(ast.Module(settings(parse_source(test.code).body), []))
                if test.number < cell.number and missing & (bound := bound_names(parse_source(lines))):
                    self.foreign.note(
                        cell.number, f"it uses `{min(missing & bound)}`, which a test set; a cell sets it now"
                    )
                    self.names.notebook |= bound
                    yield ForeignCell(cell.number, lines, is_code=True)
            yield cell

    def learn_imports(self, tree: ast.Module) -> None:
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)):
            if isinstance(node, ast.ImportFrom) and (node.module in self.names.beside or node.level):
                continue
            if any(alias.name == "*" for alias in node.names):
                self.foreign.note(f"`{ast.unparse(node)}`", "its names are not known; import them one by one")
                continue
            for alias in node.names:
                one = (
                    ast.Import([alias])
                    if isinstance(node, ast.Import)
                    else ast.ImportFrom(node.module, [alias], 0)
                )
                bound = alias.asname or alias.name.partition(".")[0]
                self.names.imports.setdefault(bound, ast.unparse(one))

    # Checks

    def make_checks(self) -> None:
        self.tag_plots()
        converter = Converter(self.names, self.foreign, self.read)
        modules: dict[str, set[str]] = {self.shown: set(), self.secret: set()}
        several = 0
        for question in self.foreign.questions:
            sides = {self.shown: CheckBody(), self.secret: CheckBody()}
            for test in question.tests:
                converter.add(sides[self.secret if test.hidden else self.shown], test)
            several += len(question.tests) > len({test.hidden for test in question.tests})
            self.fold(sides[self.shown], sides[self.secret])
            self.note_changes(question, sides.values())
            asked = [name for body in sides.values() for name in body.asked]
            self.asked |= set(asked)
            written = {side: body for side, body in sides.items() if body.statements}
            title = self.title_of(question, asked)
            name = self.name_of(question, asked)
            self.specs[name] = {"points": _plain(question.worth)} | (
                {} if written else {"manual": True, "title": title}
            )
            if not written and not question.manual:
                self.foreign.note(
                    f"check {name}", "none of its tests could be taken, so it is marked by hand; write some"
                )
            for side, body in written.items():
                self.files[f"{side}/checks/test_{name}.py"] = self.check(title, name, body)
                modules[side] |= body.modules
            self.tag_answers(question, name)
        if several:
            what = "had several tests; each is one check now, all or nothing"
            self.foreign.note(f"{several} question{'s' if several > 1 else ''}", what)
        self.add_helpers(modules)

    def fold(self, shown: CheckBody, hidden: CheckBody) -> None:
        """Put visible statements before a hidden assert that stands alone: code that knows nothing may pass that."""
        if not shown.statements or not hidden.statements:
            return
        is_weak = any(loopholes(check_file("", "shown", shown, ())))
        if is_weak or sum(isinstance(node, ast.Assert) for node in hidden.statements) == 1:
            hidden.extend_front(shown)
        if is_weak:
            self.foreign.note(
                f"`{ast.unparse(shown.statements[-1]):.60}`", "proves little alone; it is a hidden test now"
            )
            shown.statements = []

    def note_changes(self, question: ForeignQuestion, bodies: Iterable[CheckBody]) -> None:
        """Note each name that a test asks for and a cell below it binds again."""
        last = max((test.number for test in question.tests), default=0)
        asked = {name for body in bodies for name in body.asked}
        for cell in self.foreign.cells:
            if (
                last
                and cell.is_code
                and cell.number > last
                and (again := bound_names(parse_source(cell.text)) & asked)
            ):
                what = f"binds `{min(again)}` again, and checks see the last value; give one of them another name"
                self.foreign.note(cell.number, what)

    def check(self, title: str, name: str, body: CheckBody) -> str:
        text = check_file(title, name, body, ())
        lucky = [what for _, what in pitfalls(text) if "is not seeded" in what]
        if not lucky:
            return text
        self.foreign.note(
            f"check {name}", f"{lucky[0].split(' ')[0]} had no seed; it has one now, or take `rng`"
        )
        seeds = {"import random": "random.seed(1)", "import numpy as np": "np.random.seed(1)"}
        for line, seed in seeds.items():
            if seed.partition(".seed")[0] in text.replace("numpy.random", "np.random"):
                body.add_import(line)
                text = check_file(title, name, body, [seed])
        return text

    def add_helpers(self, modules: dict[str, set[str]]) -> None:
        if modules[self.secret]:
            modules[self.secret] |= modules[self.shown]  # hidden checks read their own file alone
        for side, wanted in modules.items():
            if wanted:
                sources = {module: self.names.beside[module] for module in sorted(wanted)}
                self.files[f"{side}/checks/_helpers.py"] = helpers(
                    sources, "What the tests of this side share."
                )

    def name_of(self, question: ForeignQuestion, asked: list[str]) -> str:
        name = _portable(question.name).removeprefix("test_")
        if _CODED.fullmatch(name) or not name:
            name = _portable(next((each for each in asked if _portable(each)), "answer"))
        first, number = name, 1
        while name in self.specs:
            number += 1
            name = f"{first}_{number}"
        return name

    def title_of(self, question: ForeignQuestion, asked: list[str]) -> str:
        docstring = next(
            (text for test in question.tests if not test.hidden and (text := _docstring(test.code))), ""
        )
        functions = " and ".join(dict.fromkeys(asked[:3]))
        title = question.title or docstring or (f"{functions}: what is asked" if asked else "")
        title = title or f"{_portable(question.name).replace('_', ' ')}, marked by hand"
        title = " ".join(title.split()).replace("\\", "").replace('"', "'")[:120]
        first, number = title, 1
        while title in self.given:
            number += 1
            title = f"{first.rstrip('.')} ({number})"
        self.given.add(title)
        return title

    def read(self, before: str, text: str) -> Any:
        """Return the value of an expression, in the jail, after the cells of the reference. Raises NotCarried."""
        imports, arrays = self.third_party()
        imports += ["numpy"] * arrays
        blocks = [
            c.text
            for i, c in enumerate(self.foreign.cells)
            if c.is_code and "demo" not in self.tags.get(i, ())
        ]
        blocks.append(f"{before}\n_value = ({text}\n)")
        places = ((path.partition(f"/{DATA}/")[2], text) for path, text in self.files.items())
        data = {"visible": {name: content for name, content in places if isinstance(content, bytes)}}
        opened = functools.partial(Sandbox, blocks=blocks, limits=Limits(), imports=imports)
        try:
            with (
                Launcher() as launcher,
                contextlib.closing(opened(launcher, arrays=arrays, data=data)) as box,
            ):
                student = Student(box)
                return student.listed(student.quietly("_value"))
        except (StudentError, SubmissionStopped, Undefined, Unanswered, Broken) as error:
            cause = getattr(error, "cause", None) or error
            raise NotCarried(
                f"`{text:.60}` has no value that the reference gives ({cause}); write the test by hand"
            ) from error

    # The notebook

    def tag_plots(self) -> None:
        """Find the cells that only show something, or draw: grading skips them."""
        plots = {
            name for name, line in self.names.imports.items() if _modules(ast.parse(line).body[0]) & PLOTS
        }
        trees = {i: parse_source(cell.text) for i, cell in enumerate(self.foreign.cells) if cell.is_code}
        for place, tree in trees.items():
            attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            imported = set().union(*(_modules(node) for node in tree.body))
            if used_names(tree) & plots or attributes & _DRAWS or imported & PLOTS:
                if bound_names(tree) & self.wanted(trees, place):
                    cell = self.foreign.cells[place]
                    self.foreign.note(
                        cell.number,
                        "it draws, and defines what others use; split it, and tag the plot `demo`",
                    )
                self.tags[place] = {"demo"}
            elif tree.body and all(_only_shows(node) for node in tree.body):
                self.tags[place] = {"demo"}

    def wanted(self, trees: dict[int, ast.Module], but: int) -> set[str]:
        tests = [parse_source(test.code) for question in self.foreign.questions for test in question.tests]
        return set().union(
            *map(used_names, [*(tree for place, tree in trees.items() if place != but), *tests])
        )

    def tag_answers(self, question: ForeignQuestion, name: str) -> None:
        for place, cell in enumerate(self.foreign.cells):
            if cell.question is question:
                if "demo" in self.tags.get(place, ()):
                    self.foreign.note(
                        cell.number,
                        "for plots that `grade mark` draws again, add `matplotlib` to `imports` in assignment.yaml",
                    )
                self.tags[place] = self.tags.get(place, set()) | {name}

    def third_party(self) -> tuple[list[str], bool]:
        """Return the modules that the graded cells import, and whether numpy is among them or the tests'."""
        found: dict[str, None] = {}
        for place, cell in enumerate(self.foreign.cells):
            if cell.is_code and "demo" not in self.tags.get(place, ()):
                for node in ast.walk(parse_source(cell.text)):
                    found |= dict.fromkeys(
                        _modules(node) - sys.stdlib_module_names - self.names.beside.keys()
                    )
        tests = {name for line in self.names.imports.values() for name in _modules(ast.parse(line).body[0])}
        return [name for name in found if name != "numpy"], "numpy" in found or "numpy" in tests

    def finish(self, stem: str, title: str) -> None:
        """Write the reference and the manifest."""
        self.files[f"{self.secret}/{stem}.py"] = "\n\n".join(
            self.percent(place, cell) for place, cell in enumerate(self.foreign.cells)
        )
        imports, arrays = self.third_party()
        lines = ["format: 1", f"title: {json.dumps(title, ensure_ascii=False)}", f"submission: {stem}.ipynb"]
        lines += (
            ["arrays: true"] * arrays + [f"imports: [{', '.join(imports)}]"] * bool(imports) + ["checks:"]
        )
        for name, spec in self.specs.items():
            spec.update({} if "manual" in spec else {"hints": [HINT]})
            lines += [
                f"  {name}:",
                *(f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in spec.items()),
            ]
        self.files[f"{self.shown}/assignment.yaml"] = "\n".join(lines) + "\n"
        if any("hints" in spec for spec in self.specs.values()):
            self.foreign.note(
                "hints", "each check has the same general hint; write your own in assignment.yaml"
            )

    def percent(self, place: int, cell: ForeignCell) -> str:
        """Return a cell in percent format; notes what its stub cannot be."""
        tags = sorted(self.tags.get(place, ()))
        header = ("# %%" if cell.is_code else "# %% [markdown]") + (
            f" tags={json.dumps(tags)}" if tags else ""
        )
        text = re.sub(r"^# *%%", "# -", cell.text, flags=re.MULTILINE)
        try:
            stub = strip_solutions(text, f"cell {cell.number}", is_text=not cell.is_code)[0]
            if cell.is_code:
                ast.parse(stub)
        except Broken as error:
            self.foreign.note(cell.number, f"its markers do not fit ({error}); correct them in the reference")
        except SyntaxError as error:
            self.foreign.note(
                cell.number,
                f"without its solution it is no Python ({error.msg}); move the markers to whole lines",
            )
        body = text if cell.is_code else "\n".join(f"# {line}".rstrip() for line in text.split("\n"))
        return f"{header}\n{body}\n"


def _modules(node: ast.AST) -> set[str]:
    """Return the first parts of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    return (
        {str(node.module).partition(".")[0]} if isinstance(node, ast.ImportFrom) and not node.level else set()
    )


def _only_shows(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return False
    return not isinstance(node.value, ast.Call) or isinstance(node.value.func, ast.Name)


def _plain(points: float) -> float:
    """Return points as an author writes them: 3, not 3.0; two decimal places."""
    return int(points) if points == int(points) else round(points, 2)


def _portable(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"\W+", "_", plain).strip("_")
    return f"q{plain}"[:48] if plain[:1].isdigit() else plain[:48]


def _docstring(code: str) -> str:
    return (ast.get_docstring(parse_source(code)) or "").split("\n\n")[0]
