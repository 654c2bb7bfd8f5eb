"""The students' repositories, which `grade open` creates from the released template.

A repository with the right name that was not made from the template is never written to.

The inspection costs at most two requests a student, because GitHub allows 5,000 an hour: `survey` reads twenty
repositories at once. Only students who have pushed, or have not accepted their invitation, cost more.

A fix is one pull request with one commit. It holds the files that changed in the template since the repository was
created. A file that the student edited is part of it only if the template changed it too; the pull request then shows the
difference. Nothing is merged here. Each state of the template is offered once: if a pull request exists, open, merged or
closed, there is no second one.

A token needs `administration: write` in the organisation, to create repositories and invite; for a fix also `contents:
write`, `pull-requests: write` and `workflows: write`. A classic token needs the scopes `repo` and `workflow`.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.failures import RequestFailed, work_through
from grader.classroom.github.repository import (
    MAY_PUSH,
    PLACE,
    Naming,
    Pull,
    Repository,
    SurveyRow,
    blob,
    commit,
    commits,
    files,
    get_repository,
    has_branch,
    invitation,
    make_repository,
    name_commit,
    permission,
    survey,
)
from grader.classroom.release.plan import RECORD, record_of
from grader.console import count_noun, working
from grader.errors import Refused, first_of
from grader.gradebook.roster import team_note, teams_of
from grader.render import escape_line
from grader.report import MAX_FIELD, quote

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from grader.classroom.github.api import Api
    from grader.classroom.github.repository import Repository, SurveyRow, TreeItem
    from grader.gradebook.roster import RosterStudent
    from grader.gradebook.settings import Class


SHOWN = 6  # names of one kind; the rest is a number


@dataclass(frozen=True)
class _DistributeTask:
    """The work to do for one student; `trouble` is the reason for leaving the student out.

    `stale` is the id of an expired invitation.
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


def _in_teams(tasks: list[_DistributeTask]) -> list[_DistributeTask]:
    """Create the repository and the fix for the first student of a team only; invite each."""
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
        """Inspect each repository. Raises Refused, RequestFailed."""
        self.api, self.template, self.day, self.class_ = api, template, day, class_
        self._not_made = set[str]()  # repositories, in lower case
        with working(f"looking at the repositories of {count_noun(len(students), 'student')}"):
            named = [self._task_of(student) for student in students]
            asked = [(task.place, task.github) for task in named if not task.trouble]
            seen = iter(survey(api, asked, template.branch))
            tasks = [task if task.trouble else self._inspect(task, next(seen)) for task in named]
        self.tasks = _in_teams(tasks)
        self.todo = [task for task in self.tasks if task.is_open]
        self.left_out = [task for task in self.tasks if task.trouble]

    @property
    def plan(self) -> str:
        """The plan, as lines for the terminal."""
        fine = [task for task in self.tasks if not task.trouble]
        kinds = {
            "create": [task.student for task in fine if task.make],
            "exists": [task.student for task in fine if not task.make],
            "invite": [task.student for task in fine if task.invite],
            "offer changes": [task.student for task in fine if task.fix],
        }
        lines = [f"  {kind:<13}  {len(names):>4}  {first_of(names, SHOWN)}" for kind, names in kinds.items()]
        lines.append(f"  {'left out':<13}  {len(self.left_out):>4}")
        width = max((len(task.student) for task in self.left_out), default=0)
        lines += [f"    {task.student:<{width}}  {task.trouble}" for task in self.left_out]
        if teams := teams_of((task.student, task.place) for task in fine):
            lines.append(f"  note: {team_note(teams)}")
        return "\n".join(
            [f"from {self.template.name}", *(f"  {escape_line(line).rstrip()}" for line in lines)]
        )

    def distribute(self) -> int:
        """Carry out the plan, and return the exit code. Raises Refused."""
        return work_through(self.todo, self._do, _reason, "done", left_out=len(self.left_out))

    # Looking

    def _inspect(self, task: _DistributeTask, seen: SurveyRow | RequestFailed) -> _DistributeTask:
        """Return the task with what the student's repository lacks, or with the reason for leaving the student out."""
        try:
            if isinstance(seen, RequestFailed):
                raise seen
            if seen.found is None:
                _refuse_unknown_person(task.github, seen)
                organisation = self.class_.needed_organisation
                if task.place.partition("/")[0].casefold() != organisation.casefold():
                    raise RequestFailed(
                        f"{task.place} does not exist, and `grade` creates repositories only in {organisation}; correct "
                        "the roster"
                    )
                return replace(task, make=True, invite=True)
            self._refuse_foreign(seen.found, seen.first)
            if seen.found.archived:
                raise RequestFailed(
                    f"{seen.found.full_name} is archived, so nothing can be written to it; unarchive it, or name another "
                    "repository in the roster"
                )
            task = replace(task, place=seen.found.full_name, seen=seen)
            return replace(self._with_invitation(task, seen), fix=self.template.is_fix_wanted(seen))
        except RequestFailed as error:
            return replace(task, trouble=_reason(task, error))

    def _task_of(self, student: RosterStudent) -> _DistributeTask:
        """Return a student's task, from the roster."""
        task = _DistributeTask(student.student, student.github)
        if not student.github:
            return replace(task, trouble=f"no GitHub username in {self.class_.roster}")
        place = Naming(self.class_.repositories, self.class_.needed_organisation).place(self.day, student)
        if PLACE.fullmatch(place):
            return replace(task, place=place)
        if student.repository:
            return replace(
                task,
                place=place,
                trouble=f"the roster has {place} as repository; write OWNER/NAME of a repository on GitHub",
            )
        name = place.partition("/")[2]
        return replace(
            task,
            trouble=f"GitHub does not allow the repository name `{name}`; change `repositories` in solutions/course.yaml",
        )

    def _refuse_foreign(self, found: Repository, first: str = "") -> None:
        if not self.template.has_made(found, first):
            raise RequestFailed(
                f"{found.full_name} was not made from {self.template.name}, so nothing is written to it; name another "
                "repository in the roster"
            )

    def _with_invitation(self, task: _DistributeTask, seen: SurveyRow) -> _DistributeTask:
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

    def _do(self, task: _DistributeTask) -> str:
        """Make, invite and offer what a student lacks; return what was done. Raises RequestFailed, GitHubUnavailable."""
        done, place = [], task.place.casefold()
        if task.make:
            self._not_made.add(place)
            make_repository(
                self.api, task.place, lambda: self._create(task.place), template=self.template.name
            )
            self._not_made.discard(place)
            done.append(f"created {task.place}")
        elif place in self._not_made:
            raise RequestFailed(f"{task.place} was not created; see above")
        if task.invite:
            self._invite(task)
            done.append(f"invited {task.github}")
        if task.fix and task.seen is not None:
            done.append(self.template.offer_fix(task.seen))
        return ", ".join(done)

    def _create(self, place: str) -> Repository | None:
        found = get_repository(self.api, place)
        if found is not None:
            self._refuse_foreign(found)
        return found

    def _invite(self, task: _DistributeTask) -> None:
        home = f"/repos/{task.place}"
        if task.stale is not None:
            self.api.find("DELETE", f"{home}/invitations/{task.stale}", msgspec.Raw)
        invited = self.api.find("PUT", f"{home}/collaborators/{task.github}", msgspec.Raw, permission="push")
        if invited is None:
            raise RequestFailed(
                f"{task.place} is there, but GitHub could not invite {task.github} (404); check this login in the roster, and "
                "the rights of the token"
            )


def _refuse_unknown_person(github: str, seen: SurveyRow) -> None:
    """Raise RequestFailed for a login that is not a person's."""
    if seen.person != "User":
        raise RequestFailed(f"{github} is not the login of a person on GitHub; correct the roster")


def _reason(task: _DistributeTask, error: RequestFailed) -> str:
    """Return the reason why a student is left out, with GitHub's own message."""
    where = "" if not task.place or task.place in str(error) else f"{task.place}: "
    return (
        f"{where}{error}{f'. GitHub says: {error.message}' if error.message and error.status != 404 else ''}"
    )


# --- The template, and fixes for the repositories made from it

LISTED = 30  # names of one kind in a pull request; the rest are counted
TITLE = "Fixes from your instructor"
# GitHub shows every end of line as a line break, so a paragraph is one line.
BODY = """\
Your instructor has changed files that came with your assignment. This pull request brings the changes to your \
repository. Nothing changes until you merge it. It does not touch the notebooks that you write in.

{names}

What to do:

1. Open the tab *Files changed*. If you have edited one of these files, your own lines are shown in red: merging \
replaces them.
2. Press *Merge pull request*.
3. On your machine, before you go on: `git pull`.

If GitHub reports conflicts, or you are not sure, ask your instructor. This pull request includes any older one of \
this kind; if one is still open, close it.
"""


class Template:
    """A template repository: its files, the trees of its history, and the fixes that it offers.

    `files` maps paths to entries; `protected` holds those that a student must not change. Raises Refused, RequestFailed;
    also for a template without the assignment `day`.
    """

    def __init__(self, api: Api, name: str, day: str) -> None:
        self._api = api
        self.repository = _find_repository(api, name, day)
        self.name = self.repository.full_name
        try:
            self.tree = next(commits(api, self.name, self.repository.default_branch)).tree
        except RequestFailed as error:
            if not error.empty:
                raise
            raise Refused(
                f"{self.name}: this template is empty; run `grade open` without `--only` and `--student`"
            ) from None
        self.branch = f"backgrade/fix-{self.tree[:10]}"  # of the pull requests with this state
        self.files = files(api, self.name, self.tree)
        if secret := next((place for place in self.files if "solutions" in place.split("/")), ""):
            raise Refused(  # every student would get them
                f"{self.name}: this template holds {secret}, which every student would get. Release into a new folder "
                "and a new repository, because the history of this one holds the file too"
            )
        record = record_of(self.data(RECORD)) if RECORD in self.files else None
        if record is None:
            raise Refused(f"{self.name}: this template has no {RECORD}; write one with `grade release`")
        if day not in record.days:
            holds = ", ".join(f"`{one}`" for one in record.days) or "no assignment"
            raise Refused(
                f"{self.name}: this template was released for {holds}, not for `{day}`; run `grade open {day}` "
                "without `--only` and `--student`"
            )
        manifests = [n for n in record.files if re.fullmatch(r"assignments/[^/]*/assignment\.yaml", n)]
        notebooks = {self._notebook(name) for name in manifests}
        names = {*record.files, RECORD} - notebooks
        self.protected = {name: entry for name, entry in self.files.items() if name in names}

    @functools.cache  # noqa: B019  there is one template in a run
    def data(self, name: str) -> bytes:
        """Fetch the bytes of a file, once. Raises RequestFailed."""
        return blob(self._api, self.name, self.files[name].sha)

    @functools.cached_property
    def trees(self) -> frozenset[str]:
        """The hashes of all trees in the history of its branch. Raises RequestFailed."""
        found = commits(self._api, self.name, self.repository.default_branch)
        return frozenset(commit.tree for commit in found)

    @functools.cache  # noqa: B019  one template in a run
    def earlier(self, tree: str) -> dict[str, TreeItem]:
        """Return the entries of a tree of its history. Raises RequestFailed."""
        return files(self._api, self.name, tree)

    def _notebook(self, manifest: str) -> str:
        """Return the path of the notebook that a manifest names. Raises Refused."""
        try:
            named = msgspec.yaml.decode(self.data(manifest), type=_Manifest).submission
        except (KeyError, msgspec.DecodeError, msgspec.ValidationError):
            raise Refused(f"{self.name}: {manifest} cannot be read; release it again") from None
        return f"{manifest.rpartition('/')[0]}/{named}"

    # Repositories made from it

    def origin_of(self, found: Repository, first: str = "") -> str | None:
        """Return the tree of the template that a repository began with; None for any other beginning.

        `first` is the tree of its first commit, if known, which saves a request. Raises RequestFailed.
        """
        if first in self.trees:
            return first
        try:
            every = list(commits(self._api, found.full_name, found.default_branch))
        except RequestFailed as error:
            if not error.empty and error.cause != "too long":
                raise
            return None
        roots = [commit.tree for commit in every if not commit.parents]
        return next((tree for tree in roots if tree in self.trees), None)

    def has_made(self, found: Repository, first: str = "") -> bool:
        """Return True for a copy of the template: GitHub says so, or its first tree is one of the template's.

        Comparing the first tree also finds forks and copies that were pushed by hand. The template is not its own copy.
        `first` is as for origin_of. Raises RequestFailed.
        """
        if found.id == self.repository.id or found.is_template:
            return False
        if found.template_repository is not None and found.template_repository.id == self.repository.id:
            return True
        return self.origin_of(found, first) is not None

    # Fixes

    def is_fix_wanted(self, seen: SurveyRow) -> bool:
        """Return True if a repository lacks changes that were not offered yet. Raises RequestFailed.

        Costs one request if the student has pushed, and another one if the history is long. An empty repository lacks
        nothing: GitHub may still be copying the current template into it.
        """
        if seen.offered or not seen.tree:
            return False
        assert seen.found is not None
        has_pushed = seen.tree not in self.trees
        theirs = files(self._api, seen.found.full_name, seen.tree) if has_pushed else self.earlier(seen.tree)
        return bool(self._changes(seen, theirs))

    def offer_fix(self, seen: SurveyRow) -> str:
        """Open the pull request, and return a phrase about it. Raises RequestFailed."""
        found = seen.found
        assert found is not None
        place = found.full_name
        newest = next(commits(self._api, place, found.default_branch))
        theirs = files(self._api, place, newest.tree)
        changes = self._changes(seen, theirs)
        if not changes:
            return "has the changes already"
        if not has_branch(self._api, place, self.branch):
            contents = {
                name: (entry.mode, self.data(name)) if entry else None for name, entry in changes.items()
            }
            message = f"{TITLE}\n\nFrom {self.name}, tree {self.tree[:10]}"
            made = commit(self._api, place, newest, contents, message)
            name_commit(self._api, place, made, self.branch)
        data = {
            "title": TITLE,
            "head": self.branch,
            "base": found.default_branch,
            "body": _body(changes, theirs),
        }
        number = self._api.make_once(
            lambda: self._api.ask("POST", f"/repos/{place}/pulls", Pull, **data).number,
            lambda: self._find_offer(found),
        )
        return f"changes offered in pull request {number}"

    def _changes(self, seen: SurveyRow, theirs: Mapping[str, TreeItem]) -> dict[str, TreeItem | None]:
        """Return the changes of the template that `theirs` lacks, by path; None for a removed file.

        Changes count from the template's state when the repository was created. If that is unknown, every protected file
        that differs is a change, and no file is removed.
        """
        assert seen.found is not None
        origin = self.origin_of(seen.found, seen.first)
        base = None if origin is None else self.earlier(origin)
        wanted = {
            name: entry
            for name, entry in self.protected.items()
            if (base is None or not _same(base.get(name), entry)) and not _same(theirs.get(name), entry)
        }
        gone = (base or {}).keys() - self.files.keys()
        # The notebook of a removed assignment is the student's work.
        removed = sorted(name for name in gone if name in theirs and not name.endswith(".ipynb"))
        return wanted | dict.fromkeys(removed)

    def _find_offer(self, found: Repository) -> int | None:
        """Return the number of the open, merged or closed pull request for this state of the template."""
        query = {"head": f"{found.owner}:{self.branch}", "state": "all"}
        pulls = self._api.pages(f"/repos/{found.full_name}/pulls", Pull, query)
        return next((pull.number for pull in pulls if pull.head.ref == self.branch), None)


class _Manifest(msgspec.Struct):
    submission: str


def _find_repository(api: Api, name: str, day: str) -> Repository:
    found = get_repository(api, name)
    if found is None:
        raise Refused(f"{name}: no such template, or the token cannot see it; run `grade open {day}` first")
    if not found.is_template:
        raise Refused(
            f"{found.full_name}: not a template yet; run `gh repo edit {found.full_name} --template` once"
        )
    return found


def _same(there: TreeItem | None, wanted: TreeItem) -> bool:
    return there is not None and there.is_file and there.sha == wanted.sha


def _body(changes: Mapping[str, TreeItem | None], theirs: Collection[str]) -> str:
    parts = []
    for kind, names in {
        "Changed": [name for name, entry in changes.items() if entry and name in theirs],
        "New": [name for name in changes if name not in theirs],
        "Removed": [name for name, entry in changes.items() if entry is None],
    }.items():
        lines = [f"- {quote(name, MAX_FIELD)}" for name in names]
        more = [f"- and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
        parts += ["\n".join([f"{kind}:\n", *lines[:LISTED], *more])] if names else []
    return BODY.format(names="\n\n".join(parts))
