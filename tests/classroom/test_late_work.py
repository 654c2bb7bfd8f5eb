"""Late is the work, not the push: students who did nothing wrong, from their pushes to their grades."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest
from github_server import GitHub
from handing import released
from whole_class import World

KINDS = [
    "merged_the_fix",
    "bot_pushed",
    "only_notes",
    "teacher_pushed",
    "spoiled",
    "improved",
    "reverted",
    "late",
    "ran_again",
    "beside",
    "idle",
]


class Story(World):
    """One student of each kind."""

    kinds = KINDS

    def student(self, kind: str) -> str:
        return self.students[KINDS.index(kind)]

    def letter(self, kind: str) -> str:
        """The text that the student finds on GitHub."""
        (issue,) = self.repository(self.student(kind)).issues.values()
        return issue.body

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
def class_(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Distributed, worked in, collected, graded, reported and posted by the real commands, once."""
    root = tmp_path_factory.mktemp("story")
    with GitHub(root / "github") as github:
        story = Story(root, github, released(root / "released"), len(KINDS))
        told = story.everything()
        assert [code for code, _ in told.values()] == [0, 0, 0, 0], told
        story.told = {name: text for name, (_, text) in told.items()} | {
            "report": story.run("report", "mini")[1]
        }
        yield story


def test_grades_are_fair(class_: Story):
    """A push that left the work alone, or was not the student's, costs no points."""
    assert class_.scores() == {
        "merged_the_fix": 100,
        "bot_pushed": 100,
        "only_notes": 100,
        "teacher_pushed": 100,
        "spoiled": 100,
        "improved": 90,
        "reverted": 100,
        "late": 80,
        "ran_again": 100,
        "beside": 0,
        "idle": 0,
    }


def test_merged_the_fix_late(class_: Story, snapshot):
    """The merge leaves the notebook as it was: the work is that of the push in time, and the fix is no drift."""
    assert "pushed 2026-12-02 10:00:00 UTC" in class_.line("merged_the_fix")
    assert class_.row("merged_the_fix") == snapshot
    assert "pushed 2026-12-02 10:00 UTC." in class_.letter("merged_the_fix")
    assert "handed in" not in class_.letter("merged_the_fix")


def test_a_bot_pushed_late(class_: Story, snapshot):
    """Its change of the notebook is not taken, and the instructor reads why."""
    assert class_.row("bot_pushed") == snapshot
    letter = class_.letter("bot_pushed")
    assert "100 of 100 points" in letter
    told = "A push of `github-actions[bot]` on 2026-12-05 10:00 UTC changed the work and was not taken."
    assert f"\n- {told}\n" in letter


def test_pushed_by_the_teacher(class_: Story, snapshot):
    """In time and late: neither is the student's work."""
    row = class_.row("teacher_pushed")
    assert row == snapshot


def test_only_notes_late(class_: Story):
    """Three late pushes of another file cost nothing."""
    (student, note) = (
        class_.student("only_notes"),
        "the push of 2026-12-06 10:00:00 UTC did not change the work",
    )
    assert class_.row("only_notes") == f"  {student}     100/100  {note}"


def test_a_push_after_the_last_day(class_: Story, snapshot):
    """It does not count: the student reads it, and the instructor sees it everywhere."""
    told = "pushed again 2026-12-20 10:00 UTC, 13 days 10 hours too late"
    assert told in class_.line("late")
    assert told in class_.row("late")
    assert told == class_.cells("late")["too_late"]
    assert told in class_.page()
    assert class_.letter("late") == snapshot


def test_who_changed_nothing_reads_why(class_: Story):
    """A note, outputs and another file are no work, and no time is said of the template's push."""
    for kind, state, told in (
        (
            "beside",
            "untouched",
            "In the notebook nothing that is graded was changed: its code is as you got it.",
        ),
        ("idle", "pushed nothing", "since it was made: the notebook is as you got it."),
    ):
        assert class_.cells(kind)["state"] == state
        assert "pushed 2026" not in class_.line(kind)
        assert told in class_.letter(kind)
        assert "handed in" not in class_.letter(kind)
        assert "pushed 2026" not in class_.letter(kind)


def test_run_again_late(class_: Story):
    """Outputs, execution counts and a note are no code: nothing is late, and there are no two versions."""
    assert "pushed 2026-12-02 10:00:00 UTC" in class_.line("ran_again")
    note = "the push of 2026-12-05 10:00:00 UTC did not change the work"
    assert class_.row("ran_again") == f"  {class_.student('ran_again')}     100/100  {note}"


def test_a_bad_late_push_after_full_marks(class_: Story, snapshot):
    """The work in time counts; instructor and student see what the late one would have given."""
    assert class_.row("spoiled") == snapshot
    letter = class_.letter("spoiled")
    assert "100 of 100 points" in letter
    assert letter == snapshot


def test_better_work_a_day_late(class_: Story, snapshot):
    """The late work counts with its penalty, by the day when it came and not by the last push."""
    assert "1 d late, -10" in class_.row("improved")
    assert class_.row("improved") == snapshot
    letter = class_.letter("improved")
    assert "1 d late" not in letter
    assert letter == snapshot


def test_both_versions_are_kept(class_: Story):
    """On the disk and in the results file; no other student has two."""
    folder = class_.root / "mini-works"
    both = sorted(path.parent.name for path in folder.glob("*/in_time"))
    assert both == sorted(class_.student(kind) for kind in ("spoiled", "improved", "late"))
