"""A released template as a student gets it: nothing of `solutions/` in it, and every command of its pages works.

All days are released and pushed, with the wheel that the release makes, and the student clones that.
"""

from __future__ import annotations

import functools
import io
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from actions import Run, run_job
from helpers import COURSE, cells, notebook, stub_name
from releasing import ADA, git, lessons, tree
from traces import files, secrets, squeezed, strings, traces

from grader.assignment import Course
from grader.classroom.release.release import release_folder

posix = pytest.mark.skipif(os.name == "nt", reason="the lines for Linux and macOS")
PAGE = (COURSE / "docs" / "students.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt && .venv/bin/grade day1"
NOT_COMPILED = ("PIP_NO_COMPILE", "0")  # pip's way to say yes; of what it installs, little is imported
NOTEBOOKS = ".venv/bin/pip install -q -r requirements-notebook.txt"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The template, the wheel in it, and the remote that it was pushed to."""
    top = tmp_path_factory.mktemp("released")
    git("init", "-q", "--bare", "-b", "main", "remote.git", cwd=top)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (ADA | {"GIT_CONFIG_GLOBAL": os.devnull}).items():
            patch.setenv(name, value)
        patch.setattr(metadata, "packages_distributions", functools.cache(metadata.packages_distributions))
        course = Course(lessons(top / "course"))
        release_folder(course, (), top / "template", push=str(top / "remote.git"))
        for day in course.names:
            release_folder(course, [day], top / "bundles" / day, bundle=True)
        (wheel,) = (top / "template/vendor").glob("*.whl")
        yield SimpleNamespace(
            wheel=wheel, template=top / "template", remote=top / "remote.git", bundles=top / "bundles"
        )


# --- Nothing that a student may not see


@pytest.fixture(scope="module")
def hidden() -> set[str]:
    """The texts of the course's `solutions/` that no release may contain."""
    return secrets(COURSE)


def test_no_trace_of_the_solutions(released: SimpleNamespace, hidden: set[str]) -> None:
    """No line of a hidden check, no solution, no mistake, salt, number or fingerprint, in no file."""
    assert len(hidden) > 1_500
    assert traces(tree(released.template), hidden) == []
    assert traces(tree(released.bundles), hidden) == []


@pytest.mark.ci
def test_a_planted_line_is_found(released: SimpleNamespace, hidden: set[str]) -> None:
    """A line of a hidden check; its words alone; in a notebook's JSON; without blanks; a salt, a number; in a wheel."""
    given = tree(released.template)
    (check,) = (COURSE / "solutions/day2/checks").glob("test_swap_rule.py")
    source = check.read_text(encoding="utf-8")
    line = next(row.strip() for row in source.splitlines() if squeezed(row) in hidden)
    words = next(text for text in sorted(strings(source)) if squeezed(text) in hidden)
    salt = (COURSE / "solutions/day2/salt.txt").read_text(encoding="utf-8").strip()
    number = max(re.findall(r"-?\d+\.\d{12,}", (COURSE / "solutions/day2/checks/parity.json").read_text()))
    archive = next(name for name in given if name.endswith(".whl"))
    planted = {
        "README.md": given["README.md"] + line.encode(),
        "docs/students.md": given["docs/students.md"] + f"> {words}".encode(),
        "docs/notebooks.md": given["docs/notebooks.md"] + "".join(line.split()).encode(),
        "assignments/day1/day1_forward_pass.ipynb": notebook(f'x = "\\t"\n    {line}\n').encode(),
        "constraints.txt": given["constraints.txt"] + f"# {salt}".encode(),
        ".gitignore": number.encode(),
        archive: with_member(given[archive], "grader/data.txt", line),
    }

    found = {name.removesuffix("/grader/data.txt") for name, _ in traces(given | planted, hidden)}

    assert found == set(planted)


def with_member(archive: bytes, name: str, text: str) -> bytes:
    """An archive with one more file."""
    data = io.BytesIO(archive)
    with zipfile.ZipFile(data, "a") as opened:
        opened.writestr(name, text)
    return data.getvalue()


def test_the_wheel_brings_the_pages(released: SimpleNamespace) -> None:
    """An instructor with a course of their own has no checkout of Backgrade."""
    with zipfile.ZipFile(released.wheel) as opened:
        page = opened.read("grader/classroom/release/template/docs/students.md")

    assert page.decode() == PAGE


def test_the_wheel_brings_the_built_player(released: SimpleNamespace) -> None:
    """And nothing that it was built from: a developer's node_modules has thousands of files."""
    with zipfile.ZipFile(released.wheel) as opened:
        found = {name for name in opened.namelist() if name.startswith("grader/render/player/")}

    built = ("__init__.py", "player.css", "player.js")
    pages = ("iframe.html", "inline.html", "play.html")
    assert found == {f"grader/render/player/{name}" for name in (*built, *pages)}


@pytest.mark.ci
def test_the_wheel_is_the_one_that_a_build_makes(released: SimpleNamespace, tmp_path: Path) -> None:
    """Every file, byte for byte; METADATA holds the README of the day of the install, so only its fields count."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, COURSE]
    subprocess.run([str(word) for word in build], check=True, capture_output=True)
    (built,) = tmp_path.glob("*.whl")

    assert released.wheel.name == built.name
    assert members(released.wheel) == members(built)


def members(wheel: Path) -> dict[str, bytes]:
    """The files in a wheel by name; of METADATA the fields, of RECORD only that it is there."""
    with zipfile.ZipFile(wheel) as opened:
        found = {name: opened.read(name) for name in opened.namelist()}
    (noted,) = {name.partition("/")[0] for name in found if ".dist-info/" in name}
    fields = found[f"{noted}/METADATA"].partition(b"\n\n")[0]
    return found | {f"{noted}/METADATA": fields, f"{noted}/RECORD": b""}


@pytest.mark.ci
@posix
def test_an_installed_wheel_makes_the_same_wheel(released: SimpleNamespace, tmp_path: Path) -> None:
    """An instructor need not have a checkout."""
    course = lessons(tmp_path / "course", ["day1"])
    borrow(course, released.wheel)

    done = subprocess.run(
        [course / ".venv/bin/grade", "release", tmp_path / "again"],
        cwd=course,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again/vendor" / released.wheel.name).read_bytes() == released.wheel.read_bytes()


# --- What its pages say


def commands(page: str) -> list[str]:
    """Every command of a page for Linux and macOS, once each, in its order."""
    fenced = re.findall(r"^```sh\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    lines = [*"\n".join(fenced).split("\n"), *re.findall(r"^    (\S.*)$", page, flags=re.MULTILINE)]
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL))
    known = {"grade", ".venv/bin/grade", ".venv/bin/pip", "git", "source", "python3"}
    found = {c.strip() for c in [*lines, *spans] if c.split(" ")[0] in known}
    return sorted(found, key=lambda command: re.search(rf"{re.escape(command)}(?=[`\n])", page).start())  # type: ignore[union-attr]


ELSEWHERE = {  # told apart below, or asking for what no test has
    SET_UP,
    "git clone ADDRESS",
    "source .venv/bin/activate",
    "grade watch day1",
}


class Student:
    """Types the page's commands in a clone, in a shell in which `.venv` is active."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone

    def types(self, command: str, *, codes: tuple[int, ...] = (0,)) -> str:
        """Return the output of the command; it must end with one of these codes."""
        active = f"source .venv/bin/activate && {command}" if (self.clone / ".venv").is_dir() else command
        done = subprocess.run(
            ["bash", "-c", active],
            cwd=self.clone,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        text = done.stdout + done.stderr
        assert done.returncode in codes, f"{command}: exit code {done.returncode}\n{text}"
        assert "Traceback" not in text, text
        return done.stdout

    def spends_a_day(self) -> None:
        """Every command of the page, in its order."""
        from terminal import Terminal

        page, said = (self.clone / "docs/students.md").read_text(encoding="utf-8"), {}
        for command in (c for c in commands(page) if c not in ELSEWHERE):
            commit = git("rev-parse", "HEAD", cwd=self.clone)
            typed = command.replace("COMMIT", commit).replace("CHECK", "add")
            typed = typed.replace("grade play day1", "grade play day1 --no-browser")
            if command == "git add assignments":
                self.writes()
            said[command] = self.types(
                typed, codes=(0, 1) if re.search("grade (play )?day1", typed) else (0,)
            )
        with Terminal([self.clone / ".venv/bin/grade", "watch", "day1"], self.clone) as terminal:
            terminal.until("Ctrl-C")
            terminal.end(signal.SIGINT)
        assert "0 of 100 points" in said["grade day1"]
        assert "`grade hint day1` gives a hint." in said["grade"]
        assert said["grade hint day1 leaf"] != ""
        assert "is already the untouched notebook" in said["grade reset day1"]

    def writes(self) -> None:
        """Something into the notebook, which is then pushed."""
        path = self.clone / "assignments/day1/day1_forward_pass.ipynb"
        page = json.loads(path.read_text(encoding="utf-8"))
        page["cells"][0]["source"] = "# my own"
        path.write_text(json.dumps(page), encoding="utf-8")


def clone_of(released: SimpleNamespace, folder: Path) -> Student:
    """As the page says it: `git clone ADDRESS`, of a repository of the student's own."""
    git("clone", "-q", "--bare", released.remote, "students.git", cwd=folder.parent)
    git("clone", "-q", folder.parent / "students.git", folder, cwd=folder.parent)
    return Student(folder)


def test_the_page_begins_with_the_first_day(released: SimpleNamespace) -> None:
    """Every command of it is of day 1, and the tests below run these and not nothing."""
    found = commands((released.template / "docs/students.md").read_text(encoding="utf-8"))

    assert set(found) >= ELSEWHERE
    assert {"grade", "grade day1", "grade reset day1", "git push"} <= set(found)
    assert len(found) > 18
    assert not [command for command in found if "day2" in command]
    assert SET_UP in (released.template / "README.md").read_text(encoding="utf-8")


def borrow(clone: Path, wheel: Path) -> None:
    """A `.venv` with the wheel in it and the tests' own libraries behind it: no download, a second."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", clone / ".venv"], check=True)
    python = clone / ".venv/bin/python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-q",
        "--no-index",
        "--no-deps",
        wheel,
    ]
    subprocess.run([str(word) for word in install], check=True, capture_output=True)
    borrow_libraries(clone)


def borrow_libraries(clone: Path) -> None:
    """Put the tests' own libraries behind those that are installed in `.venv`."""
    (site,) = (clone / ".venv/lib").glob("python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        ours = path.name.lstrip("_").startswith(("backgrade", "editable", "grader", "pip"))
        if not ours and not (site / path.name).exists():
            (site / path.name).symlink_to(path)


@posix
@pytest.mark.ci
def test_a_student_with_a_real_install(
    released: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The set-up line to the letter, every command, and a check inside a notebook's own kernel.

    JupyterLab, with its hundred packages, is only resolved, at the course's pins. What the tests have of it is lent to the
    student before, with the kernel.
    """
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(*NOT_COMPILED)
    student = clone_of(released, tmp_path / "clone")

    first = student.types(SET_UP, codes=(1,))
    student.spends_a_day()

    assert git("log", "-1", "--format=%s", "main", cwd=tmp_path / "students.git") == "day1"
    assert "backgrade/report/v1" in (student.clone / "feedback/day1.json").read_text(encoding="utf-8")
    assert git("status", "--porcelain", cwd=student.clone) == ""  # what tools leave is ignored

    assert "0 of 100 points" in first
    assert "Installing" not in first
    assert student.types("pip list --format=freeze").count("torch==") == 0

    borrow_libraries(student.clone)
    assert " jupyterlab-" in student.types(NOTEBOOKS.replace("-q", "--dry-run"))
    (shown,) = outputs(student, 'from grader import check\ncheck("leaf")')
    assert "leaf" in "".join(shown["data"]["text/plain"])
    assert "text/html" in shown["data"]


def outputs(student: Student, source: str) -> list[dict[str, Any]]:
    """Return the outputs of a cell in a kernel of the student's `.venv`, in the folder of day 1."""
    path = student.clone / "assignments/day1/trial.ipynb"
    path.write_text(notebook(source), encoding="utf-8")
    run = "python -m nbconvert --to notebook --execute --stdout assignments/day1/trial.ipynb"
    cells: list[dict[str, Any]] = json.loads(student.types(run))["cells"]
    return list(cells[0]["outputs"])


# --- What its workflow does

DAYS = Course(COURSE).names
POINTS = {"broken": range(1, 100), "stub": [0], "reference": [100]}


def job(clone: Path, work: str, temp: Path, *, days: list[str], **runner: Any) -> Run:
    """The job of the template's own workflow, over this work on these days; other days' steps are left out."""
    for day in days if work != "stub" else []:
        text = notebook(*cells(day))
        if work == "broken" and day == "day2":
            text = text.replace("self.grad += other.data *", "self.grad += self.data *", 1)
        (clone / "assignments" / day / stub_name(day)).write_text(text, encoding="utf-8")
    workflow = (clone / ".github/workflows/grade.yml").read_text(encoding="utf-8")
    left = [f"Grade {day}" for day in DAYS if day not in days]
    return run_job(workflow, clone, temp, leave_out=(*runner.pop("leave_out", ()), *left), **runner)


@posix
@pytest.mark.ci
@pytest.mark.parametrize("work", POINTS)
def test_its_workflow_is_green(released: SimpleNamespace, tmp_path: Path, work: str) -> None:
    """Whatever the grade is; the points are in the outputs."""
    student = clone_of(released, tmp_path / "clone")

    run = job(student.clone, work, tmp_path / "temp", days=["day2"], leave_out=["Install"])

    assert run.green, run.step("day2").text
    assert float(run.step("day2").outputs["score"]) in POINTS[work]
    assert git("status", "--porcelain", "--", ".github", "feedback", cwd=student.clone) == ""


@pytest.mark.whole
@posix
def test_its_workflow_with_a_real_install(released: SimpleNamespace, tmp_path: Path) -> None:
    """On a Python that has pip alone, as a runner's: every step, two pushes, the second with every day."""
    student = clone_of(released, tmp_path / "clone")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "python"], check=True)
    (site,) = (tmp_path / "python/lib").glob("python*/site-packages")
    (site / "pip").symlink_to(Path(sysconfig.get_path("purelib")) / "pip")  # compiled already
    path = f"{tmp_path / 'python/bin'}{os.pathsep}{os.defpath}"
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    pip |= dict([NOT_COMPILED])

    for work, days in (("stub", ["day2"]), ("broken", DAYS)):
        run = job(student.clone, work, tmp_path / work, days=days, PATH=path, **pip)

        assert run.green, [step.text for step in run.steps if step.code]
        points = {day: float(run.step(day).outputs["score"]) for day in days}
        assert points == dict.fromkeys(days, 100) | {"day2": points["day2"]}
        assert points["day2"] in POINTS[work]
        assert {f"{day}.{ending}" for day in days for ending in ("json", "html")} == set(
            tree(student.clone / "feedback")
        )


def test_a_clone_on_windows_has_the_same_bytes(released: SimpleNamespace, tmp_path: Path) -> None:
    """With .gitattributes, git leaves line ends unchanged even if it is set to convert them."""
    git("clone", "-q", "-c", "core.autocrlf=true", released.remote, "clone", cwd=tmp_path)

    assert tree(tmp_path / "clone") == tree(released.template)


def test_the_course_has_files() -> None:
    """The traces are sought in something."""
    assert len(list(files(COURSE / "solutions"))) > 60
