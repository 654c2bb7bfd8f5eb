"""Merges copies of a results file, and deletes a student from all copies.

Of two copies, the merged file has:

    runs, results, overrides    all rows of both; rows are only added and have unique ids
    submissions                 a student's rows from the copy with the newer grading
    the other tables            the newer row of each key
    forgotten                   all rows of both, and no other row about these students

If two people decided the same thing differently in the meantime, neither decision counts (in_force.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from typing import TYPE_CHECKING

from grader.assignment import COLLECTED
from grader.console import say
from grader.errors import Refused, nearest
from grader.gradebook.settings import works_of
from grader.gradebook.store import Store, new_uid, now
from grader.submissions.keys import trouble_with_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Course

# Tables whose rows have the same key in all copies, each with an expression that is greater in the newer row.
_NEWER = {
    "absent": "at",
    "posted": "at",
    "pending": "at",
    "files": "at",
    "handed_out": "code",
    "answers": "done || seen",
    "listings": "newest",
    "posting": "ended",
    "forgotten": "id",
}
_OWN_NUMBERS = {
    "runs": ("id",),
    "overrides": ("id",),
    "submissions": ("result",),
}  # columns that differ between copies
_OF_STUDENTS = ("submissions", "results", "absent", "overrides", "posted", "pending", "answers")
_NEWEST = "SELECT s.assignment, s.student, max(r.graded) AS graded, max(s.submitted) AS submitted"


class SharedStore(Store):
    """A results file that can merge its copies into itself."""

    def take_in(self, other: Path) -> None:
        """Merge a copy of this file into it. Raises Refused for a file that is not a copy."""
        with Store(other) as copy:  # brings it up to date
            identity = copy.identity
        query = "SELECT 1 FROM runs UNION ALL SELECT 1 FROM overrides UNION ALL SELECT 1 FROM posted LIMIT 1"
        if identity != self.identity and self._rows(query):
            raise Refused(
                f"{self.path}: this is not a copy of the class's results file; move it away, or name the right file"
            )
        with self._guard():
            self._database.execute("ATTACH DATABASE ? AS theirs", (str(other),))
        try:
            with self.transaction():
                self._database.execute("UPDATE identity SET id = ?", (identity,))
                self._take_rows()
                self._take_submissions()
                for table, newer in _NEWER.items():
                    self._take_newer(table, newer)
                dropped = self._drop_forgotten()
        finally:
            with self._guard():
                self._database.execute("DETACH DATABASE theirs")
        if dropped:
            self._leave_no_page()

    def _columns(self, table: str, *but: str) -> str:
        names = [row[1] for row in self._rows(f"PRAGMA table_info({table})")]
        return ", ".join(name for name in names if name not in but)

    def _take_rows(self) -> None:
        """Add the missing rows of the tables whose rows never change."""
        run = "(SELECT o.id FROM main.runs o JOIN theirs.runs t ON t.uid = o.uid WHERE t.id = r.run)"
        for table, first in (("runs", ""), ("results", "run"), ("overrides", "")):
            columns = self._columns(table, "id", "run")
            self._database.execute(
                f"INSERT INTO main.{table} ({', '.join(filter(None, (first, columns)))}) "  # noqa: S608  our own names
                f"SELECT {run + ',' if first else ''} {columns} FROM theirs.{table} r "
                f"WHERE uid NOT IN (SELECT uid FROM main.{table}) ORDER BY id"
            )
        self._database.execute(
            "UPDATE main.runs SET ended = t.ended, works = max(t.works, runs.works) FROM theirs.runs t "
            "WHERE t.uid = runs.uid AND t.ended > runs.ended"
        )

    def _take_submissions(self) -> None:
        """Take a student's rows if the copy has a newer grading, and drop those that the copy knows to be gone."""
        of = "{0}.submissions s JOIN {0}.results r ON r.id = s.result GROUP BY 1, 2"
        gone = "EXISTS (SELECT 1 FROM {0}.absent a WHERE (a.assignment, a.student) = (n.assignment, n.student) AND a.at > n.graded)"
        for there, here in (("theirs", "main"), ("main", "theirs")):
            self._database.execute(
                f"CREATE TEMP TABLE newer_{there} AS SELECT * FROM ({_NEWEST} FROM {of.format(there)}) n "  # noqa: S608  our own names
                f"WHERE NOT ({gone.format(here)} AND NOT EXISTS (SELECT 1 FROM {here}.submissions s "
                "WHERE (s.assignment, s.student) = (n.assignment, n.student)))"
            )
        newer = (
            "SELECT t.assignment, t.student FROM newer_theirs t LEFT JOIN newer_main o USING (assignment, student) "
            "WHERE o.graded IS NULL OR (t.graded, t.submitted) > (o.graded, o.submitted)"
        )
        left = "SELECT assignment, student FROM newer_main"
        columns = self._columns("submissions", "result")
        result = (
            "(SELECT o.id FROM main.results o JOIN theirs.results t ON t.uid = o.uid WHERE t.id = s.result)"
        )
        self._database.execute(f"CREATE TEMP TABLE taken AS {newer}")
        self._database.execute(
            f"DELETE FROM main.submissions WHERE (assignment, student) IN taken OR (assignment, student) NOT IN ({left})"  # noqa: S608  our own names
        )
        self._database.execute(
            f"INSERT INTO main.submissions (result, {columns}) SELECT {result}, {columns} FROM theirs.submissions s "  # noqa: S608  our own names
            "WHERE (assignment, student) IN taken"
        )
        for table in ("newer_theirs", "newer_main", "taken"):
            self._database.execute(f"DROP TABLE temp.{table}")

    def _take_newer(self, table: str, newer: str) -> None:
        keys = [row[1] for row in self._rows(f"PRAGMA table_info({table})") if row[5]]
        same = " AND ".join(f"o.{key} = t.{key}" for key in keys)
        parts = [part.strip() for part in newer.split("||")]
        ours, theirs = (" || ".join(f"{one}.{part}" for part in parts) for one in "ot")
        columns = self._columns(table)
        self._database.execute(
            f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM theirs.{table} t "  # noqa: S608  our own names
            f"WHERE NOT EXISTS (SELECT 1 FROM main.{table} o WHERE {same} AND {ours} >= {theirs})"
        )

    def copy_to(self, path: Path) -> None:
        """Write a copy of the file without remains of deleted rows. Raises Refused."""
        with self._guard():
            self._database.execute("VACUUM INTO ?", (str(path),))

    def digest(self, *but: str) -> str:
        """Return a hash of the contents, equal for copies with the same rows; tables in `but` do not count."""
        found = hashlib.sha256(self.identity.encode())
        for table in sorted({"runs", "submissions", "overrides", *_NEWER}.difference(but)):
            columns = self._columns(table, *_OWN_NUMBERS.get(table, ()))
            rows = self._rows(f"SELECT {columns} FROM {table}")  # noqa: S608  our own names
            found.update(f"{table} {sorted(map(repr, rows))}".encode())
        found.update(repr(sorted(self._texts("SELECT uid FROM results"))).encode())  # these rows never change
        return found.hexdigest()

    # --- Deleted students

    def forget(self, student: str) -> int:
        """Delete a student from every table for good, and return the number of rows. Raises Refused."""
        with self.transaction():
            self._put("forgotten", id=self._hash(student))
            count = self._drop_forgotten()
        self._leave_no_page()
        return count

    def _leave_no_page(self) -> None:
        """Rewrite the file, so that no free page holds deleted rows."""
        with self._guard():
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def students_in(self, table: str) -> list[str]:
        """Return the students with a row in a table."""
        return self._texts(f"SELECT DISTINCT student FROM {table}")  # noqa: S608  our own names

    def _hash(self, student: str) -> str:
        return hashlib.sha256(f"{self.identity} {student}".encode()).hexdigest()

    def _drop_forgotten(self) -> int:
        hashes, count = {*self._texts("SELECT id FROM forgotten")}, 0
        for table in _OF_STUDENTS if hashes else ():
            for student in self.students_in(table):
                if self._hash(student) in hashes:
                    deleted = self._database.execute(f"DELETE FROM {table} WHERE student = ?", (student,))  # noqa: S608  the same
                    count += deleted.rowcount
        return count

    # --- Posts

    @contextlib.contextmanager
    def posting(self, assignment: str, holder: str) -> Iterator[None]:
        """Mark a post as under way while the block runs. After a kill, it stays marked for other people."""
        begun = {"uid": new_uid(), "assignment": assignment, "holder": holder, "began": now()}
        with self.transaction():
            self._database.execute(
                "UPDATE posting SET ended = ? WHERE holder = ? AND ended = ''", (now(), holder)
            )
            self._put("posting", **begun, ended="")
        try:
            yield
        finally:
            with self.transaction():
                self._put("posting", **begun, ended=now())

    def under_way(self, holder: str, since: str) -> str:
        """Return who else is posting since a time after `since` (UTC, ISO 8601), or ""."""
        query = (
            "SELECT holder || ', since ' || began FROM posting WHERE ended = '' AND holder <> ? AND began > ?"
        )
        return next(iter(self._texts(query, holder, since)), "")


def forget_student(course: Course, results: Path, student: str) -> None:
    """Delete a student from the results file and the collected works, and print what stays. Raises Refused."""
    works = [works_of(course, day) for day in course.names]
    places = [
        place for folder in works for place in (folder / student, folder / COLLECTED / f"{student}.json")
    ]
    there = [place for place in places if os.path.lexists(place)]
    if trouble_with_key(student):
        raise Refused(f"{student}: this is not a student's name")
    with SharedStore(results) as store:
        known = {one for table in _OF_STUDENTS for one in store.students_in(table)}
        if student not in known and not there:
            raise Refused(
                f"{student}: no such student in {results} or in the collected work{nearest(student, [*known])}"
            )
        count = store.forget(student)
    for place in there:
        shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
    say(f"{student}: deleted {count} rows of {results} and {len(there)} paths of collected work")
    say(
        "Not deleted: the line in the roster and in extensions.csv; pages, sheets and files that were written (`report --html`, "
        "`post --to`, `viva`, `copies --export`); the student's repository; clones and backups of others"
    )
