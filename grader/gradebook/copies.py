"""`grade copies`: causes of failed checks that few students of a class share.

A cause is a finding about a report: a wrong rule or walk, a mistake that the author foresaw, an answer, a wrong number. A
student whose work is right has none. Students with one repository are a team, which counts as one student.

`grade copies --export` writes a folder that JPlag, Dolos and compare50 take. Nothing of the code is executed or parsed.

students/ada/work.py   a student's graded cells, joined: one folder for each student
base/base.py           the code that everybody was given: the template, and files of the lecture
info.csv               the table that Dolos reads
README.md              the command lines

A student's file keeps the unchanged cells of the template: the tools ignore the code of base/, and a match shows its
surroundings. Magics of notebooks become `pass`, because JPlag skips a file that does not parse. Sources: JPlag's "How to
Use JPlag", Dolos' "Running Dolos CLI" and "Adding metadata", compare50's documentation.
"""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.console import count_noun, say, say_notes, show
from grader.errors import Refused, first_of
from grader.files import absolute, write_bytes
from grader.gradebook.findings import findings_of
from grader.gradebook.grade import grades_of
from grader.gradebook.settings import read_collected_folder
from grader.gradebook.spreadsheet import cell
from grader.gradebook.store import Store
from grader.render import wrap
from grader.sandbox.inside.cells import without_magics
from grader.submissions.find import find_works
from grader.submissions.keys import trouble_with_key
from grader.submissions.submission import read_submission, submission_from
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.gradedwork import GradedWork
    from grader.submissions.submission import Block
    from grader.submissions.work import FoundStudent, Work

FEW = 10  # a listed cause is shared with at most one in so many of the other students who have any cause
MOST_SHOWN = 50  # groups
MOST_NAMES = 8  # of a group
WIDTH = 100  # columns
CAUTION = (
    "An agreement proves nothing. Students who worked together as allowed can agree, and so can students who had the "
    "same tutor, read the same page or learned together. Compare both sources, and ask before you judge."
)
MOST_LEFT_OUT = 20  # students who are left out, with the reason
NOTHING_OWN = "no cell was changed"
README = """\
# {day} for JPlag, Dolos and compare50

{count} students. Each folder below `students/` holds the code of one student. `base/` holds the code that everybody was
given; the tools ignore it. Keep this folder private, and run one of these lines in it:

    java -jar jplag.jar -l python3 -bc base -r jplag students
    dolos run -l python -i base/base.py -f web info.csv
    compare50 students/* -d base -o compare50

A similarity is a reason to look, not a proof.
"""


class _CauseGroup(NamedTuple):
    """Students, or teams as `ada + bob`, with the causes that all of them have and no other student has.

    The causes are in words, by key.
    """

    students: tuple[str, ...]
    causes: dict[tuple[str, ...], str]


class _SharedCauses(NamedTuple):
    """The groups that share a cause, most causes first; `wrong` is the number of students or teams with any cause."""

    wrong: int
    groups: list[_CauseGroup]


def run_copies(
    assignment: Assignment, results: Path, source: Path | None, *, folder: Path | None, base: Sequence[Path]
) -> None:
    """List the causes that few share; with `folder` write the folder for other tools instead. Raises Refused."""
    if folder is not None:
        export_code(assignment, source or read_collected_folder(assignment), folder, base)
        return
    if base:
        raise Refused("--base names files for the exported folder; add --export DIR")
    with Store(results) as store:
        grades = list(grades_of(assignment, store))
        if not grades:
            raise store.no_results(assignment.name)
    show(_render_copies(assignment, shared_causes(assignment, grades)))
    if source is not None:
        say("note: SOURCE is read only for --export", err=True)


def shared_causes(assignment: Assignment, grades: Iterable[GradedWork]) -> _SharedCauses:
    """Return the groups of students who share a cause that at most one in FEW of the others has."""
    topic = make_topic(assignment.manifest.topic, {})
    words: dict[tuple[str, ...], str] = {}
    holders = defaultdict[tuple[str, ...], dict[str, list[str]]](dict)  # students by team
    wrong = set()
    for grade in grades:
        team = grade.work.repository.casefold() or grade.student
        for check in grade.report.checks:
            odd = [
                f"{fact.about} has {', '.join(fact.texts('odd'))}"
                for fact in check.facts
                if fact.texts("odd")
            ]
            for finding in findings_of(check, topic):
                key = (*finding.key, *odd)
                words.setdefault(key, ": ".join([finding.brief, *finding.code[:1], *odd]))
                members = holders[key].setdefault(team, [])
                members += [grade.student] if grade.student not in members else []
                wrong.add(team)
    groups = defaultdict[tuple[str, ...], dict[tuple[str, ...], str]](dict)
    for key, teams in holders.items():
        if 0 < (len(teams) - 1) * FEW <= len(wrong) - 1:
            groups[tuple(sorted(map(" + ".join, teams.values())))][key] = words[key]
    found = [_CauseGroup(students, causes) for students, causes in groups.items()]
    return _SharedCauses(
        len(wrong), sorted(found, key=lambda one: (-len(one.causes), len(one.students), one))
    )


def _render_copies(assignment: Assignment, found: _SharedCauses) -> str:
    """Return the list as text."""
    parts = [f"{assignment.name}  {assignment.manifest.title}", _of_class(found)]
    for group in found.groups[:MOST_SHOWN]:
        lines = (wrap(cause, WIDTH, "  ") for cause in group.causes.values())
        parts.append("\n".join([first_of(group.students, MOST_NAMES), *lines]))
    if len(found.groups) > MOST_SHOWN:
        parts.append(f"{len(found.groups) - MOST_SHOWN} more groups share less.")
    return "\n\n".join([*parts, *([wrap(CAUTION, WIDTH)] if found.groups else [])]) + "\n"


def _of_class(found: _SharedCauses) -> str:
    if found.wrong <= FEW:
        return f"{count_noun(found.wrong, 'student')} made mistakes. At least {FEW + 1} such students are needed to say which mistakes are rare."
    few, wrong = 1 + (found.wrong - 1) // FEW, f"the {found.wrong} students who made mistakes"
    if not found.groups:
        return f"No rare mistake is shared. A mistake is rare here if at most {few} of {wrong} made it."
    return f"Mistakes that at most {few} of {wrong} share:"


# --- The folder for other tools


def export_code(assignment: Assignment, source: Path, folder: Path, base: Sequence[Path]) -> None:
    """Write the folder, and say who is left out. Raises Refused."""
    _refuse_folder(source, folder)
    untouched = [path for path in (assignment.pristine, assignment.stub) if path.is_file()][:1]
    given = [block for path in untouched for block in read_submission(path).blocks]
    given_cells = {_plain(block) for block in given}
    given += [block for path in base for block in read_submission(path).blocks]
    works, left_out = [], []
    for found in find_works(assignment, source):
        try:
            work, text = _text_of(found, given_cells)
        except Refused as error:
            left_out.append((found.student, str(error)))
            continue
        write_bytes(folder / _place(found.student), text, folder, make_folder=True)
        works.append(work)
    if not works:
        raise Refused(f"{source}: it holds no code that students wrote, so there is nothing to compare")
    write_bytes(folder / "base" / "base.py", _join_cells(given), folder, make_folder=True)
    write_bytes(folder / "info.csv", _table(works).encode(), folder)
    readme = README.format(day=assignment.name, count=len(works))
    write_bytes(folder / "README.md", readme.encode(), folder)
    say(f"{count_noun(len(works), 'student')}  {folder}")
    say_notes(f"{student} is left out: {why}" for student, why in left_out[:MOST_LEFT_OUT])
    if len(left_out) > MOST_LEFT_OUT:
        say_notes([f"{len(left_out) - MOST_LEFT_OUT} more are left out"])
    say(f"Next: read {folder / 'README.md'}; it has the lines for JPlag, Dolos and compare50")


def _refuse_folder(source: Path, folder: Path) -> None:
    """Raise Refused for a folder with files in it, and for one in which students' work is looked for."""
    if source.is_dir() and absolute(folder).resolve().is_relative_to(source.resolve()):
        raise Refused(
            f"{folder}: this is inside {source}, where `grade batch` would take it for a student; name another folder"
        )
    try:
        taken = os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise Refused(f"{folder}: cannot be read: {error.strerror}") from error
    if taken:
        raise Refused(f"{folder}: this already exists; name a new folder, or remove it")


def _text_of(found: FoundStudent, given: set[str]) -> tuple[Work, bytes]:
    """Return a student's work and its code. Raises Refused if there is nothing to compare."""
    if trouble := trouble_with_key(found.student):
        raise Refused(f"no folder can have this name: {trouble}")
    work = found.read()
    if work.data is None:
        raise Refused(work.trouble or "nothing was handed in")
    blocks = submission_from(Path(work.name), work.data).blocks
    if given.issuperset(map(_plain, blocks)):
        raise Refused(NOTHING_OWN)
    return work, _join_cells(blocks)


def _plain(block: Block) -> str:
    """Return a cell's source without white space around the text and at the ends of lines."""
    return "\n".join(line.rstrip() for line in block.source.strip().splitlines())


def _join_cells(blocks: Iterable[Block]) -> bytes:
    """Return the cells as one Python file. A comment above each cell has its number."""
    parts = []
    for block in blocks:
        head = f"# cell {block.cell}\n" if block.cell else ""
        parts.append(f"{head}{without_magics(block.source).strip()}\n")
    return "\n\n".join(parts).encode(errors="replace")


def _place(student: str) -> str:
    return f"students/{student}/work.py"


def _table(works: Sequence[Work]) -> str:
    """Return Dolos' table: `filename` is relative to it, `created_at` is the time of submission."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["filename", "full_name", "created_at"])
    table.writerows([_place(work.student), cell(work.student), work.submitted] for work in works)
    return text.getvalue()
