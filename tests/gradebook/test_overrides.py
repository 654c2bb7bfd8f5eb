"""`grade override`: who decides what of a grade and why; the list of it, and what is refused."""

import shutil

import pytest
from minicourse import put
from recorded import IN_TIME_TOO, grades, override, results
from students import by, told

from grader.assignment import Course
from grader.errors import Refused
from grader.gradebook.overrides import (
    read_points,
    say_all,
    who,
)
from grader.gradebook.store import Store


def test_the_newest_word_counts_and_can_be_taken_back(mini):
    """Twice decided, then withdrawn; what was said stays in the list."""
    override(mini, "points", "bob", "box", "5")
    override(mini, "points", "bob", "box", "6")
    assert grades(mini)["bob"].checks["box"] == 6
    override(mini, "undo", "points", "bob", "box")
    assert grades(mini)["bob"].checks["box"] == 0
    with pytest.raises(Refused, match="bob box: mini has no override of the kind `points` to undo"):
        override(mini, "undo", "points", "bob", "box")


def test_everything_that_was_decided_is_listed(mini, capsys, snapshot):
    """Who, when, why, the oldest first."""
    override(mini, "points", "bob", "box", "5", why="half")
    override(mini, "void", "double", why="wrong")
    override(mini, "undo", "points", "bob", "box", why="no")
    capsys.readouterr()
    say_all(mini.course, results(mini), None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[2] for line in lines] == snapshot


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (
            ("points", "bod", "box", "5"),
            {},
            r"`bod` is none of the 2 students of mini in \S+ \(did you mean `bob`\?\)",
        ),
        (("points", "bob", "bax", "5"), {}, r"no check of `mini` is called `bax` \(did you mean `box`\?\)"),
        (("comment", "bod", "box"), {}, r"`bod` is none of the 2 students of mini"),
        (("comment", "bob", "bax"), {"day": "mini"}, r"mini has no check `bax`"),
        (("excuse", "bod"), {}, r"`bod` is none of the 2 students of mini"),
        (("forget", "bod"), {}, r"`bod` is none of the 2 students of mini"),
        (("undo", "points", "bob", "bax"), {}, r"no check of `mini` is called `bax`"),
        (
            ("points", "bob", "box", "61"),
            {},
            r'"61" cannot be the points of `box`: write a number from 0 to 10,',
        ),
        (("points", "bob", "box", "nan"), {}, r'"nan" cannot be the points of `box`'),
        (
            ("points", "bob", "box", "1e-9"),
            {},
            r'"1e-9" cannot be .* with at most two decimal places',
        ),
        (
            ("points", "bob", "box", "5"),
            {"why": " "},
            r"--why: this text is empty or too long; give a reason of at most 1,000 characters",
        ),
        (("undo", "points", "box"), {}, r"write `grade override undo points STUDENT CHECK --why TEXT`"),
        (("undo", "excuse", "bob", "box"), {}, r"write `grade override undo excuse STUDENT --why TEXT`"),
    ],
)
def test_what_is_no_word(mini, words, options, message):
    """No override is made; the error has the nearest name, the range or the form."""
    with pytest.raises(Refused, match=message):
        override(mini, *words, **options)
    with Store(results(mini)) as store:
        assert store.overrides("mini") == []


@pytest.mark.parametrize(
    ("text", "points"), [("0", 0), ("0.5", 0.5), ("8.25", 8.25), ("10", 10), ("10.0", 10), (" 3 ", 3)]
)
def test_points_in_a_text(text, points):
    """None, all, and what is in between, to a hundredth."""
    assert read_points(text, 10, "box") == points


@pytest.mark.parametrize("text", ["ten", "", "-0.5", "-1", "10.01", "11", "inf", "0.001", "8.125"])
def test_what_are_no_points(text):
    """A word is not 0 points, nor are there points below it."""
    with pytest.raises(
        Refused,
        match="cannot be the points of `box`: write a number from 0 to 10, with at most two decimal places",
    ):
        read_points(text, 10, "box")


@pytest.mark.parametrize("word", [("points", "bob", "box", "5"), ("comment", "bob", "box"), ("void", "box")])
def test_the_day_of_a_check_is_not_guessed(mini, word):
    """Two days have one of this name. That something was decided on one day does not make it the day that is meant."""
    for place in ("assignments", "solutions"):
        shutil.copytree(mini.course.root / place / "mini", mini.course.root / place / "mini2")
    mini = Course(mini.course.root).assignment("mini")
    with Store(results(mini)) as store:
        store.keep("k1", by("bob", IN_TIME_TOO), told({"double": 10, "box": 0}, "mini2"))
    override(mini, *word, day="mini")
    with pytest.raises(
        Refused, match="the file has results of `mini`, `mini2`; choose one, as with `--day mini`"
    ):
        override(mini, *word)


@pytest.mark.parametrize(
    ("settings", "author"),
    [
        ("[user]\nname = Grace\nemail = grace@uni.edu\n", "Grace <grace@uni.edu>"),
        ("[user]\nname = Grace\n", "Grace"),
        ("[user]\nemail = grace@uni.edu\n", "account"),
        ("", "account"),
    ],
)
def test_who_says_it(tmp_path, monkeypatch, settings, author):
    """The name that git has, else that of the account."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(put(tmp_path, "gitconfig", settings)))
    monkeypatch.setattr("getpass.getuser", lambda: "account")
    assert who() == author


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_nobody_knows_who_says_it(tmp_path, monkeypatch, error):
    """Neither git nor a name of the account is there."""

    def getuser():
        raise error

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", getuser)
    assert who() == "unknown"
