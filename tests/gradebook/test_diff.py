"""`grade diff`: whose grade changed since it was posted, and why."""

import re
import sqlite3
from pathlib import Path

import msgspec
from helpers import COURSE
from minicourse import put
from recorded import IN_TIME, TWO_DAYS, grades, override, results, two
from students import by, told

from grader.gradebook.diff import compare, differences, render_differences
from grader.gradebook.grade import grades_of, posted_grade
from grader.gradebook.store import PostedText, Store


def test_nobody_changes(mini):
    """The same results say so in a line."""
    same = grades(mini)
    assert differences(same, same) == []
    assert render_differences([], 2) == "Grades that change: 0 of 2.\n"


def test_who_changes_and_why(mini, snapshot):
    """A regrade, a word, an extension: each student with the checks and the reasons."""
    before = grades(mini)
    override(mini, "points", "ada", "box", "4", why="by hand")
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nbob,+1d\n")
    with Store(results(mini)) as store:
        regraded = told({"double": 0, "box": 10}, submission=before["bob"].report.submission)
        store.keep("k2", by("bob", TWO_DAYS), regraded)
    text = render_differences(differences(before, grades(mini)), 2)
    assert text == snapshot


def test_another_submission_is_told(mini):
    """The points moved because the work is another one."""
    before = grades(mini)
    with Store(results(mini)) as store:
        report = told({"double": 0, "box": 0})
        report.submission = type(report.submission)("mini.py", "9" * 64, "")
        store.keep("k2", by("ada", IN_TIME), report)
    (difference,) = differences(before, grades(mini))
    assert difference.why[0] == "the submission changed"


def test_a_course_that_was_upgraded_in_mid_term(mini, capsys, monkeypatch, snapshot):
    """The file of the earlier version opens, nothing changes by that, and a regrade shows first what it would change."""
    path = results(mini)
    path.unlink()
    with sqlite3.connect(path) as file:
        file.executescript((Path(__file__).parent / "results_7.sql").read_text(encoding="utf-8"))
    file.close()

    assert compare(mini.course, path, None) == 0
    assert "Grades that change: 0 of 4." in capsys.readouterr().out
    with Store(path) as store:
        regraded = store.results_of("mini", "bob").__next__()
        report = told({"double": 10, "box": 10}, submission=regraded.report.submission)
        report.grader = msgspec.structs.replace(report.grader, version="9.0")
        store.keep("of the new version", regraded.work, report)
    assert compare(mini.course, path, None) == 1
    assert capsys.readouterr().out == snapshot
    with Store(path) as store:
        assert store.posted_texts("mini")["bob"].record.startswith('{"key":"3eafb2ed')  # nothing was posted


def test_a_grade_that_was_posted_with_reasons_of_a_mended_check_is_read(mini):
    """Results files of earlier versions have them."""
    mended = {
        "check": "box",
        "was": 0,
        "now": 10,
        "why": "a sign",
        "who": "Grace",
        "at": "2025-12-01T10:00:00+00:00",
    }
    with Store(results(mini)) as store:
        now = next(one.without_report for one in grades_of(mini, store) if one.student == "ada")
        record = msgspec.json.encode({**msgspec.to_builtins(now), "mended": [mended]}).decode()
        store.keep_posted("mini", PostedText("ada", "org/ada#1", "0" * 64, record))
        assert posted_grade(store, store.posted_texts("mini")["ada"]) == now


def test_the_query_of_the_page_shows_what_the_last_run_changed(mini):
    """Students whose checks have other points than at their grading before; docs/grading.md has the query."""
    page = (COURSE / "docs/grading.md").read_text(encoding="utf-8")
    (query,) = re.findall(r'sqlite3 results\.db "(SELECT.*?)"', page, re.DOTALL)
    with Store(results(mini)) as store:
        for suite, box in (("first", 0), ("second", 10)):
            with store.running("mini", "batch", suite):
                store.keep(suite, by("ada", IN_TIME), told({"double": 10, "box": 10}))
                store.keep(suite, by("cy", IN_TIME), told({"double": 10, "box": box}))
                store.keep(suite, by("dan", IN_TIME), told({"double": 10, "box": 10}))
        assert store._rows(query) == [("cy", 10.0, 20.0)]


def test_another_version_counts_now(mini, snapshot):
    """The reason for the change since the post is reported."""
    before = grades(mini)
    two(mini, {"double": 10, "box": 10}, {"double": 10, "box": 0})
    text = render_differences(differences(before, grades(mini)), 2)
    assert "  bob  6 -> 20\n" in text
    assert "    the work does not count as late now\n" in text
    assert text == snapshot
