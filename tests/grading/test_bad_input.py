"""Whatever a student, a shell or a disk hands in is answered by a sentence and an exit code.

Every story runs the real command over a copy of the real course; `helpers.grade` also
sees to it that no traceback is ever printed.
"""

from __future__ import annotations

import json
import shutil
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

from grader.report import CheckResult, Outcome, Report, from_json

FULL, LESS, USAGE, UNGRADABLE = 0, 1, 2, 3
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
    """The reference's notebook with another cell in the place of the one that holds a text."""
    source = list(cells(day))
    source[cell_with(day, holding)] = cell
    return notebook(*source)


def number_of(day: str, holding: str) -> int:
    """The number that a student sees of the cell that holds a text."""
    return cell_with(day, holding) + 1


def told(found: CheckResult) -> str:
    """All that a student is told about one check."""
    rows = [f"{row.label} is {row.actual}, expected {row.expected}" for row in found.readings]
    where = [f"{found.where.file}: {found.where.text}"] if found.where else []
    return "\n".join([found.message, *rows, *(mistake.text for mistake in found.mistakes), *where])


def only_note(report: Report) -> str:
    """The one note of a report."""
    (note,) = report.notes
    return note


# --- The command line


def test_mistyped_assignment(course: Path) -> None:
    """The nearest assignment is named, and which there are."""
    ran = grade("dya2", cwd=course)
    assert ran.code == USAGE
    assert "dya2: no such assignment or command (did you mean `day2`?)" in ran.text
    assert "assignments here: day1, day2, day3" in ran.text


def test_mistyped_command(course: Path) -> None:
    """The nearest command is named."""
    ran = grade("valdiate", cwd=course)
    assert ran.code == USAGE
    assert "did you mean `validate`?" in ran.text


def test_mistyped_option(course: Path) -> None:
    """The nearest option is named."""
    ran = grade("day2", "--chek", "add_rule", cwd=course)
    assert ran.code == USAGE
    assert "--check" in ran.text


def test_unknown_check(course: Path) -> None:
    """The nearest check is named, and which there are."""
    ran = grade("day2", "--check", "swap", cwd=course)
    assert ran.code == USAGE
    assert "swap: day2 has no such check (did you mean `swap_rule`?)" in ran.text
    assert "tanh_neuron" in ran.text


def test_output_into_a_folder_that_is_not_there(course: Path) -> None:
    """The report cannot be written, which is said; the file that was named is in the message."""
    path = course / "nowhere" / "report.txt"
    ran = grade("day2", "--check", "add_rule", "--output", path, cwd=course)
    assert ran.code == USAGE
    assert f"{path}: cannot be written" in ran.text


def test_outside_any_course(tmp_path: Path) -> None:
    """In a folder that belongs to no course, the message says what to do."""
    ran = grade("day2", cwd=tmp_path)
    assert ran.code == USAGE
    assert "no course here" in ran.text
    assert "go to the course's folder" in ran.text


def test_from_a_folder_inside_the_course(course: Path) -> None:
    """Any folder of the course will do to start from."""
    ran = grade("day2", "--check", "swap_rule", cwd=course / "assignments" / "day2")
    assert ran.code == LESS
    assert "0 of 15 points" in ran.text


# --- Files that are no submission


def test_stub_is_gone(course: Path) -> None:
    """Without a path, the notebook in the assignment's folder is meant."""
    (course / "assignments" / "day2" / DAY2).unlink()
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert f"{DAY2}: there is no such file" in ran.text


def test_stub_has_another_name(course: Path) -> None:
    """Renamed, or fetched a second time by a browser: what is there instead is told."""
    stub = course / "assignments" / "day2" / DAY2
    stub.rename(stub.with_name("mine (1).ipynb"))
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "there is no such file, but `mine (1).ipynb` is in its folder; check the name" in ran.text


def test_the_checks_are_gone(course: Path) -> None:
    """A folder that was deleted by mistake: what is missing is named, and where it comes from."""
    for check_file in (course / "assignments" / "day2" / "checks").glob("test_*.py"):
        check_file.unlink()
    shutil.rmtree(course / "solutions", ignore_errors=True)
    ran = grade("day2", cwd=course)
    assert ran.code == UNGRADABLE
    assert "checks: no checks are there; get this folder from the course's repository again" in ran.text


def test_no_such_file(course: Path) -> None:
    """A path that leads nowhere."""
    ran = grade("day2", "mine.ipynb", cwd=course)
    assert ran.code == USAGE
    assert "mine.ipynb: there is no such file" in ran.text


def test_folder_as_path(course: Path) -> None:
    """A folder instead of the file in it."""
    ran = grade("day2", "assignments", cwd=course)
    assert ran.code == USAGE
    assert "assignments: this is a folder" in ran.text


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
NOT_NOTEBOOKS = {
    "picture": ("picture.ipynb", PNG, "picture.ipynb: not a notebook"),
    "text": ("notes.txt", b"a = 1\n", "notes.txt: hand in the notebook (.ipynb) or the same thing as a .py"),
    "python as notebook": ("mine.ipynb", b"a = 1\n", "mine.ipynb: not a notebook"),
    "truncated": ("mine.ipynb", notebook("a = 1").encode()[:-40], "it ends in the middle"),
    "another json": ("mine.ipynb", b'{"a": 1}', "this is JSON, but not a notebook"),
    "nested json": ("mine.ipynb", b"[" * 100_000 + b"]" * 100_000, "mine.ipynb: "),
    "empty": ("mine.ipynb", b"", "the file is empty"),
    "empty python": ("mine.py", b"", "there is no code in it"),
    "no cells": ("mine.ipynb", notebook().encode(), "there is no code in it"),
    "latin-1 python": ("mine.py", b"name = '\xe9'\n", "save the file as UTF-8"),
}


@pytest.mark.slow(after=6)
@pytest.mark.parametrize("name", NOT_NOTEBOOKS)
def test_not_a_notebook(course: Path, name: str) -> None:
    """The file is named, and what is wrong with it."""
    file, data, expected = NOT_NOTEBOOKS[name]
    hand_in(course, data, file)
    ran = grade("day2", file, cwd=course)
    assert ran.code == USAGE
    assert file in ran.text
    assert expected in ran.text


def test_notebook_of_another_day(course: Path) -> None:
    """A notebook says of which day it is; the message says what to type instead."""
    path = hand_in(course, notebook(*cells("day3"), backgrade={"assignment": "day3"}))
    ran = grade("day2", path.name, cwd=course)
    assert ran.code == USAGE
    assert "mine.ipynb: this is the notebook of day3, not of day2" in ran.text
    assert "try `grade day3 mine.ipynb`" in ran.text


def test_notebook_of_an_assignment_that_there_is_not(course: Path) -> None:
    """What it calls itself is told, and never as a part of a command to copy."""
    path = hand_in(course, notebook("x = 1", backgrade={"assignment": "$(touch gotcha)"}))
    ran = grade("day2", path, cwd=course)
    assert ran.code == 2
    assert "this is the notebook of $(touch gotcha), not of day2" in ran.text
    assert "try" not in ran.text


def test_file_named_like_another_day(course: Path) -> None:
    """A .py file says so by its name."""
    name = DAY3.replace(".ipynb", ".py")
    hand_in(course, reference("day3"), name)
    ran = grade("day2", name, cwd=course)
    assert ran.code == USAGE
    assert "this is the notebook of day3, not of day2" in ran.text


def test_two_megabytes_of_code(course: Path) -> None:
    """A data set that was pasted into a cell is asked to be taken out."""
    hand_in(course, notebook(*cells("day2"), "data = [" + "1.25, " * 350_000 + "]"))
    ran = grade("day2", "mine.ipynb", cwd=course)
    assert ran.code == USAGE
    assert "1 MB of code; is a data set pasted into a cell?" in ran.text


def test_twenty_megabytes_of_output(course: Path) -> None:
    """Pictures and prints in a notebook do not matter."""
    made = json.loads(notebook(*cells("day2")))
    made["cells"][0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 100] * 210_000}]
    path = hand_in(course, json.dumps(made))
    assert path.stat().st_size > 20 << 20
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


def test_notebook_of_format_3(course: Path) -> None:
    """An old notebook, with worksheets, is read as a new one."""
    sheet = [
        {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "input": source}
        for source in cells("day2")
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": sheet}]}
    report = grade_json("day2", hand_in(course, json.dumps(old)), cwd=course)
    assert report.score == report.max_score


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
    """What the report says of one of those cells, without the cell's number."""
    start = f"cell {list(EVENTS).index(event) + 1}"
    (note,) = (note for note in report.notes if note.startswith((f"{start}:", f"{start},")))
    return note.removeprefix(start).lstrip(":, ")


@pytest.mark.slow
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
    """A function that calls itself without an end is told as that."""
    note = note_on(eventful, "recursion")
    assert note.startswith("line 3: RecursionError")
    assert "A function calls itself without coming to an end" in note


def test_memory_bomb_at_load(eventful: Report) -> None:
    """The limit has a name."""
    note = note_on(eventful, "memory")
    assert note.startswith("line 1: MemoryError")
    assert "512 MB of memory were asked for (memory_mb)" in note


def test_input(eventful: Report) -> None:
    """Nobody is there to type."""
    note = note_on(eventful, "input")
    assert note.startswith("line 1: EOFError")
    assert "use a value instead of input()" in note


def test_end_of_the_process_at_load(eventful: Report) -> None:
    """A cell that ends the process is left out."""
    assert "the submission ended its own Python process" in note_on(eventful, "end of the process")


def test_crash_at_load(eventful: Report) -> None:
    """So is one that crashes it."""
    assert "crashed; this is usually endless recursion" in note_on(eventful, "crash")


def test_import_that_is_used(eventful: Report) -> None:
    """What the jail does not offer is told where it is used, not where it is imported."""
    note = note_on(eventful, "torch")
    assert note.startswith("line 2: ModuleNotFoundError: torch is not available while grading")
    assert "tagged `verify` or `demo`" in note


def test_name_defined_only_in_a_later_cell(eventful: Report) -> None:
    """A notebook that was run out of order: the note says where the name is."""
    note = note_on(eventful, "later")
    assert note.startswith("line 1: NameError: name 'factor' is not defined")
    last = len(EVENTS) + len(cells("day2")) + 1
    assert f"`factor` is defined only in cell {last}; cells run from top to bottom." in note


def test_megabytes_printed(eventful: Report) -> None:
    """Only the first part is kept, which a note says."""
    assert "the cells print 4,096 kB; only the first 64 kB were kept (output_kb)" in eventful.notes


def test_syntax_error_in_a_needed_cell(course: Path) -> None:
    """The check that needs the cell's name says where the error is; the other checks are graded."""
    path = hand_in(course, replaced("day2", "product_order = [", 'product_order = ["L", "d"'))
    report = grade_json("day2", path, cwd=course)
    assert not_passed(report) == {"manual_walk"}
    message = check(report, "manual_walk").message
    place = number_of("day2", "product_order = [")
    assert f"`product_order` is missing, because of an error in cell {place}, line 1: SyntaxError" in message


def test_missing_names(course: Path) -> None:
    """A name that no cell defines is to do, and is named."""
    kept = [source for source in cells("day2") if "def reset_grads" not in source]
    report = grade_json("day2", hand_in(course, notebook(*kept)), cwd=course)
    assert not_passed(report) == {"complex_expression"}
    found = check(report, "complex_expression")
    assert found.outcome is Outcome.TODO
    assert found.message == "`reset_grads` is not defined yet."


def test_nothing_but_a_print(course: Path) -> None:
    """A notebook without any of the names gets 0, and each check says what is missing."""
    ran = grade("day2", hand_in(course, notebook("print('hello')")), cwd=course)
    assert ran.code == LESS
    assert "0 of 100 points" in ran.text
    assert "`Value` is not defined yet." in ran.text


def test_forgotten_import(course: Path) -> None:
    """A closure that needs math without an import of it: the remedy is named."""
    kept = [source for source in cells("day2") if source.strip() != "import math"]
    report = grade_json("day2", hand_in(course, notebook(*kept)), cwd=course)
    assert "add_rule" in passed(report)
    assert "An `import math` is missing above it." in told(check(report, "tanh_neuron"))


@pytest.mark.parametrize("value", ["Value = 3", "Value = None"])
def test_value_is_a_plain_value(course: Path, value: str) -> None:
    """`Value` holds something that cannot be called."""
    path = hand_in(course, notebook(*cells("day2"), value))
    found = check(grade_json("day2", path, "--check", "add_rule", cwd=course), "add_rule")
    assert found.outcome is Outcome.FAILED
    assert "`Value`" in told(found)
    assert "Reading" not in told(found)  # a class of the grader's


def test_value_is_a_function(course: Path) -> None:
    """A `Value` that gives plain numbers: the check fails, and nothing of the grader's is named."""
    path = hand_in(course, notebook(*cells("day2"), "def Value(data):\n    return data"))
    found = check(grade_json("day2", path, "--check", "add_rule", cwd=course), "add_rule")
    assert found.outcome is Outcome.FAILED
    for word in ("Reading", "Proxy", "isinstance() arg"):
        assert word not in told(found)


def test_answers_of_the_wrong_kind(course: Path) -> None:
    """A text in the place of every answer: their checks fail and the engine's checks pass."""
    names = """product_order product_grads sum_times_grads twice_with_assignment complex_grads complex_order
        neuron_grads diamond_order lost_by_b_first lost_by_c_first strongest leverage_a_over_c nudge_up
        quiz_df_da quiz_df_db quiz_do_dw1 quiz_w2 quiz_a_times_a quiz_why_add quiz_dd_da quiz_backpropagation"""
    last = "\n".join(f"{name} = 'L, d'" for name in names.split())
    report = grade_json("day2", hand_in(course, notebook(*cells("day2"), last)), cwd=course)
    engine = {"add_rule", "swap_rule", "accumulate", "tanh_neuron", "pytorch_parity"}
    assert passed(report) == engine
    assert {check(report, name).outcome for name in not_passed(report)} == {Outcome.FAILED}
    for name in not_passed(report):
        assert told(check(report, name)).strip()


# --- Limits


@pytest.mark.slow
def test_endless_loop_in_a_needed_cell(course: Path) -> None:
    """The check that needs the cell names it and the limit; the other checks pass."""
    edit_manifest(course, "day2", limits={"load_seconds": 1})
    loop = 'product_order = ["L", "d"]\nwhile True:\n    pass'
    path = hand_in(course, replaced("day2", "product_order = [", loop))
    report = grade_json("day2", path, cwd=course)
    assert not_passed(report) == {"manual_walk"}
    message = check(report, "manual_walk").message
    assert f"cell {number_of('day2', 'product_order = [')}" in message
    assert "longer than 1 s (load_seconds)" in message


def test_endless_loop_in_a_closure(course: Path) -> None:
    """The checks that call it fail by their own limit, paid once each; the others stand."""
    edit_manifest(course, "day2", limits={"check_seconds": 0.5})
    report = grade_json("day2", hand_in(course, tanh_with("while True: pass")), cwd=course)
    found = check(report, "tanh_neuron")
    assert found.outcome is Outcome.FAILED
    assert "longer than 0.5 s (check_seconds)" in found.message
    assert passed(report) >= {
        "add_rule", "swap_rule", "accumulate", "manual_walk", "complex_expression", "visit_order", "leverage",
    }  # fmt: skip


@pytest.mark.slow
def test_total_time_runs_out(course: Path) -> None:
    """When all time is used up, every check after that says so."""
    edit_manifest(course, "day2", limits={"load_seconds": 5, "total_seconds": 1})
    path = hand_in(course, notebook("while True:\n    pass", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert passed(report) == set()
    assert "(total_seconds)" in check(report, "add_rule").message


@pytest.mark.slow
def test_slow_cell(course: Path) -> None:
    """A cell of a second is run once; it costs nothing but a note."""
    path = hand_in(course, notebook("import time\ntime.sleep(0.8)", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    assert "cell 1 took 0.8 s" in only_note(report)
    assert "`demo`" in only_note(report)
    assert report.seconds < 5


@pytest.mark.slow
def test_slow_cell_that_fails(course: Path) -> None:
    """A failed cell is remembered too: its time is paid once, not before every test."""
    edit_manifest(course, "day2", limits={"total_seconds": 8})
    path = hand_in(course, notebook("import time\ntime.sleep(0.6)\n1 / 0", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    assert only_note(report).startswith("cell 1, line 3: ZeroDivisionError")
    assert report.seconds < 5


@pytest.mark.slow
def test_time_of_loading_is_not_the_first_check_s(course: Path) -> None:
    """Loading has a budget of its own: a slow cell does not use up what the first check may take."""
    edit_manifest(course, "day2", limits={"check_seconds": 0.5, "total_seconds": 8})
    path = hand_in(course, notebook("import time\ntime.sleep(0.8)", *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


def test_large_table(course: Path) -> None:
    """Every test loads the file again, and what the last one left behind is given back."""
    path = hand_in(course, "table = bytes(32 << 20)\n" + "\n\n".join(cells("day2")), "mine.py")
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


def test_memory_bomb_in_a_closure(course: Path) -> None:
    """So it has in a check."""
    path = hand_in(course, tanh_with("hoard = bytes(2 * 10**9)"))
    report = grade_json("day2", path, "--check", "tanh_neuron", cwd=course)
    assert check(report, "tanh_neuron").outcome is Outcome.FAILED
    assert "512 MB of memory were asked for (memory_mb)" in check(report, "tanh_neuron").message


@pytest.mark.slow
def test_memory_that_grows(course: Path) -> None:
    """A list that grows without an end ends at the limit, not at the machine's."""
    grow = "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 20))"
    path = hand_in(course, notebook(grow, *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert "memory_mb" in only_note(report)
    assert report.score == report.max_score
    assert report.seconds < 8


# --- Ways to end


def test_end_of_the_process_in_a_closure(course: Path) -> None:
    """The checks that call it fail; the others stand."""
    path = hand_in(course, tanh_with("import os; os._exit(0)"))
    report = grade_json("day2", path, cwd=course)
    found = check(report, "tanh_neuron")
    assert found.outcome is Outcome.FAILED
    assert found.message == "The submission ended its own Python process."
    assert {"add_rule", "swap_rule", "visit_order"} <= passed(report)


DIVE = "import sys; sys.setrecursionlimit({limit}); dive = lambda n: dive(n + 1); dive(0)"


@pytest.mark.slow
def test_recursion_with_the_limit_raised(course: Path) -> None:
    """Then another limit ends it: time, memory, or the end of the process."""
    edit_manifest(course, "day2", limits={"check_seconds": 1, "memory_mb": 128})
    path = hand_in(course, tanh_with(DIVE.format(limit=10**9)))
    report = grade_json("day2", path, "--check", "tanh_neuron", cwd=course)
    message = check(report, "tanh_neuron").message
    assert check(report, "tanh_neuron").outcome is Outcome.FAILED
    assert any(word in message for word in ("check_seconds", "memory_mb", "endless recursion"))


# --- Gradients that are none


def test_gradient_that_is_no_number(course: Path) -> None:
    """What the engine computed is told as it is, beside what was expected; test_lies.py has many more."""
    hand_in(course, mul_with("float('nan')"))
    ran = grade("day2", "mine.ipynb", "--check", "swap_rule", cwd=course)
    assert ran.code == LESS
    assert "a.grad is nan, expected -3" in ran.text


def test_numpy_scalars_where_numpy_is_allowed(course: Path) -> None:
    """With numpy among the manifest's imports its scalars are numbers like any other."""
    edit_manifest(course, "day2", imports=["numpy"])
    source = reference("day2").replace("import math\n", "import math\nimport numpy as np\n", 1)
    source = source.replace("self.data = data\n", "self.data = np.float64(data)\n", 1)
    report = grade_json("day2", hand_in(course, source, "mine.py"), cwd=course)
    assert [note for note in report.notes if " took " not in note] == []  # on a busy machine the import does
    assert report.score == report.max_score


def test_numpy_where_it_is_not_allowed(course: Path) -> None:
    """The import costs nothing; using it is told for what it is."""
    edit_manifest(course, "day2", imports=[])
    source = reference("day2").replace("import math\n", "import math\nimport numpy as np\n", 1)
    source = source.replace("t = math.tanh(self.data)", "t = np.tanh(self.data)")
    report = grade_json("day2", hand_in(course, source, "mine.py"), cwd=course)
    assert report.notes == []
    assert {"add_rule", "swap_rule"} <= passed(report)
    assert "numpy is not available while grading" in check(report, "tanh_neuron").message


# --- Consoles


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_console_that_cannot_print_everything(course: Path, encoding: str) -> None:
    """The report has × and → in it; every console gets one that it can print."""
    hand_in(course, mul_with("None"))
    ran = grade("day2", "mine.ipynb", "--check", "swap_rule", cwd=course, env={"PYTHONIOENCODING": encoding})
    assert ran.code == LESS
    assert "UnicodeEncodeError" not in ran.text
    assert "0 of 15 points" in ran.text


def test_json_on_a_console_that_cannot_print_everything(course: Path) -> None:
    """JSON stays JSON."""
    ran = grade(
        "day2", "--format", "json", "--check", "swap_rule", cwd=course, env={"PYTHONIOENCODING": "ascii"}
    )
    assert ran.code == LESS
    assert json.loads(ran.out)["score"] == 0


def test_help_on_a_console_that_cannot_print_everything(course: Path) -> None:
    """Nor does the help."""
    ran = grade("day2", "--help", cwd=course, env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == FULL
    assert "Grade day2" in ran.text


@pytest.mark.slow(after=2)
@pytest.mark.parametrize("columns", ["1"])
def test_width_of_the_terminal(course: Path, columns: str) -> None:
    """Any width will do."""
    ran = grade("day2", "--check", "swap_rule", cwd=course, env={"COLUMNS": columns})
    assert ran.code == LESS
    assert "0 of 15 points" in ran.text


# --- The course's own files

MANIFESTS = {
    "unknown key": ({"limts": {}}, "unknown key `limts` (did you mean `limits`?)"),
    "unknown limit": ({"limits": {"memory": 1}}, "unknown key `limits.memory` (did you mean `memory_mb`?)"),
    "unknown key of a check": (
        {"checks": {"add_rule": {"point": 1}}},
        "unknown key `checks.add_rule.point` (did you mean `points`?)",
    ),
    "points in words": ({"checks": {"add_rule": {"points": "many"}}}, "at `checks.add_rule.points`"),
    "points below 0": ({"checks": {"add_rule": {"points": -1}}}, "is -1; write a number not below 0"),
    "check without points": ({"checks": {"extra": {"needs": []}}}, "missing required field `points`"),
    "check without table": ({"checks": {"add_rule": 3}}, "Expected `object`, got `int`"),
    "unknown need": (
        {"checks": {"swap_rule": {"needs": ["ad_rule"]}}},
        "`checks.swap_rule.needs` names `ad_rule`, which is not a check above it (did you mean `add_rule`?)",
    ),
    "another format": ({"format": 9}, "format 9 is not known to this version"),
    "continues a later day": (
        {"continues": "day3"},
        "`continues` names `day3`, which is no assignment before this one",
    ),
    "continues itself": ({"continues": "day2"}, "`continues` names `day2`"),
}


@pytest.mark.slow(after=8)
@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest_that_is_wrong(course: Path, name: str) -> None:
    """The file, the key and the remedy are named."""
    changes, expected = MANIFESTS[name]
    edit_manifest(course, "day2", **changes)
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "assignment.yaml: " in ran.text
    assert expected in ran.text


@pytest.mark.parametrize("text", ["a: [1", ""])
def test_manifest_that_is_no_table(course: Path, text: str) -> None:
    """So it is when it is no YAML, or YAML of another kind."""
    (course / "assignments" / "day2" / "assignment.yaml").write_text(text, encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "assignment.yaml" in ran.text


BROKEN_CHECKS = ["def test_broken(student:\n", "NOTHING = 'to test'\n"]


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("source", BROKEN_CHECKS)
def test_check_file_that_is_broken(course: Path, source: str) -> None:
    """The grader's own fault is never a zero: no score, an exit code of its own, and no blame."""
    (course / "solutions" / "day2" / "checks" / "test_swap_rule.py").unlink()
    broken = course / "assignments" / "day2" / "checks" / "test_swap_rule.py"
    broken.write_text(source, encoding="utf-8")
    ran = grade("day2", hand_in(course, reference("day2"), "mine.py"), cwd=course)
    assert ran.code == UNGRADABLE
    assert "No score: swap_rule could not be graded. This is not your fault" in ran.text
    report = from_json((course / "feedback" / "day2.json").read_bytes())
    assert report.score is None
    assert not_passed(report) == {"swap_rule"}
    assert check(report, "swap_rule").outcome is Outcome.UNGRADABLE
    assert "test_swap_rule.py" in check(report, "swap_rule").message


def test_check_that_nobody_declared(course: Path) -> None:
    """A check file without an entry in the manifest is refused, with the nearest entry."""
    path = course / "assignments" / "day2" / "checks" / "test_add_rules.py"
    path.write_text("def test_nothing(): pass\n", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "test_add_rules.py: no check `add_rules`" in ran.text
    assert "did you mean `add_rule`?" in ran.text


@pytest.mark.parametrize("file", ["sealed.json", "parity.json"])
def test_record_that_is_broken(course: Path, file: str) -> None:
    """Sealed words or PyTorch's numbers that cannot be read are the grader's fault."""
    (course / "assignments" / "day2" / "checks" / file).write_text("{", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == UNGRADABLE
    assert f"{file}: not a" in ran.text
    assert "run `grade stub` again" in ran.text


def test_feedback_folder_that_is_a_file(course: Path) -> None:
    """The report is printed all the same."""
    (course / "feedback").write_text("in the way", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == LESS
    assert "0 of 100 points" in ran.out
    assert "feedback file could not be written" in " ".join(ran.err.split())


@pytest.mark.parametrize("left", [b"", b"\xff\xfe{", b'{"schema": "another"}'])
def test_feedback_of_last_time_that_is_broken(course: Path, left: bytes) -> None:
    """The overview does as if it were not there."""
    (course / "feedback").mkdir()
    (course / "feedback" / "day2.json").write_bytes(left)
    ran = grade(cwd=course)
    assert ran.code == FULL
    assert "not graded yet" in ran.text


# --- Files in another shape


PYTHON_FILES = {
    "percent": str.encode,
    "plain": lambda _: "\n\n".join(cells("day2")).encode(),  # without tags, so without demo cells
    "from Windows": lambda source: b"\xef\xbb\xbf" + source.replace("\n", "\r\n").encode(),
    "declared encoding": lambda source: b"# -*- coding: latin-1 -*-\n" + source.encode("latin-1", "replace"),
    "main": lambda source: source.encode() + b'\nif __name__ == "__main__":\n    raise SystemExit("ran")\n',
}


@pytest.mark.slow(after=2)
@pytest.mark.parametrize("name", PYTHON_FILES)
def test_python_file(course: Path, name: str) -> None:
    """A .py file is graded as the notebook is, in whatever shape an editor left it."""
    data = PYTHON_FILES[name](reference("day2"))
    report = grade_json("day2", hand_in(course, data, "mine.py"), cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


def test_place_in_a_python_file(course: Path) -> None:
    """Lines are counted from the top of the file."""
    report = grade_json("day2", hand_in(course, f"{reference('day2')}\n# %%\n1 / 0\n", "mine.py"), cwd=course)
    line = len(reference("day2").split("\n")) + 2
    assert only_note(report).startswith(f"mine.py, line {line}: ZeroDivisionError: division by zero")


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


def test_magics(course: Path) -> None:
    """What only IPython understands is passed over; what looks like it and is Python still counts."""
    path = hand_in(course, notebook(*MAGICS.values(), *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


def test_value_twice(course: Path) -> None:
    """The later of two classes wins, as it does in a notebook."""
    early = "class Value:\n    def __init__(self, data):\n        self.data = 'the early one'"
    report = grade_json("day2", hand_in(course, notebook(early, *cells("day2"))), cwd=course)
    assert report.score == report.max_score


def test_future_annotations(course: Path) -> None:
    """A `from __future__` of an early cell holds for the later ones."""
    annotated = "def scale(x: Unheard) -> Of:\n    return x"
    path = hand_in(course, notebook("from __future__ import annotations", annotated, *cells("day2")))
    report = grade_json("day2", path, cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


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


def test_imports_that_are_not_there(course: Path) -> None:
    """An import that is not used costs nothing."""
    report = grade_json("day2", hand_in(course, notebook(IMPORTS, *cells("day2"))), cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


def test_cells_for_ones_own_eyes(course: Path) -> None:
    """Cells tagged verify or demo are not run, and other tags mean nothing."""
    source = cells("day2")
    raises = "raise RuntimeError('this cell ran')"
    tags = {1: ["demo"], 2: ["verify"], 3: ["slow", "demo"], 4: ["mine"]}
    path = hand_in(course, notebook(raises, raises, raises, *source, tags=tags))
    report = grade_json("day2", path, cwd=course)
    assert report.notes == []
    assert report.score == report.max_score


def test_markdown_and_raw_cells(course: Path) -> None:
    """They are not code, and they count when cells are counted; Jupyter writes cells as lists of lines."""
    made = json.loads(notebook("not python (", "nor this (", *cells("day2"), "1 / 0"))
    made["cells"][0]["cell_type"], made["cells"][1]["cell_type"] = "markdown", "raw"
    for cell in made["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    report = grade_json("day2", hand_in(course, json.dumps(made)), cwd=course)
    assert report.score == report.max_score
    assert only_note(report).startswith(f"cell {len(made['cells'])}, line 1: ZeroDivisionError")


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


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("name", BROKEN_DAYS)
def test_day3_after_a_broken_day2(course: Path, name: str) -> None:
    """What day 3 itself asks is graded on plain nodes."""
    hand_in_day2(course, BROKEN_DAYS[name])
    source = day3_without_engine().replace("Value.backward = backward", "pass")
    path = hand_in(course, source, f"assignments/day3/{DAY3}")
    report = grade_json("day3", path, cwd=course)
    assert passed(report) >= PLAIN_NODE_CHECKS
    assert "pytorch_parity" not in passed(report)


@pytest.mark.slow
def test_day3_after_a_day2_that_cannot_be_read(course: Path) -> None:
    """A day 2 that is no notebook is named; it does not take day 3 with it."""
    hand_in_day2(course, "{")
    path = hand_in(course, notebook(*cells("day3")), f"assignments/day3/{DAY3}")
    ran = grade("day3", path, cwd=course)
    assert DAY2 in ran.text
    assert ran.code in (FULL, LESS)


@pytest.mark.slow
def test_day3_alone(course: Path) -> None:
    """Without a day 2 the pasted class is used."""
    (course / "assignments" / "day2" / DAY2).unlink()
    report = grade_json("day3", hand_in(course, notebook(*cells("day3"))), cwd=course)
    assert report.score == report.max_score
