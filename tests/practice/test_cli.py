"""The command line: help, progress, exit codes, the feedback file."""

import json
from pathlib import Path

import click
import pytest
from helpers import COURSE, cells, grade, hand_in, notebook, reference, same_as_snapshot, stub_name
from minicourse import FILES, change, put
from wrongengines import MULTIPLY

from grader import assignment
from grader.assignment import Course
from grader.cli import ROOMS, main
from grader.manifest import read_manifest
from grader.practice.progress import render_progress


@pytest.mark.ci
def test_a_student_mends_a_rule(course: Path, snapshot):
    """From the notebook to full marks, by the command as it is installed: edit, grade, read the hint, mend, grade."""
    mine = course / "assignments" / "day2" / stub_name("day2")
    blocks = cells("day2")
    wrong = [block.replace(MULTIPLY, MULTIPLY.replace("other.data", "self.data")) for block in blocks]
    assert wrong != blocks
    (course / "solutions").rename(course / "elsewhere")  # a student has none

    mine.write_text(notebook(*wrong), encoding="utf-8")
    first = grade("day2", cwd=course, cold=True)
    hint = grade("hint", "day2", cwd=course, cold=True)
    mine.write_text(notebook(*blocks), encoding="utf-8")
    second = grade("day2", cwd=course, cold=True)

    assert (first.code, hint.code, second.code) == (1, 0, 0)
    assert "a.grad += a.data * out.grad" in first.out
    assert [line for line in first.out.splitlines() if "points" in line] == snapshot
    assert hint.out == snapshot
    assert "100 of 100 points" in second.out
    assert "100/100" in grade(cwd=course).out


@pytest.mark.parametrize("name", ROOMS)
def test_every_command_has_help_with_an_example(name):
    """The page docs/commands.md is made from it."""
    command = main.get_command(click.Context(main), name)
    assert command.name == name
    assert command.help
    assert f"grade {name}" in command.get_help(click.Context(main)).partition("Examples:")[2]


def test_help_lists_the_assignments(snapshot):
    """A newcomer sees what can be graded here."""
    assert grade("--help", cwd=COURSE).out == snapshot


def test_progress_before_any_grading(course: Path, snapshot):
    """Every assignment, and the first thing to do last."""
    ran = grade(cwd=course)
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == snapshot


@pytest.mark.ci
def test_progress_after_grading(course: Path, snapshot):
    """Points, and the check to go on with."""
    grade("day1", cwd=course)
    ran = grade(cwd=course)
    assert ran.out == snapshot
    assert ran.out.splitlines()[-1] == snapshot


@pytest.mark.ci
def test_progress_tells_a_changed_file(course: Path, snapshot):
    """Points of an older version of the file are reported as such."""
    grade("day2", cwd=course)
    notebook = course / "assignments" / "day2" / "day2_backward_pass.ipynb"
    notebook.write_text(notebook.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert grade(cwd=course).out == snapshot


def test_full_marks_exit_with_0_and_leave_the_feedback_file(course: Path):
    """feedback/day2.json is the report that `--format json` prints."""
    path = hand_in(course, reference("day2"), "mine.py")
    ran = grade("day2", path, "--format", "json", cwd=course)
    assert ran.code == 0
    assert json.loads((course / "feedback" / "day2.json").read_text(encoding="utf-8")) == json.loads(ran.out)


@pytest.mark.ci
def test_output_goes_to_a_file(course: Path, tmp_path: Path):
    """`--output` writes what would have been printed."""
    ran = grade("day2", "--output", tmp_path / "report.txt", cwd=course)
    assert ran.out == ""
    assert "0 of 100 points" in (tmp_path / "report.txt").read_text(encoding="utf-8")


def test_without_solutions_it_never_says_that_everything_passed(course: Path, snapshot):
    """On a student's machine the visible checks pass, and the hidden ones are still to come."""
    path = hand_in(course, reference("day2"), "mine.py")
    (course / "solutions").rename(course / "elsewhere")
    ran = grade("day2", path, cwd=course)
    assert ran.code == 0
    assert ran.out == snapshot
    assert ran.out.splitlines()[-1].startswith("Next: push your work")


@pytest.fixture
def two_days(tmp_path: Path) -> Path:
    """A small course with two assignments; it does not change when the course of this repository does."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
        put(tmp_path, name.replace("mini", "more"), text.replace("mini.ipynb", "more.ipynb"))
    return tmp_path


def test_the_help_teaches(two_days: Path):
    """A student's day in five lines, and which commands are for whom."""
    same_as_snapshot("help", grade("--help", cwd=two_days, env={"COLUMNS": "80"}).out)


@pytest.mark.parametrize(
    "words", ["", "more", "hint more double", "reset more", "validate more --check double"]
)
def test_a_manifest_is_parsed_once(two_days: Path, monkeypatch: pytest.MonkeyPatch, words: str):
    """A command that asks for an assignment again, also as the earlier one of another, gets the same object."""
    for name in ("mini", "more"):
        put(two_days, f"assignments/{name}/{name}.ipynb", notebook("x = 1\n"))
        put(two_days, f"assignments/{name}/checks/stub.ipynb", notebook("x = 2\n"))
    change(
        two_days, "assignments/more/assignment.yaml", "title: Doubling\n", "title: More\ncontinues: mini\n"
    )
    parsed = []
    monkeypatch.setattr(assignment, "read_manifest", lambda path: parsed.append(path) or read_manifest(path))
    monkeypatch.chdir(two_days)

    with pytest.raises(SystemExit):
        main.main(words.split())

    assert two_days / "assignments/more/assignment.yaml" in parsed
    assert len(parsed) == len(set(parsed)), parsed


def test_mistyped_outside_of_any_course(tmp_path: Path, snapshot):
    """A command that is nearly right is reported before the missing course."""
    ran = grade("wacth", "day2", cwd=tmp_path)
    assert ran.code == 2
    assert ran.text == snapshot


@pytest.mark.ci
def test_one_check_speaks_of_itself_alone(course: Path, snapshot):
    """Its points, and the same command again; the last whole report is kept."""
    ran = grade("day2", "--check", "swap_rule", cwd=course)
    assert not (course / "feedback").exists()
    assert ran.out == snapshot
    assert ran.text == snapshot
    path = hand_in(course, reference("day2"), "mine.py")
    done = grade("day2", path, "--check", "swap_rule", cwd=course)
    assert done.out.splitlines()[-1] == snapshot


@pytest.mark.ci
def test_what_others_wrote_leaves_ones_own_points(course: Path, tmp_path: Path):
    """Neither their file nor the instructor's reference changes what is kept of one's own."""
    theirs = hand_in(tmp_path, reference("day2"), "theirs.py")
    grade("day2", hand_in(course, "x = 1\n", "mine.py"), cwd=course)
    kept = (course / "feedback" / "day2.json").read_bytes()
    assert grade("day2", theirs, cwd=course).code == 0
    assert grade("day2", "solutions/day2/day2_backward_pass.py", cwd=course).code == 0
    assert (course / "feedback" / "day2.json").read_bytes() == kept
    (course / "feedback" / "day2.json").unlink()
    assert grade("day2", theirs, cwd=course).code == 0
    assert "not graded yet" in grade(cwd=course).out


@pytest.mark.ci
def test_a_name_that_cleaning_changes_is_still_current(course: Path):
    """The report shows a file's name without what is invisible; the file itself is looked at."""
    path = hand_in(course, "x = 1\n", "my\u200bwork.py")
    grade("day2", path, cwd=course)
    shown = grade(cwd=course).out
    assert ("0/100" in shown, "the file has changed since" in shown) == (True, False), shown


def test_the_overview_adds_up(two_days: Path):
    """Each day on its line, the points of all, the next step with its file."""
    grade("mini", hand_in(two_days, "def double(x):\n    return x + x\n", "mine.py"), cwd=two_days)
    same_as_snapshot("progress", grade(cwd=two_days).out)


def test_the_overview_in_a_narrow_window(two_days: Path):
    """Titles have no room there; what counts has."""
    wide = render_progress(Course(two_days), 100).splitlines()
    narrow = render_progress(Course(two_days), 40).splitlines()

    assert max(map(len, narrow)) <= 40 < max(map(len, wide[:2]))
    for short, long in zip(narrow[:2], wide[:2], strict=True):
        assert (short.split()[0], short.rpartition("  ")[2]) == (long.split()[0], long.rpartition("  ")[2])


@pytest.mark.ci
def test_the_environment_has_no_say(tmp_path: Path):
    """A variable of click's own would print something else than the grade, with the exit code of full marks."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    put(tmp_path, "mine.py", "def double(x):\n    return x * x\n")
    env = {"_GRADE_COMPLETE": "bash_source", "COMP_WORDS": "grade mi", "COMP_CWORD": "1"}
    ran = grade("mini", "mine.py", cwd=tmp_path, env=env)
    assert ran.code == 1
    assert "0 of 100 points" in ran.out
    assert grade("mini", "--help", cwd=tmp_path, env=env).out.startswith("Usage: grade mini")
    assert grade(cwd=tmp_path, env=env).out.startswith("  mini")
