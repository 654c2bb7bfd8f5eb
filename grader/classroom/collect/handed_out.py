"""The files that students got, and a student's changes of protected ones. Such a change does not affect the grade.

Protected are the checks, the manifest and the workflows of a student's repository. Their git hashes are compared with
those of a released template, or of what the course would release now or has released before. Notebooks are not
protected: the student works in one of them, and the others grade nothing.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.classroom.git.process import GitError
from grader.classroom.release.contents import (
    WORKFLOWS,
    assignment_place,
    day_files,
    hashes_of,
    is_protected,
    read_released,
)
from grader.errors import Broken, Refused
from grader.files import read_plain
from grader.submissions.collected import Drift, collected_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.git.objects import GitEntry, Objects

OURS = f"{WORKFLOWS}/grade.yml"  # written by a release without --no-workflow
DEEPEST = 4  # folders below checks/
MOST_FILES = 500  # protected files and folders of a student that are listed
MOST_KEPT = 100  # differences of one student
LARGEST = 32 << 20  # bytes of a file of a template


@dataclass(frozen=True)
class HandedOut:
    """The protected files as the students got them, and every form of the untouched notebook.

    With `workflows` off, the workflows that students got are unknown. `trouble` is the reason why nothing is compared.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    notebooks: tuple[bytes, ...] = ()
    workflows: bool = True
    trouble: str = ""
    earlier: tuple[dict[str, list[str]], ...] = ()  # the releases, by the hashes of their files

    def drift(self, found: Mapping[str, str]) -> tuple[Drift, ...]:
        """Return the differences of a student's protected files, given by their hashes.

        The student was given the version with the fewest differences: these files, or those of an earlier release.
        Files of the course itself (`workflows` is off) were given to nobody where releases are known.
        """
        if self.trouble:
            return ()
        given = list(self.earlier)
        if self.workflows or not given:
            given.insert(0, {place: hashes_of(data) for place, data in self.files.items()})
        nearest = min((list(self._differences(files, found)) for files in given), key=len)
        return tuple(sorted(nearest, key=lambda d: (d.path, d.kind)))[:MOST_KEPT]

    def _differences(self, files: Mapping[str, list[str]], found: Mapping[str, str]) -> Iterator[Drift]:
        for place, hashes in files.items():
            if place not in found:
                if place in self.files or self.workflows or place != OURS:
                    yield Drift(place, "missing")
            elif found[place] not in hashes:
                yield Drift(place, "edited")
        for place in found.keys() - files.keys():
            if self.workflows or place != OURS:
                yield Drift(place, "added")


# --- The files of the template


def of_course(assignment: Assignment) -> HandedOut:
    """Return the files that `grade release` would write now. If it would fail, nothing is compared."""
    try:
        forms = [day_files(assignment, days, []) for days in ([assignment.name], assignment.course.names)]
    except (Broken, Refused, OSError) as error:
        return HandedOut(trouble=str(error))
    notebook = collected_paths(assignment)[0]
    notebooks = {files[notebook]: None for files in forms if notebook in files}
    files = {place: data for place, data in forms[0].items() if is_protected(place, assignment)}
    return HandedOut(files, tuple(notebooks), workflows=False, earlier=tuple(read_released(assignment)))


def of_folder(assignment: Assignment, folder: Path) -> HandedOut:
    """Return the files of a released template's folder. Raises Refused."""
    course = of_course(assignment)
    names = [assignment_place(assignment, "assignment.yaml")]
    for top in (assignment_place(assignment, "checks"), WORKFLOWS):
        found = (path for path in sorted((folder / top).rglob("*")) if path.is_file())
        names += [path.relative_to(folder).as_posix() for path in found]
    try:
        files = {n: read_plain(folder / n, LARGEST)[0] for n in names if is_protected(n, assignment)}
        notebook = read_plain(folder / collected_paths(assignment)[0], LARGEST)[0]
    except OSError as error:
        raise _no_template(str(folder), assignment, error.filename) from error
    return HandedOut(files, (*course.notebooks, notebook))


def of_commit(assignment: Assignment, objects: Objects, tree: str, shown: str) -> HandedOut:
    """Return the files of a template's commit. Raises Refused, GitError."""
    course, notebook = of_course(assignment), objects.entry(tree, collected_paths(assignment)[0])
    found = protected_files(assignment, objects, tree)
    if (
        notebook is None
        or not notebook.is_file
        or assignment_place(assignment, "assignment.yaml") not in found
    ):
        raise _no_template(shown, assignment, None)
    try:
        files = {place: objects.read(id_, "blob", LARGEST) for place, id_ in found.items()}
        notebooks = (*course.notebooks, objects.read(notebook.id, "blob", LARGEST))
    except GitError as error:
        if error.cause != "too large":
            raise
        raise _no_template(shown, assignment, None) from error
    return HandedOut(files, notebooks)


def _no_template(shown: str, assignment: Assignment, missing: str | None) -> Refused:
    what = f"{missing} cannot be read there" if missing else f"assignments/{assignment.name}/ is not in it"
    return Refused(
        f"{shown}: not a template of {assignment.name}: {what}; name the folder that `grade release` "
        "wrote, or the address that it was pushed to"
    )


# --- A student's files


def protected_files(assignment: Assignment, objects: Objects, tree: str) -> dict[str, str]:
    """Return the hashes of a student's protected files, at most MOST_FILES, by path. Raises GitError.

    A folder with more entries than any course has counts as empty.
    """
    found = itertools.islice(_below(assignment, objects, tree), MOST_FILES)
    files = {place: entry.id for place, entry in found if not entry.is_folder}
    return {place: id_ for place, id_ in sorted(files.items()) if is_protected(place, assignment)}


def _below(assignment: Assignment, objects: Objects, tree: str) -> Iterator[tuple[str, GitEntry]]:
    """Yield the entries at and below the protected paths, folders included."""
    places = (
        (assignment_place(assignment, "assignment.yaml"), 0),
        (assignment_place(assignment, "checks"), DEEPEST + 1),
        (WORKFLOWS, 1),
    )
    for place, depth in places:
        with _skipping_unusable():
            if (entry := objects.entry(tree, place)) is not None:
                yield from _walk(objects, entry, place, depth)


@contextlib.contextmanager
def _skipping_unusable() -> Iterator[None]:
    """Skip a folder with more or longer names than any course has."""
    try:
        yield
    except GitError as error:
        if error.cause not in {"too large", "long name"}:
            raise


def _walk(objects: Objects, entry: GitEntry, place: str, depth: int) -> Iterator[tuple[str, GitEntry]]:
    yield place, entry
    if not entry.is_folder or not depth:
        return
    with _skipping_unusable():
        for name, inner in objects.folder(entry.id).items():
            yield from _walk(objects, inner, f"{place}/{name.decode(errors='backslashreplace')}", depth - 1)
