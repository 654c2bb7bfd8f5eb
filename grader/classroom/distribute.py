"""The students' repositories, which `grade open` makes from the released template.

Nothing is written to a repository of the right name that was not made from the template.

The look costs at most two requests a student, because GitHub allows 5,000 an hour: `survey` reads twenty
repositories at once, and only students who have pushed or not accepted their invitation cost more.

A token needs `administration: write` in the organisation, to create repositories and invite; for a fix also `contents:
write`, `pull-requests: write` and `workflows: write`. A classic token needs the scopes `repo` and `workflow`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.failures import RequestFailed, work_through
from grader.classroom.github.repository import (
    MAY_PUSH,
    PLACE,
    Naming,
    Repository,
    SurveyRow,
    get_repository,
    invitation,
    make_repository,
    permission,
    survey,
)
from grader.console import working
from grader.errors import first_of
from grader.gradebook.roster import team_note, teams_of
from grader.render import escape_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.classroom.github.api import Api
    from grader.classroom.template import Template
    from grader.gradebook.roster import RosterStudent
    from grader.gradebook.settings import Class

SHOWN = 6  # names of one kind; the rest are counted


@dataclass(frozen=True)
class DistributeTask:
    """The work to do for one student, and the repository; `trouble` is the reason why there is none.

    `stale` is an expired invitation.
    """

    student: str
    github: str = ""
    place: str = ""
    make: bool = False
    invite: bool = False
    fix: bool = False
    trouble: str = ""
    stale: int | None = None
    seen: SurveyRow | None = None

    @property
    def is_open(self) -> bool:
        """True if there is something to do."""
        return not self.trouble and (self.make or self.invite or self.fix)


def _in_teams(tasks: list[DistributeTask]) -> list[DistributeTask]:
    """Let the first student of a team alone cause a repository or a fix; each is invited."""
    found, caused = [], set[str]()
    for task in tasks:
        place = task.place.casefold()
        found.append(replace(task, make=False, fix=False) if place in caused else task)
        if task.is_open and (task.make or task.fix):
            caused.add(place)
    return found


class Distribution:
    """Finds what the students' repositories lack, and creates it."""

    def __init__(
        self, api: Api, template: Template, day: str, class_: Class, students: Sequence[RosterStudent]
    ) -> None:
        """Look at each repository. Raises Refused, RequestFailed."""
        self.api, self.template, self.day, self.class_ = api, template, day, class_
        self._not_made = set[str]()  # repositories, in lower case
        with working(f"looking at the repositories of {len(students)} students"):
            named = [self._named(student) for student in students]
            asked = [(task.place, task.github) for task in named if not task.trouble]
            seen = iter(survey(api, asked, template.branch))
            tasks = [task if task.trouble else self._judged(task, next(seen)) for task in named]
        self.tasks = _in_teams(tasks)
        self.todo = [task for task in self.tasks if task.is_open]
        self.left_out = [task for task in self.tasks if task.trouble]

    @property
    def plan(self) -> str:
        """The plan, in lines."""
        fine = [task for task in self.tasks if not task.trouble]
        kinds = {
            "to make": [task.student for task in fine if task.make],
            "there already": [task.student for task in fine if not task.make],
            "to be invited": [task.student for task in fine if task.invite],
            "to be offered a fix": [task.student for task in fine if task.fix],
        }
        lines = [f"  {kind:<19}  {len(names):>4}  {first_of(names, SHOWN)}" for kind, names in kinds.items()]
        lines.append(f"  {'left out':<19}  {len(self.left_out):>4}")
        width = max((len(task.student) for task in self.left_out), default=0)
        lines += [f"    {task.student:<{width}}  {task.trouble}" for task in self.left_out]
        if teams := teams_of((task.student, task.place) for task in fine):
            lines.append(f"  note: {team_note(teams)}")
        return "\n".join(
            [f"from {self.template.name}", *(f"  {escape_line(line).rstrip()}" for line in lines)]
        )

    def distribute(self) -> int:
        """Do what the plan says, and return the exit code. Raises Refused."""
        return work_through(self.todo, self._do, _reason, "done", left_out=len(self.left_out))

    # Looking

    def _judged(self, task: DistributeTask, seen: SurveyRow | RequestFailed) -> DistributeTask:
        """Return the task with what the student's repository lacks, or with the reason why nothing is done."""
        try:
            if isinstance(seen, RequestFailed):
                raise seen
            if seen.found is None:
                _refuse_unknown_person(task.github, seen)
                organisation = self.class_.needed_organisation
                if task.place.partition("/")[0].casefold() != organisation.casefold():
                    raise RequestFailed(
                        f"{task.place} does not exist, and can be created in {organisation} only"
                    )
                return replace(task, make=True, invite=True)
            self._refuse_foreign(seen.found, seen.first)
            if seen.found.archived:
                raise RequestFailed(f"{seen.found.full_name} is archived, and cannot be written to")
            task = replace(task, place=seen.found.full_name, seen=seen)
            return replace(self._with_invitation(task, seen), fix=self.template.is_fix_wanted(seen))
        except RequestFailed as error:
            return replace(task, trouble=_reason(task, error))

    def _named(self, student: RosterStudent) -> DistributeTask:
        """Return a student's task by the roster alone."""
        task = DistributeTask(student.student, student.github)
        if not student.github:
            return replace(task, trouble=f"no GitHub name in {self.class_.roster}")
        place = Naming(self.class_.repositories, self.class_.needed_organisation).place(self.day, student)
        if PLACE.fullmatch(place):
            return replace(task, place=place)
        if student.repository:
            return replace(task, place=place, trouble=f"{place} is not an owner/name on GitHub")
        name = place.partition("/")[2]
        return replace(
            task,
            trouble=f"GitHub does not allow the repository name {name}; change `repositories` in course.yaml",
        )

    def _refuse_foreign(self, found: Repository, first: str = "") -> None:
        if not self.template.has_made(found, first):
            raise RequestFailed(
                f"{found.full_name} was not made from {self.template.name}; nothing is written to it"
            )

    def _with_invitation(self, task: DistributeTask, seen: SurveyRow) -> DistributeTask:
        """Return the task with an invitation, unless the student may push already or has a valid one."""
        if seen.role in MAY_PUSH:
            return task
        # The survey may have returned no permission.
        if seen.role is None and permission(self.api, task.place, task.github) in {"write", "admin"}:
            return task
        if found := invitation(self.api, task.place, task.github):
            return replace(task, invite=True, stale=found.id) if found.expired else task
        _refuse_unknown_person(task.github, seen)
        return replace(task, invite=True)

    # Doing

    def _do(self, task: DistributeTask) -> str:
        """Make, invite and offer what a student lacks; return what was done. Raises RequestFailed, GitHubUnavailable."""
        done, place = [], task.place.casefold()
        if task.make:
            self._not_made.add(place)
            make_repository(self.api, task.place, lambda: self._made(task.place), template=self.template.name)
            self._not_made.discard(place)
            done.append(f"made {task.place}")
        elif place in self._not_made:
            raise RequestFailed(f"{task.place} was not made, see above")
        if task.invite:
            self._invite(task)
            done.append(f"invited {task.github}")
        if task.fix and task.seen is not None:
            done.append(self.template.offer_fix(task.seen))
        return ", ".join(done)

    def _made(self, place: str) -> Repository | None:
        found = get_repository(self.api, place)
        if found is not None:
            self._refuse_foreign(found)
        return found

    def _invite(self, task: DistributeTask) -> None:
        home = f"/repos/{task.place}"
        if task.stale is not None:
            self.api.find("DELETE", f"{home}/invitations/{task.stale}", msgspec.Raw)
        invited = self.api.find("PUT", f"{home}/collaborators/{task.github}", msgspec.Raw, permission="push")
        if invited is None:
            raise RequestFailed(f"{task.github} cannot be invited: GitHub has no such user")


def _refuse_unknown_person(github: str, seen: SurveyRow) -> None:
    """Raise RequestFailed for a login that is not a person's."""
    if not seen.person:
        raise RequestFailed(f"GitHub has no user {github}; correct the roster")
    if seen.person != "User":
        raise RequestFailed(f"{github} is an organisation on GitHub, not a person; correct the roster")


def _reason(task: DistributeTask, error: RequestFailed) -> str:
    """Return the reason why a student is left out, with GitHub's own message."""
    where = "" if not task.place or task.place in str(error) else f"{task.place}: "
    return f"{where}{error}{f': {error.message}' if error.message and error.status != 404 else ''}"
