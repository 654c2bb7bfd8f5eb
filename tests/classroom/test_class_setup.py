"""`grade class`: from a course on this disk to a class in a private repository, on the tests' GitHub."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from github_server import EVERYTHING, GitHub
from github_server.state import iso
from helpers import COURSE, Ran, notebook
from minicourse import FILES, change, put
from releasing import STUB, Answers, git, set_own_git
from students import GOOD
from whole_class import NOTEBOOK

from grader.classroom import class_setup, own_repository
from grader.classroom.class_setup import SetupPart, set_up
from grader.classroom.github.api import Api, token_of
from grader.cli import main

PARTS = ("roster", "due", "salts", "repository", "course.yaml", "commit")
Class = Callable[..., Ran]
OWN = "org/course"
SALT = "solutions/mini/salt.txt"
MANIFEST = "assignments/mini/assignment.yaml"


class Clone:
    """An instructor who has cloned a course that everybody can read, and the class's roster beside it."""

    def __init__(self, root: Path, github: GitHub) -> None:
        self.github, self.course, self.roster = github, root / "course", root / "download.csv"
        for name, text in FILES.items():
            put(self.course, name, text)
        for name in ("mini.ipynb", "checks/stub.ipynb"):
            put(self.course, f"assignments/mini/{name}", STUB)
        self.roster.write_text("student,github\nada,ada\nbob,bob\n")
        self.token = github.token("teacher", write=EVERYTHING)
        github.organisation("org", "teacher")
        github.base = "none"
        github.user("ada", "bob")
        self.upstream = github.repository("backgrade/course", private=False, of_others=True)
        git("init", "-q", "-b", "main", cwd=self.course)
        git("add", ".", cwd=self.course)
        git("commit", "-qm", "The course", cwd=self.course)
        git("remote", "add", "origin", f"file://{github.folder}/backgrade/course.git", cwd=self.course)
        git("push", "-q", "origin", "main", cwd=self.course)

    @property
    def writes(self) -> list[str]:
        return [f"{a.method} {a.path}" for a in self.github.asked if a.method != "GET"]

    def read(self, name: str) -> str:
        return (self.course / name).read_text()

    def git(self, *words: str) -> str:
        return git(*words, cwd=self.course)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clone]:
    public = hashlib.sha256(FILES[SALT].strip().encode()).hexdigest()
    monkeypatch.setattr(own_repository, "PUBLIC_SALTS", frozenset({public}))
    set_own_git(monkeypatch, tmp_path)
    with GitHub(tmp_path / "github") as github:
        yield Clone(tmp_path, github)


@pytest.fixture
def run(clone: Clone, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Class:
    """`grade class ...` in this process."""
    for name, value in clone.github.environment(clone.token).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(Api.__init__.__kwdefaults__, "sleep", lambda _: None)
    monkeypatch.chdir(clone.course)

    def ran(*words: str, answer: str | None = None) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO() if answer is None else Answers(answer))
        with pytest.raises(SystemExit) as ended:
            main.main(["class", *words])
        said = capsys.readouterr()
        return Ran(int(ended.value.code or 0), said.out, said.err)

    return ran


def told(clone: Clone) -> list[str]:
    return [
        "--organisation",
        "org",
        "--roster",
        str(clone.roster),
        "--due",
        "mini=2030-12-01T12:00Z",
        "--yes",
    ]


def test_a_class_is_set_up(clone: Clone, run: Class, snapshot) -> None:
    """Roster, due date, salt, private repository, course.yaml; then the commands of the first day."""
    done = run(*told(clone))

    assert done.code == 0, done.text
    own = clone.github.repositories[OWN]
    assert own.private
    assert own.files()["roster.csv"] == clone.roster.read_bytes()
    assert own.files()[SALT].decode() == clone.read(SALT) != FILES[SALT]
    assert "due: 2030-12-01T12:00:00+00:00\n" in clone.read(MANIFEST)
    assert clone.read("solutions/course.yaml") == (
        "record: branch\nclass:\n  organisation: org\n  roster: roster.csv\n"
    )
    assert clone.git("remote", "get-url", "--push", "upstream").strip() == "no-push-to-upstream"
    assert clone.upstream.files()[SALT].decode() == FILES[SALT]
    assert done.out.replace(str(clone.roster), "ROSTER") == snapshot


def test_a_second_time_nothing_is_left_to_do(clone: Clone, run: Class) -> None:
    run(*told(clone))
    salt, writes = clone.read(SALT), clone.writes

    again = run()

    assert again.code == 0, again.text
    assert (clone.read(SALT), clone.writes) == (salt, writes)
    assert all(line.split()[1] == "done:" for line in again.out.splitlines() if line.startswith("  "))


@pytest.mark.parametrize("part", PARTS)
def test_it_goes_on_where_it_was_stopped(clone: Clone, run: Class, monkeypatch: Any, part: str) -> None:
    """Interrupted after any part, the same command ends with the same class, and no salt is renewed twice."""
    salts = []

    def stopping(name: str, its: SetupPart) -> SetupPart:
        def do() -> None:
            its.do()
            salts.append(clone.read(SALT))
            if name == part:
                raise KeyboardInterrupt

        return its._replace(do=do)

    def stops(parts: dict[str, SetupPart], *words: Any, **more: Any) -> int:
        return set_up({name: stopping(name, its) for name, its in parts.items()}, *words, **more)

    with monkeypatch.context() as patched:
        patched.setattr(class_setup, "set_up", stops)
        assert run(*told(clone)).code == 130
    done = run(*told(clone))

    assert done.code == 0, done.text
    assert len({*salts, clone.read(SALT)} - {FILES[SALT]}) == 1
    assert clone.github.repositories[OWN].files()["solutions/course.yaml"].decode() == clone.read(
        "solutions/course.yaml"
    )
    assert run().out.count("done: ") == len(PARTS)


def test_what_nobody_said_is_asked_for(clone: Clone, run: Class) -> None:
    """Organisation, roster, due dates, and whether to do it: four questions; a dry run does nothing."""
    dry = run("--dry-run", answer="org\n\nmini=2030-12-01\n")
    alone = run()

    assert dry.code == 0, dry.text
    assert "write roster.csv with a heading" in dry.out
    assert (alone.code, "--organisation" in alone.err) == (2, True)
    assert clone.writes == []
    assert clone.git("status", "--porcelain") == ""

    done = run(answer="org\n\n\ny\n")

    assert done.code == 0, done.text
    assert clone.read("roster.csv") == "student,github\n"
    assert "Add a line for each student to roster.csv" in done.out


def test_a_wrong_answer_is_asked_for_again(clone: Clone, run: Class) -> None:
    """One slip in four answers: the other three need not be given anew."""
    answers = "other\norg\nno/such.csv\n\nmini=soon\nmini=2030-12-01\n"
    dry = run("--dry-run", answer=answers)

    assert dry.code == 0, dry.text
    for words in (
        "no organisation of this name",
        "no/such.csv: no such file; name the roster",
        "mini=soon: not a date",
    ):
        assert words in dry.text
    assert "2030-12-01" in dry.out


def test_a_typed_path_may_begin_at_home(clone: Clone, run: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell has read the answer."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(clone.roster.parent))
    dry = run("--dry-run", "--organisation", "org", answer="~/download.csv\n\n")

    assert (dry.code, "copy 2 students from" in dry.out) == (0, True), dry.text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--organisation", "other"], "GitHub has no organisation of this name"),
        (["--due", "mini=soon"], "not a date; write mini=2026-12-01"),
        (["--due", "mine=2030-12-01"], "no such assignment (did you mean `mini`?)"),
        (["--roster", "gone.csv"], "gone.csv: no such file; name the roster"),
    ],
)
def test_what_cannot_be_is_refused(clone: Clone, run: Class, words: list[str], said: str) -> None:
    refused = run(*told(clone), *words)

    assert (refused.code, clone.writes) == (2, [])
    assert said in refused.err
    assert clone.git("status", "--porcelain") == ""


def test_a_class_in_progress_keeps_its_salts(clone: Clone, run: Class) -> None:
    """With a class or a record of grades nothing is renewed, and another class is not written over the one that is there."""
    put(clone.course, "results.db", "")
    record = run(*told(clone))
    (clone.course / "results.db").unlink()
    put(clone.course, "solutions/course.yaml", "class: {organisation: org}\n")
    put(clone.course, "roster.csv", "student,github\nada,ada\n")
    public, another = run("--yes"), run("--yes", "--organisation", "second")

    assert [one.code for one in (record, public, another)] == [2, 2, 2]
    assert "so the salts must not change" in record.err
    assert "grade stub mini --new-salt" in public.err
    assert "this file has a class of org already" in another.err
    assert (clone.read(SALT), clone.writes) == (FILES[SALT], [])


def test_what_the_salts_need_is_refused_first(clone: Clone, run: Class) -> None:
    """A module that an assignment imports and that is not installed: nothing has been written by then."""
    change(clone.course, MANIFEST, "submission:", "imports: [nowhere]\nsubmission:")
    before = clone.git("status", "--porcelain")
    refused = run(*told(clone))

    assert (refused.code, clone.writes) == (2, [])
    assert "`imports` allows modules that are not installed here: nowhere" in refused.err
    assert clone.git("status", "--porcelain") == before


def test_what_students_can_read_is_refused(clone: Clone, run: Class) -> None:
    """A repository that is public, that all members read, or that one of the class reads."""
    clone.github.base = "read"
    members = run(*told(clone))
    clone.github.base = "none"
    open_ = clone.github.repository(OWN, private=False)
    public = run(*told(clone))
    open_.private, open_.collaborators["bob"] = True, "pull"
    among = run(*told(clone))

    assert [one.code for one in (members, public, among)] == [2, 2, 2]
    assert "its base permissions are `read`" in members.err
    assert "this repository is public" in public.err
    assert "bob of the class can read it" in among.err
    assert not open_.bare.tip("refs/heads/main")


class Person(Answers):
    """Types an answer for each question, and counts them."""

    questions = 0

    def readline(self, size: int | None = -1) -> str:
        self.questions += 1
        return super().readline(-1 if size is None else size)


@pytest.mark.ci
def test_few_steps_from_a_signed_in_gh_to_the_first_answer(
    clone: Clone, run: Class, monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    """The commands of docs/instructors.md; a variable has the token that `gh` would give."""
    page = (COURSE / "docs/instructors.md").read_text(encoding="utf-8")
    first = page.partition("## Install")[2].partition("## Hidden checks")[0]
    commands = "".join(re.findall(r"^```sh\n(.*?)^```", first, re.MULTILINE | re.DOTALL)).splitlines()
    person, edited = Person("org\n\nmini=2030-12-01\ny\ny\n"), 0
    monkeypatch.setattr(sys, "stdin", person)
    clone.github.clock = iso(dt.datetime.now(dt.UTC) - dt.timedelta(minutes=5))  # until a student pushes

    def types(line: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main.main(line.partition("grade ")[2].replace("day2", "mini").split())
        said = capsys.readouterr()
        assert ended.value.code == 0, said.out + said.err
        return said.out

    assert [line.split()[0] for line in commands] == ["git", "python3", ".venv/bin/grade", ".venv/bin/grade"]
    types(commands[2])
    (clone.course / "roster.csv").write_text("student,github\nada,ada\nbob,bob\n")
    edited += 1
    types(commands[3])

    clone.github.clock = None
    clone.github.repositories["org/mini-ada"].push({NOTEBOOK: notebook(GOOD)}, actor="ada")
    git("clone", "-q", clone.github.folder / f"{OWN}.git", tmp_path / "runner", cwd=tmp_path)
    monkeypatch.chdir(tmp_path / "runner")  # what the workflow does
    assert "1 student to answer in mini: 1 answered" in types("grade answer mini")

    assert len(commands) <= 5
    assert person.questions <= 6
    assert edited <= 2


def test_the_token_of_gh_serves_where_no_variable_has_one(tmp_path: Path) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\n[ "$*" = "auth token" ] && echo gho_of_gh\n')
    gh.chmod(0o755)
    path = {"PATH": f"{tmp_path}:/bin:/usr/bin"}

    assert token_of(path) == "gho_of_gh"
    assert token_of(path | {"GH_TOKEN": "own "}) == "own"
    assert token_of(path | {"GITHUB_API_URL": "https://github.example.org/api/v3"}) == ""
    assert token_of({}) == ""
