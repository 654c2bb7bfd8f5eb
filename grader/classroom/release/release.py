"""`grade release`: a template repository in a folder of its own, written or brought up to date, and pushed."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from grader import __version__
from grader.classroom.release.contents import is_leftover, template_files
from grader.classroom.release.push import AS_TEMPLATE, address, by_hand, check_remote
from grader.classroom.release.push import push as push_template
from grader.classroom.release.requirement import read_requirement
from grader.console import say, somebody_can_answer
from grader.errors import Refused
from grader.files import absolute, link_in, read_plain, write_bytes
from grader.render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment, Course

RECORD = ".github/backgrade.json"  # what the release wrote, with the hashes
MAX_FILE = 32 << 20  # bytes
SHOWN = 12  # names of one kind; of more the number is told


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
    """Write a template, or what one of two platforms grades by. Raises Refused, Broken."""
    if classroom50 and gradescope:
        raise Refused("--classroom50 and --gradescope write different things; take one out")
    if allow_weak_isolation and not gradescope:
        raise Refused(
            "--allow-weak-isolation: only Gradescope's zip knows it; add --gradescope, or take it out"
        )
    if gradescope:
        release_autograder(course, days, path, allow_weak_isolation=allow_weak_isolation, **options)
    else:
        (release_bundle if classroom50 else release_template)(course, days, path, **options)


# --- Step by step: look, ask, write, push, say


def release_template(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,
    push: str | None = None,
) -> None:
    """Write the template, and push it to the address `push`. Raises Refused, Broken."""
    if reporter and no_workflow:
        raise Refused(
            "--reporter: it is a step of the workflow, which --no-workflow leaves out; take one out"
        )
    plan, notes = plan_release(
        course, days, folder, requirement=requirement, reporter=reporter, no_workflow=no_workflow
    )
    push = None if push is None else address(push)
    if push is not None:
        say(one_line(check_remote(plan.folder, push)))
    _agree(plan.asks, yes=yes)
    notes += _looked_at(course, plan.days)
    plan.write()
    say(plan.told, nl=False)
    for note in notes:
        say(one_line(f"note: {note}"))
    if push is None:
        say(by_hand(plan.folder), nl=False)
        return
    push_template(
        plan.folder,
        push,
        names=[*plan.files, RECORD],
        message=f"{', '.join(plan.days)}, with Backgrade {__version__}",
        say=lambda line: say(one_line(line)),
    )
    say(AS_TEMPLATE, nl=False)


def release_bundle(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,  # noqa: ARG001  the bundle writes into a folder of its own only
    push: str | None = None,
) -> None:
    """Write Classroom 50's bundle of one assignment. Raises Refused, Broken."""
    from grader.classroom.release.bundle import write_bundle

    if len(days) != 1:
        raise Refused(
            "--classroom50: a bundle is for one assignment; try `grade release day2 DIR --classroom50`"
        )
    _refuse_misplaced(course, days, folder)
    _refuse_options("a bundle of Classroom 50", reporter=reporter, no_workflow=no_workflow, push=push)
    looked_at = _looked_at(course, days)
    written, notes = write_bundle(course, days[0], folder, read_requirement(requirement))
    for path in written:
        say(one_line(f"written  {path}"))
    for note in [*notes, *looked_at]:
        say(one_line(f"note: {note}"))


def release_autograder(
    course: Course,
    days: Sequence[str],
    path: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,  # noqa: ARG001  nobody's file is overwritten
    push: str | None = None,
    allow_weak_isolation: bool = False,
) -> None:
    """Write Gradescope's zip of one assignment. Raises Refused, Broken."""
    from grader.classroom.ci.gradescope import next_steps, write_autograder

    if len(days) != 1:
        raise Refused(
            "--gradescope: a zip is for one assignment; try `grade release day2 ../day2-autograder.zip --gradescope`"
        )
    _refuse_misplaced(course, days, path)
    _refuse_options("Gradescope's zip", reporter=reporter, no_workflow=no_workflow, push=push)
    looked_at = _looked_at(course, days)
    pin = read_requirement(requirement)
    notes = write_autograder(course, days[0], path, pin, allow_weak_isolation=allow_weak_isolation)
    say(one_line(f"{days[0]}: Gradescope's autograder is in {path}"))
    for note in [*notes, *looked_at]:
        say(one_line(f"note: {note}"))
    say(next_steps(course.assignment(days[0])), nl=False)


def _refuse_options(what: str, *, reporter: bool, no_workflow: bool, push: str | None) -> None:
    """Raises Refused for an option that only a template has."""
    options = {"--reporter": reporter, "--no-workflow": no_workflow, "--push": push is not None}
    if given := next((name for name, on in options.items() if on), None):
        raise Refused(f"{given}: {what} knows nothing of it; take it out")


def _looked_at(course: Course, days: Sequence[str]) -> list[str]:
    """Refuse a notebook that is out of date; gives what could not be looked at."""
    return list(filter(None, (refuse_outdated(course.assignment(day)) for day in days)))


def _agree(question: str, *, yes: bool) -> None:
    """Show what is concerned and ask. Raises Refused where nobody agrees."""
    if not question:
        return
    say(question, err=True)
    if yes:
        return
    if not somebody_can_answer():
        raise Refused(
            "nothing was written: nobody is there to be asked; add --yes to go on, or name a new folder"
        )
    if not click.confirm("Go on?", err=True):
        raise Refused("nothing was written")


# --- What will be written


class Record(msgspec.Struct):
    """What a release wrote: the SHA-256 of each file."""

    about: str = "what `grade release` wrote, by which its next run tells what has been changed since"
    days: list[str] = []
    files: dict[str, str] = {}
    format: int = 1


@dataclass(frozen=True)
class Plan:
    """What a release into a folder will do. Names are places in the folder."""

    folder: Path
    files: dict[str, bytes]
    days: list[str]
    earlier: bool  # the folder holds an earlier release
    added: list[str]
    changed: list[str]  # of the earlier release, and as it wrote them
    removed: list[str]  # the same, and no longer part of it
    overwritten: list[str]  # somebody else's, or changed since the earlier release
    foreign: list[str]  # stays as it is

    def write(self) -> None:
        """Write what is new or different, remove what is no longer part of it. Raises FileError."""
        for name in (*self.added, *self.changed, *self.overwritten):
            write_bytes(self.folder / name, self.files[name], self.folder, make_folder=True)
        for name in self.removed:
            with _readable(self.folder / name):
                (self.folder / name).unlink()
                _remove_empty((self.folder / name).parent, self.folder)
        hashes = {name: _hash(data) for name, data in sorted(self.files.items())}
        record = msgspec.json.encode(Record(days=self.days, files=hashes))
        record = msgspec.json.format(record, indent=1) + b"\n"
        if _read(self.folder / RECORD) != record:
            write_bytes(self.folder / RECORD, record, self.folder, make_folder=True)

    @property
    def asks(self) -> str:
        """What must be agreed to, in words; nothing where nothing of anybody else's is concerned."""
        parts = []
        if self.overwritten:
            since = "will be overwritten" + (", though changed since the release" if self.earlier else "")
            parts.append(f"These files in {self.folder} {since}:\n{_listed(self.overwritten)}")
        if self.foreign:
            parts.append(
                f"{self.folder} holds files that are not part of the template; they stay as they are, and are "
                f"pushed with it where git has them or is told to add them:\n{_listed(self.foreign)}"
            )
        if self.removed:
            parts.append(
                f"These files of the earlier release in {self.folder} are no longer part of it and will be "
                f"removed:\n{_listed(self.removed)}"
            )
        return "\n".join(parts)

    @property
    def told(self) -> str:
        """What was done, in words."""
        days = ", ".join(self.days)
        if not self.earlier:
            count = len(self.files) + 1
            return f"{days}: a template repository of {count} files is in {self.folder}\n"
        kinds = {
            "added": self.added,
            "changed": [*self.changed, *self.overwritten],
            "removed": self.removed,
        }
        lines = [_listed(sorted(names), f"{kind:<8} ") for kind, names in kinds.items() if names]
        if not lines:
            return f"{days}: the template repository in {self.folder} was up to date\n"
        return "\n".join(
            [f"{days}: the template repository in {self.folder} was brought up to date", *lines, ""]
        )


def plan_release(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
) -> tuple[Plan, list[str]]:
    """What a release of these days (without any: of all) would write, and what the instructor should know.

    Writes nothing. Raises Refused, Broken, AssignmentError.
    """
    _refuse_misplaced(course, days, folder)
    with _readable(folder):
        folder = _target(course, folder)
    chosen = [name for name in course.names if name in days] if days else list(course.names)
    for name in days:
        course.assignment(name)
    if not chosen:
        raise Refused(f"{course.root}: this course has no assignments yet; `grade new` begins one")
    pin = read_requirement(requirement)
    with _readable(course.root):
        files, notes = template_files(course, chosen, pin, reporter=reporter, no_workflow=no_workflow)
    with _readable(folder):
        return _planned(folder, files, chosen), notes


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say which file cannot be read or removed."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename or path}: {error.strerror}; mend that and release again") from error


# --- The folder


def _refuse_misplaced(course: Course, days: Sequence[str], folder: Path) -> None:
    """Say how the line should be typed where a day stands last, or a folder elsewhere. Raises Refused."""
    name = str(folder)
    if place := next((day for day in days if {"/", os.sep} & set(day)), None):
        known = [word for word in (*days, name) if word in course.names]
        raise Refused(
            f"{place}: this is a folder and no assignment; one folder is named, behind the assignments, "
            f"as in `grade release {' '.join([*known, place])}`"
        )
    if name in course.names:
        raise Refused(
            f"{name}: this is an assignment, and the folder to write into is missing; "
            f"try `grade release {' '.join([*days, name])} ../{name}-template`"
        )


def _target(course: Course, folder: Path) -> Path:
    """The folder by its names from the root. Raises Refused where nothing may be written."""
    path = absolute(folder)
    if path.is_symlink():
        raise Refused(f"{path}: this is a symbolic link; name the folder itself")
    if path.exists() and not path.is_dir():
        raise Refused(f"{path}: this is a file; name a folder that is new, empty or an earlier release")
    real, root = path.resolve(), course.root.resolve()
    if real == root or root in real.parents or real in root.parents:
        what = (
            "the course folder itself"
            if real == root
            else "in the course folder"
            if root in real.parents
            else "above the course folder"
        )
        raise Refused(
            f"{path}: this is {what}, and a template is a folder of its own; "
            f"try {root.parent / (root.name + '-template')}"
        )
    return path


def _planned(folder: Path, files: dict[str, bytes], days: list[str]) -> Plan:
    record = _record(folder)
    plan = Plan(folder, files, days, record is not None, [], [], [], [], [])
    wrote = record.files if record else {}
    found = set(_found(folder, "")) - {RECORD}
    for name in files:
        _refuse_in_the_way(folder, name)
    for name in sorted({*found, *files}):
        there = _read(folder / name) if name in found else None
        as_written = there is not None and wrote.get(name) == _hash(there)
        if name not in found:
            plan.added.append(name)
        elif name not in files:
            (plan.removed if as_written else plan.foreign).append(name)
        elif there != files[name]:
            (plan.changed if as_written else plan.overwritten).append(name)
    return plan


def _found(folder: Path, prefix: str) -> Iterator[str]:
    """Every file in a folder but what git and the tools keep there; links are files and not followed."""
    if not folder.is_dir():
        return
    for entry in os.scandir(folder):
        if is_leftover(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _found(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name


def _refuse_in_the_way(folder: Path, name: str) -> None:
    path = folder / name
    if (link := link_in(folder, path)) is not None:
        raise Refused(f"{link}: there is a symbolic link in the way of the template; remove it")
    if path.is_dir():
        raise Refused(f"{path}: there is a folder in the way of a file of the template; remove it")
    above = path.parent
    while above != folder:
        if os.path.lexists(above) and not above.is_dir():
            raise Refused(f"{above}: there is a file in the way of a folder of the template; remove it")
        above = above.parent


def _record(folder: Path) -> Record | None:
    """What an earlier release wrote there, if there is one."""
    return record_of(_read(folder / RECORD))


def record_of(data: bytes | None) -> Record | None:
    """A release's record from its bytes; None where they are none that this version knows."""
    try:
        record = msgspec.json.decode(data, type=Record) if data is not None else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return record if record is not None and record.format == 1 else None


def _read(path: Path) -> bytes | None:
    try:
        return read_plain(path, MAX_FILE)[0]
    except OSError:
        return None


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _listed(names: Sequence[str], before: str = "") -> str:
    more = [f"  {before}and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return "\n".join([*(f"  {before}{one_line(name)}" for name in names[:SHOWN]), *more])


# --- Whether the course is as its sources say


def refuse_outdated(assignment: Assignment) -> str:
    """Compare the untouched notebook with what `solutions/` gives now; says what could not be looked at.

    Raises Refused.
    """
    from grader.authoring.reference import make_notebook
    from grader.errors import Broken

    if not assignment.reference.is_file():
        return ""
    try:
        text = make_notebook(assignment, solved=False)
    except Broken as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            return f"{assignment.name}: whether its notebook is up to date was not looked at: {error}"
        raise
    if not assignment.pristine.is_file() or assignment.pristine.read_bytes() != text.encode():
        raise Refused(
            f"{assignment.pristine}: this is out of date; run `grade stub {assignment.name}`, look at what has "
            "changed, and release again"
        )
    return ""
