"""What the subject of an assignment knows and the harness does not.

The manifest names it (`topic: ...`); without that line it is the plain `Topic`, which knows of no
subject. A topic is made for one run of a suite, of which it is a plugin: those of its methods that
are fixtures of pytest are fixtures of the checks.
"""

from __future__ import annotations

import ast
import enum
import functools
import pkgutil
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.manifest import TOPICS
from grader.sandbox.proxy import Proxy, kind_of, label_of, short
from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from grader.manifest import Manifest
    from grader.report import Chart, ReadingNote, RuleNote, WalkNote, Where
    from grader.sandbox import Frame, Record, Sandbox


HELPERS = "_helpers.py"  # what the checks of one folder share
ATTRIBUTE = r"(\.\w+|\])$"  # the end of a label: what was read of an object, and not made
MAX_ROWS = 8  # of a failure
MAX_EXPRESSION = 100  # characters; a longer one helps nobody, and its label may have been cut


class Unavailable(Exception):
    """A check needs something that is not installed here: never the student's fault. `needs` is its name."""

    def __init__(self, message: str, needs: str = "") -> None:
        super().__init__(message)
        self.needs = needs


# --- Results of tests


@dataclass
class Failure:
    """Why an assertion failed: rows of what was read and expected, or else words.

    `object` where it is about an object in a number's place: what holds it, such as `x.size`, and its class.
    """

    readings: list[ReadingNote] = field(default_factory=list)
    text: str = ""
    object: tuple[str, str] | None = None


class TestOutcome(enum.StrEnum):
    """The outcome of one test. A test is skipped by itself, or because a check that its check needs ran out of time."""

    __test__ = False  # pytest collects no tests from it

    PASSED = "passed"
    FAILED = "failed"
    TODO = "todo"
    SKIPPED = "skipped"
    UNGRADABLE = "ungradable"


@dataclass(frozen=True)
class Test:
    """One test of a check, under one order of sets."""

    __test__ = False  # pytest collects no tests from it

    check: str
    visibility: str
    name: str
    order: str
    doc: str

    @property
    def key(self) -> str:
        """Names it in fingerprint files, whatever the order of sets."""
        return f"{self.check}/{self.visibility}/{self.name}"

    @property
    def diagnosed(self) -> bool:
        """Whether it has fingerprints.

        A search that takes the last child first reads under one order what another reads under the
        opposite one; the third order has no opposite.
        """
        return self.order != "permuted"


@dataclass(frozen=True)
class TestResult:
    """What became of one test. `error` is what ended it, `failure` explains an assertion."""

    __test__ = False  # pytest collects no tests from it

    test: Test
    outcome: TestOutcome
    fingerprint: str = ""
    error: BaseException | None = None
    failure: Failure | None = None
    chart: Chart | None = None
    seconds: float = 0.0
    answers: tuple[str, ...] = ()  # names of the student's answers that it read
    functions: frozenset[str] = frozenset()  # names of the student's functions that it asked for
    used: dict[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # operation -> labels of its first operands
    line: int = 0  # of the check file, where it ended; 0 for a test that passed
    right: tuple[str, ...] = ()  # names of the answers that it judged and found right
    why: tuple[str, ...] = ()  # why they are right


def setting(record: Record) -> str:
    """What the test named, and the last thing that it made of it."""
    named = [
        f"{name} = {short(number)}" for name, number in record.named.items() if name not in record.trials
    ]
    if len(named) > MAX_ROWS:
        named = [*named[:MAX_ROWS], "..."]
    built = [event.label for event in record.events if _is_made(event.value, event.label, record)]
    last = f" in {built[-1]}" if built and len(built[-1]) <= MAX_EXPRESSION else ""
    return ", ".join(named) + last if named else ""


def _is_made(value: object, label: str, record: Record) -> bool:
    """Whether it came of an operator or a call; not what it named, not what was read of another object."""
    if not isinstance(value, Proxy) or kind_of(value) != "instance" or label_of(value) in record.named:
        return False
    return not re.search(ATTRIBUTE, label)


# --- Topics


@dataclass
class Explanation:
    """A topic's findings about one check that failed: facts, each verified on the submission."""

    rules: list[RuleNote] = field(default_factory=list)
    walk: WalkNote | None = None
    facts: list[str] = field(default_factory=list)  # sentences: what else is so, told below the message


class Failing(NamedTuple):
    """A check that failed, and its tests that did."""

    check: str
    results: list[TestResult]


class Topic:
    """A topic that knows of no subject, and the base of those that do; `sides` are the folders of checks."""

    record = ""  # the file beside the checks that `grade stub` writes for each side
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

        So are those that the file reads that it shares with other checks. The test itself stops at the first
        wrong value. What else the student's objects hold is shape.
        """
        files = [file for file in (check, check.with_name(HELPERS)) if file.is_file()]
        return sorted({name for file in files for name in _attributes_in(file.read_text(encoding="utf-8"))})

    def problems(self, manifest: Manifest, names: Collection[str]) -> Iterable[str]:  # noqa: ARG002  for topics
        """List what is wrong with the manifest's `operations` and `walks`, in words without the file.

        `names` are what the reference defines: functions, classes and methods (`Box.grow`).
        """
        for key in ("operations", "walks"):
            if getattr(manifest, key):
                yield f"`{key}`: a plain assignment has none; name a topic that reads them back or take the line out"

    def chart(self, record: Record, rows: Sequence[Mapping[str, Any]]) -> Chart | None:  # noqa: ARG002
        """What a test with `chart: true` left, to be drawn; `rows` are the observed attributes."""
        return None

    def explain(
        self,
        failing: Sequence[Failing],  # noqa: ARG002
        waiting: AbstractSet[str],  # noqa: ARG002
        sandbox: Sandbox,  # noqa: ARG002
        manifest: Manifest,  # noqa: ARG002
        locate: Callable[[Frame | None], Where | None],  # noqa: ARG002
    ) -> dict[str, Explanation]:
        """Return what can be found out about the checks that failed, by name; asked when all verdicts are final.

        `waiting` are the operations and functions that blocked checks use: what only these use is told when they
        no longer wait.
        The sandbox is open and explaining: `sandbox.load()` gives a fresh submission to ask. A part that may fail
        or take long goes through `sandbox.deadline.attempt`; loops ask the deadline. `locate` makes a line of the
        student's of a place that the jail tells.
        """
        return {}


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
