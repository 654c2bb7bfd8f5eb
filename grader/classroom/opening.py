"""`grade open`: from the course to a running class, in parts that can also be done alone.

    release         the template: its folder beside the course, and its repository ORG/DAY-template
    repositories    one for each student, as `grade distribute` makes them
    workflow        the workflow that answers pushes, in the instructor's private repository
    secret          the token that this workflow uses, CLASS_TOKEN

Nothing is remembered: each part looks at what is there, so the same command goes on where the last one ended. The
token needs what `grade distribute` needs, and `secrets: write` in the instructor's repository.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.collect.collect import Server
from grader.classroom.deciding import (
    Deciding,
    own_repositories,
    path_of,
    refuse_public_salt,
    requirements_of,
)
from grader.classroom.distribute import (
    refuse_unknown_organisation,
    run_distribute,
    template_of,
)
from grader.classroom.github.api import api_from
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import Naming, Repository, get_repository
from grader.classroom.privacy import refuse_base, refuse_readers
from grader.classroom.release.contents import what_to_install
from grader.classroom.release.plan import plan_release
from grader.classroom.release.release import release_template
from grader.classroom.release.requirement import CALLED, running_wheel, shipped_file
from grader.console import FULL, LESS, agree, say, show
from grader.errors import Refused, to_install
from grader.files import absolute, write_bytes
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import from_here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.gradebook.settings import Class

PARTS = ("release", "repositories", "workflow", "secret")
SECRET = "CLASS_TOKEN"  # noqa: S105  its name


def run_open(
    assignment: Assignment,
    class_: Class,
    only: Sequence[str],
    *,
    dry_run: bool,
    yes: bool,
    environment: Mapping[str, str],
) -> int:
    """Show what is there and what is missing, ask, do it, and return the exit code. Raises Refused.

    `only` names some of PARTS; without a name all are done.
    """
    refuse_public_salt(assignment)
    students, organisation = read_roster(class_.roster), class_.needed_organisation
    Naming(class_.repositories)
    with api_from(environment, waiting=lambda line: say(line, err=True)) as api:
        refuse_unknown_organisation(api, organisation)
        logins = [student.github for student in students if student.github]
        opening = _Opening(assignment, class_, api, environment, logins, again="secret" in only)
        if opening.own.partition("/")[0].casefold() != organisation.casefold():
            for note in refuse_base(api, organisation):
                say(f"note: {note}", err=True)
        count = "1 student" if len(students) == 1 else f"{len(students)} students"
        say(f"{assignment.name}  {assignment.manifest.title}: {count} of {class_.roster}, in {organisation}")
        wanted = [part for part in PARTS if part in only or not only]
        missing = opening.look(wanted)
        if opening.asks:
            show(f"{opening.asks}\n", err=True)
        if opening.own:
            opening.deciding.say_differing()
        if dry_run:
            is_there = opening.template is not None and not opening.fresh
            if "repositories" in missing and is_there and not opening.changes:
                opening.distribute(dry_run=True)
            say("nothing was done: this was a dry run; run it without --dry-run")
            return FULL
        if missing and not yes:
            agree(f"{organisation} would get what is missing: {', '.join(missing)}", "do so", "--yes")
        code = max([opening.do(part) for part in missing], default=FULL)
    _say_what_is_next(assignment, opening)
    return max(code, LESS if opening.left_out else FULL)


class _Opening:
    """Looks at each part, and does what is missing.

    `asks` is about files of the template's folder that would be lost, `changes` counts those to write, `left_out` has the parts that cannot be done.
    """

    def __init__(
        self,
        assignment: Assignment,
        class_: Class,
        api: Api,
        environment: Mapping[str, str],
        logins: Sequence[str],
        *,
        again: bool,
    ) -> None:
        self.assignment, self.class_, self.api, self.environment = assignment, class_, api, environment
        self.again = again  # the secret is set although it is there
        self.day, self.course = assignment.name, assignment.course
        self.folder = from_here(self.course.root.parent / f"{self.day}-template")
        self.name = template_of(class_, self.day)
        self.server = Server(environment)
        self.remote, _ = self.server.remote(self.name)
        self.template = get_repository(api, self.name)
        self.own, self.branch = "", ""
        self.fresh, self.asks, self.changes = self.template is None, "", 0
        self.left_out: list[str] = []
        for name in own_repositories(self.course.root, self.server.url):
            self._look_at_own(name, logins)

    def _look_at_own(self, name: str, logins: Sequence[str]) -> None:
        """Remember the course's own repository, and print what nobody could see of it. Raises Refused if students can read it."""
        for note in refuse_readers(self.api, name, logins):
            say(f"note: {note}", err=True)
        found = get_repository(self.api, name)
        self.own, self.branch = self.own or name, self.branch or (found.default_branch if found else "main")

    @property
    def deciding(self) -> Deciding:
        """The files that decide grades, as they are now."""
        return Deciding(self.assignment, self.class_, self.server.variables_of(self.own))

    # Looking

    def look(self, parts: Sequence[str]) -> list[str]:
        """Print a line for each part, and return those with something to do. Raises Refused."""
        looks = {
            "release": self._look_release,
            "repositories": self._look_repositories,
            "workflow": self._look_workflow,
            "secret": self._look_secret,
        }
        answers_none = self.assignment.has_hidden and self.assignment.manifest.hidden.answer == "final"
        missing = []
        for part in parts:
            silent = answers_none and part in {"workflow", "secret"}
            is_missing, words = (False, _SILENT) if silent else looks[part]()
            say(f"  {part:<12}  {words}")
            missing += [part] if is_missing else []
        return missing

    def _look_release(self) -> tuple[bool, str]:
        plan, _ = plan_release(self.course, [self.day], self.folder)
        self.asks = plan.asks
        changes = self.changes = len([*plan.added, *plan.changed, *plan.removed, *plan.overwritten])
        files = (
            "as it is" if not changes else "1 file to write" if changes == 1 else f"{changes} files to write"
        )
        if self.template is None:
            pushed = "to make, private, as a template"
        elif not self.template.is_template:
            pushed = "there, to mark as a template"
        else:
            pushed = "there, brought up to date"
        return True, f"{self.folder}: {files}; {self.name}: {pushed}"

    def _look_repositories(self) -> tuple[bool, str]:
        what = "one for each student or team, with an invitation"
        offered = ", and to the others a pull request with what changed" if self.changes else ""
        return True, f"{what}, from {self.name}" + (
            "" if self.fresh else f"; those that are missing{offered}"
        )

    def _look_workflow(self) -> tuple[bool, str]:
        path = from_here(path_of(self.assignment))
        there = is_written(self.assignment, self.class_)
        return not there, f"{path}: {'there' if there else 'to write'}"

    def _look_secret(self) -> tuple[bool, str]:
        if not self.own:
            self.left_out.append("secret")
            return False, (
                "left out: the course's git remote `origin` is no repository on GitHub; push the course to a private "
                f"one, then run `grade open {self.day} --only secret`"
            )
        place = f"/repos/{self.own}/actions/secrets/{SECRET}"
        if not self.again and self.api.find("GET", place, msgspec.Raw) is not None:
            return False, f"{SECRET} in {self.own}: there; `--only secret` sets it again"
        source = SECRET if self.environment.get(SECRET) else "GITHUB_TOKEN, with all its rights"
        return True, f"{SECRET} in {self.own}: to set, from the variable {source}"

    # Doing

    def do(self, part: str) -> int:
        """Do one part, and return its exit code. Raises Refused, Broken."""
        say("")
        if part == "release":
            self._release()
        elif part == "repositories":
            return self.distribute(dry_run=False)
        elif part == "workflow":
            for path, data in workflow_files(self.assignment).items():
                write_bytes(path, data, self.course.root, make_folder=True)
                say(f"written  {from_here(path)}")
        else:
            token = self.environment.get(SECRET, "").strip() or self.server.token
            _set_secret(self.api, self.own, SECRET, token)
            say(f"set      the secret {SECRET} of {self.own}")
        return FULL

    def _release(self) -> None:
        address, variables = self.remote.address, self.server.variables_of(self.name)
        if self.template is None:
            self.template = self._made()
            say(f"made     {self.name}, private, as a template")
        elif not self.template.is_template:
            self.template = self.api.ask("PATCH", f"/repos/{self.name}", Repository, is_template=True)
            say(f"marked   {self.name} as a template")
        release_template(self.course, [self.day], self.folder, yes=True, push=address, variables=variables)

    def _made(self) -> Repository:
        """Create the template's repository, once. Raises RequestFailed."""
        owner, _, name = self.name.partition("/")
        data = {"name": name, "private": True, "is_template": True}
        try:
            return self.api.make_once(
                lambda: self.api.ask("POST", f"/orgs/{owner}/repos", Repository, **data),
                lambda: get_repository(self.api, self.name),
            )
        except RequestFailed as error:
            if not (error.forbidden or error.missing):
                raise
            raise RequestFailed(
                f"this token may not make repositories in {owner} ({error.status}); give it the scope `repo`, or the "
                "permission Administration"
            ) from None

    def distribute(self, *, dry_run: bool) -> int:
        """Make the students' repositories, or show the plan. Raises Refused."""
        if self.template is None:
            raise Refused(
                f"{self.name}: there is no such template yet; run `grade open {self.day} --only release` first"
            )
        given = (self.day, self.class_, self.name)
        return run_distribute(*given, dry_run=dry_run, yes=True, environment=self.environment)


_SILENT = "not needed: the manifest says `hidden: final`, so no push is answered"


_TAKEN_OVER = """\
At the deadline the results.db of the workflow is the record. Either let the workflow post:

  gh workflow run DAY.yml -f what=post

or stop it, take its results.db over, and post from here (docs/instructors.md, The deadline):

  gh workflow disable DAY.yml
  git fetch origin results && git show FETCH_HEAD:results.db > results.db
"""


def _say_what_is_next(assignment: Assignment, opening: _Opening) -> None:
    """Print the command that lets the workflow run, if it is not pushed, and those of the deadline."""
    day, lines = assignment.name, []
    answers = path_of(assignment).exists() and opening.own
    if answers and (command := opening.deciding.commands(day, opening.branch)):
        lines = [
            f"Commit and push this, and pushes are answered every {EVERY} minutes from then on:",
            "",
            f"  {command}",
            "",
        ]
    lines += _TAKEN_OVER.replace("DAY", day).splitlines() if answers else ["At the deadline:", ""]
    lines += [f"  grade {command} {day}" for command in ("collect", "batch", "post")]
    show("\n".join(["", *lines, ""]))


# --- The workflow of `grade answer`: it runs on a schedule in the instructor's private repository

EVERY = 15  # minutes
_WORKFLOW = """\
# Lets the hidden checks answer pushes of DAY. `grade open DAY` wrote it; it belongs into the
# instructor's private repository, on the default branch, and needs the secret CLASS_TOKEN. The class is the one in
# solutions/course.yaml. By hand the workflow also grades the whole class, and posts. When no push counts any more,
# delete it: each run costs a minute of Actions.
name: DAY

on:
  schedule:
    - cron: "CRON" # in UTC; GitHub may be some minutes late
  workflow_dispatch:
    inputs:
      what:
        description: "answer: who has pushed since; grade: the whole class; post: and tell everybody; final: for good"
        type: choice
        options: [answer, grade, post, final]
        default: answer

permissions: {}

jobs:
  DAY:
    permissions:
      contents: write # for the branch that keeps the results
    uses: ./.github/workflows/grade-class.yml # zizmor: ignore[self-repository] every server knows this form
    with:
      day: DAY
INSTALL      answer: ${{ github.event_name == 'schedule' || inputs.what == 'answer' }}
      post: ${{ inputs.what == 'post' || inputs.what == 'final' }}
      final: ${{ inputs.what == 'final' }}
    secrets:
      token: ${{ secrets.CLASS_TOKEN }}
"""


def make_workflow(day: str, install: str = "") -> str:
    """Return the workflow of an assignment, whose minutes in the hour are its own.

    `install` are the arguments of `pip install`; without them the course is a copy of Backgrade's repository.
    """
    first = int.from_bytes(hashlib.sha256(day.encode()).digest()[:4]) % (EVERY - 1) + 1
    text = _WORKFLOW.replace("INSTALL", f"      install: {install}\n" if install else "")
    return text.replace("CRON", f"{first}-59/{EVERY} * * * *").replace("DAY", day)


def workflow_files(assignment: Assignment) -> dict[Path, bytes]:
    """Return the workflow, and what it needs in a course that is no copy of Backgrade's repository.

    Such a course gets the workflow that is called, if it has none, the wheel of the running Backgrade, and what pip
    installs. Raises Refused, Broken.
    """
    course, day = assignment.course, assignment.name
    if (course.root / "grader" / "__init__.py").is_file():
        return {path_of(assignment): make_workflow(day).encode()}
    wanted = requirements_of(day)
    files = what_to_install(course, [day], running_wheel(), {wanted: ("classroom",)})
    called = course.root / CALLED  # may be the instructor's own
    files[CALLED] = (called if called.is_file() else shipped_file(CALLED)).read_bytes()
    workflow = {path_of(assignment): make_workflow(day, f"-r {wanted}").encode()}
    return workflow | {course.root / name: data for name, data in files.items()}


def is_written(assignment: Assignment, class_: Class) -> bool:
    """Return True if the workflow is there already with all its files. Raises Refused if it cannot be written."""
    root, path, files = assignment.course.root, path_of(assignment), workflow_files(assignment)
    if not absolute(class_.roster).is_relative_to(absolute(root)):
        raise Refused(
            f"{class_.roster}: the roster is not in {root}; a workflow reads only what is in the repository"
        )
    if not os.path.lexists(path):
        return False
    if not path.is_file() or path.read_bytes() != files[path]:
        raise Refused(f"{path}: a different file exists already; move it away first")
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
    home = f"/repos/{place}/actions/secrets"
    key = api.ask("GET", f"{home}/public-key", _Key)
    api.ask("PUT", f"{home}/{name}", msgspec.Raw, encrypted_value=_sealed(key.key, value), key_id=key.key_id)


def _sealed(key: str, value: str) -> str:
    try:
        from nacl.public import PublicKey, SealedBox
    except ImportError as error:
        raise Refused(
            f"PyNaCl is not installed, and GitHub takes only sealed secrets; run {to_install('classroom')}"
        ) from error
    box = SealedBox(PublicKey(base64.b64decode(key)))
    return base64.b64encode(box.encrypt(value.encode())).decode()
