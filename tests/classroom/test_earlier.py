"""Files of an earlier version work today: its template, its results, its folder of collected work.

`earlier/README.md` says where it comes from. Everything goes through the public commands.
"""

import csv
import io
import json
import sqlite3
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from actions import run_job
from github_server import EVERYTHING, GitHub, copy
from helpers import grade, notebook
from releasing import git, tree
from students import FORGETS, GOOD, SQUARES

MADE = sorted((Path(__file__).parent / "earlier").glob("*.zip"))
NOTEBOOK = "assignments/mini/mini.ipynb"
SCORES = {"s00": "100", "s01": "30", "s02": "80", "s03": "", "s04": "0"}


@pytest.fixture(params=MADE, ids=lambda path: path.stem)
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> SimpleNamespace:
    """An instructor's files on the disk, unpacked."""
    with zipfile.ZipFile(request.param) as archive:
        archive.extractall(tmp_path)
    issues = json.loads((tmp_path / "issues.json").read_text(encoding="utf-8"))
    names = {name: tmp_path / name for name in ("course", "template", "students")}
    return SimpleNamespace(**names, issues=issues, results=tmp_path / "course/results.db")


# --- A student's repository, made from its template


@pytest.mark.parametrize(
    ("work", "score"),
    [(GOOD, "100"), (FORGETS, "60"), (SQUARES, "0"), (None, "0")],
    ids=["good", "forgets", "squares", "untouched"],
)
def test_the_workflow_of_an_earlier_template_grades(
    earlier: SimpleNamespace, tmp_path: Path, work: str | None, score: str
) -> None:
    """The steps that are in the student's repository, with the grader of today behind them."""
    if work is not None:
        (earlier.template / NOTEBOOK).write_text(notebook(work), encoding="utf-8")
    workflow = (earlier.template / ".github/workflows/grade.yml").read_text(encoding="utf-8")

    run = run_job(workflow, earlier.template, tmp_path / "temp")

    assert run.green, run.step("mini").text
    assert run.step("mini").outputs.get("score") == score, run.step("mini").text
    assert "backgrade/report/v1" in (earlier.template / "feedback/mini.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_of_an_earlier_template_answer(earlier: SimpleNamespace) -> None:
    """A student's day: where they are, what is wrong, a hint, the untouched notebook."""
    path = earlier.template / NOTEBOOK
    untouched = path.read_bytes()
    path.write_text(notebook(SQUARES), encoding="utf-8")

    said = [grade(*words.split(), cwd=earlier.template) for words in ("", "mini", "hint mini double")]
    grade("reset", "mini", cwd=earlier.template)

    assert [ran.code for ran in said] == [0, 1, 0]
    assert "expected 6" in said[1].text
    assert "How often does x stand in the answer?" in said[2].text
    assert untouched == path.read_bytes()


def test_an_earlier_template_is_brought_up_to_date(earlier: SimpleNamespace) -> None:
    """A file that the earlier release wrote is replaced without a question; the notebook stays the same."""
    before = tree(earlier.template)

    ran = grade("release", "mini", earlier.template, cwd=earlier.course)

    assert (ran.code, ran.err) == (0, "")
    assert "was brought up to date" in ran.out or "was up to date" in ran.out
    assert before[NOTEBOOK] == tree(earlier.template)[NOTEBOOK]


@pytest.mark.slow
def test_a_repository_of_an_earlier_template_is_offered_the_new_one(
    earlier: SimpleNamespace, tmp_path: Path
) -> None:
    """The changes of today's release are a fix for a student's copy, and leave their work alone."""
    before = tree(earlier.template)
    grade("release", "mini", earlier.template, cwd=earlier.course)
    (earlier.course / "class.csv").write_text("student,github\ns00,s00\n", encoding="utf-8")
    with GitHub(tmp_path / "github") as github:
        github.organisation("course", "teacher")
        github.user("s00")
        template = github.repository("course/mini-template", is_template=True)
        template.push(before, at="2026-12-01T10:00:00Z", actor="teacher")
        copy(github, template, "course/mini-s00").push(
            {NOTEBOOK: notebook(GOOD)}, at="2026-12-02T10:00:00Z", actor="s00"
        )
        template.push(tree(earlier.template), at="2026-12-03T10:00:00Z", actor="teacher")
        words = ["--org", "course", "--template", "course/mini-template", "--yes"]

        ran = grade("distribute", "mini", "class.csv", *words, cwd=earlier.course, env=on(github))

        assert ran.code == 0, ran.text
        (pull,) = github.repositories["course/mini-s00"].pulls.values()
        changed = github.repositories["course/mini-s00"].bare.files(f"refs/heads/{pull.head}")
    assert changed[NOTEBOOK] == notebook(GOOD).encode()
    assert [name for name in changed if name.startswith("vendor/")]


# --- The results of its class


def test_earlier_results_are_reported(earlier: SimpleNamespace) -> None:
    """Every student has the score that the earlier version gave."""
    assert scores(earlier) == SCORES
    report = grade("report", "mini", cwd=earlier.course)
    assert report.code == 0
    for word in (*SCORES, "overridden", "excused"):
        assert word in report.out


def test_the_changes_since_an_earlier_post_are_shown(earlier: SimpleNamespace) -> None:
    """Two overrides came after the grades were posted; nobody else changes."""
    ran = grade("diff", cwd=earlier.course)

    assert ran.code == 1
    assert "s02 60 -> 80" in ran.text
    assert "s03 80 -> excused" in ran.text
    assert not [student for student in ("s00", "s01", "s04") if f"{student} " in ran.out]


def test_earlier_overrides_count_and_can_be_changed(earlier: SimpleNamespace) -> None:
    """All three are listed with their reasons; a new one is kept beside them."""
    listed = grade("override", cwd=earlier.course)
    reasons = ("half of it is right", "it was nearly right", "ill")
    assert not [why for why in reasons if why not in listed.out]

    ran = grade("override", "points", "s04", "double", "15", "--why", "on paper", cwd=earlier.course)

    assert ran.code == 0, ran.text
    assert scores(earlier) == SCORES | {"s04": "15"}


def test_an_earlier_class_is_graded_again(earlier: SimpleNamespace) -> None:
    """The folder of collected work is read, the results stay, nothing that was kept is lost."""
    kept = rows(earlier.results, "results")

    for more in ((), ("--regrade",)):
        ran = grade("batch", "mini", "../students", *more, cwd=earlier.course)
        assert ran.code == 0, ran.text

    assert scores(earlier) == SCORES
    assert set(kept) <= set(rows(earlier.results, "results"))


@pytest.mark.slow
def test_posting_over_an_earlier_post_is_planned(earlier: SimpleNamespace) -> None:
    """Earlier posts are known: no student counts as new, and the plan sends nothing."""
    ran = grade("post", "mini", "--dry-run", cwd=earlier.course)

    assert ran.code == 0, ran.text
    assert "edit  s02" in ran.out
    assert "new " not in ran.out


def test_an_earlier_post_is_edited_in_its_place(earlier: SimpleNamespace) -> None:
    """Every student still has one issue, and its text is that of today."""
    with GitHub() as github:
        for name, issues in earlier.issues.items():
            repository = github.repository(name)
            for issue in issues:
                repository.issue(issue["title"], issue["body"], author=issue["author"])
        ran = grade("post", "mini", "--yes", cwd=earlier.course, env=on(github))

        assert ran.code == 0, ran.text
        now = {name: list(made.issues.values()) for name, made in github.repositories.items()}
    assert dict.fromkeys(earlier.issues, 1) == {name: len(issues) for name, issues in now.items()}
    assert "80 of 100 points" in now["course/mini-s02"][0].body
    assert "excused" in now["course/mini-s03"][0].body


@pytest.mark.slow
def test_an_earlier_folder_of_work_is_gone_on_with(earlier: SimpleNamespace, tmp_path: Path) -> None:
    """`grade collect` reads its own earlier records and fetches what is new."""
    git("init", "-q", "-b", "main", "s00", cwd=tmp_path)
    (tmp_path / "s00/mini.ipynb").write_text(notebook(SQUARES), encoding="utf-8")
    git("add", ".", cwd=tmp_path / "s00")
    who = ("-c", "user.name=s00", "-c", "user.email=s00@example.org")
    git(*who, "commit", "-q", "-m", "Work", cwd=tmp_path / "s00")
    roster = tmp_path / "roster.csv"
    roster.write_text(f"student,repository\ns00,file://{tmp_path / 's00'}\n", encoding="utf-8")

    ran = grade("collect", "mini", roster, "../students", "--latest", cwd=earlier.course)

    assert ran.code == 0, ran.text
    collected = tree(earlier.students)
    assert notebook(SQUARES).encode() == collected[f"s00/{NOTEBOOK}"]
    assert f"s01/{NOTEBOOK}" in collected


def on(github: GitHub) -> dict[str, str]:
    """Return the variables by which the commands find that GitHub."""
    token = github.token("teacher", write=EVERYTHING)
    return {"GITHUB_TOKEN": token, "GITHUB_API_URL": github.url, "BACKGRADE_PACE": "0"}


def scores(earlier: SimpleNamespace) -> dict[str, str]:
    """Each student's score as the table for a spreadsheet has it."""
    ran = grade("report", "mini", "--format", "csv", cwd=earlier.course)
    assert ran.code == 0, ran.text
    return {row["student"]: row["score"] for row in csv.DictReader(io.StringIO(ran.out))}


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as database:
        found = database.execute(f"SELECT student, key, score, report FROM {table}").fetchall()
    database.close()
    return found
