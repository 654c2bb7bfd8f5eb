"""The rows of a results file: gradings, overrides, posted texts, answers of hidden checks."""

from __future__ import annotations

import contextlib
import datetime as dt
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from grader.errors import Refused
from grader.gradebook.database import RESTORE, Database
from grader.gradebook.gradedwork import GradedWork, VersionName
from grader.gradebook.in_force import Override, Overrides, Points, last_about
from grader.report import Report, from_json, to_json
from grader.submissions.states import NO_RESULT, State, times_of
from grader.submissions.work import HandedIn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


RESULTS = "results.db"  # the default
Count = Annotated[int, Meta(ge=0)]
FIRST_YEAR, LAST_YEAR = 1970, 9000  # of a time, so that every time zone can show it
T = TypeVar("T")
JSON = {"notes", "state", "later", "not_taken", "items"}  # columns; empty text means None
TIMES = {
    "submitted",
    "graded",
    "started",
    "at",
    "seen",
    "done",
    "again",
}  # columns; empty text means unknown or none
COLUMNS = {"commit": "commit_id", "check": "check_id"}  # fields whose names are keywords of SQL


class Grading(msgspec.Struct, frozen=True):
    """A grading with its report as JSON; `version` is the version for which it counts, None if it no longer counts."""

    key: str
    graded: str
    version: VersionName | None
    report: str


class PostedText(msgspec.Struct, frozen=True):
    """A text that was posted to a student: its location, its hash, and the grade as JSON."""

    student: str
    place: str
    sha256: str
    record: str
    at: str = ""


class PushRecord(msgspec.Struct, frozen=True):
    """A student's last push and the last answer to it; all times are UTC in ISO 8601, "" for none.

    `repository` is GitHub's number. `seen` is the time of the newest push, `done` the time of the last handled push: while
    they differ, the student waits. `commit` was answered last, or waits until `again`. `day` has had `count` answers.
    """

    student: str
    repository: Count = 0
    seen: str = ""
    done: str = ""
    commit: str = ""
    day: str = ""
    count: Count = 0
    again: str = ""


class Listing(msgspec.Struct, frozen=True):
    """The last list of an organisation's repositories: the ETag of its first page, and its newest push (UTC)."""

    etag: str = ""
    newest: str = ""


def results_option(results: Path) -> str:
    """Return the option that makes a command use the same file: "" for the default, or ` --results FILE`."""
    return "" if results == Path(RESULTS) else f" --results {results}"


class Store(Database):
    """An open results file, as rows. Each row is read by its type, because somebody may have edited or damaged the file.

    New gradings belong to the run `run`, if one has begun.
    """

    run: int | None = None

    def _read(self, of: type[T], what: str, query: str, *values: Any) -> list[T]:
        """Return the rows as this type, whose fields are columns. Raises Refused with the words `what`."""
        return self._as(of, what, self._rows_by_name(query, *values))

    def _as(self, of: type[T], what: str, rows: Iterable[dict[str, Any]]) -> list[T]:
        fields = {column: field for field, column in COLUMNS.items()}
        named = [{fields.get(name, name): self._cell(what, name, row[name]) for name in row} for row in rows]
        try:
            return msgspec.convert(named, list[of], strict=False)  # type: ignore[valid-type]  # SQLite has no booleans
        except msgspec.ValidationError as error:
            raise self.damage_error(what, error) from error

    def _cell(self, what: str, column: str, value: Any) -> Any:
        """Return the value of a cell: decode JSON, verify a time. Raises Refused."""
        if not isinstance(value, str):
            return value
        if column in TIMES:
            self._refuse_times(what, value)
        if column not in JSON:
            return value
        try:
            return msgspec.json.decode(value) if value else None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.damage_error(what, error) from error

    def _texts(self, query: str, *values: Any) -> list[str]:
        """Return the texts of a query for one column. Raises Refused."""
        rows = self._rows(query, *values)
        if not all(isinstance(text, str) for (text,) in rows):
            raise self.damage_error("an entry", "it is not text")
        return [text for (text,) in rows]

    def damage_error(self, what: str, error: Exception | str) -> Refused:
        """Return the error for an unreadable part of the file."""
        return Refused(f"{self.path}: {what} is damaged ({error}); {RESTORE}")

    def _refuse_times(self, what: str, *times: str) -> None:
        """Raise Refused for a text that is not a time as this program writes it, except ""."""
        for time in filter(None, times):
            try:
                moment = dt.datetime.fromisoformat(time)
            except ValueError as error:
                raise self.damage_error(what, error) from error
            if moment.tzinfo is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
                raise self.damage_error(what, f"{time[:40]} has no time zone, or a year that no course has")

    def _keep(self, table: str, assignment: str, rows: Iterable[dict[str, Any]]) -> None:
        """Insert rows, or replace those with the same keys, in one transaction."""
        with self.transaction():
            for row in rows:
                self._put(table, assignment=assignment, **row)

    # --- Runs

    @contextlib.contextmanager
    def running(self, assignment: str, command: str, suite: str) -> Iterator[None]:
        """Count the gradings of the block as one run; continue a killed run with the same command and suite."""
        with self.transaction():
            unfinished = self._rows(
                "SELECT id FROM runs WHERE assignment = ? AND command = ? AND suite = ? AND ended = '' ORDER BY id DESC",
                *(assignment, command, suite),
            )
            if unfinished:
                self.run = unfinished[0][0]
            else:
                new = {"assignment": assignment, "command": command, "suite": suite, "uid": new_uid()}
                self.run = self._put("runs", **new, started=now(), ended="", works=0)
        try:
            yield
        except BaseException:
            self.run = None
            raise
        with self.transaction():
            self._database.execute("UPDATE runs SET ended = ? WHERE id = ?", (now(), self.run))
        self.run = None

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
        """Store a grading, which then counts for that version of the student's work.

        Return False if another run already stored one with the same key: that result stays, unless `again` is set.
        """
        day, student = report.assignment.id, work.student
        with self.transaction():
            same = self._rows(
                "SELECT 1 FROM counting WHERE assignment = ? AND student = ? AND version = ? AND key = ? "
                "AND score IS NOT NULL",
                *(day, student, version, key),
            )
            if same and not again:
                return False
            points = {"score": report.score, "max_score": report.max_score, "outcome": str(report.outcome)}
            kept = {
                "uid": new_uid(),
                "run": self.run,
                "student": student,
                "key": key,
                "graded": now(),
                "report": to_json(report),
            }
            number = self._put("results", assignment=day, **kept, **points)
            self._database.execute("UPDATE runs SET works = works + 1 WHERE id = ?", (self.run,))
            of = {"version": version, "result": number, "kind": work.state.kind}
            self._put("submissions", assignment=day, **of, **_columns_of(work))
            self._database.execute("DELETE FROM absent WHERE assignment = ? AND student = ?", (day, student))
        return True

    def keep_facts(self, assignment: str, work: HandedIn, *, version: VersionName = "last") -> None:
        """Store new facts about work that needs no grading, for example after a second push of the same file."""
        facts = {"kind": work.state.kind, **_columns_of(work)}
        changes = ", ".join(f"{name} = ?" for name in facts)
        with self.transaction():
            self._database.execute(
                f"UPDATE submissions SET {changes} WHERE assignment = ? AND student = ? AND version = ?",  # noqa: S608  our own names
                (*facts.values(), assignment, work.student, version),
            )

    def drop_in_time(self, assignment: str, student: str) -> None:
        """Drop the result of the work on time, so that only the last work is left."""
        with self.transaction():
            self._database.execute(
                "DELETE FROM submissions WHERE assignment = ? AND student = ? AND version = 'in_time'",
                (assignment, student),
            )

    def gradings_of(self, assignment: str, student: str) -> dict[VersionName, tuple[str, HandedIn]]:
        """Return key and facts of a student's gradings with a score, by version."""
        query = "SELECT * FROM counting WHERE assignment = ? AND student = ? AND score IS NOT NULL"
        both = self._counting(student, query, assignment, student)
        return {of.version or "last": (of.key, work) for of, work in both}

    def _counting(self, student: str, query: str, *values: Any) -> list[tuple[Grading, HandedIn]]:
        what, rows = f"the entry about the work of {student}", self._rows_by_name(query, *values)
        return list(zip(self._as(Grading, what, rows), self._works(what, rows), strict=True))

    def _works(self, what: str, rows: list[dict[str, Any]]) -> list[HandedIn]:
        works = self._as(HandedIn, what, rows)
        states = (one for work in works for one in (work.state, work.later, *work.not_taken))
        self._refuse_times(what, *(time for state in states for time in times_of(state)))
        return works

    def results_of(self, assignment: str, student: str) -> Iterator[GradedWork]:
        """Yield a student's gradings: of the last work, then of the work on time."""
        query = "SELECT * FROM counting WHERE assignment = ? AND student = ? ORDER BY version DESC"
        for of, work in self._counting(student, query, assignment, student):
            report = self._report(student, of.report)
            yield GradedWork.of(of.key, work, report, version=of.version or "last")

    def gradings(self, assignment: str, student: str) -> list[Grading]:
        """Return every grading of a student, the oldest first."""
        query = (
            "SELECT r.key, r.graded, s.version, r.report FROM results r LEFT JOIN submissions s "
            "ON s.result = r.id AND s.assignment = r.assignment AND s.student = r.student "
            "WHERE r.assignment = ? AND r.student = ? ORDER BY r.id"
        )
        return self._read(Grading, f"a result of {student}", query, assignment, student)

    def last_graded(self, assignment: str) -> str:
        """Return the time of the newest grading, UTC in ISO 8601; "" if there is none."""
        query = "SELECT max(graded) FROM results WHERE assignment = ? HAVING max(graded) IS NOT NULL"
        times = self._texts(query, assignment)
        self._refuse_times("the time of a result", *times)
        return times[0] if times else ""

    def report(self, assignment: str, student: str, key: str) -> Report | None:
        """Return the last report with that key, even if it does not count; None without one."""
        query = "SELECT report FROM results WHERE assignment = ? AND student = ? AND key = ? ORDER BY id DESC"
        texts = self._texts(query, assignment, student, key)
        return self._report(student, texts[0]) if texts else None

    def _report(self, student: str, text: str) -> Report:
        try:
            report = from_json(text)
            points = [number for check in report.checks for number in (check.score, check.max_score)]
            msgspec.convert([report.score, report.max_score, *points], list[Points | None])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.damage_error(f"the report of {student}", error) from error
        self._refuse_times(f"the report of {student}", report.started)
        return report

    def keep_absent(self, assignment: str, student: str, state: State) -> None:
        """Store the reason why a student has no result; if the work is unknown, an earlier result still counts."""
        with self.transaction():
            if isinstance(state, NO_RESULT):
                self._database.execute(
                    "DELETE FROM submissions WHERE assignment = ? AND student = ?", (assignment, student)
                )
            row = {"assignment": assignment, "student": student, "kind": state.kind, "state": _as_cell(state)}
            self._put("absent", **row, at=now())

    def absent(self, assignment: str) -> dict[str, State]:
        """Return the states of the students without a result, by student, in order."""
        query = (
            "SELECT student, state, '' AS name FROM absent a WHERE assignment = ? AND NOT EXISTS (SELECT 1 FROM submissions s "
            "WHERE s.assignment = a.assignment AND s.student = a.student) ORDER BY student"
        )
        dropped, found = self.in_force(assignment).dropped, dict[str, State]()
        for row in self._rows_by_name(query, assignment):
            (work,) = self._works(f"the state of {row['student']}", [row])
            found[work.student] = work.state
        return {student: state for student, state in found.items() if student not in dropped}

    def add_handed_out(self, assignment: str, codes: Iterable[str]) -> frozenset[str]:
        """Store the code of notebooks that students got, as hashes, and return all stored ones."""
        query = "SELECT code FROM handed_out WHERE assignment = ?"
        known = {*self._texts(query, assignment)}
        if new := {*codes} - known:
            self._keep("handed_out", assignment, ({"code": code} for code in new))
        return frozenset(known | new)

    def students(self, assignment: str, *, dropped: bool = False) -> list[str]:
        """Return the students with a result, sorted; `dropped` includes those whose result was dropped."""
        query = "SELECT DISTINCT student FROM submissions WHERE assignment = ? ORDER BY student"
        without = {} if dropped else self.in_force(assignment).dropped
        return [student for student in self._texts(query, assignment) if student not in without]

    def everybody(self, assignment: str) -> list[str]:
        """Return the students with a result, then those without one."""
        return [*self.students(assignment), *self.absent(assignment)]

    def assignments(self) -> list[str]:
        """Return the assignments with a result, an override, or a student without a result."""
        query = (
            "SELECT assignment FROM submissions UNION SELECT assignment FROM overrides "
            "UNION SELECT assignment FROM absent ORDER BY 1"
        )
        return self._texts(query)

    def no_results(self, what: str) -> Refused:
        """Return the error for a file without results of `what`."""
        names = self._texts("SELECT DISTINCT assignment FROM submissions ORDER BY 1")
        others = f", only of {', '.join(names)} (a renamed assignment counts as a new one)" if names else ""
        return Refused(f"{self.path}: there are no results of {what}{others}; run `grade batch` first")

    # --- Overrides

    def keep_override(self, override: Override) -> None:
        """Store an override, dated now."""
        self.add_overrides([msgspec.structs.replace(override, at=now())])

    def add_overrides(
        self, overrides: Iterable[Override], *, elsewhere: bool = False, seen: set[str] | None = None
    ) -> None:
        """Store overrides with their own times, the oldest first. Each replaces the earlier ones about the same thing.

        Overrides made `elsewhere` replace only each other: their authors did not know this file. `seen` has the ids that
        the author knew: raises Refused, and stores nothing, if an override would replace one that is not in it.
        """
        last, known = dict[tuple[str, ...], list[Override]](), set[str]()
        with self.transaction():
            for one in overrides:
                if one.assignment not in known and not elsewhere:
                    known.add(one.assignment)
                    last |= last_about(self.overrides(one.assignment))
                before = last.get(one.about, [])
                if seen is not None and (others := [each for each in before if each.uid not in seen]):
                    raise Refused(f"{others[-1].who} changed this in the meantime; nothing was saved")
                own = {"uid": new_uid(), "replaces": " ".join(each.uid for each in before)}
                made = msgspec.structs.replace(one, **own)
                self._put("overrides", **_columns_of(made))
                last[one.about] = [made]

    def overrides(self, assignment: str) -> list[Override]:
        """Return every override, the oldest first."""
        query = "SELECT * FROM overrides WHERE assignment = ? ORDER BY at, id"
        return self._read(Override, "an override", query, assignment)

    def in_force(self, assignment: str) -> Overrides:
        """Return the overrides that count."""
        return Overrides.of(self.overrides(assignment))

    # --- Posted texts

    @property
    def identity(self) -> str:
        """The id of this file and of its copies."""
        for identity in self._texts("SELECT id FROM identity"):
            return identity
        raise self.damage_error("the identity of the file", "there is none")

    def keep_posted(self, assignment: str, *posted: PostedText) -> None:
        """Store posted texts, dated now."""
        self._keep("posted", assignment, [_columns_of(one) | {"at": now()} for one in posted])

    def posted_texts(self, assignment: str) -> dict[str, PostedText]:
        """Return the last posted text of each student."""
        query = "SELECT * FROM posted WHERE assignment = ?"
        return {
            one.student: one
            for one in self._read(PostedText, "the record of a posted text", query, assignment)
        }

    def keep_pending(self, assignment: str, student: str, sha256: str) -> None:
        """Store the hash of a text before it is sent, dated now."""
        self._keep("pending", assignment, [{"student": student, "sha256": sha256, "at": now()}])

    def pending(self, assignment: str) -> set[str]:
        """Return the hash of each student's text that was last to be sent."""
        return {*self._texts("SELECT sha256 FROM pending WHERE assignment = ?", assignment)}

    def keep_files(self, assignment: str, files: Mapping[str, str]) -> None:
        """Store the paths of files for students, by hash, dated now."""
        rows = ({"sha256": sha256, "path": path, "at": now()} for sha256, path in files.items())
        self._keep("files", assignment, rows)

    def files(self, assignment: str) -> set[str]:
        """Return the hashes of all files that were written for students."""
        return {*self._texts("SELECT sha256 FROM files WHERE assignment = ?", assignment)}

    # --- Answers of hidden checks

    def keep_answer(self, assignment: str, answer: PushRecord) -> None:
        """Store the state of a student's answers."""
        self._keep("answers", assignment, [_columns_of(answer)])

    def answers(self, assignment: str) -> dict[str, PushRecord]:
        """Return the state of the answers, by student."""
        query = "SELECT * FROM answers WHERE assignment = ?"
        found = self._read(PushRecord, "the row of an answer", query, assignment)
        return {answer.student: answer for answer in found}

    def keep_listing(
        self, assignment: str, organisation: str, listing: Listing, seen: Iterable[PushRecord]
    ) -> None:
        """Store the state of a list, and the pushes read from it, in one transaction."""
        with self.transaction():
            for answer in seen:
                self._put("answers", assignment=assignment, **_columns_of(answer))
            name = organisation.casefold()
            self._put("listings", assignment=assignment, organisation=name, **_columns_of(listing))

    def listing(self, assignment: str, organisation: str) -> Listing:
        """Return the state of a list at the last reading; an empty one before the first."""
        query = "SELECT * FROM listings WHERE assignment = ? AND organisation = ?"
        rows = self._read(Listing, "a row", query, assignment, organisation.casefold())
        return rows[0] if rows else Listing()


def new_uid() -> str:
    """Return a unique id for a row, across all copies of the file."""
    return secrets.token_hex(8)


def _columns_of(row: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a struct as values for SQLite, by column."""
    fields = ((name, getattr(row, name)) for name in row.__struct_fields__)
    return {COLUMNS.get(name, name): _as_cell(value) if name in JSON else value for name, value in fields}


def _as_cell(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()


def now() -> str:
    """Return the time in UTC, in ISO 8601 to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
