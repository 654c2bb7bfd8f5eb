"""Overrides that travel between results files, and copies of such a file."""

import json
import stat

import pytest
from helpers import grade
from students import by, course, told

from grader.gradebook.store import Store
from grader.submissions.work import HandedIn

EARLY, LATE = "2026-12-01T10:00:00+00:00", "2026-12-02T10:00:00+00:00"


@pytest.fixture
def mini(tmp_path):
    """A course, and two files with the results of the same class."""
    assignment = course(tmp_path / "course")
    for name in ("results.db", "other.db"):
        with Store(assignment.course.root / name, create=True) as store:
            for student in ("ada", "bob"):
                store.keep("k1", by(student, HandedIn("mini.py")), told({"double": 10, "box": 0}))
    return assignment


def run(mini, *words):
    """A command, in the course's folder."""
    return grade(*words, cwd=mini.course.root)


def words_of(mini, name="results.db"):
    with Store(mini.course.root / name) as store:
        return store.overrides("mini")


def dated(mini, name, at):
    """The overrides of a file as if they were of that time."""
    with Store(mini.course.root / name) as store:
        store._database.execute("UPDATE overrides SET at = ?", (at,))


def test_comments_travel(mini):
    """They are longer than reasons may be. Two that differ are named, and the newer one counts."""
    long = "why " * 500
    run(mini, "override", "comment", "ada", "box", long)
    dated(mini, "results.db", EARLY)
    run(mini, "override", "comment", "ada", "box", "short", "--results", "other.db")
    dated(mini, "other.db", LATE)
    run(mini, "override", "export", "overrides.json")
    ran = run(mini, "override", "import", "overrides.json", "--results", "other.db")
    assert ran.code == 0, ran.text
    assert "two overrides differ; the newer one counts: ada box comment, " in ran.out
    assert [(d.kind, d.why) for d in words_of(mini, "other.db")] == [
        ("comment", long.strip()),
        ("comment", "short"),
    ]


def test_overrides_travel(mini):
    """With author and time; a second import adds nothing."""
    ran = run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    assert ran.out.endswith("\nNext: grade post mini --dry-run\n")
    run(mini, "override", "void", "double", "--why", "it was wrong")
    run(mini, "override", "undo", "void", "double", "--why", "it was right")
    ran = run(mini, "override", "export", "overrides.json")
    assert (ran.code, ran.out) == (0, "3 overrides in overrides.json\n")

    ran = run(mini, "override", "--results", "other.db", "import", "overrides.json")
    assert ran.code == 0, ran.text
    assert ran.out == (
        "3 overrides added from overrides.json, 0 were there already\n"
        "Next: grade post mini --dry-run --results other.db\n"
    )
    assert words_of(mini, "other.db") == words_of(mini)
    again = run(mini, "override", "import", "overrides.json", "--results", "other.db")
    assert again.out == "0 overrides added from overrides.json, 3 were there already\n"
    assert words_of(mini, "other.db") == words_of(mini)


def test_what_agrees_is_no_conflict(mini):
    """The same points for another reason, and the same comment."""
    for file, why in (("results.db", "half of it"), ("other.db", "5 of 10")):
        run(mini, "override", "points", "ada", "box", "5", "--why", why, "-r", file)
        run(mini, "override", "comment", "ada", "box", "well done", "-r", file)
    dated(mini, "other.db", EARLY)
    run(mini, "override", "export", "other.json", "-r", "other.db")
    ran = run(mini, "override", "import", "other.json")
    assert ran.out == (
        "2 overrides added from other.json, 0 were there already\nNext: grade post mini --dry-run\n"
    )


def test_a_conflict_is_told_and_the_newer_one_counts(mini):
    """Whichever file it is in, and whenever it is brought together."""
    run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    run(mini, "override", "points", "ada", "box", "7", "--why", "more than half", "-r", "other.db")
    dated(mini, "results.db", LATE)
    dated(mini, "other.db", EARLY)
    ran = run(mini, "override", "export", "other.json", "-r", "other.db")
    assert ran.out == "1 override in other.json\n"
    ran = run(mini, "override", "import", "other.json")
    assert "two overrides differ; the newer one counts: ada box 5 points, " in ran.out
    assert "2026-12-02 10:00; not ada box 7 points, " in ran.out
    assert [word.points for word in words_of(mini)] == [7, 5]


def test_a_file_is_never_overwritten(mini):
    """Nor are somebody's overrides lost by it."""
    (mini.course.root / "overrides.json").write_text("mine")
    ran = run(mini, "override", "export", "overrides.json")
    assert (ran.code, ran.err) == (2, "grade: overrides.json: this file is there already; name a new one\n")
    assert (mini.course.root / "overrides.json").read_text() == "mine"


GOOD = {"assignment": "mini", "kind": "points", "student": "ada", "check": "box", "points": 5.0, "why": "x", "who": "y", "at": EARLY}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("[]", "wrote no such file"),
        ("{", "wrote no such file"),
        ({"schema": "other", "overrides": []}, "this is 'other', not backgrade/overrides/v1"),
        (
            GOOD | {"assignment": "mimi"},
            "override 1: mimi is not an assignment of this course (did you mean `mini`?)",
        ),
        (GOOD | {"points": None}, "override 1: None is not a number of points"),
        (GOOD | {"points": -1}, "Expected `float` >= 0.0 - at `$.overrides[0].points`"),
        (GOOD | {"why": " "}, "override 1: `why` has 1 to 1000 characters"),
        (GOOD | {"why": "x" * 2_000}, "override 1: `why` has 1 to 1000 characters"),
        (GOOD | {"points": 1e7}, "Expected `float` <= 1000000.0 - at `$.overrides[0].points`"),
        (GOOD | {"points": float("inf")}, "wrote no such file"),
        (GOOD | {"who": "x" * 201}, "override 1: a name has at most 200 characters"),
        (GOOD | {"at": "2026-12-01T10:00:00"}, "which is not a time in UTC"),
        (GOOD | {"at": "2026-12-01T10:00:00+02:00"}, "which is not a time in UTC"),
        (GOOD | {"at": "2026-12-01T10:00:00.5+00:00"}, "which is not a time in UTC"),
        (GOOD | {"at": "0001-01-01T00:00:00+02:00"}, "which is not a time in UTC"),
        (GOOD | {"at": "yesterday"}, "override 1: `at` is 'yesterday', which is not a time in UTC"),
        (GOOD | {"kind": "forget"}, "override 1: `forget` is about the results of another file; take it out"),
        (GOOD | {"kind": "magic"}, "wrote no such file"),
    ],
)
def test_what_is_no_file_of_overrides(mini, text, told_of):
    """One sentence, and nothing is added."""
    if isinstance(text, dict):
        whole = text if "schema" in text else {"schema": "backgrade/overrides/v1", "overrides": [text]}
        text = json.dumps(whole)
    (mini.course.root / "f.json").write_text(text)
    ran = run(mini, "override", "import", "f.json")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "grade: f.json" in ran.err
    assert told_of in ran.err
    assert words_of(mini) == []


@pytest.mark.parametrize(
    "more",
    [
        {"points": 0.0},
        {"points": 0.25},
        {"why": "x" * 1_000},
        {"kind": "comment", "why": "x" * 3_000},
        {"student": "x" * 200, "check": "y" * 200, "who": "z" * 200},
    ],
)
def test_a_file_with_the_largest_and_the_least(mini, more):
    """What may be said here may be said there."""
    override = GOOD | more
    (mini.course.root / "f.json").write_text(
        json.dumps({"schema": "backgrade/overrides/v1", "overrides": [override]})
    )
    ran = run(mini, "override", "import", "f.json")
    assert ran.code == 0, ran.text
    assert [(d.points, d.why, d.who) for d in words_of(mini)] == [
        (override["points"], override["why"], override["who"])
    ]


def test_a_mistyped_subcommand(mini):
    """The nearest one is named."""
    assert "(did you mean `excuse`?)" in run(mini, "override", "excuze", "ada").err


def test_all_overrides(mini):
    """`list` says what no subcommand says too."""
    run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    listed = run(mini, "override", "list").out
    assert "ada box 5 points: half of it" in listed
    assert run(mini, "override").out == listed


def test_what_a_line_of_the_list_has(mini):
    """When, about what, how many points, why and who; none is a number of points, too."""
    run(mini, "override", "points", "ada", "box", "0", "--why", "copied")
    dated(mini, "results.db", EARLY)
    (word,) = words_of(mini)
    assert run(mini, "override").out == f"2026-12-01 10:00  mini  ada box 0 points: copied  ({word.who})\n"


@pytest.mark.parametrize("words", [("list",), ("export", "f.json")])
def test_a_day_that_is_not_there(mini, words):
    """A name that was mistyped is no day without overrides."""
    run(mini, "override", "void", "box", "--why", "it was wrong")
    ran = run(mini, "override", *words, "--day", "mimi")
    assert ran.code == 2
    assert "mini" in ran.err
    assert not (mini.course.root / "f.json").exists()


# --- Copies


def test_a_copy_on_request(mini):
    """Everything, under a new name, for whom the file itself is."""
    path = mini.course.root / "results.db"
    path.chmod(0o600)
    run(mini, "override", "points", "ada", "box", "5", "--why", "half of it")
    ran = run(mini, "backup", "before.db")
    assert (ran.code, ran.out) == (0, "results.db is copied to before.db\n")
    assert words_of(mini, "before.db") == words_of(mini)
    assert stat.S_IMODE((mini.course.root / "before.db").stat().st_mode) == 0o600
    ran = run(mini, "backup", "before.db")
    assert (ran.code, ran.err) == (2, "grade: before.db: this file is there already; name a new one\n")
    assert run(mini, "diff", "before.db", "results.db").code == 0


def test_each_file_has_an_id_that_its_copies_share(mini):
    """By which a grade is known that another file posted."""
    run(mini, "backup", "copy.db")
    ids = []
    for name in ("results.db", "copy.db", "other.db"):
        with Store(mini.course.root / name) as store:
            ids.append(store.identity)
    assert ids[0] == ids[1] != ids[2]
    assert [len(one) for one in ids] == [16] * 3
