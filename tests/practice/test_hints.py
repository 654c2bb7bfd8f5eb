"""`grade hint`: one hint at a time, which were given is remembered, and nothing depends on that."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers import grade, hand_in, reference, same_as_snapshot
from minicourse import FILES, change, put

from grader.assignment import Course
from grader.cli import main
from grader.grading.facts import AnswerFact, ErrorFact, LimitFact, MissingFact
from grader.practice.hints import hint
from grader.report import Fact, Location, from_json, to_json

REPORT = {
    "schema": "backgrade/report/v1", "assignment": {"id": "mini", "title": "Doubling"}, "started": "",
    "submission": {"path": "mine.py", "sha256": "0", "modified": ""}, "score": 60, "max_score": 100,
    "grader": {"version": "", "suite_sha256": "", "python": "", "isolation": []}, "outcome": "failed",
    "hidden_checks": True, "notes": [], "seconds": 0.1,
    "checks": [
        {"id": "double", "title": "Doubling.", "outcome": "passed", "score": 60, "max_score": 60, "visibility": "both"},
        {"id": "box", "title": "A box grows.", "outcome": "failed", "score": 0, "max_score": 40, "visibility": "both"},
    ],
}  # fmt: skip

FIRST = "How often does x stand in the answer?"
KEPT = json.dumps({"format": 2, "hints": {"mini": {"double": [FIRST]}}})


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small course, and we are in it."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graded(root: Path) -> dict[str, Any]:
    """The report, of a file that is there as it was graded."""
    put(root, "mine.py", "# mine\n")
    sha256 = hashlib.sha256((root / "mine.py").read_bytes()).hexdigest()
    return {**REPORT, "submission": {"path": "mine.py", "sha256": sha256, "modified": ""}}


def told(root: Path, check: str | None = None, *, again: bool = False) -> str:
    return hint(Course(root).assignment("mini"), check, again=again)


def ran(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    """The exit code of a command, and everything that it printed, in one line."""
    with pytest.raises(SystemExit) as ended:
        main([*args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), " ".join(f"{out} {err}".split())


def test_one_after_the_other(root: Path):
    """Two hints, then both again with whom to ask; the first call says that nothing was graded yet."""
    pages = [told(root) for _ in range(3)]
    same_as_snapshot("hints", "\n---\n".join(pages))


def test_the_check_to_go_on_with(root: Path, snapshot):
    """Without a name it is the first check that did not pass at the last grading."""
    put(root, "feedback/mini.json", json.dumps(REPORT))
    assert told(root) == snapshot


def found(root: Path, *facts: Fact, path: str = "mine.py") -> None:
    """The report on a file in which these facts were found about `box`."""
    report = from_json(json.dumps(graded(root)))
    report.checks[1].facts = [*facts]
    put(root, path, "# mine\n")
    report.submission = msgspec.structs.replace(report.submission, path=path)
    put(root, "feedback/mini.json", to_json(report))


HALVES = Location("mine.py", None, 3, "return halves[0] + 1", "grow")


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (ErrorFact("grow", "TypeError", "no").fact(HALVES), "Just above the line `return halves[0] + 1`"),
        (LimitFact("grow", "check_seconds").fact(), "does it get closer to the end?"),
        (MissingFact("halves").fact(), "Search your notebook for `halves`"),
    ],
)
def test_the_first_hint_is_about_what_was_found(root: Path, fact: Fact, said: str):
    """The author's follow; once the file has changed, nothing is known of it."""
    found(root, fact)
    pages = [" ".join(told(root, "box").split()) for _ in range(2)]
    assert said in pages[0]
    assert "hint 1 of 3" in pages[0]
    assert said not in pages[1]
    assert "hint 2 of 3" in pages[1]

    put(root, ".backgrade/state.json", "")
    put(root, "mine.py", "# another file\n")
    assert "hint 1 of 2" in told(root, "box")


def test_the_hint_that_names_a_wrong_answer_comes_first(root: Path):
    """Then the others in their order, and `--again` shows those given, in the order in which they were."""
    change(
        root,
        "assignments/mini/assignment.yaml",
        '"Keep what double gives for the number."',
        '"Keep it.", "box_size is 3."',
    )
    found(root, AnswerFact("box_size", "7").fact())
    assert "box_size is 3." in told(root, "box")
    told(root, "box")
    page = told(root, "box", again=True)
    assert page.index("box_size is 3.") < page.index("hint 2 of 3")


def test_the_file_that_was_graded_is_named(root: Path):
    """Without it the command would grade the assignment's own notebook."""
    found(root, path="my work.py")
    assert "then `grade mini 'my work.py' --check box`" in " ".join(told(root, "box").split())


def test_a_check_that_passed(root: Path, snapshot):
    """No hint is used up; what was given can still be seen."""
    told(root, "double")
    put(root, "feedback/mini.json", json.dumps(graded(root)))

    assert told(root, "double") == snapshot
    assert "hint 1 of 2" in told(root, "double", again=True)
    assert "hint 2" not in told(root, "double", again=True).partition("Still stuck")[0]


def test_a_check_that_passed_before_the_file_changed(root: Path, snapshot):
    """Perhaps it fails now, as `grade mini --check double` shows: there is a hint."""
    put(root, "feedback/mini.json", json.dumps(graded(root)))
    put(root, "mine.py", "# another file\n")

    page = " ".join(told(root, "double").split())

    assert page == snapshot
    assert "hint 1 of 2" in page


def test_every_check_passed(root: Path):
    """There is nothing to help with, as long as the file is the one that was graded."""
    report = from_json(json.dumps(graded(root)))
    report.checks.pop()
    put(root, "feedback/mini.json", to_json(report))
    page = "Every check of mini passed at the last grading: no hint is needed."
    assert told(root) == f"{page}\n"

    put(root, "mine.py", "# another file\n")

    changed = "The file has changed since: `grade mini mine.py` shows whether they still pass."
    assert " ".join(told(root).split()) == f"{page} {changed}"


def test_again_before_the_first(root: Path, snapshot):
    """`--again` gives none."""
    assert told(root, "box", again=True) == snapshot
    assert "hint 1 of 2" in told(root, "box")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"hints": {"mini": {"double": -1}}}', '{"format": 1}', "[" * 100_000]
)
def test_a_state_that_is_not_ours(root: Path, text: str):
    """It is begun anew."""
    path = put(root, ".backgrade/state.json", text)
    assert "hint 1 of 2" in told(root, "double")
    assert json.loads(path.read_text(encoding="utf-8"))["hints"] == {"mini": {"double": [FIRST]}}


@pytest.mark.skipif(os.name == "nt", reason="an ordinary user makes no links there")
def test_a_folder_that_leads_elsewhere(root: Path):
    """The link is neither read nor written, and the hint says that it will come again."""
    elsewhere = root.parent / "elsewhere"
    put(elsewhere, "state.json", KEPT)
    (root / ".backgrade").symlink_to(elsewhere)

    pages = [told(root, "double") for _ in range(2)]

    assert ["hint 1 of 2" in page and "will show this hint again" in page for page in pages] == [True, True]
    assert (elsewhere / "state.json").read_text(encoding="utf-8") == KEPT


@pytest.mark.ci
def test_a_check_graded_alone(course: Path):
    """`grade hint` knows of it, and of which day is worked at."""

    def about(*args: str) -> str:
        """The words before the title."""
        return grade("hint", *args, cwd=course).out.partition(":")[0]

    assert about().endswith("day1, leaf")  # nothing was graded yet
    grade("day2", cwd=course)
    before = about()
    grade("day1", "--check", "multiply", cwd=course)
    after = about()
    right = hand_in(course, reference("day1"), "mine.py")
    grade("day1", right, "--check", "multiply", cwd=course)

    assert [before, after] == ["day2, add_rule", "day1, multiply"]
    assert about("day1", "multiply") == "multiply passed at the last grading"
    assert about() == "leaf has not been graded yet.\n\nday1, leaf"
    assert about("day2") == "day2, add_rule"

    grade("day1", right, cwd=course)
    assert about().startswith("Every check of day1 passed")


def test_wrong_names(root: Path, capsys: pytest.CaptureFixture[str], snapshot):
    """The nearest is named: a day, a check, a part of a check's name, a check instead of the day."""
    assert "did you mean `mini`?" in ran(capsys, "hint", "mnii")[1]
    assert "did you mean `double`?" in ran(capsys, "hint", "mini", "duoble")[1]
    assert "did you mean `double`?" in ran(capsys, "hint", "mini", "dou")[1]
    assert ran(capsys, "hint", "box") == snapshot
