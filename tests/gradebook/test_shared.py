"""Two copies of a results file: nothing of either is lost, and of two different words about one thing neither counts."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace
from students import by, results_in, told

from grader.errors import Refused
from grader.gradebook import shared
from grader.gradebook import store as store_module
from grader.gradebook.in_force import Override
from grader.gradebook.shared import SharedStore
from grader.gradebook.store import PostedText, PushRecord
from grader.submissions.states import NoAccess
from grader.submissions.work import HandedIn

WORK = HandedIn("mini.py", "2025-12-01T10:00:00+00:00")
POINTS = Override("mini", "points", "explained", "Ada", "ada", "box", 5.0)


class Clock:
    """Each look at it is a second later."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> str:
        self.seconds += 1
        return f"2025-12-02T10:{self.seconds // 60:02}:{self.seconds % 60:02}+00:00"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (store_module, shared):
        monkeypatch.setattr(module, "now", made)
    return made


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A file in which two students are graded."""
    path = tmp_path / "ours.db"
    with SharedStore(path, create=True) as store:
        for student in ("ada", "bob"):
            store.keep("first", by(student, WORK), told({"double": 10, "box": 3}))
    return path


@pytest.fixture
def theirs(ours: Path, tmp_path: Path) -> Path:
    """Its copy on another machine."""
    path = tmp_path / "theirs.db"
    shutil.copy(ours, path)
    return path


def both_ways(ours: Path, theirs: Path) -> None:
    """Each takes in the other; then they hold the same."""
    for path, other in ((ours, theirs), (theirs, ours)):
        with SharedStore(path) as store:
            store.take_in(other)
    assert rows(ours) == rows(theirs)


def rows(path: Path) -> dict[str, list[tuple]]:
    """All rows of a file in an order of their own, without the numbers that it gives them."""
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {
        name: [
            tuple((k, row[k]) for k in row.keys() if k not in {"id", "run", "result"})  # noqa: SIM118  sqlite3.Row
            for row in database.execute(f"SELECT * FROM {name}")
        ]
        for name in tables
    }
    return {name: sorted(each, key=repr) for name, each in found.items()}


def test_what_two_people_did_is_there_for_both(ours: Path, theirs: Path) -> None:
    """Gradings, overrides, posts, answers, the class's other students."""
    with SharedStore(ours) as store, store.running("mini", "batch", "suite"):
        store.keep("second", by("ada", WORK), told({"double": 10, "box": 10}))
        store.keep_override(POINTS)
        store.keep_posted("mini", PostedText("ada", "/repos/org/ada/issues/1", "a" * 64, "{}"))
    with SharedStore(theirs) as store, store.running("mini", "answer", "suite"):
        store.keep("second", by("bob", WORK), told({"double": 10, "box": 10}))
        store.keep_answer("mini", PushRecord("bob", 7, done="2025-12-02T09:00:00+00:00"))
        store.keep_absent("mini", "carol", NoAccess("ada", "org/ada"))

    both_ways(ours, theirs)

    with SharedStore(ours) as store:
        assert {one.student: (one.key, one.report.score) for one in results_in(store, "mini")} == {
            "ada": ("second", 20.0),
            "bob": ("second", 20.0),
        }
        assert [len(store.gradings("mini", student)) for student in ("ada", "bob")] == [2, 2]
        assert [one.points for one in store.overrides("mini")] == [5.0]
        assert [*store.posted_texts("mini"), *store.answers("mini"), *store.absent("mini")] == [
            "ada",
            "bob",
            "carol",
        ]
        runs = store._rows("SELECT command, works FROM runs ORDER BY command")
        assert runs == [("answer", 1), ("batch", 1)]


def test_a_second_time_nothing_changes(ours: Path, theirs: Path) -> None:
    with SharedStore(theirs) as store:
        store.keep_override(POINTS)
    both_ways(ours, theirs)
    before = rows(ours)

    both_ways(ours, theirs)

    assert rows(ours) == before


def test_of_two_different_words_neither_counts(ours: Path, theirs: Path) -> None:
    """Until somebody who knows both decides; the same word twice is no conflict."""
    for path, points, who in ((ours, 5.0, "Ada"), (theirs, 8.0, "Grace")):
        with SharedStore(path) as store:
            store.keep_override(
                Override("mini", "points", "explained", who, student="ada", check="box", points=points)
            )
            store.keep_override(Override("mini", "excuse", "ill", who, student="bob"))

    both_ways(ours, theirs)

    with SharedStore(ours) as store:
        split = store.in_force("mini")
        assert [[one.points for one in some] for some in split.conflicts] == [[5.0, 8.0]]
        assert (dict(split.points), [*split.excused]) == ({}, ["bob"])

        store.keep_override(Override("mini", "points", "both were right", "Ada", "ada", "box", 8.0))
        decided = store.in_force("mini")
        assert (decided.conflicts, decided.points["ada", "box"].points) == ([], 8.0)


def test_a_result_that_one_drops_and_one_keeps_counts(ours: Path, theirs: Path) -> None:
    """Neither override counts, not even the later one."""
    dropped = Override("mini", "forget", "the wrong folder", "Ada", "bob")
    with SharedStore(ours) as store:
        store.keep_override(dropped)
    both_ways(ours, theirs)
    for path, withdrawn in ((theirs, True), (ours, False)):
        with SharedStore(path) as store:
            store.keep_override(replace(dropped, withdrawn=withdrawn))

    both_ways(ours, theirs)

    with SharedStore(ours) as store:
        assert (store.students("mini"), len(store.in_force("mini").conflicts)) == (["ada", "bob"], 1)


def test_whoever_knew_the_other_word_decides(ours: Path, theirs: Path) -> None:
    """An override that is made after a merge replaces the one before, whatever the clocks say."""
    with SharedStore(ours) as store:
        store.keep_override(POINTS)
    both_ways(ours, theirs)
    with SharedStore(theirs) as store:
        store.add_overrides(
            [Override("mini", "points", "no", "Grace", "ada", "box", 2.0, at="2025-12-01T00:00:00+00:00")]
        )

    both_ways(ours, theirs)

    with SharedStore(ours) as store:
        assert store.in_force("mini").points["ada", "box"].points == 2.0


def test_a_student_who_went_stays_away(ours: Path, theirs: Path) -> None:
    """No work counts any more that another copy still has; work that came later does."""
    with SharedStore(ours) as store:
        store.keep_absent("mini", "ada", NoAccess("ada", "org/ada"))
    both_ways(ours, theirs)
    with SharedStore(theirs) as store:
        assert store.students("mini") == ["bob"]
        store.keep("again", by("ada", WORK), told({"double": 10}))

    both_ways(ours, theirs)

    with SharedStore(ours) as store:
        assert store.students("mini") == ["ada", "bob"]


def test_who_was_taken_out_comes_back_from_no_copy(ours: Path, theirs: Path) -> None:
    """Not a row of theirs, not a byte of their name."""
    for path in (ours, theirs):
        with SharedStore(path) as store:
            store.keep_override(POINTS)
            store.keep_posted("mini", PostedText("ada", "/repos/org/ada/issues/1", "a" * 64, "{}"))
    with SharedStore(ours) as store:
        assert store.forget("ada") == 4

    both_ways(ours, theirs)

    for path in (ours, theirs):
        with SharedStore(path) as store:
            assert store.students("mini") == ["bob"]
    assert b"ada" not in re.sub(rb"[0-9a-f]{16}", b"", ours.read_bytes())  # rows have random numbers


def test_another_record_is_not_mixed_in(ours: Path, tmp_path: Path) -> None:
    """Only an empty file takes over what stands in another one, with its identity."""
    other, empty = tmp_path / "other.db", tmp_path / "empty.db"
    with SharedStore(other, create=True) as store, store.running("mini", "batch", "suite"):
        store.keep("first", by("dan", WORK), told({"double": 10}))
    before = rows(other)
    with (
        SharedStore(other) as store,
        pytest.raises(Refused, match="this is not a copy of the class's results file"),
    ):
        store.take_in(ours)
    with SharedStore(empty, create=True) as store:
        store.take_in(ours)

    assert rows(other) == before
    assert rows(empty) == rows(ours)


def test_a_post_that_is_under_way_is_known(ours: Path, theirs: Path, clock: Clock) -> None:
    """By whom and since when; its end is known, too, and a new one of the same person ends one that was killed."""
    with SharedStore(ours) as store, store.posting("mini", "Ada on one"), SharedStore(theirs) as copy:
        copy.take_in(ours)
        assert copy.under_way("Grace on two", "2025-12-01") == "Ada on one, since 2025-12-02T10:00:03+00:00"
        assert copy.under_way("Ada on one", "2025-12-01") == ""
        assert copy.under_way("Grace on two", "2025-12-03") == ""
    with SharedStore(theirs) as copy:
        copy.take_in(ours)
        assert copy.under_way("Grace on two", "2025-12-01") == ""
