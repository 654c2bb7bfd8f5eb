"""`grade watch`, with real files: every save is graded, and the page stays where it is."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import GRADE, grade, notebook
from minicourse import FILES, change, put

from grader.practice.page import changes_between, fit
from grader.report import CheckResult, Outcome, Report, from_json

if sys.platform == "win32":
    pytest.skip("there are no terminals of this kind", allow_module_level=True)
from terminal import Terminal

BOX = "class Box:\n    def __init__(self, number):\n        self.number = number\n    def grow(self):\n"
GOOD = notebook("def double(x):\n    return x + x\n", BOX + "        self.number = double(self.number)\n")
HALF = notebook("def double(x):\n    return x + x\n", BOX + "        double(self.number)\n")
LOOP = notebook("while True:\n    pass\n")
MINE = "assignments/mini/mini.ipynb"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small course with half of the work done."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    put(tmp_path, MINE, HALF)
    return tmp_path


@pytest.fixture
def watched(root: Path):
    """A terminal in which it is watched, with the first page on it."""
    with Terminal([GRADE, "watch", "mini"], root) as terminal:
        terminal.until("60 of 100 points")
        yield terminal


def test_from_save_to_screen(root: Path, watched: Terminal):
    """The page shows the change with its points, does not scroll and shows no typed keys."""
    assert "watching: each save is graded again. Ctrl-C ends it." in watched.text
    assert not watched.echoes
    scrolled = watched.display.scrolled
    put(root, MINE, GOOD)
    watched.until("100 of 100 points")  # the last line of the page: what stands above it is there
    assert "box passed now, +40" in watched.text
    assert watched.display.scrolled == scrolled
    assert from_json((root / "feedback/mini.json").read_bytes()).score == 100


@pytest.mark.ci
def test_a_save_of_the_same_code(root: Path, watched: Terminal):
    """An editor has run the cells: the report is of the new file, and no check has changed."""
    put(root, MINE, HALF.replace('"execution_count": null', '"execution_count": 7'))
    watched.until("graded again; no check has changed")
    watched.until("60 of 100 points")
    after = from_json((root / "feedback/mini.json").read_bytes())
    assert hashlib.sha256((root / MINE).read_bytes()).hexdigest() == after.submission.sha256
    put(root, MINE, GOOD)
    watched.until("100 of 100 points")


@pytest.mark.ci
def test_editors_save_in_many_ways(root: Path, watched: Terminal):
    """By renaming, after removing, and in two halves."""
    (root / "new").write_text(GOOD, encoding="utf-8")
    (root / "new").replace(root / MINE)
    watched.until("100 of 100 points")

    (root / MINE).unlink()
    watched.until("mini.ipynb is gone")
    assert "100 of 100 points" in watched.text
    put(root, MINE, HALF)
    watched.until("60 of 100 points")

    put(root, MINE, GOOD[:200])
    watched.until("The notebook is not complete yet: the notebook ends in the middle")
    assert "60 of 100 points" in watched.text
    put(root, MINE, GOOD)
    watched.until("100 of 100 points")


@pytest.mark.whole
def test_the_folder_goes_and_comes_back(root: Path, watched: Terminal):
    """Another version of everything is checked out."""
    (root / "assignments").rename(root / "elsewhere")
    watched.until(lambda text: "cannot be used" in text or "not there any more" in text)
    put(root, "elsewhere/mini/mini.ipynb", GOOD)
    (root / "elsewhere").rename(root / "assignments")
    watched.until("100 of 100 points")


@pytest.mark.ci
def test_a_loop_does_not_hold_up_the_next_save(root: Path):
    """It is given up when the file is saved again, long before its time is over."""
    change(
        root,
        "assignments/mini/assignment.yaml",
        "checks:",
        "limits: {load_seconds: 500, total_seconds: 500}\nchecks:",
    )
    with Terminal([GRADE, "watch", "mini"], root) as terminal:
        terminal.until("60 of 100 points")
        put(root, MINE, LOOP)
        terminal.until("grading; it takes longer than usual")
        put(root, MINE, GOOD)
        terminal.until("100 of 100 points")


@pytest.mark.ci
def test_the_checks_change(root: Path, watched: Terminal):
    """The session starts again; the fault of a manifest is shown until it is fixed."""
    change(root, "assignments/mini/checks/test_box.py", "approx(5.0)", "approx(2.5)")
    put(
        root,
        "solutions/mini/checks/test_box.py",
        FILES["assignments/mini/checks/test_box.py"].replace("5.0", "2.5"),
    )
    watched.until("100 of 100 points")
    manifest = change(root, "assignments/mini/assignment.yaml", "points: 60", "pints: 60")
    watched.until("unknown key `checks.double.pints`")
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace("pints: 60", "points: 70"), encoding="utf-8"
    )
    watched.until("110 of 110 points")


@pytest.mark.whole
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_launcher_dies(root: Path, watched: Terminal):
    """Another one takes its place."""
    for child in children(watched.process.pid):
        os.kill(child, signal.SIGKILL)
    put(root, MINE, GOOD)
    watched.until("100 of 100 points")


@pytest.mark.ci
def test_a_small_window(root: Path, watched: Terminal):
    """The page is cut, says by how much, and the next step is there; with room it is whole again."""
    watched.resize(80, 12)
    watched.until("Next: look at box and save.")  # the last line of the window
    assert "more lines; make the window taller to see them" in watched.text
    assert watched.text.splitlines()[11] == "Next: look at box and save."
    watched.resize(80, 40)
    watched.until("passed     double")
    assert "more lines" not in watched.text


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.whole)])
def test_the_end(root: Path, watched: Terminal, number: int):
    """Exit code 0, the last page stays, the terminal is as it was."""
    assert watched.end(number) == 0
    assert "60 of 100 points" in watched.text
    assert watched.display.rows[watched.display.row] == ""
    assert watched.display.cursor
    assert not watched.display.alternate
    assert watched.echoes


@pytest.mark.ci
def test_one_check(root: Path):
    """Its points alone, and nothing is kept for the overview."""
    with Terminal([GRADE, "watch", "mini", "--check", "box"], root) as terminal:
        terminal.until("0 of 40 points for box.")
        put(root, MINE, GOOD)
        terminal.until("40 of 40 points for box.")
    assert not (root / "feedback").exists()


@pytest.mark.ci
def test_into_a_pipe(root: Path):
    """One report after the other, without any command to a terminal."""
    command = [GRADE, "watch", "mini"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        lines = iter(process.stdout)
        first = [next(lines)]
        while "Next:" not in first[-1]:
            first.append(next(lines))
        put(root, MINE, GOOD)
        second = [line for line, _ in zip(lines, range(3))]
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert "box passed now, +40" in "".join(second)
    assert "\x1b" not in "".join([*first, *second, rest])


@pytest.mark.ci
def test_wrong_names(root: Path):
    """A wrong name is refused at once."""
    assert grade("watch", "mnii", cwd=root).code == 2
    assert "did you mean `box`?" in grade("watch", "mini", "--check", "bxo", cwd=root).text
    assert "no such file" in grade("watch", "mini", "nothing.ipynb", cwd=root).text


def test_the_foot_of_a_page_is_always_there(snapshot):
    """Whatever the height."""
    page = [*(f"line {i}" for i in range(30)), "", "60 points", "Next: go on"]
    for height in range(1, 40):
        lines = fit(["status", ""], page, height)
        assert len(lines) <= height
        assert lines[-1] == "Next: go on"
    assert fit(["status", ""], page, 11) == snapshot


def report(**outcomes: str) -> Report:
    """A report with checks of 10 points each."""
    checks = [
        CheckResult(name, "", Outcome(outcome), 10.0 * (outcome == "passed"), 10.0, "both")
        for name, outcome in outcomes.items()
    ]
    made = from_json(
        '{"assignment": {"id": "m", "title": ""}, "submission": {"path": "", "sha256": "", "modified": ""},'
        '"grader": {"version": "", "suite_sha256": "", "python": "", "isolation": []}, "started": "",'
        '"seconds": 0, "score": 0, "max_score": 0, "outcome": "failed", "hidden_checks": true, "checks": []}'
    )
    made.checks = checks
    return made


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": "failed"}, {"a": "passed"}, "a passed now, +10"),
        ({"a": "passed"}, {"a": "failed"}, "a failed now, -10"),
        ({"a": "todo"}, {"a": "failed"}, "a failed now"),
        (
            {"a": "passed", "b": "passed"},
            {"a": "failed", "b": "blocked"},
            "a failed now, -10; 1 more waits, -10",
        ),
        ({"a": "passed"}, {"a": "passed"}, "graded again; no check has changed"),
        ({"a": "todo", "b": "passed"}, {"a": "passed", "c": "passed"}, "a passed now, +10"),
        (
            {"a": "failed", "b": "passed"},
            {"a": "passed", "b": "manual"},
            "a passed now, +10; b manual now, -10",
        ),
    ],
)
def test_what_changed(before: dict[str, str], after: dict[str, str], told: str):
    """In words, with the points."""
    assert changes_between(report(**before), report(**after)) == told


def children(parent: int) -> list[int]:
    """The processes that a process has started (Linux)."""
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
