"""`grade post`: post the grade of record to each student once, and edit the post when the grade changes.

The results file keeps the hash and the place of each posted text, so the next run sends only changes. letters.py makes
the texts. A text is a comment on the open pull request into the branch `feedback`, which classrooms create, or else an
issue. If a run was killed before it recorded a post, the next one finds the post by an invisible mark and its author, and
does not post twice.

The results file also has the hash of each text before it is sent. A text with another hash stays, unless `--take-over` is
given: somebody edited it by hand, or posted it from another results file, which may be a copy with the same id.
Students can edit texts too, so a text is protected only if the token's user or an administrator of the repository
edited it last. Only GraphQL returns the last editor ("Comment": `editor`).

A token needs `issues: write` and `pull-requests: write` on the students' repositories. GitHub allows 80 new texts a
minute and 500 an hour; the client waits as long as GitHub asks.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import re
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.github.api import api_from
from grader.classroom.github.comments import Comment, marker
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed, work_through
from grader.classroom.github.repository import Pull, User, permission
from grader.classroom.letters import is_one_of, letters_of
from grader.classroom.record import begin_posting
from grader.console import FULL, LESS, agree, count_noun, say, say_notes, show
from grader.errors import Refused, first_of
from grader.gradebook.feedback import reference_notes, run_feedback
from grader.gradebook.grade import absent_of, grades_of, warnings_about, who_left
from grader.gradebook.in_force import Override
from grader.gradebook.overrides import who as who_decides
from grader.gradebook.sentences import absent_words, grade_words, is_provisional, work_counts
from grader.gradebook.store import Store
from grader.render import escape_line
from grader.submissions.keys import select_students
from grader.submissions.state_words import when

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.classroom.letters import Letter
    from grader.gradebook.gradedwork import Grade

SHOWN = 8  # names; the rest are counted


def run_post(
    assignment: Assignment,
    results: Path,
    students: Sequence[str],
    *,
    final: bool | None = None,
    dry_run: bool,
    yes: bool,
    take_over: bool = False,
    environment: Mapping[str, str],
) -> int:
    """Show what would be posted, ask, post, and return the exit code. Raises Refused.

    `final` declares all grades final, or provisional again, where the manifest names no last day; the results file
    keeps the declaration.
    """
    with ExitStack() as stack:
        store = stack.enter_context(Store(results))
        everybody = list(letters_of(assignment, store, declare=final))
        if not everybody:
            raise store.no_results(assignment.name)
        if final is not None:
            _refuse_declaration(assignment, [letter.grade for letter in everybody], students)
        letters = select_students(everybody, students, results)
        api = _api(stack, environment, letters, dry_run=dry_run)
        poster = Poster(api, assignment, store, take_over=take_over) if api else None
        letters = [poster.look(letter) for letter in letters] if poster else letters
        waiting = [letter for letter in letters if letter.state in ("new", "changed")]
        _show_plan(assignment, letters, whole=dry_run and len(students) == 1)
        for one in absent_of(assignment, store):  # they get no post
            if not students or one.student in students:
                say(f"  {absent_words(one)}")
        grades = [letter.grade for letter in everybody]
        say_notes(warnings_about(assignment, store, grades))
        for line in reference_notes(assignment, [one.grade for one in everybody]):
            say(line)
        say_notes(_about_gone(assignment, store, {letter.student for letter in everybody}))
        left_out = LESS if any(letter.trouble for letter in letters) else FULL
        if dry_run:
            return left_out
        if waiting and not yes:
            who = count_noun(len(waiting), "student")
            agree(f"on GitHub, {who} will get their {_grade_of(waiting)}", "post now", "--yes")
        if final is not None:
            _keep_declaration(assignment, store, final=final)
        if poster is None or not waiting:
            return left_out
        begin_posting(assignment.name)
        return max(left_out, work_through(waiting, poster.send, _why, "posted"))


def _api(
    stack: ExitStack, environment: Mapping[str, str], letters: Sequence[Letter], *, dry_run: bool
) -> Api | None:
    """Return GitHub's API; None for a dry run without a token, or without letters.

    Raises GitHubUnavailable.
    """
    if all(letter.trouble for letter in letters):
        return None
    try:
        return stack.enter_context(api_from(environment, waiting=lambda line: say(line, err=True)))
    except GitHubUnavailable:
        if not dry_run:
            raise
        say(
            "note: there is no token, so the texts posted on GitHub were not compared; to compare them, set GITHUB_TOKEN",
            err=True,
        )
        return None


def run_files(
    assignment: Assignment,
    results: Path,
    students: Sequence[str],
    *,
    folder: Path,
    upload: tuple[str, Path] | None,
    final: bool | None = None,
    take_over: bool = False,
) -> int:
    """Write the texts into a folder, and return the exit code. Raises Refused.

    `upload`, `take_over` and `final` are as for run_feedback and run_post.
    """
    if final is not None:
        with Store(results) as store:
            grades = list(grades_of(assignment, store, declare=final))
            if not grades:
                raise store.no_results(assignment.name)
            _refuse_declaration(assignment, grades, students)
            _keep_declaration(assignment, store, final=final)
    return run_feedback(assignment, results, folder, students, upload, take_over=take_over)


def _grade_of(letters: Sequence[Letter]) -> str:
    """Return `grade` or `provisional grade`, for these letters."""
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
            f"{assignment.name}: assignment.yaml says when each grade is final: the last one after {when(max(ends))}; "
            "remove --final or --provisional, or edit `due` and `late`"
        )


def _keep_declaration(assignment: Assignment, store: Store, *, final: bool) -> None:
    """Record a new declaration that all grades are final, or no longer final."""
    if store.in_force(assignment.name).final != final:
        said = "grade post --final" if final else "grade post --provisional"
        store.keep_override(Override(assignment.name, "final", said, who_decides(), withdrawn=not final))


def _about_gone(assignment: Assignment, store: Store, here: Collection[str]) -> Iterator[str]:
    """Yield a note about each posted text whose student has no result any more. Raises Refused."""
    posted = store.posted_texts(assignment.name)
    left = who_left(assignment.course, [*posted, *here])
    for student in sorted(posted.keys() - set(here) - {*left}):
        place = posted[student].place.removeprefix("/repos/")
        yield f"{student}: no result any more, but the post at {place} stays; edit or close this post"


def _show_plan(assignment: Assignment, letters: Sequence[Letter], *, whole: bool) -> None:
    say(f"{assignment.name}  {assignment.manifest.title}")
    width = max((len(letter.student) for letter in letters), default=0)
    for letter in letters:
        if letter.state in ("new", "changed"):
            points = grade_words(letter.grade) + (", provisional" if is_provisional(letter.grade) else "")
            what = f"{points}  {letter.grade.work.repository}"
            say(f"  {letter.state:<7}  {letter.student:<{width}}  {what}")
    for trouble in dict.fromkeys(letter.trouble for letter in letters if letter.trouble):
        names = [letter.student for letter in letters if letter.trouble == trouble]
        say(f"  left out: {first_of(names, SHOWN)}, because {trouble}")
    counts = {state: sum(letter.state == state for letter in letters) for state in _STATES}
    say(", ".join(f"{number} {state}" for state, number in counts.items() if number) or "no students")
    for line in _what_makes_final(letters):
        say(line)
    if whole:
        show(f"\n{letters[0].text}")


def _what_makes_final(letters: Sequence[Letter]) -> Iterator[str]:
    """Yield the number of provisional grades for each reason."""
    grades = [letter.grade for letter in letters if is_provisional(letter.grade)]
    for check, count in Counter(check for grade in grades for check in grade.waiting).items():
        yield f"{count} of {len(letters)} provisional: `{check}` is not graded yet; see `grade mark`"
    ends = Counter(grade.final_from for grade in grades if work_counts(grade))
    for end, count in sorted(ends.items(), key=lambda item: (item[0] is not None, item)):
        why = (
            f"work counts until {when(end)}"
            if end
            else f"{_NO_END}; `grade post --final` makes these grades final"
        )
        yield f"{count} of {len(letters)} provisional: {why}"


_NO_END = "assignment.yaml sets no last day (`due` and `late: {days: ...}`)"


_STATES = ("new", "changed", "as posted", "left out")


_RIGHTS = (
    "; the token needs `issues: write` and `pull-requests: write`, and an archived repository takes no posts"
)


def _why(letter: Letter, error: RequestFailed) -> str:
    return f"{letter.grade.work.repository}: {error}{_RIGHTS if error.forbidden else ''}"


# Status of a text that students took away: transferred to another repository, or deleted; 410 if the token may see that
# it existed.
_MOVED = 301
_GONE = (_MOVED, 404, 410)


class _ExistingPost(Comment):
    """An issue, which has a number, or a comment, which has an id only."""

    node_id: str = ""
    number: int = 0
    pull_request: dict[str, Any] | None = None
    html_url: str = ""


class _Text(msgspec.Struct):
    """A comment or an issue, as GraphQL returns it."""

    body: str
    createdAt: dt.datetime  # noqa: N815  GitHub's names
    lastEditedAt: dt.datetime | None = None  # noqa: N815
    author: User | None = None
    editor: User | None = None


_LAST_EDIT = """\
query ($id: ID!) {
  node(id: $id) { ... on Comment { body createdAt lastEditedAt author { login } editor { login } } }
}
"""


class Poster:
    """Writes, finds and edits the posts of an assignment, and records them in the results file.

    A place is the API's path of a post; `page` is the web page of the last one. A post begins with `mark`, so that a later
    run finds it.
    """

    def __init__(self, api: Api, assignment: Assignment, store: Store, *, take_over: bool = False) -> None:
        self.api, self.day, self.store, self.take_over = api, assignment.name, store, take_over
        self.mark, self.page = marker(f"grade:{self.day}"), ""
        self._pending = set(store.pending(self.day))  # texts that a killed run was about to write
        # Students can write hundreds of texts with the mark.
        self._permission = cache(partial(permission, api))
        others = [day for day in store.assignments() if day != self.day]
        self._of_others = {post.place for day in others for post in store.posted_texts(day).values()}
        self._sent: dict[tuple[str, str], str] = {}  # the places of this run, by repository and text

    def send(self, letter: Letter) -> str:
        """Post to one student, once for a team, and record it; return a phrase about it. Raises RequestFailed."""
        where = (letter.grade.work.repository.casefold(), letter.sha256)
        self.store.keep_pending(self.day, letter.student, letter.sha256)
        done = "shares the post of the team"
        if where not in self._sent:
            done, self._sent[where] = self.api.until_sure(lambda n: self._post(letter, again=n > 0))
        self.store.keep_posted(self.day, letter.to_row(self._sent[where]))
        earlier = self._earlier_page(letter)
        return f"{done}; the earlier post at {earlier} stays; edit or close it" if earlier else done

    def _earlier_page(self, letter: Letter) -> str:
        """Return the page of the student's last post if it is not in the repository of the work; else ""."""
        place = letter.before.place if letter.before else ""
        if not place or place in {post.place for post in self.store.posted_texts(self.day).values()}:
            return ""
        try:
            page = self.api.ask("GET", place, _ExistingPost).html_url
        except RequestFailed:
            return ""
        return "" if f"/{letter.grade.work.repository}/".casefold() in page.casefold() else page

    def _body(self, letter: Letter) -> str:
        """Return the text with the id of the results file; `sha256` does not cover the id."""
        return f"{letter.text.rstrip()}\n\n{marker(f'results:{self.store.identity}')}\n"

    def _post(self, letter: Letter, *, again: bool) -> tuple[str, str]:
        """Post once. Search for the post first if its place is unknown or in another repository, or with `again`."""
        home = f"/repos/{letter.grade.work.repository}"
        if letter.before is not None and letter.before.place.startswith(f"{home}/") and not again:
            try:
                return self._replace(letter, letter.before.place, self._read(letter, letter.before.place))
            except RequestFailed as trouble:
                if trouble.status not in _GONE:
                    raise
        pull = self._feedback_pull(home)
        where = f"{home}/issues/{pull}/comments" if pull else f"{home}/issues"
        at = f"{home}/issues/comments" if pull else where
        if (found := self._find_post(home, where, at)) is not None:
            return self._replace(letter, f"{at}/{found.number or found.id}", found)
        title = {} if pull else {"title": f"{self.day}: your grade"}
        made = self.api.ask("POST", where, _ExistingPost, **title, body=self._body(letter))
        self.page = made.html_url
        if pull:
            return f"comment added to pull request {pull}", f"{home}/issues/comments/{made.id}"
        return f"issue {made.number} opened", f"{home}/issues/{made.number}"

    def _read(self, letter: Letter, place: str) -> _ExistingPost:
        """Return the text at a place. Raises RequestFailed, also if our issue was transferred, or went with its repository."""
        there, home = self.api.ask("GET", place, _ExistingPost), f"/repos/{letter.grade.work.repository}"
        here = f"{home.removeprefix('/repos')}/issues/{there.number}"
        if there.number and not there.html_url.casefold().endswith(here.casefold()):
            raise RequestFailed("the issue is in another repository now", _MOVED)
        is_marked = (there.body or "").startswith(self.mark)
        if not is_marked and there.user and not self._may_grade(home, there.user):
            raise RequestFailed("a new repository of that name has a student's own text there", _MOVED)
        return there

    def _replace(self, letter: Letter, place: str, there: _ExistingPost) -> tuple[str, str]:
        """Replace an existing text with the letter. Raises RequestFailed."""
        self.page = there.html_url
        if there.body == self._body(letter):
            return "already there", place
        if why := self._not_ours(letter, there):
            raise RequestFailed(why)
        self.api.ask("PATCH", place, _ExistingPost, body=self._body(letter))
        return f"{'comment' if '/comments/' in place else 'issue'} edited", place

    def look(self, letter: Letter) -> Letter:
        """Compare the letter with the text on GitHub; set `trouble` if this results file must not replace that.

        A text that a student changed or took away, or that a killed run left, will be edited or written again. Raises
        GitHubUnavailable.
        """
        before = letter.before
        if before is None or letter.trouble:
            return letter
        try:
            there = self._read(letter, before.place)
            if is_one_of(there.body, {before.sha256}):
                return letter
            if why := self._not_ours(letter, there):
                return replace(letter, trouble=why)
        except RequestFailed as error:
            if error.status not in _GONE:
                return letter  # posting reports the error
        return replace(letter, before=msgspec.structs.replace(before, sha256=""))

    def _not_ours(self, letter: Letter, there: _ExistingPost) -> str:
        """Return who wrote the text there, and the grade in it; "" if this results file may replace it.

        Raises RequestFailed.
        """
        # A text ends with the id of its results file.
        found = re.search(r"<!-- backgrade:results-([0-9a-f]{16}) -->\s*\Z", there.body or "")
        source = found[1] if found else ""
        ours = {one.sha256 for one in self.store.posted_texts(self.day).values()} | self._pending
        if self.take_over or is_one_of(there.body, ours):
            return ""
        last = (self.api.query(_LAST_EDIT, dict[str, _Text | None], id=there.node_id).data or {}).get("node")
        if last is None:
            return "GitHub does not say who last edited the posted text; `grade post --take-over` replaces this text"
        who = last.editor or last.author
        if who is not None and not self._may_grade(f"/repos/{letter.grade.work.repository}", who):
            return ""  # a student wrote this text, and may have forged the id
        name, at = who.login if who else "somebody", last.lastEditedAt or last.createdAt
        other = source not in {"", self.store.identity}
        why = "from another results file" if other else "by hand or from a copy of this results file"
        return (
            f"{name} posted {_headline(last.body)} in the student's repository on {when(at)}, {why}; "
            "`grade post --take-over` replaces this post"
        )

    @cached_property
    def login(self) -> str:
        """The login of the token's user."""
        return self.api.ask("GET", "/user", User).login

    def _feedback_pull(self, home: str) -> int | None:
        """Return the number of the open pull request into `feedback`."""
        query = {"state": "open", "base": "feedback"}
        pulls = self.api.pages(f"{home}/pulls", Pull, query)
        return min((pull.number for pull in pulls if pull.base.ref == "feedback"), default=None)

    def _find_post(self, home: str, where: str, at: str) -> _ExistingPost | None:
        """Return the existing post by the token's user, or by another person who may grade; its place begins with `at`.

        Anybody can write the mark, so the author matters. Students can also write it into a text of another assignment.
        """
        every = self.api.pages(where, _ExistingPost, {"state": "all"} if where.endswith("/issues") else {})
        marked = [w for w in every if (w.body or "").startswith(self.mark) and w.pull_request is None]
        marked = [w for w in marked if f"{at}/{w.number or w.id}" not in self._of_others]
        marked.sort(key=lambda w: (not self._is_me(w.user), w.number, w.id))
        return next((w for w in marked if w.user and self._may_grade(home, w.user)), None)

    def _is_me(self, user: User | None) -> bool:
        return user is not None and user.login == self.login

    def _may_grade(self, home: str, user: User) -> bool:
        """Return True for the token's user and for administrators of the repository; students may only push."""
        place = home.removeprefix("/repos/")
        return self._is_me(user) or self._permission(place, user.login) == "admin"


def _headline(body: str) -> str:
    """Return the headings with the grades, and for a team the lines with the names."""
    found = re.findall(r"^(?:# |(?=For ))(.{1,80})", body, re.MULTILINE)
    return f"`{escape_line(': '.join(found[:4])).strip()}`" if found else "a text without a grade"
