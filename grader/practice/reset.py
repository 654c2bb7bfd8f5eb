"""`grade reset`: puts the untouched notebook back and keeps the student's notebook next to it."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.files import NotPlain, absolute, read_plain, write_new, write_text
from grader.practice.hints import forget_hints
from grader.submissions.submission import MAX_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment


def reset(assignment: Assignment, now: dt.datetime | None = None) -> str:
    """Put the stub back, keep the notebook under a name with the time `now`, and return a text for the student.

    Also forgets the given hints of the assignment. Raises Refused.
    """
    course, notebook = assignment.course, assignment.stub
    stub, shown = _pristine(assignment), _short_path(assignment, notebook)
    before = _read(notebook) if os.path.lexists(notebook) else None
    if before == stub.encode():
        return f"{shown} is already the untouched notebook: nothing was changed.\n"
    kept = None
    if before is not None:
        kept = _keep(assignment, before, now or dt.datetime.now().astimezone())
    write_text(notebook, stub, course.root)
    lines = [f"{shown} is the untouched notebook again."]
    if kept is not None:
        name = _short_path(assignment, kept)
        lines = [
            f"Your notebook was kept as {name}.",
            *lines,
            "",
            f"To get yours back, copy {name}",
            f"over {shown}.",
            "An editor that has the notebook open still shows the old one: close it there without saving.",
        ]
    if forget_hints(assignment):
        lines.append(f"`grade hint {assignment.name}` begins with the first hints again.")
    return "\n".join([*lines, "", f"Next: `grade watch {assignment.name}`, then write."]) + "\n"


def _pristine(assignment: Assignment) -> str:
    path = assignment.pristine
    try:
        return read_plain(path, MAX_FILE, assignment.course.root)[0].decode()
    except UnicodeDecodeError:
        why = "it is not a notebook"
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
        if isinstance(error, NotPlain) and error.kind == "link":
            why = "there is a symbolic link on the way to it"
    raise Refused(
        f"{path}: the untouched notebook should be here, but {why}; get this file from the course's "
        f"repository again (an instructor makes it with `grade stub {assignment.name}`). "
        "Nothing was changed"
    )


def _read(notebook: Path) -> bytes:
    try:
        return read_plain(notebook, MAX_FILE)[0]
    except OSError as error:
        raise Refused(
            f"{notebook}: this file cannot be read, so it cannot be kept: {error.strerror}; move it away and try again"
        ) from error


def _keep(assignment: Assignment, data: bytes, now: dt.datetime) -> Path:
    """Write a copy next to the notebook under a new name; return its path."""
    notebook, number = assignment.stub, 1
    while True:
        again = f"-{number}" if number > 1 else ""
        name = f"{notebook.stem}.{now:%Y-%m-%d-%H%M%S}{again}{notebook.suffix}"
        try:
            write_new(kept := notebook.with_name(name), data, assignment.course.root)
        except FileExistsError:
            number += 1
        else:
            return kept


def _short_path(assignment: Assignment, path: Path) -> str:
    return absolute(path).relative_to(absolute(assignment.course.root)).as_posix()
