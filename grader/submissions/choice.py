"""The choice of the submission among a student's files, and of the earlier work that it continues.

The first of these steps that finds a file decides:

1. `assignments/DAY/` and the top of the student's folder, under the stub's name or its stem with `.py`;
2. that name in any folder below;
3. a name that contains the stem (`day2 (1).ipynb`), in any folder;
4. the only notebook; without a notebook, the only `.py` at the top.

The copy in `checks/` never counts. The untouched stub counts only if the student has no other notebook; otherwise the
message asks the student to rename the notebook. If one step finds two different files, neither is chosen.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.report import one_line, quote
from grader.submissions.handed_out import handed_out, is_untouched, judges_text
from grader.submissions.states import InWork, NoFile, Renamed, Unclear, Unreadable, Untouched
from grader.submissions.submission import MAX_WRITTEN, SUFFIXES, SubmissionError, submission_from
from grader.submissions.tree import DEEPEST, MeteredTree, visible
from grader.submissions.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment
    from grader.submissions.states import State
    from grader.submissions.tree import Tree, TreeEntry

MOST_ALIKE = 10  # files of one step that are compared
COURSES_OWN = "/checks/stub.ipynb"  # the untouched copy in every template
PACKED = (".zip", ".7z", ".rar", ".gz", ".tgz", ".tar")


class _NotChosen(Exception):
    """No file is the submission; `state` is the reason."""

    def __init__(self, state: State) -> None:
        super().__init__(state.kind)
        self.state = state


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names to look for: the assignment, the stem of its stub, the stems of other stubs.

    `handed_out` has the graded part of each notebook that students got, including text if `text` is set.
    """

    day: str
    stem: str
    handed_out: frozenset[str]
    text: bool
    others: frozenset[str]
    earlier: FileNames | None
    given: frozenset[str] = frozenset()  # names of all notebooks in the course

    @property
    def stub(self) -> str:
        """The file name of the stub."""
        return f"{self.stem}.ipynb"

    def is_untouched(self, path: str, data: bytes) -> bool:
        """Return True if the graded part of a file is unchanged."""
        return is_untouched(path, data, self.handed_out, text=self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """The file names of a submission."""
        return tuple(self.stem + suffix for suffix in SUFFIXES)


def wanted_by(assignment: Assignment) -> FileNames:
    """Return the names to look for in each student's files. Raises Refused."""
    course, stem = assignment.course, assignment.stub.stem
    stems = {course.assignment(name).stub.stem for name in course.names}
    return FileNames(
        day=assignment.name,
        stem=stem,
        handed_out=handed_out(assignment),
        text=judges_text(assignment),
        others=frozenset(other.casefold() for other in stems - {stem}),
        earlier=wanted_by(assignment.earlier) if assignment.earlier else None,
        given=frozenset(path.name for path in (course.root / "assignments").rglob("*.ipynb")),
    )


def work_in(wanted: FileNames, tree: Tree, path: str = "") -> Work:
    """Return the work in a student's files, or at `path`; without work, its `state` is the reason.

    Raises Refused.
    """
    tree = MeteredTree(tree)
    try:
        path, data, notes = (path, _read(tree, path), []) if path else _choose(wanted, tree)
    except _NotChosen as nothing:
        return Work(name=wanted.stub, data=None, state=nothing.state)
    except SubmissionError as trouble:
        return Work(name=wanted.stub, data=None, state=Unreadable(trouble.fault, trouble.remedy))
    earlier, problems = _find_earlier(wanted, tree, path)
    state = Untouched() if wanted.is_untouched(path, data) else InWork()
    return Work(
        name=_valid_name(path), data=data, earlier=tuple(earlier), notes=(*notes, *problems), state=state
    )


def _valid_name(name: str) -> str:
    """Return the name as valid Unicode, which a name on disk need not be, with its suffix in lower case."""
    stem, suffix = posixpath.splitext(name.encode(errors="replace").decode())
    return stem + suffix.lower()


# --- The submission


def _choose(wanted: FileNames, tree: Tree) -> tuple[str, bytes, list[str]]:
    """Return path and bytes of the submission, with notes for the instructor. Raises _NotChosen, SubmissionError."""
    untouched: str | None = None
    files: list[str] = []
    for paths in _find_named(wanted, tree, files):
        worked, stub = _find_edited(wanted, tree, paths)
        untouched = untouched or stub
        if len(worked) > 1:
            raise _NotChosen(_unclear(wanted, list(worked.values())))
        if worked:
            ((data, path),) = worked.items()
            return path, data, []
    if untouched is not None:
        if own := _notebooks(wanted, files):
            raise _NotChosen(Renamed(one_line(untouched), one_line(own[0]), wanted.stub))
        return untouched, _read(tree, untouched), []
    path = _alone(wanted, files)
    kind = "notebook" if path.casefold().endswith(".ipynb") else ".py file"
    note = f"there is no {wanted.stub}; {quote(path)}, the only {kind}, counts instead"
    return path, _read(tree, path), [note]


def _find_named(wanted: FileNames, tree: Tree, files: list[str]) -> Iterator[list[str]]:
    """Yield, for each step, the paths of files with a matching name; `files` collects all paths of the tree.

    Folders that are too deep to be searched are added to `files` with a final `/`. Raises SubmissionError.
    """
    yield [
        posixpath.join(folder, entry.name)
        for folder in (f"assignments/{wanted.day}", "")
        for entry in visible(tree, folder)
        if entry.name in wanted.names and entry.kind != "folder"
    ]
    for path, entry in _walk(tree):
        if entry.kind == "folder":
            files += [f"{path}/"] if path.count("/") == DEEPEST else []
        elif not f"/{path}".endswith(COURSES_OWN):
            files.append(path)
    yield [path for path in files if posixpath.basename(path) in wanted.names]
    yield [path for path in files if _alike(wanted, posixpath.basename(path).casefold())]


def _walk(tree: Tree) -> Iterator[tuple[str, TreeEntry]]:
    """Yield the entries of a tree with their paths, level by level, down to DEEPEST."""
    level = [""]
    for _ in range(DEEPEST + 1):
        deeper = []
        for folder in level:
            for entry in visible(tree, folder):
                path = posixpath.join(folder, entry.name)
                yield path, entry
                if entry.kind == "folder":
                    deeper.append(path)
        level = deeper


def _alike(wanted: FileNames, name: str) -> bool:
    return name.endswith(SUFFIXES) and wanted.stem.casefold() in name and not _others(wanted, name)


def _others(wanted: FileNames, name: str) -> bool:
    """Return True for the work of another assignment, whose stub's name is in the file's name."""
    stem = wanted.stem.casefold()
    return any(other in name and other not in stem for other in wanted.others)


def _notebooks(wanted: FileNames, files: Sequence[str]) -> list[str]:
    """Return the notebooks that neither come with the course nor belong to another assignment."""
    return [
        path
        for path in files
        if (name := posixpath.basename(path)) not in wanted.given | {*wanted.names}
        and name.casefold().endswith(".ipynb")
        and not _others(wanted, name.casefold())
    ]


def _alone(wanted: FileNames, files: Sequence[str]) -> str:
    """Return the only notebook; without a notebook, the only `.py` at the top. Raises _NotChosen."""
    mine = [path for path in files if not _others(wanted, posixpath.basename(path).casefold())]
    notebooks = [path for path in mine if path.casefold().endswith(".ipynb")]
    found = notebooks or [path for path in mine if path.endswith(".py") and "/" not in path]
    if len(found) == 1:
        return found[0]
    if found:
        raise _NotChosen(_unclear(wanted, found, named=False))
    packed = [path for path in files if path.casefold().endswith(PACKED)]
    if packed:
        raise _NotChosen(NoFile(wanted.stub, archive=one_line(packed[0])))
    raise _NotChosen(NoFile(wanted.stub, deep=any(path.endswith("/") for path in files)))


def _find_edited(wanted: FileNames, tree: Tree, paths: Sequence[str]) -> tuple[dict[bytes, str], str | None]:
    """Return the edited files, by content, and an untouched one. Raises _NotChosen, SubmissionError."""
    if len(paths) > MOST_ALIKE:
        raise _NotChosen(_unclear(wanted, paths))
    worked: dict[bytes, str] = {}
    untouched = None
    for path in paths:
        data = _read(tree, path)
        if wanted.is_untouched(path, data):
            untouched = untouched or path
        else:
            worked.setdefault(data, path)
    return worked, untouched


def _read(tree: Tree, path: str) -> bytes:
    """Return the bytes of a file. Raises SubmissionError, also for more code than a student writes."""
    try:
        data = tree.read(path)
        _refuse_too_much(Path(_valid_name(path)), data)
    except SubmissionError as trouble:
        raise SubmissionError(f"{one_line(path)}: {trouble.fault}", trouble.remedy) from None
    return data


def _refuse_too_much(path: Path, data: bytes) -> None:
    """Raise SubmissionError, without the path, for more code than any student writes and for large unreadable files.

    Such a file is neither kept nor sent to a worker. Small files pass, even unreadable ones.
    """
    try:
        submission_from(path, data)
    except SubmissionError as error:
        if error.cause == "too much" or len(data) > MAX_WRITTEN:
            fault = error.fault.removeprefix(f"{path}: ")
            raise SubmissionError(fault, error.remedy, cause="too much") from None


def _unclear(wanted: FileNames, paths: Sequence[str], *, named: bool = True) -> Unclear:
    return Unclear(tuple(map(one_line, paths)), wanted.stub, named)


# --- What it continues


def _find_earlier(wanted: FileNames, tree: Tree, path: str) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return names and bytes of the student's earlier work, the nearest first, and notes about its faults.

    Earlier work is searched next to the later work and in the folder of its assignment.
    """
    before = wanted.earlier
    if before is None:
        return [], []
    try:
        found = _earlier(wanted, before, tree, path)
    except SubmissionError as trouble:
        return [], [str(trouble)]
    if found is None:
        return [], []
    further, problems = _find_earlier(before, tree, found[0])
    return [(_valid_name(found[0]), found[1]), *further], problems


def _earlier(wanted: FileNames, before: FileNames, tree: Tree, path: str) -> tuple[str, bytes] | None:
    here, suffix = posixpath.dirname(path), posixpath.splitext(path)[1]
    folders = [here, f"assignments/{before.day}"]
    if posixpath.basename(here) == wanted.day:
        folders.insert(1, posixpath.join(posixpath.dirname(here), before.day))
    for folder in dict.fromkeys(folders):
        there = {entry.name for entry in visible(tree, folder) if entry.kind != "folder"}
        names = sorted(there.intersection(before.names), key=lambda name: not name.endswith(suffix))
        found = [(at, _read(tree, at)) for at in (posixpath.join(folder, name) for name in names)]
        if found:
            return next((one for one in found if not before.is_untouched(*one)), found[0])
    return None
