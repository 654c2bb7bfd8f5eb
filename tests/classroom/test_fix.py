"""A fix of the template is offered to repositories as a pull request, once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from github_server import Fault
from handing import Class, state_of, writes
from helpers import Ran

NOTEBOOK = "assignments/mini/mini.ipynb"
CHECK = "assignments/mini/checks/test_box.py"
Run = Callable[..., Ran]


@pytest.fixture
def outdated(klass: Class, files) -> Class:
    """Both have worked in the notebook; then a check was fixed, a page added, another taken out."""
    klass.roster("ada", "bob")
    klass.hand_out("ada", "bob")
    for name in ("ada", "bob"):
        klass.made(name).push({NOTEBOOK: f'"{name}"', "own.ipynb": "mine"}, actor=name)
    record = json.loads(files[".github/backgrade.json"])
    del record["files"]["docs/notebooks.md"]
    record["files"]["docs/new.bin"] = ""
    klass.template.push(
        {
            CHECK: "mended\n",
            "docs/notebooks.md": None,
            "docs/new.bin": b"\x00\xff",
            ".github/backgrade.json": json.dumps(record),
            NOTEBOOK: '"another stub"',
        },
        actor="teacher",
    )
    return klass


def test_a_fix_is_offered(outdated: Class, run: Run, files, snapshot):
    """As a pull request, which brings the template's files and leaves the student's alone."""
    done = run("--yes")
    assert done.code == 0, done.text
    assert done.out == snapshot
    ada = outdated.made("ada")
    assert ada.files()[CHECK] == files[CHECK]
    (pull,) = ada.pulls.values()
    assert (pull.title, pull.base) == ("Fixes from your instructor", "main")
    assert pull.body == snapshot
    assert "Removed:\n\n- `docs/notebooks.md`\n" in pull.body
    ada.merge(1)
    assert ada.files() == outdated.template.files() | {NOTEBOOK: b'"ada"', "own.ipynb": b"mine"}


@pytest.mark.ci
def test_a_fix_is_one_commit_on_a_branch_of_its_own(outdated: Class, run: Run):
    """Named by the tree of the template."""
    run("--yes")
    template, ada = outdated.template.bare, outdated.made("ada").bare
    branch = f"backgrade/fix-{template.line('rev-parse', 'main^{tree}')[:10]}"
    assert list(ada.refs()) == [f"refs/heads/{branch}", "refs/heads/main"]
    assert ada.line("rev-list", "--count", f"main..{branch}") == "1"


@pytest.mark.ci
@pytest.mark.parametrize("answer", ["merged", "closed, and the branch deleted", "open", "closed"])
def test_a_fix_is_offered_once(outdated: Class, run: Run, answer: str, snapshot):
    """Whatever the student does with it."""
    run("--yes")
    ada = outdated.made("ada")
    if answer == "merged":
        ada.merge(1)
    elif answer != "open":
        ada.pulls[1].state = "closed"
    if "deleted" in answer:
        ada.delete(ada.pulls[1].head)
    before = state_of(outdated.github)
    done = run("--yes")
    assert (done.code, state_of(outdated.github)) == (0, before)
    assert done.out == snapshot


@pytest.mark.ci
def test_the_next_fix_is_offered_too(outdated: Class, run: Run, snapshot):
    """It holds the earlier one where that was not merged."""
    run("--yes")
    outdated.made("bob").merge(1)
    outdated.template.push({CHECK: "mended again\n"})
    done = run("--yes")
    assert done.out == snapshot
    for name in ("ada", "bob"):
        made = outdated.made(name)
        made.merge(2)
        assert made.files()[CHECK] == b"mended again\n"
        assert "docs/new.bin" in made.files()


@pytest.mark.ci
def test_what_a_student_edited_stays_until_they_merge(outdated: Class, run: Run):
    """It is in the difference where the template changed the same file, and nowhere else."""
    ada = outdated.made("ada")
    ada.push({CHECK: "my own\n", "README.md": "my notes\n"}, actor="ada")
    run("--yes")
    branch = next(ref for ref in ada.bare.refs() if "backgrade" in ref)
    changed = ada.bare.line("diff", "--name-only", "main", branch).split("\n")
    assert changed == [".github/backgrade.json", CHECK, "docs/new.bin", "docs/notebooks.md"]
    assert ada.files()[CHECK] == b"my own\n"
    ada.merge(1)
    assert ada.files()["README.md"] == b"my notes\n"


@pytest.mark.ci
def test_an_assignment_that_was_taken_out(outdated: Class, run: Run):
    """Its files go; the notebook that the student wrote in stays."""
    record = {"days": ["mini"], "files": {CHECK: ""}}
    gone = dict.fromkeys(place for place in outdated.template.files() if place.startswith("assignments/"))
    outdated.template.push(gone | {CHECK: "mended\n", ".github/backgrade.json": json.dumps(record)})
    run("--yes", "--student", "ada")
    ada = outdated.made("ada")
    ada.merge(1)
    left = [place for place in ada.files() if place.startswith("assignments/")]
    assert left == ["assignments/mini/checks/stub.ipynb", CHECK, NOTEBOOK]


def test_a_students_own_edits_are_no_reason_for_a_fix(klass: Class, run: Run):
    """The template has not changed; `grade collect` reports such edits."""
    klass.roster("ada")
    klass.hand_out("ada")
    klass.made("ada").push({CHECK: "my own\n", ".github/workflows/grade.yml": None}, actor="ada")
    done = run("--yes")
    assert done.out.endswith("this command has nothing to do\n")


@pytest.mark.ci
def test_a_history_that_was_replaced(outdated: Class, run: Run):
    """The original state is unknown: every differing file is offered, and none is removed."""
    ada = outdated.made("ada")
    ada.push({"own.ipynb": "all anew", CHECK: "my own\n"}, force=True, actor="ada")
    run("--yes", "--student", "ada")
    ada.merge(1)
    assert ada.files()[CHECK] == b"mended\n"
    assert ada.files()["own.ipynb"] == b"all anew"
    assert NOTEBOOK not in ada.files()


@pytest.mark.ci
def test_the_pull_request_alone_is_missing(outdated: Class, run: Run, snapshot):
    """The branch was made, and then the machine was shut: the pull request is opened from it."""
    outdated.github.faults += [Fault(403, path="/mini-ada/pulls", only="POST")]
    failed = run("--yes")
    assert failed.out == snapshot
    ada = outdated.made("ada")
    before, sent = ada.bare.refs(), len(writes(outdated.github))
    assert run("--yes", "--student", "ada").code == 0
    assert (len(ada.pulls), ada.bare.refs()) == (1, before)
    assert writes(outdated.github)[sent:] == ["POST /repos/course/mini-ada/pulls"]


@pytest.mark.ci
def test_a_token_that_may_not_change_workflows(klass: Class, run: Run, snapshot):
    """GitHub answers 404 only; the message names the missing permission."""
    klass.roster("ada")
    klass.hand_out("ada")
    klass.template.push({".github/workflows/grade.yml": "on: push\n"})
    klass.github.tokens[klass.token].write -= {"workflows"}
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
