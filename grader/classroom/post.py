"""`grade post`: the grade of record, posted to each student once and edited when it changes.

It is a comment on the open pull request into the branch `feedback`, which classrooms create, or else an issue of its
own. The results file keeps the posted text and its location, so the next run sends nothing if nothing has changed. A
run that was killed before it recorded a post finds it by an invisible mark and its author, and does not post twice.

The students of a team share a repository and a text. It names all of them; where their grades differ, by extensions or
overrides of their own, it has a part for each. So a team has one text from the first day to the last, whatever happens
to a single grade, and each of them can read the others' part, as they could in any text of the repository.

The text ends with the id of the results file. A text with another file's id stays, unless `--take-over` is given.
Everybody who may push can write such an id, so it counts only if the token's user or an administrator of the
repository edited the text last. Only GraphQL returns the last editor ("Comment": `editor`).

A token needs `issues: write` and `pull-requests: write` on the students' repositories. GitHub allows 80 new texts a
minute and 500 an hour; the client waits as long as GitHub asks.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from grader.classroom.github.api import Api, api_from
from grader.classroom.github.comments import LONGEST, marker
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, agree, say, show
from grader.errors import Refused, first_of
from grader.gradebook.feedback import feedback_of, folded_markdown, reference_notes, run_feedback
from grader.gradebook.grade import Overrides, absent_of, grades_of, warnings_about
from grader.gradebook.mended import Reason, unexplained, with_reasons
from grader.gradebook.overrides import read_reason
from grader.gradebook.overrides import who as who_decides
from grader.gradebook.sentences import (
    grade_markdown,
    grade_words,
    is_provisional,
    work_counts,
)
from grader.gradebook.store import Override, Posted, Store, now
from grader.gradebook.teams import names, team_note, teams_of
from grader.render import escape_line, escape_markdown
from grader.submissions.keys import chosen
from grader.submissions.state_words import when

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.grade import Absent, Grade
    from grader.report import Report

SHOWN = 8  # names; the rest are counted
_ROOM = 1_024  # characters for the mark and the additions of a renderer


@dataclass(frozen=True)
class Letter:
    """The text for one student or their team, and the earlier post; `trouble` is the reason why none can be posted.

    The text begins with `mark`, by which a later run finds it. Students of a team have the same text.
    """

    grade: Grade
    report: Report
    title: str
    mark: str
    text: str
    before: Posted | None
    source: str  # the id of the results file
    trouble: str = ""

    @property
    def sent(self) -> str:
        """The text with the id of the results file, which is no part of `sha256`."""
        return f"{self.text.rstrip()}\n\n{marker(f'results:{self.source}')}\n"

    @property
    def student(self) -> str:
        """The student's key."""
        return self.grade.student

    @property
    def sha256(self) -> str:
        """The hash of the text, to detect a change."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def posted(self, place: str) -> Posted:
        """Return the record of this text at the path `place`."""
        return Posted(self.student, place, self.sha256, msgspec.json.encode(self.grade).decode())

    @property
    def state(self) -> str:
        """The next step: `new`, `edit`, `as posted` or `left out`."""
        if self.trouble:
            return "left out"
        if self.before is None:
            return "new"
        return "as posted" if self.before.sha256 == self.sha256 else "edit"


# --- The command


def run_post(
    assignment: Assignment,
    results: Path,
    students: Sequence[str],
    *,
    final: bool | None = None,
    why: str | None = None,
    dry_run: bool,
    yes: bool,
    take_over: bool = False,
    environment: Mapping[str, str],
) -> int:
    """Show what would be posted, ask, post, and return the exit code. Raises Refused.

    `final` declares all grades final, or provisional again, where the manifest names no last day; the results file
    keeps the declaration. `why` is the reason why points changed since they were posted, for a check that was mended.
    """
    with Store(results) as store:
        reason = None if why is None else Reason(read_reason(why), who_decides(), now())
        everybody = list(letters_of(assignment, store, declare=final, reason=reason))
        if not everybody:
            raise store.no_results(assignment.name)
        if final is not None:
            _refuse_declaration(assignment, [letter.grade for letter in everybody], students)
        letters = chosen(everybody, students, results)
        waiting = [letter for letter in letters if letter.state in ("new", "edit")]
        _show_plan(assignment, letters, whole=dry_run and len(students) == 1)
        _show_absent(absent_of(assignment, store), students)
        grades = [letter.grade for letter in everybody]
        for warning in warnings_about(assignment, store, grades):
            say(f"note: {warning}", err=True)
        for line in reference_notes(assignment, [(one.grade, one.report) for one in everybody]):
            say(line)
        for line in _about_reason(assignment, store, everybody, reason):
            say(f"note: {line}", err=True)
        teams = teams_of((letter.student, letter.grade.work.repository) for letter in letters)
        if teams:
            say(f"note: {team_note(teams)}", err=True)
        left_out = LESS if any(letter.trouble for letter in letters) else FULL
        if dry_run:
            return left_out
        if waiting and not yes:
            who = "1 student" if len(waiting) == 1 else f"{len(waiting)} students"
            agree(f"{who} would be sent their {_grade_of(waiting)}", f"post to {who} on GitHub", "--yes")
        if final is not None:
            _keep_declaration(assignment, store, final=final)
        if not waiting:
            return left_out
        with api_from(environment, waiting=lambda line: say(line, err=True)) as api:
            return max(left_out, _post_all(assignment, store, Poster(api, take_over=take_over), waiting))


def run_files(
    assignment: Assignment,
    results: Path,
    students: Sequence[str],
    *,
    folder: Path,
    upload: tuple[str, Path] | None,
    final: bool | None = None,
) -> int:
    """Write the texts into a folder instead, and return the exit code. Raises Refused.

    `upload` and `final` are as for run_feedback and run_post.
    """
    if final is not None:
        with Store(results) as store:
            grades = [grade for grade, _ in grades_of(assignment, store, declare=final)]
            if not grades:
                raise store.no_results(assignment.name)
            _refuse_declaration(assignment, grades, students)
            _keep_declaration(assignment, store, final=final)
    return run_feedback(assignment, results, folder, students, upload)


def _grade_of(letters: Sequence[Letter]) -> str:
    """Return the kind of grade in these letters, in words."""
    count = sum(is_provisional(letter.grade) for letter in letters)
    if count in (0, len(letters)):
        return "provisional grade" if count else "grade"
    return f"grade, {count} of them a provisional one"


def _refuse_declaration(assignment: Assignment, grades: Sequence[Grade], students: Sequence[str]) -> None:
    """Raise Refused for `--final` and `--provisional` with `--student`, or if the manifest names the last day."""
    if students:
        raise Refused("--final and --provisional apply to the whole class; remove --student")
    ends = [grade.final_from for grade in grades if grade.final_from is not None]
    if len(ends) == len(grades):
        raise Refused(
            f"{assignment.name}: the manifest says when each grade is final, the last one after {when(max(ends))}; "
            "remove --final or --provisional, or edit `due` and `late`"
        )


def _keep_declaration(assignment: Assignment, store: Store, *, final: bool) -> None:
    """Record a new declaration that all grades are final, or no longer final."""
    if Overrides.of(store.overrides(assignment.name)).final != final:
        said = "grade post --final" if final else "grade post --provisional"
        store.keep_override(Override(assignment.name, "final", said, who_decides(), withdrawn=not final))


def _about_reason(
    assignment: Assignment, store: Store, letters: Sequence[Letter], reason: Reason | None
) -> Iterator[str]:
    """Yield notes about points that change without new work, and about a reason that nobody reads."""
    both = [(letter.grade, letter.report) for letter in letters]
    for check, students in unexplained(assignment, store, both, store.posted(assignment.name)).items():
        who = "1 student" if len(students) == 1 else f"{len(students)} students"
        yield f"`{check}`: the points of {who} change without new work; --why TEXT tells them the reason"
    if reason and not any(one.at == reason.at for grade, _ in both for one in grade.mended):
        yield "--why: no points change without new work or an override, so nobody reads it"


def letters_of(
    assignment: Assignment, store: Store, *, declare: bool | None = None, reason: Reason | None = None
) -> Iterator[Letter]:
    """Yield every student's letter; `declare` is as for `grades_of`, `reason` as for `with_reasons`."""
    posted = store.posted(assignment.name)
    both = with_reasons(assignment, store, grades_of(assignment, store, declare=declare), posted, reason)
    graded = {grade.student: (grade, report) for grade, report in both}
    teams = teams_of((grade.student, grade.work.repository) for grade, _ in graded.values())
    team_of = {student: students for students in teams.values() for student in students}
    title, mark = f"{assignment.name}: your grade", marker(f"grade:{assignment.name}")
    parts = {}
    for student, (grade, report) in graded.items():
        limit = (LONGEST - _ROOM) // len(team_of.get(student, [student]))
        parts[student] = _part_of(assignment, grade, report, limit=limit)
    for student, (grade, report) in graded.items():
        text = _joined([(one, parts[one]) for one in team_of.get(student, [])]) or parts[student].text
        before, trouble = posted.get(student), parts[student].trouble
        yield Letter(grade, report, title, mark, f"{mark}\n{text}", before, store.identity, trouble)


class _Part(NamedTuple):
    """The text about one student's grade; `trouble` is the reason why it cannot be posted."""

    text: str
    trouble: str


def _part_of(assignment: Assignment, grade: Grade, report: Report, *, limit: int) -> _Part:
    """Return the part of one student, of at most `limit` bytes.

    Before the grade is final it holds no number of a hidden test.
    """
    feedback = feedback_of(assignment, grade, report)
    after = folded_markdown(feedback.reference)
    after = after if len(after.encode()) < limit // 2 else ""
    text = grade_markdown(grade, feedback.report, limit=limit - len(after.encode())) + after
    return _Part(text, feedback.trouble or _trouble(grade))


def _joined(parts: Sequence[tuple[str, _Part]]) -> str:
    """Return the text for a team: equal parts once, with the names of the students; empty without students."""
    whose: dict[str, list[str]] = {}
    for student, part in parts:
        if not part.trouble:
            whose.setdefault(part.text, []).append(student)
    each = (f"{escape_markdown(f'For {names(students)}')}\n\n{text}" for text, students in whose.items())
    return "\n\n---\n\n".join(each)


def _trouble(grade: Grade) -> str:
    """Return the reason why GitHub has no place for the letter; "" if it has one."""
    if not re.fullmatch(r"[\w.-]+/(?!\.{1,2}$)[\w.-]+", grade.work.repository, re.ASCII):
        return "no repository on GitHub is known; `grade collect` finds it"
    return ""


def _show_plan(assignment: Assignment, letters: Sequence[Letter], *, whole: bool) -> None:
    say(f"{assignment.name}  {assignment.manifest.title}")
    width = max((len(letter.student) for letter in letters), default=0)
    for letter in letters:
        if letter.state in ("new", "edit"):
            points = grade_words(letter.grade) + (", provisional" if is_provisional(letter.grade) else "")
            what = f"{points}  {letter.grade.work.repository}"
            say(f"  {letter.state:<4}  {letter.student:<{width}}  {what}")
    for trouble in dict.fromkeys(letter.trouble for letter in letters if letter.trouble):
        names = [letter.student for letter in letters if letter.trouble == trouble]
        say(f"  left out: {first_of(names, SHOWN)}: {trouble}")
    counts = {state: sum(letter.state == state for letter in letters) for state in _STATES}
    say(", ".join(f"{number} {state}" for state, number in counts.items() if number) or "no students")
    for line in _what_makes_final(letters):
        say(line)
    if whole:
        show(f"\n{letters[0].text}")


def _what_makes_final(letters: Sequence[Letter]) -> Iterator[str]:
    """Yield the number of provisional grades, each with the reason."""
    grades = [letter.grade for letter in letters if is_provisional(letter.grade)]
    for check, count in Counter(check for grade in grades for check in grade.waiting).items():
        yield f"{count} of {len(letters)} provisional: `{check}` is not graded yet; see `grade override table`"
    ends = Counter(grade.final_from for grade in grades if work_counts(grade))
    for end, count in sorted(ends.items(), key=lambda item: (item[0] is not None, item)):
        why = f"work counts until {when(end)}" if end else f"{_NO_END}; --final declares them final"
        yield f"{count} of {len(letters)} provisional: {why}"


_NO_END = "the manifest does not say until when work counts (`due`, and `late: {days: ...}`)"


def _show_absent(absent: Sequence[Absent], students: Sequence[str]) -> None:
    """Print the students without a result, who get no post."""
    for one in absent:
        if not students or one.student in students:
            say(f"  {one.words}")


_STATES = ("new", "edit", "as posted", "left out")


_DELETED = (404, 410)  # status of a deleted text; 410 if the token may see that it existed
_RIGHTS = (
    "; it needs `issues: write` and `pull-requests: write` there, and an archived repository takes nothing"
)


def _post_all(assignment: Assignment, store: Store, poster: Poster, letters: Sequence[Letter]) -> int:
    """Post to one student after another; each post is recorded before the next one. A team's text is posted once."""
    failed = 0
    posted: dict[tuple[str, str], tuple[str, str]] = {}  # by repository and text
    for number, letter in enumerate(letters, start=1):
        student, where = letter.student, (letter.grade.work.repository.casefold(), letter.sha256)
        try:
            done, place = posted.get(where) or poster.post(letter)
            posted[where] = ("in the text of the team", place)
            store.keep_posted(assignment.name, letter.posted(place))
        except GitHubUnavailable as error:
            rest = len(letters) - number + 1
            say(
                f"grade: {error}; {rest} are not posted yet; run the same command again to continue",
                err=True,
            )
            return UNGRADABLE
        except RequestFailed as error:
            failed += 1
            rights = _RIGHTS if error.forbidden else ""
            done = f"left out: {letter.grade.work.repository}: {error}{rights}"
        except KeyboardInterrupt:
            say(
                f"interrupted: {number - 1} of {len(letters)} are posted; run the same command again to continue",
                err=True,
            )
            return INTERRUPTED
        say(f"  {number:>{len(str(len(letters)))}} of {len(letters)}  {student}  {done}")
    more = f", {failed} left out: see the reasons above, then run the same command again" if failed else ""
    say(f"{len(letters) - failed} posted{more}")
    return LESS if failed else FULL


# --- On GitHub


class _User(msgspec.Struct):
    login: str


class _Ref(msgspec.Struct):
    ref: str


class _Pull(msgspec.Struct):
    number: int
    base: _Ref


class _Written(msgspec.Struct):
    """An issue, which has a number, or a comment, which has an id only."""

    id: int = 0
    node_id: str = ""
    number: int = 0
    body: str | None = None
    user: _User | None = None
    pull_request: dict[str, Any] | None = None
    html_url: str = ""


class _Role(msgspec.Struct):
    permission: str


class _Text(msgspec.Struct):
    """A comment or an issue, as GraphQL returns it."""

    body: str
    createdAt: dt.datetime  # noqa: N815  GitHub's names
    lastEditedAt: dt.datetime | None = None  # noqa: N815
    author: _User | None = None
    editor: _User | None = None


class _Last(msgspec.Struct):
    node: _Text | None = None


_LAST_EDIT = """\
query ($id: ID!) {
  node(id: $id) { ... on Comment { body createdAt lastEditedAt author { login } editor { login } } }
}
"""


class Poster:
    """Writes, finds and edits posts.

    `place` is the API's path of a post; `page` is the web page of the last one.
    """

    def __init__(self, api: Api, *, take_over: bool = False) -> None:
        self.api, self.take_over = api, take_over
        self.page = ""
        self._login = ""

    def post(self, letter: Letter) -> tuple[str, str]:
        """Post to one student; return a sentence about it, and the post's path. Raises RequestFailed."""
        return self.api.until_sure(lambda attempt: self._post(letter, again=attempt > 0))

    def _post(self, letter: Letter, *, again: bool) -> tuple[str, str]:
        """Post once. With `again`, without an earlier path and in another repository, search for the post first."""
        home = f"/repos/{letter.grade.work.repository}"
        if letter.before is not None and letter.before.place.startswith(f"{home}/") and not again:
            try:
                there = self.api.ask("GET", letter.before.place, _Written)
                return self._replace(letter, letter.before.place, there)
            except RequestFailed as trouble:
                if trouble.status not in _DELETED:
                    raise
        pull = self._feedback_pull(home)
        where = f"{home}/issues/{pull}/comments" if pull else f"{home}/issues"
        found = self._found(home, where, letter.mark)
        if found is not None:
            place = f"{home}/issues/comments/{found.id}" if pull else f"{home}/issues/{found.number}"
            return self._replace(letter, place, found)
        if pull:
            made = self.api.ask("POST", where, _Written, body=letter.sent)
            self.page = made.html_url
            return f"commented on the pull request {pull}", f"{home}/issues/comments/{made.id}"
        made = self.api.ask("POST", where, _Written, title=letter.title, body=letter.sent)
        self.page = made.html_url
        return f"wrote the issue {made.number}", f"{home}/issues/{made.number}"

    def _replace(self, letter: Letter, place: str, there: _Written) -> tuple[str, str]:
        """Replace an existing text by the letter. Raises RequestFailed."""
        self.page = there.html_url
        if there.body == letter.sent:
            return "already there", place
        if not self.take_over:
            self._refuse_other_source(letter, there)
        self.api.ask("PATCH", place, _Written, body=letter.sent)
        return f"edited {'the comment' if '/comments/' in place else 'the issue'}", place

    def _refuse_other_source(self, letter: Letter, there: _Written) -> None:
        """Raise RequestFailed for a grade from another results file."""
        source = _source(there.body)
        if source == letter.source or (not source and self._is_me(there.user)):
            return
        last = self.api.query(_LAST_EDIT, _Last, id=there.node_id).data
        if last is None or last.node is None:
            raise RequestFailed(
                "GitHub does not say who last edited the text there; `grade post` with --take-over replaces it"
            )
        who = last.node.editor or last.node.author
        if who is not None and not self._may_grade(f"/repos/{letter.grade.work.repository}", who):
            return  # a student wrote the present text, and with it the id
        name, at = who.login if who else "somebody", last.node.lastEditedAt or last.node.createdAt
        raise RequestFailed(
            f"{name} posted {_headline(last.node.body)} there, {when(at)}, from another results file; "
            "`grade post` with --take-over replaces it"
        )

    @property
    def login(self) -> str:
        """The login of the token's user."""
        self._login = self._login or self.api.ask("GET", "/user", _User).login
        return self._login

    def _feedback_pull(self, home: str) -> int | None:
        """Return the number of the open pull request into `feedback`."""
        query = {"state": "open", "base": "feedback"}
        pulls = self.api.pages(f"{home}/pulls", _Pull, query)
        return min((pull.number for pull in pulls if pull.base.ref == "feedback"), default=None)

    def _found(self, home: str, where: str, mark: str) -> _Written | None:
        """Return the existing post: our own, or that of another person who may grade.

        Anybody can write the mark, so the author decides.
        """
        every = self.api.pages(where, _Written, {"state": "all"} if where.endswith("/issues") else {})
        marked = [w for w in every if (w.body or "").startswith(mark) and w.pull_request is None]
        marked.sort(key=lambda w: (not self._is_me(w.user), w.number, w.id))
        return next((w for w in marked if w.user and self._may_grade(home, w.user)), None)

    def _is_me(self, user: _User | None) -> bool:
        return user is not None and user.login == self.login

    def _may_grade(self, home: str, user: _User) -> bool:
        """Return True for the token's user and for administrators of the repository; students may only push."""
        if self._is_me(user):
            return True
        role = self.api.find("GET", f"{home}/collaborators/{user.login}/permission", _Role)
        return role is not None and role.permission == "admin"


def _source(body: str | None) -> str:
    """Return the id of the results file at the end of a text, empty if there is none."""
    found = re.search(r"<!-- backgrade:results-([0-9a-f]{16}) -->\s*\Z", body or "")
    return found[1] if found else ""


def _headline(body: str) -> str:
    """Return the line with the grade."""
    found = re.search(r"^# (.{1,80})", body, re.MULTILINE)
    return f"`{escape_line(found[1]).strip()}`" if found else "a grade"
