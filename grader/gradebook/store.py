"""The rows of a results file: gradings, overrides, posted texts, answers of hidden checks."""

from __future__ import annotations

import contextlib
import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from grader.errors import Refused
from grader.gradebook.database import RESTORE, Database
from grader.report import Report, from_json, to_json
from grader.submissions.states import NO_RESULT, Later, NotTaken, State, encoded, times_of
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


RESULTS = "results.db"  # unless another file is named
Kind = Literal["points", "comment", "void", "excuse", "forget", "final"]  # of an override
VersionName = Literal["last", "in_time"]  # of a student's work; most students have only the last one
Points = Annotated[float, Meta(ge=0, le=1_000_000)]
Count = Annotated[int, Meta(ge=0)]
FIRST_YEAR, LAST_YEAR = 1970, 9000  # of a time, which can then be shown in every time zone
T = TypeVar("T")


class Result(msgspec.Struct, frozen=True):
    """A grading that may count for a student: of the last work, or of the last work in time beside late work."""

    key: str
    graded: str
    work: HandedIn
    report: Report
    version: VersionName = "last"

    @property
    def student(self) -> str:
        """The key of the student."""
        return self.work.student


class Grading(NamedTuple):
    """A grading with its report as JSON; `version` is the one that it counts for, None if it counts no longer."""

    key: str
    graded: str
    run: int | None
    version: VersionName | None
    report: str


class Override(msgspec.Struct, frozen=True):
    """An instructor's change of a grade.

    Points for a student's check, a comment on it, a check that is void, a student who is excused or whose result is dropped, grades
    that are final. `why` is the reason, or the text of a comment.
    """

    assignment: str
    kind: Kind
    why: str
    who: str
    student: str = ""
    check: str = ""
    points: Points | None = None
    withdrawn: bool = False
    at: str = ""


class Posted(msgspec.Struct, frozen=True, array_like=True):
    """A text that was posted to a student: its location, its hash, and the grade as JSON."""

    student: str
    place: str
    sha256: str
    record: str
    at: str = ""


class PushRecord(msgspec.Struct, frozen=True, array_like=True):
    """A student's last push and the last answer to it; all times are UTC in ISO 8601, "" for none.

    `repository` is GitHub's number. `seen` is the time of the newest push, `done` that of the last push that was
    handled: a student waits while they differ. `commit` was answered last, or waits until `again`. `count` answers
    were given on `day`.
    """

    student: str
    repository: Count = 0
    seen: str = ""
    done: str = ""
    commit: str = ""
    day: str = ""
    count: Count = 0
    again: str = ""


class Listing(msgspec.Struct, frozen=True, array_like=True):
    """The last list of an organisation's repositories: the ETag of its first page, the newest push (UTC) in it."""

    etag: str = ""
    newest: str = ""


def results_option(results: Path) -> str:
    """Return the option with which a command finds the same file: empty for the usual file, or ` --results FILE`."""
    return "" if results == Path(RESULTS) else f" --results {results}"


class Store(Database):
    """An open results file, by its rows. Each is read by its type: somebody may have edited or damaged the file.

    Gradings that are kept belong to the run `run`, if one has begun.
    """

    run: int | None = None

    def _read(self, row: type[T], query: str, *values: Any) -> list[T]:
        """Return the rows of this type. Raises Refused."""
        found = self._rows(query, *values)
        try:
            return msgspec.convert(found, list[row])  # type: ignore[valid-type]  # a type of a row
        except msgspec.ValidationError as error:
            raise self.damaged("a row of it", error) from error

    def damaged(self, what: str, error: Exception | str) -> Refused:
        """Return the error for a part of the file that cannot be read."""
        return Refused(f"{self.path}: {what} is damaged: {error}; {RESTORE}")

    def _refuse_times(self, what: str, *times: str) -> None:
        """Raise Refused for what is not the time that this program writes; "" is no time."""
        for time in filter(None, times):
            try:
                moment = dt.datetime.fromisoformat(time)
            except ValueError as error:
                raise self.damaged(what, error) from error
            if moment.tzinfo is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
                raise self.damaged(what, f"{time[:40]} lacks a time zone, or is no time of a course")

    # --- Runs

    @contextlib.contextmanager
    def running(self, assignment: str, command: str, suite: str) -> Iterator[None]:
        """Keep the gradings of the block as one run; it goes on with a run like it that was killed."""
        with self.transaction():
            unfinished = self._rows(
                "SELECT id FROM runs WHERE assignment = ? AND command = ? AND suite = ? AND ended = '' ORDER BY id DESC",
                *(assignment, command, suite),
            )
            if unfinished:
                self.run = unfinished[0][0]
            else:
                self.run = self._database.execute(
                    "INSERT INTO runs (assignment, command, started, ended, suite, works) VALUES (?, ?, ?, '', ?, 0)",
                    (assignment, command, now(), suite),
                ).lastrowid
        try:
            yield
        except BaseException:
            self.run = None
            raise
        with self.transaction():
            self._database.execute("UPDATE runs SET ended = ? WHERE id = ?", (now(), self.run))
        self.run = None

    def last_run(self, assignment: str) -> tuple[int | None, str]:
        """Return the id of the newest run that kept a grading, and its beginning, UTC in ISO 8601; None and "" without one."""
        query = "SELECT id, started FROM runs WHERE assignment = ? AND works > 0 ORDER BY id DESC LIMIT 1"
        found = self._read(tuple[int, str], query, assignment)
        self._refuse_times("the record of a run", *(started for _, started in found))
        return found[0] if found else (None, "")

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
        """Keep a grading, which now counts for that version of the student's work.

        Return False if another run was faster with the same key: its result stays, unless `again` is set.
        """
        whose = (report.assignment.id, work.student)
        values = (report.score, report.max_score, str(report.outcome), now(), to_json(report))
        with self.transaction():
            same = self._rows(
                "SELECT 1 FROM counting WHERE assignment = ? AND student = ? AND version = ? AND key = ? "
                "AND score IS NOT NULL",
                *(*whose, version, key),
            )
            if same and not again:
                return False
            row = self._database.execute(
                "INSERT INTO results (run, assignment, student, key, score, max_score, outcome, graded, report) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self.run, *whose, key, *values),
            )
            self._database.execute("UPDATE runs SET works = works + 1 WHERE id = ?", (self.run,))
            self._database.execute(
                "INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*whose, version, row.lastrowid, *_columns(work)),
            )
            self._database.execute("DELETE FROM absent WHERE assignment = ? AND student = ?", whose)
        return True

    def keep_facts(self, assignment: str, work: HandedIn, *, version: VersionName = "last") -> None:
        """Keep new facts about work that needs no grading, for example after a second push of the same file."""
        with self.transaction():
            self._database.execute(
                "UPDATE submissions SET name = ?, submitted = ?, verified = ?, repository = ?, commit_id = ?, notes = ?, "
                "kind = ?, state = ?, later = ?, not_taken = ? WHERE assignment = ? AND student = ? AND version = ?",
                (*_columns(work), assignment, work.student, version),
            )

    def drop_in_time(self, assignment: str, student: str) -> None:
        """Drop the result of the work in time, so that the last work alone is left."""
        in_time = "FROM submissions WHERE assignment = ? AND student = ? AND version = 'in_time'"
        if self._rows(f"SELECT 1 {in_time}", assignment, student):
            with self.transaction():
                self._database.execute(f"DELETE {in_time}", (assignment, student))

    def graded(self, assignment: str, student: str) -> dict[VersionName, tuple[str, HandedIn]]:
        """Return key and facts of a student's gradings by version, without those that have no score."""
        rows = self._read(
            tuple[VersionName, str, str, str, Literal[0, 1], str, str, str, str, str, str],
            f"SELECT version, key, {_WORK} FROM counting "  # noqa: S608  a constant
            "WHERE assignment = ? AND student = ? AND score IS NOT NULL",
            assignment,
            student,
        )
        return {version: (key, self._work(student, *facts)) for version, key, *facts in rows}

    def results(self, assignment: str) -> Iterator[Result]:
        """Yield the gradings by student, the last work's before that of the work in time."""
        for student in self.students(assignment):
            yield from self.results_of(assignment, student)

    def results_of(self, assignment: str, student: str) -> Iterator[Result]:
        """Yield a student's gradings, the last work's before that of the work in time."""
        rows = self._read(
            tuple[VersionName, str, str, str, str, str, Literal[0, 1], str, str, str, str, str, str],
            f"SELECT version, key, graded, report, {_WORK} "  # noqa: S608  a constant
            "FROM counting WHERE assignment = ? AND student = ? ORDER BY version DESC",
            assignment,
            student,
        )
        for version, key, graded, report, *facts in rows:
            self._refuse_times(f"the time of a result of {student}", graded)
            work, loaded = self._work(student, *facts), self._report(student, report)
            yield Result(key, graded, work, loaded, version)

    def gradings(self, assignment: str, student: str) -> list[Grading]:
        """Return every grading of a student, the oldest first."""
        query = (
            "SELECT r.key, r.graded, r.run, s.version, r.report FROM results r LEFT JOIN submissions s "
            "ON s.result = r.id AND s.assignment = r.assignment AND s.student = r.student "
            "WHERE r.assignment = ? AND r.student = ? ORDER BY r.id"
        )
        rows = self._read(Grading, query, assignment, student)
        self._refuse_times(f"the time of a result of {student}", *(row.graded for row in rows))
        return rows

    def last_graded(self, assignment: str) -> str:
        """Return the time of the newest grading, UTC in ISO 8601; "" if there is none."""
        query = "SELECT max(graded) FROM results WHERE assignment = ? HAVING max(graded) IS NOT NULL"
        times = [graded for (graded,) in self._read(tuple[str], query, assignment)]
        self._refuse_times("the time of a result", *times)
        return times[0] if times else ""

    def report(self, assignment: str, student: str, key: str) -> Report | None:
        """Return the last report with that key, also one that does not count; None if there is none."""
        query = "SELECT report FROM results WHERE assignment = ? AND student = ? AND key = ? ORDER BY id DESC"
        rows = self._read(tuple[str], query, assignment, student, key)
        return self._report(student, rows[0][0]) if rows else None

    def _report(self, student: str, text: str) -> Report:
        try:
            report = from_json(text)
            points = [number for check in report.checks for number in (check.score, check.max_score)]
            msgspec.convert([report.score, report.max_score, *points], list[Points | None])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.damaged(f"the report of {student}", error) from error
        self._refuse_times(f"the report of {student}", report.started)
        return report

    def _work(self, student: str, *columns: Any) -> HandedIn:
        name, submitted, verified, repository, commit, notes, state, later, refused = columns
        what = f"the record of the work of {student}"
        texts = self._decoded(what, notes, tuple[str, ...])
        kind = self._decoded(what, state, State)
        pushed = self._decoded(what, later, Later) if later else None
        others = self._decoded(what, refused, tuple[NotTaken, ...])
        times = (time for one in (kind, pushed, *others) for time in times_of(one))
        self._refuse_times(what, submitted, *times)
        facts = (name, submitted, bool(verified), repository, commit, texts, student)
        return HandedIn(*facts, kind, pushed, others)

    def _decoded(self, what: str, text: str, of: Any) -> Any:
        """Return what a JSON text holds. Raises Refused."""
        try:
            return msgspec.json.decode(text, type=of)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.damaged(what, error) from error

    def keep_absent(self, assignment: str, student: str, state: State) -> None:
        """Keep the reason why a student has no result; an earlier result still counts if their work is unknown."""
        with self.transaction():
            if isinstance(state, NO_RESULT):
                self._database.execute(
                    "DELETE FROM submissions WHERE assignment = ? AND student = ?", (assignment, student)
                )
            self._database.execute(
                "INSERT OR REPLACE INTO absent VALUES (?, ?, ?, ?, ?)",
                (assignment, student, state.kind, encoded(state), now()),
            )

    def absent(self, assignment: str) -> dict[str, State]:
        """Return the states of the students without a result, by student, in order."""
        query = (
            "SELECT student, state FROM absent a WHERE assignment = ? AND NOT EXISTS (SELECT 1 FROM submissions s "
            "WHERE s.assignment = a.assignment AND s.student = a.student) ORDER BY student"
        )
        rows, dropped = self._read(tuple[str, str], query, assignment), self.dropped(assignment)
        found = {
            student: self._decoded(f"the state of {student}", text, State)
            for student, text in rows
            if student not in dropped
        }
        for student, state in found.items():
            self._refuse_times(f"the state of {student}", *times_of(state))
        return found

    def add_handed_out(self, assignment: str, codes: Iterable[str]) -> frozenset[str]:
        """Keep the graded parts of notebooks that students got, and return all that are known."""
        query = "SELECT code FROM handed_out WHERE assignment = ?"
        known = {code for (code,) in self._read(tuple[str], query, assignment)}
        if new := {*codes} - known:
            with self.transaction():
                rows = [(assignment, code) for code in new]
                self._database.executemany("INSERT OR IGNORE INTO handed_out VALUES (?, ?)", rows)
        return frozenset(known | new)

    def students(self, assignment: str, *, dropped: bool = False) -> list[str]:
        """Return the students with a result, sorted; with `dropped` also those whose result was dropped."""
        query = "SELECT DISTINCT student FROM submissions WHERE assignment = ? ORDER BY student"
        without = {} if dropped else self.dropped(assignment)
        found = [student for (student,) in self._read(tuple[str], query, assignment)]
        return [student for student in found if student not in without]

    def assignments(self) -> list[str]:
        """Return the assignments with a result, an override, or a student without a result."""
        query = (
            "SELECT assignment FROM submissions UNION SELECT assignment FROM overrides "
            "UNION SELECT assignment FROM absent ORDER BY 1"
        )
        return [assignment for (assignment,) in self._read(tuple[str], query)]

    def no_results(self, what: str) -> Refused:
        """Return the error for a file without results of `what`."""
        names = [name for name in self.assignments() if name != what]  # `what` may have absent students alone
        others = f", only of {', '.join(names)}; a new name is another assignment" if names else ""
        return Refused(f"{self.path}: no results of {what} are in it{others}; `grade batch` first")

    # --- Overrides

    def keep_override(self, override: Override) -> None:
        """Keep an override, dated now."""
        self.add_overrides([msgspec.structs.replace(override, at=now())])

    def add_overrides(self, overrides: Iterable[Override]) -> None:
        """Keep overrides of another file, with their own times."""
        with self.transaction():
            self._database.executemany(
                f"INSERT INTO overrides ({_OVERRIDE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  a constant
                map(msgspec.structs.astuple, overrides),
            )

    def overrides(self, assignment: str) -> list[Override]:
        """Return every override, the oldest first."""
        query = f"SELECT {_OVERRIDE} FROM overrides WHERE assignment = ? ORDER BY at, id"  # noqa: S608  a constant
        rows = self._rows(query, assignment)
        try:
            named = [dict(zip(Override.__struct_fields__, row, strict=True)) for row in rows]
            found = msgspec.convert(named, list[Override], strict=False)  # SQLite has no booleans
        except msgspec.ValidationError as error:
            raise self.damaged("an override", error) from error
        self._refuse_times("an override", *(override.at for override in found))
        return found

    def dropped(self, assignment: str) -> dict[str, Override]:
        """Return the overrides in force that drop a student's result, by student."""
        newest = {one.student: one for one in self.overrides(assignment) if one.kind == "forget"}
        return {student: one for student, one in newest.items() if not one.withdrawn}

    # --- Posted texts

    @property
    def identity(self) -> str:
        """The id of this file, which its copies share."""
        rows = self._read(tuple[str], "SELECT id FROM identity")
        if not rows:
            raise self.damaged("its identity", "it has none")
        return rows[0][0]

    def keep_posted(self, assignment: str, *posted: Posted) -> None:
        """Keep posted texts, dated now."""
        with self.transaction():
            self._database.executemany(
                "INSERT OR REPLACE INTO posted VALUES (?, ?, ?, ?, ?, ?)",
                [(assignment, one.student, one.place, one.sha256, one.record, now()) for one in posted],
            )

    def posted(self, assignment: str) -> dict[str, Posted]:
        """Return the text that was posted last, by student."""
        query = "SELECT student, place, sha256, record, at FROM posted WHERE assignment = ?"
        found = self._read(Posted, query, assignment)
        self._refuse_times("the record of a post", *(one.at for one in found))
        return {one.student: one for one in found}

    # --- Answers of hidden checks

    def keep_answer(self, assignment: str, answer: PushRecord) -> None:
        """Keep the state of a student's answers."""
        with self.transaction():
            self._database.execute(_ANSWER, (assignment, *msgspec.structs.astuple(answer)))

    def answers(self, assignment: str) -> dict[str, PushRecord]:
        """Return the state of the answers, by student."""
        columns = "student, repository, seen, done, commit_id, day, count, again"
        query = f"SELECT {columns} FROM answers WHERE assignment = ?"  # noqa: S608  a constant
        found = self._read(PushRecord, query, assignment)
        for answer in found:
            self._refuse_times("the record of an answer", answer.seen, answer.done, answer.again)
        return {answer.student: answer for answer in found}

    def keep_listing(
        self, assignment: str, organisation: str, listing: Listing, seen: Iterable[PushRecord]
    ) -> None:
        """Keep the state of a list, and the pushes that were read from it, in one transaction."""
        with self.transaction():
            for answer in seen:
                self._database.execute(_ANSWER, (assignment, *msgspec.structs.astuple(answer)))
            values = (assignment, organisation.casefold(), listing.etag, listing.newest)
            self._database.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?, ?)", values)

    def listing(self, assignment: str, organisation: str) -> Listing:
        """Return the state of a list as it was read last; an empty one if it never was."""
        query = "SELECT etag, newest FROM listings WHERE assignment = ? AND organisation = ?"
        rows = self._read(Listing, query, assignment, organisation.casefold())
        return rows[0] if rows else Listing()


_WORK = "name, submitted, verified, repository, commit_id, notes, state, later, not_taken"
_ANSWER = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_OVERRIDE = "assignment, kind, why, who, student, check_id, points, withdrawn, at"  # the fields of Override


def _columns(work: HandedIn) -> tuple[Any, ...]:
    notes = msgspec.json.encode(work.notes).decode()
    refused = msgspec.json.encode(work.not_taken).decode()
    state = (work.state.kind, encoded(work.state), encoded(work.later), refused)
    return (work.name, work.submitted, work.verified, work.repository, work.commit, notes, *state)


def now() -> str:
    """Return the time in UTC, in ISO 8601 to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
