"""The names of students in a source: an instructor's own, and those in exports of Canvas, Moodle and Gradescope.

A zip and the folder that it was unpacked to are read alike, and entries of several kinds may be side by side. A
name that belongs to no platform is a student's own folder, or a file that is named by student.

Canvas ("Download Submissions"; instructure/canvas-lms, lib/content_zipper.rb), files only:

    lovelaceada_LATE_12345_67890_day2_sums.ipynb
    |           |    |     |     the name as it was uploaded; handed in again it gets `-1`, `-2` before its suffix
    |           |    |     the file's id, which grows
    |           |    the user's id, or in an anonymous assignment `anon_` and five letters instead of both
    |           only where Canvas counts the submission as late
    the sortable name in lower case, letters, digits and `_` only
    lovelaceada_12345_text.html, lovelaceada_12345_link.html      a text or an address instead of a file

The student is `lovelaceada-12345`; of two uploads whose names differ only in such a number the later one counts.

Moodle ("Download all submissions"; moodle/moodle, mod/assign/classes/downloader.php), folders since 3.1:

    Ada Lovelace_12345_assignsubmission_file/day2_sums.ipynb      (some versions end the folder in `_`)
    Ada Lovelace_12345_assignsubmission_file_day2_sums.ipynb      without folders
    Ada Lovelace_12345_assignsubmission_onlinetext/onlinetext.html         a text instead of a file

The number is the participant's in this assignment, which the grading worksheet repeats; with blind marking the
name is `Participant`, in group work it is the group's. The student is `Ada-Lovelace-12345`.

Gradescope ("Export Submissions"; its help page of that name, and the exports that public tools read), one
folder a submission, and beside them a YAML whose keys are Ruby's symbols:

    assignment_12_export/submission_345/day2_sums.ipynb
    assignment_12_export/submission_metadata.yml
        submission_345:
          :submitters:
          - :name: Ada Lovelace
            :sid: '0815'
            :email: ada@uni.edu
          :created_at: 2026-04-26 17:34:00.861687000 Z
          ...

Each submitter of a group gets its work. The student is `ada@uni.edu`, or name and `:sid:` without one.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import yaml

from grader.errors import Refused
from grader.report import quote
from grader.submissions.keys import student_key, trouble_with_key
from grader.submissions.states import NoFile, Unreadable
from grader.submissions.submission import SUFFIXES, SubmissionError
from grader.submissions.tree import Folder, TreeEntry, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.submissions.choice import FileNames
    from grader.submissions.tree import Tree

MOST_WRAPPERS = 3  # folders around an export, one in another
METADATA = "submission_metadata.yml"
DEEPEST_YAML = 100  # mappings and lists, one in another
MOST_YAML = 1_000_000  # texts, mappings, lists and their ends
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_CANVAS = re.compile(
    r"(?P<name>[^\s./]*?)(?P<late>_LATE)?_(?P<user>\d{1,20})_(?:(?P<file>\d{1,20})_(?P<shown>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon)_(?P<user>[A-Za-z0-9]{1,20})_"
    r"(?:(?P<file>\d{1,20})_(?P<shown>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
_MOODLE = re.compile(
    r"(?P<name>.*?)(?:_(?P<user>\d{1,20}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<shown>.*))?", re.DOTALL
)
_NOT_A_FILE = "a text was handed in, not a file"


@dataclass(frozen=True, slots=True)
class Claim:
    """A student's files in a source: the student's key, the original name, and the files.

    `file` is the path of the submission if the source names it. `nothing` is the reason why there is no submission.
    """

    student: str
    origin: str
    tree: Tree
    nothing: NoFile | Unreadable | None = None
    file: str = ""
    submitted: dt.datetime | None = None
    notes: tuple[str, ...] = ()


def claims_of(source: str, tree: Tree, wanted: FileNames) -> list[Claim]:
    """Return the students of a source; `source` names it in errors. Raises Refused."""
    tree = _without_wrapper(source, tree, wanted)
    try:
        entries = visible(tree)
    except SubmissionError as trouble:
        raise Refused(f"{source}: {trouble}") from None
    _refuse_one_students(source, tree, wanted)
    if any(entry.name == METADATA for entry in entries):
        return list(_gradescope(source, tree))
    uploads: dict[tuple[str, str], _Upload] = {}
    claims: list[Claim] = []
    for entry in entries:
        if (match := _canvas_match(entry) or _MOODLE.fullmatch(entry.name)) is None:
            claims += _named_by_student(source, tree, entry)
        else:
            student = match["name"], match["user"] or ""
            key = student_key(*student) or _refuse_name(source, entry)
            uploads.setdefault(student, _Upload(key, entry.name)).add(entry, match)
    return [*claims, *(upload.claim(tree, wanted) for upload in uploads.values())]


# --- The folder of the class


def _without_wrapper(source: str, tree: Tree, wanted: FileNames) -> Tree:
    """Return the tree in the only folder, if that contains the class: archives often have such a folder.

    On disk, raises Refused for a folder with a platform's names in it, unless Gradescope named it: if it is a student's,
    they must not decide whose work it is, and the user can give a class's folder itself.
    """
    inner = tree
    for _ in range(MOST_WRAPPERS):
        if (folder := _only_folder(inner)) is None:
            break
        inner = _Part(inner, folder)
        if _is_exported(inner):
            if isinstance(tree, Folder) and not re.fullmatch(r"assignment_\d+_export", folder):
                raise Refused(
                    f"{source}: the only folder in it, {quote(folder)}, looks like a platform's export of a class; give that "
                    "folder itself. If the folder holds the work of one student, grade their file with `grade DAY FILE`"
                )
            return inner
    folder = None if isinstance(tree, Folder) else _only_folder(tree)
    return _Part(tree, folder) if folder and _is_a_class(_Part(tree, folder), wanted) else tree


def _list_folder(tree: Tree, folder: str = "") -> Sequence[TreeEntry]:
    """Return the entries of a folder; none if there are too many, which is reported later."""
    try:
        return tree.list(folder)
    except SubmissionError:
        return []


def _visible_entries(tree: Tree) -> list[TreeEntry]:
    return [entry for entry in _list_folder(tree) if not entry.hidden]


def _only_folder(tree: Tree) -> str | None:
    """Return the name of the only folder, if nothing next to it could be a student's work; else None."""
    entries = [entry for entry in _visible_entries(tree) if entry.kind == "folder" or _may_be_work(entry)]
    only = entries[0] if len(entries) == 1 else None
    return only.name if only and only.kind == "folder" and not _is_exported(tree) else None


def _is_exported(tree: Tree) -> bool:
    return any(
        entry.name == METADATA or _canvas_match(entry) or _MOODLE.fullmatch(entry.name)
        for entry in _visible_entries(tree)
    )


def _is_a_class(tree: Tree, wanted: FileNames) -> bool:
    entries = _list_folder(tree)
    ones = {*wanted.names, "assignments", ".git", ".github", "requirements.txt", "README.md"}
    if ones & {entry.name for entry in entries}:
        return False
    return sum(not e.hidden and (e.kind == "folder" or _may_be_work(e)) for e in entries) > 1


def _may_be_work(entry: TreeEntry) -> bool:
    return entry.kind != "folder" and entry.name.casefold().endswith((*SUFFIXES, ".zip"))


def _refuse_one_students(source: str, tree: Tree, wanted: FileNames) -> None:
    """Raise Refused for the folder of one student."""
    found = [entry.name for entry in _list_folder(tree) if entry.name in wanted.names]
    found += [f"assignments/{e.name}" for e in _list_folder(tree, "assignments") if e.name == wanted.day]
    if found:
        raise Refused(
            f"{source}: this looks like the folder of one student, because `{found[0]}` is in it; give the folder of "
            "the whole class, or grade this student's file with `grade DAY FILE`"
        )


# --- An instructor's own names


def _named_by_student(source: str, tree: Tree, entry: TreeEntry) -> Iterator[Claim]:
    """Yield the claim of a folder, a file or a link; nothing for a file that is neither a notebook nor Python."""
    stem, _, suffix = entry.name.rpartition(".")
    if entry.kind == "folder":
        yield Claim(_own_key(source, entry, entry.name), entry.name, _Part(tree, entry.name))
    elif stem and _may_be_work(entry):
        packed = Unreadable(
            f"{quote(entry.name)} is an archive, and archives are not opened", "hand in the notebook itself"
        )
        nothing = packed if suffix.casefold() == "zip" else None
        gathered = _GatheredTree(tree, {entry.name: entry.name})
        yield Claim(_own_key(source, entry, stem), entry.name, gathered, nothing, entry.name)
    elif entry.kind != "file":
        link = Unreadable(
            f"{quote(entry.name)} is a link or a device, not a folder or a file",
            "put the folder or the file itself there",
        )
        yield Claim(_own_key(source, entry, entry.name), entry.name, tree, link)


def _own_key(source: str, entry: TreeEntry, name: str) -> str:
    """Return the name if it is a key, else a key made from it. Raises Refused."""
    name = unicodedata.normalize("NFC", name)
    key = student_key(name) if trouble_with_key(name) else name
    return key or _refuse_name(source, entry)


def _refuse_name(source: str, entry: TreeEntry) -> str:
    raise Refused(
        f"{source}: no student's name can be made from {quote(entry.name)}; rename it with letters or digits"
    )


# --- Canvas and Moodle


def _canvas_match(entry: TreeEntry) -> re.Match[str] | None:
    if entry.kind == "folder":
        return None
    return _CANVAS.fullmatch(entry.name) or _CANVAS_ANONYMOUS.fullmatch(entry.name)


def newest_uploads(tree: Tree) -> dict[str, str]:
    """Return the name of each student's file in a Canvas export, by key: the newest notebook, else the newest file."""
    found: dict[str, tuple[bool, int, str]] = {}
    for entry in visible(tree):
        match = _canvas_match(entry)
        if match and match["file"]:
            key = student_key(match["name"], match["user"])
            rank = (match["shown"].casefold().endswith(".ipynb"), int(match["file"]), entry.name)
            found[key] = max(found.get(key, rank), rank)
    return {key: name for key, (_, _, name) in found.items() if key}


@dataclass(slots=True)
class _Upload:
    """The uploads of one student: a folder, or files by original name, each with its id."""

    student: str
    origin: str
    folder: str = ""
    files: dict[str, list[tuple[int, str, str]]] = field(default_factory=dict)
    late: bool = False

    def add(self, entry: TreeEntry, match: re.Match[str]) -> None:
        parts = match.groupdict()
        self.late = self.late or bool(parts.get("late"))
        if parts.get("kind", "file") != "file":
            return
        if entry.kind == "folder":
            self.folder = entry.name
        elif shown := parts["shown"]:
            base = re.sub(r"-\d{1,4}(?=\.[^.]*$)", "", shown) if parts.get("file") else shown
            self.files.setdefault(base, []).append((int(parts.get("file") or 0), shown, entry.name))

    def claim(self, tree: Tree, wanted: FileNames) -> Claim:
        notes = ("Canvas counts it as late",) if self.late else ()
        if self.folder:
            return Claim(self.student, self.origin, _Part(tree, self.folder), notes=notes)
        paths, replaced = self._latest(wanted)
        nothing = (
            None if paths else NoFile(wanted.stub, why=_NOT_A_FILE, remedy="hand in the notebook itself")
        )
        return Claim(
            self.student, self.origin, _GatheredTree(tree, paths), nothing, notes=(*notes, *replaced)
        )

    def _latest(self, wanted: FileNames) -> tuple[dict[str, str], list[str]]:
        """Return the path of each file; of several uploads of the notebook, only the last, under the stub's name."""
        paths, notes = {}, []
        for base, files in self.files.items():
            if base in _all_names(wanted):
                *before, (_, last, path) = sorted(files)
                paths[base] = path
                notes += [f"{quote(last)} counts; it is later than {quote(b[1])}" for b in before]
            else:
                paths |= {shown: path for _, shown, path in sorted(files)}
        return paths, notes


def _all_names(wanted: FileNames | None) -> set[str]:
    return {*wanted.names, *_all_names(wanted.earlier)} if wanted else set()


# --- Gradescope


def _gradescope(source: str, tree: Tree) -> Iterator[Claim]:
    """Yield the work of each submitter, and the folders that the metadata does not name."""
    kinds = {entry.name: entry.kind for entry in visible(tree) if entry.name != METADATA}
    named = _read_metadata(source, tree)
    for folder, submission in named.items():
        missing = NoFile(folder, why=f"there is no folder {quote(folder)} in Gradescope's export")
        nothing = None if folder in kinds else missing
        is_file = kinds.get(folder) == "file"
        inside: Tree = _GatheredTree(tree, {folder: folder}) if is_file else _Part(tree, folder)
        own = student_key(folder)
        claim = Claim(own, folder, inside, nothing, submitted=_moment(submission.get(":created_at")))
        keys = _submitters(submission)
        if not keys:
            yield replace(claim, notes=("Gradescope names no student for this folder",))
        yield from (replace(claim, student=key or own) for key in keys)
    for name in sorted(name for name, kind in kinds.items() if kind == "folder" and name not in named):
        yield Claim(
            student_key(name), name, _Part(tree, name), notes=(f"{METADATA} does not name this folder",)
        )


def _read_metadata(source: str, tree: Tree) -> dict[str, dict[Any, Any]]:
    """Return the entry of each submission by the name of its folder; {} for an invalid entry. Raises Refused."""
    where = f"{source}: {METADATA}"
    try:
        data = tree.read(METADATA)
        _refuse_large(where, data)
        found = yaml.load(data, Loader=_LOADER)  # noqa: S506  of a BaseLoader, which makes texts, lists and mappings
    except SubmissionError as trouble:
        raise Refused(f"{where}: {trouble}") from None
    except (yaml.YAMLError, UnicodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise Refused(f"{where}{line}: this is not valid YAML; export them again") from None
    if not isinstance(found, dict):
        raise Refused(f"{where} names no submissions; export them again")
    return {
        name: entry if isinstance(entry, dict) else {}
        for name, entry in found.items()
        if isinstance(name, str)
    }


def _refuse_large(where: str, data: bytes) -> None:
    """Raise Refused for more YAML, or deeper YAML, than a class needs: PyYAML crashes on lists that are too deep."""
    deep = 0
    for number, event in enumerate(yaml.parse(data, Loader=_LOADER)):
        deep += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if deep > DEEPEST_YAML or number > MOST_YAML:
            raise Refused(f"{where}: this is larger or deeper than a class needs; export them again")


def _submitters(submission: dict[Any, Any]) -> list[str]:
    """Return the key of each person who handed in a submission; "" for one without a name."""
    people = submission.get(":submitters")
    keys = []
    for person in people if isinstance(people, list) else ():
        if isinstance(person, dict):
            parts = map(person.get, (":email", ":name", ":sid"))
            email, name, number = (part if isinstance(part, str) else "" for part in parts)
            keys.append(student_key(email) or student_key(name, number))
    return keys


def _moment(text: object) -> dt.datetime | None:
    """Return the time, in UTC, in a text as Ruby writes it (nanoseconds, `Z` or an offset); None for other values."""
    match = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(?:(Z|UTC)|([+-]\d\d):?(\d\d))",
        text if isinstance(text, str) else "",
    )
    if match is None:
        return None
    offset = "+00:00" if match[3] else f"{match[4]}:{match[5]}"
    try:
        return dt.datetime.fromisoformat(f"{match[1]}T{match[2]}{offset}").astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None


# --- Parts of a tree


@dataclass(frozen=True, slots=True)
class _Part:
    """One folder of a tree, as a tree."""

    tree: Tree
    folder: str

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """As Tree.list."""
        return self.tree.list(posixpath.join(self.folder, folder).rstrip("/"))

    def read(self, path: str) -> bytes:
        """As Tree.read."""
        return self.tree.read(posixpath.join(self.folder, path))


@dataclass(frozen=True, slots=True)
class _GatheredTree:
    """Some files of a tree, renamed, in one folder."""

    tree: Tree
    paths: Mapping[str, str]

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """As Tree.list."""
        return [TreeEntry(name, "file") for name in sorted(self.paths)] if not folder else []

    def read(self, path: str) -> bytes:
        """As Tree.read."""
        return self.tree.read(self.paths[path])
