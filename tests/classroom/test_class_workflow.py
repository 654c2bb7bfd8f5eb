"""`.github/workflows/grade-class.yml`: its steps, run in bash against the tests' GitHub, twice."""

import re
import shutil
import subprocess

import pytest
import yaml
from actions import Run
from class_job import CALLED, Runner, machine
from github_server import GitHub, copy
from handing import TEMPLATE, released
from helpers import COURSE, GRADE, grade, notebook
from minicourse import change, put
from releasing import ADA, git
from students import SQUARES
from whole_class import NOTEBOOK, World

from grader.gradebook.store import Store

TEXT = (COURSE / ".github" / "workflows" / "grade-class.yml").read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)
(JOB,) = WORKFLOW["jobs"].values()
OWN = "course/private"  # the instructor's repository


class Prompt(World):
    """A class whose work is graded at once."""

    kinds = ("good", "squares", "forgets")
    programs = GRADE.parent  # the folder of the commands


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def class_(tmp_path, template):
    """Seven students who have handed in, and the instructor's private repository with the course."""
    with GitHub(tmp_path / "github") as github:
        github.base = "none"
        made = Prompt(tmp_path, github, template, 7)
        github.repository(OWN).push({"README.md": "course\n"}, actor="teacher")
        for student in made.students:
            copy(github, github.repositories[TEMPLATE], f"course/mini-{student}")
        made.work()
        put(made.course, CALLED, TEXT)
        yield made


def run(class_: World, name: str, **inputs: object) -> Run:
    """The steps of one job, on a machine of its own: only what is pushed outlives it."""
    checkout = class_.root / f"{name}-checkout"
    shutil.copytree(class_.course, checkout)
    git("init", "-q", "-b", "main", cwd=checkout, env=ADA)
    git("remote", "add", "origin", f"file://{class_.github.folder}/{OWN}.git", cwd=checkout, env=ADA)
    runner = Runner(class_.github, OWN, class_.token, class_.programs)
    return runner.run(checkout, class_.root / name, **inputs)


def kept(class_: World, to) -> list[str]:
    """Return the students with a result in the file on the branch `results`."""
    data = subprocess.run(
        ["git", "show", "results:results.db"],
        cwd=class_.github.folder / f"{OWN}.git",
        capture_output=True,
        check=True,
    ).stdout
    to.write_bytes(data)
    with Store(to) as store:
        return store.students("mini")


def writes(class_: World) -> list[str]:
    asked = (a for a in class_.github.asked if a.method in ("POST", "PATCH", "PUT"))
    return [a.path for a in asked if a.path != "/graphql"]


@pytest.mark.ci
def test_a_class_is_graded_and_then_told(class_, tmp_path):
    """The results are on a branch: a second job, on another machine, grades nothing again and tells everybody."""
    before = len(writes(class_))
    first = run(class_, "first", post=False)
    assert first.green, [(step.id, step.text) for step in first.steps if step.code]
    assert kept(class_, tmp_path / "first.db") == class_.students
    assert "7 students, 7 with a score" in first.step("Show which grades change").summary
    assert len(writes(class_)) == before

    second = run(class_, "second")
    assert second.green, [(step.id, step.text) for step in second.steps if step.code]
    assert "7 students: 0 graded in 0 s, 7 as before." in second.step("Grade").text
    assert [len(class_.repository(student).issues) for student in class_.students] == [1] * 7
    commits = git("rev-list", "--count", "results", cwd=class_.github.folder / f"{OWN}.git", env=ADA)
    assert commits == "1"  # it has no history


@pytest.mark.whole
def test_a_job_that_fails_keeps_what_it_has(class_, tmp_path):
    """The token expires while posting: grades and posts so far are on the branch, and the next job continues.

    The manifest names no last day, so the grades were declared final; that is kept for the next job, too.
    """
    change(class_.course, "assignments/mini/assignment.yaml", ", days: 3", "")
    tokens, written = dict(class_.github.tokens), []

    def hook(method, path, number, done):
        if method == "POST" and path != "/graphql" and done:
            written.append(path)
            if len(written) == 3:
                class_.github.tokens.clear()

    class_.github.on_request = hook
    failed = run(class_, "first", final="true")
    assert "Students still to do: 4" in failed.step("Post").text
    assert "provisional" not in failed.step("Post").text
    assert not failed.green
    assert kept(class_, tmp_path / "first.db") == class_.students

    class_.github.on_request = None
    class_.github.tokens.update(tokens)
    second = run(class_, "second")
    assert second.green
    assert "4 new, 3 as posted" in second.step("Post").text
    assert "provisional" not in second.step("Post").text
    assert [len(class_.repository(student).issues) for student in class_.students] == [1] * 7


@pytest.mark.whole
def test_who_pushed_is_answered(class_, tmp_path):
    """On its schedule: the class once, then no student, and then one; without a push nothing is committed."""
    folder = class_.github.folder / f"{OWN}.git"
    first = run(class_, "first", answer=True, post=False)
    assert first.green, [(step.id, step.text) for step in first.steps if step.code]
    assert {step.id for step in first.steps}.isdisjoint(
        {"Collect", "Grade", "Show which grades change", "Post"}
    )
    assert "7 students to answer in mini: 7 answered" in first.step("Answer new pushes").text
    tip = git("rev-parse", "results", cwd=folder, env=ADA)

    used = class_.github.used
    assert run(class_, "second", answer=True, post=False).green
    assert git("rev-parse", "results", cwd=folder, env=ADA) == tip
    assert (
        class_.github.used - used <= 1
    )  # the results were pushed into a repository of the same organisation

    class_.repository("s00").push({NOTEBOOK: notebook(SQUARES)}, at="2025-12-02T12:00:00Z")
    third = run(class_, "third", answer=True, post=False)
    assert "1 student to answer in mini: 1 answered" in third.step("Answer new pushes").text
    assert kept(class_, tmp_path / "third.db") == class_.students
    assert [len(class_.repository(student).issues) for student in class_.students] == [1] * 7


@pytest.mark.whole
def test_a_cancelled_run_keeps_what_it_has(class_, tmp_path):
    """The token ends in the middle: what was answered is on the branch, and the next job goes on."""
    tokens, written = dict(class_.github.tokens), []

    def hook(method, path, number, done):
        if "/statuses/" in path and done:
            written.append(path)
            if len(written) == 3:
                class_.github.tokens.clear()

    class_.github.on_request = hook
    assert not run(class_, "first", answer=True, post=False).green
    class_.github.on_request = None
    class_.github.tokens.update(tokens)
    second = run(class_, "second", answer=True, post=False)
    assert second.green
    statuses = [sum(map(len, class_.repository(student).statuses.values())) for student in class_.students]
    assert statuses == [1] * 7


# --- The file that calls it


WORDS = ["open", "mini", "--only", "workflow", "--yes"]


@pytest.mark.ci
def test_the_schedule_is_written(class_):
    """Once; what somebody has changed stays as it is."""
    path = class_.course / ".github/workflows/mini.yml"
    code, text = class_.run(*WORDS)
    assert (code, "written  .github/workflows/mini.yml" in text) == (0, True)
    written = yaml.safe_load(path.read_text())
    (job,) = written["jobs"].values()
    assert set(job["with"]) - set(WORKFLOW[True]["workflow_call"]["inputs"]) == set()
    assert job["with"]["day"] == "mini"
    assert re.fullmatch(r"\d+-59/15 \* \* \* \*", written[True]["schedule"][0]["cron"])
    code, text = class_.run(*WORDS)
    assert (code, "workflow      done: .github/workflows/mini.yml" in text) == (0, True)
    path.write_text("mine\n")
    code, text = class_.run(*WORDS)
    assert (code, path.read_text()) == (2, "mine\n")
    assert "a different file exists; move it away first" in text


@pytest.mark.ci
def test_a_schedule_that_cannot_run(class_):
    """A roster elsewhere."""
    put(class_.root, "list.csv", "student,github\nada,ada\n")
    put(class_.course, "solutions/course.yaml", "class: {organisation: course, roster: ../list.csv}\n")
    assert "the workflow sees only files in " in class_.run(*WORDS)[1]
    assert not (class_.course / ".github/workflows/mini.yml").exists()


# --- A course of one's own


class Own(Prompt):
    """A course as `grade new` begins it in an empty folder, without anything of this repository."""

    def __init__(self, *words) -> None:
        super().__init__(*words)
        kept = {name: (self.course / name).read_text() for name in ("roster.csv", "solutions/course.yaml")}
        shutil.rmtree(self.course)
        self.course.mkdir()
        for line in ("new mini", "stub mini"):
            made = grade(*line.split(), cwd=self.course)
            assert made.code == 0, made.text
        for name, text in kept.items():
            put(self.course, name, text)


@pytest.fixture
def own(tmp_path, template):
    with GitHub(tmp_path / "github") as github:
        github.base = "none"
        made = Own(tmp_path, github, template, 3)
        github.repository(OWN).push({"README.md": "course\n"}, actor="teacher")
        for student in made.students:
            copy(github, github.repositories[TEMPLATE], f"course/mini-{student}")
        made.work()
        yield made


@pytest.mark.whole
def test_a_course_of_ones_own_is_graded(own, tmp_path, monkeypatch):
    """`grade open` writes all that the workflow needs, and its own steps run with what its own step installs."""
    code, text = own.run(*WORDS)
    assert code == 0, text
    (job,) = yaml.safe_load((own.course / ".github/workflows/mini.yml").read_text())["jobs"].values()
    assert not (own.course / "grader").exists()
    assert "./vendor/backgrade-" in (own.course / job["with"]["install"].removeprefix("-r ")).read_text()

    own.programs = machine(tmp_path / "machine")
    for name in ("NO_INDEX", "NO_DEPS", "DISABLE_PIP_VERSION_CHECK"):
        monkeypatch.setenv(f"PIP_{name}", "1")  # the libraries are there, and there is no network
    ran = run(own, "first", install=job["with"]["install"], answer=True, post=False)

    assert ran.green, [(step.id, step.text) for step in ran.steps if step.code]
    where = "import grader; print(grader.__file__)"
    printed = subprocess.run(
        [own.programs / "python", "-Ic", where], capture_output=True, check=True, text=True
    )
    assert printed.stdout.startswith(str(tmp_path / "machine"))
    assert "3 students to answer in mini: 3 answered" in ran.step("Answer new pushes").text
    assert kept(own, tmp_path / "first.db") == own.students

    code, text = own.run(*WORDS)
    assert (code, "workflow      done: .github/workflows/mini.yml" in text) == (0, True)


def test_tokens_are_where_they_are_needed():
    """The class is graded in a step that has none; an answer needs it, and the jail inherits nothing."""
    with_token = {step["name"] for step in JOB["steps"] if "GITHUB_TOKEN" in step.get("env", {})}
    assert with_token == {"Answer new pushes", "Collect", "Post"}
    assert "secrets" not in str(JOB["env"])
    assert JOB["permissions"] == {"contents": "write"}
