"""Results of many submissions in one SQLite file, safe under `kill -9` and under two runs at once.

    results       every grading that was kept, with its whole report as JSON; never changed
    submissions   which of them are a student's now, and what is known of the work itself: the last work, and
                  beside late work the last in time
    decisions     overrides, with author, time and reason; never changed, the newest counts
    posted        what was told to a student, and where
    absent        students of the class of whom nothing could be graded, and why
    identity      one random id: by it a grade that another file of results posted is known
    answers       which push of a student the hidden checks answered last, and how many of a day
    listings      the state in which an organisation's list of repositories was read last

The file is in WAL mode: readers never wait, writers wait for each other, and each result is one transaction
that is on the disk when the call returns. https://sqlite.org/wal.html says what that asks of the file system.
A file of an earlier version is copied to `results.db.v1-backup` before its tables are changed.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sqlite3
import stat
import time
import warnings
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec

from grader.errors import Refused, retry
from grader.report import Report, from_json, to_json
from grader.submissions import HandedIn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


RESULTS = "results.db"  # where a class is kept unless another file is named
APPLICATION = 0x42475244  # in the file's header, by which we know our own: "BGRD"
MOST_BACKUPS = 100  # that are made beside a file
PATIENCE = 60.0  # seconds of waiting for another run's write
# Each brings the file from the version of its place to the next one.
MIGRATIONS = [
    """
    CREATE TABLE results (
        id INTEGER PRIMARY KEY,
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
    CREATE TABLE submissions (
        assignment TEXT NOT NULL,
        student TEXT NOT NULL,
        result INTEGER NOT NULL REFERENCES results (id),
        name TEXT NOT NULL,
        submitted TEXT NOT NULL,  -- UTC; empty where nobody knows
        verified INTEGER NOT NULL,
        repository TEXT NOT NULL,
        commit_id TEXT NOT NULL,
        notes TEXT NOT NULL,      -- JSON, a list of texts
        PRIMARY KEY (assignment, student)
    ) STRICT, WITHOUT ROWID;
    CREATE VIEW counting AS
        SELECT s.*, r.key, r.score, r.max_score, r.outcome, r.graded, r.report
        FROM submissions s JOIN results r ON r.id = s.result;
    CREATE TABLE decisions (
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
        assignment TEXT NOT NULL,
        student TEXT NOT NULL,
        place TEXT NOT NULL,      -- where it was told, as the poster knows it
        sha256 TEXT NOT NULL,     -- of the text
        record TEXT NOT NULL,     -- JSON, the grade that was told
        at TEXT NOT NULL,         -- UTC
        PRIMARY KEY (assignment, student)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    DROP VIEW IF EXISTS counting;
    ALTER TABLE submissions RENAME TO submissions_1;
    CREATE TABLE submissions (
        assignment TEXT NOT NULL,
        student TEXT NOT NULL,
        version TEXT NOT NULL,    -- 'last', or 'in_time' beside late work
        result INTEGER NOT NULL REFERENCES results (id),
        name TEXT NOT NULL,
        submitted TEXT NOT NULL,  -- UTC; empty where nobody knows
        verified INTEGER NOT NULL,
        repository TEXT NOT NULL,
        commit_id TEXT NOT NULL,
        notes TEXT NOT NULL,      -- JSON, a list of texts
        PRIMARY KEY (assignment, student, version)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO submissions
        SELECT assignment, student, 'last', result, name, submitted, verified, repository, commit_id, notes
        FROM submissions_1;
    DROP TABLE submissions_1;
    CREATE VIEW counting AS
        SELECT s.*, r.key, r.score, r.max_score, r.outcome, r.graded, r.report
        FROM submissions s JOIN results r ON r.id = s.result;
    """,
    """
    CREATE TABLE absent (
        assignment TEXT NOT NULL,
        student TEXT NOT NULL,
        why TEXT NOT NULL,
        at TEXT NOT NULL,         -- UTC
        PRIMARY KEY (assignment, student)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE identity (id TEXT NOT NULL) STRICT;
    INSERT INTO identity VALUES (lower(hex(randomblob(8))));
    """,
    """
    CREATE TABLE answers (
        assignment TEXT NOT NULL,
        student TEXT NOT NULL,
        repository INTEGER NOT NULL,  -- GitHub's number of it, which a new name does not change
        seen TEXT NOT NULL,           -- UTC, of the newest push that is known
        done TEXT NOT NULL,           -- the same of the push that was dealt with
        commit_id TEXT NOT NULL,      -- what was answered last, or told to wait
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
    """,
]
VersionName = Literal["last", "in_time"]  # of a student's work; most have the last alone


class KeptCopy(UserWarning):
    """The file was of an earlier version, and was copied before it was brought up to date."""


class Result(msgspec.Struct, frozen=True):
    """A grading that may count for a student: of the last work, or of the last in time beside late work."""

    key: str
    graded: str
    work: HandedIn
    report: Report
    version: VersionName = "last"

    @property
    def student(self) -> str:
        """The key of the student."""
        return self.work.student


class Override(msgspec.Struct, frozen=True):
    """A decision of the instructor that replaces what the checks found.

    Points for a student's check, a check that is void, a student who is excused or forgotten, grades that are final.
    """

    assignment: str
    kind: Literal["points", "void", "excuse", "forget", "final"]
    why: str
    who: str
    student: str = ""
    check: str = ""
    points: float | None = None
    withdrawn: bool = False
    at: str = ""


class Posted(msgspec.Struct, frozen=True):
    """What was told to a student: the place, the hash of the text, and the grade as JSON."""

    student: str
    place: str
    sha256: str
    record: str
    at: str = ""


class Answer(msgspec.Struct, frozen=True):
    """A student's last push and the last answer to it; all times are UTC in ISO 8601, "" for none.

    `repository` is GitHub's number. `seen` is the time of the newest push, `done` of the one dealt with: a student
    waits while they differ. `commit` was answered last, or told to wait until `again`. `count` answers were given
    on `day`.
    """

    student: str
    repository: int = 0
    seen: str = ""
    done: str = ""
    commit: str = ""
    day: str = ""
    count: int = 0
    again: str = ""


class Listing(msgspec.Struct, frozen=True):
    """The last list of an organisation's repositories: its first page's ETag, the newest push (UTC) in it."""

    etag: str = ""
    newest: str = ""


def is_store(path: Path) -> bool:
    """Whether a file of results is there, or another database: SQLite's file format, 1.3."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


class Store:
    """A file of results, as a context manager."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open it, or make it where `create` is set. Raises Refused."""
        self.path = path
        self._refuse_place(create=create)
        with self._told():
            self._database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close it; whatever was kept is in the one file then, if nobody else has it open."""
        self._database.close()

    def _prepare(self) -> None:
        self._refuse_strangers()
        self._switch_to_wal()
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        version = self._number("user_version")
        if version < len(MIGRATIONS):
            if version:
                self._keep_copy(version)
            self._migrate()

    def _switch_to_wal(self) -> None:
        """Switch to WAL mode; retry while another run does the same, for which SQLite itself does not wait."""
        until = time.monotonic() + PATIENCE

        def pause(error: sqlite3.OperationalError, _: int) -> float | None:
            return 0.01 if "locked" in str(error) and time.monotonic() <= until else None

        retry(lambda _: self._database.execute("PRAGMA journal_mode = WAL"), sqlite3.OperationalError, pause)

    def _refuse_place(self, *, create: bool) -> None:
        try:
            if self.path.is_dir():
                raise Refused(f"{self.path}: this is a folder; name the file of results")
            if not create and not self.path.is_file():
                raise Refused(f"{self.path}: there is no such file of results; `grade batch` makes one")
        except OSError as error:
            raise Refused(
                f"{self.path}: cannot be used: {error.strerror}; name a file in a folder of your own"
            ) from error

    def _refuse_strangers(self) -> None:
        """Before anything is written: neither a file of another program nor one of a later version is changed."""
        tables = self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables and self._number("application_id") != APPLICATION:
            raise Refused(f"{self.path}: this is another program's database; name another file")
        if self._number("user_version") > len(MIGRATIONS):
            raise Refused(
                f"{self.path}: a later version of Backgrade wrote it; update with pip, or name another file"
            )

    def _number(self, pragma: str) -> int:
        return int(self._database.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _migrate(self) -> None:
        with self.transaction():
            version = self._number("user_version")  # another run may have been faster
            for script in MIGRATIONS[version:]:
                for statement in script.split(";\n"):
                    self._database.execute(statement)
            self._database.execute(f"PRAGMA application_id = {APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _keep_copy(self, version: int) -> None:
        """Copy the file of an earlier version beside itself, under a name that nothing has. Raises Refused."""
        name = f"{self.path.name}.v{version}-backup"
        for number in range(1, MOST_BACKUPS):
            path = self.path.with_name(name if number == 1 else f"{name}-{number}")
            if not os.path.lexists(path):
                self.backup(path)
                told = f"{self.path} is of an earlier version; as it was it is kept in {path}"
                warnings.warn(told, KeptCopy, stacklevel=2)
                return
        raise Refused(f"{self.path}: there are {MOST_BACKUPS} copies of it beside it; remove some")

    def backup(self, path: Path) -> None:
        """Copy everything into a new file, also while another run writes. Raises Refused.

        https://www.sqlite.org/backup.html; whoever may read the file may read its copy.
        """
        try:
            os.close(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(self.path.stat().st_mode))
            )
        except FileExistsError:
            raise Refused(f"{path}: this file is there already; name a new one") from None
        except OSError as error:
            raise Refused(f"{path}: cannot be written: {error.strerror}; name another file") from error
        try:
            with contextlib.closing(sqlite3.connect(path)) as copy:
                self._database.backup(copy)
        except sqlite3.Error as error:
            path.unlink()
            raise Refused(f"{path}: {_remedy(error)}") from error

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Refused(f"{self.path}: {_remedy(error)}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, on the disk at the end. Raises Refused."""
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._told():
            return self._database.execute(query, values).fetchall()

    # --- Results

    def keep(
        self,
        key: str,
        work: HandedIn,
        report: Report,
        *,
        version: VersionName = "last",
        again: bool = False,
    ) -> bool:
        """Keep a grading: from now on it is the one of that version of the student's work.

        Gives whether it was kept: where another run was faster with the same key, its result stays, unless
        `again` is set.
        """
        told = (report.assignment.id, work.student)
        values = (report.score, report.max_score, str(report.outcome), now(), to_json(report))
        with self.transaction():
            if not again and self._rows(_SAME, *told, version, key):
                return False
            row = self._database.execute(_NEW, (*told, key, *values))
            self._database.execute(_COUNTS, (*told, version, row.lastrowid, *_columns(work)))
            self._database.execute(_PRESENT, told)
        return True

    def keep_facts(self, assignment: str, work: HandedIn, *, version: VersionName = "last") -> None:
        """Keep what is known of work that needs no grading: the same file may have been pushed again."""
        with self.transaction():
            self._database.execute(_FACTS, (*_columns(work), assignment, work.student, version))

    def drop_in_time(self, assignment: str, student: str) -> None:
        """Let a student have the last work alone."""
        if self._rows(_HAS_TWO, assignment, student):
            with self.transaction():
                self._database.execute(_ONE_VERSION, (assignment, student))

    def graded(self, assignment: str) -> dict[tuple[str, VersionName], tuple[str, HandedIn]]:
        """Return key and facts of each grading by student and version, without what could not be graded."""
        rows = self._rows(
            "SELECT student, version, key, name, submitted, verified, repository, commit_id, notes FROM counting "
            "WHERE assignment = ? AND score IS NOT NULL",
            assignment,
        )
        return {
            (student, version): (key, self._work(student, *facts)) for student, version, key, *facts in rows
        }

    def results(self, assignment: str) -> Iterator[Result]:
        """Yield the gradings by student, the last work's before that of the work in time."""
        for student in self.students(assignment):
            rows = self._rows(
                "SELECT version, key, graded, report, name, submitted, verified, repository, commit_id, notes "
                "FROM counting WHERE assignment = ? AND student = ? ORDER BY version DESC",
                assignment,
                student,
            )
            for version, key, graded, report, *facts in rows:
                work, told = self._work(student, *facts), self._report(student, report)
                yield Result(key, graded, work, told, version)

    def report(self, assignment: str, student: str, key: str) -> Report | None:
        """The last report with that key, whether it counts or not."""
        query = "SELECT report FROM results WHERE assignment = ? AND student = ? AND key = ? ORDER BY id DESC"
        rows = self._rows(query, assignment, student, key)
        return self._report(student, rows[0][0]) if rows else None

    def _report(self, student: str, text: str) -> Report:
        try:
            return from_json(text)
        except msgspec.DecodeError as error:
            raise Refused(f"{self.path}: the report of {student} is damaged: {error}; {_BEFORE}") from error

    def _work(self, student: str, *columns: Any) -> HandedIn:
        name, submitted, verified, repository, commit, notes = columns
        try:
            told = msgspec.json.decode(notes, type=tuple[str, ...])
            if submitted and dt.datetime.fromisoformat(submitted).tzinfo is None:
                raise ValueError(f"{submitted} lacks a time zone")
        except ValueError as error:  # msgspec's errors are ValueErrors
            raise Refused(
                f"{self.path}: what is known of the work of {student} is damaged: {error}; {_BEFORE}"
            ) from error
        return HandedIn(name, submitted, bool(verified), repository, commit, told, student)

    def keep_absent(self, assignment: str, student: str, why: str, *, drop: bool = False) -> None:
        """Keep why nothing of a student could be graded; a result that they have counts on, without `drop`."""
        with self.transaction():
            if drop:
                self._database.execute(_FORGOTTEN, (assignment, student))
            self._database.execute(_ABSENT, (assignment, student, why, now()))

    def absent(self, assignment: str) -> dict[str, str]:
        """Return why students have no result, by student, in order."""
        query = (
            "SELECT student, why FROM absent a WHERE assignment = ? AND NOT EXISTS (SELECT 1 FROM submissions s "
            "WHERE s.assignment = a.assignment AND s.student = a.student) ORDER BY student"
        )
        return dict(self._rows(query, assignment))

    def students(self, assignment: str) -> list[str]:
        """Who has a result, in order."""
        query = "SELECT DISTINCT student FROM submissions WHERE assignment = ? ORDER BY student"
        return [student for (student,) in self._rows(query, assignment)]

    def assignments(self) -> list[str]:
        """Those of which there is a result, an override, or a student without a result."""
        query = (
            "SELECT assignment FROM submissions UNION SELECT assignment FROM decisions "
            "UNION SELECT assignment FROM absent ORDER BY 1"
        )
        return [assignment for (assignment,) in self._rows(query)]

    # --- Overrides

    def keep_override(self, override: Override) -> None:
        """Keep it, dated now; a student who is forgotten has no result that counts any more."""
        with self.transaction():
            self._add(msgspec.structs.replace(override, at=now()))
            if override.kind == "forget":
                self._database.execute(_FORGOTTEN, (override.assignment, override.student))
                self._database.execute(_PRESENT, (override.assignment, override.student))

    def add_overrides(self, overrides: Iterable[Override]) -> None:
        """Keep those of another file, with their own times."""
        with self.transaction():
            for override in overrides:
                self._add(override)

    def _add(self, of: Override) -> None:
        values = (
            of.assignment,
            of.kind,
            of.student,
            of.check,
            of.points,
            of.withdrawn,
            of.why,
            of.who,
            of.at,
        )
        self._database.execute(_NEW_OVERRIDE, values)

    def overrides(self, assignment: str) -> list[Override]:
        """Every override that was ever made, the oldest first."""
        rows = self._rows(
            "SELECT kind, why, who, student, check_id, points, withdrawn, at FROM decisions "
            "WHERE assignment = ? ORDER BY at, id",
            assignment,
        )
        return [
            Override(assignment, kind, why, who, student, check, points, bool(withdrawn), at)
            for kind, why, who, student, check, points, withdrawn, at in rows
        ]

    # --- What was told

    @property
    def identity(self) -> str:
        """The id of this file, which its copies share."""
        return str(self._rows("SELECT id FROM identity")[0][0])

    def keep_posted(self, assignment: str, posted: Posted) -> None:
        """Keep it, dated now."""
        with self.transaction():
            values = (posted.student, posted.place, posted.sha256, posted.record, now())
            self._database.execute(
                "INSERT OR REPLACE INTO posted VALUES (?, ?, ?, ?, ?, ?)", (assignment, *values)
            )

    def posted(self, assignment: str) -> dict[str, Posted]:
        """What was told last, by student."""
        rows = self._rows(
            "SELECT student, place, sha256, record, at FROM posted WHERE assignment = ?", assignment
        )
        return {row[0]: Posted(*row) for row in rows}

    # --- Whom hidden checks answered

    def keep_answer(self, assignment: str, answer: Answer) -> None:
        """Keep where a student's answers stand."""
        with self.transaction():
            self._database.execute(_ANSWER, (assignment, *msgspec.structs.astuple(answer)))

    def answers(self, assignment: str) -> dict[str, Answer]:
        """Return where everybody's answers stand, by student."""
        columns = "student, repository, seen, done, commit_id, day, count, again"
        rows = self._rows(f"SELECT {columns} FROM answers WHERE assignment = ?", assignment)  # noqa: S608  a constant
        return {row[0]: Answer(*row) for row in rows}

    def keep_listing(
        self, assignment: str, organisation: str, listing: Listing, seen: Iterable[Answer]
    ) -> None:
        """Keep how a list was read together with what was seen in it, so that neither is lost without the other."""
        with self.transaction():
            for answer in seen:
                self._database.execute(_ANSWER, (assignment, *msgspec.structs.astuple(answer)))
            values = (assignment, organisation.casefold(), listing.etag, listing.newest)
            self._database.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?, ?)", values)

    def listing(self, assignment: str, organisation: str) -> Listing:
        """Return how the list was read last; an empty one where it never was."""
        query = "SELECT etag, newest FROM listings WHERE assignment = ? AND organisation = ?"
        rows = self._rows(query, assignment, organisation.casefold())
        return Listing(*rows[0]) if rows else Listing()


_BEFORE = "take a copy of the file from before, or name another one"
_SAME = (
    "SELECT 1 FROM counting WHERE assignment = ? AND student = ? AND version = ? AND key = ? "
    "AND score IS NOT NULL"
)
_NEW = (
    "INSERT INTO results (assignment, student, key, score, max_score, outcome, graded, report) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_COUNTS = "INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_FACTS = (
    "UPDATE submissions SET name = ?, submitted = ?, verified = ?, repository = ?, commit_id = ?, notes = ? "
    "WHERE assignment = ? AND student = ? AND version = ?"
)
_ANSWER = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_HAS_TWO = "SELECT 1 FROM submissions WHERE assignment = ? AND student = ? AND version = 'in_time'"
_ONE_VERSION = "DELETE FROM submissions WHERE assignment = ? AND student = ? AND version = 'in_time'"
_FORGOTTEN = "DELETE FROM submissions WHERE assignment = ? AND student = ?"
_ABSENT = "INSERT OR REPLACE INTO absent VALUES (?, ?, ?, ?)"
_PRESENT = "DELETE FROM absent WHERE assignment = ? AND student = ?"
_NEW_OVERRIDE = (
    "INSERT INTO decisions (assignment, kind, student, check_id, points, withdrawn, why, who, at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _columns(work: HandedIn) -> tuple[Any, ...]:
    notes = msgspec.json.encode(work.notes).decode()
    return (work.name, work.submitted, work.verified, work.repository, work.commit, notes)


def _remedy(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return "this is no file of results, or a damaged one; name another file"
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"another run has been writing for {PATIENCE:.0f} seconds, or a viewer has changes that are not saved; "
            "wait for the run or close the viewer, and try again"
        )
    if code.startswith("SQLITE_FULL"):
        return "the disk is full; make room and try again, what was kept is kept"
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return "it cannot be written there; name a file in a folder of your own"
    if code in {"SQLITE_ERROR", ""}:
        return f"{error}; somebody has changed its tables, {_BEFORE}"
    return f"{error}; a file of results must lie on a disk of this machine, not in a network folder"


def now() -> str:
    """The time in UTC, as it is kept: ISO 8601 to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
