"""`grade distribute`: over real HTTP, to a GitHub that holds to the contract, with real repositories."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from github_server import EVERYTHING, Fault, GitHub, Secondary
from handing import START, TEMPLATE, Class, released, state_of, writes
from helpers import Ran

NOTEBOOK = "assignments/mini/mini.ipynb"
CHECK = "assignments/mini/checks/test_box.py"
Run = Callable[..., Ran]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def klass(tmp_path: Path, files: dict[str, bytes]) -> Iterator[Class]:
    """Three students, who have nothing yet."""
    with GitHub(tmp_path / "github") as github:
        made = Class(tmp_path, github, files)
        made.roster("ada", "bob", "carol")
        yield made


@pytest.fixture
def run(klass: Class, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`grade distribute mini class.csv --org course --template course/mini-template ...`."""

    def ran(*words: str, answer: str | None = None) -> Ran:
        return klass.distribute(monkeypatch, capsys, *words, answer=answer)

    return ran


# --- A class that begins


def test_everybody_gets_a_repository(klass: Class, run: Run, files):
    """Private, with the template's files, and an invitation that lets them push."""
    done = run("--yes")
    assert done.code == 0
    for name in ("ada", "bob", "carol"):
        made = klass.made(name)
        assert (made.private, made.files()) == (True, files)
        assert [(i.login, i.permission) for i in made.invitations] == [(name, "push")]
    assert "  1 of 3  ada  made course/mini-ada, invited ada\n" in done.out
    assert done.out.endswith("\n3 done\n")


def test_the_plan_is_shown_first(klass: Class, run: Run):
    """`--dry-run` only shows it."""
    klass.roster("ada", "bob", "carol", "dan,")
    done = run("--dry-run")
    assert done.out == (
        "mini  4 students of class.csv, from course/mini-template, in course\n\n"
        "  to make                 3  ada, bob, carol\n"
        "  there already           0\n"
        "  to be invited           3  ada, bob, carol\n"
        "  to be offered a fix     0\n"
        "  left out                1\n"
        "    dan  no GitHub name in class.csv\n\n"
        "nothing was done: this was a dry run; run it without --dry-run\n"
    )
    assert done.code == 1
    assert writes(klass.github) == []


def test_it_asks(klass: Class, run: Run):
    """No is the answer that is taken where nobody says yes; without anybody to ask, nothing is done."""
    alone = run()
    no = run(answer="\n")
    assert (alone.code, no.code, writes(klass.github)) == (2, 2, [])
    assert (
        "course would get 3 private repositories, 3 invitations; to do so all the same, add --yes"
        in alone.text
    )
    assert "nothing was written" in no.text
    assert run(answer="y\n").code == 0
    assert klass.made("ada").invited == ["ada"]


def test_the_second_time_nothing_is_left_to_do(klass: Class, run: Run):
    """Whether the invitations were accepted or not."""
    run("--yes")
    klass.made("ada").accept("ada")
    before, sent = state_of(klass.github), len(writes(klass.github))
    done = run("--yes")
    assert (done.code, state_of(klass.github), len(writes(klass.github))) == (0, before, sent)
    assert "  there already           3  ada, bob, carol\n" in done.out
    assert done.out.endswith("nothing to do\n")


def test_the_options(klass: Class, run: Run):
    """One student, another name, for everybody to see."""
    done = run("--yes", "--student", "bob", "--name", "{student}_{day}", "--public")
    assert done.code == 0
    made = klass.github.repositories["course/bob_mini"]
    assert (made.private, len(klass.github.repositories)) == (False, 2)


def test_a_class_of_many_is_shown_in_few_lines(klass: Class, run: Run):
    """Some names, and how many more."""
    klass.roster(*(f"s{number:03}" for number in range(40)))
    done = run("--dry-run")
    assert "  to make                40  s000, s001, s002, s003, s004, s005 and 34 more\n" in done.out
    assert len(done.out.split("\n")) < 12


# --- Students who cannot have one


def test_who_is_left_out(klass: Class, run: Run):
    """No name on GitHub, one that nobody has, one that is no person's; the rest goes on."""
    klass.roster("ada", "bob,", "carol,caroll", "dan,course", "eve", users=False)
    klass.github.user("ada", "eve")
    done = run("--yes")
    assert done.code == 1
    assert "    bob    no GitHub name in class.csv\n" in done.out
    assert "    carol  course/mini-caroll: GitHub has no user caroll; correct the roster\n" in done.out
    assert "    dan    course/mini-course: course is an organisation on GitHub, not a person" in done.out
    assert sorted(klass.github.repositories) == ["course/mini-ada", "course/mini-eve", TEMPLATE]
    assert done.out.endswith("2 done, 3 left out\n")


def test_a_name_that_goes_away_meanwhile(klass: Class, run: Run):
    """Looked at, it was there; invited, it is not."""
    klass.github.faults.append(Fault(404, only="PUT", path="/mini-bob/"))
    done = run("--yes")
    assert done.code == 1
    assert "2 of 3  bob  left out: course/mini-bob: bob cannot be invited" in done.out
    assert done.out.endswith("2 done, 1 left out\n")
    assert run("--yes").code == 0
    assert klass.made("bob").invited == ["bob"]


def test_a_repository_of_that_name(klass: Class, run: Run):
    """Made from nothing of ours: it is told, and never written to."""
    theirs = klass.github.repository("course/mini-bob")
    theirs.push({"diary.txt": "private\n"}, actor="bob")
    empty = klass.github.repository("course/mini-carol")
    before = state_of(klass.github)
    done = run("--yes")
    assert done.code == 1
    for name in ("bob", "carol"):
        assert f"course/mini-{name} was not made from {TEMPLATE}; nothing is written to it" in done.out
    after = state_of(klass.github)
    assert {name: after[name] for name in (theirs.name, empty.name)} == {
        name: before[name] for name in (theirs.name, empty.name)
    }


def test_nobody_gets_the_template_itself(klass: Class, run: Run):
    """Somebody is called `template` on GitHub; nor does anybody get another template."""
    klass.roster("eve,template", "ada")
    klass.github.repository("course/mini-ada", is_template=True, template=klass.template.id)
    done = run("--yes")
    assert done.code == 1
    assert f"    eve  {TEMPLATE} was not made from {TEMPLATE}" in done.out
    assert writes(klass.github) == []


def test_two_students_of_one_repository(klass: Class, run: Run):
    """A mistake of the roster's: neither could be told from the other."""
    klass.roster("ada,ada,course/shared", "bob,bob,course/Shared", "carol")
    done = run("--yes")
    assert done.code == 1
    assert "    ada  course/shared is the repository of another student too; correct the roster\n" in done.out
    assert sorted(klass.github.repositories) == ["course/mini-carol", TEMPLATE]


def test_a_repository_that_the_roster_names(klass: Class, run: Run):
    """Made where it is missing, unless it lies elsewhere; an address elsewhere is none of GitHub's."""
    klass.roster("ada,ada,course/ada-own", "bob,bob,elsewhere/bob", "carol,carol,ssh://git@example.org/c.git")
    done = run("--yes")
    assert done.code == 1
    assert "elsewhere/bob does not exist, and can be created in course only" in done.out
    assert "ssh://git@example.org/c.git is not an owner/name on GitHub" in done.out
    assert klass.github.repositories["course/ada-own"].invited == ["ada"]


def test_an_archived_one(klass: Class, run: Run):
    """It can only be read."""
    klass.hand_out("ada", "bob", "carol")
    klass.made("bob").archived = True
    done = run("--yes")
    assert (done.code, "course/mini-bob is archived" in done.out) == (1, True)


# --- Repositories that are there


def test_an_invitation_that_is_missing(klass: Class, run: Run):
    """Never sent, or expired after a week; nobody is invited twice."""
    klass.hand_out("ada", "bob", "carol")
    for name in ("ada", "bob"):
        klass.made(name).invitations[0].expired = name == "bob"
    klass.made("carol").invitations.clear()
    done = run("--yes")
    assert "  to be invited           2  bob, carol\n" in done.out
    assert [klass.made(name).invited for name in ("ada", "bob", "carol")] == [
        ["ada"], ["bob", "bob"], ["carol", "carol"],
    ]  # fmt: skip
    assert [i.expired for i in klass.made("bob").invitations] == [False]


def test_members_of_the_organisation(klass: Class, run: Run):
    """They may read everything, and must be told that they may push; no invitation is sent to them."""
    klass.github.organisation("course", "ada", "bob", "carol")
    klass.hand_out("bob")
    klass.made("bob").invitations.clear()
    assert run("--yes").code == 0
    assert [klass.made(name).collaborators for name in ("ada", "bob")] == [{"ada": "push"}, {"bob": "push"}]
    assert run("--yes").out.endswith("nothing to do\n")


def test_a_renamed_repository(klass: Class, run: Run):
    """Its old name leads to it: no second one is made."""
    klass.hand_out("ada", "bob", "carol")
    klass.made("bob").rename("course/the-best")
    done = run("--yes")
    assert (done.code, len(klass.github.repositories)) == (0, 4)
    assert "  there already           3" in done.out


def test_one_that_was_copied_by_hand(klass: Class, run: Run, files):
    """A fork, or the files pushed into an empty repository: its first files are the template's."""
    klass.template.push({"README.md": "Newer\n"})
    pushed = klass.github.repository("course/mini-ada")
    pushed.push(files, actor="ada")
    pushed.push({NOTEBOOK: "{}"}, actor="ada")
    done = run("--yes", "--student", "ada")
    assert done.code == 0
    assert (pushed.invited, len(pushed.pulls)) == (["ada"], 1)


def test_the_files_come_a_moment_later(klass: Class, run: Run):
    """GitHub answers before it has copied the template."""
    klass.github.slow = 5
    assert run("--yes").code == 0
    assert run("--yes").code == 0
    klass.made("ada").coming.clear()


def test_the_files_never_come(klass: Class, run: Run):
    """Then that is told; the others go on."""
    klass.github.slow = 100
    run("--yes", "--student", "ada")
    klass.github.slow = 0
    done = run("--yes")
    assert done.code == 1
    assert (
        "    ada  course/mini-ada is still empty: GitHub is copying the template; run the command again later\n"
        in done.out
    )
    assert klass.made("bob").invited == ["bob"]


# --- A fix of the template


@pytest.fixture
def outdated(klass: Class, files) -> Class:
    """Both have worked in the notebook; then a check was mended, a page added, another taken out."""
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


def test_a_fix_is_offered(outdated: Class, run: Run, files):
    """As a pull request, which brings the template's files and leaves the student's alone."""
    done = run("--yes")
    assert done.code == 0, done.text
    assert "  to be offered a fix     2  ada, bob\n" in done.out
    assert "  1 of 2  ada  offered the fix in pull request 1\n" in done.out
    ada = outdated.made("ada")
    assert ada.files()[CHECK] == files[CHECK]
    (pull,) = ada.pulls.values()
    assert (pull.title, pull.base) == ("Fixes from your instructor", "main")
    assert f"Changed:\n\n- `.github/backgrade.json`\n- `{CHECK}`\n\nNew:\n\n- `docs/new.bin`\n\n" in pull.body
    assert "Removed:\n\n- `docs/notebooks.md`\n" in pull.body
    ada.merge(1)
    assert ada.files() == outdated.template.files() | {NOTEBOOK: b'"ada"', "own.ipynb": b"mine"}


def test_a_fix_is_one_commit_on_a_branch_of_its_own(outdated: Class, run: Run):
    """Named by the tree of the template."""
    run("--yes")
    template, ada = outdated.template.bare, outdated.made("ada").bare
    branch = f"backgrade/fix-{template.line('rev-parse', 'main^{tree}')[:10]}"
    assert list(ada.refs()) == [f"refs/heads/{branch}", "refs/heads/main"]
    assert ada.line("rev-list", "--count", f"main..{branch}") == "1"


@pytest.mark.slow(after=2)
@pytest.mark.parametrize("answer", ["merged", "closed, and the branch deleted", "open", "closed"])
def test_a_fix_is_offered_once(outdated: Class, run: Run, answer: str):
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
    assert "  to be offered a fix     0\n" in done.out


@pytest.mark.slow
def test_the_next_fix_is_offered_too(outdated: Class, run: Run):
    """It holds the earlier one where that was not merged."""
    run("--yes")
    outdated.made("bob").merge(1)
    outdated.template.push({CHECK: "mended again\n"})
    done = run("--yes")
    assert "  to be offered a fix     2" in done.out
    for name in ("ada", "bob"):
        made = outdated.made(name)
        made.merge(2)
        assert made.files()[CHECK] == b"mended again\n"
        assert "docs/new.bin" in made.files()


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
    """The template has not changed; `grade collect` tells what drifted."""
    klass.roster("ada")
    klass.hand_out("ada")
    klass.made("ada").push({CHECK: "my own\n", ".github/workflows/grade.yml": None}, actor="ada")
    done = run("--yes")
    assert done.out.endswith("nothing to do\n")


def test_a_history_that_was_replaced(outdated: Class, run: Run):
    """Then nobody knows what the template had: whatever differs is offered, and nothing is removed."""
    ada = outdated.made("ada")
    ada.push({"own.ipynb": "all anew", CHECK: "my own\n"}, force=True, actor="ada")
    run("--yes", "--student", "ada")
    ada.merge(1)
    assert ada.files()[CHECK] == b"mended\n"
    assert ada.files()["own.ipynb"] == b"all anew"
    assert NOTEBOOK not in ada.files()


def test_the_pull_request_alone_is_missing(outdated: Class, run: Run):
    """The branch was made, and then the machine was shut: the pull request is opened from it."""
    outdated.github.faults += [Fault(403, path="/mini-ada/pulls", only="POST")]
    failed = run("--yes")
    assert "1 of 2  ada  left out: course/mini-ada: this token may not do that (403)" in failed.out
    ada = outdated.made("ada")
    before, sent = ada.bare.refs(), len(writes(outdated.github))
    assert run("--yes", "--student", "ada").code == 0
    assert (len(ada.pulls), ada.bare.refs()) == (1, before)
    assert writes(outdated.github)[sent:] == ["POST /repos/course/mini-ada/pulls"]


def test_a_token_that_may_not_change_workflows(klass: Class, run: Run):
    """GitHub says only that something is not there; what is missing is told."""
    klass.roster("ada")
    klass.hand_out("ada")
    klass.template.push({".github/workflows/grade.yml": "on: push\n"})
    klass.github.tokens[klass.token].write -= {"workflows"}
    done = run("--yes")
    assert done.code == 1
    assert "the token may not change workflows; give it the scope `workflow`" in done.out


# --- When GitHub is not well


WORK = [
    Fault(hung_up=True, only="POST", path="/generate"),
    Fault(502, after_work=True, only="POST", path="/generate"),
    Fault(502, only="POST", path="/generate"),
    Fault(truncated=True, only="POST", path="/generate"),
    Fault(hung_up=True, only="PUT"),
    Fault(502, after_work=True, only="PUT"),
    Fault(hung_up=True, only="POST", path="/git/trees"),
    Fault(truncated=True, only="POST", path="/git/refs"),
    Fault(502, only="POST", path="/git/refs"),
    Fault(hung_up=True, only="POST", path="/pulls"),
    Fault(502, only="POST", path="/pulls"),
]


def begun(klass: Class) -> Class:
    """Ada has nothing yet, bob needs a fix, carol's invitation is missing."""
    klass.hand_out("bob")
    klass.template.push({CHECK: "mended\n"})
    klass.hand_out("carol")
    klass.made("carol").invitations.clear()
    klass.made("carol").invited.clear()
    return klass


@pytest.fixture
def mixed(klass: Class) -> Class:
    return begun(klass)


def end_of(klass: Class) -> None:
    """What all of these stories end with."""
    assert sorted(klass.github.repositories) == [
        "course/mini-ada", "course/mini-bob", "course/mini-carol", TEMPLATE,
    ]  # fmt: skip
    assert [klass.made(name).invited for name in ("ada", "bob", "carol")] == [["ada"], ["bob"], ["carol"]]
    assert [len(klass.made(name).pulls) for name in ("ada", "bob", "carol")] == [0, 1, 0]


@pytest.mark.slow(after=4)
@pytest.mark.parametrize(
    "fault", WORK, ids=lambda f: f"{f.path or f.only} {f.status or f.truncated or 'hung up'}"
)
def test_an_answer_that_is_lost(mixed: Class, run: Run, fault: Fault):
    """Nothing is made twice, nobody is invited twice."""
    mixed.github.faults.append(fault)
    done = run("--yes")
    assert (done.code, mixed.github.faults) == (0, [])
    end_of(mixed)


def test_limits_are_waited_out(mixed: Class, run: Run):
    """And told, in one line each."""
    for after in ("40", "700"):
        mixed.github.faults.append(Fault(403, {"Retry-After": after}, "secondary rate limit", only="POST"))
    done = run("--yes")
    assert done.code == 0
    assert "GitHub asks to wait 12 minutes; you can press Ctrl-C" in done.err
    assert sum(wait in (40.0, 700.0) for wait in mixed.waits) == 2
    end_of(mixed)


@pytest.mark.slow
def test_a_limit_that_is_really_kept(mixed: Class):
    """Against the clock: five writes a second and no more."""
    mixed.github.secondary = Secondary(writes=3, seconds=0.5)
    assert mixed.complete("--yes") == 0
    assert mixed.github.secondary.refused > 0
    end_of(mixed)


def test_the_patience_is_used_up(mixed: Class, run: Run):
    """It stops, says how much is left, and the same command goes on."""
    mixed.github.faults += [Fault(429, {"Retry-After": "3000"}, only="PUT")] * 2
    done = run("--yes")
    assert done.code == 3
    assert "GitHub asks to wait 3000 seconds; 3 are left; run the same command again to continue" in done.err
    assert run("--yes").code == 0
    end_of(mixed)


def test_a_token_that_may_not(klass: Class, run: Run):
    """One request is refused, and that is all."""
    klass.token = klass.github.token("assistant", write=["contents"], read=EVERYTHING)
    done = run("--yes")
    assert done.code == 3
    assert "this token may not make repositories in course from course/mini-template (403)" in done.err
    assert len(writes(klass.github)) == 1


KILLED = [
    ("POST", "/generate", True),
    ("PUT", "/mini-ada/", True),
    ("POST", "/git/refs", True),
    ("POST", "/generate", False),
    ("POST", "/pulls", True),
    ("PUT", "/mini-ada/", False),
    ("POST", "/git/trees", True),
    ("POST", "/git/commits", True),
    ("POST", "/git/refs", False),
    ("POST", "/pulls", False),
    ("PUT", "/mini-carol/", False),
    ("PUT", "/mini-carol/", True),
    ("GET", "/mini-carol", True),
]


@pytest.mark.slow
def test_interrupted(mixed: Class):
    """Ctrl-C: what is done is told, and the same command goes on."""
    assert mixed.killed_at("PUT", "/mini-ada/", done=True, by=signal.SIGINT) == 130
    assert mixed.complete("--yes") == 0
    end_of(mixed)


def test_a_token_of_yesterday(klass: Class, run: Run):
    """Told before anything else; the token is not quoted."""
    klass.token = "ghs_of_yesterday"
    done = run("--yes")
    assert (done.code, "the token is not valid (401)" in done.err) == (2, True)
    assert "yesterday" not in done.text
    klass.token = ""
    assert "set the variable GITHUB_TOKEN" in run("--yes").err


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, files) -> dict[str, object]:
    """What is there where nobody shuts the machine."""
    root = tmp_path_factory.mktemp("uninterrupted")
    with GitHub(root / "github") as github:
        klass = Class(root, github, files)
        klass.roster("ada", "bob", "carol")
        assert begun(klass).complete("--yes") == 0
        return state_of(github)


@pytest.mark.slow(after=2)
@pytest.mark.parametrize(("method", "path", "done"), KILLED)
def test_killed_and_started_again(mixed: Class, uninterrupted, method: str, path: str, done: bool):  # noqa: FBT001
    """What is there in the end is what an uninterrupted run leaves."""
    assert mixed.killed_at(method, path, done=done) != 0
    assert mixed.complete("--yes") == 0
    assert state_of(mixed.github) == uninterrupted
    end_of(mixed)


# --- What cannot be handed out


def test_templates_that_are_none(klass: Class, run: Run):
    """Each is told with what to do; nothing is written."""
    plain = klass.github.repository("course/plain")
    plain.push({"README.md": "Hello\n"})
    assert "no such template" in run("--yes", "--template", "course/nothing").text
    assert "write it as OWNER/NAME" in run("--yes", "--template", "https://github.com/course/plain").text
    assert "gh repo edit course/plain --template" in run("--yes", "--template", "course/plain").text
    plain.is_template = True
    assert "no .github/backgrade.json in it" in run("--yes", "--template", "course/plain").text
    klass.github.repository("course/empty", is_template=True)
    assert "this template is empty" in run("--yes", "--template", "course/empty").text
    assert writes(klass.github) == []


def test_solutions_are_never_handed_out(klass: Class, run: Run):
    """Whoever pushed them there."""
    klass.template.push({"solutions/mini/mini.py": "x = 1\n"})
    done = run("--yes")
    assert done.code == 2
    assert "it holds solutions/mini/mini.py, which no student may see; nothing is handed out" in done.text
    assert writes(klass.github) == []


def test_a_template_of_other_days(klass: Class, run: Run, files):
    """The day that was typed is not in it."""
    record = json.loads(files[".github/backgrade.json"]) | {"days": ["other"]}
    klass.template.push({".github/backgrade.json": json.dumps(record)})
    assert "this template holds other and not mini" in run("--yes").text


def test_wrong_usage(klass: Class, run: Run):
    """Names that nobody can have."""
    assert "all students would share one repository" in run("--name", "{day}").text
    assert (
        "{x} is an unknown field; known are {day}, {github}, {student}" in run("--name", "{x}-{github}").text
    )
    assert (
        "GitHub does not allow the repository name a b-ada" in run("--name", "a b-{github}", "--dry-run").text
    )
    assert "did you mean `ada`?" in run("--student", "adda").text
    klass.roster("ada")
    assert "not the name of an organisation" in run("--org", "../x").text
    assert "has no organisation" in run("--org", "elsewhere").text
    assert writes(klass.github) == []


def test_the_times_are_the_servers(klass: Class, run: Run):
    """Made by the instructor, when GitHub says so."""
    run("--yes", "--student", "ada")
    (first,) = klass.made("ada").activity
    assert (first.type, first.actor, first.at) == ("branch_creation", "teacher", START)


# --- Requests


def many(klass: Class, count: int) -> list[str]:
    """A class of so many, who have their repositories; every third has accepted the invitation."""
    names = [f"s{number:03}" for number in range(count)]
    klass.roster(*names)
    klass.hand_out(*names)
    for name in names[::3]:
        klass.made(name).accept(name)
        klass.made(name).push({NOTEBOOK: f'"{name}"'}, actor=name)
    return names


def asked(klass: Class) -> list[str]:
    """Return the requests that count towards the hour's."""
    return [a.path for a in klass.github.asked if a.path not in {"/graphql", "/rate_limit"}]


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("state", ["nothing to do", "a fix", "a fix that was offered"])
def test_a_look_costs_at_most_two_requests_a_student(klass: Class, run: Run, state: str):
    """Whatever it finds: 900 repositories fit into an hour's 5,000."""
    count = 12
    many(klass, count)
    if state != "nothing to do":
        klass.template.push({CHECK: "mended\n"}, actor="teacher")
    if "offered" in state:
        assert run("--yes").code == 0
    klass.github.asked.clear()
    done = run("--dry-run")
    assert f"  to be offered a fix  {count if state == 'a fix' else 0:>4}" in done.out
    constant = 12  # for the template and the organisation
    assert len(asked(klass)) <= 2 * count + constant
    assert sum(a.path == "/graphql" for a in klass.github.asked) == 1


def test_a_class_that_begins_is_looked_at_in_a_few_questions(klass: Class, run: Run):
    """No request for a student who has nothing yet."""
    klass.roster(*(f"s{number:03}" for number in range(50)))
    run("--dry-run")
    assert not [path for path in asked(klass) if "s0" in path]
    assert sum(a.path == "/graphql" for a in klass.github.asked) == 3


def test_more_than_the_hour_has_left_is_told_before(klass: Class, run: Run):
    """In the plan, with when GitHub lets it go on."""
    many(klass, 6)
    klass.template.push({CHECK: "mended\n"}, actor="teacher")
    klass.github.limit, klass.github.reset = 60, time.time() + 1800
    done = run("--dry-run")
    assert "note: this takes about 48 requests, and GitHub allows" in done.out
    assert "the command waits and continues by itself. You can press Ctrl-C at any time." in done.out
    klass.github.limit = 5_000
    assert "note:" not in run("--dry-run").out


def test_a_server_that_tells_no_limits(klass: Class, run: Run):
    """An own server has none by default, and says 404."""
    klass.github.faults += [Fault(404, path="/rate_limit")] * 2
    assert run("--yes").code == 0


def test_a_question_that_is_not_answered(klass: Class, run: Run):
    """The hour of GraphQL is used up: it is waited out, as every limit is."""
    klass.github.faults.append(Fault(502, path="/graphql"))
    assert run("--yes").code == 0
    klass.github.points = 0
    done = run("--yes")
    assert done.code == 2
    assert "GitHub's rate limit is used up" in done.err


def test_a_token_that_may_not_list_collaborators(klass: Class, run: Run):
    """GraphQL tells nothing of them then, and REST is asked what the student may do."""
    klass.hand_out("ada", "bob")
    klass.made("ada").accept("ada")
    klass.token = klass.github.token("assistant", read=["contents", "metadata", "pull_requests"])
    done = run("--dry-run")
    assert "  there already           1  ada\n" in done.out
    assert "    bob  course/mini-bob: this token may not do that (403)" in done.out


def test_a_token_that_may_not_list_pull_requests(klass: Class, run: Run):
    """GraphQL tells nothing of such a repository: it is left out, and not taken for one that is missing."""
    klass.hand_out("ada")
    klass.token = klass.github.token("assistant", write=["administration"], read=["contents", "metadata"])
    done = run("--dry-run", "--student", "ada")
    assert (
        "    ada  course/mini-ada: GitHub returned nothing about it: Resource not accessible by personal"
        in done.out
    )
    assert "  to make                 0\n" in done.out
