"""A class from its repositories to its grades: late is the work, not the push; killed anywhere, and corrected."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest
from github_server import GitHub
from handing import released
from minicourse import change, put
from whole_class import KINDS, World

from grader.gradebook.store import Store

# Requests by their number, and whether their work is done; results by their count.
TWELVE = {
    "open": [(9, True), (16, False), (40, True)],
    "collect": [(7, False), (12, True), (20, False)],
    "batch": [1, 11, 20],
    "post": [(2, True), (15, False), (25, True)],
}


class Story(World):
    """One student of each kind, and what each command told of the class."""

    told: dict[str, str]

    def student(self, kind: str) -> str:
        return self.students[KINDS.index(kind)]

    def letter(self, kind: str) -> str:
        """The beginning of the text that the student finds on GitHub."""
        (issue,) = self.repository(self.student(kind)).issues.values()
        return issue.body.partition("\n\nIf you think")[0]

    def row(self, kind: str) -> str:
        """The student's row in the instructor's report."""
        (line,) = [
            line for line in self.told["report"].splitlines() if line.startswith(f"  {self.student(kind)} ")
        ]
        return line

    def cells(self, kind: str) -> dict[str, str]:
        """The student's line of the CSV, by its columns."""
        _, text = self.run("report", "mini", "--format", "csv")
        return next(row for row in csv.DictReader(text.splitlines()) if row["student"] == self.student(kind))

    def page(self) -> str:
        """The class page, with the page of its table."""
        self.run("report", "mini", "--html", "mini.html")
        return "".join(path.read_text(encoding="utf-8") for path in self.course.rglob("*.html"))

    def line(self, kind: str) -> str:
        """The student's line of `grade collect`."""
        return next(line for line in self.told["collect"].splitlines() if f"  {self.student(kind)}  " in line)


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


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, template: dict[str, bytes]) -> Iterator[Story]:
    """Distributed, worked in, collected, graded, reported and posted by the real commands, once."""
    root = tmp_path_factory.mktemp("story")
    with GitHub(root / "github") as github:
        made = Story(root, github, template, len(KINDS))
        told = made.everything()
        codes = {name: code for name, (code, _) in told.items()}
        assert codes == {"open": 0, "collect": 1, "batch": 1, "post": 0}, told
        made.told = {name: text for name, (_, text) in told.items()}
        made.told["report"] = made.run("report", "mini")[1]
        yield made


def test_everybody_gets_what_they_earned(story: Story, snapshot):
    """One of each kind: good, wrong, hostile, empty, late, with drift, force-pushed, renamed, gone, elsewhere, absent.

    A push that left the work alone, or was not the student's, costs no points.
    """
    assert story.scores() == {
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
        "beside": 0,
        "idle": 0,
    }
    assert "test_box.py" in story.told["collect"]
    there = [
        story.repository(s)
        for s, kind in zip(story.students, KINDS, strict=True)
        if kind not in {"renamed", "gone"}
    ]
    bodies = {its.name.removeprefix("course/mini-"): i.body for its in there for i in its.issues.values()}
    assert bodies["s19"] == snapshot
    assert len(bodies) == len(KINDS) - 4
    assert_told(story.told["report"])


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


# --- Late is the work, not the push


def test_merged_the_fix_late(story: Story, snapshot):
    """The merge leaves the notebook as it was: the work is that of the push on time, and the fix is no drift."""
    assert "pushed 2025-12-02 10:00:00 UTC" in story.line("merged_the_fix")
    assert story.row("merged_the_fix") == snapshot
    assert "pushed 2025-12-02 10:00 UTC." in story.letter("merged_the_fix")
    assert "handed in" not in story.letter("merged_the_fix")


def test_a_bot_pushed_late(story: Story, snapshot):
    """Its change of the notebook is not taken, and the instructor reads why."""
    assert story.row("bot_pushed") == snapshot
    letter = story.letter("bot_pushed")
    assert "100 of 100 points" in letter
    told = "A push by `github-actions[bot]` on 2025-12-05 10:00 UTC changed the work and does not count."
    assert f"\n- {told}" in letter


def test_pushed_by_the_teacher(story: Story, snapshot):
    """In time and late: neither is the student's work."""
    row = story.row("teacher_pushed")
    assert row == snapshot


def test_only_notes_late(story: Story):
    """Three late pushes of another file cost nothing."""
    (student, note) = (
        story.student("only_notes"),
        "the push of 2025-12-06 10:00:00 UTC has the same work as an earlier push, which counts",
    )
    assert story.row("only_notes") == f"  {student}     100/100  {note}"


def test_a_push_after_the_last_day(story: Story, snapshot):
    """It does not count: the student reads it, and the instructor sees it everywhere."""
    told = "pushed again 2025-12-20 10:00 UTC, 13 days 10 hours too late"
    assert told in story.line("late")
    assert told in story.row("late")
    assert told == story.cells("late")["too_late"]
    assert told in story.page()
    assert story.letter("late") == snapshot


def test_who_changed_nothing_reads_why(story: Story):
    """A note, outputs and another file are no work, and no time is said of the template's push."""
    for kind, state, told in (
        (
            "beside",
            "untouched",
            "Nothing that is graded was changed in the notebook.",
        ),
        ("idle", "pushed nothing", "since it was created, so the notebook is unchanged."),
    ):
        assert story.cells(kind)["state"] == state
        assert "pushed 2025" not in story.line(kind)
        assert told in story.letter(kind)
        assert "handed in" not in story.letter(kind)
        assert "pushed 2025" not in story.letter(kind)


def test_run_again_late(story: Story):
    """Outputs, execution counts and a note are no code: nothing is late, and there are no two versions."""
    assert "pushed 2025-12-02 10:00:00 UTC" in story.line("ran_again")
    note = "the push of 2025-12-05 10:00:00 UTC has the same work as an earlier push, which counts"
    assert story.row("ran_again") == f"  {story.student('ran_again')}     100/100  {note}"


def test_a_bad_late_push_after_full_marks(story: Story, snapshot):
    """The work on time counts; instructor and student see what the late one would have given."""
    assert story.row("spoiled") == snapshot
    letter = story.letter("spoiled")
    assert "100 of 100 points" in letter
    assert letter == snapshot


def test_better_work_a_day_late(story: Story, snapshot):
    """The late work counts with its penalty, by the day when it came and not by the last push."""
    assert "1 d late, -10" in story.row("improved")
    assert story.row("improved") == snapshot
    letter = story.letter("improved")
    assert "1 d late" not in letter
    assert letter == snapshot


def test_both_versions_are_kept(story: Story):
    """On the disk and in the results file; no other student has two."""
    folder = story.root / "mini-works"
    both = sorted(path.parent.name for path in folder.glob("*/in_time"))
    assert both == sorted(story.student(kind) for kind in ("spoiled", "improved", "late"))


# --- Disturbed, and corrected


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
def test_everybody_gets_the_same_after_twelve_kills(world, story):
    """Store and posts are those of an undisturbed run."""
    killed = world("killed", len(KINDS))
    killed.everything(TWELVE)
    assert killed.store() == story.store()
    assert killed.posts() == story.posts()


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
    assert "Grades that change: 3 of 8.\n" in text

    code, text = run("post", "mini", "--dry-run")
    assert text == snapshot
    code, text = run("post", "mini", "--yes")
    assert (code, text.count("  issue edited")) == (0, 3)
    assert run("diff") == snapshot
    edited = {name for name, shown in class_.posts().items() if shown["issues"] != before[name]["issues"]}
    assert edited == {"course/mini-s01", "course/mini-s02", "course/mini-s07"}
    assert [i[3] for name in sorted(edited) for i in class_.posts()[name]["issues"]] == [1, 1, 1]
    with Store(course / "results.db") as store:
        (word,) = store.overrides("mini")
    assert (word.student, word.check, word.points, word.why) == ("s01", "double", 30, "half of the idea")
