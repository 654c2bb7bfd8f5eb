"""Examination sheets for many submissions: are there six questions, is each answer equal in another run, how long it takes.

    .venv/bin/python bench/viva.py [--every N] [--days day2,day4]

For every reference, the other shapes of tests/course, every known mistake, and 60 engines that are put together here.
The sheets are made twice, with a launcher of their own each time. The exit code is 1 if two sheets of one submission
differ, if a question has options that are not different or its answer twice, or if two submissions have one sheet.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from measure import ROOT

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.grading.grader import open_grader
from grader.report import SubmissionInfo
from grader.sandbox import Launcher
from grader.submissions.submission import Block, Sources
from grader.viva.pages import sheet_html
from grader.viva.sheet import QUESTIONS, Sheet, make_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.report import Report

sys.path.append(str(ROOT / "tests" / "support"))
SHAPES = ROOT / "tests" / "course"


class Submitted(NamedTuple):
    """A submission: a name that says what it is, the day, and its blocks."""

    name: str
    day: str
    blocks: Sequence[Block]


# --- Engines

CHILDREN = ("({})", "[{}]", "{{{}}}", "frozenset([{}])", "dict.fromkeys([{}])")
WALKS = {
    "recursive": """
        done, seen = [], set()
        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node._prev:
                    visit(child)
                done.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(done):
            {call}
""",
    "stack": """
        order, seen, todo = [], set(), [(self, False)]
        while todo:
            node, ready = todo.pop()
            if ready:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                todo.append((node, True))
                todo.extend((child, False) for child in node._prev)
        self.grad = 1.0
        while order:
            node = order.pop()
            {call}
""",
    "counted": """
        waits, found = {{}}, [self]
        for node in found:
            for child in dict.fromkeys(node._prev):
                waits[child] = waits.get(child, 0) + 1
                if waits[child] == 1:
                    found.append(child)
        self.grad, ready = 1.0, [self]
        for node in ready:
            {call}
            for child in dict.fromkeys(node._prev):
                waits[child] -= 1
                if not waits[child]:
                    ready.append(child)
""",
}
RULES = {
    "closure": ("self.{g} += {d} * out.grad", "other.{g} += {e} * out.grad"),
    "assigned": ("self.{g} = self.{g} + out.grad * {d}", "other.{g} = other.{g} + out.grad * {e}"),
}
DERIVATIVES = {
    "add": ("+", "1.0", "1.0"),
    "sub": ("-", "1.0", "-1.0"),
    "mul": ("*", "other.data", "self.data"),
}


def engines() -> Iterator[tuple[str, str]]:
    """Yield 60 right engines with + - *: children kept in five ways, four kinds of rules, three walks."""
    for children, (walk, body), rule in itertools.product(
        CHILDREN, WALKS.items(), ("closure", "assigned", "lambda", "pairs")
    ):
        yield f"{children} {walk} {rule}", _engine(children, body, rule)


def _engine(children: str, walk: str, rule: str) -> str:
    call = "node._backward()"
    if rule == "pairs":
        call = "for child, slope in node._local: child.grad += slope * node.grad"
    text = "class Value:\n    def __init__(self, data, prev=()):\n        self.data, self.grad, self._prev = data, 0.0, prev\n"
    text += "        self._local = []\n" if rule == "pairs" else "        self._backward = lambda: None\n"
    for name, (sign, d, e) in DERIVATIVES.items():
        text += f"\n    def __{name}__(self, other):\n        other = other if isinstance(other, Value) else Value(other)\n"
        text += f"        out = Value(self.data {sign} other.data, {children.format('self, other')})\n"
        if rule == "pairs":
            text += f"        out._local = [(self, {d}), (other, {e})]\n"
        elif rule == "lambda":
            text += f"        out._backward = lambda: (self.add({d} * out.grad), other.add({e} * out.grad))\n"
        else:
            first, second = (line.format(g="grad", d=d, e=e) for line in RULES[rule])
            text += f"        def _backward():\n            {first}\n            {second}\n        out._backward = _backward\n"
        text += "        return out\n"
    text += "\n    def add(self, amount):\n        self.grad += amount\n" if rule == "lambda" else ""
    return f"{text}\n    def backward(self):{walk.format(call=call)}"


# --- Submissions


def submissions(course: Course, days: Sequence[str], every: int) -> Iterator[Submitted]:
    """Yield all submissions; of mistakes and shapes each `every`-th."""
    for day in days:
        yield Submitted("reference", day, reference_blocks(course.assignment(day)))
    for path in sorted([*SHAPES.glob("shapes/day*.py"), *SHAPES.glob("variants/*.py")])[::every]:
        text = path.read_text(encoding="utf-8")
        for day in days:
            if path.name.startswith(day) or day in text.partition("\n")[0]:
                yield Submitted(path.stem, day, [Block(path.name, None, 1, text)])
    for day in days:
        for way in import_module("told_slips").all_ways(course.assignment(day))[::every]:
            yield Submitted(f"{way.mistake.name} {way.number}", day, way.blocks)
    for name, text in engines():
        if "day4" in days:
            yield Submitted(name, "day4", [Block("day4_engine.py", None, 1, text)])


class Made(NamedTuple):
    """A sheet with the seconds that it took."""

    sheet: Sheet
    seconds: float


def sheets(course: Course, works: Sequence[Submitted], reports: dict[int, Report]) -> list[Made]:
    """Return the sheet of each submission; `reports` are kept from the first time."""
    made = list[Made]()
    with Launcher() as launcher:
        for day in dict.fromkeys(work.day for work in works):
            assignment = course.assignment(day)
            with open_grader(assignment, launcher) as grader:
                for i, work in enumerate(works):
                    if work.day == day:
                        sources = Sources(work.blocks, (), grader.given_code)
                        if i not in reports:
                            reports[i] = grader.grade_sources(SubmissionInfo(work.name, "", ""), sources)
                        began = time.perf_counter()
                        sheet = make_sheet(
                            grader, sources, student=f"{i}", sha256="", salt="bench", report=reports[i]
                        )  # fmt: skip
                        made.append(Made(sheet, time.perf_counter() - began))
    return made


def faults(sheet: Sheet) -> Iterator[str]:
    """Yield what is wrong with a sheet."""
    for one in sheet.questions:
        if one.options and (len({*one.options}) != len(one.options) or one.options.count(one.answer) != 1):
            yield f"{one.kind}: {one.options} and {one.answer}"
    sheet_html(sheet)


def main() -> int:
    """Make the sheets and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th mistake and shape")
    parser.add_argument("--days", default="", metavar="DAYS", help="such as day2,day4")
    options = parser.parse_args()
    course = Course(ROOT)
    days = options.days.split(",") if options.days else course.names
    works = sorted(submissions(course, days, options.every), key=lambda work: days.index(work.day))
    reports = dict[int, Any]()
    first, second = sheets(course, works, reports), sheets(course, works, reports)
    wrong, seen, kinds, counts = 0, dict[bytes, str](), Counter[str](), Counter[int]()
    for work, one, other in zip(works, first, second, strict=True):
        problems = [*faults(one.sheet)]
        lost = [each for each in one.sheet.questions if each not in other.sheet.questions]
        problems += [f"not in the second run: {each}" for each in lost]
        code = msgspec.json.encode([one.sheet.questions, one.sheet.scene])
        counts[len(one.sheet.questions)] += 1
        kinds.update(question.kind for question in one.sheet.questions)
        if len(one.sheet.questions) == QUESTIONS and (same := seen.setdefault(code, work.name)) != work.name:
            problems.append(f"the same sheet as {same}")
        if len(one.sheet.questions) < QUESTIONS:
            print(f"{work.day} {work.name}: {len(one.sheet.questions)} questions. {one.sheet.why}")
        for problem in problems:
            wrong += 1
            print(f"{work.day} {work.name}: {problem}")
    seconds = sorted(made.seconds for made in second)
    print(f"{len(works)} submissions; questions on a sheet: {dict(sorted(counts.items()))}; wrong: {wrong}")
    print(f"kinds: {dict(kinds.most_common())}")
    print(
        f"levels of full sheets: {dict(sorted(Counter(m.sheet.level for m in first if not m.sheet.why).items()))}"
    )
    print(f"seconds a sheet: median {seconds[len(seconds) // 2]:.2f}, most {seconds[-1]:.2f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
