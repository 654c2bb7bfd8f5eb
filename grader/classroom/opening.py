"""`grade open`: release an assignment to a class, in four parts; `--only` does one of them.

    release         the template: a folder next to the course, and the repository ORG/DAY-template
    repositories    one for each student, and pull requests with later changes of the template (distribute.py)
    secret          the token for the workflow, CLASS_TOKEN
    workflow        the workflow that answers pushes, pushed to the instructor's private repository with the files that decide
                    grades

The token needs the permissions in distribute.py, and in the instructor's repository `secrets`, `contents` and
`workflows: write`.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.class_setup import SetupPart, set_up
from grader.classroom.collect.collect import Server
from grader.classroom.distribute import Distribution, Template
from grader.classroom.github.api import api_from
from grader.classroom.github.repository import Naming, Repository, get_repository, make_repository
from grader.classroom.own_repository import (
    Deciding,
    own_repositories,
    path_of,
    refuse_public_salt,
    refuse_readers,
    requirements_of,
)
from grader.classroom.release.contents import CALLED, fill_text, running_wheel, shipped_file, what_to_install
from grader.classroom.release.plan import RECORD, plan_release
from grader.classroom.release.release import release_folder
from grader.console import FULL, LESS, count_noun, say, show
from grader.errors import Refused, to_install
from grader.files import absolute, write_bytes
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import FILE, from_here, read_course_settings
from grader.submissions.keys import select_students

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.classroom.release.plan import ReleasePlan
    from grader.gradebook.roster import RosterStudent
    from grader.gradebook.settings import Class

PARTS = ("release", "repositories", "secret", "workflow")
SECRET = "CLASS_TOKEN"  # noqa: S105  its name


def run_open(
    assignment: Assignment,
    class_: Class,
    only: Sequence[str],
    names: Sequence[str] = (),
    *,
    dry_run: bool,
    yes: bool,
    environment: Mapping[str, str],
) -> int:
    """Show what is missing, ask, do it, and return the exit code. Raises Refused.

    `only` limits the parts, `names` the students; empty means all.
    """
    if names and set(only) > {"repositories"}:
        raise Refused("--student applies only to repositories; leave out the other parts")
    wanted = ["repositories"] if names else [part for part in PARTS if part in only or not only]
    refuse_public_salt(assignment)
    Naming(class_.repositories)
    everybody, organisation = read_roster(class_.roster), class_.needed_organisation
    students = select_students(everybody, names, class_.roster)
    with api_from(environment, waiting=lambda line: say(line, err=True)) as api:
        opening = _Opening(assignment, class_, api, environment, students, again="secret" in only)
        refuse_readers(api, opening.owns, everybody, organisation)
        count = count_noun(len(students), "student")
        say(f"{assignment.name}  {assignment.manifest.title}: {count} of {class_.roster}, in {organisation}")
        parts = {part: opening.parts[part] for part in wanted}
        code = set_up(parts, organisation, opening.say_what_is_lost, dry_run=dry_run, yes=yes)
    if not dry_run and "workflow" in wanted:
        _say_what_is_next(assignment, opening)
    return max(code, LESS if opening.left_out else FULL)


class _Opening:
    """Inspects each part, and does what is missing.

    `plan` is the plan of the release, set by its inspection; `left_out` names what cannot be done.
    """

    def __init__(
        self,
        assignment: Assignment,
        class_: Class,
        api: Api,
        environment: Mapping[str, str],
        students: Sequence[RosterStudent],
        *,
        again: bool,
    ) -> None:
        self.assignment, self.class_, self.api, self.environment = assignment, class_, api, environment
        self.students, self.again = students, again  # set the secret again, although it exists
        self.day, self.course = assignment.name, assignment.course
        self.folder = from_here(self.course.root.parent / f"{self.day}-template")
        self.name = f"{class_.needed_organisation}/{self.day}-template"
        self.server = Server(environment)
        self.remote, _ = self.server.remote(self.name)
        self.template = get_repository(api, self.name)
        self.owns = own_repositories(self.course.root, self.server.url)
        self.own = self.owns[0] if self.owns else ""
        found = get_repository(api, self.own) if self.own else None
        self.branch = found.default_branch if found else "main"
        self.plan: ReleasePlan | None = None
        self.distribution: Distribution | None = None
        self.left_out: list[str] = []
        self.parts = {
            "release": SetupPart(self._look_release, self._release),
            "repositories": SetupPart(self._look_repositories, self._distribute),
            "workflow": SetupPart(self._look_workflow, self._write_workflow),
            "secret": SetupPart(self._look_secret, self._set_secret),
        }

    @property
    def deciding(self) -> Deciding:
        """The files that decide grades, in their current state."""
        return Deciding([self.assignment], self.class_, self.server.variables_of(self.own))

    def say_what_is_lost(self) -> None:
        """Print the files that would be lost, and those that decide grades and differ from `origin`."""
        if self.plan is not None and self.plan.asks:
            show(f"{self.plan.asks}\n", err=True)
        if self.own:
            self.deciding.say_differing()

    @property
    def _answers(self) -> bool:
        return not self.assignment.has_hidden or self.assignment.manifest.hidden.answer != "final"

    # Looking

    def _look_release(self) -> tuple[bool, str]:
        plan, _ = plan_release(self.course, [self.day], self.folder)
        self.plan, count = plan, plan.count
        files = f"write {count_noun(count, 'file')}" if count else "up to date"
        if self.template is None:
            push = f"create {self.name}, private, as a template"
        elif not self.template.is_template:
            push = f"mark {self.name} as a template, and push"
        else:
            push = f"push to {self.name}"
        return True, f"{self.folder}: {files}; {push}"

    def _look_repositories(self) -> tuple[bool, str]:
        try:
            template = Template(self.api, self.name, self.day)
        except Refused:
            if self.plan is None:
                raise
            return True, f"create one for each student or team from {self.name}, and invite"
        if self.plan is not None and (self.plan.count or self.plan.record != template.data(RECORD)):
            return (
                True,
                f"create missing ones; offer the changes of {self.name} to existing ones as pull requests",
            )
        found = self.distribution = Distribution(self.api, template, self.day, self.class_, self.students)
        self.left_out += [task.student for task in found.left_out]
        return bool(found.todo), found.plan

    def _look_workflow(self) -> tuple[bool, str]:
        if not self._answers:
            return False, _SILENT
        path = from_here(path_of(self.assignment))
        there = _is_written(self.assignment, self.class_)
        if there and (not self.own or self.deciding.are_pushed):
            return False, f"done: {path}"
        doing = ["write"] * (not there) + ["push"] * bool(self.own)
        return (
            True,
            f"{' and '.join(doing)} {path}{', with the files that decide grades' if self.own else ''}",
        )

    def _look_secret(self) -> tuple[bool, str]:
        if not self._answers:
            return False, _SILENT
        if not self.own:
            self.left_out.append("secret")
            return False, (
                "left out: the course's git remote `origin` is not a repository on GitHub; push the course to a private "
                f"one, then run `grade open {self.day}` again"
            )
        place = f"/repos/{self.own}/actions/secrets/{SECRET}"
        if not self.again and self.api.find("GET", place, msgspec.Raw) is not None:
            return False, f"done: {SECRET} in {self.own}; `--only secret` sets it again"
        source = (
            f"the variable {SECRET}"
            if self.environment.get(SECRET)
            else "the token of this command; the workflow then has all rights of this token"
        )
        return True, f"set {SECRET} in {self.own} from {source}"

    # Doing

    def _write_workflow(self) -> None:
        for path, data in _workflow_files(self.assignment).items():
            if not path.is_file() or path.read_bytes() != data:
                write_bytes(path, data, self.course.root, make_folder=True)
                say(f"written  {from_here(path)}")
        if self.own:
            address = self.server.remote(self.own)[0].address
            self.deciding.commit(address, self.branch, f"Answer pushes of {self.day}")
            say(f"the workflow now answers pushes every {EVERY} minutes")

    def _set_secret(self) -> None:
        token = self.environment.get(SECRET, "").strip() or self.server.token
        _set_secret(self.api, self.own, SECRET, token)
        say(f"set      the secret {SECRET} of {self.own}")

    def _distribute(self) -> int:
        """Create the students' repositories; plan again if the template has changed since the inspection."""
        template, looked = Template(self.api, self.name, self.day), self.distribution
        if looked is None or looked.template.tree != template.tree:
            looked = Distribution(self.api, template, self.day, self.class_, self.students)
            show(f"  {looked.plan}\n")
        return looked.distribute()

    def _release(self) -> None:
        address, variables = self.remote.address, self.server.variables_of(self.name)
        if self.template is None:
            self.template = make_repository(
                self.api, self.name, lambda: get_repository(self.api, self.name), is_template=True
            )
            say(f"created  {self.name}, private, as a template")
        elif not self.template.is_template:
            self.template = self.api.ask("PATCH", f"/repos/{self.name}", Repository, is_template=True)
            say(f"marked   {self.name} as a template")
        release_folder(self.course, [self.day], self.folder, yes=True, push=address, variables=variables)


_SILENT = "not needed: with `hidden: final` in assignment.yaml, no push is answered"


def _say_what_is_next(assignment: Assignment, opening: _Opening) -> None:
    """Print the commands to run at the deadline."""
    day, answers = assignment.name, path_of(assignment).exists() and opening.own
    lines = [
        f"At the deadline, run these here, or `gh workflow run {day}.yml -f what=post`:"
        if answers
        else "At the deadline:"
    ]
    if answers and read_course_settings(assignment.course).record != "branch":
        lines.insert(
            0,
            f"The workflow keeps results.db on the branch `results`. With `record: branch` in {FILE}, your commands here use this branch too.",
        )
    lines += ["", *(f"  grade {command} {day}" for command in ("collect", "batch", "post"))]
    show("\n".join(["", *lines, ""]))


# --- The workflow of `grade answer`: it runs on a schedule in the instructor's private repository

EVERY = 15  # minutes


def make_workflow(day: str, install: str = "") -> str:
    """Return the workflow of an assignment; the name decides the minute, so that workflows start at different times.

    `install` holds the arguments of `pip install`; it is empty for a course that is a copy of Backgrade's repository.
    """
    minute = int.from_bytes(hashlib.sha256(day.encode()).digest()[:4]) % (EVERY - 1) + 1
    return fill_text("answer.yml", day=day, install=install, minute=minute, every=EVERY)


def _workflow_files(assignment: Assignment) -> dict[Path, bytes]:
    """Return the workflow and the files that it needs, by path. Raises Refused, Broken.

    A course that is not a copy of Backgrade's repository also needs the called workflow, a wheel of the running
    Backgrade, and a requirements file.
    """
    course, day = assignment.course, assignment.name
    if (course.root / "grader" / "__init__.py").is_file():
        return {path_of(assignment): make_workflow(day).encode()}
    wanted = requirements_of(day)
    files = what_to_install(course, [day], running_wheel(), {wanted: ("classroom",)})
    called = course.root / CALLED  # an existing file stays
    files[CALLED] = (called if called.is_file() else shipped_file(CALLED)).read_bytes()
    workflow = {path_of(assignment): make_workflow(day, f"-r {wanted}").encode()}
    return workflow | {course.root / name: data for name, data in files.items()}


def _is_written(assignment: Assignment, class_: Class) -> bool:
    """Return True if the workflow and all its files exist. Raises Refused if it cannot be written."""
    root, path, files = assignment.course.root, path_of(assignment), _workflow_files(assignment)
    if not absolute(class_.roster).is_relative_to(absolute(root)):
        raise Refused(
            f"{class_.roster}: the workflow sees only files in {root}; move the roster there, and correct `roster` in solutions/course.yaml"
        )
    if not os.path.lexists(path):
        return False
    if not path.is_file() or path.read_bytes() != files[path]:
        raise Refused(f"{path}: a different file exists; move it away first")
    return all(each.is_file() and each.read_bytes() == data for each, data in files.items())


# --- The secret
#
# GitHub's REST documentation, "REST API endpoints for GitHub Actions Secrets": the value is a sealed box of libsodium
# (PyNaCl) for the repository's public key, in Base64, so that only GitHub can read it.


class _Key(msgspec.Struct):
    key_id: str
    key: str


def _set_secret(api: Api, place: str, name: str, value: str) -> None:
    """Set a secret of a repository. Raises RequestFailed, and Refused without PyNaCl."""
    try:
        from nacl.public import PublicKey, SealedBox
    except ImportError as error:
        raise Refused(
            f"PyNaCl is not installed, and GitHub takes only encrypted secrets; run {to_install('classroom')}"
        ) from error
    home = f"/repos/{place}/actions/secrets"
    key = api.ask("GET", f"{home}/public-key", _Key)
    sealed = SealedBox(PublicKey(base64.b64decode(key.key))).encrypt(value.encode())
    data = {"encrypted_value": base64.b64encode(sealed).decode(), "key_id": key.key_id}
    api.ask("PUT", f"{home}/{name}", msgspec.Raw, **data)
