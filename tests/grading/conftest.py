"""Fixtures of the tests of grading: write a tiny assignment, grade a source by it."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from tiny import name_of, put

from grader.assignment import Course
from grader.fleet.session import Session, SessionSettings
from grader.grading.grader import grade, open_grader
from grader.grading.suitehash import hash_of_suite
from grader.sandbox import Launcher
from grader.submissions.submission import Block


@pytest.fixture(scope="module")
def launcher():
    """The launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@pytest.fixture
def make(tmp_path):
    """Write a tiny assignment: check files by the check's name, and what the manifest says of them."""

    def make(
        visible=None,
        hidden=None,
        root="course",
        salt="salt",
        limits=None,
        *,
        imports=(),
        arrays=False,
        **specs,
    ):
        visible, hidden = visible or {}, hidden or {}
        folder = tmp_path / root
        for side, sources in (("assignments", visible), ("solutions", hidden)):
            for check, source in sources.items():
                put(folder / side / "tiny" / "checks" / f"test_{check}.py", dedent(source).lstrip())
        if hidden:
            put(folder / "solutions" / "tiny" / "salt.txt", salt)
        checks = {check: {"points": 10} | specs.get(check, {}) for check in {**visible, **hidden, **specs}}
        manifest = {"format": 1, "title": "Tiny", "submission": "tiny.ipynb", "checks": checks}
        put(
            folder / "assignments" / "tiny" / "assignment.yaml",
            yaml.safe_dump(
                manifest | {"limits": limits or {}, "imports": [*imports], "arrays": arrays}, sort_keys=False
            ),
        )
        return Course(folder).assignment("tiny")

    return make


@pytest.fixture
def report_on(launcher):
    """Grade a source by an assignment: the report as the student gets it."""

    def report_on(assignment, source, **options):
        return grade(assignment, put(assignment.course.root / "mine.py", dedent(source)), launcher, **options)

    return report_on


@pytest.fixture
def results_of(launcher):
    """Run a source through an assignment's tests: the raw results by the tests' names."""

    def results_of(assignment, source, only=None):
        blocks = [Block("mine.py", None, 1, dedent(source))]
        with open_grader(assignment, launcher) as grader:
            results = grader.run(blocks, only)[1]
        return {name_of(result.test): result for result in results}

    return results_of


@pytest.fixture(scope="module")
def session() -> Iterator[Callable[[Path, str], Session]]:
    """Open one session for each assignment: a day's checks are collected once a file."""
    opened = []

    @cache
    def session(root: Path, name: str) -> Session:
        suite = hash_of_suite(Course(root).assignment(name))
        opened.append(Session(SessionSettings(str(root), name, suite, allow_weak_isolation=True)))
        return opened[-1]

    yield session
    for one in opened:
        one.close()
