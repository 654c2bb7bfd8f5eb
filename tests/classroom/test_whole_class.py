"""A class from its repositories to its grades: killed anywhere, and corrected afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from github_server import GitHub
from handing import released
from minicourse import change, put
from whole_class import KINDS, World

from grader.gradebook.store import Store

# Requests by their number, and whether their work is done; results by their count.
TWELVE = {
    "distribute": [(9, True), (16, False), (40, True)],
    "collect": [(7, False), (12, True), (20, False)],
    "batch": [1, 11, 20],
    "post": [(2, True), (15, False), (25, True)],
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def world(tmp_path, template):
    """Makes classes of so many students, each on a GitHub of its own."""
    opened = []

    def made(name: str, count: int) -> World:
        github = GitHub(tmp_path / name / "github").__enter__()
        opened.append(github)
        return World(tmp_path / name, github, template, count)

    yield made
    for github in opened:
        github.__exit__()


class Undisturbed(NamedTuple):
    """A class that no kill has disturbed: what each command told, and what came of it."""

    world: World
    told: dict[str, tuple[int, str]]
    store: dict[str, Any]
    posts: dict[str, Any]


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, template: dict[str, bytes]
) -> Iterator[Undisturbed]:
    """One of each kind; no test changes anything of it."""
    root = tmp_path_factory.mktemp("undisturbed")
    with GitHub(root / "github") as github:
        class_ = World(root, github, template, len(KINDS))
        told = class_.everything()
        yield Undisturbed(class_, told, class_.store(), class_.posts())


def test_everybody_gets_what_they_earned(undisturbed, snapshot):
    """One of each kind: good, wrong, hostile, empty, late, with drift, force-pushed, renamed, gone, elsewhere, absent."""
    class_, told, *_ = undisturbed
    assert {name: code for name, (code, _) in told.items()} == {
        "distribute": 0,
        "collect": 1,
        "batch": 1,
        "post": 0,
    }, told
    assert class_.scores() == {
        "good": 100,
        "squares": 0,
        "forgets": 60,
        "ends": 0,
        "loops": 0,
        "nothing": 0,
        "empty": 0,
        "late": 80,
        "drift": 0,
        "forced": 100,
        "renamed": 100,
        "gone": None,  # nobody's zero: a mistyped roster looks the same
        "merged_the_fix": 100,
        "bot_pushed": 100,
        "only_notes": 100,
        "teacher_pushed": 100,
        "spoiled": 100,
        "improved": 90,
        "reverted": 100,
        "branch": 0,  # until it is merged, which they are told
        "partner": None,  # the instructor says whose work it is
        "absent": None,  # who cannot push has no zero
        "ran_again": 100,
    }
    assert "test_box.py" in told["collect"][1]
    there = [
        class_.repository(s)
        for s, kind in zip(class_.students, KINDS, strict=True)
        if kind not in {"renamed", "gone"}
    ]
    bodies = {its.name.removeprefix("course/mini-"): i.body for its in there for i in its.issues.values()}
    assert bodies["s07"] == snapshot
    assert bodies["s19"] == snapshot
    assert len(bodies) == len(KINDS) - 4
    assert_told(class_.run("report", "mini")[1])


def assert_told(report: str) -> None:
    """Everybody is in the report, those without a score with the reason."""
    assert (
        "  s11       -  no result: there is no repository course/mini-s11, or the token cannot see it"
        in report
    )
    assert (
        "  s20       -  no result: s20 pushed no work to course/mini-s20, but pushed to course/mini-s00"
        in report
    )
    assert "  s21       -  no result: s21 has not accepted the invitation to course/mini-s21, sent" in report
    assert [f"  s{number:02}" in report for number in range(len(KINDS))] == [True] * len(KINDS)


@pytest.mark.ci
def test_a_second_file_of_results_overwrites_nobodys_grade(world, snapshot):
    """An assistant grades the class into another results file, from an older course: no issue changes."""
    class_ = world("class", 3)
    class_.everything()
    before = class_.posts()
    change(class_.course, "solutions/mini/checks/test_box.py", "approx(4 * x)", "approx(5 * x)")
    assert class_.run("batch", "mini", "--results", "mine.db")[0] == 0
    code, text = class_.run("post", "mini", "--results", "mine.db", "--yes")
    assert (code, class_.posts()) == (1, before)
    assert text == snapshot


@pytest.mark.whole
def test_everybody_gets_the_same_after_twelve_kills(world, undisturbed):
    """Store and posts are those of an undisturbed run."""
    killed = world("killed", len(KINDS))
    killed.everything(TWELVE)
    assert killed.store() == undisturbed.store
    assert killed.posts() == undisturbed.posts


@pytest.mark.ci
def test_a_check_was_wrong(world, snapshot):
    """Regraded, its diff read, one student overridden, another extended, posted again: each edited once."""
    class_ = world("class", 8)
    class_.everything()
    course, run = class_.course, class_.run
    before = class_.posts()

    # The hidden check of the box asked for too much; who forgets to keep the result is let off.
    change(
        course,
        "solutions/mini/checks/test_box.py",
        "approx(4 * x)",
        "approx(x) or box.number == approx(4 * x)",
    )
    change(
        course,
        "assignments/mini/checks/test_box.py",
        "assert box.number == approx(5.0)",
        "assert box.number in (2.5, approx(5.0))",
    )
    code, text = run("batch", "mini")
    assert (code, text.splitlines()[0].partition(" in ")[0]) == (0, "8 students: 8 graded")

    code, text = run("diff")
    assert code == 1
    assert text == snapshot

    assert run("override", "points", "s01", "double", "30", "--why", "half of the idea")[0] == 0
    put(course, "solutions/mini/extensions.csv", "student,due,why\ns07,+2d,ill\n")
    code, text = run("diff")
    assert text == snapshot
    assert "8 students, 3 change.\n" in text

    code, text = run("post", "mini", "--dry-run")
    assert text == snapshot
    code, text = run("post", "mini", "--yes", "--why", "the check asked for too much")
    assert (code, text.count("  edited the issue")) == (0, 3)
    told = {name: shown["issues"][0][1] for name, shown in class_.posts().items() if shown["issues"]}
    reason = (
        "`box` counts 40 points instead of 0, because the check was mended: the check asked for too much ("
    )
    assert [name for name, body in told.items() if reason in body] == ["course/mini-s02"]
    assert [name for name, body in told.items() if "asked for too much" in body] == ["course/mini-s02"]
    assert run("diff") == snapshot
    edited = {name for name, shown in class_.posts().items() if shown["issues"] != before[name]["issues"]}
    assert edited == {"course/mini-s01", "course/mini-s02", "course/mini-s07"}
    assert [i[3] for name in sorted(edited) for i in class_.posts()[name]["issues"]] == [1, 1, 1]
    with Store(course / "results.db") as store:
        (word,) = store.overrides("mini")
    assert (word.student, word.check, word.points, word.why) == ("s01", "double", 30, "half of the idea")
