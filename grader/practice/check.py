"""`check()` in a notebook: runs the visible checks on the kernel's current values.

It runs without a jail and without limits, so its result is advice; only `grade` gives points.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.assignment import Assignment, Course
from grader.console import refuse_unknown_check
from grader.errors import Broken, Refused, nearest
from grader.grading.answers import read_tables
from grader.grading.grader import Grader
from grader.grading.run import CheckFile
from grader.grading.suite import open_suite
from grader.render import escape_line
from grader.render.html import line_in_html, render_fragment
from grader.render.player import check_traces, iframe
from grader.render.terminal import render_terminal
from grader.render.words import in_detail
from grader.report import Outcome, SubmissionInfo
from grader.sandbox.live import Live
from grader.submissions.submission import Block, Sources
from grader.topic import make_topic

if TYPE_CHECKING:
    from grader.report import Report


class CheckOutput:
    """The result of `check`: a page for the notebook, the same as text, and the report.

    The page ends with the player of the first failed check that has a trace, in an `<iframe>`; an untrusted notebook
    drops it. `report` is None if nothing could be graded; the text is then the reason, in one line.
    """

    def __init__(self, text: str, html: str, report: Report | None = None) -> None:
        self._text, self._html, self.report = text, html, report

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


def check(name: str | None = None, *, assignment: str | None = None) -> CheckOutput:
    """Run the visible check `name`, or all visible checks, on your definitions.

    The folder or the notebook's name gives the assignment, or you name it: `assignment="day2"`.
    """
    namespace = sys._getframe(1).f_globals  # noqa: SLF001  the caller's, as in every such helper
    try:
        report = _judge(namespace, name, assignment)
    except (Refused, Broken) as error:
        line = escape_line(str(error))
        return CheckOutput(line, line_in_html(line))
    except KeyboardInterrupt:
        raise KeyboardInterrupt from None  # without the traceback's frames
    return CheckOutput(render_terminal(report).rstrip(), html_with_player(report), report)


def html_with_player(report: Report) -> str:
    """Return a report in HTML, with the player of the first failed check that has a trace."""
    html = render_fragment(report)
    if traces := check_traces(check for check in in_detail(report) if check.outcome is Outcome.FAILED):
        html += f"\n{iframe(traces[0])}"  # only one, because the notebook saves it
    return html


def _judge(namespace: dict[str, Any], name: object, wanted: str | None) -> Report:
    if name is not None and not isinstance(name, str):
        raise Refused('check: write the name of the check in quotes: check("...")')
    path = _notebook(namespace)
    assignment = _assignment(_course(path), name, wanted, path)
    refuse_unknown_check(assignment, name)
    state = random.getstate()  # of the kernel
    try:
        return _grade_namespace(assignment, namespace, name, path)
    finally:
        random.setstate(state)


def _grade_namespace(
    assignment: Assignment, namespace: dict[str, Any], only: str | None, path: Path | None
) -> Report:
    """Run one check or all on a live namespace, under one order of sets."""
    specs, live = assignment.manifest.checks, Live(namespace, lambda file: _is_students(file, namespace))
    if only and specs[only].manual:
        raise Refused(f"{only}: your instructor grades it, so there is nothing to check here")
    files = [
        CheckFile(check, visibility, file, orders=False, needs=specs[check].needs, chart=specs[check].chart)
        for check, visibility, file in assignment.check_files()
        if visibility == "visible" and only in (None, check)
    ]
    if not files:
        raise Refused(
            f"{only or assignment.name}: all of its tests are hidden; they run when your instructor grades"
        )
    argument = assignment.argument(path) if path and path.is_absolute() else ""
    submission = SubmissionInfo(path.name if path else "", "", "", argument)
    topic = make_topic(assignment.manifest.topic, assignment.checks_folders)
    answers = read_tables({"visible": assignment.checks_folder("visible")})
    arrays = assignment.manifest.arrays
    with open_suite(files, {"visible": "visible"}, topic, answers, arrays=arrays) as suite:
        grader = Grader(assignment, suite, live)
        sources = Sources([], (), grader.given_code, lambda: [_block(file) for file in live.find_files()])
        return grader.grade_sources(submission, sources, only=only, live=True, traces=True)


# --- The course and the assignment


def _notebook(namespace: dict[str, Any]) -> Path | None:
    """Return the path of the running notebook or script, from VS Code, JupyterLab or Python itself."""
    names = (
        namespace.get("__vsc_ipynb_file__"),
        os.environ.get("JPY_SESSION_NAME"),
        namespace.get("__file__"),
    )
    return next((Path(name) for name in names if isinstance(name, str) and name), None)


def _course(path: Path | None) -> Course:
    """Return the course of the kernel's folder, else of the notebook's folder. Raises Refused."""
    try:
        return Course.find(Path.cwd())
    except Refused:
        if path is None or not path.is_absolute():
            raise
        return Course.find(path.parent)


def _assignment(course: Course, check: str | None, wanted: str | None, path: Path | None) -> Assignment:
    if wanted is not None:
        return course.assignment(str(wanted))
    for name in (_folder_of(course, Path.cwd()), _file_of(course, path)):
        if name is not None:
            return course.assignment(name)
    having = [name for name in course.names if _has_check(course, name, check)]
    if len(having) == 1:
        return course.assignment(having[0])
    raise Refused(_unclear(course, check, having))


def _folder_of(course: Course, folder: Path) -> str | None:
    """Return the assignment whose folder is this folder or contains it."""
    home = (course.root / "assignments").resolve()
    inner = folder.resolve()
    name = inner.relative_to(home).parts[:1] if inner.is_relative_to(home) else ()
    return name[0] if name and name[0] in course.names else None


def _file_of(course: Course, path: Path | None) -> str | None:
    """Return the assignment of a notebook, by its folder or its file name."""
    if path is None:
        return None
    if path.parent.name in course.names:
        return path.parent.name
    return next((name for name in course.names if course.assignment(name).stub.stem == path.stem), None)


def _has_check(course: Course, name: str, check: str | None) -> bool:
    assignment = course.assignment(name)
    if check is None or (assignment.checks_folder("visible") / f"test_{check}.py").is_file():
        return True
    with contextlib.suppress(Refused):  # another assignment's manifest may be broken
        spec = assignment.manifest.checks.get(check)
        return spec is not None and spec.manual
    return False


def _unclear(course: Course, check: str | None, having: list[str]) -> str:
    names = ", ".join(having or course.names) or "none yet"
    if check is None or not having:
        call = f'check({_quote_name(check)}assignment="{(course.names or ["day1"])[0]}")'
        of = "no assignment of this course has such a check" if check else "which assignment?"
        subject = f"{check}: " if check else "check: "
        known = [c for name in course.names for c in course.assignment(name).manifest.checks]
        return f"{subject}{of}{nearest(check or '', known)}; write {call}; this course has {names}"
    call = f'check({_quote_name(check)}assignment="{having[0]}")'
    return f"{check}: several assignments have such a check ({names}); write {call}"


def _quote_name(check: str | None) -> str:
    return f'"{check}", ' if check else ""


# --- The student's code


def _is_students(file: str, namespace: dict[str, Any]) -> bool:
    """Return True if a frame's file is a cell, input at a prompt, or the calling script."""
    typed = file.startswith(("<stdin>", "<string>", "<python-input", "<ipython-input"))
    return typed or file == namespace.get("__file__") or Path(file).parent.name.startswith("ipykernel_")


def _block(file: str) -> Block:
    """Return the source of a frame's file; a cell is named by its number."""
    number = _cell_numbers().get(file)
    typed = file.startswith("<") or Path(file).parent.name.startswith("ipykernel_")
    name = f"cell In[{number}]" if number is not None else "a cell" if typed else Path(file).name
    return Block(name, None, 1, "".join(linecache.getlines(file)))


def _cell_numbers() -> dict[str, int]:
    """Return IPython's table from a cell's file to its number; empty outside of IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", None)
    return numbers if isinstance(numbers, dict) else {}
