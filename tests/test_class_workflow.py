"""`.github/workflows/grade-class.yml`: its steps, run in bash against the tests' GitHub, twice."""

import os
import re
import subprocess

import pytest
import yaml
from actions import Run, run_step
from github_server import GitHub
from handing import released
from helpers import COURSE, GRADE
from minicourse import change
from releasing import ADA, git
from whole_class import World

from grader.store import Store

WORKFLOW = yaml.safe_load((COURSE / ".github" / "workflows" / "grade-class.yml").read_text(encoding="utf-8"))
(JOB,) = WORKFLOW["jobs"].values()
OWN = "course/private"  # the instructor's repository


@pytest.fixture
def class_(tmp_path, tmp_path_factory):
    """Seven students who have handed in, and the instructor's private repository with the course."""
    with GitHub(tmp_path / "github") as github:
        made = World(tmp_path, github, released(tmp_path_factory.mktemp("released")), 7)
        github.repository(OWN).push({"README.md": "course\n"}, actor="teacher")
        made.run(*made.commands()["distribute"])
        made.work()
        yield made


def run(class_: World, name: str, **inputs: object) -> Run:
    """The steps of one job, on a machine of its own: only what is pushed outlives it."""
    given = {"day": "mini", "organization": "course", "roster": "roster.csv", "post": True, "final": "false"} | inputs
    temp = class_.root / name
    temp.mkdir()
    made = Run()
    for number, step in enumerate(JOB["steps"]):
        if "run" not in step or step["name"] == "Install":
            continue
        due = step.get("if", "${{ success() }}")
        if due == "${{ inputs.post }}":
            due = "${{ success() }}" if given["post"] else "no"
        if due == "no" or (due == "${{ success() }}" and not made.green):
            continue
        values = {k: evaluated(v, given, class_) for k, v in (JOB["env"] | step.get("env", {})).items()}
        done = run_step(step["run"], class_.course, temp / f"step{number}", variables(class_, temp) | values)
        done.id = step["name"]
        made.steps.append(done)
    return made


def evaluated(text: str, inputs: dict, class_: World) -> str:
    """The expressions that the workflow uses, and no other."""
    known = {f"inputs.{name}": str(value) for name, value in inputs.items()}
    known |= {"github.token": "job", "secrets.token": class_.token}
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)


def variables(class_: World, temp) -> dict[str, str]:
    return {
        "BACKGRADE_PACE": "0",
        "GITHUB_API_URL": class_.github.url,
        "GITHUB_REPOSITORY": OWN,
        "GITHUB_SERVER_URL": f"file://{class_.github.folder}",
        "HOME": str(temp),
        "PATH": f"{GRADE.parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(temp),
    }


def kept(class_: World, to) -> list[str]:
    """Who has a result in the file on the branch `results`."""
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


def test_a_class_is_graded_and_then_told(class_, tmp_path):
    """The results lie on a branch: a second job, on another machine, grades nothing again and tells everybody."""
    before = len(writes(class_))
    first = run(class_, "first", post=False)
    assert first.green, [(step.id, step.text) for step in first.steps if step.code]
    assert kept(class_, tmp_path / "first.db") == class_.students
    assert "7 students, 7 with a score" in first.step("Show who changes").summary
    assert len(writes(class_)) == before

    second = run(class_, "second")
    assert second.green, [(step.id, step.text) for step in second.steps if step.code]
    assert "7 students: 0 graded in 0 s, 7 as before." in second.step("Grade").text
    assert [len(class_.repository(student).issues) for student in class_.students] == [1] * 7
    commits = git("rev-list", "--count", "results", cwd=class_.github.folder / f"{OWN}.git", env=ADA)
    assert commits == "2"  # what was graded, what was told


def test_a_job_that_fails_keeps_what_it_has(class_, tmp_path):
    """The token ends in the middle of posting: what was graded and told is on the branch, and the next job goes on."""
    tokens, written = dict(class_.github.tokens), []

    def hook(method, path, number, done):
        if method == "POST" and path != "/graphql" and done:
            written.append(path)
            if len(written) == 3:
                class_.github.tokens.clear()

    class_.github.on_request = hook
    failed = run(class_, "first")
    assert "grade: the token is not valid (401); 4 are not told yet" in failed.step("Post").text
    assert not failed.green
    assert kept(class_, tmp_path / "first.db") == class_.students

    class_.github.on_request = None
    class_.github.tokens.update(tokens)
    second = run(class_, "second")
    assert second.green
    assert "4 new, 3 as posted" in second.step("Post").text
    assert [len(class_.repository(student).issues) for student in class_.students] == [1] * 7


@pytest.mark.slow
def test_grades_are_declared_final(class_):
    """Where the manifest names no last day; kept with the results, so that the next job needs no such word."""
    change(class_.course, "assignments/mini/assignment.yaml", ", days: 3", "")
    assert "provisional" not in run(class_, "first", final="true").step("Post").text
    assert "7 as posted\n" in run(class_, "second").step("Post").text


def test_tokens_are_where_they_are_needed(class_):
    """Student code is graded in a step that has none."""
    with_token = {step["name"] for step in JOB["steps"] if "GITHUB_TOKEN" in step.get("env", {})}
    assert with_token == {"Collect", "Post"}
    assert "secrets" not in str(JOB["env"])
    assert JOB["permissions"] == {"contents": "write"}
