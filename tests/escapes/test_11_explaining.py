"""Promise 11: an explanation or a drawing that fails costs neither a result nor points nor the exit code.

The attacks know nothing of how explaining works: they answer oddly, endlessly or not at all when they are
asked for more than their value. What an author or we ourselves get wrong in an explainer is tried by raising
and sleeping in each of them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from escapes.ground import attacks
from helpers import COURSE, edit_manifest, reference

from grader.assignment import Course
from grader.autograd.topic import AutogradTopic
from grader.grading import explanations, plugin
from grader.grading import grader as grading
from grader.grading.grader import open_grader
from grader.report import Report
from grader.sandbox import Launcher, Sandbox
from grader.sandbox.budget import LOG_NAME, Deadline
from grader.submissions.submission import read_submission

ATTACKS = {attack.name: attack for attack in attacks("explaining")}


# --- Explainers of our own that fail


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An engine whose tanh is wrong, an answer that is wrong, one that is blank, and a cell that fails."""
    path = tmp_path_factory.mktemp("wrong") / "wrong.py"
    text = reference("day2")
    for right, not_right in {
        "(1 - t**2) * out.grad": "(1 - t**2)",
        "leverage_a_over_c = 3": "leverage_a_over_c = 4",
        "quiz_df_da = 10": "quiz_df_da = ...",
    }.items():
        assert right in text
        text = text.replace(right, not_right)
    path.write_text(f"{text}\n\n# %%\n1 / 0\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def grade() -> Iterator[Callable[[Path], Report]]:
    """Grade a file of day 2 by a warm grader."""
    with Launcher() as launcher, open_grader(Course(COURSE).assignment("day2"), launcher) as grader:
        yield lambda path: grader.grade(read_submission(path))


@pytest.fixture(scope="module")
def explained(grade: Callable[[Path], Report], wrong: Path) -> Report:
    """The report with all of its explanations."""
    return grade(wrong)


def verdicts(report: Report) -> list[tuple[object, ...]]:
    """Return the part of a report that no explanation may change."""
    checks = [(check.id, check.outcome, check.score, check.max_score) for check in report.checks]
    return [(report.outcome, report.score, report.max_score), *checks]


EXPLAINERS = [
    (plugin, "explain"),
    (plugin, "fingerprint"),
    (Sandbox, "peek"),
    (Sandbox, "find_definitions"),
    (AutogradTopic, "attributes_to_read"),
    (AutogradTopic, "chart"),
    (explanations, "diagnose"),
    (explanations, "check_message"),
    (explanations, "frames_of"),
    (explanations, "where_at"),
    (explanations, "_chosen_chart"),
    (grading, "load_notes"),
    (grading.Grader, "given_code"),
]


def test_there_is_something_to_explain(explained: Report) -> None:
    """The report has every kind of explanation, without which the tests below would prove nothing."""
    checks = {check.id: check for check in explained.checks}
    failed = checks["tanh_neuron"]

    assert checks["leverage"].where
    assert failed.rules
    assert failed.readings
    assert explained.notes
    assert any(check.chart for check in explained.checks)


@pytest.mark.parametrize("explainers", [EXPLAINERS[:6], EXPLAINERS[6:]], ids=["the first", "the others"])
def test_one_that_raises(
    grade: Callable[[Path], Report], wrong: Path, explained: Report, explainers: list[tuple[object, str]]
) -> None:
    """Its part of the explanation is left out, and every verdict stands."""

    def fails(*_: object, **__: object) -> None:
        raise RecursionError("in an explainer")

    reports = {}
    for owner, name in explainers:
        with pytest.MonkeyPatch.context() as patch:
            # For users it only notes an error; in tests it raises.
            patch.setattr(logging.getLogger(LOG_NAME), "disabled", True)
            patch.setattr(owner, name, fails)
            reports[name] = grade(wrong)

    assert {name: verdicts(report) for name, report in reports.items()} == dict.fromkeys(
        reports, verdicts(explained)
    )
    assert len(reports) == len(explainers)
    assert all(check.message or check.asked for check in explained.checks if check.outcome == "failed")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        pytest.param(plugin, "fingerprint", id="fingerprint"),
        *(
            pytest.param(Sandbox, name, id=name, marks=pytest.mark.ci)
            for name in ("peek", "find_definitions")
        ),
    ],
)
def test_one_that_sleeps(  # noqa: PLR0917  fixtures
    grade: Callable[[Path], Report],
    wrong: Path,
    explained: Report,
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
) -> None:
    """It is called once; then no time is left for other explainers that may take long. They are tried once more."""
    calls, real = [], getattr(owner, name)

    def sleeps(*args: object, **keywords: object) -> object:
        calls.append(name)
        time.sleep(0.1)
        return real(*args, **keywords)

    monkeypatch.setattr(grading, "EXPLAIN_SECONDS", 0.05)
    monkeypatch.setattr(owner, name, sleeps)

    assert verdicts(grade(wrong)) == verdicts(explained)
    assert len(calls) <= 2


@pytest.mark.ci
def test_a_jail_that_does_not_answer_is_asked_once(
    grade: Callable[[Path], Report], wrong: Path, explained: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission that sleeps when it is asked for an explanation is asked once more, in a jail; hidden tests have one, too."""
    asleep = wrong.with_name("asleep.py")
    asleep.write_text(f"{wrong.read_text(encoding='utf-8')}\n\n{SLEEPS}", encoding="utf-8")
    opened = []
    real = Launcher.open
    monkeypatch.setattr(Launcher, "open", lambda *args, **kw: opened.append(1) or real(*args, **kw))
    monkeypatch.setattr(grading, "EXPLAIN_SECONDS", 0.2)

    assert verdicts(grade(asleep)) == verdicts(explained)
    assert len(opened) <= 5  # also for the hidden tests, and for what they alone fail


SLEEPS = """# %%
import sys, time
caller = sys._getframe()
while "op" not in caller.f_locals.get("request", ()):
    caller = caller.f_back
caller.f_locals["self"].do_defined = caller.f_locals["self"].do_peek = lambda request: time.sleep(1000)
"""


LABELS = """# %%
import sys
caller = sys._getframe()
while "op" not in caller.f_locals.get("request", ()):
    caller = caller.f_back
jail = caller.f_locals["self"]
honest = type(jail).encode

def encode(value, depth=0):
    found = honest(jail, value, depth)
    if type(value) is dict and value and all(type(item).__name__ == "Node" for item in value.values()):
        found["d"] += [[key, item] for key, (_, item) in zip((7, None, 0.5, {"t": [1]}), list(found["d"]))]
    return found

jail.encode = encode
"""


@pytest.mark.ci
def test_labels_that_are_no_texts(tmp_path: Path) -> None:
    """Unexpected keys among the nodes that a check's helper returns change nothing."""
    path = tmp_path / "labels.py"
    path.write_text(f"{reference('day3')}\n\n{LABELS}", encoding="utf-8")
    assignment = Course.find(COURSE).assignment("day3")

    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        report = grader.grade(read_submission(path))

    assert {check.outcome for check in report.checks} == {"passed"}


def run_out(monkeypatch: pytest.MonkeyPatch, *seconds: float) -> list[Deadline]:
    """Give explanations these seconds, one after the other; return the deadlines that are asked for."""
    left, made = iter(seconds), list[Deadline]()

    def deadline(_: float) -> Deadline:
        made.append(Deadline(next(left)))
        return made[-1]

    monkeypatch.setattr(grading, "Deadline", deadline)
    return made


def test_explanations_without_time_are_made_once_more(
    grade: Callable[[Path], Report], wrong: Path, explained: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the process was stopped meanwhile: the report is the same."""
    run_out(monkeypatch, 0, 1000)

    again = grade(wrong)

    assert [check.rules for check in again.checks] == [check.rules for check in explained.checks]
    assert [check.where for check in again.checks] == [check.where for check in explained.checks]


def test_explanations_that_are_missing_are_noted(
    grade: Callable[[Path], Report], wrong: Path, explained: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the second try, and only then: a submission that is slow on purpose gets no third one."""
    made = run_out(monkeypatch, 0, 0)

    missing = grade(wrong)

    assert len(made) == 2
    assert verdicts(missing) == verdicts(explained)
    assert missing.notes == [*explained.notes, grading.INCOMPLETE]


@pytest.mark.ci
def test_a_submission_that_never_ends_gets_no_second_try(
    course: Path, wrong: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tests ran past a limit, and so would its explanations."""
    edit_manifest(course, "day2", limits={"check_seconds": 0.5})
    endless = wrong.with_name("endless.py")
    endless.write_text(
        wrong.read_text(encoding="utf-8").replace("t = math.tanh(self.data)", "while True: pass"),
        encoding="utf-8",
    )
    made = run_out(monkeypatch, 0, 0)

    with Launcher() as launcher, open_grader(Course(course).assignment("day2"), launcher) as grader:
        report = grader.grade(read_submission(endless))

    assert grading.INCOMPLETE not in report.notes  # a machine that is less busy would not help
    assert len(made) == 1
