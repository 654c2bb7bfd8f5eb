"""`grade open`: from a course to a running class, on the tests' GitHub, with real git remotes on this disk."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from github_server import EVERYTHING, Fault, GitHub
from handing import START
from helpers import COURSE, Ran, grade, notebook
from minicourse import FILES, change, put
from releasing import STUB, Answers, git, set_own_git, tree
from students import FORGETS, GOOD
from whole_class import IN_TIME, LATE, NOTEBOOK, RULE

from grader.classroom.github.api import Api
from grader.classroom.own_repository import PUBLIC_SALTS, own_repositories
from grader.cli import main

Open = Callable[..., Ran]
OWN, TEMPLATE = "course/private", "course/mini-template"
WORKFLOW = ".github/workflows/mini.yml"


class World:
    """An instructor who has cloned a course, pushed it to a private repository, and written down the class."""

    def __init__(self, root: Path, github: GitHub) -> None:
        self.root, self.github, self.course = root / "course", github, root / "course"
        for name, text in FILES.items():
            put(self.course, name, text)
        for name in ("mini.ipynb", "checks/stub.ipynb"):
            put(self.course, f"assignments/mini/{name}", STUB)
        (self.course / "solutions/mini/mini.py").unlink()  # its notebook is not compared
        put(self.course, ".github/workflows/grade-class.yml", "on: workflow_call\n")
        put(self.course, "roster.csv", "student,github\nada,ada\nbob,bob\ncarol,carol\n")
        put(self.course, "solutions/course.yaml", "class: {organisation: course}\n")
        self.token = github.token("teacher", write=EVERYTHING)
        github.organisation("course", "teacher")
        github.base = "none"
        github.user("ada", "bob", "carol")
        self.own = github.repository(OWN)
        git("init", "-q", "-b", "main", cwd=self.course)
        git("remote", "add", "origin", f"file://{github.folder}/{OWN}.git", cwd=self.course)

    @property
    def environment(self) -> dict[str, str]:
        return self.github.environment(self.token)

    @property
    def writes(self) -> list[str]:
        asked = (a for a in self.github.asked if a.method != "GET" and a.path != "/graphql")
        return [f"{a.method} {a.path}" for a in asked]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with GitHub(tmp_path / "github") as github:
        yield World(tmp_path, github)


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path) -> Open:
    """`grade open mini ...` in this process; the instructor's git knows who they are."""
    set_own_git(monkeypatch, tmp_path, **world.environment)
    monkeypatch.setitem(Api.__init__.__kwdefaults__, "sleep", lambda _: None)
    monkeypatch.chdir(world.course)

    def ran(*words: str, answer: str | None = None) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO() if answer is None else Answers(answer))
        with pytest.raises(SystemExit) as ended:
            main.main(["open", "mini", *words])
        said = capsys.readouterr()
        return Ran(int(ended.value.code or 0), said.out, said.err)

    return ran


def test_a_class_is_opened(world: World, run: Open, snapshot) -> None:
    """The template, a repository for each student, the workflow, its secret; then the commands of the deadline."""
    done = run("--yes")
    assert done.code == 0, done.text
    template = world.github.repositories[TEMPLATE]
    assert (template.private, template.is_template) == (True, True)
    assert template.files() == tree(world.course.parent / "mini-template")
    assert not any("solutions" in name for name in template.files())
    for name in ("ada", "bob", "carol"):
        made = world.github.repositories[f"course/mini-{name}"]
        assert (made.files(), made.invited) == (template.files(), [name])
    assert "day: mini" in (world.course / WORKFLOW).read_text()
    assert world.own.secrets == {"CLASS_TOKEN": world.token}
    assert done.out == snapshot


def test_from_its_opening_to_its_grades(world: World, run: Open) -> None:
    """Opened, worked in, collected, graded, overridden, posted: a student who is late, and a team."""
    put(
        world.course,
        "roster.csv",
        "student,github,repository\nada,ada,\nbob,bob,course/duo\ncarol,carol,course/duo\n",
    )
    change(world.course, "assignments/mini/assignment.yaml", "submission:", RULE)
    world.github.clock = START
    assert run("--yes").code == 0
    ada, duo = (world.github.repositories[f"course/{name}"] for name in ("mini-ada", "duo"))
    ada.push({NOTEBOOK: notebook(GOOD)}, at=LATE, actor="ada")
    duo.push({NOTEBOOK: notebook(FORGETS)}, at=IN_TIME, actor="carol")
    for words in (
        "collect mini",
        "batch mini",
        "override points bob box 40 --why explained",
        "post mini --yes",
    ):
        ran = grade(*words.split(), cwd=world.course, env=world.environment)
        assert ran.code == 0, ran.text
    (alone,), (of_team,) = ([issue.body for issue in its.issues.values()] for its in (ada, duo))
    assert "grade for mini: 80 of 100 points\n" in alone
    parts = re.findall(r"^For (\w+)\n\n# Your .*grade for mini: (.*)", of_team, re.MULTILINE)
    assert parts == [("bob", "100 of 100 points"), ("carol", "60 of 100 points")]


@pytest.mark.ci
def test_what_would_be_done_is_shown_first(world: World, run: Open, snapshot) -> None:
    """A dry run, and a question without an answer, change nothing anywhere."""
    dry, alone, no = run("--dry-run"), run(), run(answer="n\n")
    assert (dry.code, alone.code, no.code) == (0, 2, 2)
    assert world.writes == []
    assert not (world.course.parent / "mini-template").exists()
    assert not (world.course / WORKFLOW).exists()
    lines = dry.out.splitlines()
    assert lines[0] == snapshot
    assert lines[1] == snapshot
    assert lines[2:5] == snapshot
    assert alone.text == snapshot


@pytest.mark.ci
def test_again_it_says_what_is_there(world: World, run: Open, snapshot) -> None:
    """Nothing is made, set or pushed twice, and the one student who is new gets a repository."""
    run("--yes")
    before = world.writes
    again = run("--yes")
    assert (again.code, world.writes) == (0, before)
    assert again.out == snapshot
    assert f"done: {WORKFLOW}\n" in again.out
    put(world.course, "roster.csv", "student,github\nada,ada\nbob,bob\ncarol,carol\ndan,dan\n")
    world.github.user("dan")
    assert "created course/mini-dan, invited dan" in run("--yes").out
    assert git("rev-list", "--count", "main", cwd=world.github.folder / f"{TEMPLATE}.git") == "1"


@pytest.mark.ci
def test_a_changed_template_is_offered_to_everybody(world: World, run: Open, snapshot) -> None:
    """Who only wants to add a student reads it before the question."""
    run("--yes")
    dry = run("--dry-run")
    assert (dry.code, "pull request" in dry.out) == (0, False), dry.text
    change(world.course, "assignments/mini/assignment.yaml", "title: Doubling", "title: Twice")
    dry = run("--dry-run")
    assert dry.out == snapshot
    assert "this command has nothing to do" not in dry.out
    assert run("--yes").out == snapshot


@pytest.mark.ci
def test_it_continues_where_it_ended(world: World, run: Open) -> None:
    """The secret was refused; the next run has only that left to do, besides what it looks at."""
    world.github.faults.append(Fault(403, only="PUT", path="/actions/secrets/"))
    failed = run("--yes")
    assert failed.code == 2, failed.text
    assert (len(world.github.repositories), world.own.secrets) == (5, {})
    before = world.writes
    assert run("--yes").code == 0
    assert world.writes[len(before) :] == [f"PUT /repos/{OWN}/actions/secrets/CLASS_TOKEN"]


def test_parts_alone(world: World, run: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workflow needs nothing of GitHub; the secret is set again, from a variable of its own."""
    assert run("--only", "workflow", "--yes").code == 0
    assert (world.course / WORKFLOW).exists()
    assert world.writes == []
    early = run("--only", "repositories", "--yes")
    assert (early.code, "run `grade open mini` first" in early.err) == (2, True)
    world.own.secrets["CLASS_TOKEN"] = "old"
    monkeypatch.setenv("CLASS_TOKEN", "new")
    assert run("--only", "secret", "--yes").code == 0
    assert world.own.secrets == {"CLASS_TOKEN": "new"}


def test_a_public_salt_is_refused(world: World, run: Open) -> None:
    """Everybody can read the salts of this repository, so a class would be asked what is known."""
    put(world.course, "solutions/mini/salt.txt", (COURSE / "solutions/day2/salt.txt").read_text())
    refused = run("--yes")
    assert (refused.code, world.writes) == (2, [])
    assert "this salt is public" in refused.err
    assert "`grade stub mini --new-salt`" in refused.err


def test_every_salt_of_this_repository_is_known() -> None:
    salts = [path.read_text().strip() for path in (COURSE / "solutions").glob("*/salt.txt")]
    assert {hashlib.sha256(salt.encode()).hexdigest() for salt in salts} == PUBLIC_SALTS


def test_a_course_that_everybody_can_read(world: World, run: Open, snapshot) -> None:
    """Nothing is opened from a public repository: its solutions are out."""
    world.own.private = False
    refused = run("--yes")
    assert (refused.code, world.writes) == (2, [])
    assert refused.err == snapshot


def test_a_course_that_students_can_read(world: World, run: Open) -> None:
    """Nothing is opened where every member may read everything, or where one of the class may read the solutions."""
    world.github.base = "read"
    members = run("--yes")
    world.github.base = "none"
    world.own.collaborators["Bob"] = "pull"
    among = run("--yes")

    assert (members.code, among.code, world.writes) == (2, 2, [])
    assert "choose *No permission*" in members.err
    assert f"{OWN}: bob of the class can read it" in among.err


def test_a_server_without_tls(world: World, run: Open, monkeypatch: pytest.MonkeyPatch, snapshot) -> None:
    """The token goes over no open line: the address of the server is refused before anything is pushed."""
    monkeypatch.setenv("GITHUB_SERVER_URL", "http://github.example.org")
    refused = run("--yes")
    assert refused.code == 2
    assert refused.err == snapshot
    assert not world.writes


def is_the_same_in_origin(run: Open) -> bool:
    """True if a dry run succeeds and names no file that decides grades and differs."""
    dry = run("--dry-run")
    assert dry.code == 0, dry.text
    return "the same in `origin`" not in dry.text


def in_a_shell(line: str, folder: Path) -> None:
    subprocess.run(["bash", "-ec", line], cwd=folder, check=True, capture_output=True)


@pytest.mark.ci
def test_what_decides_grades_is_pushed(world: World, run: Open, tmp_path: Path) -> None:
    """A new salt that git ignores, another due date, records: a fresh clone grades with the same files."""
    in_a_shell("git add . && git commit -qm course && git push -q origin HEAD:main", world.course)
    assert is_the_same_in_origin(run)
    put(world.course, ".gitignore", "salt.txt\n")
    put(world.course, "solutions/mini/salt.txt", "a salt of its own\n")
    put(world.course, "solutions/mini/checks/sealed.json", "{}")
    put(world.course, "solutions/mini/a table.csv", "1,2\n")
    put(world.course, "grader/mended.py", "# a grader of one's own\n")
    put(world.course, "grader/page/node_modules/x.js", "")
    (world.course / "solutions/mini/mistakes.yaml").unlink(missing_ok=True)
    change(world.course, "assignments/mini/assignment.yaml", "title: Doubling", "title: Twice")
    dry = run("--dry-run")
    assert (
        "these files decide grades and differ from `origin`: assignments/mini/assignment.yaml, grader/mended.py, solutions/mini"
        in dry.err
    )
    assert "solutions/mini/salt.txt" in dry.err
    assert "a salt of its own" not in dry.text
    assert run("--yes").code == 0
    git("clone", "-q", f"{world.github.folder}/{OWN}.git", tmp_path / "fresh", cwd=tmp_path)
    fresh = tree(tmp_path / "fresh")
    here = tree(world.course)
    assert "grader/mended.py" in fresh
    del here["grader/page/node_modules/x.js"]
    assert {name: data for name, data in here.items() if name != ".gitignore"} == {
        name: data for name, data in fresh.items() if name != ".gitignore"
    }
    assert f"done: {WORKFLOW}\n" in run("--yes").out
    assert is_the_same_in_origin(run)


@pytest.mark.ci
def test_a_commit_that_is_not_pushed(world: World, run: Open) -> None:
    """It is pushed, and no empty one is made."""
    assert run("--yes").code == 0
    put(world.course, "solutions/mini/table.csv", "1,2\n")
    in_a_shell("git add solutions && git commit -qm table", world.course)
    assert run("--yes").code == 0
    pushed = git("log", "-1", "--format=%s", "main", cwd=world.github.folder / f"{OWN}.git")
    assert pushed == "table"
    assert is_the_same_in_origin(run)


@pytest.mark.ci
def test_somebody_else_pushed(world: World, run: Open, tmp_path: Path) -> None:
    """Their commits come first; the salt that they made is named, and is the one here then."""
    in_a_shell("git add . && git commit -qm course && git push -q origin HEAD:main", world.course)
    git("clone", "-q", f"{world.github.folder}/{OWN}.git", tmp_path / "theirs", cwd=tmp_path)
    put(tmp_path / "theirs", "solutions/mini/salt.txt", "theirs\n")
    in_a_shell("git commit -qam salt && git push -q origin HEAD:main", tmp_path / "theirs")
    assert (
        "these files decide grades and differ from `origin`: solutions/mini/salt.txt" in run("--dry-run").err
    )
    assert run("--yes").code == 0
    assert (world.course / "solutions/mini/salt.txt").read_text() == "theirs\n"
    assert is_the_same_in_origin(run)


def test_a_remote_that_does_not_answer(world: World, run: Open) -> None:
    """Nobody could compare, and that is said."""
    git("remote", "set-url", "origin", f"file://{world.github.folder}/course/gone.git", cwd=world.course)
    assert "the files that decide grades were not compared with `origin`" in run("--dry-run").err


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/course/private",
        "https://ada@github.com/course/private.git",
        "https://ada:ghp_secret@GitHub.com/course/private/",
        "http://www.github.com/course/private.git",
        "git@github.com:course/private.git",
        "ssh://git@github.com:22/course/private",
        "ssh://git@ssh.github.com:443/course/private.git",
        "git://github.com/course/private",
        "git@github.com:course/private",
        "git+ssh://git@github.com/course/private.git",
    ],
)
def test_each_way_to_write_the_remote(tmp_path: Path, address: str) -> None:
    """A public repository is found whatever way its address is written, and where only pushes go there."""
    git("init", "-q", cwd=tmp_path)
    git("remote", "add", "origin", "https://example.org/elsewhere.git", cwd=tmp_path)
    git("remote", "set-url", "--push", "origin", address, cwd=tmp_path)
    assert own_repositories(tmp_path, "https://github.com") == ["course/private"]


@pytest.mark.parametrize("kind", ["insteadOf", "pushInsteadOf"])
def test_an_address_that_git_replaces(tmp_path: Path, kind: str) -> None:
    """The repository is the one that git asks, with several addresses the one among them."""
    git("init", "-q", cwd=tmp_path)
    git("config", f"url.git@github.com:.{kind}", "ours:", cwd=tmp_path)
    git("remote", "add", "origin", "https://gitlab.com/course/private.git", cwd=tmp_path)
    git("remote", "set-url", "--add", "origin", "ours:course/private", cwd=tmp_path)
    assert own_repositories(tmp_path, "https://github.com") == ["course/private"]


def test_a_course_for_the_whole_enterprise(world: World, run: Open) -> None:
    """GitHub calls an internal repository private, and every member of the enterprise reads it."""
    world.own.visibility = "internal"
    refused = run("--yes")
    assert (refused.code, world.writes) == (2, [])
    assert "for the whole enterprise" in refused.err


@pytest.mark.ci
def test_a_course_without_a_repository(world: World, run: Open, snapshot) -> None:
    """The class is opened without the secret, and the line says how it gets it."""
    git("remote", "remove", "origin", cwd=world.course)
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
    assert "course/mini-ada" in world.github.repositories


@pytest.mark.ci
def test_hidden_checks_that_answer_no_push(world: World, run: Open) -> None:
    """With `hidden: final` neither the workflow nor its secret is needed."""
    change(world.course, "assignments/mini/assignment.yaml", "submission:", "hidden: final\nsubmission:")
    done = run("--yes")
    assert done.code == 0, done.text
    assert (world.own.secrets, (world.course / WORKFLOW).exists()) == ({}, False)
    assert done.out.count("not needed: with `hidden: final`") == 2


@pytest.mark.ci
def test_a_template_that_is_not_marked(world: World, run: Open) -> None:
    """Somebody made the empty repository by hand."""
    world.github.repository(TEMPLATE)
    done = run("--yes")
    assert done.code == 0, done.text
    assert f"marked   {TEMPLATE} as a template" in done.out
    assert world.github.repositories[TEMPLATE].is_template


def test_a_token_that_may_not_make_repositories(
    world: World, run: Open, monkeypatch: pytest.MonkeyPatch, snapshot
) -> None:
    """The remedy is named, and the other parts wait for it."""
    monkeypatch.setenv("GITHUB_TOKEN", world.github.token("teacher", write=("secrets",)))
    refused = run("--yes")
    assert (refused.code, world.own.secrets) == (2, {})
    assert refused.err == snapshot
