"""Late is changed code: a push that changes no part that is graded costs nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from collecting import (
    BEFORE,
    LATER,
    MANIFEST,
    NOTEBOOK,
    Class,
    collect,
    fetches,
    late_counts,
    organisation,
    student,
    work,
)
from github_server import GitHub
from helpers import executed, notebook
from minicourse import change
from releasing import STUB

from grader.classroom.git import remote
from grader.submissions.state_words import reason

KEPT = ["best", "last"]
WORDS = {2: "markdown"}


@pytest.fixture
def github(class_: Class, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    with organisation(class_, monkeypatch) as server:
        yield server


def keeps(class_: Class, kept: str) -> None:
    late_counts(class_, f"late: {{percent_per_day: 10, days: 7, keep: {kept}}}")


@pytest.mark.parametrize("kept", KEPT)
def test_run_again_after_the_due_date(class_: Class, github: GitHub, kept: str, snapshot):
    """Jupyter writes outputs, counts and a note into the file; the work is that of the push in time, and alone."""
    keeps(class_, kept)
    student(class_, github, "ada").push({NOTEBOOK: executed(work("name = 'ada'"))}, at=LATER)
    collect(class_)
    record = class_.record("ada")
    assert (record.submitted, record.in_time) == (BEFORE, None)
    assert class_.taken("ada") == {NOTEBOOK: work("name = 'ada'")}
    assert record.remarks == snapshot


def test_one_character_of_code(class_: Class, github: GitHub):
    """It is late work."""
    late_counts(class_)
    student(class_, github, "ada").push({NOTEBOOK: executed(work("name = 'Ada'"))}, at=LATER)
    collect(class_)
    assert class_.record("ada").submitted == LATER


@pytest.mark.parametrize(("manual", "submitted"), [("", BEFORE), (", manual: true, title: Why", LATER)])
def test_an_answer_in_words(class_: Class, github: GitHub, manual: str, submitted: str):
    """It is work where an instructor judges it, and a note where nobody does."""
    late_counts(class_)
    if manual:
        change(class_.course, MANIFEST, "  box:", f"  essay: {{points: 10{manual}}}\n  box:")
    ada = student(class_, github, "ada", pushes=False)
    for at, words in ((BEFORE, "Because."), (LATER, "Because addition is a sum.")):
        ada.push({NOTEBOOK: notebook("x = 1", words, kinds=WORDS)}, at=at)
    collect(class_)
    assert class_.record("ada").submitted == submitted


def test_outputs_where_an_instructor_grades(class_: Class, github: GitHub):
    """They are no answer: running the notebook makes them again."""
    late_counts(class_)
    change(class_.course, MANIFEST, "  box:", "  essay: {points: 10, manual: true, title: Why}\n  box:")
    ada = student(class_, github, "ada", pushes=False)
    text = notebook("x = 1", "# My notes", kinds=WORDS)
    ada.push({NOTEBOOK: text}, at=BEFORE)
    ada.push(
        {NOTEBOOK: text.replace('"outputs": []', '"outputs": [{"output_type": "display_data"}]')}, at=LATER
    )
    collect(class_)
    assert class_.record("ada").submitted == BEFORE


def test_only_run_in_time(class_: Class, github: GitHub):
    """Who ran the untouched notebook in time, and worked late, has one version: the late one."""
    late_counts(class_)
    ada = student(class_, github, "ada", pushes=False)
    ada.push({NOTEBOOK: executed(STUB)}, at=BEFORE)
    ada.push({NOTEBOOK: work("late = 1")}, at=LATER)
    collect(class_)
    record = class_.record("ada")
    assert (record.submitted, record.in_time) == (LATER, None)


def test_a_bot_that_runs_the_notebook(class_: Class, github: GitHub):
    """A workflow that commits outputs changed nothing, and nothing is said to be refused."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: executed(work("name = 'ada'"))}, at=LATER, actor="github-actions[bot]")
    collect(class_)
    record = class_.record("ada")
    assert record.submitted == BEFORE
    assert not any("was not taken" in note for note in record.notes)


def test_only_what_is_compared_is_fetched(class_: Class, github: GitHub, monkeypatch: pytest.MonkeyPatch):
    """Two submissions of three pushes, without the data beside them."""
    late_counts(class_)
    ada = student(class_, github, "ada")
    ada.push({"data.csv": "1,2\n" * 10_000}, at=LATER)
    ada.push({NOTEBOOK: executed(work("name = 'ada'"))}, at=LATER)
    sizes, asked = sizes_read(monkeypatch), fetches(monkeypatch)
    collect(class_)
    assert asked == [3, 2, 2]  # folders; the two submissions; two commits with their files
    assert max(sizes[:2]) < 1_000


def sizes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the bytes of every file that is read from now on."""
    sizes: list[int] = []
    read = remote.Objects.read

    def reading(self: remote.Objects, id_: str, kind: str, limit: int) -> bytes:
        data = read(self, id_, kind, limit)
        sizes.extend([len(data)] if kind == "blob" else [])
        return data

    monkeypatch.setattr(remote.Objects, "read", reading)
    return sizes


def test_a_file_that_takes_too_much_room(class_: Class, github: GitHub, monkeypatch: pytest.MonkeyPatch):
    """Such a file is fetched with a limit, and known by its bytes; the work in time counts."""
    late_counts(class_)
    for name in ("take", "selection"):
        monkeypatch.setattr(f"grader.classroom.collect.{name}.MAX_FILE", 2_000)
    ada = student(class_, github, "ada")
    ada.push({NOTEBOOK: work("x = 1") + " " * 4_000}, at=LATER)
    monkeypatch.setattr(remote.Fetcher, "files", refused)
    collect(class_)
    record = class_.record("ada")
    assert record.in_time is not None
    assert record.in_time.submitted == BEFORE
    assert reason(record.state).startswith(f"{NOTEBOOK}: ")


def refused(*_: object) -> None:
    raise remote.GitError("not given")
