"""The record on the branch `results`: two machines and GitHub, on which no text comes twice and no row is lost."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_server import GitHub, copy
from handing import TEMPLATE, released
from helpers import Ran, grade, start_grade
from minicourse import put
from releasing import git
from whole_class import World

from grader.gradebook.shared import SharedStore
from grader.gradebook.store import Store

OWN = "course/private"
STUDENTS = 3


class Machine:
    """A clone of the course on somebody's machine, with their own results.db."""

    def __init__(self, class_: World, name: str) -> None:
        self.class_, self.name, self.folder = class_, name, class_.root / name
        shutil.copytree(class_.course, self.folder)
        git("init", "-q", "-b", "main", cwd=self.folder)
        git("remote", "add", "origin", f"file://{class_.github.folder}/{OWN}.git", cwd=self.folder)

    @property
    def environment(self) -> dict[str, str]:
        """GitHub's, and a git that knows who it is."""
        own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": self.name}
        return self.class_.environment | own

    def run(self, *words: str) -> Ran:
        return grade(*words, cwd=self.folder, env=self.environment)

    def start(self, *words: str) -> subprocess.Popen[str]:
        return start_grade(*words, cwd=self.folder, env=self.environment)

    def points(self) -> dict[str, float]:
        """The points that overrides give for the check `box`, by student."""
        with Store(self.folder / "results.db") as store:
            return {one.student: one.points for one in store.overrides("mini") if one.points is not None}


class Prompt(World):
    """A class whose work is graded at once."""

    kinds = ("good", "squares", "forgets")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def class_(tmp_path: Path, template) -> Iterator[World]:
    """Students who have handed in; their work is on the disk of both machines."""
    with GitHub(tmp_path / "github") as github:
        github.base = "none"
        made = Prompt(tmp_path, github, template, STUDENTS)
        github.repository(OWN).push({"README.md": "course\n"}, actor="teacher")
        for student in made.students:
            copy(github, github.repositories[TEMPLATE], f"course/mini-{student}")
        made.work()
        put(
            made.course,
            "solutions/course.yaml",
            "record: branch\nclass: {organisation: course, instructors: [teacher]}\n",
        )
        yield made


@pytest.fixture
def ada(class_: World) -> Machine:
    """The machine on which the class was collected and graded."""
    machine = Machine(class_, "ada")
    for words in (("collect", "mini"), ("batch", "mini")):
        ran = machine.run(*words)
        assert ran.code in (0, 1), ran.text
    return machine


@pytest.fixture
def grace(class_: World, ada: Machine) -> Machine:
    """Another one, that knows only what the branch says."""
    return Machine(class_, "grace")


def texts(class_: World) -> list[int]:
    """How many texts each student has."""
    return [len(class_.repository(student).issues) for student in class_.students]


def branch(class_: World, to: Path) -> Store:
    """The file on the branch."""
    folder = class_.github.folder / f"{OWN}.git"
    done = subprocess.run(["git", "show", "results:results.db"], cwd=folder, capture_output=True, check=True)
    to.write_bytes(done.stdout)
    return Store(to)


def test_two_who_grade_have_one_record(class_: World, ada: Machine, grace: Machine, tmp_path: Path) -> None:
    """What one grades, the other reports; overrides of both count, and the branch has no history."""
    assert "3 students" in grace.run("report", "mini").text
    assert ada.run("override", "points", "s00", "box", "5", "--why", "explained").code == 0
    assert grace.run("override", "points", "s01", "box", "7", "--why", "explained").code == 0
    assert ada.run("report", "mini").code == 0

    assert ada.points() == grace.points() == {"s00": 5.0, "s01": 7.0}
    with branch(class_, tmp_path / "there.db") as store:
        assert len(store.overrides("mini")) == 2
    assert git("rev-list", "--count", "results", cwd=class_.github.folder / f"{OWN}.git") == "1"


@pytest.mark.ci
def test_of_two_different_words_none_is_posted(class_: World, ada: Machine, grace: Machine) -> None:
    """Both read whose they are; the others have their text; a third word decides."""
    with Store(ada.folder / "results.db") as store:
        offline = store.overrides("mini")
    assert offline == []
    grace.run("report", "mini")
    for machine, points in ((ada, "5"), (grace, "8")):  # neither has seen the other's
        machine.run("override", "-r", "results.db", "points", "s00", "box", points, "--why", "explained")
    assert ada.run("override").code == 0
    told = grace.run("override")
    assert "s00 box: overrides differ, and none replaces another" in told.err
    assert "5 points by ada" in told.err
    assert "8 points by grace" in told.err

    posted = grace.run("post", "mini", "--yes")
    assert "left out: s00, because s00 box: overrides differ" in posted.text
    assert texts(class_) == [0, 1, 1]

    ada.run("override", "points", "s00", "box", "8", "--why", "both looked")
    assert grace.run("post", "mini", "--yes").code == 0
    assert texts(class_) == [1, 1, 1]


@pytest.mark.parametrize(
    "at", [8, *(pytest.param(number, marks=pytest.mark.whole) for number in (*range(1, 8), *range(9, 20)))]
)
def test_killed_amid_a_post(class_: World, ada: Machine, grace: Machine, tmp_path: Path, at: int) -> None:
    """The other posts nothing as long as it may go on; whoever goes on sends no text twice, and loses none."""
    running: list[subprocess.Popen[str]] = []
    before = class_.github.number

    def hook(method: str, path: str, number: int, done: bool) -> None:  # noqa: FBT001  as the server calls it
        if running and number - before == at and done:
            running[0].send_signal(signal.SIGKILL)
            running[0].wait()

    class_.github.on_request = hook
    running.append(ada.start("post", "mini", "--yes"))
    running[0].communicate(timeout=120)
    killed = running[0].returncode != 0
    class_.github.on_request = None
    sent = sum(texts(class_))
    with branch(class_, tmp_path / "there.db") as store:
        is_open = store._rows("SELECT 1 FROM posting WHERE ended = ''") != []

    other = grace.run("post", "mini", "--yes")
    assert killed or sent == 3
    if is_open:
        assert "is posting grades, so none were posted here" in other.text
        assert (other.code, sum(texts(class_))) == (2, sent)
    assert ada.run("post", "mini", "--yes").code in (0, 1)
    last = grace.run("post", "mini", "--yes")

    assert texts(class_) == [1, 1, 1], last.text
    assert "3 as posted" in last.text


@pytest.mark.ci
def test_two_post_at_once(class_: World, ada: Machine, grace: Machine) -> None:
    """One of them sends everything; nobody has two texts."""
    grace.run("report", "mini")
    both = [machine.start("post", "mini", "--yes") for machine in (ada, grace)]
    said = [each.communicate(timeout=120)[0] for each in both]

    assert 0 in [each.returncode for each in both], said
    assert "Traceback" not in "".join(said)
    for machine in (ada, grace):
        assert "3 as posted" in machine.run("post", "mini", "--yes").text
    assert texts(class_) == [1, 1, 1]


@pytest.mark.ci
def test_two_write_at_once(class_: World, ada: Machine, grace: Machine, tmp_path: Path) -> None:
    """Of many overrides none is lost, whoever is faster."""
    words = [("excuse", f"s{number % 3:02}") for number in range(6)]
    for number, (kind, student) in enumerate(words):
        both = [
            machine.start("override", kind, student, "--why", f"{machine.name} {number}")
            for machine in (ada, grace)
        ]
        said = [each.communicate(timeout=120)[0] for each in both]
        assert [each.returncode for each in both] == [0, 0], said

    with branch(class_, tmp_path / "there.db") as store:
        assert len(store.overrides("mini")) == 2 * len(words)


@pytest.mark.ci
def test_where_students_can_read_it_nothing_is_pushed(class_: World, ada: Machine) -> None:
    """The refusal says who; what was done is kept here, and pushed later."""
    own = class_.github.repositories[OWN]
    tip = own.bare.tip("refs/heads/results")
    own.collaborators["s01"] = "pull"
    refused = ada.run("override", "points", "s00", "box", "5", "--why", "explained")
    assert refused.code == 2
    assert "s01 of the class can read it" in refused.err
    assert own.bare.tip("refs/heads/results") == tip

    own.collaborators.clear()
    assert ada.run("override").code == 0
    assert own.bare.tip("refs/heads/results") != tip
    assert ada.points() == {"s00": 5.0}


@pytest.mark.ci
def test_what_is_shown_needs_no_right_to_write(class_: World, ada: Machine, grace: Machine) -> None:
    """`report`, `diff` and a dry run take the branch in, and push nothing."""
    own = class_.github.repositories[OWN]
    tip = own.bare.tip("refs/heads/results")
    for words in (("report", "mini"), ("diff",), ("post", "mini", "--dry-run")):
        assert grace.run(*words).code in (0, 1)
    assert own.bare.tip("refs/heads/results") == tip


@pytest.mark.ci
def test_without_the_line_in_course_yaml_nothing_is_fetched(
    class_: World, ada: Machine, grace: Machine
) -> None:
    put(grace.folder, "solutions/course.yaml", "class: {organisation: course, instructors: [teacher]}\n")
    alone = grace.run("report", "mini")
    assert alone.code == 2
    assert "no such results file" in alone.err


@pytest.mark.ci
def test_a_record_of_another_class_is_not_mixed_in(class_: World, ada: Machine, grace: Machine) -> None:
    """Somebody's results.db that is no copy stops the command before anything is changed."""
    with SharedStore(grace.folder / "results.db", create=True) as store, store.running("mini", "batch", "x"):
        pass
    refused = grace.run("report", "mini")
    assert refused.code == 2
    assert "this is not a copy of the class's results file" in refused.err
    assert sqlite3.connect(grace.folder / "results.db").execute(
        "SELECT count(*) FROM results"
    ).fetchone() == (0,)


@pytest.mark.ci
def test_who_was_taken_out_is_nowhere(class_: World, ada: Machine, grace: Machine, tmp_path: Path) -> None:
    """Not in the record here, not on the branch, not in its history, and no other copy brings them back."""
    grace.run("override", "points", "s01", "box", "5", "--why", "explained")
    assert ada.run("post", "mini", "--yes").code == 0
    mistyped = ada.run("class", "--forget", "s1", "--yes")
    assert (mistyped.code, "did you mean" in mistyped.err) == (2, True)

    gone = ada.run("class", "--forget", "s01", "--yes")

    assert gone.code == 0, gone.text
    assert not (class_.root / "mini-works" / "s01").exists()
    grace.run("override", "excuse", "s02", "--why", "ill")  # brings grace's copy together with the branch
    with branch(class_, tmp_path / "there.db") as store:
        assert store.students("mini") == ["s00", "s02"]
        assert [one.student for one in store.overrides("mini")] == ["s02"]
    assert b"s01" not in (tmp_path / "there.db").read_bytes()
    git("gc", "--prune=now", "-q", cwd=class_.github.folder / f"{OWN}.git")
    objects = git("rev-list", "--objects", "results", cwd=class_.github.folder / f"{OWN}.git").splitlines()
    assert [line.partition(" ")[2] for line in objects] == ["", "", "results.db"]
    assert b"s01" not in (grace.folder / "results.db").read_bytes()
