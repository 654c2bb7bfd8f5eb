"""`grade questions`: the open questions of a class, from its repositories on GitHub; over real HTTP."""

import re
from pathlib import Path

import pytest
from github_server import Fault, GitHub
from helpers import COURSE, grade
from hostile import HOSTILE
from students import by, course, told

from grader.gradebook.sentences import QUESTION
from grader.gradebook.store import Store
from grader.submissions.work import HandedIn

STUDENTS = ["ada", "bob", "cy"]
USAGE = 2


@pytest.fixture
def github():
    with GitHub() as server:
        for student in STUDENTS:
            server.repository(f"org/mini-{student}")
        yield server


@pytest.fixture
def mini(tmp_path):
    """The results of three students, each with a repository."""
    assignment = course(tmp_path / "course")
    with Store(assignment.course.root / "results.db", create=True) as store:
        for student in STUDENTS:
            store.keep(
                "k1",
                by(student, HandedIn("mini.ipynb", repository=f"org/mini-{student}")),
                told({"double": 10}),
            )
    return assignment


def ask(github, student, title, at="2026-12-02T10:00:00Z", labels=(QUESTION,)):
    """A student opens an issue."""
    issue = github.repositories[f"org/mini-{student}"].issue(title, author=student, labels=list(labels))
    issue.created_at = at
    return issue


def questions(mini, github, *words):
    """`grade questions mini`, with a token that may only read."""
    token = next(iter(github.tokens), None) or github.token("teacher", read=("issues", "metadata"))
    environment = {"GITHUB_API_URL": github.url, "GITHUB_TOKEN": token}
    return grade("questions", "mini", *words, cwd=mini.course.root, env=environment)


def test_the_oldest_question_first(mini, github):
    """Student, title, date and address; one request for each repository, and none that writes."""
    ask(github, "bob", "Why 5 points?", "2026-12-03T09:30:00Z")
    ask(github, "ada", "Is box right?")
    ran = questions(mini, github)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "  ada  Is box right?  since 2026-12-02 10:00 UTC  https://github.com/org/mini-ada/issues/1\n"
        "  bob  Why 5 points?  since 2026-12-03 09:30 UTC  https://github.com/org/mini-bob/issues/1\n"
        "mini  2 open questions with the label `question` in 3 repositories\n"
    )
    assert [asked.method for asked in github.asked] == ["GET"] * 3


def test_other_issues_are_no_questions(mini, github):
    """An answered one, and issues with another label or none."""
    ask(github, "ada", "answered").state = "closed"
    ask(github, "ada", "a bug", labels=["bug"])
    ask(github, "ada", "mini: your grade", labels=[])
    assert (
        questions(mini, github).out == "mini  0 open questions with the label `question` in 3 repositories\n"
    )


def test_a_label_of_ones_own(mini, github):
    """GitHub compares labels without regard to case."""
    ask(github, "ada", "Why?", labels=["Grade Question", "bug"])
    assert (
        "1 open question with the label `grade question`"
        in questions(mini, github, "--label", "grade question").out
    )


def test_the_label_on_the_pull_request_with_the_grade(mini, github):
    """Where the grade is posted, a student may ask below it."""
    pull = github.repositories["org/mini-ada"].pull(1)
    pull.title, pull.labels = "Feedback", [QUESTION]
    assert "  ada  Feedback  since " in questions(mini, github).out


def test_more_questions_than_a_page(mini, github):
    """Every page is read."""
    github.per_page = 2
    for number in range(5):
        ask(github, "ada", f"question {number}")
    ran = questions(mini, github)
    assert "mini  5 open questions" in ran.out
    assert [f"question {number}" in ran.out for number in range(5)] == [True] * 5


def test_students_who_share_a_repository(mini, github):
    """It is asked once."""
    with Store(mini.course.root / "results.db") as store:
        store.keep("k2", by("bob", HandedIn("mini.ipynb", repository="org/mini-ada")), told({"double": 10}))
    ask(github, "ada", "Ours?")
    ran = questions(mini, github)
    assert ran.out.startswith("  ada, bob  Ours?  since ")
    assert [asked.path.partition("?")[0] for asked in github.asked] == [
        "/repos/org/mini-ada/issues",
        "/repos/org/mini-cy/issues",
    ]


def test_a_repository_that_cannot_be_read(mini, github):
    """The others are listed; a note has the student, the repository, the reason and the right that may be missing."""
    del github.repositories["org/mini-ada"]
    ask(github, "bob", "Why?")
    ran = questions(mini, github)
    assert (ran.code, ran.out.count("  bob  Why?")) == (1, 1)
    assert ran.err == (
        "note: ada: org/mini-ada is left out: it does not exist, or this token cannot see it (404); the token needs "
        "`issues: read` there\n"
    )


def test_issues_are_off(mini, github):
    """A student's own repository may have none."""
    github.repositories["org/mini-ada"].has_issues = False
    ran = questions(mini, github)
    assert (ran.code, ran.err) == (1, "note: ada: org/mini-ada is left out: its issues are disabled (410)\n")


def test_a_rate_limit_is_waited_for(mini, github):
    """As long as GitHub asks."""
    ask(github, "ada", "Why?")
    github.faults.append(Fault(429, {"Retry-After": "0"}))
    ran = questions(mini, github)
    assert (ran.code, "mini  1 open question " in ran.out) == (0, True)


def test_students_without_a_repository_on_github(mini, github):
    """They are named; if there are only such students, nothing is asked."""
    with Store(mini.course.root / "results.db") as store:
        store.keep("k2", by("cy", HandedIn("mini.ipynb", repository="/srv/git/cy.git")), told({"double": 10}))
    assert questions(mini, github).err == "note: no repository on GitHub is known: cy\n"
    with Store(mini.course.root / "results.db") as store:
        for student in STUDENTS:
            store.keep("k3", by(student, HandedIn("mini.ipynb")), told({"double": 10}))
    ran = questions(mini, github)
    assert (ran.code, ran.err) == (
        USAGE,
        "grade: results.db: no repository on GitHub is known; `grade collect` finds the repositories\n",
    )


@pytest.mark.parametrize("label", ["", " ", "two,labels", "x" * 51])
def test_no_label(mini, github, label):
    """GitHub would take a comma for two labels."""
    ran = questions(mini, github, "--label", label)
    assert (ran.code, github.asked) == (USAGE, [])
    assert "--label: write one label of at most 50 characters, without a comma" in ran.err


def test_without_a_token(mini):
    """The remedy is named."""
    ran = grade("questions", "mini", cwd=mini.course.root, env={"GITHUB_TOKEN": "", "GH_TOKEN": ""})
    assert ran.code == USAGE
    assert "there is no token for GitHub; set the variable GITHUB_TOKEN" in ran.err


def test_a_hostile_title_is_text(mini, github):
    """In its own line, without a control character or a command of a CI job."""
    for text in HOSTILE.values():
        ask(github, "ada", re.sub("[\ud800-\udfff]", "", text) or "?")
    lines = questions(mini, github).out.splitlines()
    assert len(lines) == len(HOSTILE) + 1
    assert all(line.startswith("  ada  ") and "\x1b" not in line and "##[" not in line for line in lines[:-1])


def test_everywhere_the_same_label():
    """The command, the text of a grade, the template and the pages for students and instructors."""
    pages = [
        "grader/classroom/release/template/README.md",
        "docs/students.md",
        "docs/instructors.md",
        "docs/commands.md",
    ]
    texts = [Path(COURSE / page).read_text(encoding="utf-8") for page in pages]
    assert all(f"the label `{QUESTION}`" in " ".join(text.split()) for text in texts)
    assert f"[default: {QUESTION}]" in grade("questions", "--help", cwd=COURSE).out
