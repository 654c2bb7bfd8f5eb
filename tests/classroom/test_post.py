"""`grade post`: each student gets one post, edited when the grade changes; over real HTTP."""

import datetime as dt
import json
import re
import shutil
import signal

import gfm
import pytest
from github_server import EVERYTHING, Fault, GitHub
from helpers import COURSE, grade, start_grade
from hostile import HOSTILE
from minicourse import FILES, change, put
from students import GOOD, by, course, graded, told

from grader.assignment import Course
from grader.classroom import letters
from grader.gradebook.in_force import Override
from grader.gradebook.sentences import QUESTION
from grader.gradebook.store import PostedText, Store
from grader.report import Outcome, SubmissionInfo
from grader.submissions.states import NoAccess, NoFile
from grader.submissions.work import HandedIn, Work

STUDENTS = ["ada", "bob", "cy", "dan"]
ESSAY = "  essay: {points: 10, manual: true, title: Why}\n  box:"


@pytest.fixture
def github():
    with GitHub() as server:
        for student in STUDENTS:
            server.repository(f"org/mini-{student}")
        yield server


@pytest.fixture
def mini(tmp_path):
    """The course, and the results of four students, which the instructor has declared final."""
    assignment = course(tmp_path / "course")
    with Store(assignment.course.root / "results.db", create=True) as store:
        store.keep_override(Override("mini", "final", "grade post --final", "Grace"))
        for i, student in enumerate(STUDENTS):
            keep(store, student, i)
    return assignment


def keep(store, student, score, repository=None):
    work = HandedIn("assignments/mini/mini.ipynb", "", False, repository or f"org/mini-{student}", "c" * 40)
    store.keep(f"key {score}", by(student, work), told({"double": 10, "box": score}))


def results(mini):
    return Store(mini.course.root / "results.db")


def environment(github, **more):
    token = next(iter(github.tokens), None) or github.token("teacher", write=EVERYTHING)
    return {"GITHUB_API_URL": github.url, "GITHUB_TOKEN": token, "BACKGRADE_PACE": "0"} | more


def post(mini, github, *words, **more):
    """`grade post mini --yes`, as it is typed."""
    return grade(
        "post", "mini", *(words or ("--yes",)), cwd=mini.course.root, env=environment(github, **more)
    )


def issues(github, student="ada"):
    return list(github.repositories[f"org/mini-{student}"].issues.values())


def head(text):
    """Return what a text says of the grade itself, without the checks below it."""
    return text.partition("\n\nIf you think")[0]


def writes(github):
    return [asked for asked in github.asked if asked.method != "GET"]


def test_everybody_gets_an_issue(mini, github, snapshot):
    """With the grade at its top, and what was graded."""
    ran = post(mini, github)
    assert (ran.code, ran.err) == (0, "")
    (issue,) = issues(github)
    assert (issue.title, issue.author) == ("mini: your grade", "teacher")
    assert issue.body == snapshot
    assert ran.out == snapshot


@pytest.mark.ci
def test_where_a_feedback_pull_request_is_open_it_stands_there(mini, github):
    """It is a comment on the feedback pull request; the comment of grade ci is another one."""
    ada = github.repositories["org/mini-ada"]
    ada.pull(1)
    github.comment(ada.comments[1], "teacher", "<!-- backgrade:mini -->\nfrom the job")
    post(mini, github)
    assert [c.body.split("\n")[0] for c in ada.comments[1]] == [
        "<!-- backgrade:mini -->",
        "<!-- backgrade:grade-mini -->",
    ]
    with results(mini) as store:
        keep(store, "ada", 5)
    assert "comment edited" in post(mini, github).out
    assert ([c.edits for c in ada.comments[1]], issues(github)) == ([0, 1], [])


def test_a_second_run_sends_nothing(mini, github):
    """An unchanged grade costs a look at what stands there."""
    post(mini, github)
    github.asked.clear()
    ran = post(mini, github)
    assert (ran.code, len(github.asked), writes(github)) == (0, 4, [])
    assert "4 as posted" in ran.out


def test_who_changes_is_edited(mini, github):
    """For one student: another look at what is there now, and the edit."""
    post(mini, github)
    github.asked.clear()
    with results(mini) as store:
        keep(store, "bob", 9)
    post(mini, github)
    looks = [("GET", f"/repos/org/mini-{student}/issues/1") for student in [*STUDENTS, "bob"]]
    edit = ("PATCH", "/repos/org/mini-bob/issues/1")
    assert [(a.method, a.path) for a in github.asked] == [*looks, edit]
    (issue,) = issues(github, "bob")
    assert ("# Your grade for mini: 19 of 20 points" in issue.body, issue.edits) == (True, 1)


def mend(mini, student, score):
    """A later grading of the same work."""
    with results(mini) as store:
        work = HandedIn("assignments/mini/mini.ipynb", "", False, f"org/mini-{student}", "c" * 40)
        report = told({"double": 10, "box": score}, submission=SubmissionInfo("mini.py", "0" * 64, ""))
        store.keep(f"mended {score}", by(student, work), report)


def test_a_void_check_is_explained_to_those_who_gain(mini, github, snapshot):
    """By the reason of the override; who has the points anyway reads nothing of it."""
    mend(mini, "dan", 10)
    post(mini, github)
    before = issues(github, "dan")[0].body
    grade("override", "void", "box", "--why", "it was wrong", cwd=mini.course.root)
    ran = post(mini, github)
    assert (ran.code, ran.err) == (0, "")
    body = issues(github)[0].body
    assert "- `box` counts 40 points instead of 0" not in body, "the report's maximum counts"
    assert head(body) == snapshot
    assert issues(github, "dan")[0].body == before


def test_a_dry_run_sends_nothing_and_needs_no_token(mini, github, snapshot):
    """The dry run lists the grades; of one student it shows the whole text."""
    ran = grade("post", "mini", "--dry-run", cwd=mini.course.root)
    assert (ran.code, github.asked) == (0, [])
    assert ran.out == snapshot
    assert ran.out.endswith("4 new\n")
    ran = grade("post", "mini", "--dry-run", "--student", "bob", cwd=mini.course.root)
    assert ran.out == snapshot


def test_nobody_is_told_by_a_mere_command(mini, github, snapshot):
    """Without a terminal, and without --yes, nothing is sent."""
    ran = post(mini, github, "--student", "ada")
    assert (ran.code, github.asked) == (2, [])
    assert ran.err == snapshot


def test_points_by_hand_and_comments_are_posted(mini, github, snapshot):
    """A grade is provisional until its manual check has points; then the same issue is edited."""
    change(mini.course.root, "assignments/mini/assignment.yaml", "  box:", ESSAY)
    with results(mini) as store:
        work = HandedIn("assignments/mini/mini.ipynb", "", False, "org/mini-ada", "c" * 40)
        store.keep("k", by("ada", work), told({"double": 10, "box": 0}, manual=["essay"]))
    ran = post(mini, github)
    assert ran.out == snapshot
    (issue,) = issues(github)
    assert head(issue.body) == snapshot
    with results(mini) as store:
        store.keep_override(Override("mini", "points", "by hand", "Grace <g@uni.edu>", "ada", "essay", 7))
        store.keep_override(Override("mini", "comment", "ask @bob", "Grace <g@uni.edu>", "ada", "box"))
    post(mini, github)
    (issue,) = issues(github)
    assert issue.body == snapshot
    assert issue.body.count("- Comment on `box`: ask `@bob` (Grace, 20") == 1


ESSAY_CELL = """\
# %% [markdown] tags=["essay"]
# Why is double fast? Your answer:

# %% [markdown]
# Look at a box"""


@pytest.fixture(scope="module")
def essay(tmp_path_factory):
    """The course with a manual check, whose cell the stub has; ada does the code, bob answers, cy deletes the cell."""
    root = tmp_path_factory.mktemp("essay")
    for name, text in FILES.items():
        put(root, name, text)
    change(root, "assignments/mini/assignment.yaml", "  box:", ESSAY)
    change(root, "solutions/mini/mini.py", "# %% [markdown]\n# Look at a box", ESSAY_CELL)
    assert grade("stub", "mini", cwd=root).code == 0
    assignment = Course(root).assignment("mini")
    made = json.loads(assignment.pristine.read_text(encoding="utf-8"))
    written = done(made, "")
    works = {
        "ada": written,
        "bob": done(made, "\n\nIt adds."),
        "cy": {
            **written,
            "cells": [c for c in written["cells"] if c["metadata"].get("tags") != ["essay"]],
        },
        "dan": made,
    }
    with Store(root / "results.db", create=True) as store:
        store.keep_override(Override("mini", "final", "grade post --final", "Grace"))
        graded(assignment, {who: handed_in(who, work) for who, work in works.items()}, store)
    return root


@pytest.fixture
def with_essay(essay, tmp_path):
    """A copy of it."""
    return Course(shutil.copytree(essay, tmp_path, dirs_exist_ok=True)).assignment("mini")


def done(made, answer):
    """The notebook with the code written, and with an answer below the question."""
    done = json.loads(json.dumps(made))
    for cell in done["cells"]:
        text = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if cell["metadata"].get("tags") == ["essay"]:
            cell["source"] = text + answer
        elif "class Box" in text or "def double" in text:
            cell["source"] = GOOD if "def double" in text else ""
    return done


def handed_in(student, work):
    """A student's notebook, pushed to GitHub."""
    data = json.dumps(work).encode()
    return Work("assignments/mini/mini.ipynb", repository=f"org/mini-{student}", commit="c" * 40, data=data)


def test_nothing_written_for_a_manual_check_is_final(with_essay, github, snapshot):
    """0 points and a reason, where its cell is as it was handed out; else a person still grades it."""
    ran = post(with_essay, github)
    assert ran.out == snapshot
    text = issues(github, "ada")[0].body
    assert text == snapshot
    assert text.count("essay") == 1
    for student in ("bob", "cy"):
        text = issues(github, student)[0].body
        assert text == snapshot
        assert "You wrote nothing" not in text
    assert issues(github, "dan")[0].body == snapshot


def test_points_for_a_manual_check_without_text_count(with_essay, github, snapshot):
    """The answer may be on paper. The table for grading by hand names only those who may have written something."""
    grade("override", "table", "points.csv", "--template", cwd=with_essay.course.root)
    lines = (with_essay.course.root / "points.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [["bob", "essay"], ["cy", "essay"]]
    with results(with_essay) as store:
        store.keep_override(Override("mini", "points", "on paper", "Grace <g@uni.edu>", "ada", "essay", 7))
    post(with_essay, github)
    text = issues(github, "ada")[0].body
    assert text == snapshot
    assert "You wrote nothing" not in text
    assert text.count("essay") == 1


def test_hidden_checks_do_not_wait_for_points_by_hand(mini, github, snapshot):
    """With `hidden: final` they answer when work counts no longer; only the title says that points still come."""
    change(mini.course.root, "assignments/mini/assignment.yaml", "  box:", ESSAY)
    change(mini.course.root, "assignments/mini/assignment.yaml", "checks:", "hidden: final\nchecks:")
    with results(mini) as store:
        work = HandedIn("assignments/mini/mini.ipynb", "", False, "org/mini-ada", "c" * 40)
        store.keep("k", by("ada", work), told({"double": 10, "box": 0}, manual=["essay"]))
    post(mini, github)
    (issue,) = issues(github)
    assert issue.body == snapshot


def test_what_has_no_score_is_not_told(mini, github, snapshot):
    """A fault of the grader gives no grade; students without a repository are named."""
    with results(mini) as store:
        keep(store, "eve", 3, "/srv/git/eve.git")
        broken = told({"double": 0}, score=None)
        broken.checks[0].outcome = Outcome.UNGRADABLE
        store.keep("k", by("bob", HandedIn("m", repository="org/mini-bob")), broken)
    ran = post(mini, github)
    assert ran.code == 1
    assert ran.out == snapshot
    assert issues(github, "bob") == []


def test_points_of_a_student_who_cannot_read_them_yet(mini, github, snapshot):
    """The invitation was not accepted: the reason is named, and nothing is said of a time of handing in."""
    rule(mini, "due: 2020-12-03T23:59:00Z")
    with results(mini) as store:
        store.keep_absent("mini", "eve", NoAccess("eve-gh", "org/mini-eve", "2025-11-20T12:00:00Z"))
        store.keep_override(Override("mini", "points", "oral exam", "Grace", "eve", "double", 5))
    ran = post(mini, github, "--dry-run")
    assert ran.out == snapshot
    table = grade("report", "mini", "--format", "csv", cwd=mini.course.root).out
    (eve,) = (line for line in table.splitlines() if line.startswith("eve,"))
    assert ("oral exam" in eve, "is not known" in eve) == (True, False)


@pytest.mark.ci
def test_a_text_about_a_dropped_result(mini, github, snapshot):
    """It stays on GitHub, so the instructor reads where; who left the class is named once, as such."""
    post(mini, github)
    put(mini.course.root, "class.csv", "student\nada\nbob\ncy\n")
    put(mini.course.root, "solutions/course.yaml", "class: {organisation: org, roster: class.csv}\n")
    with results(mini) as store:
        store.keep_override(Override("mini", "forget", "the wrong folder", "Grace", "bob"))
    ran = post(mini, github, "--dry-run")
    assert ran.err == snapshot
    said = grade("diff", cwd=mini.course.root)
    assert ("without a result now: bob\n" in said.out, "dan" in said.out) == (True, False)


@pytest.mark.ci
def test_one_who_cannot_be_told_costs_nobody_else(mini, github, snapshot):
    """A repository is gone, in another one issues are switched off."""
    del github.repositories["org/mini-bob"]
    github.repositories["org/mini-cy"].has_issues = False
    ran = post(mini, github)
    assert ran.code == 1
    assert ran.out == snapshot
    assert len(issues(github, "dan")) == 1


@pytest.mark.ci
def test_what_somebody_deleted_is_written_again(mini, github):
    """The student's issue is gone; the changed grade gets a new one."""
    post(mini, github)
    github.repositories["org/mini-ada"].issues.clear()
    with results(mini) as store:
        keep(store, "ada", 9)
    assert post(mini, github).code == 0
    assert "19 of 20" in issues(github)[0].body


@pytest.mark.ci
def test_a_deleted_issue_that_is_remembered(mini, github):
    """GitHub answers 410, not 404, to whom may see the repository that the issue was deleted from."""
    post(mini, github)
    github.repositories["org/mini-ada"].issues.clear()
    github.faults.append(Fault(status=410, message="This issue was deleted", only="PATCH"))
    with results(mini) as store:
        keep(store, "ada", 9)
    ran = post(mini, github)
    assert (ran.code, len(issues(github))) == (0, 1), ran.out
    assert "19 of 20" in issues(github)[0].body


def test_a_planted_mark_is_nobodys(mini, github):
    """A student writes our mark into many issues: none is taken for ours, and GitHub is asked once about the student."""
    ada = github.repositories["org/mini-ada"]
    planted = [ada.issue("x", "<!-- backgrade:grade-mini -->\n20 of 20", author="ada") for _ in range(9)]
    post(mini, github)
    assert ([one.edits for one in planted], len(issues(github))) == ([0] * 9, 10)
    assert sum(asked.path.endswith("/ada/permission") for asked in github.asked) == 1


@pytest.mark.ci
def test_a_planted_mark_in_the_text_of_another_assignment(mini, github):
    """Students may edit our texts, too: one of another assignment with this one's mark is not written over."""
    other = github.repositories["org/mini-ada"].issue("other: your grade", "", author="teacher")
    other.edit("ada", "<!-- backgrade:grade-mini -->\n20 of 20", "2025-12-02T10:00:00Z")
    with results(mini) as store:
        store.keep_absent("other", "ada", NoFile("other.ipynb"))
        store.keep_posted("other", PostedText("ada", f"/repos/org/mini-ada/issues/{other.number}", "", "{}"))
    post(mini, github)
    assert (other.edits, len(issues(github))) == (1, 2)


@pytest.mark.ci
def test_a_text_that_a_student_took_away_is_written_again(mini, github):
    """Who may push to two repositories can move an issue between them: its readers would be others. So for a deleted one."""
    post(mini, github)
    github.repositories["org/mini-ada"].transfer(1, github.repositories["org/mini-bob"])
    moved = issues(github, "bob")[1]
    github.repositories["org/mini-cy"].issues.clear()  # deleted
    assert "2 changed, 2 as posted" in post(mini, github).out
    assert len(issues(github, "cy")) == 1
    assert (moved.edits, [issue.number for issue in issues(github)]) == (0, [2])


@pytest.mark.ci
def test_a_students_own_text_in_a_new_repository_stays(mini, github):
    """Where a repository was deleted and made again, the number of our issue may be that of a student's question."""
    post(mini, github)
    for student in ("ada", "bob"):
        github.repository(f"org/mini-{student}")
    question = github.repositories["org/mini-ada"].issue(
        "a question", "why is **my** grad twice as large?", author="ada"
    )
    github.repositories["org/mini-bob"].pull(1)
    ran = post(mini, github)
    assert ("2 changed, 2 as posted" in ran.out, ran.code) == (True, 0), ran.text
    assert (question.edits, [issue.number for issue in issues(github)]) == (0, [1, 2])
    assert len(issues(github, "bob")) + len(github.repositories["org/mini-bob"].comments[1]) == 1


@pytest.mark.ci
def test_a_renamed_repository_keeps_its_issue(mini, github):
    """The old name leads to the new one; nothing is written twice."""
    post(mini, github)
    github.repositories["org/mini-ada"].rename("org/ada-mini")
    with results(mini) as store:
        keep(store, "ada", 8)
        keep(store, "ada", 9, "org/ada-mini")
    post(mini, github)
    (issue,) = github.repositories["org/ada-mini"].issues.values()
    assert "19 of 20" in issue.body


@pytest.mark.ci
def test_a_text_in_an_earlier_repository(mini, github, snapshot):
    """A student who joined a team has an old grade elsewhere; the instructor reads where, once."""
    post(mini, github)
    github.repository("org/team")
    with results(mini) as store:
        keep(store, "ada", 9, "org/team")
    assert post(mini, github).out == snapshot
    assert "1 posted" not in post(mini, github).out


# --- Troubles on the way


@pytest.mark.ci
def test_a_token_that_is_not_valid_stops_at_once(mini, github, snapshot):
    """One line, and no request after it."""
    ran = post(mini, github, GITHUB_TOKEN="ghp_wrong")
    assert ran.code == 3
    assert ran.err == snapshot
    assert len(github.asked) == 1


@pytest.mark.parametrize(
    ("which", "done"),
    [
        pytest.param(2, True, id="after", marks=pytest.mark.ci),
        pytest.param(4, False, id="before", marks=pytest.mark.whole),
    ],
)
def test_killed_and_started_again(mini, github, which, done):
    """`kill -9` before or after GitHub has done its n-th write: in the end each has one issue, as if never killed."""
    running = start_grade("post", "mini", "--yes", cwd=mini.course.root, env=environment(github))
    seen = []

    def kill(method, path, number, is_done):
        if method == "POST" and is_done == done:
            seen.append(number)
            if len(seen) == which:
                running.send_signal(signal.SIGKILL)
                running.wait()

    github.on_request = kill
    with running:
        assert running.wait(60) == -signal.SIGKILL
    github.on_request = None
    assert post(mini, github).code == 0
    assert [(len(i), i[0].edits) for i in (issues(github, student) for student in STUDENTS)] == [(1, 0)] * 4
    with results(mini) as store:
        assert sorted(store.posted_texts("mini")) == STUDENTS


@pytest.mark.whole
@pytest.mark.parametrize("then", ["the same", "another", "the first again"])
def test_killed_after_an_edit(mini, github, then):
    """Our own text stands there, and the record does not say so yet: the next run needs no --take-over."""
    post(mini, github)
    with results(mini) as store:
        keep(store, "ada", 5)
    running = start_grade("post", "mini", "--yes", cwd=mini.course.root, env=environment(github))

    def kill(method, path, number, is_done):
        if method == "PATCH" and is_done:
            running.send_signal(signal.SIGKILL)
            running.wait()

    github.on_request = kill
    with running:
        assert running.wait(60) == -signal.SIGKILL
    github.on_request = None
    assert "15 of 20" in issues(github)[0].body
    points = {"the same": 5, "another": 9, "the first again": 0}[then]
    with results(mini) as store:
        keep(store, "ada", points)
    ran = post(mini, github)
    assert (ran.code, "1 posted" in ran.out) == (0, True), ran.text
    assert f"{10 + points} of 20" in issues(github)[0].body
    assert "4 as posted" in post(mini, github).out


# --- What is said when something changes


@pytest.mark.ci
def test_diff_shows_what_was_posted_beside_what_counts(mini, github, snapshot):
    """Before anything is published again."""
    post(mini, github)
    assert grade("diff", cwd=mini.course.root).code == 0
    with results(mini) as store:
        keep(store, "bob", 9)
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\n")
    ran = grade("diff", cwd=mini.course.root)
    assert ran.code == 1
    assert ran.out == snapshot


# --- Two in one repository


def test_a_team_that_works_differently(mini, github, snapshot):
    """Two students of one repository with different grades, as GitHub compares names: one text with a part for each."""
    with results(mini) as store:
        keep(store, "eve", 2, "org/mini-BOB")
    ran = post(mini, github)
    assert ran.code == 0
    assert not ran.err  # `open` and `collect` name the teams
    (issue,) = issues(github, "bob")
    assert issue.body == snapshot


def test_a_repository_that_is_no_name(mini, github, snapshot):
    """Dots would lead to another place of the API."""
    with results(mini) as store:
        keep(store, "eve", 1, "org/..")
    ran = post(mini, github, "--dry-run")
    assert ran.out == snapshot


# --- Final or provisional


def rule(mini, text):
    change(mini.course.root, "assignments/mini/assignment.yaml", "submission:", f"{text}\nsubmission:")


def test_the_reference_waits_for_extensions(mini, github):
    """While a student of the class has more time, nobody gets it; the command says until when."""
    with results(mini) as store:
        full = told({"double": 10, "box": 10}, outcome=Outcome.PASSED)
        store.keep("full", by("ada", HandedIn("mini.ipynb", "", False, "org/mini-ada", "c" * 40)), full)
    rule(mini, "reference: full_marks\ndue: 2020-01-01T10:00:00Z\nlate: {days: 1}")
    until = dt.datetime.now(dt.UTC) + dt.timedelta(days=2)
    line = f"bob,{until:%Y-%m-%dT%H:%M}:00Z\n"
    put(mini.course.root, "solutions/mini/extensions.csv", f"student,due\n{line}")
    ran = post(mini, github, "--dry-run", "--student", "ada")
    assert "The reference" not in ran.out
    ends = until + dt.timedelta(days=1)
    assert f"the reference is not posted before {ends:%Y-%m-%d %H:%M} UTC: bob still has time\n" in ran.out
    put(mini.course.root, "solutions/mini/extensions.csv", f"student,due\n{line}{line.replace('bob', 'cy')}")
    assert "UTC: bob, cy still have time\n" in post(mini, github, "--dry-run", "--student", "ada").out
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nbob,2020-01-03T10:00:00Z\n")
    ran = post(mini, github, "--dry-run", "--student", "ada")
    assert ("The reference" in ran.out, "not posted before" in ran.out) == (True, False)


def test_a_final_text_holds_no_advice(mini, github, snapshot):
    """Neither what runs later nor a command to run; also where nothing was hidden."""
    with results(mini) as store:
        report = told({"double": 10, "box": 0}, hidden_checks=False)
        report.checks[0].why = ["because"]
        store.keep("k", by("ada", HandedIn("mini.ipynb", "", False, "org/mini-ada", "c" * 40)), report)
    text = post(mini, github, "--dry-run", "--student", "ada").out
    assert text == snapshot
    for advice in (
        "Hidden checks run",
        "explains why your answers are right",
        "Next:",
        "still counts",
        "again",
    ):
        assert advice not in text, advice


def test_provisional_until_the_instructor_says_final(mini, github, snapshot):
    """Without a last day: the plan, the question and the text say so; `--final` is kept, and can be taken back."""
    assert post(mini, github, "--provisional", "--yes").code == 0
    (issue,) = issues(github)
    assert head(issue.body) == snapshot
    ran = post(mini, github, "--dry-run")
    assert ran.out == snapshot
    assert "--final` makes these grades final" in ran.out
    ran = post(mini, github, "--final", "--dry-run")
    assert ("4 changed" in ran.out, "provisional" in ran.out) == (True, False)
    assert "4 as posted" in post(mini, github, "--dry-run").out  # a dry run keeps nothing
    assert post(mini, github, "--final", "--yes").code == 0
    assert head(issues(github)[0].body) == snapshot
    assert "4 as posted" in post(mini, github).out
    assert [
        line.split("  ")[2] for line in grade("override", cwd=mini.course.root).out.splitlines()
    ] == snapshot


def test_provisional_until_the_last_day(mini, github, snapshot):
    """The manifest knows when a grade is final, each student's own; no word is needed, and none is taken."""
    rule(mini, "due: 2020-12-03T23:59:00Z\nlate: {days: 3}")
    put(mini.course.root, "solutions/mini/extensions.csv", "student,due\nbob,2999-12-01T23:59:00Z\n")
    ran = post(mini, github, "--dry-run")
    assert ran.out == snapshot
    ran = post(mini, github, "--student", "ada", "--student", "bob")
    assert ran.err == snapshot
    ran = post(mini, github, "--final", "--yes")
    assert (ran.code, github.asked) == (2, [])
    assert ran.err == snapshot
    post(mini, github)
    assert head(issues(github, "bob")[0].body) == snapshot
    assert "provisional" not in issues(github)[0].body


def test_final_is_about_the_whole_class(mini, github, snapshot):
    """One student's grade cannot be declared final."""
    ran = post(mini, github, "--final", "--student", "ada", "--yes")
    assert ran.code == 2
    assert ran.err == snapshot


# --- Another results file


@pytest.fixture
def second(mini):
    """Somebody graded the class once more, into a file of their own, with other points."""
    path = mini.course.root / "second.db"
    with Store(path, create=True) as store:
        for i, student in enumerate(STUDENTS):
            keep(store, student, i + 5)
    return path


@pytest.mark.ci
def test_another_files_grade_is_not_overwritten(mini, github, second, snapshot):
    """The message says who posted it, when, and what; --take-over replaces it."""
    github.clock = "2025-12-20T10:00:00Z"
    post(mini, github)
    before = [issues(github, student)[0].body for student in STUDENTS]
    ran = post(mini, github, "--yes", "--results", "second.db")
    assert ran.code == 1
    assert ran.out == snapshot
    assert [issues(github, student)[0].body for student in STUDENTS] == before
    assert [len(issues(github, student)) for student in STUDENTS] == [1] * 4

    assert post(mini, github, "--yes", "--results", "second.db", "--take-over").code == 0
    assert head(issues(github)[0].body) == snapshot
    assert [len(issues(github, student)) for student in STUDENTS] == [1] * 4


@pytest.mark.ci
def test_a_grade_that_was_taken_over_is_not_taken_back_by_accident(mini, github, second, snapshot):
    """The first results file keeps the location, and reads the present text."""
    post(mini, github)
    github.clock = "2025-12-21T10:00:00Z"
    post(mini, github, "--yes", "--results", "second.db", "--take-over")
    with results(mini) as store:
        keep(store, "ada", 9)
    ran = post(mini, github)
    assert ran.out == snapshot
    assert "2025-12-21 10:00 UTC" in ran.out
    assert head(issues(github)[0].body) == snapshot


@pytest.mark.ci
def test_a_copy_of_the_file_is_the_same_record(mini, github):
    """Kept elsewhere, or fetched from a branch: it goes on."""
    post(mini, github)
    shutil.copy(mini.course.root / "results.db", mini.course.root / "copy.db")
    with Store(mini.course.root / "copy.db") as store:
        keep(store, "ada", 9)
    assert post(mini, github, "--yes", "--results", "copy.db").code == 0
    assert "19 of 20" in issues(github)[0].body


def test_two_who_post_from_a_copied_course(mini, github):
    """The copy has the same id. The first course names the other's grade and leaves it, until one of them gives in."""
    post(mini, github)
    theirs = Course(shutil.copytree(mini.course.root, mini.course.root.parent / "theirs")).assignment("mini")
    words = ("points", "ada", "double", "1")
    grade("override", *words, "--why", "x", cwd=theirs.course.root)
    assert post(theirs, github).code == 0
    said = "`Your grade for mini: 1 of 20 points` in the student's repository"
    dry, ran = post(mini, github, "--dry-run"), post(mini, github)
    for one in (dry, ran):
        assert (one.code, "3 as posted, 1 left out" in one.out, said in one.out) == (1, True, True)
        assert "teacher posted" in one.out
        assert "by hand or from a copy of this results file" in one.out
    assert "1 of 20" in issues(github)[0].body
    with results(mini) as store:
        keep(store, "ada", 5)
    assert post(mini, github).code == 1
    assert "1 of 20" in issues(github)[0].body
    grade("override", "undo", *words[:3], "--why", "a mix-up", cwd=theirs.course.root)
    assert post(theirs, github).code == 0
    assert post(mini, github).code == 0  # the text is again one that this file wrote
    assert "15 of 20" in issues(github)[0].body


def test_a_copy_that_posts_what_the_first_file_posted_is_taken_over(mini, github):
    """Also where nothing changed here: the record says another grade than the student reads."""
    post(mini, github)
    shutil.copy(mini.course.root / "results.db", mini.course.root / "copy.db")
    with Store(mini.course.root / "copy.db") as store:
        keep(store, "ada", 9)
    post(mini, github, "--yes", "--results", "copy.db")
    assert post(mini, github, "--yes", "--take-over").code == 0
    assert "10 of 20" in issues(github)[0].body
    assert "4 as posted" in post(mini, github).out


def test_a_copy_that_posts_first(mini, github):
    """Both files have the same id, and the first knows of no post; the text is found, named and left."""
    shutil.copy(mini.course.root / "results.db", mini.course.root / "copy.db")
    with Store(mini.course.root / "copy.db") as store:
        keep(store, "ada", 9)
    post(mini, github, "--yes", "--results", "copy.db")
    ran = post(mini, github)
    assert (ran.code, "19 of 20 points` in the student's repository" in ran.out) == (1, True)
    assert "19 of 20" in issues(github)[0].body


def test_a_text_that_an_instructor_edited_stays(mini, github):
    """A sentence by hand is not lost when the grade changes; line ends of a browser are no edit."""
    post(mini, github)
    (issue,) = issues(github)
    kept = issue.body
    issue.edit("teacher", kept.replace("\n", "\r\n"), "2025-12-02T10:00:00Z")
    assert "4 as posted" in post(mini, github).out
    issue.edit("teacher", f"Well done, Ada.\n\n{kept}", "2025-12-02T10:00:00Z")
    with results(mini) as store:
        keep(store, "ada", 9)
    ran = post(mini, github)
    assert (ran.code, "1 left out" in ran.out, issue.body[:10]) == (1, True, "Well done,")
    assert post(mini, github, "--yes", "--take-over").code == 0
    assert "19 of 20" in issue.body


def test_a_text_that_a_student_edited_is_mended(mini, github):
    """Also where the grade is the one that was posted."""
    post(mini, github)
    (issue,) = issues(github)
    kept = issue.body
    issue.edit("ada", kept.replace("10 of 20", "20 of 20"), "2025-12-02T10:00:00Z")
    assert "1 changed, 3 as posted" in post(mini, github).out
    assert issue.body == kept


def test_a_dry_run_without_a_token(mini, github):
    """The plan is shown by the record, and it says that nobody looked."""
    post(mini, github)
    ran = post(mini, github, "--dry-run", GITHUB_TOKEN="")
    assert (ran.code, "4 as posted" in ran.out) == (0, True)
    assert "the texts posted on GitHub were not compared" in ran.err


def test_a_student_who_edits_the_id_changes_nothing(mini, github, snapshot):
    """It counts only where we edited the text last: writing another id does not protect a grade."""
    post(mini, github)
    (issue,) = issues(github)
    forged = re.sub("results-[0-9a-f]{16}", "results-" + "0" * 16, issue.body).replace("10 of 20", "20 of 20")
    issue.edit("ada", forged, "2025-12-02T10:00:00Z")
    with results(mini) as store:
        keep(store, "ada", 9)
    assert post(mini, github).code == 0
    assert head(issues(github)[0].body) == snapshot


@pytest.mark.ci
def test_a_colleagues_grade_is_known(mini, github, second, snapshot):
    """Administrators of the repository may grade: their issue is found and edited."""
    github.user("grace")
    repository = github.repositories["org/mini-ada"]
    repository.collaborators["grace"] = "admin"
    grace = github.token("grace", write=EVERYTHING)
    post(mini, github, "--yes", "--results", "second.db", "--student", "ada", GITHUB_TOKEN=grace)
    ran = post(
        mini, github, "--yes", "--student", "ada", GITHUB_TOKEN=github.token("teacher", write=EVERYTHING)
    )
    assert ran.out == snapshot
    assert len(issues(github)) == 1


@pytest.mark.ci
def test_what_an_earlier_version_posted_is_edited(mini, github):
    """Its text has no id; it is ours by its author."""
    post(mini, github)
    (issue,) = issues(github)
    issue.body = issue.body.partition("<!-- backgrade:results-")[0]
    with results(mini) as store:
        keep(store, "ada", 9)
    assert post(mini, github).code == 0
    assert "19 of 20" in issues(github)[0].body


def test_everywhere_the_same_label():
    """The template and the pages for students and for grading name the label that the text of a grade names."""
    pages = ["grader/classroom/release/template/README.md", "docs/students.md", "docs/grading.md"]
    texts = [(COURSE / page).read_text(encoding="utf-8") for page in pages]
    assert all(f"the label `{QUESTION}`" in " ".join(text.split()) for text in texts)
    assert f"`is:open label:{QUESTION} org:ORG`" in texts[-1]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_names_in_a_teams_text_are_text(text):
    """They come from a roster; no name is a mention, a link or a heading."""
    page, usual = (
        gfm.Page(
            letters._join_parts([("ada", letters._Part("Text.", "")), (name, letters._Part("Text.", ""))])
        )
        for name in (text, "word")
    )

    assert [tag for tag in page.tags if tag != "code"] == [tag for tag in usual.tags if tag != "code"]
    assert (page.attributes, gfm.linked(page)) == (usual.attributes, gfm.linked(usual))
