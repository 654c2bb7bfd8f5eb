"""What the harness knows of its subject: nothing outside of the package of that subject.

An assignment about something else is graded, diagnosed and validated like any other.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from helpers import check, grade, hand_in, passed
from minicourse import change
from tillcourse import REFERENCE, build

from grader.assignment import Course
from grader.authoring.grading_rules import functions_of_objects, grading_rules
from grader.grading.grader import grade as graded
from grader.grading.grader import open_grader
from grader.report import Report
from grader.sandbox import Launcher
from grader.topic import TOPICS, Topic, make_topic

GRADER = Path(__file__).resolve().parents[2] / "grader"

# In identifiers too: `make_leaf` and `PyTorch` hold such a word, `grade` and `ValueError` none.
SUBJECT = re.compile(
    r"(?<![a-z])(grads?|gradients?|backward|backprop\w*|autograd|(py)?torch|parity|oracle|micrograd"
    r"|derivatives?|engines?|tanh|leaf|leaves(?! (it|them|its|what|an?|the|out|nothing|code|alone)\b))(?![a-z])",  # a verb has an object
    re.IGNORECASE,
)
VALUE = re.compile(r"\bValue\b")

# What may say such a word all the same: a part of the line, and why.
ALLOWED = {
    ("__init__.py", "backpropagation from scratch"): "what the package is for, in one line",
    ("manifest.py", 'TOPICS = {"autograd"'): "the one place that looks a topic up",
    ("render/fragment.py", "linear-gradient("): "CSS",
}


def test_nothing_outside_of_its_package_speaks_of_the_subject() -> None:
    """Neither code nor comments nor messages: an assignment may be about anything."""
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
    """What is allowed above stands there still."""
    gone = [key for key in ALLOWED if key[1] not in (GRADER / key[0]).read_text(encoding="utf-8")]
    assert gone == []


def test_every_topic_can_be_made() -> None:
    """What the manifest may name is there, and a plain assignment has the plain one."""
    assert type(make_topic(None, {})) is Topic
    made = {name: make_topic(name, {}) for name in TOPICS}
    assert all(isinstance(topic, Topic) and type(topic) is not Topic for topic in made.values())


# --- A plain assignment


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The till's course; nobody changes it but by handing in."""
    return build(tmp_path_factory.mktemp("till"))


@pytest.fixture
def till(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(sound, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


def judged(course: Path, *changes: tuple[str, str]) -> Report:
    """The report of the reference with these changes."""
    source = REFERENCE
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path = hand_in(course, source, "mine.py")
    with Launcher() as launcher:
        return graded(Course(course).assignment("till"), path, launcher)


def named(report: Report) -> list[str]:
    """The mistakes that are named, each once."""
    return list(dict.fromkeys(mistake.id for check in report.checks for mistake in check.mistakes))


def test_it_is_sound_and_graded(sound: Path) -> None:
    """Its mistakes are diagnosed by name, what knows nothing earns nothing, the reference earns all."""
    with Launcher() as launcher, open_grader(Course(sound).assignment("till"), launcher) as grader:
        assert list(grading_rules(grader)) == []
    assert passed(judged(sound)) == {"sell", "refund", "fewest"}


ADDS = ("self.cash -= price\n        self.sales -= 1", "self.cash += price\n        self.sales -= 1")
SELLS = ("self.cash -= price\n        self.sales -= 1", "self.sell(price)")


def test_what_the_objects_hold_tells_mistakes_apart(sound: Path) -> None:
    """Both leave a cash of 32, at which the check stops: the sales, which it would read next, differ."""
    adds, sells = judged(sound, ADDS), judged(sound, SELLS)
    rows = [[(row.label, row.actual) for row in check(r, "refund").readings] for r in (adds, sells)]
    assert rows == [[("till.cash", "32")], [("till.cash", "32")]]
    assert (named(adds), named(sells)) == (["refund_adds"], ["refund_sells"])


def test_what_is_read_of_objects_is_what_the_check_reads(tmp_path: Path) -> None:
    """Neither what it calls nor what every object has."""
    check_file = tmp_path / "test_sell.py"
    check_file.write_text(
        "till.cash = 1\ntill.sell(2)\nassert till.sales == till.__class__\n", encoding="utf-8"
    )
    assert Topic().observed(check_file) == ["cash", "sales"]


def test_what_knows_nothing_has_methods_and_rules_but_no_property_that_is_called() -> None:
    """A property is read: there it gives a number, as any attribute does."""
    source = "class A:\n    @property\n    def x(self): ...\n    def y(self): self.rule = lambda: 1"
    assert functions_of_objects(source) == {"y", "rule"}


def test_attributes_of_ones_own_hide_no_mistake(sound: Path) -> None:
    """Whatever else a student's objects hold is the shape of the code."""
    own = (
        "self.cash, self.sales = cash, 0",
        "self.cash, self.sales, self.log, self.last = cash, 0, [], cash",
    )
    assert named(judged(sound, own, ADDS)) == ["refund_adds"]


def test_the_feedback_says_what_the_test_made(sound: Path) -> None:
    """An object that is named is told with what it was made from."""
    (row,) = check(judged(sound, ADDS), "refund").readings
    assert (row.label, row.given, row.actual, row.expected) == ("till.cash", "till = 20", "32", "28")


def test_it_points_at_errors_and_at_answers(sound: Path) -> None:
    """At the line that raised and at the answer's own; of a wrong number it knows no place."""
    raised = judged(sound, ("self.sales -= 1", "self.sale -= 1"))
    assert check(raised, "refund").where.text == "self.sale -= 1"
    answered = judged(sound, ("fewest_coins = 4", "fewest_coins = 5"))
    assert check(answered, "fewest").where.text == "fewest_coins = 5"
    assert check(judged(sound, ADDS), "refund").where is None


def test_a_plain_course_has_no_fixture_of_a_topic(till: Path) -> None:
    """An author who forgot to name the topic reads what is missing."""
    change(till, "assignments/till/checks/test_sell.py", "(student, rng)", "(student, rng, oracle)")
    ran = grade("till", "solutions/till/till.py", cwd=till)
    assert ran.code == 3
    assert "test_sales could not be set up: there is no fixture `oracle`; where it is a topic's" in ran.text


def test_methods_that_do_nothing_earn_nothing(till: Path) -> None:
    """What knows nothing has the reference's methods, so that it gets as far as the comparison."""
    path = "assignments/till/checks/test_refund.py"
    change(till, path, "assert till.cash == approx(28.0)", "assert till.cash == approx(till.cash)")
    change(till, path, "assert till.sales == 1", "assert till.sales == till.sales")
    with Launcher() as launcher:
        assignment = Course(till).assignment("till")
        with open_grader(assignment, launcher) as grader:
            problems = list(grading_rules(grader))
    assert [text.partition(" (")[2].partition(")")[0] for text in problems if "knows nothing" in text] == [
        "all zeros",
        "all ones",
        "echo",
    ]
