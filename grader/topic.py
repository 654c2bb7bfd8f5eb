"""What the subject of an assignment knows and the harness does not.

The manifest names it (`topic: ...`); without that line it is the plain `Topic`, which knows of no
subject. A topic is made for one run of a suite, of which it is a plugin: those of its methods that
are fixtures of pytest are fixtures of the checks.
"""

from __future__ import annotations

import ast
import functools
import pkgutil
from typing import TYPE_CHECKING, Any

from grader.report import Outcome
from grader.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.report import Chart
    from grader.sandbox import Deadline, Frame, Record
    from grader.suite import Test, TestResult

TOPICS = {"autograd": "grader.autograd.topic:AutogradTopic"}  # imported when an assignment names it


class Unavailable(Exception):
    """A check asks for what is not installed here, `needs`: that is never the student's fault."""

    needs = ""


class Topic:
    """A topic that knows of no subject, and the base of those that do; `sides` are the folders of checks."""

    record = ""  # the file beside the checks that `grade stub` writes for each side
    rule = ""  # the method that operations set, to be called later; with one the jail notes where a test went
    student: type[Student] = Student  # the class of the fixture

    def __init__(self, sides: Mapping[str, Path] | None = None) -> None:
        self.sides = sides or {}

    def prepare(self) -> None:
        """A submission is to be judged. Raises Broken for a record that is not of the format."""

    def recorded(self, judge: Callable[[str], object]) -> dict[Path, str]:  # noqa: ARG002  for those that record
        """The records, to be written; `judge(side)` runs the reference by the tests of one side."""
        return {}

    def observed(self, check: Path) -> Sequence[str]:
        """What is read of every object that a failing test has met: the attributes that its file reads.

        The test itself stops at the first wrong value. What else the student's objects hold is shape.
        """
        return _attributes_in(check.read_text(encoding="utf-8"))

    def chart(self, record: Record, rows: Sequence[Mapping[str, Any]]) -> Chart | None:  # noqa: ARG002
        """What a test with `chart: true` left, to be drawn; `rows` are the observed attributes."""
        return None

    def places(
        self,
        results: Sequence[TestResult],
        named: Mapping[str, Iterable[str]],  # noqa: ARG002
        mistakes: Iterable[str],  # noqa: ARG002
        deadline: Deadline,  # noqa: ARG002
    ) -> dict[Test, Frame]:
        """For each test that did not pass, the place to look at: the line of the answer that it read.

        `named` are the mistakes that explain a test, by its key, among all `mistakes`. Loops ask the deadline.
        """
        open_ = (r for r in results if r.outcome in (Outcome.FAILED, Outcome.TODO) and not r.has_place)
        return {result.test: result.went.answer for result in open_ if result.went.answer}


def make_topic(name: str | None, sides: Mapping[str, Path]) -> Topic:
    """The topic that a manifest names, or the plain one."""
    kind: type[Topic] = Topic if name is None else pkgutil.resolve_name(TOPICS[name])
    return kind(sides)


@functools.lru_cache(maxsize=256)
def _attributes_in(source: str) -> list[str]:
    """The attributes that a check file reads or writes; what it calls is no state."""
    nodes = list(ast.walk(ast.parse(source)))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute) and node not in called}
    return sorted(name for name in found if not name.startswith("__"))
