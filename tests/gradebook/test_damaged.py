"""A results file that somebody edited, crafted or damaged: one clear line, whatever stands in it."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from oneclass import GradedClass
from sampled import every
from students import results_in

from grader.assignment import Assignment
from grader.cli import main
from grader.errors import Refused
from grader.gradebook.grade import grades_of
from grader.gradebook.in_force import Override
from grader.gradebook.store import Listing, PostedText, PushRecord, Store
from grader.submissions.states import Later, NoAccess, NotTaken, PushedNothing

NOON = "2025-12-01T12:00:00+00:00"
COLUMNS = {
    "results": ["run", "assignment", "student", "key", "score", "max_score", "outcome", "graded", "report"],
    "submissions": ["student", "version", "result", "name", "submitted", "verified", "repository", "commit_id", "notes", "kind", "state", "later", "not_taken"],
    "overrides": ["kind", "student", "check_id", "points", "withdrawn", "why", "who", "at"],
    "posted": ["student", "place", "sha256", "record", "at"],
    "pending": ["student", "sha256", "at"],
    "files": ["sha256", "path", "at"],
    "absent": ["student", "kind", "state"],
    "runs": ["command", "started", "ended", "suite", "works"],
    "handed_out": ["code"],
    "identity": ["id"],
    "answers": ["student", "repository", "seen", "done", "commit_id", "day", "count", "again"],
    "listings": ["organisation", "etag", "newest"],
}  # fmt: skip
NONSENSE = [None, 10.0**30, 10**18, -1, "nonsense", "", "9999-12-31T23:59:59+00:00", b"\xff", "{}"]
ASKED: list[Callable[[Store], Any]] = [
    lambda store: results_in(store, "mini"),
    lambda store: store.gradings_of("mini", "ada"),
    lambda store: store.gradings("mini", "ada"),
    lambda store: store.last_graded("mini"),
    lambda store: store.add_handed_out("mini", []),
    lambda store: store.absent("mini"),
    lambda store: store.assignments(),
    lambda store: store.overrides("mini"),
    lambda store: store.identity,
    lambda store: store.posted_texts("mini"),
    lambda store: store.files("mini"),
    lambda store: store.pending("mini"),
    lambda store: store.answers("mini"),
    lambda store: store.listing("mini", "org"),
]
COMMANDS = [
    "report mini --format csv",
    "report --all",
    "report mini --html page.html",
    "copies mini",
    "diff",
    "post mini --to feedback",
    "override",
    "override points ada double 2 --why x",
    "override table overrides.csv --export",
]


@pytest.fixture(scope="module")
def sound(graded_class: GradedClass, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assignment]:
    """A course with a file of results that has a row in every table, and tables that take any type."""
    assignment = graded_class.take(tmp_path_factory.mktemp("damaged") / "course")
    root = assignment.course.root
    facts = {
        "later": Later("2025-12-09T10:00:00+00:00", "2025-12-08T12:00:00+00:00", "b" * 40),
        "not_taken": (NotTaken("bob", NOON),),
        "state": PushedNothing("ada", "org/ada"),
        "student": "ada",
    }
    with Store(root / "sound.db", create=True) as store:
        with store.running("mini", "batch", "suite"):
            graded_class.keep(store, "bob", "cy")
            for one in graded_class.results_of("bo"):
                store.keep(one.key, replace(one.work, **facts), one.report, version=one.version)
        store.add_handed_out("mini", ["code"])
        store.keep_absent("mini", "kim", NoAccess("kim", "org/kim", NOON))
        store.keep_override(Override("mini", "points", "why", "me", "ada", "double", 3.0))
        store.keep_override(Override("mini", "comment", "why", "me", "bob", "box"))
        grade = next(iter(grades_of(assignment, store))).without_report
        store.keep_posted("mini", PostedText("ada", "org/ada#1", "ab", msgspec.json.encode(grade).decode()))
        store.keep_pending("mini", "ada", "ab")
        store.keep_files("mini", {"ab": "feedback/mini-ada.md"})
        store.keep_answer("mini", PushRecord("ada", 5, NOON, NOON, "a" * 40, NOON[:10], 1, NOON))
        store.keep_listing("mini", "org", Listing("etag", NOON), [])
    with sqlite3.connect(root / "sound.db", isolation_level=None) as file:
        file.execute("PRAGMA writable_schema = ON")
        for word, instead in (("STRICT, WITHOUT", "WITHOUT"), ("STRICT", ""), (" NOT NULL", "")):
            file.execute(
                "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table'", (word, instead)
            )
    file.close()
    return assignment


@pytest.fixture
def root(sound: Assignment, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the course, which is the current one."""
    monkeypatch.chdir(sound.course.root)
    return sound.course.root


def damage(root: Path, table: str, column: str, value: object) -> bool:
    """Write a value into every row; False if no row can have it."""
    for old in root.glob("results.db*"):
        old.unlink()
    shutil.copy(root / "sound.db", root / "results.db")
    file = sqlite3.connect(root / "results.db")
    try:
        file.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", [value])
        file.commit()
    except sqlite3.IntegrityError:
        return False
    finally:
        file.close()
    return True


def answers(root: Path) -> list[str]:
    """Ask every question of the file; return the refusals. Anything else that is raised fails the test."""
    refusals = []
    with Store(Path("results.db")) as store:
        for ask in ASKED:
            try:
                ask(store)
            except Refused as error:
                refusals.append(str(error))
    return refusals


def run(root: Path, command: str) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed."""
    for made in ("feedback", "page", "page.html", "overrides.json", "copy.db"):
        path = root / made
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    ran = CliRunner().invoke(main, command.split())
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.output


def refuse_badly(root: Path, what: object) -> None:
    """Fail if a question or a command ends in anything but an answer or one line that names the file."""
    for refusal in answers(root):
        assert refusal.startswith("results.db: "), what
        assert "\n" not in refusal
    for command in COMMANDS:
        code, output = run(root, command)
        if code not in (0, 1):
            assert (code, output.count("\n")) == (2, 1), (what, command, output)


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_of_a_table(root: Path, table: str):
    """Each with nonsense of every type: no question to the file ends in a traceback."""
    for column in COLUMNS[table]:
        for value in every(3, NONSENSE):
            if damage(root, table, column, value):
                for refusal in answers(root):
                    assert refusal.startswith("results.db: ")
                    assert "\n" not in refusal


@pytest.mark.whole
@pytest.mark.parametrize("table", COLUMNS)
def test_every_command(root: Path, table: str):
    """On the same files, each with one of three values in turn: an answer, or one line."""
    for column, value in zip(COLUMNS[table], itertools.cycle((10.0**30, "nonsense", b"\xff"))):
        if damage(root, table, column, value):
            refuse_badly(root, (table, column, value))


@pytest.mark.parametrize(
    ("table", "column", "value", "command"),
    [
        ("overrides", "kind", "bonus", "report mini"),
        ("overrides", "kind", "bonus", "override"),
        ("overrides", "points", 10.0**30, "report --all"),
        ("overrides", "points", 10.0**30, "override table overrides.csv --export"),
        ("submissions", "version", "first", "copies mini"),
        ("submissions", "submitted", "9999-12-31T23:59:59+00:00", "post mini --to feedback"),
        ("posted", "at", 7, "diff"),
        ("results", "report", "{}", "diff"),
    ],
)
def test_one_line(root: Path, table: str, column: str, value: object, command: str, *, snapshot):
    """It has the file, the fault and the remedy."""
    assert damage(root, table, column, value)

    code, output = run(root, command)

    assert code == 2
    assert output.startswith("grade: results.db: ")
    assert "is damaged (" in output
    assert output == snapshot
    assert output.count("\n") == 1


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in JSON; of a list only the first."""
    yield path
    parts = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for key, part in parts:
        yield from leaves(part, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: object) -> Any:
    """Return the same JSON with another value there."""
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("results", "report"), ("posted", "record"), ("submissions", "notes"), ("submissions", "state")),
        *(("submissions", "later"), ("submissions", "not_taken"), ("absent", "state")),
    ],
)
def test_every_value_of_the_json(root: Path, table: str, column: str):
    """Numbers beyond every bound, unknown words, other types: an answer, or one line that names the file."""
    with sqlite3.connect(root / "sound.db") as file:
        whole = json.loads(file.execute(f"SELECT {column} FROM {table} WHERE {column} != ''").fetchone()[0])
    file.close()
    for path in leaves(whole):
        for new in every(2, (10**30, "nonsense")):
            damage(root, table, column, json.dumps(put(whole, path, new)))
            for refusal in answers(root):
                assert refusal.startswith("results.db: ")
            code, output = run(root, "diff" if table == "posted" else "report mini")
            assert code in (0, 1) or (code, output.count("\n")) == (2, 1), (path, new, output)
