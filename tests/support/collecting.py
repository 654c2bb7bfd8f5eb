"""`grade collect` as the tests call it: in this process, with real git repositories on this disk.

class_ = Class(tmp_path, monkeypatch, capsys)
ada = class_.remote("ada")                       # a bare repository of a GitHub, and a line of the roster
commit(ada, {NOTEBOOK: work("x = 1")}, at="2025-11-30T10:00:00Z")
ran = class_.collect("--latest")
assert class_.taken("ada") == {NOTEBOOK: work("x = 1")}
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from github_server import GitHub, Repository
from github_server.bare import Bare, Content
from helpers import Ran, notebook
from minicourse import change, put
from releasing import VISIBLE, without_solutions

from grader.assignment import COLLECTED, Course
from grader.classroom.git import remote
from grader.cli import main
from grader.errors import Refused
from grader.submissions.collected import CollectedWork
from grader.submissions.find import find_works
from grader.submissions.work import FoundStudent

DUE = "2025-12-01T23:59:00Z"
BEFORE, LATER = "2025-12-01T10:00:00Z", "2025-12-05T10:00:00Z"
NOTEBOOK, TWIN = "assignments/mini/mini.ipynb", "assignments/mini/mini.py"
MANIFEST, CHECK = "assignments/mini/assignment.yaml", "assignments/mini/checks/test_double.py"
WORKFLOW = ".github/workflows/grade.yml"


def work(*sources: str) -> str:
    """A notebook that somebody has worked in."""
    return notebook(*sources or ["def double(x):\n    return x + x"])


def commit(
    bare: Bare,
    files: Mapping[str, Content],
    *,
    at: str = BEFORE,
    ref: str = "main",
    onto: str | None = None,
    name: str = "ada",
) -> str:
    """Commit changes on top of a branch, or of a commit; gives the hash."""
    branch = f"refs/heads/{ref}"
    parent = onto or bare.tip(branch)
    return bare.commit(branch, files, parent=parent, at=at, author_date=at, name=name, message="Work")


class Class:
    """An instructor in the folder of a small course, with a roster beside it and a folder for the works."""

    def __init__(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.root, self.monkeypatch, self.capsys = root, monkeypatch, capsys
        self.course, self.works = root / "course", root / "works"
        self.roster: dict[str, str] = {}
        self.github: GitHub | None = None
        self.instructors = ""  # of course.yaml
        self.end = contextlib.ExitStack()
        without_solutions(self.course)
        self.in_organisation("")
        change(self.course, MANIFEST, "submission:", f"due: {DUE}\nsubmission:")
        for name in [name for name in os.environ if name.startswith(("GIT_", "GITHUB_", "GH_"))]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(root / "gitconfig"))
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def remote(self, student: str, branch: str = "main") -> Bare:
        """An empty repository of a student's, which the roster names. GitHub lists no push to it."""
        if self.github is None:
            self.github = self.end.enter_context(organisation(self, self.monkeypatch))
        repository = self.github.repository(f"course/mini-{student}", default_branch=branch)
        self.roster[student] = repository.name
        return repository.bare

    def good(self, *students: str) -> dict[str, Bare]:
        """Students who handed in what was asked for, on time."""
        made = {student: self.remote(student) for student in students}
        for student, bare in made.items():
            commit(bare, self.handed_out() | {NOTEBOOK: work(f"name = {student!r}")})
        return made

    def handed_out(self) -> dict[str, Content]:
        """The protected files, as the course has them."""
        return {name: (self.course / name).read_bytes() for name in VISIBLE}

    def instructor(self, login: str) -> None:
        """Write into course.yaml who instructs."""
        self.instructors = login
        self.in_organisation("")

    def in_organisation(self, name: str, more: str = "") -> None:
        """Write into course.yaml where the students' repositories are."""
        text = f"class: {{organisation: '{name}', instructors: [{self.instructors}], roster: ../roster.csv{more}}}\n"
        put(self.course, "solutions/course.yaml", text)

    def write_roster(self, column: str = "repository") -> Path:
        path = self.root / "roster.csv"
        lines = [f"student,{column}", *(f"{name},{place}" for name, place in self.roster.items())]
        path.write_text("\n".join([*lines, ""]))
        return path

    def collect(self, *words: str | Path, column: str = "repository") -> Ran:
        """`grade collect mini works ...`, with the roster written."""
        self.write_roster(column)
        return self.type("collect", "mini", self.works, *words)

    def type(self, *words: str | Path) -> Ran:
        """A command, in the course's folder."""
        with self.monkeypatch.context() as patch:
            patch.chdir(self.course)
            patch.setattr(sys, "stdin", io.StringIO())
            try:
                main.main(list(map(str, words)))
            except SystemExit as ended:
                code = int(ended.code or 0)
        said = self.capsys.readouterr()
        return Ran(code, said.out, said.err)

    def taken(self, student: str) -> dict[str, str]:
        """Every file that is in a student's folder."""
        top = self.works / student
        return {p.relative_to(top).as_posix(): p.read_text() for p in sorted(top.rglob("*")) if p.is_file()}

    def record(self, student: str) -> CollectedWork:
        path = self.works / COLLECTED / f"{student}.json"
        return msgspec.json.decode(path.read_bytes(), type=CollectedWork)


# --- A class on GitHub


@contextlib.contextmanager
def organisation(class_: Class, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """An organisation whose repositories are on this disk, and a token that reads them."""
    with GitHub(class_.root / "github") as server:
        server.organisation("course")
        server.clock = "2025-11-20T12:00:00Z"
        monkeypatch.setenv("GITHUB_TOKEN", server.token("teacher"))
        monkeypatch.setenv("GITHUB_API_URL", server.url)
        monkeypatch.setenv("GITHUB_SERVER_URL", f"file://{server.folder}")
        yield server


def student(class_: Class, github: GitHub, name: str, *, pushes: bool = True) -> Repository:
    """A student with a repository made from the template, and work that was pushed on time."""
    class_.roster[name] = name
    repository = github.repository(f"course/mini-{name}")
    repository.push(class_.handed_out(), at=github.now(), actor="teacher")
    if pushes:
        repository.push({NOTEBOOK: work(f"name = {name!r}")}, at=BEFORE, actor=name)
    return repository


def collect(class_: Class, *words: str, org: str = "course") -> Ran:
    class_.in_organisation(org)
    return class_.collect(*words, column="github")


def late_counts(class_: Class, rule: str = "late: {percent_per_day: 10, days: 7}") -> None:
    change(class_.course, MANIFEST, "submission:", f"{rule}\nsubmission:")


def fetches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the commits that each fetch asks for, from now on."""
    asked: list[int] = []
    fetched = remote.Fetcher.commits
    monkeypatch.setattr(
        remote.Fetcher,
        "commits",
        lambda self, its, commits, largest: (
            asked.append(len(commits)) or fetched(self, its, commits, largest)
        ),
    )
    return asked


# --- On the disk


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def works(class_: Class) -> dict:
    """Return the work that `grade batch` reads, by student; for unreadable work the reason."""
    found = find_works(Course(class_.course).assignment("mini"), class_.works)
    return {one.student: _read(one) for one in found}


def _read(found: FoundStudent) -> object:
    try:
        return found.read()
    except Refused as error:
        return str(error)
