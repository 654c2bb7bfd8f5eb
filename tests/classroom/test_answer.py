"""`grade answer`: one answer for each newest push, and no cost without a push."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading

import pytest
from github_server import Dropped, Fault, GitHub, copy
from github_server.state import Status
from github_server.talk import MOST_STATUSES
from handing import TEMPLATE, released
from helpers import COURSE, notebook
from losing import MARKER, Instead, dies_once, tries
from minicourse import change, put
from releasing import ADA, git
from students import FORGETS, GOOD, SQUARES, Here, results_in
from told import sentences_with
from whole_class import NOTEBOOK, World

from grader.assignment import Course
from grader.classroom import answer as module
from grader.classroom.answer import run_answer
from grader.errors import Refused
from grader.gradebook.settings import Class
from grader.gradebook.store import PushRecord, Store

ORG, CONTEXT = "course", "backgrade/mini"
MADE, NOON = "2026-01-05T08:00:00Z", dt.datetime(2026, 1, 5, 12, tzinfo=dt.UTC)
HALVES = GOOD.replace(
    "self.number = double(self.number)", "self.number = 5.0"
)  # what the visible check asks for


class Pushing(World):
    """A class whose students push, and an instructor whose schedule answers."""

    def __init__(self, root, github, template, count):
        super().__init__(root, github, template, count)
        change(self.course, "assignments/mini/assignment.yaml", "due: 2025-12-03", "due: 2999-12-03")
        github.clock = MADE
        for student in self.students:
            copy(github, github.repositories[TEMPLATE], f"course/mini-{student}")
        self.results, self.now, self.pushes = self.course / "results.db", NOON, 0

    def push(self, student, source=GOOD, **more):
        """Push a notebook, each time a minute later; gives the commit."""
        self.pushes += 1
        at = (NOON - dt.timedelta(hours=3) + dt.timedelta(minutes=self.pushes)).strftime("%Y-%m-%dT%H:%M:%SZ")
        files = {NOTEBOOK: notebook(source, f"# push {self.pushes}")}
        return self.repository(student).push(files, **{"at": at, "actor": student} | more)

    def answer(self, results=None):
        """One run in this process; gives the exit code."""
        assignment = Course(self.course).assignment("mini")
        return run_answer(
            assignment,
            Class(self.course / "roster.csv", ORG),
            results or self.results,
            environment=self.github.environment(self.token),
            clock=lambda: self.now,
        )

    def words(self, *more):
        return ["answer", "mini", *more]

    def statuses(self, student):
        """Of each commit that has some, in order: the states and words."""
        return {
            commit: [(status.state, status.description) for status in told]
            for commit, told in self.repository(student).statuses.items()
        }

    def issue(self, student):
        (issue,) = self.repository(student).issues.values()
        return issue

    def manifest(self, line):
        change(self.course, "assignments/mini/assignment.yaml", "submission:", f"{line}\nsubmission:")


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Grade in this process; commands that a test starts have worker processes."""
    monkeypatch.setattr(module, "Workers", lambda *_: Here())


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def made(tmp_path, template):
    """Makes a class of so many students."""
    with GitHub(tmp_path / "github") as github:
        yield lambda count: Pushing(tmp_path, github, template, count)


@pytest.fixture
def class_(made):
    return made(3)


# --- Answers


def test_who_pushed_is_answered(class_, capsys, snapshot):
    """On the commit, with points and a link; in an issue, provisionally. Who has not pushed hears nothing."""
    good, wrong = class_.push("s00"), class_.push("s01", SQUARES)
    assert class_.answer() == 0
    assert (*class_.statuses("s00"), *class_.statuses("s01")) == (good, wrong)
    assert class_.statuses("s00") == snapshot
    assert class_.statuses("s01") == snapshot
    (status,) = class_.repository("s00").statuses[good]
    assert (status.context, status.target_url) == (CONTEXT, "https://github.com/course/mini-s00/issues/1")
    assert class_.issue("s00").body == snapshot
    assert good[:12] in class_.issue("s00").body
    assert (class_.repository("s02").issues, class_.repository("s02").statuses) == ({}, {})
    with Store(class_.results) as store:
        assert store.students("mini") == ["s00", "s01"]
    assert capsys.readouterr().out == snapshot


def test_a_public_salt_answers_nobody(class_):
    """A clone without the class's own salt would grade with the one that everybody can read."""
    salt = (COURSE / "solutions/day2/salt.txt").read_text(encoding="utf-8")
    put(class_.course, "solutions/mini/salt.txt", salt)
    class_.push("s00")
    with pytest.raises(Refused, match="this salt is public"):
        class_.answer()
    assert class_.statuses("s00") == {}


def test_files_that_the_remote_has_otherwise_are_named(class_, capsys):
    """The workflow grades with the remote's files, and this run with those here; a job has the remote's."""
    own = class_.github.repository(f"{ORG}/private")
    git("init", "-q", cwd=class_.course)
    git("remote", "add", "origin", f"file://{class_.github.folder}/{own.name}.git", cwd=class_.course)
    line = "git add . && git commit -qm course && git push -q origin HEAD:main"
    subprocess.run(["bash", "-ec", line], cwd=class_.course, check=True, env={**os.environ, **ADA})
    assert class_.answer() == 0
    assert "origin" not in capsys.readouterr().err
    put(class_.course, "solutions/mini/salt.txt", "another\n")
    assert class_.answer() == 0
    note = "note: these files decide grades and differ from `origin`: solutions/mini/salt.txt; push them, or let the part `workflow` of `grade open` do it\n"
    assert capsys.readouterr().err == note


@pytest.mark.ci
def test_a_worker_that_dies_costs_no_answer(class_, monkeypatch):
    """The push is graded once more by another process, and its student and the next are answered."""
    lost, next_one = class_.push("s00", MARKER + GOOD), class_.push("s01")
    monkeypatch.setattr(module, "Workers", lambda jobs, _: Instead(dies_once, jobs))
    assert class_.answer() == 0
    assert tries(class_.course) == 1
    told = [
        (
            "success",
            "So far 100 of 100 points; the link Details shows your latest grade. Graded push 1 of at most 5 today (UTC).",
        )
    ]
    assert (class_.statuses("s00"), class_.statuses("s01")) == ({lost: told}, {next_one: told})


@pytest.mark.whole
def test_nobody_pushed(class_, capsys, snapshot):
    """No request that counts, nothing graded, not one byte of the results changed."""
    class_.push("s00")
    class_.answer()
    capsys.readouterr()
    for _ in range(2):
        used, before = class_.github.used, class_.results.read_bytes()
        assert class_.answer() == 0
        assert class_.github.used == used
        assert class_.github.asked[-1].status == 304
        assert class_.results.read_bytes() == before
        assert capsys.readouterr().out == snapshot


@pytest.mark.ci
def test_a_later_push(class_, snapshot):
    """The text is edited and not repeated; the answer costs four requests, and two looks at the list."""
    class_.push("s00", FORGETS)
    class_.answer()
    used = class_.github.used
    commit = class_.push("s00")
    class_.answer()
    assert class_.github.used - used <= 6
    assert list(class_.statuses("s00").values())[1] == snapshot
    assert (class_.issue("s00").edits, commit[:12] in class_.issue("s00").body) == (1, True)


def test_the_hidden_checks_answer_without_numbers(class_, snapshot):
    """Of a check that fails by itself and at a hidden test."""
    class_.push("s00", HALVES)
    class_.answer()
    body = class_.issue("s00").body
    assert sentences_with("A hidden test of this", body) == snapshot
    assert "**✗ failed**" in body
    with Store(class_.results) as store:
        (result,) = results_in(store, "mini")
    assert result.report.checks[1].readings == []
    assert "expected" not in body


def test_the_hidden_checks_are_silent(class_, capsys, snapshot):
    """No push gets an answer, GitHub is asked nothing, and the command says why."""
    class_.manifest("hidden: final")
    class_.push("s00", HALVES)
    asked = len(class_.github.asked)
    assert class_.answer() == 0
    assert capsys.readouterr().out == snapshot
    assert len(class_.github.asked) == asked
    assert (class_.repository("s00").issues, class_.statuses("s00")) == ({}, {})
    assert not class_.results.exists()


def test_the_untouched_notebook_is_nobodys_work(class_):
    """A push of something else is looked at once, and opens no issue."""
    class_.repository("s00").push({"notes.txt": "mine\n"}, at="2026-01-05T09:00:00Z", actor="s00")
    class_.answer()
    assert (class_.repository("s00").issues, class_.statuses("s00")) == ({}, {})
    used = class_.github.used
    class_.answer()
    assert class_.github.used - used <= 1


@pytest.mark.ci
def test_a_push_to_another_branch(class_):
    """Changes nothing, and is asked about once."""
    commit = class_.push("s00")
    class_.answer()
    class_.push("s00", SQUARES, ref="try", onto=commit)
    class_.answer()
    used = class_.github.used
    class_.answer()
    assert class_.github.used - used <= 1
    assert len(class_.statuses("s00")) == 1


@pytest.mark.ci
def test_work_on_another_branch_alone(class_, snapshot):
    """The issue names the branch with the work; later runs cost one request at most."""
    its = class_.repository("s00")
    its.push({NOTEBOOK: notebook(GOOD)}, ref="mine", at="2026-01-05T09:00:00Z", actor="s00")
    class_.answer()
    body = class_.issue("s00").body
    assert body == snapshot
    assert "mine" in body
    used = class_.github.used
    class_.now += dt.timedelta(hours=2)
    class_.answer()
    assert class_.github.used - used <= 1


def test_a_push_after_the_last_day(class_, snapshot):
    """It does not count, and its status says by how much it was too late."""
    manifest = (class_.course / "assignments/mini/assignment.yaml").read_text(encoding="utf-8")
    due = re.search(r"due: 2999-12-03\S*", manifest)[0]
    change(class_.course, "assignments/mini/assignment.yaml", due, "due: 2026-01-05T09:00:00Z")
    in_time = class_.push("s00", at="2026-01-05T08:59:00Z")
    late = class_.push("s00", at="2026-01-20T10:00:00Z")
    assert class_.answer() == 0
    assert class_.statuses("s00")[in_time][0][0] == "success"
    assert class_.statuses("s00")[late] == snapshot


def test_a_push_of_somebody_who_instructs(class_, snapshot):
    """Is not the student's, and takes none of their answers; the student's next one is answered."""
    put(class_.course, "roster.csv", "student,github,role\ns00,s00,\nteacher,teacher,instructor\n")
    class_.push("s00", FORGETS)
    class_.answer()
    class_.push("s00", SQUARES, actor="teacher")
    class_.answer()
    assert len(class_.statuses("s00")) == 1
    commit = class_.push("s00")
    class_.answer()
    assert class_.statuses("s00")[commit][0][1] == snapshot


@pytest.mark.ci
def test_a_push_beside_the_notebook(class_):
    """Is answered on its own commit, also after the due date: the work is on time."""
    change(class_.course, "assignments/mini/assignment.yaml", "due: 2999-12-03", "due: 2026-01-03")
    class_.repository("s00").created_at = "2026-01-01T10:00:00Z"
    class_.repository("s00").push({NOTEBOOK: notebook(GOOD)}, at="2026-01-02T10:00:00Z", actor="s00")
    commit = class_.repository("s00").push({"notes.txt": "x"}, at="2026-01-05T10:00:00Z", actor="s00")
    class_.answer()
    assert class_.statuses("s00")[commit][0][1].startswith("100 of 100 points")


@pytest.mark.ci
def test_a_notebook_that_is_gone(class_, snapshot):
    """The status on the commit says so."""
    class_.push("s00")
    class_.answer()
    commit = class_.repository("s00").push({NOTEBOOK: None}, at="2026-01-05T11:00:00Z", actor="s00")
    class_.answer()
    assert class_.statuses("s00")[commit][0][1] == snapshot
    assert class_.issue("s00").body == snapshot


@pytest.mark.whole
def test_a_renamed_repository(class_):
    """Before the first look and after it: GitHub's number of it stays."""
    class_.repository("s00").rename("course/first")
    class_.answer()
    class_.repository("s01").rename("course/second")
    at = "2026-01-05T09:00:00Z"
    for name in ("first", "second"):
        class_.github.repositories[f"course/{name}"].push({NOTEBOOK: notebook(GOOD)}, at=at)
    class_.answer()
    assert [len(class_.github.repositories[f"course/{name}"].statuses) for name in ("first", "second")] == [
        1,
        1,
    ]


# --- How often


@pytest.mark.parametrize(("day", "answered"), [("2026-01-05", False), ("2026-01-04", True)])
def test_no_push_is_answered_beyond_the_number_of_a_day(class_, day, answered):
    """Five of a day, where the manifest names no number; those of yesterday do not count."""
    commit = class_.push("s00")
    with Store(class_.results, create=True) as store:
        number = class_.repository("s00").id
        store.keep_answer("mini", PushRecord("s00", number, seen="2026-01-05T08:00:00Z", day=day, count=5))

    class_.answer()

    states = [state for state, _ in class_.statuses("s00")[commit]]
    assert ("pending" in states, bool(class_.repository("s00").issues)) == (not answered, answered)


def test_a_text_counts_without_its_status(class_):
    """Students can use up a commit's statuses: then the day has no more texts than it has answers."""
    class_.manifest("hidden: {per_day: 1}")
    for source in (FORGETS, GOOD):
        commit = class_.push("s00", source)
        full = Status("success", CONTEXT, "100 of 100 points.", "", "s00")
        class_.repository("s00").statuses[commit] = [full] * MOST_STATUSES
        assert class_.answer() == 1
    assert "60 of 100" in class_.issue("s00").body


@pytest.mark.ci
def test_the_sixth_push_of_a_day(class_, snapshot):
    """Its status names the time of the next answer; it is graded then and not before."""
    class_.manifest("hidden: {per_day: 2}")
    for _ in range(2):
        commit = class_.push("s00", FORGETS)
        class_.answer()
        assert class_.statuses("s00")[commit][-1][0] != "pending"
    commit = class_.push("s00")
    class_.answer()
    told = "2 pushes were graded today. This one will be graded after 2026-01-06 00:00 UTC."
    assert class_.statuses("s00")[commit] == [("pending", told)]
    assert "60 of 100" in class_.issue("s00").body
    used = class_.github.used
    class_.answer()
    assert (class_.github.used - used <= 1, class_.statuses("s00")[commit]) == (True, [("pending", told)])

    class_.now += dt.timedelta(hours=13)
    class_.answer()
    assert class_.statuses("s00")[commit][1:] == snapshot


@pytest.mark.whole
def test_a_push_that_github_does_not_list_yet(class_):
    """The list of repositories may be ahead of the list of pushes: a young push is looked at again."""
    class_.push("s00", FORGETS)
    class_.answer()
    its, class_.now = class_.repository("s00"), NOON
    its.pushed_at = "2026-01-05T11:59:30Z"
    class_.answer()
    commit = class_.push("s00", at="2026-01-05T11:59:30Z")
    class_.now += dt.timedelta(minutes=15)
    class_.answer()
    assert commit in class_.statuses("s00")


@pytest.mark.whole
def test_a_class_of_thirty_within_its_requests(made, monkeypatch):
    """One request without pushes, six for a first answer; the next run continues after the budget."""
    monkeypatch.setattr(module, "AT_ONCE", 2)
    monkeypatch.setattr(module, "BUDGET", 12)
    class_ = made(30)
    class_.answer()
    used = class_.github.used
    class_.answer()
    assert class_.github.used == used
    for student in class_.students[:4]:
        class_.push(student)
    for _ in range(2):
        used = class_.github.used
        class_.answer()
        assert class_.github.used - used <= 2 * 6 + 3  # the list twice, and whose token it is
    assert [len(class_.statuses(student)) for student in class_.students[:5]] == [1, 1, 1, 1, 0]


def test_the_numbers_of_a_big_class():
    """Four runs an hour of 900 repositories, each with every page of their list twice, stay below GitHub's 5,000."""
    last = module.AT_ONCE * (module.LOOK + module.ANSWER)  # may be begun with the budget nearly spent
    assert 4 * (module.BUDGET + last + 2 * 900 // 100 + 1) < 5_000


# --- Disturbed


@pytest.mark.whole
@pytest.mark.parametrize(
    ("method", "path", "done"),
    [
        pytest.param("POST", "/statuses/", False, id="before a status"),
        pytest.param("POST", "/issues", True, id="after an issue"),
        pytest.param("GET", "/activity", True, id="before grading"),
    ],
)
def test_killed(class_, method, path, done):
    """The next run goes on: everybody has one text, and one status of the newest push."""
    commits = {student: class_.push(student) for student in class_.students}
    with class_.start(*class_.words()) as running:
        seen = []

        def hook(its, place, number, its_done):
            seen.append(1) if (its, its_done) == (method, done) and path in place else None
            if len(seen) == 2:
                class_.github.on_request = None
                running.send_signal(signal.SIGKILL)
                raise Dropped

        class_.github.on_request = hook
        text, _ = running.communicate(timeout=240)
    assert running.returncode == -signal.SIGKILL, text
    code, text = class_.run(*class_.words())
    assert code == 0, text
    for student, commit in commits.items():
        assert class_.statuses(student)[commit][-1][0] == "success"
        assert commit[:12] in class_.issue(student).body
    used = class_.github.used
    class_.run(*class_.words())
    assert class_.github.used == used


@pytest.mark.ci
def test_an_older_commit_is_not_answered_after_a_newer_one(class_, capsys, tmp_path):
    """A push while the one before it is graded, and another machine that answers it meanwhile."""
    old, new = class_.push("s00", SQUARES), []

    def hook(method, path, number, done):
        if "/activity" in path and done and not new:
            new.append(class_.push("s00"))
            shutil.copy(class_.results, tmp_path / "other.db")
            code, text = class_.run(*class_.words("--results", str(tmp_path / "other.db")))
            assert code == 0, text

    class_.github.on_request = hook
    assert class_.answer() == 0
    assert "  s00  pushed again in the meantime\n" in capsys.readouterr().out
    assert (old in class_.statuses("s00"), len(class_.statuses("s00")[new[0]])) == (False, 1)
    assert (class_.issue("s00").edits, new[0][:12] in class_.issue("s00").body) == (0, True)
    class_.answer()
    assert "100 of 100" in class_.issue("s00").body


@pytest.mark.ci
def test_two_runs_at_once(class_):
    """They take turns on one results file: no push is answered twice."""
    commits = {student: class_.push(student) for student in class_.students}
    runs = [class_.start(*class_.words()) for _ in range(2)]
    texts = [run.communicate(timeout=240)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], texts
    for student, commit in commits.items():
        assert len(class_.statuses(student)[commit]) == 1
        assert class_.issue(student).edits == 0


@pytest.mark.whole
def test_a_class_that_pushes_while_it_is_answered(made):
    """Sixteen students, one pushing at each tenth request: in the end everybody's newest push is answered."""
    class_ = made(16)
    commits = {student: class_.push(student, FORGETS) for student in class_.students[:10]}
    lock, requests = threading.Lock(), []

    def hook(method, path, number, done):
        with lock:
            requests.append(path)
            if done and len(requests) % 10 == 0 and len(requests) < 120:
                student = class_.students[len(requests) // 10 % 16]
                commits[student] = class_.push(student)

    class_.github.on_request = hook
    for _ in range(8):
        assert class_.answer() == 0
    for student in class_.students:
        told = class_.statuses(student)
        if student in commits:
            assert told[commits[student]][-1][0] == "success"
            assert commits[student][:12] in class_.issue(student).body
            assert len(told) <= 5
        else:
            assert told == {}


# --- Faults


@pytest.mark.ci
def test_a_broken_check_is_nobodys_fault(class_, capsys, snapshot):
    """The commit gets one error status; a retry an hour later answers once the course is fixed."""
    path = "solutions/mini/checks/test_box.py"
    change(class_.course, path, "approx(4 * x)", "approx(four * x)")
    commit = class_.push("s00")
    assert class_.answer() == 3
    assert capsys.readouterr().out == snapshot
    words = "This push could not be graded. That is not your fault, and your instructor can see it."
    assert class_.statuses("s00") == {commit: [("error", words)]}
    class_.now += dt.timedelta(hours=2)
    class_.answer()
    assert len(class_.statuses("s00")[commit]) == 1
    change(class_.course, path, "approx(four * x)", "approx(4 * x)")
    class_.now += dt.timedelta(hours=2)
    assert class_.answer() == 0
    assert class_.statuses("s00")[commit][1][0] == "success"


@pytest.mark.ci
def test_a_token_that_may_not_write_statuses(class_, capsys, snapshot):
    """The message names the missing permission; the answer is retried in an hour."""
    token = class_.github.tokens[class_.token]
    class_.github.tokens[class_.token] = type(token)(
        token.login, None, token.write - {"statuses"}, token.read, installation=False
    )
    commit = class_.push("s00")
    assert class_.answer() == 1
    assert capsys.readouterr().out == snapshot
    class_.github.tokens[class_.token] = token
    class_.now += dt.timedelta(hours=2)
    assert class_.answer() == 0
    assert len(class_.statuses("s00")[commit]) == 1
    assert "100 of 100" in class_.issue("s00").body


def test_a_branch_that_was_deleted(class_):
    """After a fault it is looked at once more, and then left alone."""
    class_.push("s00")
    class_.github.faults.append(Fault(403, path="mini-s00/activity"))
    class_.answer()
    class_.repository("s00").delete("main", at="2026-01-05T11:00:00Z")
    for _ in range(2):
        class_.now += dt.timedelta(hours=2)
        class_.answer()
    used = class_.github.used
    class_.now += dt.timedelta(hours=2)
    class_.answer()
    assert class_.github.used - used <= 1
    assert class_.statuses("s00") == {}


@pytest.mark.whole
def test_the_hours_requests_are_used_up(class_, capsys, snapshot):
    """GitHub's own fault in the middle: what was answered is kept, and the next run goes on."""
    for student in class_.students:
        class_.push(student)
    headers = {"retry-after": "99999"}
    class_.github.faults.append(Fault(403, headers, only="POST", path="mini-s01/issues"))
    assert class_.answer() == 3
    assert capsys.readouterr().err == snapshot
    assert class_.answer() == 0
    assert [len(class_.statuses(student)) for student in class_.students] == [1, 1, 1]


@pytest.mark.ci
def test_an_organisation_that_is_none(class_, snapshot):
    put(class_.course, "solutions/course.yaml", "class: {organisation: cuorse}\n")
    code, text = class_.run("answer", "mini")
    assert code == 2
    assert text == snapshot


@pytest.mark.ci
def test_who_is_elsewhere(class_, capsys, snapshot):
    """A repository of another owner is not in the organisation's list."""
    put(class_.course, "roster.csv", "student,github,repository\ns00,s00,\nbob,,other/bob\neve,,\n")
    class_.push("s00")
    assert class_.answer() == 0
    assert capsys.readouterr().out == snapshot


@pytest.mark.ci
def test_nothing_else_of_the_results_is_touched(class_, snapshot):
    """An override stays, and the next answer includes it."""
    class_.push("s00", FORGETS)
    class_.answer()
    code, text = class_.run("override", "points", "s00", "box", "20", "--why", "half of it")
    assert code == 0, text
    class_.push("s00", FORGETS)
    class_.answer()
    assert sentences_with("`box` counts 20 points instead", class_.issue("s00").body) == snapshot
    with sqlite3.connect(class_.results) as database:
        assert database.execute("SELECT count(*) FROM overrides").fetchone() == (1,)


@pytest.mark.ci
def test_a_team_is_answered_once(class_, snapshot):
    """With one status and one text."""
    put(class_.course, "roster.csv", "student,github,repository\ns00,s00,\ns01,s01,course/mini-s00\n")
    commit = class_.push("s00", actor="s01")
    assert class_.answer() == 0
    assert class_.statuses("s00") == snapshot
    assert "For s00 and s01\n" in class_.issue("s00").body
    assert class_.answer() == 0
    assert len(class_.statuses("s00")[commit]) == 1
    with Store(class_.results) as store:
        assert set(store.posted_texts("mini")) == {"s00", "s01"}
