"""`grade copies --export`: a folder that JPlag, Dolos and compare50 take. Nothing of the code is executed or parsed.

students/ada/work.py   a student's graded cells, joined: one folder for each student
base/base.py           the code that everybody was given: the template, and files of the lecture
info.csv               the table that Dolos reads
README.md              the command lines

The tools take the code of base/ out of the comparison, so untouched cells of the template stay in a student's file and
a match still shows its surroundings. Magics of notebooks become `pass`, because JPlag leaves out a file that does not
parse. Sources: JPlag's "How to Use JPlag", Dolos' "Running Dolos CLI" and "Adding metadata", compare50's documentation.
"""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grader.console import say
from grader.errors import Refused
from grader.files import absolute, write_bytes
from grader.gradebook.spreadsheet import cell
from grader.sandbox.inside.cells import without_magics
from grader.submissions.find import find_works
from grader.submissions.keys import trouble_with_key
from grader.submissions.submission import read_submission, submission_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.assignment import Assignment
    from grader.submissions.submission import Block
    from grader.submissions.work import Found, Work

SHOWN = 20  # students who are left out, with the reason
NOTHING_OWN = "every cell is as it was handed out"
README = """\
# {day} for JPlag, Dolos and compare50

{count} students. Each folder below `students/` holds the code of one student. `base/` holds what everybody was given;
the tools do not count it. Keep this folder private, and run one of these lines in it:

    java -jar jplag.jar -l python3 -bc base -r jplag students
    dolos run -l python -i base/base.py -f web info.csv
    compare50 students/* -d base -o compare50

A similarity is a reason to look, and no proof.
"""


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
        raise Refused(f"{source}: no student's own code is in it; there is nothing to compare")
    write_bytes(folder / "base" / "base.py", _joined(given), folder, make_folder=True)
    write_bytes(folder / "info.csv", _table(works).encode(), folder)
    readme = README.format(day=assignment.name, count=len(works))
    write_bytes(folder / "README.md", readme.encode(), folder)
    say(f"{len(works)} students  {folder}")
    for student, why in left_out[:SHOWN]:
        say(f"note: {student} is left out: {why}", err=True)
    if len(left_out) > SHOWN:
        say(f"note: {len(left_out) - SHOWN} more are left out", err=True)
    say(f"Next: read {folder / 'README.md'}; it has the lines for JPlag, Dolos and compare50")


def _refuse_folder(source: Path, folder: Path) -> None:
    """Raise Refused for a folder with files in it, and for one in which students' work is looked for."""
    if source.is_dir() and absolute(folder).resolve().is_relative_to(source.resolve()):
        raise Refused(
            f"{folder}: this is in {source}, where `grade batch` would take it for a student; name another"
        )
    try:
        taken = os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise Refused(f"{folder}: cannot be read: {error.strerror}") from error
    if taken:
        raise Refused(f"{folder}: this is there already; name a new folder, or remove it")


def _text_of(found: Found, given: set[str]) -> tuple[Work, bytes]:
    """Return a student's work and its code. Raises Refused if there is nothing to compare."""
    if trouble := trouble_with_key(found.student):
        raise Refused(f"no folder can have this name: {trouble}")
    work = found.read()
    if work.data is None:
        raise Refused(work.trouble or "nothing was handed in")
    blocks = submission_from(Path(work.name), work.data).blocks
    if given.issuperset(map(_plain, blocks)):
        raise Refused(NOTHING_OWN)
    return work, _joined(blocks)


def _plain(block: Block) -> str:
    """Return a cell's source, which differs from that of another cell in more than white space around its lines."""
    return "\n".join(line.rstrip() for line in block.source.strip().splitlines())


def _joined(blocks: Iterable[Block]) -> bytes:
    """Return the cells as one Python file, each below a comment with its number."""
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
