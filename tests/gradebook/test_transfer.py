"""The table of overrides: it travels between results files."""

import csv
import re
import sqlite3

import pytest
from helpers import grade
from minicourse import add_second
from msgspec.structs import replace
from students import by, told

from grader.gradebook.in_force import Override
from grader.gradebook.store import Store
from grader.submissions.work import HandedIn

EARLY, LATE = "2025-12-01T10:00:00+00:00", "2025-12-02T10:00:00+00:00"


@pytest.fixture
def mini(graded_class, tmp_path):
    """A course, and two files with the results of the same class."""
    assignment = graded_class.take(tmp_path / "course", "ada", "bob")
    with Store(assignment.course.root / "other.db", create=True) as store:
        graded_class.keep(store, "ada", "bob")
    return assignment


def run(mini, *words):
    """A command, in the course's folder."""
    return grade(*words, cwd=mini.course.root)


def words_of(mini, name="results.db"):
    """The overrides of a file, without the ids that they have there."""
    with Store(mini.course.root / name) as store:
        return [replace(one, uid="", replaces="") for one in store.overrides("mini")]


def dated(mini, name, at):
    """The overrides of a file as if they were of that time."""
    with Store(mini.course.root / name) as store:
        store._database.execute("UPDATE overrides SET at = ?", (at,))


def exported(mini, file="results.db", name="overrides.csv"):
    return run(mini, "override", "table", name, "--export", "-r", file)


def test_overrides_travel(mini, snapshot):
    """Every kind, with author and time; a second import adds nothing."""
    ran = run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    assert ran.out == snapshot
    run(mini, "override", "void", "double", "--why", "it was wrong")
    run(mini, "override", "undo", "void", "double", "--why", "it was right")
    run(mini, "override", "excuse", "bob", "--why", "ill")
    run(mini, "override", "void", "--forget", "bob", "--why", "the wrong folder")
    run(mini, "override", "comment", "ada", "box", "why " * 500)
    with Store(mini.course.root / "results.db") as store:
        store.keep_override(Override("mini", "final", "grade post --final", "Grace"))
    ran = exported(mini)
    assert (ran.code, ran.out) == (0, "7 overrides in overrides.csv\n")

    ran = run(mini, "override", "--results", "other.db", "table", "overrides.csv")
    assert ran.code == 0, ran.text
    assert ran.out == snapshot
    assert words_of(mini, "other.db") == words_of(mini)
    again = run(mini, "override", "table", "overrides.csv", "--results", "other.db")
    assert again.out == snapshot
    assert words_of(mini, "other.db") == words_of(mini)
    assert exported(mini, "other.db", "back.csv").code == 0
    assert bytes_of(mini, "back.csv") == bytes_of(mini, "overrides.csv")


def bytes_of(mini, name):
    return (mini.course.root / name).read_bytes()


REASONS = [
    "=1+1",
    "'=1+1",
    "''-x",
    "+5",
    "-3,5",
    "'+5",
    'a, "b"; =c',
    "a,'@b",
    "＝1",
    "|| - a",
    "x' =1",
    "\x1bred",
]
WAYS = [
    *(("comment", student, check) for student in ("ada", "bob") for check in ("double", "box")),
    *(("points", student, check, "1", "--why") for student in ("ada", "bob") for check in ("double", "box")),
    *(("excuse", student, "--why") for student in ("ada", "bob")),
    *(("void", check, "--why") for check in ("double", "box")),
]


def test_reasons_travel_as_they_are(mini):
    """No spreadsheet finds a formula in the table, and nothing of a text is lost."""
    for words, why in zip(WAYS, REASONS, strict=True):
        assert run(mini, "override", *words, why).code == 0
    assert exported(mini).code == 0
    with (mini.course.root / "overrides.csv").open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            assert not re.match(r"[=+@-](?!\d)", line["why"] + line["comment"])
    assert run(mini, "override", "table", "overrides.csv", "-r", "other.db").code == 0
    assert words_of(mini, "other.db") == words_of(mini)
    assert [one.why for one in words_of(mini)] == [why.replace("\x1b", " ").strip() for why in REASONS]


def test_what_agrees_is_no_conflict(mini, snapshot):
    """The same points for another reason, and the same comment."""
    for file, why in (("results.db", "half of it"), ("other.db", "5 of 10")):
        run(mini, "override", "points", "ada", "box", "5", "--why", why, "-r", file)
        run(mini, "override", "comment", "ada", "box", "well done", "-r", file)
    dated(mini, "other.db", EARLY)
    exported(mini, "other.db")
    ran = run(mini, "override", "table", "overrides.csv")
    assert ran.out == snapshot


def test_a_conflict_is_told_and_neither_counts(mini, snapshot):
    """Whichever file it is in, and whenever it is brought together, until somebody decides."""
    run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    run(mini, "override", "comment", "ada", "box", "short")
    run(mini, "override", "points", "ada", "box", "7", "--why", "more than half", "-r", "other.db")
    run(mini, "override", "comment", "ada", "box", "long", "-r", "other.db")
    dated(mini, "results.db", LATE)
    dated(mini, "other.db", EARLY)
    exported(mini, "other.db")
    ran = run(mini, "override", "table", "overrides.csv")
    assert ran.out == snapshot
    assert [word.points for word in words_of(mini)] == [7, None, 5, None]
    assert force(mini).points == {}
    run(mini, "override", "points", "ada", "box", "6", "--why", "between")
    assert [one.points for one in force(mini).points.values()] == [6]


def force(mini):
    """The overrides in force."""
    with Store(mini.course.root / "results.db") as store:
        return store.in_force("mini")


def test_lines_by_hand(mini, snapshot):
    """Any kind may be written into a table; its author is whoever reads it in."""
    text = "kind,student,check,points,why\nvoid,,box,,it was wrong\nexcuse,bob,,,ill\npoints,ada,double,3,late idea\n"
    (mini.course.root / "mine.csv").write_text(text)
    ran = run(mini, "override", "table", "mine.csv")
    assert ran.code == 0, ran.text
    assert [(one.kind, one.student, one.check, one.points, one.why) for one in words_of(mini)] == [
        ("void", "", "box", None, "it was wrong"),
        ("excuse", "bob", "", None, "ill"),
        ("points", "ada", "double", 3, "late idea"),
    ]
    again = run(mini, "override", "table", "mine.csv")
    assert again.out == snapshot
    (mini.course.root / "back.csv").write_text("kind,student,check,why\nundo void,,box,it was right\n")
    assert run(mini, "override", "table", "back.csv").code == 0
    assert words_of(mini)[-1].withdrawn


def test_a_file_is_never_overwritten(mini, snapshot):
    """Nor are somebody's overrides lost by it."""
    (mini.course.root / "overrides.csv").write_text("mine")
    ran = exported(mini)
    assert ran.code == 2
    assert ran.err == snapshot
    assert (mini.course.root / "overrides.csv").read_text() == "mine"


GOOD = {"day": "mini", "kind": "points", "student": "ada", "check": "box", "points": "5", "why": "x", "who": "y", "when": EARLY}  # fmt: skip


def table_of(mini, line):
    with (mini.course.root / "f.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, line)
        writer.writeheader()
        writer.writerow(line)
    return run(mini, "override", "table", "f.csv")


WRONG = [
    ({"day": "mimi"}, "`mimi` is not an assignment of this course (did you mean `mini`?)"),
    (
        {"points": ""},
        '"" cannot be the points of `box`: write a number from 0 to 1000000, with at most two decimal places',
    ),
    ({"points": "-1"}, '"-1" cannot be the points of `box`'),
    ({"points": "1e7"}, '"1e7" cannot be the points of `box`'),
    ({"points": "inf"}, '"inf" cannot be the points of `box`'),
    ({"why": " "}, "why: this text is empty or too long; "),
    ({"why": "x" * 2_000}, "why: this text is empty or too long; "),
    ({"who": "x" * 201}, "a name has at most 200 characters"),
    ({"who": ""}, "`who` needs a name"),
    ({"when": "2025-12-01T10:00:00"}, "which is not a time in UTC"),
    ({"when": "2025-12-01T10:00:00+02:00"}, "which is not a time in UTC"),
    ({"when": "2025-12-01T10:00:00.5+00:00"}, "which is not a time in UTC"),
    ({"when": "0001-01-01T00:00:00+02:00"}, "which is not a time in UTC"),
    ({"when": "yesterday"}, "`when` is 'yesterday', which is not a time in UTC"),
    (
        {"kind": "comment", "comment": "good", "why": ""},
        "clear the cell `points`: an override of the kind `comment` has no points",
    ),
    (
        {"kind": "void", "student": "", "points": "", "comment": "good"},
        "clear the cell `comment`: an override of the kind `void` has no comment",
    ),
    ({"kind": ""}, "the cell `kind` is empty; the line has a time, so it needs a kind"),
    (
        {"kind": "magic"},
        "`kind` is `magic`; write points, comment, void, excuse, forget, final, request, or `undo KIND`",
    ),
    ({"kind": "voids"}, "(did you mean `void`?)"),
    (
        {"kind": "void", "points": ""},
        "clear the cell `student`: an override of the kind `void` has no student",
    ),
    ({"check": ""}, "the cell `check` is empty; fill it in or remove the line"),
    ({"when": "", "kind": "final"}, "`final` has no `when`; `grade post DAY --final` declares grades final"),
    ({"when": "", "points": "111"}, '"111" cannot be the points of `box`'),
    ({"when": "", "kind": "excuse"}, "clear the cell `check`: an override of the kind `excuse` has no check"),
    (
        {"when": "", "kind": "undo points"},
        "clear the cell `points`: an override of the kind `undo points` has no points",
    ),
]


@pytest.mark.parametrize(("more", "told_of"), WRONG)
def test_a_wrong_line(mini, more, told_of):
    """One sentence, and nothing is added."""
    ran = table_of(mini, GOOD | more)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "grade: f.csv, line 2: " in ran.err
    assert told_of in ran.err
    assert ran.err.endswith("; nothing was changed\n")
    assert words_of(mini) == []


@pytest.mark.parametrize(
    "more",
    [
        {"points": "0"},
        {"points": "0.25"},
        {"why": "x" * 1_000},
        {"kind": "comment", "points": "", "comment": "x" * 3_000, "why": ""},
        {"student": "x" * 200, "check": "y" * 200, "who": "z" * 200},
    ],
)
def test_a_line_with_the_largest_and_the_least(mini, more):
    """What may be said here may be said there; a check may be gone, and a student."""
    line = GOOD | more
    ran = table_of(mini, line)
    assert ran.code == 0, ran.text
    (one,) = words_of(mini)
    assert (one.student, one.check, one.who, one.at) == (line["student"], line["check"], line["who"], EARLY)
    assert one.points == (float(line["points"]) if line["points"] else None)
    assert one.why == (line.get("comment") or line["why"])


def test_a_mistyped_subcommand(mini):
    """The nearest one is named."""
    assert "(did you mean `excuse`?)" in run(mini, "override", "excuze", "ada").err


def test_what_a_line_of_the_list_has(mini, snapshot):
    """When, about what, how many points, why and who; none is a number of points, too."""
    run(mini, "override", "points", "ada", "box", "0", "--why", "copied")
    dated(mini, "results.db", EARLY)
    assert run(mini, "override").out == snapshot


@pytest.mark.parametrize("words", [("--day", "mimi"), ("table", "f.csv", "--export", "--day", "mimi")])
def test_a_day_that_is_not_there(mini, words):
    """A name that was mistyped is no day without overrides."""
    run(mini, "override", "void", "box", "--why", "it was wrong")
    ran = run(mini, "override", *words)
    assert ran.code == 2
    assert "mini" in ran.err
    assert not (mini.course.root / "f.csv").exists()


@pytest.mark.parametrize("words", [(), ("box", "--forget", "bob")])
def test_void_takes_a_check_or_a_student(mini, words, snapshot):
    """Not both, and not neither."""
    ran = run(mini, "override", "void", *words, "--why", "x")
    assert ran.code == 2
    assert ran.err == snapshot


def test_a_table_is_about_the_day_of_the_command(mini, snapshot):
    """Its lines name no day, and two days have results."""
    add_second(mini.course.root, "next", "x = 1\n")
    with Store(mini.course.root / "results.db") as store:
        store.keep("k1", by("ada", HandedIn("next.py")), told({"double": 10, "box": 0}, "next"))
    (mini.course.root / "f.csv").write_text("student,check,points\nada,box,5\n", encoding="utf-8")
    assert run(mini, "override", "table", "f.csv").err == snapshot
    assert run(mini, "override", "table", "f.csv", "--day", "mini").code == 0
    assert [(one.student, one.check, one.points) for one in words_of(mini)] == [("ada", "box", 5)]


# --- Copies


def test_each_file_has_an_id_that_its_copies_share(mini):
    """By which a grade is known that another file posted. SQLite copies the file, also while another run writes."""
    with sqlite3.connect(mini.course.root / "results.db") as database:
        database.execute("VACUUM INTO ?", (str(mini.course.root / "copy.db"),))
    ids = []
    for name in ("results.db", "copy.db", "other.db"):
        with Store(mini.course.root / name) as store:
            ids.append(store.identity)
    assert ids[0] == ids[1] != ids[2]
    assert [len(one) for one in ids] == [16] * 3
