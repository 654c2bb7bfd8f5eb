"""A class on the tests' GitHub, to which a template is handed out."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from github_server import EVERYTHING, Dropped, GitHub, Repository, copy
from github_server.state import Invitation
from helpers import GRADE, PATIENCE, Ran
from minicourse import put
from releasing import Answers, tree, without_solutions

from grader.assignment import Course
from grader.classroom.github.api import Api
from grader.classroom.release.plan import plan_release
from grader.cli import main

START = "2025-12-01T10:00:00Z"
TEMPLATE = "course/mini-template"


def released(root: Path) -> dict[str, bytes]:
    """Every file that `grade release` writes for the miniature course."""
    course = Course.find(without_solutions(root / "course"))
    plan, _ = plan_release(course, (), root / "template")
    plan.write()
    return tree(root / "template")


class Class:
    """An instructor in the course's folder, an organisation, and a released template."""

    def __init__(self, root: Path, github: GitHub, files: Mapping[str, bytes]) -> None:
        self.root, self.github = root, github
        self.course = without_solutions(root / "own")
        self.in_organisation("course")
        self.token = github.token("teacher", write=EVERYTHING)
        self.waits: list[float] = []
        github.clock = START
        github.organisation("course", "teacher")
        github.base = "none"
        self.template = github.repository(TEMPLATE, is_template=True)
        self.template.push(files, at=START, actor="teacher")

    def in_organisation(self, name: str, more: str = "") -> None:
        """Write into course.yaml where the students' repositories are."""
        put(
            self.course,
            "solutions/course.yaml",
            f"class: {{organisation: '{name}', roster: class.csv{more}}}\n",
        )

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the command."""
        return {"GITHUB_TOKEN": self.token, "GITHUB_API_URL": self.github.url, "BACKGRADE_PACE": "0"}

    def roster(self, *students: str, users: bool = True) -> None:
        """Write class.csv: each is `student` or `student,github name` or `student,github name,repository`."""
        lines = [s if "," in s else f"{s},{s}" for s in students]
        lines = [line + "," * (2 - line.count(",")) for line in lines]
        (self.course / "class.csv").write_text("\n".join(["student,github,repository", *lines, ""]))
        if users:
            self.github.user(*filter(None, (line.split(",")[1] for line in lines)))

    def made(self, name: str) -> Repository:
        """A student's repository."""
        return self.github.repositories[f"course/mini-{name}"]

    def hand_out(self, *names: str) -> None:
        """Do for these students what `grade open` does."""
        for name in names:
            made = copy(self.github, self.template, f"course/mini-{name}")
            made.invited.append(name)
            made.invitations.append(Invitation(self.github.next_id(), name, "push"))

    def words(self, *more: str) -> list[str]:
        """The command."""
        return ["open", "mini", "--only", "repositories", *more]

    def distribute(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Any, *more: str, answer: str | None = None
    ) -> Ran:
        """`grade open mini --only repositories ...` in this process; no wait takes any time."""
        with monkeypatch.context() as patch:
            patch.chdir(self.course)
            patch.setitem(Api.__init__.__kwdefaults__, "sleep", self.waits.append)
            patch.setattr(sys, "stdin", io.StringIO() if answer is None else Answers(answer))
            for name, value in self.environment.items():
                patch.setenv(name, value)
            try:
                main.main(self.words(*more))
            except SystemExit as ended:
                code = int(ended.code or 0)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    def killed_at(self, method: str, path: str, *, done: bool, by: int = signal.SIGKILL) -> int:
        """The same, killed at the first such request: before its work is done, or after."""
        running: list[subprocess.Popen[bytes]] = []

        def hook(its: str, place: str, number: int, its_done: bool) -> None:  # noqa: FBT001
            if (its, its_done) == (method, done) and path in place:
                self.github.on_request = None
                running[0].send_signal(by)
                raise Dropped

        self.github.on_request = hook
        with self._started("--yes") as process:
            running.append(process)
            process.communicate(timeout=PATIENCE)
        return process.returncode

    def _started(self, *more: str) -> subprocess.Popen[bytes]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = os.environ | self.environment
        return subprocess.Popen([GRADE, *self.words(*more)], cwd=self.course, env=environment, **streams)


def state_of(github: GitHub) -> dict[str, Any]:
    """Everything that anybody can see of the repositories."""
    return {
        name: {
            "private": made.private,
            "template": made.template,
            "refs": made.bare.refs(),
            "invited": made.invited,
            "invitations": [(i.login, i.permission, i.expired) for i in made.invitations],
            "pulls": [(p.head, p.base, p.state, p.title, p.body) for p in made.pulls.values()],
        }
        for name, made in sorted(github.repositories.items())
    }


def writes(github: GitHub) -> Sequence[str]:
    """Return the requests that write."""
    asked = (a for a in github.asked if a.method != "GET" and a.path != "/graphql")
    return [f"{a.method} {a.path}" for a in asked]
