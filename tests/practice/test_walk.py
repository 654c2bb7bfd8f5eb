"""`grade walk`: the check that it is about, its table, and what it says where there is none."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from helpers import COURSE, Ran, grade, hand_in, reference
from walks import CALLS, FORWARD, RIGHT, A, B, P, chain, made_trace

from grader.practice.walk import choose_check, trace_check, walk_page
from grader.report import (
    AssignmentInfo,
    CheckResult,
    GraderInfo,
    Outcome,
    Report,
    SubmissionInfo,
    Trace,
    TraceStep,
)

FULL, USAGE, UNGRADABLE = 0, 2, 3
WRONG = made_trace([*FORWARD, *CALLS[:-1], TraceStep("call", P, [(A, 10.0), (B, 15.0)])], 8, "wrong.")


def report(*checks: tuple[str, Outcome, Trace | None]) -> Report:
    """A report with these checks."""
    results = [
        CheckResult(name, "A title.", outcome, 0.0, 10.0, "visible", trace=trace, message="waits for another")
        for name, outcome, trace in checks
    ]
    return Report(
        assignment=AssignmentInfo("day2", "The title"),
        submission=SubmissionInfo("mine.py", "0", ""),
        grader=GraderInfo("", "", "", ["landlock", "seccomp"]),
        started="",
        seconds=0.0,
        score=None if Outcome.UNGRADABLE in [outcome for _, outcome, _ in checks] else 0.0,
        max_score=10.0 * len(checks),
        outcome=Outcome.FAILED,
        hidden_checks=False,
        checks=results,
    )


def last_line(page: str) -> str:
    """The last paragraph of a page, on one line."""
    return " ".join(page.rpartition("\n\n")[2].split())


# --- The check


def test_the_next_failed_check_with_a_graph():
    """Checks that passed, and those without a graph, are not chosen."""
    found = report(
        ("one", Outcome.PASSED, made_trace(RIGHT)),
        ("two", Outcome.FAILED, None),
        ("three", Outcome.FAILED, WRONG),
    )

    assert choose_check(found, None).id == "three"
    assert choose_check(found, "one").id == "one"


def test_a_blocked_check_where_no_failed_one_has_a_graph():
    """Its walk may show the cause; one that is right does not."""
    found = report(
        ("sort", Outcome.FAILED, None),
        ("one", Outcome.BLOCKED, made_trace(RIGHT)),
        ("two", Outcome.BLOCKED, WRONG),
    )

    assert choose_check(found, None).id == "two"


def test_the_next_step_of_the_report_comes_first(snapshot):
    """A check that has the same cause as another one leads there."""
    found = report(("one", Outcome.FAILED, WRONG), ("two", Outcome.FAILED, WRONG))
    found.checks[0].see = "two"

    assert choose_check(found, None).id == "two"
    assert last_line(walk_page(found, None)) == snapshot


def test_all_checks_are_traced_only_where_there_is_no_walk():
    """It takes time, and names the checks that have one."""
    asked = []
    found = report(("one", Outcome.FAILED, WRONG), ("two", Outcome.PASSED, None))
    for check in ("one", None, "two"):
        trace_check(lambda traces: asked.append(traces) or found, check)

    assert asked == [["one"], True, ["two"], ["one", "two"]]


# --- The words below


def test_a_check_that_passed():
    """Nothing is left to do."""
    page = walk_page(report(("one", Outcome.PASSED, made_trace(RIGHT))), "one")
    assert last_line(page) == "Every step is right."


def test_a_failed_check_whose_walk_is_right(snapshot):
    """The report says more."""
    page = walk_page(report(("one", Outcome.FAILED, made_trace(RIGHT))), "one")
    assert last_line(page) == snapshot


def test_the_walk_of_an_answer(snapshot):
    """Nothing is said about a right walk: it would be the answer."""
    page = walk_page(report(("one", Outcome.FAILED, made_trace(RIGHT, right=[]))), "one")
    assert last_line(page) == snapshot


def test_a_long_walk_says_how_to_see_all_of_it(snapshot):
    """Until it is asked for."""
    found = report(("one", Outcome.FAILED, chain(60, 90)))

    assert walk_page(found, "one") == snapshot
    assert "--all" not in walk_page(found, "one", whole=True)


@pytest.mark.parametrize("outcome", [Outcome.TODO, Outcome.BLOCKED, Outcome.PASSED, Outcome.UNGRADABLE])
def test_a_check_without_a_walk(outcome, snapshot):
    """The reason, and the checks that have one."""
    page = walk_page(report(("one", outcome, None), ("two", Outcome.FAILED, WRONG)), "one")

    assert page == snapshot
    assert walk_page(report(("one", outcome, None)), "one") == snapshot


def test_nothing_failed(snapshot):
    """The page names the walks that there are, and ends with the next step of the report."""
    found = report(("one", Outcome.PASSED, made_trace(RIGHT)), ("two", Outcome.PASSED, made_trace(RIGHT)))

    assert walk_page(found, None).splitlines()[:2] == snapshot
    assert "Next: push your work" in walk_page(found, None)


# --- The command


def walk(course: Path, *args: str | Path) -> Ran:
    """`grade walk day2` in a course of a test's own, at 80 columns."""
    return grade("walk", "day2", *args, cwd=course, env={"COLUMNS": "80"})


def steps(ran: Ran) -> list[str]:
    """The lines with a mark."""
    return [re.sub(r" {2,}", "  ", line) for line in ran.out.splitlines() if line.startswith("> ")]


@pytest.mark.ci
def test_a_file_instead_of_a_check(course: Path, snapshot) -> None:
    """The first failed check of that file, with its first wrong step; no report is kept."""
    ran = walk(
        course,
        hand_in(course, reference("day2").replace("other.grad += self.data * out.grad", "pass"), "mine.py"),
    )

    assert ran.code == FULL
    assert ran.out.startswith("swap_rule: × swaps")
    assert steps(ran)[:2] == snapshot
    assert ran.out == snapshot
    assert not (course / "feedback").exists()


def test_a_check_of_a_file(course: Path) -> None:
    """A check that passed has one column."""
    ran = walk(course, "complex_expression", hand_in(course, reference("day2"), "mine.py"))

    assert (ran.code, steps(ran)) == (FULL, [])
    assert "a right walk" not in ran.out
    assert re.search(
        r"at the end\n +a\.grad +12\n +b\.grad +17\n +c\.grad +5\n\nEvery step is right\.\n$", ran.out
    )


def test_the_example_in_the_docs(course: Path) -> None:
    """The students' page shows what the command prints for `=` in the place of `+=`; dots stand for steps left out."""
    page = (COURSE / "docs" / "students.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^    a = 3, .*?(?=^\S)", page, re.MULTILINE | re.DOTALL)
    source = reference("day2")
    for factor in ("other.data", "self.data"):
        assert source.count(f".grad += {factor} * out.grad") == 1
        source = source.replace(f".grad += {factor} * out.grad", f".grad = {factor} * out.grad")
    ran = walk(course, "complex_expression", hand_in(course, source, "mine.py"))

    for part in re.split(r"^ +\.\.\.\n", dedent(example).strip(), flags=re.MULTILINE):
        assert part in ran.out


@pytest.mark.ci
def test_the_untouched_notebook(course: Path, snapshot) -> None:
    """Nothing is written yet."""
    ran = walk(course)

    assert ran.code == FULL
    assert ran.out == snapshot


def test_wrong_usage(course: Path, snapshot) -> None:
    """The nearest check is named; a file must be there."""
    assert (walk(course, "swap").code, walk(course, "nowhere.py").code) == (USAGE, USAGE)
    assert "did you mean `swap_rule`?" in walk(course, "swap").text
    assert walk(course, "nowhere.py").text == snapshot


@pytest.mark.ci
def test_a_check_that_cannot_be_graded(course: Path) -> None:
    """The exit code is that of a grading without a score."""
    (course / "assignments/day2/checks/test_swap_rule.py").write_text(
        "import nowhere_at_all\n", encoding="utf-8"
    )
    ran = walk(course, "swap_rule", hand_in(course, reference("day2"), "mine.py"))

    assert ran.code == UNGRADABLE
    assert ran.out.startswith("swap_rule could not be graded:")
