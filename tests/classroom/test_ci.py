"""`grade ci` in a job: what a student's push brings to the page of the run, beside the lines, into a comment."""

import base64
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from actions import Run, Step, run_job, run_step
from actions import job_variables as variables
from github_server import GitHub, Repository
from helpers import COURSE, cells, grade, notebook, same_as_snapshot, stub_name
from hostile import HOSTILE, obeyed, report_of
from minicourse import FILES, put
from told import sentences_with

from grader.assignment import Course
from grader.classroom import ci
from grader.classroom.release.contents import workflow
from grader.render.html import render_html
from grader.report import Location, from_json

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a job's steps run in bash")

SHA = "0" * 39 + "1"
RIGHT = ("self.grad += other.data * out.grad", "other.grad += self.data * out.grad")
WRONG = ("self.grad += self.data * out.grad", "other.grad += other.data * out.grad")


def engine(*, broken: bool) -> str:
    """The reference as a notebook, one line of source a line of the file; broken, × keeps each own factor."""
    sources = cells("day2")
    if broken:
        sources = [s.replace(RIGHT[0], WRONG[0]).replace(RIGHT[1], WRONG[1]) for s in sources]
    page = json.loads(notebook(*sources))
    for cell in page["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    return json.dumps(page, indent=1)


@dataclass
class Week:
    """Three pushes of one student, and what GitHub holds after each."""

    runs: dict[str, Run]
    comments: dict[str, list[str]]
    reports: dict[str, str]
    pages: dict[str, str]


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    """The stub, a broken engine, then all of it; in a repository with the pull request that classrooms open."""
    root = tmp_path_factory.mktemp("alice")
    shutil.copytree(COURSE / "assignments", root / "assignments")
    file = root / "assignments" / "day2" / stub_name("day2")
    stub = file.read_text(encoding="utf-8")
    found = Week({}, {}, {}, {})
    with GitHub() as github:
        alice = github.repository("course/alice")
        alice.pull(1)
        token = github.token(write=["pull_requests"])
        pushes = {"stub": stub, "broken": engine(broken=True), "reference": engine(broken=False)}
        for name, text in pushes.items():
            file.write_text(text, encoding="utf-8")
            temp = tmp_path_factory.mktemp("temp")
            more = {"token": token, "GITHUB_API_URL": github.url}
            found.runs[name] = run_job(workflow(["day2"]), root, temp, **more)
            found.comments[name] = [comment.body for comment in alice.comments[1]]
            found.reports[name] = (root / "feedback" / "day2.json").read_text(encoding="utf-8")
            found.pages[name] = (root / "feedback" / "day2.html").read_text(encoding="utf-8")
    return found


CASES = ["stub", "broken", "reference"]


@pytest.mark.parametrize("case", CASES)
def test_a_job_is_green_whatever_the_grade(week: Week, case: str):
    """Red is for what keeps somebody from being graded."""
    run = week.runs[case]
    assert run.green, run.step("day2").text
    assert "left out" not in run.step("day2").text


def told(step: Step) -> str:
    """Everything that a step tells the runner besides its log."""
    read = json.loads(base64.b64decode(step.outputs["result"]))
    points = f"{read['status']}, {sum(test['score'] for test in read['tests'])} of {read['max_score']}"
    outputs = "".join(f"{k}={v}\n" for k, v in (step.outputs | {"result": f"({points})"}).items())
    notes = [f"{a.name} {json.dumps(a.properties)}\n{a.data}\n" for a in step.log.annotations]
    return f"--- outputs\n{outputs}--- annotations\n{''.join(notes)}--- summary\n{step.summary}"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the summary says that no jail was closed")
@pytest.mark.parametrize("case", CASES)
def test_what_a_job_tells(week: Week, case: str):
    """Summary, annotations and outputs, word for word."""
    same_as_snapshot(f"ci_{case}", told(week.runs[case].step("day2")))


@pytest.mark.parametrize("case", CASES)
def test_the_log_is_the_report_and_no_command(week: Week, case: str):
    """The log has the terminal's report and our annotations."""
    log = week.runs[case].step("day2").log
    assert "day2  The backward pass" in log.shown
    assert log.shown[-1].startswith("Next: ")
    assert obeyed("\n".join(log.shown)) == []
    assert len(log.commands) == len(log.annotations)


@pytest.mark.parametrize("case", CASES)
def test_the_artifact_is_the_report(week: Week, case: str):
    """feedback/day2.json has what the outputs say, and feedback/day2.html shows it."""
    report, outputs = from_json(week.reports[case]), week.runs[case].step("day2").outputs
    assert outputs["score"] == f"{report.score:g}"
    assert outputs["max-score"] == "100"
    assert outputs["outcome"] == report.outcome
    assert week.pages[case] == render_html(report)
    assert ('class="player"' in week.pages[case]) is (case == "broken")


def test_one_comment_from_the_first_work_to_full_marks(week: Week):
    """A stub opens none; the first work does; the next push edits it."""
    assert week.comments["stub"] == []
    (first,), (second,) = week.comments["broken"], week.comments["reference"]
    assert first.startswith("<!-- backgrade:day2 -->\n## day2")
    assert second.startswith("<!-- backgrade:day2 -->\n## day2")
    assert "**100 of 100 points**" in second
    assert first != second


def test_no_hidden_checks_are_here(week: Week, snapshot):
    """Full marks of the visible checks are reported as that, and not as the grade."""
    summary = week.runs["reference"].step("day2").summary
    assert sentences_with("11 of 11 visible", summary) == snapshot
    assert from_json(week.reports["reference"]).hidden_checks is False


# --- A small course, for what goes wrong


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A student's copy of the miniature course, with half-finished work."""
    for name, text in FILES.items():
        if name.startswith("assignments/"):
            put(tmp_path / "mini", name, text)
    put(tmp_path / "mini", "assignments/mini/mini.ipynb", notebook("def double(x):\n    return x + x"))
    return tmp_path / "mini"


def step(course: Path, script: str = "grade ci mini", **more: str) -> Step:
    """That command as the one step of a job."""
    temp = course.parent / "temp"
    temp.mkdir()
    return run_step(script, course, temp / "step", variables(course, temp, **more))


@pytest.mark.ci
def test_a_deleted_notebook_is_an_untouched_one(mini: Path, tmp_path: Path, github: GitHub, snapshot):
    """A number for the class, the reason for the student: on the page, beside no line, and in a comment."""
    (mini / "assignments" / "mini" / "mini.ipynb").unlink()
    alice = alices(github)
    token = github.token(write=["pull_requests"])
    done = step(mini, "grade ci mini --comment", **on_github(github, token, tmp_path))
    why = "assignments/mini/mini.ipynb: there is no such file; correct the name or the folder"
    assert (done.code, done.outputs["score"], done.outputs["outcome"]) == (0, "0", "todo")
    assert [(a.name, a.data, set(a.properties)) for a in done.log.annotations] == [("error", why, {"title"})]
    assert done.log.shown == snapshot
    assert done.summary == snapshot
    assert alice.commit_comments[SHA][0].body == snapshot
    assert json.loads(base64.b64decode(done.outputs["result"]))["status"] == "fail"
    report = from_json((mini / "feedback" / "mini.json").read_text(encoding="utf-8"))
    assert (report.submission.sha256, report.score, report.max_score) == ("", 0, 100)
    assert {check.outcome for check in report.checks} == {"todo"}


def test_outside_of_a_job_it_is_refused(mini: Path, snapshot):
    """As `grade` refuses it: there somebody sits and can name the file."""
    (mini / "assignments" / "mini" / "mini.ipynb").unlink()
    ran = grade("ci", "mini", cwd=mini, env={"GITHUB_ACTIONS": ""})
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == snapshot


@pytest.mark.ci
def test_outside_of_a_job_it_says_what_it_leaves_out(mini: Path, tmp_path: Path, snapshot):
    """And does the rest: the report, and the file of one's own work."""
    files = {"GITHUB_STEP_SUMMARY": str(tmp_path / "s"), "GITHUB_OUTPUT": str(tmp_path / "o")}
    ran = grade("ci", "mini", "--comment", cwd=mini, env={"GITHUB_ACTIONS": ""} | files)
    assert ran.code == 0
    assert ran.out.splitlines()[0] == snapshot
    assert (mini / "feedback" / "mini.json").is_file()
    assert not (tmp_path / "s").exists()


@pytest.mark.ci
def test_what_cannot_be_done_costs_no_grade(mini: Path):
    """A line each, and the exit code stays."""
    put(mini, "feedback", "a file in the place of the folder")
    gone = {
        "GITHUB_STEP_SUMMARY": "/nowhere/s",
        "GITHUB_OUTPUT": "",
        "GITHUB_TOKEN": "ghs_secret",
        "GITHUB_API_URL": "x",
    }
    done = step(mini, "grade ci mini --comment", **gone)
    assert done.code == 0
    assert "Traceback" not in done.text
    left = [line.split(", ")[0] for line in done.log.shown if line.startswith("left out: ")]
    assert left == [f"left out: {what}" for what in ("feedback file", "summary", "outputs", "comment")]
    assert "ghs_secret" not in done.text
    assert len(done.log.annotations) == 1


@pytest.fixture
def github() -> GitHub:
    with GitHub() as server:
        yield server


def on_github(github: GitHub, token: str, tmp_path: Path, event: object = None) -> dict[str, str]:
    """The variables of a job that may speak to that server."""
    put(tmp_path, "event.json", json.dumps(event))
    more = {
        "GITHUB_API_URL": github.url,
        "GITHUB_TOKEN": token,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
    }
    return more | ({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF": "refs/pull/7/merge"} if event else {})


def alices(github: GitHub) -> Repository:
    repository = github.repository("course/alice")
    repository.commit(SHA)
    return repository


@pytest.mark.ci
def test_a_pull_request_from_a_fork(mini: Path, tmp_path: Path, github: GitHub, snapshot):
    """Its token may only read; everything else is as ever."""
    alices(github).pull(7, owner="mallory")
    event = {"pull_request": {"number": 7, "title": "::error::x"}}
    done = step(mini, "grade ci mini --comment", **on_github(github, github.token(), tmp_path, event))
    assert done.code == 0
    assert done.log.shown == snapshot
    assert done.outputs["score"] == "60"


@pytest.mark.ci
def test_a_pull_request_is_commented(mini: Path, tmp_path: Path, github: GitHub, snapshot):
    """The event tells which one it is."""
    alice = alices(github)
    alice.pull(7)
    token = github.token(write=["pull_requests"])
    done = step(
        mini, "grade ci mini --comment", **on_github(github, token, tmp_path, {"pull_request": {"number": 7}})
    )
    assert done.log.shown == snapshot
    assert len(alice.comments[7]) == 1


@pytest.mark.parametrize("event", [{"pull_request": {"number": "7/../8"}}, {"pull_request": None}, ["x"]])
def test_a_strange_event(mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: object):
    """An event that does not tell the pull request is a line, not an address."""
    put(tmp_path, "event.json", json.dumps(event))
    job = ci.Job({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")})
    with pytest.raises(ci.RequestFailed, match="GITHUB_EVENT_PATH"):
        job.push()


@pytest.mark.parametrize("text", ["", "/nowhere", "x" * 5_000, "a\0b"])
def test_a_folder_that_is_none(mini: Path, text: str):
    """A variable that names no folder is as none at all, whatever it holds."""
    assignment = Course.find(mini).assignment("mini")
    job = ci.Job({"GITHUB_WORKSPACE": text})
    published = ci.Publication(assignment, assignment.stub, job, report_of("x"))
    assert published.location(Location(assignment.stub.name, 1, 1)) is None


HOSTILE_NOTEBOOK = notebook(
    'print("::error::boom\\n##[error]boom\\n::stop-commands::x")',
    "def double(x):\n    raise ValueError('x\\n::error file=a::boom ##[set-output name=score]100 \\r::add-mask::e')",
    "class Box:\n    def __init__(self, n): raise NotImplementedError('::set-output name=score::100')",
)


def test_a_student_who_writes_commands(mini: Path):
    """The runner executes none of them, whatever the file's name."""
    name = "a,line=1::x%0A:y.ipynb"
    put(mini, name, HOSTILE_NOTEBOOK)
    done = step(mini, f"grade ci mini '{name}'")
    assert done.code == 0
    assert done.outputs["score"] == "0"
    assert [(a.name, a.properties["file"]) for a in done.log.commands] == [("error", name), ("notice", name)]
    assert "boom" in done.log.commands[0].data
    assert obeyed("\n".join(done.log.shown)) == []


PRINTING = '''"""Doubling: twice the number."""


def test_three(student):
    """Twice 3 is 6."""
    import sys

    print(student.said)
    print(student.said, file=sys.stderr)
    assert student.double(3) == 6
'''


@pytest.fixture
def printed(mini: Path) -> Path:
    """A check that prints what a student's name holds, as its author did who looked for a mistake."""
    put(mini, "assignments/mini/checks/test_double.py", PRINTING)
    said = f"100\n::error::boom\n##[error]boom\n{HOSTILE['traceback in lines of 96']}"
    lines = said.replace(" File", "\nFile").replace(" raise", "\nraise").replace(") x", ")\nx")
    put(mini, "assignments/mini/mini.ipynb", notebook(f"said = {lines!r}\ndef double(x):\n    return x + x"))
    return mini


def test_what_a_check_prints_is_no_command(printed: Path):
    """It is there to be read, and no line of it is executed."""
    done = step(printed)
    assert (done.code, done.outputs["score"]) == (0, "60")
    assert "raise E('zzz" in done.text
    assert [c.name for c in done.log.commands] == ["notice"]
    assert obeyed("\n".join(done.log.shown)) == []


@pytest.mark.ci
def test_what_a_check_prints_is_beside_the_report(printed: Path):
    """A program that reads the report finds nothing else on the standard output."""
    ran = grade("mini", "--format", "gradescope", cwd=printed)
    assert json.loads(ran.out)["score"] == 60
    assert "boom" in ran.err
    assert obeyed(ran.err) == []


def test_a_broken_course_is_nobodys_zero(mini: Path):
    """The job is red, there is no score, and the student is informed that it is not their fault."""
    put(mini, "assignments/mini/checks/test_double.py", "import nothing_of_the_kind\n")
    done = step(mini)
    assert done.code == 3
    assert (done.outputs["score"], done.outputs["outcome"]) == ("", "ungradable")
    assert [a.data for a in done.log.annotations if "not your fault" in a.data] != []


# --- Exit codes


@pytest.mark.parametrize(("score", "code"), [(0, 0), (100, 0), (None, 3)])
def test_exit_codes(mini: Path, monkeypatch: pytest.MonkeyPatch, score: float | None, code: int):
    """0 whatever the grade, 3 without a score."""
    monkeypatch.setattr(ci, "grade", lambda *_, **__: report_of("x", score=score))
    assert ci.run(Course.find(mini).assignment("mini"), None, comment=False, environment={}) == code


def test_no_such_day(mini: Path):
    """The nearest name, and exit code 2."""
    ran = grade("ci", "mimi", cwd=mini, env=dict(os.environ))
    assert ran.code == 2
    assert "did you mean `mini`?" in ran.text
