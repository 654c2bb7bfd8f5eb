"""The results file: whole under `kill -9`, for two runs at once, and never another program's."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from students import results_in, told

from grader.errors import Refused
from grader.gradebook import database
from grader.gradebook.in_force import Override
from grader.gradebook.store import Listing, PostedText, PushRecord, Store
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn

SUPPORT = Path(__file__).resolve().parents[1] / "support"
WORK = HandedIn(
    "mini.py", "2025-12-01T10:00:00+00:00", True, "org/ada", "c" * 40, ("workflow edited",), "ada"
)
WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from students import by, told
from grader.gradebook.store import Store
from grader.submissions.states import Unreached
from grader.submissions.work import HandedIn
with Store(Path(sys.argv[1]), create=True) as store:
    for number in range(int(sys.argv[3]), int(sys.argv[4])):
        store.keep("key", by(f"s{number:03}", HandedIn("mini.py")), told({"double": 10}))
        print(number, flush=True)
"""


def writer(path: Path, first: int, last: int) -> subprocess.Popen:
    """A process that keeps results one by one and says so."""
    words = [sys.executable, "-c", WRITER, str(path), str(SUPPORT), str(first), str(last)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


def test_what_is_kept_comes_back(path):
    """The store keeps the whole report and the facts about the work."""
    report = told({"double": 10, "box": 3})
    with Store(path, create=True) as store:
        assert store.keep("k1", WORK, report)
    with Store(path) as store:
        (result,) = results_in(store, "mini")
    assert (result.student, result.key, result.work, result.report) == ("ada", "k1", WORK, report)


def test_the_last_grading_counts_and_none_is_lost(path):
    """A regrade makes a row of its own; what was before can be looked up."""
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 0}))
        store.keep("k2", WORK, told({"double": 10}))
        assert [result.report.score for result in results_in(store, "mini")] == [10]
    rows = sqlite3.connect(path).execute("SELECT score FROM results ORDER BY id").fetchall()
    assert rows == [(0.0,), (10.0,)]


def test_the_same_grading_is_kept_once(path):
    """Two runs at once grade the same: the first one's result stays, unless a regrade is asked for."""
    with Store(path, create=True) as store:
        assert store.keep("k1", WORK, told({"double": 10}))
        assert not store.keep("k1", WORK, told({"double": 10}))
        assert store.keep("k1", WORK, told({"double": 10}), again=True)
        assert store._rows("SELECT count(*) FROM results") == [(2,)]


def test_what_could_not_be_graded_is_not_done(path):
    """The grader's own fault is tried again; it is no result that stays."""
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 0}, score=None))
        assert store.gradings_of("mini", "ada") == {}
        assert store.keep("k1", WORK, told({"double": 10}))
        assert store.gradings_of("mini", "ada") == {"last": ("k1", WORK)}


def test_facts_change_without_grading(path):
    """The same file pushed again, later: nothing to grade, but the time is another one."""
    later = HandedIn("mini.py", "2025-12-03T10:00:00+00:00", student="ada")
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 10}))
        store.keep_facts("mini", later)
        assert store.gradings_of("mini", "ada") == {"last": ("k1", later)}


def test_words_and_posts_come_back(path, snapshot):
    """Every text of a person is kept with its date; of posted grades the last one."""
    first = Override("mini", "points", "half of it is right", "Grace <grace@example.org>", "ada", "box", 5.0)
    second = Override("mini", "points", "no, it was right", "Grace", "ada", "box", withdrawn=True)
    with Store(path, create=True) as store:
        store.keep_override(first)
        store.keep_override(second)
        for sha in "ab":
            store.keep_posted("mini", PostedText("ada", "org/ada#1", sha * 64, "{}"))
        kept, posted = store.overrides("mini"), store.posted_texts("mini")
    assert [(d.points, d.withdrawn, d.why) for d in kept] == snapshot
    assert all(d.at.endswith("+00:00") for d in kept)
    assert (list(posted), posted["ada"].sha256) == (["ada"], "b" * 64)


def test_assignments_do_not_mix(path):
    """One file may hold all of them."""
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 10}))
        store.keep("k2", WORK, told({"double": 0}, "maxi"))
        assert store.assignments() == ["maxi", "mini"]
        assert [result.report.score for result in results_in(store, "maxi")] == [0]


# --- Killed, and several at once


def test_killed_at_any_moment_what_was_kept_is_there(path):
    """`kill -9` in the middle of a hundred results: each that was said to be kept is there, whole."""
    running = writer(path, 0, 100)
    said = [running.stdout.readline() for _ in range(7)][-1]
    running.send_signal(signal.SIGKILL)
    said = (running.communicate()[0].split() or [said])[-1]
    with Store(path) as store:
        students = [result.student for result in results_in(store, "mini")]
    assert len(students) in (int(said) + 1, int(said) + 2)  # one may be kept and not said
    assert store_is_sound(path)


def test_two_runs_at_once_lose_nothing(path):
    """Both write to a file that neither has found; every result is there."""
    runs = [writer(path, 0, 24), writer(path, 16, 40), writer(path, 40, 48)]
    assert [run.wait(60) for run in runs if run.communicate() or True] == [0, 0, 0]
    with Store(path) as store:
        assert len(store.students("mini")) == 48
        assert store._rows("SELECT count(*) FROM results") == [(48,)]


def test_when_all_have_ended_it_is_one_file(path):
    """It may be copied and sent: nothing is beside it."""
    writer(path, 0, 3).communicate()
    assert [file.name for file in path.parent.iterdir()] == ["results.db"]


def test_who_waits_too_long_is_told(path, monkeypatch):
    """Another run holds the file and does not let go."""
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    waits = pytest.raises(Refused, match="another run has been writing")
    with Store(path, create=True) as store, store.transaction(), Store(path) as other, waits:
        other.keep("k1", WORK, told({"double": 10}))


def store_is_sound(path: Path) -> bool:
    return sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


# --- Whom hidden checks answered


def test_answers_come_back(path):
    """Of each student the last one, and how the list of repositories was known when it was read."""
    seen, later = PushRecord("ada", 7, "2025-12-01T10:00:00Z"), "2025-12-01T11:00:00Z"
    with Store(path, create=True) as store:
        assert (store.answers("mini"), store.listing("mini", "course")) == ({}, Listing())
        store.keep_listing("mini", "course", Listing('W/"1"', later), [seen, PushRecord("bob", 8)])
        told_ada = PushRecord("ada", 7, later, later, "c" * 40, "2025-12-01", 1)
        store.keep_answer("mini", told_ada)
        store.keep_listing("mini", "Course", Listing('W/"2"', later), [])
    with Store(path) as store:
        assert store.answers("mini") == {"ada": told_ada, "bob": PushRecord("bob", 8)}
        assert store.listing("mini", "COURSE") == Listing('W/"2"', later)
        assert store.answers("next") == {}


# --- Versions and strangers


def test_a_file_of_an_early_version_is_refused(path, snapshot):
    """The error names the remedy, and the file stays as it was."""
    Store(path, create=True).__exit__()
    with sqlite3.connect(path) as file:
        file.execute(f"PRAGMA user_version = {database.OLDEST - 1}")
    file.close()
    before = path.read_bytes()
    with pytest.raises(Refused) as refused:
        Store(path, create=True)
    assert str(refused.value) == snapshot
    assert path.read_bytes() == before


@pytest.fixture
def of_version_7(path):
    """A file that the last version with these tables wrote, with a row in each of them."""
    with sqlite3.connect(path) as file:
        file.executescript((Path(__file__).parent / "results_7.sql").read_text(encoding="utf-8"))
    file.close()
    return path


def rows_of(path, *tables):
    """Every value of these tables, by table and column."""
    with sqlite3.connect(path) as file:
        file.row_factory = sqlite3.Row
        found = {table: [dict(row) for row in file.execute(f"SELECT * FROM {table}")] for table in tables}
    file.close()
    return found


def test_a_file_of_version_7_is_brought_up_to_date(of_version_7):
    """Nothing is lost; what had a strange place among the posted texts has a table of its own."""
    same = (
        "runs",
        "results",
        "submissions",
        "absent",
        "handed_out",
        "overrides",
        "answers",
        "listings",
        "identity",
    )
    before, posted = rows_of(of_version_7, *same), rows_of(of_version_7, "posted")["posted"]

    Store(of_version_7).__exit__()

    now = rows_of(of_version_7, *same)
    for table, rows in before.items():
        known = {*rows[0]} if rows else set()
        assert [{name: row[name] for name in known} for row in now[table]] == rows
    after = rows_of(of_version_7, "posted", "files", "pending")
    assert after["posted"] == [row for row in posted if row["assignment"] == "mini"]
    pending = [
        (row["student"], row["sha256"], row["at"]) for row in posted if row["assignment"] == "mini, to post"
    ]
    assert [(row["student"], row["sha256"], row["at"]) for row in after["pending"]] == pending
    assert len(pending) == 4
    files = [(row["sha256"], row["place"], row["at"]) for row in posted if row["assignment"] == "mini, files"]
    assert [(row["sha256"], row["path"], row["at"]) for row in after["files"]] == files
    assert len(files) == 3


def test_a_file_that_was_brought_up_to_date_is_as_a_new_one(of_version_7, tmp_path):
    """The same tables, so that no code asks which it has."""
    Store(of_version_7).__exit__()
    Store(tmp_path / "new.db", create=True).__exit__()

    texts = []
    for path in (of_version_7, tmp_path / "new.db"):
        with sqlite3.connect(path) as file:
            version = file.execute("PRAGMA user_version").fetchall()
            tables = file.execute(
                "SELECT name, sql FROM sqlite_schema WHERE sql != '' ORDER BY name"
            ).fetchall()
            texts.append((version, {name: sql.replace('"', "") for name, sql in tables}))
        file.close()
    assert texts[0] == texts[1]


def test_two_runs_bring_one_file_up_to_date(of_version_7):
    """The second waits, and finds it done; what both keep is there, beside what was."""
    runs = [writer(of_version_7, 0, 6), writer(of_version_7, 6, 12)]
    assert [run.wait(60) for run in runs if run.communicate() or True] == [0, 0]
    with Store(of_version_7) as store:
        assert len(store.students("mini")) == 4 + 12
        assert store._number("user_version") == database.VERSION
    assert store_is_sound(of_version_7)


def test_a_step_that_fails_changes_nothing(of_version_7, monkeypatch):
    """All of it or none: the file of before opens again."""
    steps = {**database.STEPS, 99: "CREATE TABLE more (a TEXT);\nINSERT INTO nowhere VALUES (1)"}
    before = rows_of(of_version_7, "posted", "sqlite_schema")
    with monkeypatch.context() as patch:
        patch.setattr(database, "STEPS", steps)
        patch.setattr(database, "VERSION", 99)
        with pytest.raises(Refused, match="no such table: nowhere"):
            Store(of_version_7)
    assert rows_of(of_version_7, "posted", "sqlite_schema") == before


def test_two_versions_of_a_students_work(path):
    """Each is kept and replaced by itself; forgotten and dropped is what should be."""
    later = HandedIn("mini.py", "2025-12-03T10:00:00+00:00", True, "org/ada", "d" * 40, student="ada")
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 10}), version="in_time")
        store.keep("k2", later, told({"double": 0}))
        assert store.students("mini") == ["ada"]
        assert store.gradings_of("mini", "ada") == {"last": ("k2", later), "in_time": ("k1", WORK)}
        store.keep_facts("mini", later, version="in_time")
        assert store.gradings_of("mini", "ada")["in_time"] == ("k1", later)
        store.drop_in_time("mini", "ada")
        assert [result.version for result in results_in(store, "mini")] == ["last"]
        store.keep("k1", WORK, told({"double": 10}), version="in_time")
        store.keep_override(Override("mini", "forget", "a mix-up", "Grace", "ada"))
        assert store.students("mini") == []


def test_a_later_versions_file_is_left_alone(path, monkeypatch):
    """An old grader in a job must not write into what it does not know."""
    with monkeypatch.context() as patch:
        patch.setattr(database, "VERSION", database.VERSION + 1)
        Store(path, create=True).__exit__()
    before = path.read_bytes()
    with pytest.raises(Refused, match="a later version of Backgrade wrote it; update with pip"):
        Store(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(path):
    """A browser's history has the same format."""
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE visits (a TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(Refused, match="this is another program's database; name another file"):
        Store(path, create=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("make", "told_of"),
    [
        (lambda path: None, "no such results file; `grade batch` creates one"),
        (lambda path: path.mkdir(), "this is a folder; name the results file"),
        (lambda path: path.write_text("student,points\n" * 100), "not a results file, or a damaged one"),
    ],
)
def test_what_is_no_file_of_results(path, make, told_of):
    """Each with what to do."""
    make(path)
    with pytest.raises(Refused, match=told_of):
        Store(path)


def test_a_folder_that_is_not_there(tmp_path):
    """The new file has nowhere to be."""
    with pytest.raises(Refused, match="it cannot be written there"):
        Store(tmp_path / "nowhere" / "results.db", create=True)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE submissions SET submitted = 'yesterday'",
        "UPDATE submissions SET submitted = '2025-12-01'",
        "UPDATE submissions SET notes = 'edited'",
        "UPDATE submissions SET notes = '{}'",
    ],
)
def test_what_somebody_typed_into_it(path, edit):
    """In a viewer of databases: the student is named, whoever asks."""
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 10}))
    with sqlite3.connect(path) as file:
        file.execute(edit)
    file.close()
    with Store(path) as store:
        for ask in (lambda day: store.gradings_of(day, "ada"), lambda day: results_in(store, day)):
            with pytest.raises(
                Refused,
                match=r"the entry about the work of ada is damaged \(.*\); restore an earlier copy of the file",
            ):
                ask("mini")


def test_a_table_is_gone(path):
    """Dropped in a viewer: it is not the disk's fault, nor the network's."""
    with Store(path, create=True) as store:
        store.keep("k1", WORK, told({"double": 10}))
    with sqlite3.connect(path) as file:
        file.execute("DROP TABLE overrides")
    file.close()
    with (
        Store(path) as store,
        pytest.raises(
            Refused, match="no such table: overrides; its tables were changed, restore an earlier copy"
        ),
    ):
        store.overrides("mini")


def test_a_day_without_a_result_is_no_other_day(tmp_path: Path, snapshot):
    """A class of whom nobody's work was reached has results of no day, least of all of one with the same name."""
    with Store(tmp_path / "results.db", create=True) as store:
        store.keep_absent("mini", "ada", Unreached("the invitation was not accepted"))
        assert str(store.no_results("mini")) == snapshot


def test_an_override_that_somebody_else_has_replaced(tmp_path):
    """Nothing is kept if it would replace one that its author has not seen."""
    one = Override("mini", "points", "first", "Grace", "ada", "essay", 5.0)
    with Store(tmp_path / "results.db", create=True) as store:
        store.add_overrides([one], seen=set())
        (kept,) = store.overrides("mini")
        with pytest.raises(Refused, match="Grace changed this in the meantime; nothing was saved"):
            store.add_overrides([replace(one, student="bob"), one], seen=set())
        store.add_overrides([replace(one, points=6.0)], seen={kept.uid})
        assert [each.points for each in store.overrides("mini")] == [5.0, 6.0]


def test_an_assignment_without_a_result_is_not_named_as_one_with_results(path, snapshot):
    """One student could not be reached, and no other work was graded."""
    with Store(path, create=True) as store:
        store.keep_absent("mini", "dan", Unreached("the invitation was not accepted"))

        assert str(store.no_results("this course")).removeprefix(str(path)) == snapshot
