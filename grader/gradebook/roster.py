"""The roster of a class: the instructor's own CSV, or the export of a platform.

The columns determine the format. Case, spaces, `_` and `-` in their names do not count; other columns are allowed.

    own               `student`, and any of `github`, `repository` or `remote`, `name`, `email`, `role`; without
                      `student` the GitHub username is the key. A line with the role `instructor` is not a student
    GitHub Classroom  its roster: `identifier`, `github_username`, `github_id`, `name`
                      its grades: `github_username`, `roster_identifier`, `student_repository_name`,
                      `student_repository_url` and the other columns of the download
                      (docs.github.com, "Manage classrooms"; github/gh-classroom, `assignment-grades`)
    Classroom 50      its students.csv: `username` (on GitHub), `first_name`, `last_name`, `email`, `section`, `github_id`
    Canvas            the gradebook's export: `Student` (or `LastName` and `FirstName`), `ID`, `SIS User ID`,
                      `SIS Login ID`, `Section`, then the assignments
                      (instructure/canvas-lms, lib/gradebook_exporter.rb)
    Moodle            the grades' export: `First name`, `Last name` (`Surname` before 4.0), `ID number`,
                      `Email address`, then the grades (moodle/moodle, grade/export/txt), and an assignment's
                      grading worksheet: `Identifier` (`Participant 12345`), `Full name`, `Email address`
                      (moodle/moodle, mod/assign/gradingtable.php), each in English

A student's key comes from: `student`, which must be a valid key; GitHub Classroom's identifier (see
grader.submissions.keys), or the GitHub username; for Canvas, the name in the zip of submissions and the user's id
(`lovelaceada-67890`); for Moodle, the email address, or in the worksheet name and participant (`Ada-Lovelace-12345`), as in
the zip. `ids` keeps the platform's other identifiers by column.
"""

from __future__ import annotations

import csv
import functools
import io
import itertools
import re
import unicodedata
from typing import TYPE_CHECKING, TypeVar

import msgspec

from grader.errors import Refused, first_of
from grader.files import NotPlain, read_plain
from grader.report import quote
from grader.submissions.keys import same_key, student_key, trouble_with_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

T = TypeVar("T")
LARGEST = 20 << 20  # bytes
MOST_COLUMNS = 1_000  # a platform adds one for each assignment
MOST_LINES = 50_000
LONGEST_LINE = 1 << 20  # characters
SHOWN = 60  # characters of a quoted cell
MOST_TEAMS = 8  # that are named
DAY = "{day}"  # in a repository's name: the assignment
_GITHUB = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
_PLACE = rf"{_GITHUB}/(?!\.{{1,2}}(?:git)?/?$)[\w.-]{{1,100}}"
# Git takes no such address for an option or for a program to start (`ext::`).
_ADDRESS = r"(?:https?|ssh|git|file)://(?!-)[!-~]+|(?!-)[\w.-]+@(?!-)[\w.-]+:(?!:)[!-~]+"
_CREDENTIALS = r"https?://[^/\s]*@|[a-z]+://[^/@\s]*:[^/@\s]*@"


class RosterStudent(msgspec.Struct, frozen=True):
    """One line of a roster.

    `student` is the key, `github` the GitHub username. `repository` is `owner/name` on GitHub or the address of a remote, and
    may contain `{day}`. `ids` are the identifiers of a platform, by column.
    """

    student: str
    github: str = ""
    repository: str = ""
    name: str = ""
    email: str = ""
    ids: dict[str, str] = {}


class RosterLine:
    """One line of the file: its number from 1, and its cells by their columns' folded names.

    `header` has the columns' own names, as far as the line has cells.
    """

    def __init__(self, path: Path, number: int, header: list[str], cells: list[str]) -> None:
        self.path, self.number, self.header = path, number, header[: len(cells)]
        self.cells = dict(zip(map(fold_column, self.header), (cell.strip() for cell in cells), strict=False))

    def get(self, *names: str) -> str:
        """Return the first cell of these columns that is not empty, or ""."""
        return next((self.cells[name] for name in names if self.cells.get(name)), "")

    def ids(self, but: AbstractSet[str] = frozenset()) -> dict[str, str]:
        """Return the cells that are not empty, by their columns' own names, except the columns `but`."""
        cells = ((name.strip(), self.cells.get(fold_column(name), "")) for name in self.header)
        return {name: cell for name, cell in cells if cell and name and fold_column(name) not in but}

    def refuse(self, what: str) -> Refused:
        """Return the error that names the line."""
        return Refused(f"{self.path}, line {self.number}: {what}")


def read_roster(path: Path) -> list[RosterStudent]:
    """Return the students of a roster in its order, without instructors. Raises Refused."""
    header, *lines = read_lines(path)
    student_of = _format(path, header)
    seen: dict[tuple[str, str], RosterLine] = {}
    students = []
    for line in lines:
        if student_of is _own and _is_instructor(line):
            continue
        if (student := student_of(line)) is not None:
            _refuse_twice(line, student, seen)
            students.append(student)
    if not students:
        raise Refused(f"{path}: it lists no students; write a line for each below the column names")
    return students


def read_instructors(path: Path) -> list[str]:
    """Return the logins with the role `instructor` in an own roster; platforms have no roles. Raises Refused."""
    header, *lines = read_lines(path)
    own = _format(path, header) is _own
    return [_login(line) for line in lines if own and _is_instructor(line)]


@functools.lru_cache(2 * MOST_COLUMNS)
def fold_column(name: str) -> str:
    """Return the name of a column without case, spaces, `_` and `-`."""
    return re.sub(r"[\s_-]+", "", name).casefold()


# --- Lines


def read_lines(path: Path) -> Iterator[RosterLine]:
    """Yield the lines of a CSV that are not blank, the header first. Raises Refused."""
    text, separators = _text(path), ",;\t"
    if declared := re.match(r'"?sep=([,;\t])"?\r?\n', text):  # by Excel
        text, separators = "\n" + text[declared.end() :], declared[1]
    header: list[str] | None = None
    end = 0
    try:
        first = next(filter(str.strip, io.StringIO(text, newline="")), "")[:LONGEST_LINE]
        # The separator that cuts the first line into the most columns.
        separator = max(separators, key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
        reader = csv.reader(_check_lines(path, text), delimiter=separator, strict=True)
        for cells in reader:
            number, end = end + 1, reader.line_num
            if any(map(str.strip, cells)):
                header = _header(path, cells) if header is None else header
                line = RosterLine(path, number, header, cells)
                if any(cell.strip() for cell in cells[len(header) :]):
                    raise line.refuse(
                        f"it has {len(cells)} cells for {len(header)} columns; put a cell with a comma "
                        "into double quotes"
                    )
                yield line
    except csv.Error as error:
        raise Refused(
            f"{path}, line {end + 1}: this is not a line of a CSV ({error}); correct its quotes: a pair must enclose a "
            "whole cell"
        ) from None
    if header is None:
        raise Refused(f"{path}: it is empty; write the column names and a line for each student")


def _check_lines(path: Path, text: str) -> Iterator[str]:
    """Yield the lines of the text with their ends. Raises Refused beyond MOST_LINES and LONGEST_LINE."""
    lines = io.StringIO(text, newline="")
    for number, line in enumerate(itertools.islice(lines, MOST_LINES), start=1):
        if len(line) > LONGEST_LINE:
            raise Refused(
                f"{path}, line {number}: this line is too long for a roster; give the CSV of one class"
            )
        yield line
    if next(lines, ""):
        raise Refused(f"{path}: it has more than {MOST_LINES:,} lines; give the CSV of one class")


def _text(path: Path) -> str:
    try:
        data = read_plain(path, LARGEST)[0]
    except NotPlain as error:
        if error.kind == "large":
            raise Refused(f"{path}: {error.size >> 20} MB is too large for a roster; give the CSV") from None
        raise Refused(f"{path}: this is not a file; give the CSV itself") from None
    except OSError as error:
        raise Refused(
            f"{path}: cannot be read: {error.strerror}; correct the name or the permissions"
        ) from None
    if data.startswith((b"PK\3\4", b"\xd0\xcf\x11\xe0")):
        raise Refused(f"{path}: this is a workbook; save it as CSV (UTF-8) in Excel and give that")
    # Excel saves "Unicode text" in UTF-16.
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeError:
        raise Refused(f"{path}: this is not text in UTF-8; save it as CSV (UTF-8)") from None
    if "\0" in text:
        raise Refused(f"{path}: it contains zero bytes, so it is not a CSV; export it again")
    return text


def _header(path: Path, cells: list[str]) -> list[str]:
    if len(cells) > MOST_COLUMNS:
        raise Refused(
            f"{path}: it has {len(cells):,} columns, more than {MOST_COLUMNS:,}; remove those that you do not need"
        )
    seen: set[str] = set()
    for cell in cells:
        name = fold_column(cell)
        if name in seen and name in _KNOWN:
            raise Refused(f"{path}: two columns are called {quote(cell, SHOWN)}; keep one of them")
        seen.add(name)
    return cells


# --- Formats


def _format(path: Path, header: RosterLine) -> Callable[[RosterLine], RosterStudent | None]:
    columns = set(header.cells)
    for needed, student_of in _FORMATS:
        if needed <= columns:
            return student_of
    there = ", ".join(f"{quote(name, SHOWN)}" for name in header.header[:12] if name.strip())
    raise Refused(
        f"{path}: no column names the students; it has {there}. Add a column `student`, and `github`, "
        "`repository`, `name` and `email` if you know them, or give an export of GitHub Classroom, Canvas or "
        "Moodle in English"
    )


def _is_instructor(line: RosterLine) -> bool:
    """Return True for the role `instructor`. Raises Refused for an unknown role, and without a GitHub username."""
    role = line.get("role").casefold()
    if role not in {"", "student", "instructor"}:
        raise line.refuse(f"{quote(role, SHOWN)} is not a role; write `student`, `instructor` or nothing")
    if role == "instructor" and not _login(line):
        raise line.refuse("this instructor has no GitHub username; write it into the column `github`")
    return role == "instructor"


def _login(line: RosterLine) -> str:
    return _github(line, line.get("github", "githubusername", "githublogin"))


def _own(line: RosterLine) -> RosterStudent:
    github = _login(line)
    key = line.get("student") or ("" if "student" in line.cells else github)
    return RosterStudent(
        student=_key(line, key),
        github=github,
        repository=_repository(line, line.get("repository", "remote")),
        name=line.get("name", "fullname"),
        email=line.get("email", "emailaddress"),
        ids=line.ids(_OWN),
    )


def _classroom(line: RosterLine) -> RosterStudent:
    """Read a line of GitHub Classroom's roster or grades, where a student may have no identifier yet."""
    github = _github(line, line.get("githubusername"))
    identifier = line.get("identifier", "rosteridentifier")
    return RosterStudent(
        student=_made_key(line, identifier or github),
        github=github,
        repository=_repository(line, line.get("studentrepositoryurl")),
        name=line.get("name"),
        email=identifier if _is_email(identifier) else "",
        ids={name: value for name, value in line.ids().items() if fold_column(name) in _CLASSROOM_IDS},
    )


def _classroom50(line: RosterLine) -> RosterStudent:
    """Read a line of Classroom 50's students.csv."""
    github = _github(line, line.get("username"))
    names = (line.get("firstname"), line.get("lastname"))
    name, email = " ".join(filter(None, names)), line.get("email")
    return RosterStudent(
        student=_key(line, github), github=github, name=name, email=email, ids=line.ids(_OF_50)
    )


def _canvas(line: RosterLine) -> RosterStudent | None:
    """Read a line of Canvas's gradebook; None for the points possible and the marks of hidden columns."""
    names = filter(None, (line.get("lastname"), line.get("firstname")))
    name, number = line.get("student") or ", ".join(names), line.get("id")
    if "Points Possible" in name or not (name or number):
        return None
    if not re.fullmatch(r"[\d~]{1,30}", number):
        raise line.refuse(
            f"{quote(number, SHOWN)} in the column ID is not a student's number; export the file again"
        )
    login = line.get("sisloginid")
    return RosterStudent(
        student=_made_key(line, _canvas_name(name), number),
        name=name,
        email=login if _is_email(login) else "",
        ids={name: value for name, value in line.ids().items() if fold_column(name) in CANVAS_COLUMNS},
    )


def _moodle(line: RosterLine) -> RosterStudent:
    email = line.get("emailaddress")
    names = (line.get("firstname"), line.get("lastname", "surname"))
    return RosterStudent(
        student=_made_key(line, email or line.get("idnumber")),
        name=" ".join(filter(None, names)),
        email=email,
        ids={name: value for name, value in line.ids().items() if fold_column(name) in _MOODLE_IDS},
    )


def _worksheet(line: RosterLine) -> RosterStudent:
    match = re.search(r"(\d{1,20})$", line.get("identifier"))
    if match is None:
        raise line.refuse(
            f"{quote(line.get('identifier'), SHOWN)} is not a participant's number; download the file again"
        )
    name = line.get("fullname")
    return RosterStudent(
        student=_made_key(line, name or "Participant", match[1]),
        name=name,
        email=line.get("emailaddress"),
        ids={name: value for name, value in line.ids().items() if fold_column(name) in _MOODLE_IDS},
    )


def _canvas_name(name: str) -> str:
    """Return a sortable name in the form in which it begins a file's name in Canvas's zips.

    instructure/canvas-lms, lib/content_zipper.rb: lower case; only letters, digits and `_`.

    >>> _canvas_name("Lovelace, Ada")
    'lovelaceada'
    """
    name = re.sub(r"_(\d+)_", r"\1", name).lower()
    return "".join(sign for sign in name if unicodedata.category(sign) in _WORDS)


_WORDS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"})
_OWN = {
    *("student", "github", "githubusername", "githublogin"),
    *("repository", "remote", "name", "fullname", "email", "emailaddress", "role"),
}
_OF_50 = {"username", "firstname", "lastname", "email"}
CANVAS_COLUMNS = {
    *("student", "lastname", "firstname", "id", "sisuserid"),
    *("sisloginid", "integrationid", "rootaccount", "section"),
}
_CLASSROOM_IDS = {"identifier", "rosteridentifier", "githubid"}
_MOODLE_IDS = {"identifier", "idnumber", "emailaddress", "username"}
_KNOWN = {*_OWN, *CANVAS_COLUMNS, *_CLASSROOM_IDS, *_MOODLE_IDS, "studentrepositoryurl", "surname"}
_FORMATS: list[tuple[set[str], Callable[[RosterLine], RosterStudent | None]]] = [
    ({"identifier", "githubusername"}, _classroom),
    ({"githubusername", "rosteridentifier"}, _classroom),
    ({"student", "id", "section"}, _canvas),
    ({"lastname", "firstname", "id", "section"}, _canvas),
    ({"identifier", "fullname"}, _worksheet),
    ({"firstname", "emailaddress"}, _moodle),
    ({"student"}, _own),
    ({"github"}, _own),
    ({"githubusername"}, _own),
    ({"username", "githubid"}, _classroom50),
]


# --- Cells


def _key(line: RosterLine, key: str) -> str:
    if trouble := trouble_with_key(key):
        raise line.refuse(f"{quote(key, SHOWN)} cannot be a student's name here: {trouble}")
    return key


def _made_key(line: RosterLine, name: str, number: str = "") -> str:
    key = student_key(name, number)
    if not key or trouble_with_key(key):
        raise line.refuse(
            f"no student's name can be made from {quote(name, SHOWN)}; write one with letters or digits"
        )
    return key


def _github(line: RosterLine, name: str) -> str:
    name = name.removeprefix("@")
    if name and not re.fullmatch(_GITHUB, name):
        raise line.refuse(
            f"{quote(name, SHOWN)} is not a GitHub username; copy the username from the address of the GitHub profile"
        )
    return name


def _repository(line: RosterLine, place: str) -> str:
    """Return `owner/name` for github.com, any other address unchanged. Raises Refused."""
    if re.match(_CREDENTIALS, place):
        raise line.refuse(
            "the address of the repository contains a name or a password that others could read; remove it, "
            "and store it in git's credential helper"
        )
    of_a_day = place.replace(DAY, "day1")
    if re.fullmatch(rf"(?:https://github\.com/)?{_PLACE}/?", of_a_day, re.ASCII):
        return place.removeprefix("https://github.com/").removesuffix("/").removesuffix(".git")
    if place and (place.startswith("https://github.com/") or not re.fullmatch(_ADDRESS, of_a_day, re.ASCII)):
        raise line.refuse(
            f"{quote(place, SHOWN)} is not a repository; write owner/name, or copy the repository's whole address, with https:// or ssh://"
        )
    return place


def _is_email(text: str) -> bool:
    return re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", text) is not None


def _refuse_twice(line: RosterLine, student: RosterStudent, seen: dict[tuple[str, str], RosterLine]) -> None:
    """Raise Refused if an earlier line has the same key or GitHub username; case does not count."""
    for what, value in (("student", student.student), ("GitHub username", student.github)):
        if value:
            first = seen.setdefault((what, same_key(value)), line)
            if first is not line:
                raise line.refuse(
                    f"the {what} {quote(value, SHOWN)} is already in line {first.number}; keep one of the two"
                )


# --- Teams
#
# Students whose lines name one repository are a team. Each student has a result, an extension and overrides. The repository
# is created, fetched and graded once, and gets one text for all members.


def by_repository(repositories: Iterable[tuple[T, str]]) -> dict[str, list[T]]:
    """Return the students of each repository in their order, by its name in lower case: GitHub ignores case.

    `repositories` are pairs of a student and a repository; a student without a repository is left out.
    """
    found: dict[str, list[T]] = {}
    for student, repository in repositories:
        if repository:
            found.setdefault(repository.casefold(), []).append(student)
    return found


def teams_of(repositories: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the repositories with more than one student, as `by_repository` does."""
    return {place: students for place, students in by_repository(repositories).items() if len(students) > 1}


def team_note(teams: Mapping[str, Sequence[str]]) -> str:
    """Return a line about the teams: the instructor may have written a repository twice by mistake."""
    named = [f"{join_names(students)} ({repository})" for repository, students in teams.items()]
    return f"teams that share a repository: {first_of(named, MOST_TEAMS)}; each member can read the grades of the whole team"


def join_names(students: Sequence[str]) -> str:
    """Return the students' names as part of a sentence."""
    *others, last = students
    return f"{', '.join(others)} and {last}" if others else last
