"""`grade release`: write a template repository into a folder, or update it, and push it."""

from __future__ import annotations

import io
import os
import re
import tarfile
import zipfile
import zlib
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from grader import __version__
from grader.authoring.giveaways import TEXTS, file_parts, giveaways, windows
from grader.authoring.reference import make_notebook, read_reference
from grader.classroom.release.contents import day_files, running_wheel, template_files
from grader.classroom.release.plan import RECORD, plan_release
from grader.classroom.release.platforms import bundle_files, next_steps, write_zip
from grader.classroom.release.protected import record_protected
from grader.classroom.release.push import AS_TEMPLATE, TO_PUSH, WorkTree, address, check_remote
from grader.classroom.release.push import push as push_template
from grader.console import agree, say, show
from grader.data import DATA
from grader.errors import Broken, Refused
from grader.submissions.handed_out import record
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.assignment import Assignment, Course
    from grader.authoring.giveaways import Window


def release(
    course: Course,
    days: Sequence[str],
    path: Path,
    *,
    classroom50: bool,
    gradescope: bool,
    allow_weak_isolation: bool,
    **options: Any,
) -> None:
    """Write a template, Classroom 50's bundle or Gradescope's zip. Raises Refused, Broken."""
    if classroom50 and gradescope:
        raise Refused("--classroom50 and --gradescope cannot be combined; remove one")
    if allow_weak_isolation and not gradescope:
        raise Refused(
            "--allow-weak-isolation works only with --gradescope; add that option, or remove this one"
        )
    _refuse_misplaced(course, days, path)
    if not (classroom50 or gradescope):
        release_folder(course, days, path, **options)
        return
    if len(days) != 1:
        raise Refused(
            "--gradescope: a zip is for one assignment; try `grade release day2 ../day2-autograder.zip --gradescope`"
            if gradescope
            else "--classroom50: a bundle is for one assignment; try `grade release day2 DIR --classroom50`"
        )
    what = "Gradescope's zip" if gradescope else "Classroom 50's bundle"
    for name in ("reporter", "no_workflow", "push"):
        if options.pop(name):
            raise Refused(f"--{name.replace('_', '-')} does not apply to {what}; remove it")
    if classroom50:
        release_folder(course, days, path, bundle=True, **options)
        return
    looked_at = _looked_at(course, days)
    notes = write_zip(course, days[0], path, running_wheel(), allow_weak_isolation=allow_weak_isolation)
    say(f"{days[0]}: Gradescope's autograder is in {path}")
    for note in [*notes, *looked_at]:
        say(f"note: {note}")
    show(next_steps(course.assignment(days[0])))


# --- A template or a bundle: verify, ask, write, push, report


def release_folder(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    bundle: bool = False,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,
    push: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Write the template, and push it to the address `push` if there is one. Raises Refused, Broken.

    `variables` are for git; with them, the caller marks the repository as a template. With `bundle`, write Classroom 50's
    bundle of one assignment, which is not pushed.
    """
    if reporter and no_workflow:
        raise Refused(
            "--reporter adds a step to the workflow, which --no-workflow omits; remove one of the two"
        )
    make = bundle_files if bundle else partial(template_files, reporter=reporter, no_workflow=no_workflow)
    plan, notes = plan_release(course, days, folder, make)
    push = None if push is None else address(push)
    if push is not None:
        say(check_remote(plan.folder, push, variables or {}))
    if plan.asks:
        show(f"{plan.asks}\n", err=True)
        if not yes:
            agree(f"{plan.folder} has the files above", "go on", "--yes")
    notes += _looked_at(course, plan.days)
    plan.write()
    for assignment in map(course.assignment, () if bundle else plan.days):
        record(assignment, plan.files[assignment.stub.relative_to(course.root).as_posix()])
        record_protected(assignment, plan.files)
    show(plan.summary)
    for note in notes:
        say(f"note: {note}")
    if push is not None:
        message = f"{', '.join(plan.days)}, with Backgrade {__version__}"
        repository = WorkTree(plan.folder, variables or {})
        gone = repository.git("ls-files", "--deleted", "-z").split("\0") if repository.exists else []
        push_template(repository, push, names=[*plan.files, RECORD, *filter(None, gone)], message=message)
    if not bundle and variables is None:
        show(AS_TEMPLATE if push is not None else TO_PUSH + AS_TEMPLATE)


def _looked_at(course: Course, days: Sequence[str]) -> list[str]:
    """Refuse outdated notebooks, and solutions in files for students; return notes about unverified notebooks."""
    for day in days:
        refuse_giveaways(course.assignment(day))
    return list(filter(None, (refuse_outdated(course.assignment(day)) for day in days)))


# --- Refusals


def _refuse_misplaced(course: Course, days: Sequence[str], folder: Path) -> None:
    """Raise Refused, with the right command, for a command line that does not end with the folder."""
    name = str(folder)
    if place := next((day for day in days if {"/", os.sep} & set(day)), None):
        known = [word for word in (*days, name) if word in course.names]
        raise Refused(
            f"{place}: this is a folder, not an assignment; name one folder, after the assignments, "
            f"as in `grade release {' '.join([*known, place])}`"
        )
    if name in course.names:
        raise Refused(
            f"{name}: this is an assignment; name the folder to write into as well; "
            f"try `grade release {' '.join([*days, name])} ../{name}-template`"
        )


def refuse_giveaways(assignment: Assignment) -> None:
    """Raise Refused if a file for students holds an answer or a solution of any assignment, or is not for students."""
    root = assignment.course.root
    files = day_files(assignment, assignment.course.names, [])
    _refuse_strays(assignment, files)
    texts = {
        root / name: data.decode(errors="replace")
        for name, data in files.items()
        if Path(name).suffix in TEXTS
    }
    for problem in giveaways(assignment.course, texts):
        raise Refused(f"{problem}; `grade validate {assignment.name}` lists every such place")


def refuse_outdated(assignment: Assignment) -> str:
    """Raise Refused if the untouched notebook is not the current one from `solutions/`, and Broken if there is none.

    Return a note if they could not be compared, else "".
    """
    if not assignment.reference.is_file():
        return ""
    read_reference(assignment)
    try:
        text = make_notebook(assignment, solved=False)
    except Broken as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            return f"it is not known whether the notebook of {assignment.name} is up to date. {error}"
        raise
    if not assignment.pristine.is_file() or assignment.pristine.read_bytes() != text.encode():
        raise Refused(
            f"{assignment.pristine}: this notebook is missing or out of date; run `grade stub {assignment.name}`, review the "
            "changes, and release again"
        )
    return ""


# Keys and passwords, files of a class, compiled code, hidden files except those of git.
_NAMES = (
    r"id_(rsa|dsa|ecdsa|ed25519)\b.*|.*\.(pem|key|p12|pfx|ppk|kdbx|py[co])|.*\.env(\..*)?|_?netrc|"
    r"(client_)?(secrets?|credentials)\.\w+|.*\.(db|sqlite3?)([.-].*)?|.*salt\.txt|course\.yaml|"
    r"(roster|extensions|overrides)\b.*\.csv|(?!\.git(ignore|attributes|keep)$)\..*"
)
_CONTENTS = (
    rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22})|\ASQLite format 3\0"
)
_ROSTER = rb"(?i)[^\n]*\b(github|login|e-?mail)\b"
_STUDENTS = rb"(?i)[^\n]*\bstudent\b"  # a table of data may be about students


def _refuse_strays(assignment: Assignment, files: Mapping[str, bytes]) -> None:
    """Raise Refused for the first of these files that is not for students, also inside an archive.

    `files` has paths from the course's folder.
    """
    course = assignment.course
    hidden, salts = _hidden_windows(course), [each.salt.encode() for each in course.assignments if each.salt]
    for name, data in sorted(files.items()):
        for each, text in _open_archives(name, data):
            why = "holds a salt of hidden checks" if any(salt in text for salt in salts) else ""
            if why := why or _why(assignment, PurePosixPath(each), text, hidden):
                raise Refused(
                    f"{course.root / each}: students would get this file, but it {why}; move it out of "
                    "assignments/, then release again"
                )


def _open_archives(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a file, and the files in it if it is a zip or a tar, with names like those in a folder."""
    yield name, data
    with suppress(
        zipfile.BadZipFile, tarfile.TarError, OSError, RuntimeError, EOFError, ValueError, zlib.error
    ):
        if zipfile.is_zipfile(io.BytesIO(data)):
            packed = zipfile.ZipFile(io.BytesIO(data))
            inside = [(info.filename, packed.read(info)) for info in packed.infolist() if not info.is_dir()]
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                files = [(member.name, tar.extractfile(member)) for member in tar]
                inside = [(own, file.read()) for own, file in files if file]
        for own, text in inside:
            yield from _open_archives(f"{name}/{own}", text)


def _why(assignment: Assignment, path: PurePosixPath, data: bytes, hidden: Mapping[Window, str]) -> str:
    """Return the reason why a file is not for students, as a verb phrase; "" if there is none."""
    if re.fullmatch(_NAMES, path.name, re.IGNORECASE):
        return "has the name of a key, a record of the class, compiled code or a hidden file"
    if re.search(_CONTENTS, data):
        return "holds a private key or a token of GitHub, or is a database"
    own = path.relative_to(f"assignments/{assignment.name}").parts
    is_roster = re.match(_ROSTER, data) or (own[0] != DATA and re.match(_STUDENTS, data))
    if path.suffix in {".csv", ".tsv"} and is_roster:
        return "names students in its first line, as a roster does"
    known = {HELPERS, assignment.pristine.name, *(f"test_{check}.py" for check in assignment.manifest.checks)}
    if own[0] == "checks" and path.suffix in {".py", ".ipynb"} and not (len(own) == 2 and own[1] in known):
        return "is not a check of assignment.yaml, so it may be a hidden one"
    parts = file_parts(path, data.decode(errors="replace"))
    found = (hidden.get(window, "") for part in parts for _, window in windows(part.text))
    check = next(filter(None, found), "")
    return f"holds lines of the hidden check file {check}" if check else ""


def _hidden_windows(course: Course) -> dict[Window, str]:
    """Return the hidden file of each window of lines that no visible check and no untouched notebook contains.

    A visible file with all windows of a hidden one does not count: it is a copy.
    """
    hidden, visible = (
        {p: _windows_of(p) for each in course.assignments for p in each.checks_folder(side).rglob("*.py")}
        for side in ("hidden", "visible")
    )
    given = [runs for runs in visible.values() if not any(own and own <= runs for own in hidden.values())]
    given += [_windows_of(each.pristine) for each in course.assignments if each.pristine.is_file()]
    return {one: path.name for path, runs in hidden.items() for one in runs.difference(*given)}


def _windows_of(path: Path) -> set[Window]:
    parts = file_parts(path, path.read_text(encoding="utf-8", errors="replace"))
    return {window for part in parts for _, window in windows(part.text)}
