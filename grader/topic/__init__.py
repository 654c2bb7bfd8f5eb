"""Topics: an assignment's subject, which explains failed tests by facts and adds fixtures, records and charts.

The manifest names the topic (`topic: ...`); without that line the assignment has the plain `Topic`, which knows no
subject. Each suite has a separate topic.

questions.py  questions of an examination as data, and the interface of a topic's examination
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import importlib
import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

import msgspec

from grader.manifest import TOPICS
from grader.report import Fact, Field
from grader.sandbox.proxy import Proxy, label_of, object_kind, short
from grader.sandbox.student import Student

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from grader.manifest import Manifest
    from grader.report import Chart, Location, Mismatch, Trace, WrongRule, WrongWalk
    from grader.sandbox import Frame, Record, Sandbox


HELPERS = "_helpers.py"  # helpers of the checks in one folder


def helpers_of(check: Path) -> Path:
    """Return the path of the helpers of a check file, in its folder; a hidden check without them uses the visible ones."""
    own = check.with_name(HELPERS)
    if own.is_file() or len(check.parents) < 4 or check.parents[2].name != "solutions":
        return own
    return check.parents[3] / "assignments" / check.parents[1].name / "checks" / HELPERS


ATTRIBUTE = r"(\.\w+|\])$"  # the end of a label of an attribute or an entry, not of a made object
MAX_ROWS = 8  # readings in a failure
MAX_EXPRESSION = 100  # characters; a longer expression does not help, and its label may have been cut


class Unavailable(Exception):
    """A check needs `needs`, which is not installed here. It is never the student's fault."""

    def __init__(self, message: str, needs: str = "") -> None:
        super().__init__(message)
        self.needs = needs


# --- Results of tests


class Failure(msgspec.Struct):
    """The reason why an assertion failed: rows of actual and expected values, or else a sentence.

    `object` is set if an attribute holds an object instead of a number: the attribute, such as `x.size`, and the class of
    the object. `asserted` is the expression that did not hold, for a visible test without any other explanation.
    """

    readings: list[Mismatch] = []
    text: str = ""
    object: tuple[str, str] | None = None
    asserted: str = ""


class TestOutcome(enum.StrEnum):
    """The outcome of one test.

    A skipped test also skips the reference: other tests decide. An unjudged test skipped only this submission, or did not
    run because a check that it needs ran out of time. It is not a pass.
    """

    __test__ = False  # pytest collects no tests from it

    PASSED = "passed"
    FAILED = "failed"
    TODO = "todo"
    SKIPPED = "skipped"
    UNJUDGED = "unjudged"
    UNGRADABLE = "ungradable"


class Test(msgspec.Struct, frozen=True):
    """One test of a check, under one order of sets."""

    __test__ = False  # pytest collects no tests from it

    check: str
    visibility: str
    name: str
    order: str
    doc: str

    @property
    def key(self) -> str:
        """The name of the test in fingerprint files; the same under every order of sets."""
        return f"{self.check}/{self.visibility}/{self.name}"

    @property
    def diagnosed(self) -> bool:
        """True for a test with fingerprints.

        A search that takes the last child first computes under one order what another search computes under the
        opposite order. The third order, `permuted`, has no opposite.
        """
        return self.order != "permuted"


class TestResult(msgspec.Struct, frozen=True):
    """The result of one test. `error` is the exception that ended it, `failure` explains an assertion."""

    __test__ = False  # pytest collects no tests from it

    test: Test
    outcome: TestOutcome
    fingerprint: str = ""
    error: BaseException | None = None
    failure: Failure | None = None
    chart: Chart | None = None
    seconds: float = 0.0
    answers: tuple[str, ...] = ()  # names of the student's answers that it read
    functions: frozenset[str] = frozenset()  # names of the student's functions that it used
    # Operation -> labels of its first operands.
    used: dict[str, tuple[str, ...]] = {}
    line: int = 0  # the line of the check file at which the test ended; 0 for a test that passed
    right: tuple[str, ...] = ()  # names of the answers that it judged right
    why: tuple[str, ...] = ()  # why they are right
    looked: Any = None  # the jail's notes on shared objects when it failed (grading/sharing.py)

    def uses(self, function: str) -> bool:
        """Return True if the test called the function or method, or passed it to a helper of the check."""
        name = function.rpartition(".")[2]
        return name in self.used or any(name in labels for labels in self.used.values())


def setting(record: Record, about: str = "") -> str:
    """Return the values that a test named and the last expression that it made of them: `a = 2, b = 3 in a * b`.

    The values include arrays that the test set as attributes of the object `about`, or of the expression's result.

    For a reading such as `a.x` it is the last expression that contains a. Names that the test gave to results are replaced
    by their expressions.
    """
    named = [
        f"{name} = {short(number)}" for name, number in record.named.items() if name not in record.trials
    ]
    if len(named) > MAX_ROWS:
        named = [*named[:MAX_ROWS], "..."]
    made = [event for event in record.events if _is_made(event.value, event.label, record)]
    by_name = {label_of(event.value): event.label for event in made if label_of(event.value).isidentifier()}
    built = [_expand(event.label, by_name) for event in made]
    name = about.partition(".")[0]
    if name in record.named:
        built = [label for label in built if re.search(rf"\b{re.escape(name)}\b", label)]
    owners = {name, *(text for label in built[-1:] for text in (label, f"({label})"))}
    given = [
        f"{place} = {short(array)}"
        for place, array in record.given.items()
        if place.rpartition(".")[0] in owners
    ]
    last = f" in {built[-1]}" if built and len(built[-1]) <= MAX_EXPRESSION else ""
    return ", ".join((*named, *given)) + last if named else ""


def _expand(expression: str, made: Mapping[str, str]) -> str:
    """Return an expression with each name in `made` replaced by its expression.

    >>> _expand("p + c", {"p": "a * b"})
    'a * b + c'
    """
    found, shorter = expression, ""
    while found != shorter and len(found) <= MAX_EXPRESSION:
        shorter = found
        found = re.sub(
            r"(?<![\w.])[A-Za-z_]\w*(?!\()",
            lambda name: f"({made[name[0]]})" if name[0] in made else name[0],
            found,
        )
    if found != expression:
        with contextlib.suppress(SyntaxError, ValueError):
            return ast.unparse(ast.parse(found, mode="eval"))  # without needless parentheses
    return found


def _is_made(value: object, label: str, record: Record) -> bool:
    """Return True for the result of an operator or a call, False for a named value or an attribute of another object."""
    if not isinstance(value, Proxy) or object_kind(value) != "instance" or label_of(value) in record.named:
        return False
    return not re.search(ATTRIBUTE, label)


# --- Kinds of facts: typed structs, which become facts of a report and are read from them again. The words for them are in
# the module `words` of a room; no program reads words back.


# The kinds of facts, the most exact first: a cause comes before the error that it explains.
ORDER = (
    "cause",
    "name",
    "return",
    "shared",
    "error",
    "limit",
    "missing",
    "blank",
    "rule",
    "array",
    "walk",
    "answer",
    "mistake",
)
READ_BACK = frozenset({"array", "cause", "name", "rule", "walk"})  # kinds that topics find


class Kind(msgspec.Struct, frozen=True):
    """A kind of fact. The first field names what the fact is about: an operation, a function, an answer."""

    kind: ClassVar[str]

    @property
    def key(self) -> str:
        """A text that is equal for two students with the same fault, without labels, lines and numbers of a test.

        It is the first field, unless the kind needs more.
        """
        return str(getattr(self, self.__struct_fields__[0]))

    def fact(self, where: Location | None = None) -> Fact:
        """Return the fact for a report; fields with their defaults are left out."""
        defaults = {f.name: f.default for f in msgspec.structs.fields(type(self))}
        fields = [
            Field(name, _plain(value))
            for name, value in msgspec.structs.asdict(self).items()
            if value != defaults[name]
        ]
        return Fact(self.kind, self.key, fields, where)

    @classmethod
    def read(cls, fact: Fact) -> Self:
        """Return the typed struct of a fact of this kind. Raises msgspec.ValidationError for other fields."""
        return msgspec.convert({field.name: field.value for field in fact.fields}, cls, strict=False)

    @classmethod
    def all_in(cls, facts: Iterable[Fact]) -> Iterator[tuple[Self, Fact]]:
        """Yield the facts of this kind, each as a typed struct and as it is in the report."""
        for fact in facts:
            if fact.kind == cls.kind:
                yield cls.read(fact), fact


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return int(value) if isinstance(value, bool) else value


def sort_facts(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts with the most exact first, and unknown kinds last."""
    place = {kind: i for i, kind in enumerate(ORDER)}
    return sorted(facts, key=lambda fact: place.get(fact.kind, len(ORDER)))


def is_exact(facts: Iterable[Fact]) -> bool:
    """Return True if one of these facts says more than a mistake with the same numbers.

    A symptom says less: an error, an object instead of a number, an input without a contribution.
    """
    return any(fact.kind in READ_BACK and not fact.get("symptom") for fact in facts)


# --- Topics


class Watcher(Protocol):
    """Watches one test that runs again; the sandbox passes every request to it."""

    def around(self, request: dict[str, Any], send: Callable[[dict[str, Any]], Any]) -> Any:
        """Return the result of `send(request)`, and note its effect."""

    def trace(self, record: Record, *, passed: bool, hide: bool) -> Trace | None:
        """Return the trace of the finished test; None if it cannot be read. `hide` leaves the right walk out."""

    def close(self) -> None:
        """Restore the submission."""


class FactWords(NamedTuple):
    """The words for the facts about one check, in the form of a report."""

    rules: list[WrongRule]
    walk: WrongWalk | None
    sentences: Sequence[str] = ()  # further sentences, after the message


class Failing(NamedTuple):
    """A failed check with its failed tests."""

    check: str
    results: list[TestResult]


class Topic:
    """The topic of an assignment without a subject, and the base class of the others.

    `sides` are the folders of checks by visibility.
    """

    record = ""  # name of the file that `grade stub` writes beside the checks of each folder
    student: type[Student] = Student  # the class of the fixture `student`

    def __init__(self, sides: Mapping[str, Path] | None = None) -> None:
        self.sides = sides or {}

    def fixtures(self) -> dict[str, Callable[[], object]]:
        """Return further fixtures of the checks: each name with a function that makes the value for a test."""
        return {}

    def prepare(self) -> None:
        """Get ready for a submission. Raises Broken for a damaged record."""

    def compute(self) -> None:
        """Compute the numbers from now on, instead of reading records."""

    def record_texts(self, judge: Callable[[str], object]) -> dict[Path, str]:  # noqa: ARG002  for those that record
        """Return the text of each record. `judge(visibility)` runs the tests of one visibility over the reference."""
        return {}

    @property
    def record_note(self) -> str:
        """A sentence for the author about an unusual way of making records here; "" for the usual way."""
        return ""

    def same_record(self, old: str, new: str) -> bool:
        """Return True if two texts of a record differ at most as the results of two machines may differ."""
        return old == new

    def attributes_to_read(self, check: Path, sandbox: Sandbox | None = None) -> Sequence[str]:  # noqa: ARG002  for topics
        """Return the attributes that the check file and its helpers read.

        The grader reads them from every object that a failing test met, because the test itself stops at the first wrong
        value. Other attributes of the student's objects belong to the shape of the code and do not count.
        """
        files = [file for file in (check, helpers_of(check)) if file.is_file()]
        return sorted({name for file in files for name in _attributes_in(file.read_text(encoding="utf-8"))})

    def owner_of(self, sandbox: Sandbox, attribute: str) -> str:  # noqa: ARG002  for topics
        """Return the class whose objects have this attribute; empty if the topic knows none."""
        return ""

    def problems(
        self,
        manifest: Manifest,
        names: Collection[str],  # noqa: ARG002  for topics
        attributes: Collection[str] = (),  # noqa: ARG002
    ) -> Iterable[str]:
        """Return the faults of the manifest's `operations` and `walks`, without the name of the file.

        `names` are the functions, classes and methods (`Box.grow`) that the reference defines, `attributes` the attributes
        that it uses.
        """
        for key in ("operations", "walks"):
            if getattr(manifest, key):
                yield f"`{key}`: a plain assignment has none; name a topic that reads them back, or remove the line"

    def chart(self, record: Record, rows: Sequence[Mapping[str, Any]]) -> Chart | None:  # noqa: ARG002
        """Return the chart of a test with `chart: true`; `rows` are the observed attributes of each object."""
        return None

    def misread(self, sandbox: Sandbox, manifest: Manifest) -> Iterable[str]:  # noqa: ARG002  for those that read back
        """Yield explanations of faults that the reference would get, each with its remedy.

        Raises StudentError, SubmissionStopped.
        """
        return ()

    def words_for(self, facts: Sequence[Fact]) -> FactWords:  # noqa: ARG002  for topics
        """Return the words for this topic's facts about one check; facts of other kinds are left out."""
        return FactWords([], None)

    def brief(self, facts: Sequence[Fact]) -> str:
        """Return a few words for the list of a class's mistakes; the facts are about one operation, or share a cause."""
        return f"a wrong {facts[0].kind} in {', '.join(dict.fromkeys(fact.about for fact in facts))}"

    def hint(self, fact: Fact) -> str:  # noqa: ARG002  for topics
        """Return a hint about one of this topic's facts: something to try, not to copy; empty without one."""
        return ""

    def watcher(self, sandbox: Sandbox, manifest: Manifest) -> Watcher | None:  # noqa: ARG002  for topics
        """Return a watcher for one test; None for a topic without traces."""
        return None

    def play(self, student: Any, given: Mapping[str, Any]) -> None:
        """Do with a student's code what the player's page gives, for a watcher to see. Raises what the code raises."""

    def examination(self) -> Any:
        """Return the `Examination` of this topic (questions.py); None for a topic without questions."""
        return None

    def explain(
        self,
        failing: Sequence[Failing],  # noqa: ARG002
        waiting: AbstractSet[str] | None,  # noqa: ARG002
        sandbox: Sandbox,  # noqa: ARG002
        manifest: Manifest,  # noqa: ARG002
        locate: Callable[[Frame | None], Location | None],  # noqa: ARG002
    ) -> dict[str, list[Fact]]:
        """Return the facts about failed checks, by the name of the check. Called when all verdicts are final.

        `waiting` are the operations and functions that blocked checks use, or None if only one check was graded. If no
        failed check uses an operation, it is explained once the blocked checks run.
        The sandbox is open for explanations: `sandbox.load()` loads the submission afresh. A step that may fail or
        take long goes through `sandbox.budget.deadline.attempt`; loops check the deadline. `locate` turns a frame of the
        jail into a line of the student's file.
        """
        return {}


def make_topic(name: str | None, sides: Mapping[str, Path]) -> Topic:
    """Return the topic that a manifest names, or the plain one."""
    if name is None:
        return Topic(sides)
    module, kind = TOPICS[name].split(":")
    topic: Topic = getattr(importlib.import_module(module), kind)(sides)
    return topic


@functools.lru_cache(maxsize=256)
def _attributes_in(source: str) -> list[str]:
    """Return the attributes that a check file reads or writes. A method that it calls is not state."""
    nodes = list(ast.walk(ast.parse(source)))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute) and node not in called}
    return sorted(name for name in found if not name.startswith("__"))
