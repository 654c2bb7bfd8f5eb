"""`grade class`: set up a class in a private repository, in six parts.

    roster         a line for each student, in the course's folder
    due            the due dates, in the manifests
    salts          public salts, from Backgrade's own repository, are replaced
    repository     ORG/course, private, as the course's git remote `origin`
    course.yaml    the class, in `solutions/course.yaml`
    commit         the files that decide grades, committed and pushed

A salt is replaced only if it is public, and only before the class or a results file exists. So no salt is replaced twice.
`set_up` shows the parts, asks, and does what is missing; `grade open` uses it too.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from grader.assignment import Course
from grader.classroom.collect.collect import Server
from grader.classroom.github.api import api_from
from grader.classroom.github.repository import get_repository, make_repository
from grader.classroom.own_repository import (
    Deciding,
    has_public_salt,
    own_repositories,
    refuse_readers,
)
from grader.classroom.release.push import BRANCH, WorkTree
from grader.console import FULL, agree, count_noun, say, show, somebody_can_answer
from grader.errors import Refused, first_of, nearest
from grader.files import absolute, write_bytes
from grader.gradebook.late import read_moment
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import FILE, ROSTER, class_of, from_here, read_course_settings
from grader.gradebook.store import RESULTS
from grader.render import escape_line
from grader.submissions.intake import refuse_missing_imports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from grader.classroom.github.api import Api
    from grader.gradebook.roster import RosterStudent
    from grader.gradebook.settings import Class

T = TypeVar("T")


NAME = "course"  # of the repository
UPSTREAM = "upstream"  # the remote from which the course came, if that is not the class's
_HEADING = b"student,github\n"
SHOWN = 5  # names


@dataclass(frozen=True)
class SetupOptions:
    """The answers from the command line; `grade class` asks for the others. `due` holds items such as `day1=2026-12-01`."""

    organisation: str = ""
    roster: Path | None = None
    due: tuple[str, ...] = ()


def run_class(
    course: Course, options: SetupOptions, *, dry_run: bool, yes: bool, environment: Mapping[str, str]
) -> int:
    """Ask, show what is missing, do it, and return the exit code. Raises Refused."""
    with api_from(environment, waiting=lambda line: say(line, err=True)) as api:
        setup = _Setup(course, options, environment, api)
        say(f"{course.root.name}: a class in {setup.organisation}, with {first_of(course.names, SHOWN)}")
        code = set_up(setup.parts, setup.organisation, lambda: None, dry_run=dry_run, yes=yes)
    if not dry_run:
        where = "" if _students(setup.roster) else from_here(setup.roster)
        first = f"Add a line for each student to {where}. Then:\n" if where else ""
        show(f"\n{first}Next: grade open {course.names[0]}\n")
    return code


class _Setup:
    """The class to set up: inspects each part, and does what is missing."""

    def __init__(
        self, course: Course, options: SetupOptions, environment: Mapping[str, str], api: Api
    ) -> None:
        """Ask for the answers that the options do not give. Raises Refused."""
        self.course, self.root, self.server, self.api = course, course.root, Server(environment), api
        self.git = WorkTree(self.root)
        self.days = [course.assignment(name) for name in course.names]
        self.is_there = read_course_settings(course).class_ is not None
        if self.is_there:
            _refuse_another(class_of(course), options)
        elif (self.root / RESULTS).exists():
            raise Refused(
                f"{from_here(self.root / RESULTS)}: this file holds grades, so the salts must not change; "
                "if it belongs to no class, move it away"
            )
        named = class_of(course).needed_organisation if self.is_there else options.organisation
        self.organisation = (
            self._find_organisation(named)
            if named
            else _ask("Organisation on GitHub", "--organisation", self._find_organisation)
        )
        self.source = self._roster_of(options)
        self.roster = self.root / ROSTER if self.source else absolute(class_of(course).roster)
        self.due = self._due_of(options)
        self.name = f"{self.organisation}/{NAME}"
        self.is_bound = False  # whether `origin` is the class's repository
        self.upstream = False  # whether it is the course's source
        verb = "done:" if self.is_there else "write"
        self.parts = {
            "roster": SetupPart(self._look_roster, self._write_roster),
            "due": SetupPart(self._look_due, self._write_due),
            "salts": SetupPart(self._look_salts, self._renew_salts),
            "repository": SetupPart(self._look_repository, self._make_repository),
            "course.yaml": SetupPart(
                lambda: (not self.is_there, f"{verb} the class of {self.organisation}"), self._write_class
            ),
            "commit": SetupPart(self._look_commit, self._commit),
        }

    def _find_organisation(self, organisation: str) -> str:
        """Return the organisation's name. Raises Refused if it does not exist, or if members can read every repository."""
        refuse_readers(self.api, (), (), organisation)
        return organisation

    def _roster_of(self, options: SetupOptions) -> Path | None:
        """Return the file to read the roster from; None if course.yaml has a class already. Raises Refused."""
        if self.is_there:
            return None
        if options.roster:
            return self._read_source(str(options.roster))
        here = from_here(self.root / ROSTER)
        return _ask("Roster, a CSV file of the students", "--roster", self._read_source, str(here))

    def _read_source(self, answer: str) -> Path:
        """Return a roster's path. Raises Refused if it cannot be read."""
        here, source = from_here(self.root / ROSTER), Path(answer).expanduser()
        if not source.exists() and absolute(source) != absolute(here):
            raise Refused(f"{source}: no such file; name the roster")
        _students(source)
        if source.exists() and here.exists() and source.read_bytes() != here.read_bytes():
            raise Refused(f"{here}: a different roster exists; move it away to use {source}")
        return source

    def _due_of(self, options: SetupOptions) -> dict[str, str]:
        """Return the due dates to write, by day. Raises Refused."""
        open_ = [one.name for one in self.days if one.manifest.due is None]
        if options.due or not open_ or self.is_there or not somebody_can_answer():
            return _due_dates(options.due, self.course.names)
        example = f"{open_[0]}={dt.date.today() + dt.timedelta(days=14)}"  # noqa: DTZ011  the user's own day
        question = f"Due dates, such as {example} (Enter for none)"
        return _ask(question, "--due", lambda answer: _due_dates(answer.split(), self.course.names), "")

    # Looking

    def _look_roster(self) -> tuple[bool, str]:
        where = from_here(self.roster)
        if self.source is None or self.roster.exists():
            return False, f"done: {where}, {count_noun(len(_students(self.roster)), 'student')}"
        if self.source.exists():
            return (
                True,
                f"copy {count_noun(len(_students(self.source)), 'student')} from {self.source} to {where}",
            )
        return True, f"write {where} with a heading; before `grade open`, add a line for each student"

    def _look_due(self) -> tuple[bool, str]:
        known = {one.name: one.manifest.due.isoformat() for one in self.days if one.manifest.due}
        changed = {day: date for day, date in self.due.items() if known.get(day) != date}
        self.due = changed
        said = ", ".join(f"{day} {date}" for day, date in (known | changed).items())
        there = "" if changed else "done: "
        return bool(changed), there + (said or "no day has a due date, so work always counts")

    def _look_salts(self) -> tuple[bool, str]:
        public = self.public = [one for one in self.days if has_public_salt(one)]
        if not public:
            return False, "done: none is public"
        for one in public:
            refuse_missing_imports(one)
        names = first_of([one.name for one in public], SHOWN)
        if self.is_there:
            raise Refused(
                f"{names}: the salt is public, because Backgrade's own repository has it, and the class exists already. If no "
                f"student has been graded with hidden checks yet, run `grade stub {public[0].name} --new-salt` for each, and commit"
            )
        return True, f"replace for {names}; takes up to a minute for each day"

    def _look_repository(self) -> tuple[bool, str]:
        self.upstream = self.git.exists and self.git.succeeds("remote", "get-url", "origin")
        for name in own_repositories(self.root, self.server.url) if self.git.exists else ():
            found = get_repository(self.api, name)
            if found is None:
                raise Refused(
                    f"{name}: this token cannot see the course's git remote `origin`; correct its address "
                    "(`git remote set-url origin ADDRESS`), or give the token access"
                )
            if found.private or found.permissions.get("push"):
                self.name, self.upstream, self.is_bound = found.full_name, False, True
                self._refuse_readers(name)
                return False, f"done: {name}, private, as `origin`"
        if (made := get_repository(self.api, self.name)) is not None:
            self._refuse_readers(self.name)
        kept = f"; rename today's `origin` to `{UPSTREAM}`, without pushing to it" if self.upstream else ""
        return True, f"{'use' if made else 'create'} {self.name}, private, as `origin`{kept}"

    def _look_commit(self) -> tuple[bool, str]:
        what = f"the files that decide grades to {self.name}"
        if not (self.is_there and self.is_bound) or self.due:
            return True, f"push {what}"
        is_pushed = self._deciding.are_pushed
        return not is_pushed, f"{'done: pushed' if is_pushed else 'push'} {what}"

    @property
    def _deciding(self) -> Deciding:
        return Deciding(self.days, class_of(self.course), self.server.variables_of(self.name))

    def _refuse_readers(self, name: str) -> None:
        refuse_readers(self.api, [name], _students(self.source or self.roster))

    # Doing

    def _write_roster(self) -> None:
        assert self.source is not None
        data = self.source.read_bytes() if self.source.exists() else _HEADING
        write_bytes(self.roster, data, self.root)
        say(f"written  {from_here(self.roster)}")

    def _write_due(self) -> None:
        for day, date in self.due.items():
            path = self.course.assignment(day).folder / "assignment.yaml"
            before = path.read_text(encoding="utf-8")
            line = f"due: {date}"
            text, count = re.subn(r"^due:.*$", line, before, count=1, flags=re.MULTILINE)
            if not count:
                text = re.sub(r"^(title:.*)$", rf"\1\n{line}", before, count=1, flags=re.MULTILINE)
            write_bytes(path, text.encode(), self.root)
            try:
                due = Course(self.root).assignment(day).manifest.due  # read again
            except Refused:
                due = None
            if due is None or due.isoformat() != date:
                write_bytes(path, before.encode(), self.root)
                raise Refused(f"{from_here(path)}: `{line}` cannot be added; add it by hand")
            say(f"written  {from_here(path)}: {line}")

    def _renew_salts(self) -> None:
        from grader.authoring.generated import write_generated
        from grader.authoring.runner import Progress
        from grader.authoring.workers import ProcessPool

        for one in self.public:
            with ProcessPool() as workers:
                write_generated(one, new_salt=True, workers=workers, progress=Progress(one.name))
            say(f"replaced the salt of {one.name}, and the files made with it")

    def _make_repository(self) -> None:
        if get_repository(self.api, self.name) is None:
            make_repository(self.api, self.name, lambda: get_repository(self.api, self.name))
        self._refuse_readers(self.name)
        if not self.git.exists:
            self.git.git("init", "-q", "-b", BRANCH, "--", str(absolute(self.root)))
        if self.upstream:
            self.git.git("remote", "rename", "origin", UPSTREAM)
            self.git.git("remote", "set-url", "--push", UPSTREAM, "no-push-to-upstream")
        self.git.git("remote", "add", "origin", self.server.remote(self.name)[0].address)
        say(f"created  {self.name}, private, as `origin`")

    def _write_class(self) -> None:
        path = self.root / FILE
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        roster = f"  roster: {self.roster.name}\n"
        record = "" if re.search(r"^record:", before, re.MULTILINE) else "record: branch\n"
        text = f"{record}class:\n  organisation: {self.organisation}\n{roster}{before}"
        write_bytes(path, text.encode(), self.root, make_folder=True)
        try:
            class_of(self.course)
        except Refused:
            write_bytes(path, before.encode(), self.root)
            raise
        say(f"written  {from_here(path)}")

    def _commit(self) -> None:
        address = self.server.remote(self.name)[0].address
        self._deciding.commit(address, BRANCH, f"A class in {self.organisation}")


def _refuse_another(class_: Class, options: SetupOptions) -> None:
    """Raise Refused for options that contradict the class in course.yaml."""
    is_other = options.organisation.casefold() not in {"", class_.organisation.casefold()}
    rosters = {path.read_bytes() for path in (options.roster, class_.roster) if path and path.is_file()}
    if is_other or (options.roster and len(rosters) > 1):
        raise Refused(
            f"{FILE}: this file has a class of {class_.organisation} already; edit it to change the class"
        )


def _ask(question: str, option: str, read: Callable[[str], T], default: str | None = None) -> T:
    """Ask a question, and return `read(answer)`; ask again while `read` raises Refused.

    Without a terminal, use the default. Raises Refused if there is none.
    """
    if not somebody_can_answer():
        if default is None:
            raise Refused(f"add {option}: there is no terminal to ask on")
        return read(default)

    def value(answer: str) -> T:
        try:
            return read(answer.strip())
        except Refused as error:
            raise click.UsageError(escape_line(str(error))) from error

    answer: T = click.prompt(
        escape_line(question), default=default, show_default=bool(default), value_proc=value
    )
    return answer


def _due_dates(words: Iterable[str], names: list[str]) -> dict[str, str]:
    return dict(_due_date(word, names) for word in words)


def _due_date(word: str, names: list[str]) -> tuple[str, str]:
    """Return day and time of `DAY=DATE`; a date without a time means 23:59 local time. Raises Refused."""
    day, _, text = word.strip(",").partition("=")
    if day not in names:
        raise Refused(f"{word}: no such assignment{nearest(day, names)}; write DAY=DATE")
    try:
        moment = read_moment(text)
        return day, (moment if moment.tzinfo else moment.astimezone()).isoformat()
    except (ValueError, OverflowError) as error:
        raise Refused(f"{word}: not a date; write {day}=2026-12-01 or {day}=2026-12-01T18:00") from error


def _students(roster: Path) -> list[RosterStudent]:
    """Return the students of a roster; none if the file is missing or has only the heading. Raises Refused."""
    return [] if not roster.exists() or roster.read_bytes() == _HEADING else read_roster(roster)


class SetupPart(NamedTuple):
    """One part: `look` returns whether something is missing, and a description; `do` returns an exit code, None for 0."""

    look: Callable[[], tuple[bool, str]]
    do: Callable[[], int | None]


def set_up(
    parts: Mapping[str, SetupPart], whom: str, before: Callable[[], None], *, dry_run: bool, yes: bool
) -> int:
    """Print a line for each part, ask, do what is missing, and return the exit code. Raises Refused, Broken.

    `whom` is named in the question; `before` is called before it.
    """
    missing = []
    for name, part in parts.items():
        is_missing, words = part.look()
        for line in f"  {name:<12}  {words}".splitlines():
            say(line)
        missing += [name] if is_missing else []
    before()
    if not missing or dry_run:
        say(
            "dry run: nothing was done; run again without --dry-run"
            if missing
            else "this command has nothing to do"
        )
        return FULL
    if not yes:
        agree(f"still missing for {whom}: {', '.join(missing)}", "make what is missing", "--yes")
    return max(parts[name].do() or FULL for name in missing)
