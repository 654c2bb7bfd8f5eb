"""Cells that fail, hang, leave or mean nothing: the rest of the notebook is graded, and a note says why.

Every story runs the real command over a copy of the real course.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import (
    cell_with,
    cells,
    check,
    copy_course,
    edit_manifest,
    grade,
    grade_json,
    hand_in,
    not_passed,
    notebook,
    passed,
    reference,
    stub_name,
)

from grader.report import CheckResult, Outcome, Report

FULL, LESS = 0, 1
DAY2, DAY3 = stub_name("day2"), stub_name("day3")


# Appended to the reference's cells, it puts another gradient into the place of the right one.
MUL_WITH_GRADIENT = """
class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            {setup}
            self.grad = {gradient}

        out._backward = _backward
        return out
"""


def mul_with(gradient: str, setup: str = "pass") -> str:
    """The reference's notebook with a × whose closure stores this as the gradient."""
    return notebook(*cells("day2"), MUL_WITH_GRADIENT.format(gradient=gradient, setup=setup))


def tanh_with(line: str) -> str:
    """The reference's notebook with this line at the beginning of the closure of tanh."""
    source = list(cells("day2"))
    place = cell_with("day2", "def tanh(self)")
    solution = "        self.grad += (1 - t**2) * out.grad"
    assert solution in source[place]
    source[place] = source[place].replace(solution, f"        {line}\n{solution}")
    return notebook(*source)


def replaced(day: str, holding: str, cell: str) -> str:
    """The reference's notebook with another cell instead of the one that holds a text."""
    source = list(cells(day))
    source[cell_with(day, holding)] = cell
    return notebook(*source)


def number_of(day: str, holding: str) -> int:
    """The number that a student sees of the cell that holds a text."""
    return cell_with(day, holding) + 1


def told(found: CheckResult) -> str:
    """Return everything that a student reads about one check."""
    rows = [f"{row.label} is {row.actual}, expected {row.expected}" for row in found.readings]
    where = [f"{found.where.file}: {found.where.text}"] if found.where else []
    return "\n".join([found.message, *rows, *(mistake.text for mistake in found.mistakes), *where])


def only_note(report: Report) -> str:
    """The one note of a report."""
    (note,) = report.notes
    return note


# --- Cells that do not run


# One notebook in which everything happens: each of these cells, then all cells of the reference.
EVENTS = {
    "syntax error": "x = 1\nif x = 1:\n    y = 2",
    "exit": "import sys\nsys.exit()",
    "quit": "quit()",
    "interrupt": "raise KeyboardInterrupt",
    "recursion": "def dive():\n    return dive()\ndive()",
    "memory": "hoard = bytes(2 * 10**9)",
    "input": "name = input('Your name: ')",
    "end of the process": "import os\nos._exit(0)",
    "crash": "import ctypes\nctypes.string_at(0)",
    "torch": "import torch\ny = torch.tensor(2.0)",
    "later": "scale = factor * 2",
    "print": "for _ in range(4096):\n    print('x' * 1023)",
}


@pytest.fixture(scope="module")
def eventful(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of that notebook, graded once."""
    root = copy_course(tmp_path_factory.mktemp("eventful"))
    edit_manifest(root, "day2", limits={"load_seconds": 2})
    path = hand_in(root, notebook(*EVENTS.values(), *cells("day2"), "factor = 3"))
    return grade_json("day2", path, cwd=root)


def note_on(report: Report, event: str) -> str:
    """Return the report's note on one of those cells, without the cell's number."""
    start = f"cell {list(EVENTS).index(event) + 1}"
    (note,) = (note for note in report.notes if note.startswith((f"{start}:", f"{start},")))
    return note.removeprefix(start).lstrip(":, ")


def test_what_happens_in_a_cell_stays_there(eventful: Report) -> None:
    """No cell that fails takes another one with it."""
    assert eventful.score == eventful.max_score


def test_syntax_error(eventful: Report) -> None:
    """The line is shown."""
    note = note_on(eventful, "syntax error")
    assert note.startswith("line 2: SyntaxError: ")
    assert "if x = 1:" in note


@pytest.mark.parametrize(("event", "line"), [("exit", 2), ("quit", 1), ("interrupt", 1)])
def test_leaving(eventful: Report, event: str, line: int) -> None:
    """Leaving ends one cell, not the grading."""
    assert note_on(eventful, event).startswith(f"line {line}: ")


def test_recursion_at_load(eventful: Report) -> None:
    """A function that calls itself without an end is reported as that."""
    note = note_on(eventful, "recursion")
    assert note.startswith("line 3: RecursionError")
    assert "A function calls itself" in note


def test_memory_bomb_at_load(eventful: Report) -> None:
    """The limit has a name."""
    note = note_on(eventful, "memory")
    assert note.startswith("line 1: MemoryError")
    assert "512 MB" in note


def test_input(eventful: Report) -> None:
    """There is no keyboard during grading."""
    note = note_on(eventful, "input")
    assert note.startswith("line 1: EOFError")
    assert "instead of input()" in note


def test_end_of_the_process_at_load(eventful: Report, snapshot) -> None:
    """A cell that ends the process is left out."""
    assert note_on(eventful, "end of the process") == snapshot


def test_crash_at_load(eventful: Report) -> None:
    """A cell that crashes it is left out too."""
    assert "crashed; " in note_on(eventful, "crash")


def test_import_that_is_used(eventful: Report) -> None:
    """A module that is missing in the jail is reported where it is used, not where it is imported."""
    note = note_on(eventful, "torch")
    assert note.startswith("line 2: ModuleNotFoundError: torch.tensor is not available while grading.")
    assert "`demo`" in note


def test_name_defined_only_in_a_later_cell(eventful: Report, snapshot) -> None:
    """A notebook that was run out of order: the note says where the name is."""
    note = note_on(eventful, "later")
    assert note == snapshot


def test_megabytes_printed(eventful: Report) -> None:
    """Only the first part is kept, which a note says."""
    (note,) = (note for note in eventful.notes if "`output_kb`" in note)
    assert "4,096 kB" in note


@pytest.mark.ci
def test_nothing_but_a_print(course: Path) -> None:
    """A notebook without any of the names gets 0, and each check says what is missing."""
    ran = grade("day2", hand_in(course, notebook("print('hello')")), cwd=course)
    assert ran.code == LESS
    assert "0 of 100 points" in ran.text
    assert "`Value`" in ran.text


@pytest.mark.ci
def test_forgotten_import(course: Path, snapshot) -> None:
    """A closure that needs math without an import of it: the remedy is named."""
    kept = [source for source in cells("day2") if source.strip() != "import math"]
    report = grade_json("day2", hand_in(course, notebook(*kept)), cwd=course)
    assert "add_rule" in passed(report)
    assert told(check(report, "tanh_neuron")) == snapshot


# --- Cells that cost nothing


MAGICS = {
    "line magic": "%matplotlib inline",
    "line magic with more": "import math\n%load_ext autoreload\n%autoreload 2\nx = math.pi",
    "shell": "!pip install x",
    "shell with %": "!echo 100% sure",
    "timed cell": "%%time\nanswer = 6 * 7",
    "assigned shell": "x = !ls",
    "assigned magic": "x = %timeit -o 1 + 1",
    "help before": "?Value",
    "help after": "Value?",
    "more help after": "Value.tanh??",
    "indented": "for i in range(2):\n    !ls\n    %time i",
    "foreign cell": "%%bash\nfor f in *; do echo $f; done",
    "html cell": "%%html\n<b>not python</b>",
    "written file": "%%writefile mine.txt\nnot python at all (",
    "with a percent": "seven = 15 % 8\nassert seven == 7",
    "wrapped percent": "seven = (15\n  % 8)\nassert seven == 7",
}


IMPORTS = """
import torch
import torch.nn.functional as F
import matplotlib.pyplot as plt
import numpy as np, pandas as pd
from graphviz import Digraph
from torch import nn, optim as o
from matplotlib import pyplot
from micrograd.engine import *
try:
    import jax
except ImportError:
    jax = None
"""


EARLY = "class Value:\n    def __init__(self, data):\n        self.data = 'the early one'"
FUTURE = ["from __future__ import annotations", "def scale(x: Unheard) -> Of:\n    return x"]
RAISES = "raise RuntimeError('this cell ran')"


@pytest.mark.ci
def test_cells_that_cost_nothing(course: Path) -> None:
    """One notebook with all of them; a note would name the cell that did something.

    What only IPython understands is passed over; what looks like it and is Python still counts. An import that
    is not used may fail. The later of two classes wins. A `from __future__` of an early cell holds for the later
    ones. Cells tagged verify or demo are not run, and other tags mean nothing.
    """
    before = [RAISES, RAISES, RAISES, EARLY, *FUTURE, *MAGICS.values(), IMPORTS]
    tags = {1: ["demo"], 2: ["verify"], 3: ["slow", "demo"], len(before) + 1: ["mine"]}
    path = hand_in(course, notebook(*before, *cells("day2"), tags=tags))
    report = grade_json("day2", path, cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


# --- Names that hold something else


@pytest.mark.ci
@pytest.mark.parametrize("value", ["Value = 3", "Value = None"])
def test_value_is_a_plain_value(course: Path, value: str) -> None:
    """`Value` holds something that cannot be called."""
    path = hand_in(course, notebook(*cells("day2"), value))
    found = check(grade_json("day2", path, "--check", "add_rule", cwd=course), "add_rule")
    assert found.outcome is Outcome.FAILED
    assert "`Value`" in told(found)
    assert "Reading" not in told(found)  # a class of the grader's


@pytest.mark.ci
def test_value_is_a_function(course: Path) -> None:
    """A `Value` that gives plain numbers: the check fails, and nothing of the grader's is named."""
    path = hand_in(course, notebook(*cells("day2"), "def Value(data):\n    return data"))
    found = check(grade_json("day2", path, "--check", "add_rule", cwd=course), "add_rule")
    assert found.outcome is Outcome.FAILED
    for word in ("Reading", "Proxy", "isinstance() arg"):
        assert word not in told(found)


@pytest.mark.ci
def test_numpy_scalars_where_numpy_is_allowed(course: Path) -> None:
    """With numpy among the manifest's imports its scalars are numbers like any other."""
    edit_manifest(course, "day2", imports=["numpy"])
    source = reference("day2").replace("import math\n", "import math\nimport numpy as np\n", 1)
    source = source.replace("self.data = data\n", "self.data = np.float64(data)\n", 1)
    report = grade_json("day2", hand_in(course, source, "mine.py"), cwd=course)
    assert [note for note in report.notes if " took " not in note] == []  # on a busy machine the import does
    assert report.score == report.max_score


@pytest.mark.ci
def test_numpy_where_it_is_not_allowed(course: Path) -> None:
    """The import costs nothing; using it is reported for what it is."""
    edit_manifest(course, "day2", imports=[])
    source = reference("day2").replace("import math\n", "import math\nimport numpy as np\n", 1)
    source = source.replace("t = math.tanh(self.data)", "t = np.tanh(self.data)")
    report = grade_json("day2", hand_in(course, source, "mine.py"), cwd=course)
    assert report.notes == []
    assert {"add_rule", "swap_rule"} <= passed(report)
    assert "numpy.tanh is not available" in check(report, "tanh_neuron").message


# --- Limits


@pytest.mark.ci
def test_endless_loop_in_a_needed_cell(course: Path, snapshot) -> None:
    """The check that needs the cell names it and the limit; the other checks pass."""
    edit_manifest(course, "day2", limits={"load_seconds": 1})
    loop = 'product_order = ["L", "d"]\nwhile True:\n    pass'
    path = hand_in(course, replaced("day2", "product_order = [", loop))
    report = grade_json("day2", path, cwd=course)
    assert not_passed(report) == {"manual_walk"}
    message = check(report, "manual_walk").message
    assert f"cell {number_of('day2', 'product_order = [')}" in message
    assert message == snapshot


@pytest.mark.ci
def test_slow_cell(course: Path, snapshot) -> None:
    """It costs nothing but a note; it is executed for each check and order of sets, while there is time for that."""
    path = hand_in(course, notebook("import time\ntime.sleep(0.8)", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    assert only_note(report) == snapshot
    assert "`demo`" in only_note(report)


@pytest.mark.ci
def test_slow_cell_that_fails(course: Path, snapshot) -> None:
    """A failed cell is executed as any other: where the time for loads is used up, the last checks share one."""
    edit_manifest(course, "day2", limits={"total_seconds": 8})
    path = hand_in(course, notebook("import time\ntime.sleep(0.6)\n1 / 0", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    assert report.notes == snapshot


@pytest.mark.ci
def test_large_table(course: Path) -> None:
    """Every test loads the file again, and what the last one left behind is given back."""
    path = hand_in(course, "table = bytes(32 << 20)\n" + "\n\n".join(cells("day2")), "mine.py")
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


@pytest.mark.ci
def test_memory_bomb_in_a_closure(course: Path) -> None:
    """The limit is named."""
    path = hand_in(course, tanh_with("hoard = bytes(2 * 10**9)"))
    report = grade_json("day2", path, "--check", "tanh_neuron", cwd=course)
    assert check(report, "tanh_neuron").outcome is Outcome.FAILED
    assert "`memory_mb`" in check(report, "tanh_neuron").message


@pytest.mark.ci
def test_memory_that_grows(course: Path) -> None:
    """A list that grows without an end ends at the limit, not at the machine's."""
    grow = "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 20))"
    path = hand_in(course, notebook(grow, *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert "memory_mb" in only_note(report)
    assert report.score == report.max_score
    assert report.seconds < 60  # by its time it would end after minutes


DIVE = "import sys; sys.setrecursionlimit(10**9); dive = lambda n: dive(n + 1); dive(0)"


@pytest.mark.whole
def test_recursion_with_the_limit_raised(course: Path) -> None:
    """Then the check's time ends it. Where memory ended first, Python 3.11 may raise a SystemError without words."""
    edit_manifest(course, "day2", limits={"check_seconds": 0.5, "memory_mb": 8192})
    path = hand_in(course, tanh_with(DIVE))
    report = grade_json("day2", path, "--check", "tanh_neuron", cwd=course)
    assert check(report, "tanh_neuron").outcome is Outcome.FAILED
    assert "`check_seconds`" in check(report, "tanh_neuron").message


# --- The day after


def day3_without_engine() -> str:
    """Day 3's reference with the paste cell as the stub has it."""
    paste = "# Paste your Value class from day 2 into this cell."
    return replaced("day3", "class Value", paste)


def hand_in_day2(course: Path, text: str) -> None:
    (course / "assignments" / "day2" / DAY2).write_text(text, encoding="utf-8")


def test_day3_uses_the_day2_beside_it(course: Path) -> None:
    """In a course folder one's own day 2 is loaded first."""
    hand_in_day2(course, notebook(*cells("day2")))
    path = hand_in(course, day3_without_engine(), f"assignments/day3/{DAY3}")
    report = grade_json("day3", path, cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


PLAIN_NODE_CHECKS = {"build_topo", "reverse_order", "seed"}
BROKEN_DAYS = {
    "wrong": mul_with("1.0"),
    "syntax error": notebook("class Value:\n    def __init__(self, data)\n        self.data = data"),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", BROKEN_DAYS)
def test_day3_after_a_broken_day2(course: Path, name: str) -> None:
    """The checks of day 3 itself run on plain nodes."""
    hand_in_day2(course, BROKEN_DAYS[name])
    source = day3_without_engine().replace("Value.backward = backward", "pass")
    path = hand_in(course, source, f"assignments/day3/{DAY3}")
    report = grade_json("day3", path, cwd=course)
    assert passed(report) >= PLAIN_NODE_CHECKS
    assert "pytorch_parity" not in passed(report)


@pytest.mark.ci
def test_day3_after_a_day2_that_cannot_be_read(course: Path) -> None:
    """A day 2 that is no notebook is named; it does not take day 3 with it."""
    hand_in_day2(course, "{")
    path = hand_in(course, notebook(*cells("day3")), f"assignments/day3/{DAY3}")
    ran = grade("day3", path, cwd=course)
    assert DAY2 in ran.text
    assert ran.code in (FULL, LESS)


@pytest.mark.ci
def test_day3_alone(course: Path) -> None:
    """Without a day 2 the pasted class is used."""
    (course / "assignments" / "day2" / DAY2).unlink()
    report = grade_json("day3", hand_in(course, notebook(*cells("day3"))), cwd=course)
    assert report.score == report.max_score
