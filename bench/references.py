"""Mutation tests of the checks: one small change at a time in the code of the references.

    .venv/bin/python bench/references.py [--days day2,day4]

Only code between `### BEGIN SOLUTION` and `### END SOLUTION` is changed: an operator, a comparison, a number, a
condition, a loop, a name, an argument, a child, a statement that is left out, a number that is clipped. Answers on
paper stay as they are. Each mutant is judged by all checks, visible and hidden.

Prints the mutants that keep full marks, each with its difference, then the numbers of each day. equivalent.yaml lists
those that are as right as the reference, each with its reason. The exit code is 1 if another one is left.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import contextlib
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

import yaml
from measure import ROOT
from msgspec.structs import replace

from grader.assignment import Course
from grader.authoring.reference import read_text
from grader.grading.grader import open_grader
from grader.manifest import Limits
from grader.sandbox import Launcher, SubmissionStopped
from grader.submissions.intake import continued_blocks
from grader.submissions.submission import SubmissionError, submission_from
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.grading.grader import Grader
    from grader.topic import TestResult

LISTED = ROOT / "bench" / "equivalent.yaml"
# A mutant that loops ends soon.
LIMITS = Limits(load_seconds=4, check_seconds=2, total_seconds=20)
TEXTS = {"day1", "day5"}  # the days whose checks ask for texts; elsewhere a text is the name of an operation
IN_ORDER = {"day1", "day5"}  # the days on which the order of children counts

MOST_EQUIVALENT = 0.02  # of all mutants


# --- Changes


class Change(NamedTuple):
    """One change of a reference: the bytes from `start` to `end` become `text`."""

    day: str
    place: str  # the function, such as Value.__add__
    kind: str
    start: int
    end: int
    text: str
    line: int


class Key(NamedTuple):
    """A change in equivalent.yaml: the function, its line, and what becomes of it."""

    place: str
    before: str
    after: str


ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "- *",
    ast.Sub: "+ *",
    ast.Mult: "+ / -",
    ast.Div: "* - //",
    ast.Pow: "* +",
    ast.MatMult: "*",
    ast.BitOr: "&",
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("!=", "<=", ">="),
    ast.NotEq: ("==",),
    ast.Gt: (">=", "<", "!="),
    ast.GtE: (">", "<="),
    ast.Lt: ("<=", ">", "!="),
    ast.LtE: ("<", ">="),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
ASSIGNED = {"Add": ("-=", "="), "Sub": ("+=", "="), "BitOr": ("&=", "=")}
# Numbers that are right in a part of their range only; those that cannot be below 0, above 5 or broken are not tried.
CLIPPED = ("abs({})", "max(0.0, {})", "min(0.0, {})", "min(5.0, {})", "max(-5.0, {})", "int({})")
NOT_BELOW_0 = {"abs({})", "max(0.0, {})", "max(-5.0, {})"}
NOT_ABOVE_1 = {"min(5.0, {})", "max(-5.0, {})"}
GATE = "1.0 if self.data > 0 else 0.0"
UNCHANGED = {
    "t": NOT_ABOVE_1,
    "1 - t**2": NOT_BELOW_0 | NOT_ABOVE_1,
    "e": NOT_BELOW_0,
    "math.exp(self.data)": NOT_BELOW_0,
    "max(0.0, self.data)": NOT_BELOW_0,
    "self.data if self.data > 0 else 0.0": NOT_BELOW_0,
    GATE: {*CLIPPED} - {"min(0.0, {})"},
    "abs(gradient)": NOT_BELOW_0,
}
EXCHANGED = {"data": "grad", "grad": "data"}
SHAPES = {"shape", "size"}
PASTED = {"day7": (["Tensor"], ["unbroadcast"])}  # from the day before, which judges it


class Changes(ast.NodeVisitor):
    """Collects the changes of one reference, in `found`."""

    def __init__(self, day: str, source: str) -> None:
        self.day, self.source = day, source
        self.found: list[Change] = []
        self.places: list[str] = []
        self.names: list[list[str]] = []  # of the parameters of each function around
        starts = [0]
        for line in source.split("\n"):
            starts.append(starts[-1] + len(line.encode()) + 1)
        self.starts, self.inside = starts, _lines_inside(source)
        self.texts = day in TEXTS
        self.visit(ast.parse(source))

    def text(self, node: ast.AST) -> str:
        """Return a part of the source, in parentheses where it has several parts."""
        found = ast.get_source_segment(self.source, node) or ""
        plain = isinstance(node, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Tuple | ast.List)
        return found if plain else f"({found})"

    def add(self, node: ast.expr | ast.stmt, kind: str, *texts: str) -> None:
        """Add the changes of a node to each of these texts, if it stands in a solution."""
        if node.lineno not in self.inside or self.places[:1] in PASTED.get(self.day, ()):
            return
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        where = ".".join(self.places) or "module"
        self.found += [Change(self.day, where, kind, start, end, text, node.lineno) for text in texts]

    @property
    def is_pasted(self) -> bool:
        """Return True in the engine of day 2 that stands in day 3: day 2 judges its numbers."""
        return self.day == "day3" and self.places[:1] == ["Value"]

    # Statements

    def generic_visit(self, node: ast.AST) -> None:
        """Visit all parts but annotations, docstrings and paper answers."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if not self.places and isinstance(child, ast.Assign) and not _has_names(child.value):
                continue
            self.visit(child)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._within(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names.append([one.arg for one in node.args.args])
        self._within(node)
        self.names.pop()

    def _within(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        self.places.append(node.name)
        for part in node.body:
            if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
                self.visit(part)
        self.places.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        if not self._is_only_shown(node):
            self.add(node, "left out", "pass")
            self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_Expr(self, node: ast.Expr) -> None:
        self.add(node, "left out", "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.add(node, "left out", "return None")
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node, "left out", "pass")
        target, value = (ast.get_source_segment(self.source, part) for part in (node.target, node.value))
        for sign in ASSIGNED.get(type(node.op).__name__, ()):
            self.add(node, "assigned", f"{target} {sign} {value}")
        if isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.target, ast.Attribute):
            self.clip(node.value)
        self.visit(node.target)
        self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        rounds = self.text(node.iter)
        cuts = ["[:1]", "[1:]", "[:-1]", *([] if rounds.startswith("range(") else ["[::-1]"])]
        self.add(node.iter, "loop", "()", *(f"list({rounds}){cut}" for cut in cuts))
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        self.add(test, "condition", f"not {self.text(test)}", "True", "False")

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        left, right = self.text(node.left), self.text(node.right)
        signs = ARITHMETIC.get(type(node.op), "").split()
        self.add(node, "operator", *(f"({left} {sign} {right})" for sign in signs))
        self.add(node, "operand", left, right)
        if isinstance(node.op, ast.Sub | ast.Div | ast.Pow | ast.MatMult):
            sign = {ast.Sub: "-", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@"}[type(node.op)]
            self.add(node, "exchanged", f"({right} {sign} {left})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.add(node, "operator", self.text(node.operand))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        sign = " or " if isinstance(node.op, ast.And) else " and "
        parts = [self.text(part) for part in node.values]
        self.add(node, "operator", f"({sign.join(parts)})", *parts)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            left, right = self.text(node.left), self.text(node.comparators[0])
            signs = COMPARISONS.get(type(node.ops[0]), ())
            self.add(node, "comparison", *(f"({left} {sign} {right})" for sign in signs))
            if isinstance(node.ops[0], ast.Gt):
                self.add(node, "comparison", f"(5 > {left} > {right})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add(node, "constant", str(not value))
        elif isinstance(value, int | float):
            self.add(
                node, "constant", *(f"({number})" for number in {value + 1, value - 1, -value} - {value})
            )
        elif isinstance(value, str) and self.texts:
            self.add(node, "constant", '""')

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg == "axis" and isinstance(node.value, ast.Constant) and node.value.value == 1:
            self.add(node.value, "constant", "0", "2")  # of a matrix -1 is the same axis
        else:
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if self.texts:
            self.add(node, "constant", '""')

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in SHAPES and isinstance(node.value, ast.Attribute):  # data and grad have the same shape
            return
        if node.attr == "T":
            self.add(node, "transpose", self.text(node.value))
        if node.attr in EXCHANGED and self.day != "day1":
            self.add(node, "attribute", f"{self.text(node.value)}.{EXCHANGED[node.attr]}")
        if isinstance(node.ctx, ast.Load) and node.attr in EXCHANGED and not self.is_pasted:
            forms = CLIPPED[:3] if node.attr == "grad" else CLIPPED[:1]
            self.add(node, "clipped", *(form.format(self.text(node)) for form in forms))
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        known = dict.fromkeys(name for names in self.names for name in names)
        if isinstance(node.ctx, ast.Load) and (node.id in known or node.id == "out"):
            self.add(node, "name", *(name for name in known if name != node.id))

    def visit_Tuple(self, node: ast.Tuple) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        parts = [self.text(part) for part in node.elts]
        for i in range(len(parts)):
            rest = [*parts[:i], *parts[i + 1 :]]
            self.add(node, "child", f"({', '.join(rest)}{',' * (len(rest) == 1)})")
        if len(parts) == 2 and parts[0] != parts[1] and self.day in IN_ORDER:
            self.add(node, "exchanged", f"({parts[1]}, {parts[0]})")
        if "self" in parts:
            self.add(node, "child", f"tuple(one for one in ({', '.join(parts)},) if one.data)")
        elif self.day == "day5":
            for part in node.elts:
                self.clip(part)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        called, texts = self.text(node.func), [self.text(part) for part in node.args]
        texts += [f"{keyword.arg}={self.text(keyword.value)}" for keyword in node.keywords]
        if isinstance(node.func, ast.Name) and node.func.id == "Value" and len(parts) > 1:
            self.clip(node.args[0])
        if called in {"np.ones_like", "np.zeros_like"}:
            return  # a constant, of whose argument the shape alone matters
        if len(texts) == 1 or (texts and called in ("unbroadcast", "np.expand_dims")):
            self.add(node, "call", texts[0].rpartition("=")[2])
        for i, part in enumerate(parts):
            if self.texts or not _is_text(part):
                self.add(node, "argument", f"{called}({', '.join([*texts[:i], *texts[i + 1 :]])})")
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            self.add(node, "call", self.text(node.func.value))
        self.generic_visit(node)

    def clip(self, node: ast.expr) -> None:
        """Add numbers that are right in a part of their range only."""
        if _has_names(node) and not self.is_pasted:
            source = ast.get_source_segment(self.source, node) or ""
            forms = [form for form in CLIPPED if form not in UNCHANGED.get(source, ())]
            self.add(node, "clipped", *(form.format(self.text(node)) for form in forms))

    def _is_only_shown(self, node: ast.Assign) -> bool:
        """Return True for `self._op = _op` and the like, which no check asks for after day 1."""
        (target, *_) = node.targets
        return isinstance(target, ast.Attribute) and target.attr in {"_op", "label"} and self.day != "day1"


def _lines_inside(source: str) -> set[int]:
    found, inside = set(), False
    for number, line in enumerate(source.split("\n"), start=1):
        text = line.strip()
        inside = (inside or text.startswith("### BEGIN SOLUTION")) and not text.startswith("### END SOLUTION")
        if inside:
            found.add(number)
    return found


def _has_names(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) for part in ast.walk(node))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def changed(source: str, change: Change) -> str:
    """Return the source with a change."""
    data = source.encode()
    return (data[: change.start] + change.text.encode() + data[change.end :]).decode()


def changes_of(day: str, source: str) -> list[Change]:
    """Return all changes of a reference, each result once; those that are no Python are left out."""
    found: dict[str, Change] = {}
    for change in Changes(day, source).found:
        text = changed(source, change)
        with contextlib.suppress(SyntaxError):
            found.setdefault(ast.dump(ast.parse(text)), change)
    found.pop(ast.dump(ast.parse(source)), None)
    return list(found.values())


# --- Judging


class Judge:
    """Graders of the days, each opened when its first mutant comes."""

    def __init__(self) -> None:
        self.launcher, self.stack = Launcher(), contextlib.ExitStack()
        self.stack.enter_context(self.launcher)
        atexit.register(self.stack.close)
        self.graders: dict[str, Grader] = {}

    def grader(self, day: str) -> Grader:
        """Return the grader of a day, whose limits are short."""
        if day not in self.graders:
            assignment = Course(ROOT).assignment(day)
            vars(assignment)["manifest"] = replace(assignment.manifest, limits=LIMITS)
            self.graders[day] = self.stack.enter_context(open_grader(assignment, self.launcher))
        return self.graders[day]

    def outcome(self, day: str, source: str) -> str:
        """Return `survived` for full marks, else what became of this source."""
        grader = self.grader(day)
        path: Path = grader.assignment.reference
        try:
            submission = submission_from(path, source.encode())
        except SubmissionError:
            return "unreadable"
        blocks = [*continued_blocks(grader.assignment, submission)[0], *submission.blocks]
        results: list[TestResult] = []
        for visibility in ("visible", "hidden"):  # most mutants fail a visible test
            with grader.sandbox(blocks) as sandbox:  # without explanations, which take longer
                results += grader.suite.run(sandbox, visibility=visibility, fingerprinted=lambda _: False)
            if any(r.outcome not in {TestOutcome.PASSED, TestOutcome.SKIPPED} for r in results):
                late = any(isinstance(r.error, SubmissionStopped) and r.error.limit for r in results)
                return "out of time" if late else "failed"
        lost = sum(Fraction(check.max_score) - Fraction(check.score) for check in grader.verdicts.of(results))
        return "failed" if lost else "survived"


_judge: list[Judge] = []


def judged(day: str, source: str) -> str:
    """Judge a source in a process of the pool."""
    if not _judge:
        _judge.append(Judge())
    return _judge[0].outcome(day, source)


def key_of(source: str, change: Change) -> Key:
    """Return the place of a change, and its line before and after."""
    before = source.split("\n")[change.line - 1].strip()
    after = changed(source, change).split("\n")[change.line - 1].strip()
    return Key(change.place, before, after)


def listed(day: str) -> set[Key]:
    """Return the mutants of a day that are listed as equivalent, each with a reason."""
    entries = yaml.safe_load(LISTED.read_text(encoding="utf-8"))[day]
    assert all(entry["why"] for entry in entries)
    return {Key(entry["in"], entry["line"], entry["becomes"]) for entry in entries}


def main() -> None:
    """Judge all mutants, and print those that keep full marks."""
    names = Course(ROOT).names
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", default=",".join(names), help="such as day2,day4")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    chosen = parser.parse_args()
    left = 0
    with ProcessPoolExecutor(chosen.processes, get_context("spawn")) as pool:
        for day in chosen.days.split(","):
            left += report(day, pool.map)
    sys.exit(1 if left else 0)


def report(day: str, over: Callable[..., Iterator[str]]) -> int:
    """Judge the mutants of a day with `over`, and print; return how many keep full marks and are not listed."""
    source = read_text(Course(ROOT).assignment(day).reference)
    changes, known = changes_of(day, source), listed(day)
    sources = [source, *(changed(source, change) for change in changes)]
    own, *outcomes = over(judged, [day] * len(sources), sources, chunksize=4)
    if own != "survived":
        sys.exit(f"{day}: the reference itself: {own}")
    survived = [
        key_of(source, c) for c, outcome in zip(changes, outcomes, strict=True) if outcome == "survived"
    ]
    others = [key for key in survived if key not in known]
    stale = sorted(known.difference(survived))
    show(day, "keeps full marks", others)
    show(day, "is listed as equivalent, but is no survivor", stale)
    too_many = len(known) > MOST_EQUIVALENT * len(changes)
    if too_many:
        print(f"{day}: too many are listed as equivalent: {len(known)} of {len(changes)}")
    counts = {**Counter(outcomes), "survived": len(others), "equivalent": len(survived) - len(others)}
    print(
        f"{day}: {len(changes)} mutants: " + ", ".join(f"{n} {name}" for name, n in counts.items()),
        flush=True,
    )
    return len(others) + len(stale) + too_many


def show(day: str, title: str, keys: Sequence[Key]) -> None:
    """Print these mutants."""
    for place, before, after in keys:
        print(f"\n{day} {place} {title}:\n- {before}\n+ {after}")
    if keys:
        print()


if __name__ == "__main__":
    main()
