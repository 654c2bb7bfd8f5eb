"""Mutation tests: one small change at a time in what decides grades, keeps secrets or escapes text.

    .venv/bin/pip install -c constraints.txt -e '.[mutation]'
    .venv/bin/python bench/mutants.py [MODULE ...] [--minutes 120]

cosmic-ray finds the places and makes the changes: an operator, a comparison, a number, a condition, a loop without
a turn, an exception that is not caught, a call that is left out, and in `escape.py` a text. Each change is tried in
a process of its own by the default tests of its module, those that run its line first. Prints each change that no test
notices, with its difference; asserts nothing.

All of it happens in a copy of the working tree in `.mutants/`. A run that was stopped goes on where it was: results
are kept by the text of the module. What survived is tried again once the tests have changed.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import TestOutcome
from parso.python.tree import Keyword
from tree import ROOT, make_tree, pytest_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HOME = ROOT / ".mutants"
TREE, PYTHON = HOME / "tree", HOME / "venv" / "bin" / "python"
PYTEST = pytest_command(PYTHON)
KEPT = HOME / "results.json"

# The modules, each with the files of tests that are tried: those that run the changed line first, then the others. For
# these may reach it through a command, which is a process of its own, or need a constant, which is read once.
GRADEBOOK = {
    "late": "late grade",
    "totals": "totals",
    "table": "by_hand transfer",
    "grade": "grade late by_hand export",
    "overrides": "overrides transfer by_hand",
    "export": "export",
    "spreadsheet": "export",
    "diff": "diff transfer",
    "sentences": "sentences by_hand feedback",
    "feedback": "feedback",
    "overview": "overview by_hand",
    "roster": "roster",
    "classpage/pages": "classpage",
    "classpage/survey": "classpage",
}
CLASSROOM = {
    "collect/versions": "versions collect_github",
    "collect/collection": "collect collect_github collect_elsewhere",
    "collect/pushes": "collect_github collect_elsewhere",
    "answer": "answer",
    "opening": "opening",
    "distribute": "distribute fix teams",
    "letters": "post teams",
    "poster": "post teams",
    "github/api": "api comments",
    "github/comments": "comments post",
}
MODULES = {
    **{
        f"grader/gradebook/{module}.py": [f"tests/gradebook/test_{name}.py" for name in names.split()]
        for module, names in GRADEBOOK.items()
    },
    **{
        f"grader/classroom/{module}.py": [f"tests/classroom/test_{name}.py" for name in names.split()]
        for module, names in CLASSROOM.items()
    },
    "grader/gradebook/mended.py": ["tests/classroom/test_post.py"],
    "grader/submissions/handed_out.py": [
        f"tests/submissions/test_{name}.py" for name in ("graded", "handed_out")
    ],
    "grader/grading/hidden.py": [f"tests/grading/test_{name}.py" for name in ("hidden", "blanks")],
    "grader/grading/verdicts.py": [
        f"tests/grading/test_{name}.py" for name in ("blanks", "outcomes", "hidden", "manual")
    ],
    "grader/render/escape.py": [
        f"tests/render/test_{name}.py" for name in ("escape", "inert", "pages", "formats")
    ],
    "grader/sandbox/budget.py": ["tests/sandbox/test_budget.py"],
    "grader/sandbox/wire.py": [f"tests/sandbox/test_{name}.py" for name in ("wire", "sandbox")],
    "grader/sandbox/jail.py": [f"tests/sandbox/test_{name}.py" for name in ("sandbox", "jail", "limits")],
    "grader/sandbox/loading.py": [f"tests/sandbox/test_{name}.py" for name in ("sandbox", "loading")],
    "grader/sandbox/sandbox.py": [
        f"tests/sandbox/test_{name}.py" for name in ("sandbox", "values", "definitions", "iterating")
    ],
    "grader/sandbox/inside/values.py": [f"tests/sandbox/test_{name}.py" for name in ("wire", "values")],
    "grader/sandbox/inside/worker.py": [
        f"tests/sandbox/test_{name}.py" for name in ("values", "loading", "errors", "iterating")
    ],
}
BINARY = "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div Mod_Mul BitOr_BitAnd BitAnd_BitOr"
COMPARISON = "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is"
OPERATORS = [
    "own/LeaveOutCall",
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in BINARY.split()),
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in COMPARISON.split()),
    *(f"core/Replace{pair}" for pair in ("AndWithOr", "OrWithAnd", "FalseWithTrue", "TrueWithFalse")),
    *(f"core/Replace{pair}" for pair in ("BreakWithContinue", "ContinueWithBreak")),
    *(f"core/ReplaceUnaryOperator_Delete_{name}" for name in ("Not", "USub")),
    *(f"core/{name}" for name in ("AddNot", "ExceptionReplacer", "NumberReplacer", "ZeroIterationForLoop")),
]
MOST_SECONDS = 120.0  # of tests for one change; the rest is left out
SLACK = 20.0  # seconds that a test process may take beyond three times what its tests took


# --- Changes of our own


class LeaveOutCall(Operator):  # type: ignore[misc]
    """A statement that is a call, such as `store.keep(x)`, becomes `pass`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the statement."""
        if node.type == "atom_expr" and node.parent.type in {"simple_stmt", "suite"}:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 -- cosmic-ray's signature
        """Return the statement without its effect."""
        return Keyword("pass", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[()]:
        """Return none."""
        return ()


class EmptyText(Operator):  # type: ignore[misc]
    """A text becomes an empty one."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Yield every text that is no docstring."""
        if node.type == "string" and node.parent.type not in {"simple_stmt", "module"}:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 -- cosmic-ray's signature
        """Return the empty text."""
        node.value = 'b""' if node.value.startswith("b") else '""'
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """Return none."""
        return ()


cosmic_ray.plugins.OPERATOR_PROVIDERS["own"] = {"LeaveOutCall": LeaveOutCall, "EmptyText": EmptyText}


class Change(NamedTuple):
    """One change: an operator at its place (0, 1, ...) in a module, which begins on `line`."""

    module: str
    operator: str
    place: int
    line: int


def changes_of(module: str, source: str) -> Iterator[Change]:
    """Yield all changes of a module, but for those in annotations, which change nothing."""
    tree = get_ast(source)
    for name in [*OPERATORS, *(["own/EmptyText"] if module.endswith("escape.py") else [])]:
        operator = cosmic_ray.plugins.get_operator(name)()
        places = ((node, start) for node in ast_nodes(tree) for start, _ in operator.mutation_positions(node))
        for index, (node, start) in enumerate(places):
            if not is_no_code(node):
                yield Change(module, name, index, start[0])


def is_no_code(node: Any) -> bool:
    """Return True within an annotation, the arguments of a class, or an import for types alone, and for a bare `*`."""
    if node.type == "operator" and node.parent.type == "parameters":
        return True
    child = node
    while (parent := child.parent) is not None:
        if (
            parent.type in {"tfpdef", "annassign"}
            and child is parent.children[-1 if parent.type == "tfpdef" else 1]
        ):
            return True
        if parent.type == "funcdef" and child is getattr(parent, "annotation", None):
            return True
        if parent.type == "classdef" and child is not parent.children[-1]:
            return True
        if parent.type == "if_stmt" and parent.children[1].get_code().strip() in {
            "TYPE_CHECKING",
            "not TYPE_CHECKING",
        }:
            return True
        child = parent
    return False


# --- The tests of a line

RECORDER = """
import json, os, sys, time
import coverage, pytest

times = {}
cover = coverage.Coverage(data_file=None, include=os.environ["MODULES"].split(), config_file=False)

def pytest_configure():
    cover.start()

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    test = item.nodeid.partition("[")[0]
    cover.switch_context(test)
    start = time.monotonic()
    yield
    times[test] = times.get(test, 0) + time.monotonic() - start
    return True

def pytest_sessionfinish():
    cover.stop()
    data, root = cover.get_data(), os.getcwd() + os.sep
    lines = {os.path.relpath(file, root): data.contexts_by_lineno(file) for file in data.measured_files()}
    with open(os.environ["RECORD"], "w") as file:
        json.dump({"times": times, "lines": lines}, file)
"""


class Tests:
    """The default tests that run each line, with their times, measured once for each state of the tests."""

    def __init__(self, folders: Sequence[str]) -> None:
        """Measure the tests of the folders, unless that is done."""
        files = [path for name in (*folders, "tests/support") for path in python_files(TREE / name)]
        text = "".join(f"{path}{hash_of(path.read_bytes())}" for path in files)
        self.state = hash_of(text.encode())
        kept = HOME / f"covered-{hash_of(' '.join([self.state, *folders]).encode())}.json"
        if not kept.exists():
            print(f"measuring {' '.join(folders)} ...", flush=True)
            (HOME / "recorder.py").write_text(RECORDER, encoding="utf-8")
            only = " ".join(f"*/{module}" for module in MODULES)
            environment = os.environ | {"PYTHONPATH": str(HOME), "RECORD": str(kept), "MODULES": only}
            command = [*PYTEST, "-p", "recorder", *folders]
            done = subprocess.run(command, cwd=TREE, env=environment, check=False, stdout=subprocess.DEVNULL)
            if done.returncode:
                kept.unlink(missing_ok=True)
                sys.exit(
                    f"without a change, these tests must pass: cd {TREE} && {shlex.join(command[:8])} {' '.join(folders)}"
                )
        found = json.loads(kept.read_text(encoding="utf-8"))
        self._times: dict[str, float] = found["times"]
        self._lines: dict[str, dict[str, list[str]]] = found["lines"]

    def of(self, change: Change) -> tuple[list[str], float]:
        """Return the tests for a change, those that run its line first, of these the fast ones, and their seconds."""
        covering = set(self._lines.get(change.module, {}).get(str(change.line), []))
        chosen, seconds = [], 0.0
        for test in sorted(self._times, key=lambda test: (test not in covering, self._times[test])):
            if seconds + self._times[test] < MOST_SECONDS:
                chosen.append(test)
                seconds += self._times[test]
        return chosen, seconds


# --- Trying


def outcome_of(change: Change, source: str, tests: Tests, number: int) -> tuple[str, str]:
    """Return what became of a change, and its difference."""
    operator = cosmic_ray.plugins.get_operator(change.operator)()
    try:
        changed = mutate_code(source, operator, change.place)
        compile(changed, change.module, "exec")
    except (AttributeError, SyntaxError):  # a change that cosmic-ray makes wrongly
        return "no change", ""
    diff = difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
    told = "\n".join(line for line in diff if not line.startswith(("---", "+++", "@@")))
    if not told:  # a text that is empty already
        return "no change", ""
    chosen, seconds = tests.of(change)
    if not chosen:
        return "no test", told
    file = TREE / change.module
    try:
        file.write_text(changed, encoding="utf-8")
        os.utime(
            file, (number, number)
        )  # a time of its own, so that no compiled file of another change is read
        outcome, _ = run_tests(
            shlex.join(["env", "-C", str(TREE), *PYTEST, "-x", *chosen]), 3 * seconds + SLACK
        )
    finally:
        shutil.copy2(ROOT / change.module, file)
    return ("survived" if outcome == TestOutcome.SURVIVED else "killed"), told


def main() -> None:
    """Try what is not tried yet, then print what survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", default=list(MODULES), metavar="MODULE")
    parser.add_argument("--minutes", type=float, default=120)
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    make_tree(HOME)
    kept: dict[str, dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    found: list[tuple[str, Change]] = []
    for module in chosen.modules:
        source = (ROOT / module).read_text(encoding="utf-8")
        tests = Tests(MODULES[module])
        for change in changes_of(module, source):
            key = f"{hash_of(source.encode())} {change.module}:{change.line} {change.operator} {change.place}"
            found.append((key, change))
            tried = kept.get(key)
            if tried and (tried["outcome"] in {"killed", "no change"} or tried["tests"] == tests.state):
                continue
            if time.monotonic() < end:
                outcome, diff = outcome_of(
                    change, source, tests, len(kept) + 1_000_000_000 + int(time.monotonic())
                )
                kept[key] = {"outcome": outcome, "diff": diff, "tests": tests.state}
                KEPT.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    report([(change, kept.get(key)) for key, change in found])


def report(results: Sequence[tuple[Change, dict[str, Any] | None]]) -> None:
    """Print each change that survived, and the numbers of each module."""
    for change, result in results:
        if result and result["outcome"] not in {"killed", "no change"}:
            print(
                f"\n{change.module}:{change.line} {result['outcome']} ({change.operator})\n{result['diff']}"
            )
    print()
    for module in dict.fromkeys(change.module for change, _ in results):
        outcomes = [
            result["outcome"] if result else "not tried"
            for change, result in results
            if change.module == module
        ]
        print(module, {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))})


def python_files(place: Path) -> list[Path]:
    """Return a file, or the Python files below a folder."""
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def hash_of(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:16]


if __name__ == "__main__":
    main()
