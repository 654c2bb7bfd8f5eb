"""The subject of an assignment: only its own package knows it, and an assignment without one is graded like any other."""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import check, grade, hand_in, passed
from minicourse import change
from tillcourse import REFERENCE, build

from grader.assignment import Course
from grader.authoring.grading_rules import functions_of_objects, grading_rules
from grader.authoring.runner import open_runner
from grader.grading.grader import grade as graded
from grader.report import Report
from grader.sandbox import Launcher
from grader.topic import TOPICS, Topic, make_topic

if TYPE_CHECKING:
    from collections.abc import Callable

GRADER = Path(__file__).resolve().parents[2] / "grader"

# In identifiers too: `make_leaf` and `PyTorch` hold such a word, `grade` and `ValueError` none.
SUBJECT = re.compile(
    r"(?<![a-z])(grads?|gradients?|backward|backprop\w*|autograd|(py)?torch|parity|oracle|micrograd"
    r"|derivatives?|engines?|tanh|leaf|leaves(?! (it|them|its|what|an?|the|out|nothing|code|alone|there)\b))(?![a-z])",  # a verb has an object
    re.IGNORECASE,
)
VALUE = re.compile(r"\bValue\b")

# Lines that may hold such a word: a part of the line, and the reason.
ALLOWED = {
    ("__init__.py", "backpropagation from scratch"): "what the package is for, in one line",
    ("__init__.py", '"draw": "autograd.drawing"'): "a function for notebooks, which import it from `grader`",
    ("manifest.py", 'TOPICS = {"autograd"'): "the one place that looks a topic up",
    ("render/player/__init__.py", "See the gradients flow"): "the title of the page, which is a lesson",
}


def test_nothing_outside_of_its_package_speaks_of_the_subject() -> None:
    """No code, comment or message names it: an assignment may be about anything."""
    found = []
    for path in sorted(GRADER.rglob("*.py")):
        name = path.relative_to(GRADER).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            allowed = any(file == name and part in line for file, part in ALLOWED)
            if not name.startswith("autograd/") and not allowed:
                words = [match[0] for pattern in (SUBJECT, VALUE) for match in pattern.finditer(line)]
                found += [f"grader/{name}, line {number}: {word}: {line.strip()}" for word in words]
    assert not found, "\n".join(found)


def test_no_exception_outlives_its_line() -> None:
    """Every line that is allowed above still exists."""
    gone = [key for key in ALLOWED if key[1] not in (GRADER / key[0]).read_text(encoding="utf-8")]
    assert gone == []


def test_every_topic_can_be_made() -> None:
    """Every topic that a manifest may name exists; an assignment without one has the plain topic."""
    assert type(make_topic(None, {})) is Topic
    made = {name: make_topic(name, {}) for name in TOPICS}
    assert all(isinstance(topic, Topic) and type(topic) is not Topic for topic in made.values())


# --- A plain assignment


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The till's course; tests only hand in here."""
    return build(tmp_path_factory.mktemp("till"))


@pytest.fixture
def till(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(sound, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="module")
def judged(sound: Path, launcher: Launcher) -> Callable[..., Report]:
    """Grade the reference with some changes; the same ones are graded once."""

    @functools.cache
    def judged(*changes: tuple[str, str]) -> Report:
        source = REFERENCE
        for old, new in changes:
            assert source.count(old) == 1, old
            source = source.replace(old, new)
        return graded(Course(sound).assignment("till"), hand_in(sound, source, "mine.py"), launcher)

    return judged


def named(report: Report) -> list[str]:
    """Return the mistakes that are named, each once."""
    return list(dict.fromkeys(mistake.id for check in report.checks for mistake in check.mistakes))


def test_it_is_sound_and_graded(sound: Path, launcher: Launcher, judged: Callable[..., Report]) -> None:
    """Mistakes are diagnosed by name, null submissions earn nothing, the reference earns full marks."""
    with open_runner(Course(sound).assignment("till"), launcher) as runner:
        assert list(grading_rules(runner, sound=True)) == []
    assert passed(judged()) == {"sell", "refund", "fewest"}


ADDS = ("self.cash -= price\n        self.sales -= 1", "self.cash += price\n        self.sales -= 1")
SELLS = ("self.cash -= price\n        self.sales -= 1", "self.sell(price)")


def test_what_the_objects_hold_tells_mistakes_apart(judged: Callable[..., Report]) -> None:
    """Both leave a cash of 32, at which the check stops; only the sales, which it would read next, differ."""
    adds, sells = judged(ADDS), judged(SELLS)
    rows = [[(row.label, row.actual) for row in check(r, "refund").readings] for r in (adds, sells)]
    assert rows == [[("till.cash", "32")], [("till.cash", "32")]]
    assert (named(adds), named(sells)) == (["refund_adds"], ["refund_sells"])


def test_what_is_read_of_objects_is_what_the_check_reads(tmp_path: Path) -> None:
    """The attributes that it reads, without those that it calls and those of every object."""
    check_file = tmp_path / "test_sell.py"
    check_file.write_text(
        "till.cash = 1\ntill.sell(2)\nassert till.sales == till.__class__\n", encoding="utf-8"
    )
    assert Topic().attributes_to_read(check_file) == ["cash", "sales"]


def test_what_knows_nothing_has_methods_and_rules_but_no_property_that_is_called() -> None:
    """A property is read like any attribute, so it counts as a number."""
    source = "class A:\n    @property\n    def x(self): ...\n    def y(self): self.rule = lambda: 1"
    assert functions_of_objects(source) == {"y", "rule"}


def test_attributes_of_ones_own_hide_no_mistake(judged: Callable[..., Report]) -> None:
    """Other attributes of a student's objects do not matter."""
    own = (
        "self.cash, self.sales = cash, 0",
        "self.cash, self.sales, self.log, self.last = cash, 0, [], cash",
    )
    assert named(judged(own, ADDS)) == ["refund_adds"]


def test_the_feedback_says_what_the_test_made(judged: Callable[..., Report]) -> None:
    """A row about a named object shows the number from which it was made."""
    (row,) = check(judged(ADDS), "refund").readings
    assert (row.label, row.given, row.actual, row.expected) == ("till.cash", "till = 20", "32", "28")


def test_it_points_at_errors_and_at_answers(judged: Callable[..., Report]) -> None:
    """The location is the line that raised, or that of the answer; a wrong number has none."""
    raised = judged(("self.sales -= 1", "self.sale -= 1"))
    assert check(raised, "refund").where.text == "self.sale -= 1"
    answered = judged(("fewest_coins = 4", "fewest_coins = 5"))
    assert check(answered, "fewest").where.text == "fewest_coins = 5"
    assert check(judged(ADDS), "refund").where is None


def test_a_plain_course_has_no_fixture_of_a_topic(till: Path) -> None:
    """The message for an author who forgot to name the topic says what is missing."""
    change(till, "assignments/till/checks/test_sell.py", "(student, rng)", "(student, rng, oracle)")
    ran = grade("till", "solutions/till/till.py", cwd=till)
    assert ran.code == 3
    assert "test_sales could not be set up: there is no fixture `oracle`; if a topic provides it" in ran.text


def test_methods_that_do_nothing_earn_nothing(till: Path, launcher: Launcher) -> None:
    """A null submission has the reference's methods, so it gets as far as the comparison."""
    path = "assignments/till/checks/test_refund.py"
    change(till, path, "assert till.cash == approx(28.0)", "assert till.cash == approx(till.cash)")
    change(till, path, "assert till.sales == 1", "assert till.sales == till.sales")
    with open_runner(Course(till).assignment("till"), launcher) as runner:
        problems = list(grading_rules(runner, sound=True))
    assert [
        text.partition(" it with ")[2].partition(";")[0] for text in problems if "knows nothing" in text
    ] == [
        "all zeros",
        "all ones",
        "its first argument",
        "empty lists",
    ]
