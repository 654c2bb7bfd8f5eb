"""Nothing that a student writes makes a sheet easier, known beforehand, or another one in a second print."""

from __future__ import annotations

import binascii
import marshal
import os
import time

import pytest
from asked import ENGINE, day, report_on, sheet_of
from msgspec.structs import replace
from sampled import every

from grader.grading.grader import open_grader
from grader.report import Outcome, Report
from grader.sandbox import Deadline, Launcher
from grader.sandbox.inside.worker import Jail
from grader.submissions.submission import Block, Sources
from grader.viva import sheet as sheets
from grader.viva import work
from grader.viva.pages import sheet_html, sheet_markdown
from grader.viva.sheet import Sheet, generator, make_sheet

IN_VIVA = """\
import sys

def real(x):
    f = sys._getframe()
    while f and "step" not in f.f_locals:
        f = f.f_back
    return 1.0 if {condition} else x

"""
RIGGED = ENGINE.replace("(self.data * other.data,", "(real(self.data * other.data),")
WIDE = " + ".join("abcdefghijklmnopqrstuvwx")  # one line with many places to edit
NEVER_CALLED = {
    "a long function": "def f():\n" + "".join(f"    answer_number_{i} = other + {i}\n" for i in range(405)),
    "wide lines": "".join(f"def f{i}():\n" + f"    x = {WIDE}\n" * 90 for i in range(13)),
    "a deep line": f"def f():\n    return {' + '.join('1' * 600)}\n",
}
EXAMINED = "## For the examiner"
SOME = every(3, ("ada", "bob", "eve"))


@pytest.fixture(scope="module")
def passed(launcher: Launcher) -> Report:
    """A report in which all checks of the day have passed."""
    report = report_on(launcher, ENGINE)
    return replace(report, checks=[replace(each, outcome=Outcome.PASSED) for each in report.checks])


def test_questions_depend_on_salt_day_and_student() -> None:
    """A second print has the same; who knows day and name, but not the salt, cannot compute them."""
    seeds = [
        ("salt", "day4", "ada"),
        ("other", "day4", "ada"),
        ("salt", "day5", "ada"),
        ("salt", "day4", "bob"),
        ("salt", "day4a", "da"),
    ]

    first, second = ([generator(*seed).random() for seed in seeds] for _ in range(2))

    assert first == second
    assert len({*first}) == len(seeds)


def test_a_request_looks_the_same_in_a_viva_as_in_grading() -> None:
    """A viva sends requests alone, grading in scripts: nothing in a request tells code which of them it is."""
    jail, request = Jail(-1, os.open(os.devnull, os.O_WRONLY)), {"op": "get", "name": "x"}
    requests = binascii.b2a_base64(marshal.dumps([request])).decode()
    message = {"op": "replay", "n": 5, "blocks": [], "codes": {}, "order": "forward", "requests": requests}

    alone = next(jail.steps(request | {"n": 5}))
    steps = jail.steps(message)
    reload = next(steps)

    assert steps.send({"v": []}) == alone
    assert reload is not None
    assert reload["n"] == 5


@pytest.mark.ci
def test_the_examiner_reads_that_answers_contradict_the_grading(launcher: Launcher, passed: Report) -> None:
    """Code that knows an examination gives itself other numbers; all checks had passed."""
    sheet = sheet_of(launcher, IN_VIVA.format(condition="True") + RIGGED, report=passed)

    (doubt,) = sheet.doubts
    assert "contradicts the grading" in doubt
    for page in (sheet_markdown(sheet), sheet_html(sheet)):
        for_student, _, for_examiner = page.partition(EXAMINED.lstrip("# "))
        assert "contradicts the grading" in for_examiner
        assert "contradicts the grading" not in for_student


@pytest.mark.ci
@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("self.grad += other.data * out.grad", "self.grad += other.data * out.grad * 1.005", ".grad"),
        ("(self.data - other.data,", "(float('nan'),", "no number"),
    ],
    ids=["a gradient that is nearly right", "no number"],
)
def test_what_is_not_right_is_told_whatever_it_is(
    launcher: Launcher, passed: Report, old: str, new: str, place: str
) -> None:
    """A graph may do without the operation, but not those of all students."""
    made = [sheet_of(launcher, ENGINE.replace(old, new), student=name, report=passed) for name in SOME]
    assert any(place in doubt for sheet in made for doubt in sheet.doubts)


@pytest.mark.ci
@pytest.mark.parametrize(
    "is_graded",
    ["type(steps.gi_yieldfrom) is type(steps)", "not can_open()"],
    ids=["in a script", "sealed"],
)
def test_the_scene_is_asked_as_grading_asks(launcher: Launcher, is_graded: str) -> None:
    """Code that still tells the two apart answers in another way there, and the examiner reads it, whatever passed."""
    rig = """\
import sys

def can_open():
    try:
        open("/dev/null").close()
    except OSError:
        return False
    return True

def real(x):
    f = sys._getframe()
    while f and "steps" not in f.f_locals:
        f = f.f_back
    steps = f.f_locals["steps"]
    return x if IS_GRADED else 1.0

""".replace("IS_GRADED", is_graded)
    sheet = sheet_of(launcher, rig + RIGGED)
    assert any("In a run like grading" in doubt and "here it gave `1`" in doubt for doubt in sheet.doubts)


TRIES_ITSELF = """
def works():
    x, y = Value(2), Value(3)
    w = x * y
    z = (w + x) * w + (x + w) - x * x
    z.backward()
    return (x.grad, y.grad, z.data) == (48, 30, 52)

def rigged(usual):
    def operation(self, other):
        out = usual(self, other)
        def rule():
            self.grad = other.grad = 1.0
        out._backward = rule
        return out
    return operation

if not works():
    DO
"""
GIVES_ONES = """for name in ("__add__", "__sub__", "__mul__"):
        setattr(Value, name, rigged(getattr(Value, name)))
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("source", "does", "told"),
    [
        (ENGINE, GIVES_ONES, "does not explain"),
        (ENGINE.replace("Value", "Other") + ENGINE, "Value = Other", "the numbers were the same"),
        (ENGINE, "del Value", "the numbers were the same"),
    ],
    ids=["known numbers", "another engine", "no engine"],
)
def test_code_that_sees_its_own_edits_is_told(launcher: Launcher, source: str, does: str, told: str) -> None:
    """It tries itself out when it is loaded; once a line is another one it does something else."""
    for student in SOME:
        sheet = sheet_of(launcher, source + TRIES_ITSELF.replace("DO", does), student=student, only=("edit",))
        assert any(told in doubt for doubt in sheet.doubts)


def test_functions_beside_the_class_may_have_any_name(launcher: Launcher) -> None:
    """A rule that stands in `add`, and a line that serves two rules: a change of either explains itself."""
    helped = ENGINE.replace("self.grad += out.grad", "give(self, out.grad)")
    helped = helped.replace("self.grad += other.data * out.grad", "give(self, other.data * out.grad)")
    helped += "\n\ndef give(node, number):\n    node.grad += number\n"
    for name in ("__add__", "__sub__", "__mul__"):
        helped += f"\n\nValue.{name} = Value.{name.strip('_')}"
        helped = helped.replace(f"def {name}", f"def {name.strip('_')}")
    for student in SOME:
        assert not sheet_of(launcher, helped, student=student, only=("edit",), count=5).doubts


@pytest.mark.ci
def test_code_that_runs_no_graph_is_told_where_all_checks_passed(launcher: Launcher, passed: Report) -> None:
    sheet = sheet_of(launcher, ENGINE.replace("self.data = data", "self.data = 1 / 0"), report=passed)
    assert "ran no graph" in sheet.doubts[0]


@pytest.mark.ci
def test_right_work_leaves_no_doubt(usual: Sheet) -> None:
    assert usual.doubts == []


# --- Lines


@pytest.mark.ci
@pytest.mark.parametrize("kind", NEVER_CALLED)
def test_code_that_is_never_called_changes_no_question(launcher: Launcher, usual: Sheet, kind: str) -> None:
    """It takes no room from the lines that questions are about, above or below them, and is not spoken of."""
    padded = sheet_of(launcher, f"{ENGINE}\n\n{NEVER_CALLED[kind]}")
    above = sheet_of(launcher, f"{NEVER_CALLED[kind]}\n\n{ENGINE}", only=("edit", "line"))
    assert padded.questions == usual.questions
    assert {one.kind for one in above.questions} == {"edit", "line"}
    assert (padded.doubts, above.doubts) == ([], [])


@pytest.mark.ci
def test_many_functions_of_the_same_names_change_no_question(launcher: Launcher, usual: Sheet) -> None:
    """Only lines that a run reaches are asked about: an engine that is replaced below it is none of them."""
    kinds = {one.kind for one in usual.questions}
    sheet = sheet_of(launcher, (ENGINE + "\n\n") * 5 + ENGINE, only=("edit", "line", "theirs"))
    assert {"edit", "line"} & kinds <= {one.kind for one in sheet.questions}


def test_an_option_stands_nowhere_in_the_file(launcher: Launcher) -> None:
    """Comments, text and cells that are not graded are in the file, too; so are other cuts of a long one."""
    other = "other.grad += other.data * out.grad"
    wrong = {
        option for one in sheet_of(launcher, only=("theirs",), count=3).questions for option in one.options
    }
    texts = "\n".join(sorted(wrong))
    sources = Sources(
        [Block("mine.py", None, 1, f"{ENGINE}\n# {other}\n")], [Block("mine.py", 2, 1, texts, tag="demo")]
    )

    with open_grader(day(), launcher) as grader:
        sheet = make_sheet(grader, sources, student="ada", sha256="", salt="salt", only=("theirs",), count=3)

    for one in sheet.questions:
        assert not {*one.options} - {one.answer} & {other, *wrong}


# --- Time


def test_a_sheet_that_takes_too_long_is_none_rather_than_an_easier_one(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Amid the questions the time is over: those that were found are not the ones that others get."""
    attempts = list[int]()
    run = work.ExaminedWork.attempt

    def attempt(self: work.ExaminedWork, *args: object) -> object:
        attempts.append(1)
        if len(attempts) == 12:
            self.deadline = Deadline(0.0)
        return run(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(work.ExaminedWork, "attempt", attempt)
    sheet = sheet_of(launcher)
    assert sheet.questions == []
    assert sheet.why == sheets.TOO_SLOW.format(seconds=sheets.SECONDS)


@pytest.mark.ci
def test_waiting_for_a_processor_costs_no_question(
    launcher: Launcher, usual: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs have hardly any time, and of all that the clock shows nothing was spent on them."""
    monkeypatch.setattr(work, "RUN_SECONDS", 1e-3)
    monkeypatch.setattr(work, "EDITED_SECONDS", 1e-3)
    assert sheet_of(launcher) != usual
    monkeypatch.setattr("grader.sandbox.budget.BUSY", 1e6)  # the clock, a backstop, comes too late here
    # 1,000 times, so that it holds however long this thread waits between two looks at its clocks
    monkeypatch.setattr("grader.sandbox.loading.waited_for_processor", lambda *_: 1_000 * time.monotonic())
    # One request alone may last longer than the limit where nothing is free; without waiting none of five is equal.
    assert any(sheet_of(launcher) == usual for _ in range(5))


@pytest.mark.ci
def test_many_lines_cost_no_other_kind_and_are_told(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line that changes a gradient takes a run: the number of runs is bounded, and no clock decides."""
    monkeypatch.setattr(work, "RUNS", 60)
    monkeypatch.setattr(sheets, "RUNS", 60)
    line = "            self.grad += other.data * out.grad\n"
    more = "".join(f"            self.grad += 0 * {i}\n" for i in range(95))
    source = ENGINE.replace(line, line + more)
    sheet = sheet_of(launcher, source, count=14)
    assert {"value", "gradient", "edit", "leaf", "calls", "order"} <= {one.kind for one in sheet.questions}
    assert "60 runs" in sheet.doubts[0]
