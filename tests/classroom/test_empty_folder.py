"""From a wheel in an empty folder to a posted grade, where nothing of this repository is near."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from class_job import Runner, machine
from github_server import EVERYTHING, GitHub
from github_server.state import iso
from helpers import COURSE, notebook
from releasing import ADA, git

pytestmark = [pytest.mark.ci, pytest.mark.skipif(os.name == "nt", reason="bash")]

OWN, WORK = "org/course", "org/rle-ada"
NOTEBOOK = "assignments/rle/rle_run_lengths.ipynb"
RIGHT = """\
def mean(numbers):
    return sum(numbers) / len(numbers)


def centred(numbers):
    return [number - mean(numbers) for number in numbers]
"""


@dataclass(frozen=True)
class Instructor:
    """Types commands in the folder of the course; `grade` is the installed one."""

    github: GitHub
    course: Path
    programs: Path
    token: str

    def types(self, line: str, code: int = 0) -> str:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.course,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{line}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        assert str(COURSE) not in done.stdout + done.stderr
        return done.stdout

    @property
    def variables(self) -> dict[str, str]:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.course.parent)}
        path = {"PATH": f"{self.programs}{os.pathsep}{os.defpath}", "LANG": "C.UTF-8"}
        return ADA | own | path | self.github.environment(self.token)


def built(folder: Path) -> Path:
    """The wheel, as a build makes it from the source archive."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, COURSE]
    done = subprocess.run([str(word) for word in build], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(folder.glob("*.tar.gz"))) == 1
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture
def instructor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instructor]:
    """An empty folder, and a Python with Backgrade's wheel and the extras that docs/authors.md names."""
    for name in ("PYTHONPATH", "VIRTUAL_ENV", *(name for name in os.environ if name.startswith("GIT_"))):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_INDEX", "DISABLE_PIP_VERSION_CHECK"):
        monkeypatch.setenv(f"PIP_{name}", "1")  # the libraries are there, and there is no network
    programs = machine(tmp_path / "python")
    wheel = built(tmp_path / "dist")
    pip = [programs / "python", "-m", "pip", "install", "-q", "--no-compile", f"{wheel}[authoring,classroom]"]
    subprocess.run([str(word) for word in pip], check=True, capture_output=True)
    (tmp_path / "empty").mkdir()
    with GitHub(tmp_path / "github") as github:
        github.organisation("org", "teacher")
        github.base = "none"
        github.user("ada")
        github.clock = iso(dt.datetime.now(dt.UTC) - dt.timedelta(minutes=5))  # until a student pushes
        token = github.token("teacher", write=EVERYTHING)
        yield Instructor(github, tmp_path / "empty", programs, token)


def test_from_an_empty_folder_to_a_posted_grade(instructor: Instructor, tmp_path: Path) -> None:
    """`new`, `stub`, `class`, `open`, a push, an answer by the workflow, `collect`, `batch`, `post`."""
    github, course, types = instructor.github, instructor.course, instructor.types
    where = types("python -c 'import grader; print(grader.__file__)'")
    assert where.startswith(str(tmp_path / "python"))

    types('grade new rle --title "Run lengths"')
    types("grade stub rle")
    types("grade rle", code=1)
    (tmp_path / "roster.csv").write_text("student,github\nada,ada\n")
    types("grade class --organisation org --roster ../roster.csv --yes")
    types("grade open rle --yes")
    assert github.repositories[OWN].private

    github.clock = None
    github.repositories[WORK].push({NOTEBOOK: notebook(RIGHT)}, actor="ada")
    answered = the_schedule(instructor, tmp_path)
    assert "1 student to answer in rle: 1 answered" in answered
    assert [one.state for one in statuses(github)] == ["success"]

    types("grade collect rle")
    types("grade batch rle")
    types("grade post rle --yes --final")
    (issue,) = github.repositories[WORK].issues.values()
    assert "Your grade for rle: 100 of 100 points" in issue.body
    assert not (course / "grader").exists()


def the_schedule(instructor: Instructor, top: Path) -> str:
    """What the workflow prints that answers pushes, on a machine that has only what the course's repository has."""
    git("clone", "-q", instructor.github.folder / f"{OWN}.git", top / "checkout", cwd=top)
    (job,) = yaml.safe_load((top / "checkout/.github/workflows/rle.yml").read_text())["jobs"].values()
    assert job["uses"].startswith("./.github/workflows/grade-class.yml")
    runner = Runner(instructor.github, OWN, instructor.token, machine(top / "runner"))
    given = {"day": "rle", "install": job["with"]["install"], "answer": True, "post": False}
    ran = runner.run(top / "checkout", top / "temp", **given)
    assert ran.green, [(step.id, step.text) for step in ran.steps if step.code]
    return ran.step("Answer new pushes").text


def statuses(github: GitHub) -> list:
    return [one for each in github.repositories[WORK].statuses.values() for one in each]
