"""The SQLite results file: made, opened, brought up to date; safe under `kill -9` and under two runs at once.

    runs          each run of `grade batch` and `grade answer`
    results       every grading, with its whole report as JSON; rows never change
    submissions   the gradings that count for a student now, with facts about the work: the last work, and next to
                  late work the last work that was on time
    overrides     overrides, with author, time and reason; rows never change, each names those that it replaces
    posted        the text that was posted to a student, and its location
    pending       the hash of a text, kept before the text is sent, so that a killed run recognises it later
    files         the files that `grade post --to DIR` wrote, by hash
    absent        students of the class without a result, and the reason
    handed_out    the code of each notebook that students got, as far as a run knew it
    identity      one random id, which marks the grades that were posted from this file
    answers       the push of a student that hidden checks answered last, and the number of answers of a day
    listings      an organisation's list of repositories, as of the last reading
    posting       each post, who began it and its end: during a post, no other copy of the file posts
    forgotten     hashes of deleted students, so that no other copy brings them back

The file is in WAL mode: readers never wait, writers wait for each other, and each transaction is on the disk when
the call returns. https://sqlite.org/wal.html has the requirements for the file system.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Self

from grader.errors import Refused, retry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION = 0x42475244  # "BGRD" in the file's header, by which we recognise our files
LEAST_ROOM = 1 << 20  # bytes
PATIENCE = 60.0  # seconds of waiting for another run's write
OLDEST = 7  # version of the tables that is brought up to date
# The tables of that version. Never edit them: STEPS has the changes since.
SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    command TEXT NOT NULL,    -- batch or answer
    started TEXT NOT NULL,    -- UTC
    ended TEXT NOT NULL,      -- UTC; empty if it was killed or is running
    suite TEXT NOT NULL,      -- the hash of everything that graded
    works INTEGER NOT NULL    -- the gradings that it kept
) STRICT;
CREATE TABLE results (
    id INTEGER PRIMARY KEY,
    run INTEGER REFERENCES runs (id),
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    key TEXT NOT NULL,        -- of submission, suite, grader and limits
    score REAL,               -- NULL: the grader could not tell
    max_score REAL NOT NULL,
    outcome TEXT NOT NULL,
    graded TEXT NOT NULL,     -- UTC
    report TEXT NOT NULL
) STRICT;
CREATE INDEX results_of ON results (assignment, student);
CREATE INDEX results_in ON results (run);
CREATE TABLE submissions (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    version TEXT NOT NULL,    -- 'last', or 'in_time' beside late work
    result INTEGER NOT NULL REFERENCES results (id),
    name TEXT NOT NULL,
    submitted TEXT NOT NULL,  -- UTC; empty if unknown
    verified INTEGER NOT NULL,
    repository TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    notes TEXT NOT NULL,      -- JSON, a list of texts
    kind TEXT NOT NULL,       -- of the state: handed_in, untouched, no_file, ...
    state TEXT NOT NULL,      -- JSON, with the fields of that kind
    later TEXT NOT NULL,      -- JSON, a push that came too late to count; empty if there is none
    not_taken TEXT NOT NULL,  -- JSON, a list of pushes of others that changed the work
    PRIMARY KEY (assignment, student, version)
) STRICT, WITHOUT ROWID;
CREATE VIEW counting AS
    SELECT s.*, r.run, r.key, r.score, r.max_score, r.outcome, r.graded, r.report
    FROM submissions s JOIN results r ON r.id = s.result;
CREATE TABLE absent (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    kind TEXT NOT NULL,       -- of the state: missing, unreached, no_access, ...
    state TEXT NOT NULL,      -- JSON, with the fields of that kind
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
CREATE TABLE handed_out (
    assignment TEXT NOT NULL,
    code TEXT NOT NULL,       -- the hash of the code of a notebook that students got
    PRIMARY KEY (assignment, code)
) STRICT, WITHOUT ROWID;
CREATE TABLE overrides (
    id INTEGER PRIMARY KEY,
    assignment TEXT NOT NULL,
    kind TEXT NOT NULL,
    student TEXT NOT NULL,    -- empty: everybody
    check_id TEXT NOT NULL,   -- empty: the whole assignment
    points REAL,
    withdrawn INTEGER NOT NULL,
    why TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL          -- UTC
) STRICT;
CREATE TABLE posted (
    assignment TEXT NOT NULL, -- or `DAY, to post`: texts before they are sent; `DAY, files`: those of --to DIR, by hash
    student TEXT NOT NULL,
    place TEXT NOT NULL,      -- the location of the text, as the poster defines it
    sha256 TEXT NOT NULL,     -- of the text
    record TEXT NOT NULL,     -- JSON, the grade that was posted
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
CREATE TABLE answers (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    repository INTEGER NOT NULL,  -- GitHub's number of it, which a new name does not change
    seen TEXT NOT NULL,           -- UTC, of the newest push that is known
    done TEXT NOT NULL,           -- UTC, of the last push that was handled
    commit_id TEXT NOT NULL,      -- answered last, or waiting until `again`
    day TEXT NOT NULL,            -- UTC, of the last answer
    count INTEGER NOT NULL,       -- answers of that day
    again TEXT NOT NULL,          -- UTC, when the commit is looked at again; empty: it was answered
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
CREATE TABLE listings (
    assignment TEXT NOT NULL,
    organisation TEXT NOT NULL,
    etag TEXT NOT NULL,           -- of the first page, the newest push first
    newest TEXT NOT NULL,         -- UTC, of the newest push in it
    PRIMARY KEY (assignment, organisation)
) STRICT, WITHOUT ROWID;
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(8))));
"""
FILES = """
CREATE TABLE files (
    assignment TEXT NOT NULL,
    sha256 TEXT NOT NULL,     -- of the file
    path TEXT NOT NULL,
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO files SELECT replace(assignment, ', files', ''), sha256, place, at FROM posted WHERE assignment LIKE '%, files';
DELETE FROM posted WHERE assignment LIKE '%, files';
"""
PENDING = """
CREATE TABLE pending (
    assignment TEXT NOT NULL,
    student TEXT NOT NULL,
    sha256 TEXT NOT NULL,     -- of the text
    at TEXT NOT NULL,         -- UTC
    PRIMARY KEY (assignment, student)
) STRICT, WITHOUT ROWID;
INSERT INTO pending SELECT replace(assignment, ', to post', ''), student, sha256, at FROM posted WHERE assignment LIKE '%, to post';
DELETE FROM posted WHERE assignment LIKE '%, to post';
"""
# Rows of `runs`, `results` and `overrides` are only added. The `uid` of a row is the same in all copies of the file.
SHARED = """
ALTER TABLE runs ADD COLUMN uid TEXT NOT NULL DEFAULT '';
ALTER TABLE results ADD COLUMN uid TEXT NOT NULL DEFAULT '';
ALTER TABLE overrides ADD COLUMN uid TEXT NOT NULL DEFAULT '';
ALTER TABLE overrides ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
UPDATE runs SET uid = hex(id || ' ' || started);
UPDATE results SET uid = hex(id || ' ' || graded || ' ' || key);
UPDATE overrides SET uid = hex(id || ' ' || at || ' ' || student || ' ' || coalesce(points, ''));
UPDATE overrides SET replaces = coalesce((
    SELECT o.uid FROM overrides o
    WHERE (o.assignment, o.kind, o.student, o.check_id)
        = (overrides.assignment, overrides.kind, overrides.student, overrides.check_id)
        AND (o.at, o.id) < (overrides.at, overrides.id)
    ORDER BY o.at DESC, o.id DESC LIMIT 1), '');
CREATE TABLE posting (
    uid TEXT PRIMARY KEY,
    assignment TEXT NOT NULL,
    holder TEXT NOT NULL,     -- who posts, and on which machine
    began TEXT NOT NULL,      -- UTC
    ended TEXT NOT NULL       -- UTC; empty while it is under way, or if it was killed
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten (
    id TEXT PRIMARY KEY       -- the hash of the file's identity and a student
) STRICT, WITHOUT ROWID;
"""
MARKS = """
ALTER TABLE overrides ADD COLUMN answer TEXT NOT NULL DEFAULT '';
ALTER TABLE overrides ADD COLUMN items TEXT NOT NULL DEFAULT '[]';
ALTER TABLE overrides ADD COLUMN until TEXT NOT NULL DEFAULT '';
"""
# The statements that make each version of the tables from the previous one. A new version is a new entry; add a column with
# `ALTER TABLE ... ADD COLUMN`. A new file goes through all of them, so it equals a file that was brought up to date.
STEPS = {OLDEST: SCHEMA, 8: FILES, 9: PENDING, 10: SHARED, 11: MARKS}
VERSION = max(STEPS)


class Database:
    """An open results file, as a context manager."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open the file; with `create`, create it if it is missing. Raises Refused."""
        self.path = path
        self._refuse_place(create=create)
        with self._guard():
            self._database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file. SQLite merges its log into it, unless another process has it open."""
        self._database.close()

    def _prepare(self) -> None:
        self._refuse_others()
        self._switch_to_wal()
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        if self._number("user_version") < VERSION:
            self._update_tables()

    def _switch_to_wal(self) -> None:
        """Switch to WAL mode. Retry while another run does the same: SQLite itself does not wait for that."""
        until = time.monotonic() + PATIENCE

        def pause(error: sqlite3.OperationalError, _: int) -> float | None:
            return 0.01 if "locked" in str(error) and time.monotonic() <= until else None

        retry(lambda _: self._database.execute("PRAGMA journal_mode = WAL"), sqlite3.OperationalError, pause)

    def _refuse_place(self, *, create: bool) -> None:
        try:
            if self.path.is_dir():
                raise Refused(f"{self.path}: this is a folder; name the results file")
            if not create and not self.path.is_file():
                raise Refused(f"{self.path}: no such results file; `grade batch` creates one")
        except OSError as error:
            raise Refused(
                f"{self.path}: cannot be used: {error.strerror}; name another file, in a folder of your own"
            ) from error

    def _refuse_others(self) -> None:
        """Raise Refused for a database of another program or of another version, before anything is written."""
        tables = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables and self._number("application_id") != APPLICATION:
            raise Refused(f"{self.path}: this is another program's database; name another file")
        version = self._number("user_version")
        if version > VERSION:
            raise Refused(
                f"{self.path}: a later version of Backgrade wrote it; update with pip, or name another file"
            )
        if tables and version < OLDEST:
            raise Refused(
                f"{self.path}: an early version of Backgrade wrote it; grade the class again into a new file "
                "(`grade batch DAY SOURCE --results FILE`). To keep the overrides, write them with that version "
                "(`grade override table CSV --export`) and read them with `grade override table CSV --results FILE`"
            )

    def _number(self, pragma: str) -> int:
        return int(self._database.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _update_tables(self) -> None:
        """Make the tables of a new file, or bring those of an earlier version up to date, in one transaction."""
        with self.transaction():
            version = self._number("user_version")  # another run may have been faster
            for statements in (STEPS[number] for number in STEPS if number > version):
                for statement in statements.split(";\n"):
                    self._database.execute(statement)
            self._database.execute(f"PRAGMA application_id = {APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Refused(f"{self.path}: {_remedy(error, self.path)}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction and write it to the disk. Raises Refused."""
        with self._guard():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._guard():
            return self._database.execute(query, values).fetchall()

    def _rows_by_name(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """Return the rows by the names of their columns."""
        with self._guard():
            cursor = self._database.execute(query, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def _put(self, table: str, **columns: Any) -> int | None:
        """Insert a row, or replace the row with its primary key; return its id. Call it inside a transaction."""
        marks = ", ".join("?" * len(columns))
        query = f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608  our own names
        return self._database.execute(query, [*columns.values()]).lastrowid


def _is_full(path: Path) -> bool:
    """Return True if the disk of a file has too little room for SQLite's log and index."""
    try:
        return shutil.disk_usage(path.parent).free < LEAST_ROOM
    except OSError:
        return False


RESTORE = "restore an earlier copy of the file, or name another one"


_REMEDIES = {
    ("SQLITE_NOTADB", "SQLITE_CORRUPT"): "this is not a results file, or a damaged one; name another file",
    ("SQLITE_BUSY", "SQLITE_LOCKED"): (
        f"another run has been writing for {PATIENCE:.0f} seconds, or a viewer has changes that are not saved; "
        "wait for the run or close the viewer, and try again"
    ),
    ("SQLITE_FULL",): "the disk is full; make room and try again; earlier results are kept",
    ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"): (
        "it cannot be written there; name a file in a folder of your own"
    ),
}


def _remedy(error: sqlite3.Error, path: Path) -> str:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code in {"SQLITE_ERROR", ""}:
        return f"{error}; its tables were changed, {RESTORE}"
    if code.startswith("SQLITE_IOERR") and _is_full(path):
        code = "SQLITE_FULL"
    words = (words for codes, words in _REMEDIES.items() if code.startswith(codes))
    return next(words, f"{error}; a results file must be on a disk of this machine, not in a network folder")
