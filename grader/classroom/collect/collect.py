"""`grade collect`: the students, their repositories and periods; and the command's output."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import os
from collections import Counter
from typing import TYPE_CHECKING

from grader.assignment import COLLECTED
from grader.classroom.collect.collection import Collection, CollectionResult
from grader.classroom.collect.pushes import CollectTask, moment
from grader.classroom.collect.versions import Period
from grader.classroom.git.process import refuse_old_git, settings
from grader.classroom.git.remote import (
    GITHUB,
    Remote,
    on_github,
    token_setting,
)
from grader.classroom.github.api import api_from, token_of
from grader.classroom.github.repository import Naming
from grader.console import FULL, LESS, count_noun, say
from grader.errors import Refused, first_of
from grader.files import absolute
from grader.gradebook.late import (
    Extension,
    final_from,
    in_time_until,
    keeps_best,
    lateness,
    read_extensions,
)
from grader.gradebook.roster import RosterStudent, read_instructors, read_roster, team_note, teams_of
from grader.gradebook.settings import FILE
from grader.submissions.collected import CollectedWork, drift_note
from grader.submissions.keys import select_students
from grader.submissions.state_words import LABELS, label, reason, state_brief
from grader.submissions.states import NOT_WORKED, InWork, NoRepository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.gradebook.settings import Class

_SHORT = 10  # characters of a commit's hash


def collect(
    assignment: Assignment,
    class_: Class,
    folder: Path,
    *,
    latest: bool = False,
    students: Sequence[str] = (),
    jobs: int = 4,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Collect the work of a class into a folder, and return the exit code. Raises Refused."""
    refuse_old_git()
    folder, everybody = _target(assignment, folder), read_roster(class_.roster)
    ours, extensions = select_students(everybody, students, class_.roster), read_extensions(assignment)
    server = Server(environment)
    period_of = _periods(assignment, extensions, latest=latest)
    tasks = tasks_of(assignment, ours, server, class_, period_of=period_of)
    collection = Collection(assignment, folder, logins(class_))
    numbers = itertools.count(1)

    def tell(outcome: CollectionResult) -> None:
        count = f"{next(numbers):>{len(str(len(tasks)))}}/{len(tasks)}"
        say(f"{count}  {outcome.record.student}  {_line(outcome)}")

    with contextlib.ExitStack() as stack:
        asked = any(task.remote for task in tasks)
        api = stack.enter_context(server.api()) if asked else None
        stack.enter_context(collection.open(say))
        _print_period(assignment, tasks)
        outcomes = collection.run(tasks, api, jobs, tell)
    _summarise(outcomes, assignment, extensions)
    if (drifted := sum(bool(outcome.record.drift) for outcome in outcomes)) > max(2, len(outcomes) / 2):
        say(
            f"note: course files of {drifted} of {len(outcomes)} students differ from your course and from every "
            f"release in solutions/{assignment.name}/released.json. The grades do not change. "
            "This is normal if you handed out the course without `grade release`"
        )
    if trouble := collection.handed_out.trouble:
        say(f"note: the students' course files were not compared. {trouble}")
    if unknown := sorted(collection.records.keys() - {student.student for student in everybody}):
        say(f"note: these students were collected earlier and are not in the roster: {first_of(unknown, 5)}")
    if moved := [
        f"{before.student} from {before.repository}"
        for now in outcomes
        if (before := collection.records.get(now.record.student))
        and before.files
        and before.repository != now.record.repository
    ]:
        say(
            f"note: the earlier work of these students came from another repository: {first_of(moved, 5)}. If only the "
            "GitHub username changed, write the earlier repository into the roster's column `repository`, with {day} in "
            "place of the assignment's name"
        )
    if teams := teams_of((task.student, task.name) for task in tasks):
        say(f"note: {team_note(teams)}")
    return FULL if all(outcome.record.files for outcome in outcomes) else LESS


def tasks_of(
    assignment: Assignment,
    students: Sequence[RosterStudent],
    server: Server,
    class_: Class,
    *,
    period_of: Callable[[str], Period] | None = None,
) -> list[CollectTask]:
    """Return the task of each student; `period_of` defaults to the manifest's periods. Raises Refused."""
    if period_of is None:
        period_of = _periods(assignment, read_extensions(assignment), latest=False)
    naming = Naming(class_.repositories, class_.organisation)
    if not class_.organisation and not any(student.repository for student in students):
        raise Refused(
            f"the roster names no repositories; add a column `repository` to it, or add `organisation` to `class` in "
            f"{FILE}: repositories are then named {naming.pattern}"
        )
    places = [naming.place(assignment.name, student) for student in students]
    both = zip(students, places, strict=True)
    return [server.task(student, place, period_of(student.student)) for student, place in both]


def logins(class_: Class) -> frozenset[str]:
    """Return the instructors' logins in lower case, from the class and its roster. Raises Refused."""
    known = (*class_.instructors, *read_instructors(class_.roster))
    return frozenset(login.removeprefix("@").casefold() for login in known)


# --- Arguments


def _target(assignment: Assignment, folder: Path) -> Path:
    """Return the absolute path of the folder. Raises Refused if it cannot be used."""
    path, root = absolute(folder), assignment.course.root.resolve()
    real = path.resolve()
    for name in ("assignments", "solutions"):
        if real.is_relative_to(root / name):
            raise Refused(
                f"{path}: this folder is inside {name}/; name a folder outside the course, "
                f"such as ../{assignment.name}-works"
            )
    if not path.exists() or (path / COLLECTED).is_dir():
        return path
    if not path.is_dir():
        raise Refused(f"{path}: this is a file; name a folder that is new or empty")
    if any(path.iterdir()):
        raise Refused(
            f"{path}: this folder holds other files; name the folder of an earlier collection, or a new or empty "
            f"one, such as {path / f'{assignment.name}-works'}"
        )
    return path


def _periods(
    assignment: Assignment, extensions: Mapping[str, Extension], *, latest: bool
) -> Callable[[str], Period]:
    """Return a function from a student to the period, by the manifest; with `latest` there is no limit."""
    manifest = assignment.manifest

    def period_of(student: str) -> Period:
        extension = extensions.get(student)
        until = None if latest else final_from(manifest, extension)
        return Period(in_time_until(manifest, extension), until, best=keeps_best(manifest))

    return period_of


class Server:
    """GitHub, or the GitHub Enterprise server in the environment, and the token in the environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.url = (environment.get("GITHUB_SERVER_URL") or GITHUB).rstrip("/")
        self.token = token_of(environment)

    def api(self) -> Api:
        """Return its API. Raises GitHubUnavailable without a token."""
        return api_from(self._environment, waiting=say)

    def remote(self, place: str) -> tuple[Remote, str]:
        """Return remote and `owner/name` of a repository, given by its name or its address on this server. Raises Refused."""
        name = place.removeprefix(f"{self.url}/").removesuffix("/").removesuffix(".git")
        return on_github(name, self.url, self.token), name

    def variables_of(self, place: str) -> dict[str, str]:
        """Return variables with which git sends the token to the repository `place`. Raises Refused."""
        remote, _ = self.remote(place)
        pair = token_setting(remote.address, remote.token)
        return settings([pair], os.environ) if remote.protocol != "file" else {}

    def task(self, student: RosterStudent, place: str, period: Period) -> CollectTask:
        """Return a student's task, without a remote if there is no `place`. Raises Refused."""
        try:
            remote, name = self.remote(place) if place else (None, "")
        except Refused as error:
            raise Refused(f"{student.student}: {error}") from error
        return CollectTask(student.student, remote, name, period, student.github)


# --- Output


def _print_period(assignment: Assignment, tasks: Sequence[CollectTask]) -> None:
    (last, count), *others = Counter(task.period.until for task in tasks).most_common()
    what = "the newest work is collected" if last is None else f"work until {moment(last)} is collected"
    if others:
        what += f"; another time applies to {len(tasks) - count} of {len(tasks)} students"
    now = dt.datetime.now(dt.UTC)
    if any(task.period.until and task.period.until > now for task in tasks):
        what += "; students still have time, so collect again when it is over"
    say(f"{assignment.name}: {what}")


def _line(outcome: CollectionResult) -> str:
    record = outcome.record
    if not record.files:
        kept = outcome.kept
        stays = f"; the work collected earlier stays: commit {kept.commit[:_SHORT]}" if kept else ""
        return f"{label(record.state)}: {reason(record.state)}{stays}"
    what = "collected" if outcome.fetched else "unchanged"
    by = "pushed" if record.verified else "committed"
    worked = not isinstance(record.state, NOT_WORKED)
    versions = "; the work on time is ".join(
        version.commit[:_SHORT] + (f", {by} {moment(version.moment)}" if worked and version.moment else "")
        for version in record.versions
    )
    notes = [
        *state_brief(record.state, record.later),
        *record.notes,
        *filter(None, [drift_note(record.drift)]),
    ]
    return f"{what}  {versions}{''.join(f'; {note}' for note in notes)}"


def _summarise(
    outcomes: list[CollectionResult], assignment: Assignment, extensions: Mapping[str, Extension]
) -> None:
    counts = Counter(
        label(one.record.state) if not one.record.files else "collected" if one.fetched else "unchanged"
        for one in outcomes
    )
    late = sum(_is_late(outcome.kept or outcome.record, assignment, extensions) for outcome in outcomes)
    kinds = ("collected", "unchanged", *LABELS.values())
    parts = [f"{counts[kind]} {kind}" for kind in kinds if counts[kind]]
    say(
        f"{count_noun(len(outcomes), 'student')}: {', '.join(parts)}{f'; {late} of them late' if late else ''}"
    )
    for outcome in outcomes:
        record = outcome.record
        if not record.files:
            say(f"  {record.student}  {_line(outcome)}")
        elif about := state_brief(record.state, record.later):
            say(f"  {record.student}  {'; '.join(about)}")
    if counts[LABELS[NoRepository]] == len(outcomes) > 1:
        say(
            "No repository was found: verify the organisation, the names of the repositories and the rights of the token."
        )


def _is_late(record: CollectedWork, assignment: Assignment, extensions: Mapping[str, Extension]) -> bool:
    extension = extensions.get(record.student)
    late = lateness(assignment.manifest, extension, record.moment, verified=record.verified)
    return isinstance(record.state, InWork) and late is not None and late.days > 0
