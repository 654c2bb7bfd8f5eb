"""`grade post --to DIR`: a page and a Markdown file for each student, and a zip for Moodle or Canvas.

`DIR/day2-ada.html` and `DIR/day2-ada.md` have the text that is posted on GitHub, with the same restriction: before the
grade is final they hold no number of a hidden test, and with `hidden: final` there are no files until then. Each file has
a mark with the id of the results file, and the results file has the hash of each file. So a later run changes and removes
only its own files: neither one that somebody edited nor one that was written from a copy of the results file.

Moodle ("Upload multiple feedback files in a zip"; moodle/moodle, mod/assign/feedback/file/importziplib.php) cuts each
name at the first four `_`. It finds the student by the number, and ignores files that begin with `.` or `~`:

    Ada-Lovelace_12345_assignsubmission_file_day2-feedback.html
    |            |     two words of Moodle's own download
    |            the participant's number, from the grading worksheet
    anything without `_`

Canvas ("Re-Upload Submissions"; instructure/canvas-lms, app/models/abstract_assignment.rb,
`infer_comment_context_from_filename`) imports a file as a comment if it has its name in the download. It finds student and
upload by the first two numbers between `_`, and **shows the comment's file under the name of the student's own file**. So
the feedback on a notebook is a notebook with one text cell, and other feedback is text.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.authoring.reference import reference_code
from grader.console import FULL, LESS, count_noun, say, say_notes
from grader.errors import Refused, first_of
from grader.files import NotPlain, read_plain, write_bytes
from grader.gradebook.grade import absent_of, graded_students, grades_of, warnings_about
from grader.gradebook.late import last_extension, read_extensions
from grader.gradebook.matching import SHOWN, match_students
from grader.gradebook.roster import RosterStudent, read_roster
from grader.gradebook.sentences import (
    absent_words,
    grade_html,
    grade_markdown,
    is_provisional,
    work_counts,
)
from grader.gradebook.store import Store
from grader.render.escape import json_page
from grader.render.htmlpage import fill
from grader.report import Outcome
from grader.submissions.archive import Archive
from grader.submissions.keys import file_names, select_students, student_key
from grader.submissions.platforms import newest_uploads
from grader.submissions.state_words import when

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.gradedwork import GradedWork

LARGEST = 20 << 20  # bytes of a file that is read back
LONGEST = 1 << 20  # bytes of the Markdown
_ASK = "If you think that the grade is wrong, ask your instructor."
_DATE = (1980, 1, 1, 0, 0, 0)  # of every file in a zip, so that the same feedback gives the same bytes


# --- What a student may read


def trouble_of(assignment: Assignment, grade: GradedWork) -> str:
    """Return the reason why a student may read nothing now, or ""."""
    if grade.score is None and grade.excused is None:
        return "a check is ungradable; grade the work again, or use `grade override`. If the course is at fault, fix it first (`grade validate` helps)"
    if work_counts(grade) and grade.report.hidden_checks and assignment.manifest.hidden.answer == "final":
        return "assignment.yaml says `hidden: final`, and the grade is not final yet"
    return ""


def reference_for(assignment: Assignment, grade: GradedWork) -> str:
    """Return the reference's code for a final grade with full marks, if the manifest allows it.

    Empty for other grades, and as long as any student's work still counts.
    """
    if not _has_full_marks(grade) or not _shows_reference(assignment):
        return ""
    extensions, now = read_extensions(assignment), dt.datetime.now(dt.UTC)
    return "" if last_extension(assignment.manifest, extensions, now) else reference_code(assignment)


def _has_full_marks(grade: GradedWork) -> bool:
    """Return True for full marks that are final, of an assignment with hidden checks."""
    passed = bool(grade.report.hidden_checks) and grade.report.outcome is Outcome.PASSED
    return passed and not is_provisional(grade)


def _shows_reference(assignment: Assignment) -> bool:
    """Return True if the manifest shows the reference for full marks, and the file is there."""
    return assignment.manifest.reference == "full_marks" and assignment.reference.is_file()


def reference_notes(assignment: Assignment, grades: Iterable[GradedWork]) -> Iterator[str]:
    """Yield a note with the time before which nobody gets the reference, because a student has an extension."""
    running = last_extension(assignment.manifest, read_extensions(assignment), dt.datetime.now(dt.UTC))
    full = any(map(_has_full_marks, grades))
    if running and full and _shows_reference(assignment):
        end, students = running
        have = "has" if len(students) == 1 else "have"
        yield f"the reference is not posted before {when(end)}: {first_of(students, SHOWN)} still {have} time"


_TITLE = "The reference solution, to compare with yours"


def folded_markdown(code: str) -> str:
    """Return the reference's code as a folded block; empty without code."""
    if not code:
        return ""
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", code))]))
    return f"\n<details><summary>{_TITLE}</summary>\n\n{fence}python\n{code}{fence}\n\n</details>\n"


def _folded_html(code: str) -> str:
    return fill("gradebook/reference.html", title=_TITLE, code=code) if code else ""


# --- The command


def run_feedback(
    assignment: Assignment,
    results: Path,
    folder: Path,
    students: Sequence[str],
    upload: tuple[str, Path] | None = None,
    *,
    take_over: bool = False,
) -> int:
    """Write the files of the class, or of these students, and return the exit code. Raises Refused.

    `upload` names a platform and its export, and asks for a zip to import there. `take_over` replaces files that came from
    another results file, or that somebody edited.
    """
    with Store(results) as store:
        known = graded_students(assignment, store)
        if not known:
            raise store.no_results(assignment.name)
        names = {student: f"{assignment.name}-{name}" for student, name in file_names(known).items()}
        wanted = {one.student for one in select_students(map(RosterStudent, known), students, results)}
        entries, notes = _entries(assignment, wanted, *upload) if upload else ({}, [])
        output = _Output(
            assignment, folder, store.identity, store.files(assignment.name), take_over=take_over
        )
        grades = []
        for grade in grades_of(assignment, store):
            grades.append(grade.without_report)
            if grade.student in wanted:
                output.add(grade, names[grade.student])
        if not students:
            output.remove_others()
        notes = [*notes, *warnings_about(assignment, store, grades)]
        absent = absent_of(assignment, store)
        packed = {names[student]: entry for student, entry in entries.items()}
        zipped = [output.write_zip(upload[0], packed)] if upload else []
        store.keep_files(assignment.name, output.new)
    say(f"{assignment.name}  {assignment.manifest.title}")
    for line in [*output.lines(), *(absent_words(one) for one in absent if not students), *zipped]:
        say(f"  {line}")
    say_notes(notes)
    return LESS if output.left_out else FULL


@dataclass
class _Output:
    """The output folder, and the state of each file in it after this run."""

    assignment: Assignment
    folder: Path
    source: str  # the id of the results file
    known: set[str]  # the hashes of the files written from it
    new: dict[str, str] = field(default_factory=dict)  # the paths of this run's files, by hash
    wanted: set[str] = field(default_factory=set)  # names of files that should exist
    written: set[str] = field(default_factory=set)  # names of files that do
    states: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    take_over: bool = field(default=False, kw_only=True)

    @property
    def mark(self) -> str:
        """The mark of files that were written for this assignment from this results file."""
        return f"backgrade:feedback-{self.assignment.name}-{self.source}"

    def add(self, grade: GradedWork, name: str) -> None:
        """Write the two files of a student, or note why there are none."""
        if trouble := trouble_of(self.assignment, grade):
            self.left_out.setdefault(trouble, []).append(grade.student)
            return
        self.wanted.add(name)
        code = reference_for(self.assignment, grade)
        page = grade_html(grade, ask=_ASK, more=_folded_html(code))
        text = grade_markdown(grade, limit=LONGEST, ask=_ASK) + folded_markdown(code)
        comment = f"<!-- {self.mark} -->\n"
        try:
            states = [
                self._write(f"{name}.html", page.replace("\n", f"\n{comment}", 1).encode()),
                self._write(f"{name}.md", f"{comment}{text}".encode()),
            ]
        except _NotOurs as error:
            self.left_out.setdefault(str(error), []).append(grade.student)
            return
        self.written.add(name)
        self.states[max(states, key=_STATES.index)] += 1

    def _write(self, name: str, data: bytes) -> str:
        """Write a file unless it is there already, and return its state. Raises Refused, and _NotOurs."""
        path = self.folder / name
        before = self._ours(path, data)
        self.new[_hash(data)] = str(path)
        if before == data:
            return "as before"
        write_bytes(path, data, self.assignment.course.root, make_folder=True)
        return "new" if before is None else "changed"

    def _ours(self, path: Path, new: bytes = b"") -> bytes | None:
        """Return the bytes of a file that may be replaced by `new`; None without a file. Raises _NotOurs, Refused."""
        try:
            data = read_plain(path, LARGEST)[0]
        except FileNotFoundError:
            return None
        except NotPlain:
            data = b""
        except OSError as error:
            raise Refused(f"{path}: cannot be read: {error.strerror}; name another folder") from error
        mark = self.mark.removesuffix(self.source) if self.take_over else self.mark
        if mark.encode() not in (data[-len(self.mark) :] if path.suffix == ".zip" else data[:_HEAD]):
            raise _NotOurs(
                f"{path} perhaps does not come from this results file and was not replaced; move it away"
            )
        if not (self.take_over or data == new or _hash(data) in self.known):
            raise _NotOurs(
                f"{path} was edited, or written from a copy of this results file, so it was not replaced; "
                "`grade post` with --take-over replaces it"
            )
        return data

    def remove_others(self) -> None:
        """Remove files of earlier runs whose students get no file now."""
        found = self.folder.glob(f"{self.assignment.name}-*.*") if self.folder.is_dir() else ()
        for path in sorted(found):
            if path.suffix in {".html", ".md"} and path.stem not in self.wanted:
                try:
                    self._ours(path)
                    path.unlink()
                except _NotOurs:
                    continue
                except OSError as error:
                    raise Refused(
                        f"{path}: cannot be removed: {error.strerror}; remove it yourself"
                    ) from error
                self.states["removed"] += path.suffix == ".html"

    def lines(self) -> list[str]:
        """Return the lines about the files, then about the students without one."""
        counts = ", ".join(f"{self.states[state]} {state}" for state in _STATES if self.states[state])
        lines = [f"feedback in {self.folder}, by student: {counts or 'nothing written'}"]
        return lines + [
            f"left out: {first_of(names, SHOWN)}, because {trouble}"
            for trouble, names in self.left_out.items()
        ]

    def write_zip(self, platform: str, entries: dict[str, str]) -> str:
        """Write the zip of these files, each under its name for the platform, and return a line about it."""
        written = {name: entry for name, entry in sorted(entries.items()) if name in self.written}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.comment = self.mark.encode()
            for name, entry in written.items():
                data = self._entry(platform, name, entry)
                archive.writestr(zipfile.ZipInfo(entry, _DATE), data, zipfile.ZIP_DEFLATED)
        name = f"{self.assignment.name}-{platform}.zip"
        try:
            state = self._write(name, packed.getvalue())
        except _NotOurs as error:
            raise Refused(str(error)) from error
        return f"{self.folder / name} is {state}, with the feedback of {count_noun(len(written), 'student')}"

    def _entry(self, platform: str, name: str, entry: str) -> bytes:
        if platform == "moodle":
            return read_plain(self.folder / f"{name}.html", LARGEST)[0]
        data = read_plain(self.folder / f"{name}.md", LARGEST)[0]
        if not entry.casefold().endswith(".ipynb"):
            return data
        cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": data.decode()}
        return json_page({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


_STATES = ["as before", "changed", "new", "removed"]
_HEAD = 100  # bytes, in which the mark is


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _NotOurs(Exception):
    """A file in the way that this command did not write; the text says what to do."""


# --- Names in a zip


def _entries(
    assignment: Assignment, students: Iterable[str], platform: str, export: Path
) -> tuple[dict[str, str], list[str]]:
    """Return the name in the zip for each student, and notes about students without one. Raises Refused."""
    if platform == "canvas":
        return _in_canvas(students, export)
    roster = read_roster(export)
    if not all(re.search(r"\d$", student.ids.get("Identifier", "")) for student in roster):
        raise Refused(
            f"{export}: this file has no participant numbers; give the assignment's grading worksheet, which Moodle "
            "has under Submissions, Actions, Download grading worksheet"
        )
    matches = match_students(students, roster)
    entries = {}
    for student, one in matches.pairs:
        number = re.findall(r"\d+", one.ids["Identifier"])[-1]
        name = student_key(one.name).replace("_", "-") or "Participant"
        entries[student] = f"{name}_{number}_assignsubmission_file_{assignment.name}-feedback.html"
    return entries, matches.notes()


def _in_canvas(students: Iterable[str], export: Path) -> tuple[dict[str, str], list[str]]:
    uploads = newest_uploads(Archive(export))
    if not uploads:
        raise Refused(
            f"{export}: this holds no student's file; give the zip from Canvas's Download Submissions"
        )
    entries = {student: uploads[student] for student in students if student in uploads}
    missing = sorted({*students} - entries.keys())
    why = "because Canvas's export has no file of theirs, and Canvas takes feedback only on a file"
    return entries, [f"the zip has no feedback for {first_of(missing, SHOWN)}, {why}"] if missing else []
