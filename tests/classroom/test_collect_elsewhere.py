"""Work in the wrong place: `collect` reports it, `batch` keeps it, every report shows it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from collecting import BEFORE, LATER, MANIFEST, NOTEBOOK, Class, work
from github_server import EVERYTHING, GitHub, Repository
from github_server.state import Invitation
from minicourse import FILES, change, put

from grader.submissions.find import find_works
from grader.submissions.states import NO_RESULT, PushedNothing

MADE = "2025-11-20T12:00:00Z"


@pytest.fixture
def class_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Class:
    return Class(tmp_path, monkeypatch, capsys)


@pytest.fixture
def github(class_: Class, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """An organisation whose repositories are on this disk, and an instructor's token."""
    with GitHub(class_.root / "github") as server:
        server.organisation("course", "teacher")
        server.clock = MADE
        monkeypatch.setenv("GITHUB_TOKEN", server.token("teacher", write=EVERYTHING))
        monkeypatch.setenv("GITHUB_API_URL", server.url)
        monkeypatch.setenv("GITHUB_SERVER_URL", f"file://{server.folder}")
        yield server


def handed_out(class_: Class, github: GitHub, name: str, *, accepted: bool = True) -> Repository:
    """A student's repository as it was made: the notebook untouched, an invitation sent."""
    class_.roster[name] = name
    github.user(name)
    its = github.repository(f"course/mini-{name}")
    stub = (class_.course / "assignments/mini/checks/stub.ipynb").read_bytes()
    its.push({**class_.handed_out(), NOTEBOOK: stub}, at=MADE, actor="teacher")
    its.invitations.append(Invitation(github.next_id(), name, "push"))
    if accepted:
        its.accept(name)
    return its


def collect(class_: Class, *words: str):
    class_.in_organisation("course")
    return class_.collect(*words, column="github")


# --- Another branch


def test_work_on_another_branch(class_: Class, github: GitHub):
    """The branch is named, its time, and the remedy."""
    ada = handed_out(class_, github, "ada")
    ada.push({NOTEBOOK: work()}, at=BEFORE, ref="solve", onto=ada.bare.tip("refs/heads/main"), actor="ada")
    ran = collect(class_)
    told = (
        "the work is on the branch `solve` (pushed 2025-12-01 10:00 UTC), and only `main` counts; "
        "open a pull request from `solve` into `main` and merge it by 2025-12-01 23:59 UTC"
    )
    assert ran.code == 1
    assert f"  ada  on another branch: {told}\n" in ran.out
    (found,) = find_works(class_course(class_), class_.works)
    assert (found.read().data, found.read().trouble) == (None, told)


def class_course(class_: Class):
    from grader.assignment import Course

    return Course(class_.course).assignment("mini")


def test_a_branch_that_was_merged_too_late(class_: Class, github: GitHub, snapshot):
    """The message has the time of the late push."""
    ada = handed_out(class_, github, "ada")
    ada.push({NOTEBOOK: work()}, at=BEFORE, ref="solve", onto=ada.bare.tip("refs/heads/main"), actor="ada")
    ada.pull(1, head="solve", base="main")
    ada.merge(1, at=LATER)
    ran = collect(class_)
    assert ran.out == snapshot


def test_branches_that_are_nobodys_work(class_: Class, github: GitHub):
    """A classroom's `feedback`, a fix that was offered, a bot's, one without a commit of its own, a deleted one."""
    ada = handed_out(class_, github, "ada")
    tip = ada.bare.tip("refs/heads/main")
    for ref, actor in {
        "feedback": "teacher",
        "backgrade/fix-1": "teacher",
        "deps": "dependabot[bot]",
    }.items():
        ada.push({"x.txt": ref}, at=BEFORE, ref=ref, onto=tip, actor=actor)
    ada.note("refs/heads/same", None, tip, actor="ada", at=BEFORE)
    ada.push({"x.txt": "gone"}, at=BEFORE, ref="gone", onto=tip, actor="ada")
    github.clock = LATER
    ada.delete("gone")
    ran = collect(class_)
    assert ran.code == 0, ran.text
    assert "1 student" in ran.out
    assert "branch" not in ran.out


def test_a_hostile_name_of_a_branch(class_: Class, github: GitHub):
    """Capped, on one line, and no code span of its own."""
    ada = handed_out(class_, github, "ada")
    name = "`" + "x" * 100 + "`"
    ada.push({NOTEBOOK: work()}, at=BEFORE, ref=name, onto=ada.bare.tip("refs/heads/main"), actor="ada")
    ran = collect(class_)
    assert f"the branch `'{'x' * 55}" in ran.out
    assert "x" * 61 not in ran.out


def test_work_in_time_is_never_given_up(class_: Class, github: GitHub):
    """The notebook was put back after the due date, and a branch lies about: what was handed in on time counts."""
    change(class_.course, MANIFEST, "submission:", "late: {percent_per_day: 10, days: 7}\nsubmission:")
    ada = handed_out(class_, github, "ada")
    stub = ada.files()[NOTEBOOK]
    ada.push({NOTEBOOK: work()}, at=BEFORE, actor="ada")
    ada.push({"x.txt": "1"}, at=BEFORE, ref="other", onto=ada.bare.tip("refs/heads/main"), actor="ada")
    ada.push({NOTEBOOK: stub}, at=LATER, actor="ada")
    ran = collect(class_)
    assert ran.code == 0, ran.text
    (found,) = find_works(class_course(class_), class_.works)
    versions = [found.read(), found.read().in_time]
    assert work().encode() in [version.data for version in versions if version]


# --- Nothing pushed at all


def test_nothing_was_pushed(class_: Class, github: GitHub, snapshot):
    """The untouched notebook is graded; the output says that nothing was pushed."""
    handed_out(class_, github, "ada")
    ran = collect(class_)
    assert ran.code == 0
    assert ran.out == snapshot
    assert class_.record("ada").state == PushedNothing("ada", "course/mini-ada")


def test_a_bot_pushed_and_the_student_did_not(class_: Class, github: GitHub, snapshot):
    """The output names the bot's push and no other reason."""
    ada = handed_out(class_, github, "ada")
    ada.push({NOTEBOOK: work()}, at=BEFORE, actor="format[bot]")
    ran = collect(class_)
    assert ran.out == snapshot


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (
            "pending",
            "ada has not accepted the invitation to course/mini-ada, sent 2025-11-20 12:00 UTC; remind them",
        ),
        (
            "expired",
            "the invitation of ada to course/mini-ada, sent 2025-11-20 12:00 UTC, has expired; `grade open",
        ),
        (
            "never",
            "ada cannot push to course/mini-ada, and no invitation is open; `grade open` sends an invitation",
        ),
    ],
)
def test_an_invitation_that_was_not_accepted(class_: Class, github: GitHub, state: str, told: str):
    """Pending, expired or never sent: there is no score, for the student cannot push."""
    ada = handed_out(class_, github, "ada", accepted=False)
    ada.invitations[0].expired = state == "expired"
    if state == "never":
        ada.invitations.clear()
    ran = collect(class_)
    assert ran.code == 1
    assert f"  ada  without access: {told}" in ran.out
    (found,) = find_works(class_course(class_), class_.works)
    assert isinstance(found.read().state, NO_RESULT)
    assert "invit" in found.read().trouble


def test_what_the_token_may_not_ask_stays_unknown(class_: Class, github: GitHub, monkeypatch, snapshot):
    """Contents and metadata are enough to collect; permissions are then left out."""
    handed_out(class_, github, "ada", accepted=False)
    monkeypatch.setenv("GITHUB_TOKEN", github.token("assistant"))
    ran = collect(class_)
    assert ran.out == snapshot


@pytest.mark.ci
def test_who_pushed_is_not_asked_about(class_: Class, github: GitHub):
    """At most three requests more, and only for those of whom nothing was taken."""
    for name in ("ada", "bob", "cy"):
        handed_out(class_, github, name, accepted=name != "cy")
    github.repositories["course/mini-ada"].push({NOTEBOOK: work()}, at=BEFORE, actor="ada")
    collect(class_)
    asked = [a.path for a in github.asked if a.path != "/graphql"]
    counts = {name: sum(f"mini-{name}" in path for path in asked) for name in ("ada", "bob", "cy")}
    assert counts == {"ada": 2, "bob": 4, "cy": 5}
    assert len(github.asked) == len(asked)


# --- Another repository, another name


def test_work_in_a_partners_repository(class_: Class, github: GitHub, snapshot):
    """The instructor says whose it is; no score is made of it."""
    ada, _ = handed_out(class_, github, "ada"), handed_out(class_, github, "bob")
    ada.push({NOTEBOOK: work()}, at=BEFORE, actor="bob")
    ran = collect(class_)
    assert ran.code == 1
    assert ran.out == snapshot


def test_a_notebook_of_another_name_beside_the_untouched_one(class_: Class, github: GitHub, snapshot):
    """It is named, with the name that it needs."""
    ada = handed_out(class_, github, "ada")
    ada.push({"homework/my own.ipynb": work()}, at=BEFORE, actor="ada")
    ran = collect(class_)
    assert ran.out == snapshot


# --- The whole class in every report


@pytest.mark.ci
def test_everybody_of_the_roster_is_in_every_report(class_: Class, github: GitHub, snapshot):
    """A student without a result is listed with the reason, in the terminal, in the CSV and for Canvas."""
    for name, text in FILES.items():
        if name.startswith("solutions/"):
            put(class_.course, name, text)
    handed_out(class_, github, "ada").push({NOTEBOOK: work()}, at=BEFORE, actor="ada")
    handed_out(class_, github, "bob", accepted=False)
    class_.roster["cy"] = "cy"
    assert collect(class_).code == 1
    ran = class_.type("batch", "mini", class_.works)
    assert ran.code == 1
    assert ran.out == snapshot

    text = class_.type("report", "mini").out
    assert text == snapshot
    rows = {
        row["student"]: row
        for row in csv.DictReader(io.StringIO(class_.type("report", "mini", "--format", "csv").out))
    }
    assert list(rows) == ["ada", "bob", "cy"]
    assert (rows["bob"]["score"], rows["bob"]["max_score"]) == ("", rows["ada"]["max_score"])
    assert rows["bob"]["note"] == snapshot

    put(class_.course, "moodle.csv", "First name,Last name,Email address\nB,B,bob\nA,A,ada\nC,C,cy\n")
    ran = class_.type("report", "mini", "--format", "moodle", "--roster", "moodle.csv")
    assert ran.err == snapshot

    ran = class_.type("override", "excuse", "bob", "--why", "moved away")
    assert ran.code == 0
    assert "  bob       -  excused\n" in class_.type("report", "mini").out
    ran = class_.type("post", "mini", "--dry-run")
    assert ran.out == snapshot


@pytest.mark.ci
def test_who_comes_back_has_a_result(class_: Class, github: GitHub):
    """The invitation is accepted, the work pushed: the reason is gone."""
    for name, text in FILES.items():
        if name.startswith("solutions/"):
            put(class_.course, name, text)
    ada = handed_out(class_, github, "ada", accepted=False)
    collect(class_)
    class_.type("batch", "mini", class_.works)
    assert "no result" in class_.type("report", "mini").out
    ada.accept("ada")
    ada.push({NOTEBOOK: work()}, at=BEFORE, actor="ada")
    assert collect(class_).code == 0
    assert class_.type("batch", "mini", class_.works).code == 0
    ran = class_.type("report", "mini")
    assert ("ada" in ran.out, "no result" in ran.out) == (True, False), ran.text


@pytest.mark.ci
def test_a_roster_beside_a_report(class_: Class, snapshot):
    """A zip holds only students who handed in; the report lists the others too."""
    for name, text in FILES.items():
        if name.startswith("solutions/"):
            put(class_.course, name, text)
    put(class_.root, "students/ada/mini.ipynb", work())
    assert class_.type("batch", "mini", class_.root / "students").code == 0
    put(class_.course, "class.csv", "student\nada\nbob\n")
    ran = class_.type("report", "mini", "--roster", "class.csv")
    assert ran.out == snapshot
