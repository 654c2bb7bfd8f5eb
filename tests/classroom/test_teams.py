"""A team: one repository in several lines of the roster, from its making to a grade for each student."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from github_server import Fault, GitHub, Repository
from handing import released
from helpers import notebook
from minicourse import put
from students import GOOD
from whole_class import IN_TIME, LATE, NOTEBOOK, World

from grader.assignment import Course
from grader.gradebook.grade import grades_of
from grader.gradebook.store import Store

DUO = "course/duo"
ROSTER = f"student,github,repository\ns00,s00,{DUO}\ns01,s01,Course/Duo\ns02,s02,\n"


class Teams(World):
    """s00 and s01 work together, and s02 alone."""

    def __init__(self, root: Path, github: GitHub, template: dict[str, bytes]) -> None:
        super().__init__(root, github, template, 3)
        put(self.course, "roster.csv", ROSTER)

    @property
    def duo(self) -> Repository:
        return self.github.repositories[DUO]

    def hand_in(self, source: str, at: str = IN_TIME, actor: str = "s01") -> None:
        self.duo.push({NOTEBOOK: notebook(source)}, at=at, actor=actor)

    def go(self, *names: str) -> str:
        """Run these commands of the class; gives what they printed."""
        return "".join(self.run(*self.commands()[name])[1] for name in names)

    def totals(self) -> dict[str, float | None]:
        with Store(self.course / "results.db") as store:
            return {
                grade.student: grade.score
                for grade in grades_of(Course(self.course).assignment("mini"), store)
            }

    def reports(self) -> dict[str, str]:
        with Store(self.course / "results.db") as store:
            return {student: store.gradings("mini", student)[-1].report for student in store.students("mini")}

    def texts(self) -> list[str]:
        return [issue.body for issue in self.duo.issues.values()]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def class_(tmp_path: Path, template: dict[str, bytes]) -> Iterator[Teams]:
    """A class whose repositories are made."""
    with GitHub(tmp_path / "github") as github:
        made = Teams(tmp_path, github, template)
        made.told = made.go("open")
        yield made


def test_made_once_and_both_invited(class_: Teams, snapshot):
    """From the template, under the name in the roster; a second run has nothing to do."""
    assert class_.duo.invited == ["s00", "s01"]
    assert class_.told == snapshot
    note = "note: teams that share a repository: s00 and s01 (course/duo); each member can read the grades of the whole team"
    assert class_.told.count(note) == 1
    asked = len(class_.github.asked)
    assert "this command has nothing to do" in class_.go("open")
    assert not any(a.method != "GET" and a.path != "/graphql" for a in class_.github.asked[asked:])


def test_a_team_that_cannot_be_made(tmp_path: Path, template: dict[str, bytes], snapshot):
    """The second student is left out for the same reason, and not because of their login."""
    with GitHub(tmp_path / "github") as github:
        class_ = Teams(tmp_path, github, template)
        github.faults.append(Fault(422, message="no", only="POST", path="/generate"))
        told = class_.go("open")
    assert told == snapshot


def test_fetched_graded_and_posted_once(class_: Teams, snapshot):
    """Both get the files, the report and the grade; one text names both."""
    class_.hand_in(GOOD)
    asked = len(class_.github.asked)
    told = class_.go("collect")
    assert (
        len(class_.github.asked) - asked <= 4 + 3
    )  # two for each repository, and the reason why s02 has no work
    assert told.count("note: teams that share a repository: s00 and s01 (course/duo)") == 1
    class_.go("batch")
    reports = class_.reports()
    assert reports["s00"] == reports["s01"]  # to the second in which it was made
    assert class_.totals() == {"s00": 100, "s01": 100}
    told = class_.go("post")
    assert told == snapshot
    (text,) = class_.texts()
    assert text == snapshot
    assert parts(text) == {"s00 and s01": "100 of 100 points"}
    assert "as posted" in class_.go("post")


@pytest.mark.ci
def test_an_extension_and_an_override_of_one(class_: Teams):
    """They are theirs alone; the text has a part for each, and is edited: no second one is written."""
    put(class_.course, "solutions/mini/extensions.csv", "student,due\ns01,+7d\n")
    class_.hand_in(GOOD, at=LATE)
    class_.go("collect", "batch", "post")
    assert class_.totals() == {"s00": 80, "s01": 100}
    (text,) = class_.texts()
    assert parts(text) == {"s00": "80 of 100 points", "s01": "100 of 100 points"}

    class_.run("override", "points", "s01", "box", "10", "--why", "explained it to me")
    class_.go("post")

    assert class_.totals() == {"s00": 80, "s01": 70}
    (text,) = class_.texts()
    assert parts(text) == {"s00": "80 of 100 points", "s01": "70 of 100 points"}


@pytest.mark.ci
def test_posted_for_one_of_them(class_: Teams):
    """`--student` writes the team's text; the next run finds it there for the other."""
    class_.hand_in(GOOD)
    class_.go("collect", "batch")
    class_.run("post", "mini", "--student", "s01", "--yes")
    assert "s00  already there" in class_.go("post")
    assert len(class_.texts()) == 1


@pytest.mark.ci
def test_killed_between_two_of_a_team(class_: Teams):
    """The text is there, and the second student's record of it is not: nothing is written twice."""
    class_.hand_in(GOOD)
    class_.go("collect", "batch", "post")
    with Store(class_.course / "results.db") as store, store.transaction():
        store._database.execute("DELETE FROM posted WHERE student = 's01'")
    assert "s01  already there" in class_.go("post")
    assert len(class_.texts()) == 1


def parts(text: str) -> dict[str, str]:
    """Return the grades in a text, which may be provisional, by their students."""
    return dict(re.findall(r"^For (.*)\n\n# Your .*grade for mini: (.*)", text, re.MULTILINE))


@pytest.mark.ci
def test_one_roster_names_the_teams_of_every_day(class_: Teams):
    """`{day}` in the column is the day that a command is about."""
    put(class_.course, "roster.csv", ROSTER.replace("duo", "{day}-duo").replace("Duo", "{day}-Duo"))
    assert "created course/mini-duo, invited s00" in class_.go("open")
    class_.github.repositories["course/mini-duo"].push({NOTEBOOK: notebook(GOOD)}, at=IN_TIME, actor="s01")

    class_.go("collect", "batch")

    assert class_.totals() == {"s00": 100, "s01": 100}
