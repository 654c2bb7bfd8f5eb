"""Kept results of `grade validate` and `grade stub`: the same sentences, and what makes a result be forgotten."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from minicourse import change, put
from validating import (
    HIDDEN_BOX,
    MANIFEST,
    MISTAKES,
    SEEN_BOX,
    SOURCE,
    launcher,
    regenerate,
    without_kernel,
)

from grader.assignment import Course
from grader.authoring import runner
from grader.authoring.grading_rules import NULLS
from grader.authoring.mistakes import read_mistakes, run_mistakes, ways_of
from grader.authoring.reference import reference_blocks
from grader.authoring.runner import Progress, open_runner
from grader.authoring.workers import ProcessPool
from grader.files import write_cache
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment

pytestmark = pytest.mark.usefixtures("kept")

WAYS = 2  # of the mistakes of the miniature course
# Reference and mistakes, each under two orders of sets; stub, null submissions; replay.json.
ALL = 2 * (1 + WAYS) + 1 + len(NULLS) + 1


def validated(course: Path, name: str = "mini", workers: ProcessPool | None = None) -> tuple[list[str], int]:
    """Return the problems of an assignment, and how many runs it took to find them."""
    progress = Progress(name)
    found = without_kernel(Course(course).assignment(name), launcher(), workers, progress)[0]
    return found, progress.runs


# --- The same sentences


def break_it(assignment: Assignment) -> None:
    """Give an assignment a check that everything passes, mistakes that declare too much, and an edited stub."""
    folder, mistakes = assignment.folder, assignment.solutions / "mistakes"
    manifest = folder / "assignment.yaml"
    text = manifest.read_text(encoding="utf-8")
    given = '\nchecks:\n  given:\n    points: 1\n    hints: ["None."]\n'
    manifest.write_text(re.sub(r"\nchecks:.*\n", given, text, count=1), encoding="utf-8")
    check = folder / "checks/test_given.py"
    check.write_text('"""Given."""\n\n\ndef test_all(student):\n    """All pass."""\n', encoding="utf-8")
    mistakes.mkdir(exist_ok=True)
    shutil.copy(next((COURSE / "solutions" / assignment.name / "mistakes").glob("*.py")), mistakes)
    edits = read_mistakes(assignment)[0].edits[0]
    source = "\n".join(block.source for block in reference_blocks(assignment))
    name = next(n for n in re.findall(r"def \w+\(", source) if source.count(n) == 1)
    for path in mistakes.iterdir():
        path.unlink()
    entries = [("wrong_fails", edits), ("changes_nothing", {name: f"{name} "})]
    written = [f"Mistake({n!r}, 'Words.', edits={e!r}, fails='given')\n" for n, e in entries]
    (mistakes / "all.py").write_text("".join(written), encoding="utf-8")
    assignment.stub.write_text(assignment.stub.read_text(encoding="utf-8") + "\n", encoding="utf-8")


@pytest.mark.whole
@pytest.mark.parametrize("day", ["day1"])
def test_kept_results_read_the_same(course: Path, day: str, kept: Path) -> None:
    """As those of a run, and as those of another run."""
    break_it(Course(course).assignment(day))

    first, runs = validated(course, day)
    again, none = validated(course, day)
    shutil.rmtree(kept.parent)
    anew, same = validated(course, day)

    told = "\n".join(first)
    for part in (
        "is passed, but it must be todo",
        "with all zeros",
        "declares",
        "fails no check",
        "out of date",
    ):
        assert part in told, part
    assert (first, first) == (again, anew)
    assert (runs, none) == (same, 0)


@pytest.mark.ci
def test_workers_find_the_same(mini: Path, kept: Path, monkeypatch: pytest.MonkeyPatch, snapshot) -> None:
    """Also the words of a failure, which a worker sends."""
    change(mini, MISTAKES, 'fails="double box"', 'fails="double"')
    alone = validated(mini)
    shutil.rmtree(kept.parent)
    monkeypatch.setattr(runner, "WORTH_WORKERS", 0)

    with ProcessPool() as workers:
        workers.jobs = 2
        together = validated(mini, workers=workers)

    assert alone[0][0] == snapshot
    assert alone == together == (alone[0], ALL)


def test_workers_import_nothing_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain `python -c` looks there first, and a student's files may be there."""
    for name in ("multiprocessing.py", "struct.py", "threading.py"):
        (tmp_path / name).write_text("raise SystemExit\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    with ProcessPool() as workers:
        assert workers.submit(str, 7).result() == "7"


def test_hidden_tests_run_until_a_visible_one_has_failed(mini: Path) -> None:
    """A check that a mistake fails is failed by its visible tests alone; one that they do not see has all its tests run."""
    assignment = Course(mini).assignment("mini")
    seen = set()
    with open_runner(assignment, launcher()) as opened:
        for run in run_mistakes(opened, ways_of(assignment)):
            for check in assignment.manifest.checks:
                sides: dict[str, set[TestOutcome]] = {}
                for result in run.results:
                    if result.test.check == check:
                        sides.setdefault(result.test.visibility, set()).add(result.outcome)
                failed = TestOutcome.FAILED in sides["visible"]
                seen.add(failed)
                if "hidden" in sides:
                    assert (sides["hidden"] == {TestOutcome.SKIPPED}) is failed
                assert (check in run.failing_checks) is (
                    failed or TestOutcome.FAILED in sides.get("hidden", ())
                )
    assert seen == {True, False}


def test_stub_and_validate_share_their_runs(mini: Path) -> None:
    """`grade stub` has run the mistakes, `grade validate` the rest."""
    regenerate(mini)
    assert validated(mini) == ([], ALL - WAYS - 2)


# --- What makes a result be forgotten


def test_nothing_changed(mini: Path) -> None:
    """Nothing runs again, not even where an author has edited words alone."""
    assert validated(mini) == ([], ALL)
    assert validated(mini) == ([], 0)
    change(mini, MISTAKES, "added to itself", "taken twice")
    change(mini, SOURCE, "Write a function, then a box", "Write a function and then a box")
    change(mini, MANIFEST, "points: 60", "points: 50")
    found, runs = validated(mini)
    assert (len(found), runs) == (3, 0)


EDITS = {
    "a visible check": (SEEN_BOX, "== approx(5.0)", "== approx(5)", ALL),
    "a hidden check": (HIDDEN_BOX, '"""', '"""Again: ', ALL),
    "the reference": (SOURCE, "self.number = number", "self.number = number  #", ALL - len(NULLS) - 1),
    "the code of a mistake": (MISTAKES, "return x * x", "return x * x  #", 2),
    "limits": (MANIFEST, "checks:", "limits: {check_seconds: 4}\nchecks:", ALL),
    "imports": (MANIFEST, "checks:", "imports: [json]\nchecks:", ALL),
    "orders": (MANIFEST, "points: 40", "points: 40\n    orders: true", ALL - 1 - WAYS),
    "the salt": ("solutions/mini/salt.txt", "", "pinch\n", ALL),
    "helpers": ("solutions/mini/checks/_helpers.py", "", "X = 1\n", ALL),
    "a file that checks read": ("assignments/mini/checks/data/numbers.csv", "", "1\n", ALL),
    "the answers": (
        "solutions/mini/answers.yaml",
        "",
        "a: {right: 2}\n",
        1,
    ),  # nothing judges it, so nothing else is tried
}
SOME = ["a visible check", "a hidden check", "the code of a mistake", "the salt"]


@pytest.mark.ci
@pytest.mark.parametrize(
    "edit", [*SOME, *(pytest.param(e, marks=pytest.mark.ci) for e in EDITS if e not in SOME)]
)
def test_an_edit_is_noticed(mini: Path, edit: str) -> None:
    """All that depends on it runs again, and nothing else."""
    path, old, new, runs = EDITS[edit]
    validated(mini)
    if old:
        text = (mini / path).read_text(encoding="utf-8")
        (mini / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    else:
        put(mini, path, new)

    assert validated(mini)[1] == runs


@pytest.mark.ci
def test_an_edit_of_one_check_runs_that_check_alone(mini: Path, kept: Path) -> None:
    """The results of the others are those of before, and those of the check as it was are kept, too."""
    validated(mini)
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    change(mini, SEEN_BOX, "== approx(5.0)", "== approx(5)")
    validated(mini)

    after = {path.name: path.read_bytes() for path in kept.iterdir()}
    assert (before.items() <= after.items(), len(after)) == (True, len(before) + 1)
    assert validated(mini)[1] == 0
    change(mini, SEEN_BOX, "== approx(5)", "== approx(5.0)")
    assert validated(mini) == ([], 0)


@pytest.mark.ci
def test_another_grader_runs_everything(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or another Python, or another version of a package."""
    validated(mini)
    monkeypatch.setattr(runner, "environment", lambda: "another")
    assert validated(mini) == ([], ALL)


@pytest.mark.whole
def test_what_met_a_limit_runs_again(mini: Path) -> None:
    """Another run may have more time; the check that waits for it is skipped, not kept."""
    change(mini, MANIFEST, "checks:", "limits: {check_seconds: 0.5}\nchecks:")
    change(mini, MISTAKES, '"return x * x"', '"while True:\\n        pass"')
    regenerate(mini)
    first = validated(mini)
    again = validated(mini)

    assert (first[0], again[0]) == ([], [])
    # The stub, the null submissions and the mistake that met it; then that mistake alone.
    assert (first[1], again[1]) == (ALL - WAYS - 1, 1)


@pytest.mark.ci
def test_a_damaged_file_is_made_anew(mini: Path, kept: Path) -> None:
    """Whatever stands in it."""
    validated(mini)
    for path in list(kept.iterdir()):
        write_cache("runs", path.name, b"\x92nonsense")

    assert validated(mini) == ([], ALL - 1)
    assert validated(mini) == ([], 0)


# --- How far it is


def test_the_progress_in_a_line(snapshot) -> None:
    """How many runs are done, and the time that is left at this speed."""
    now = [0.0]
    progress = Progress("day4", lambda: now[0])
    shown = [progress.line()]
    progress.begin(40)
    now[0] = 29.0
    for _ in range(10):
        progress.end()
    shown.append(progress.line())

    assert shown == snapshot
