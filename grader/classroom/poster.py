"""The place of a posted grade on GitHub, found again by later runs.

It is a comment on the open pull request into the branch `feedback`, which classrooms create, or else an issue of its
own. A run that was killed before it recorded a post finds it by an invisible mark and its author, and does not post
twice.

The results file has the hash of each text that it posted, and of each that it was about to. Another text stays, unless
`--take-over` is given: somebody edited it by hand, or posted from another results file, be it a copy with the same id.
Everybody who may push can edit a text, so it stays only if the token's user or an administrator of the repository
edited it last. Only GraphQL returns the last editor ("Comment": `editor`).
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import Pull, User, permission
from grader.classroom.letters import is_one_of
from grader.render import escape_line
from grader.submissions.state_words import when

if TYPE_CHECKING:
    from grader.classroom.github.api import Api
    from grader.classroom.letters import Letter

_DELETED = (404, 410)  # status of a deleted text; 410 if the token may see that it existed


class _Written(msgspec.Struct):
    """An issue, which has a number, or a comment, which has an id only."""

    id: int = 0
    node_id: str = ""
    number: int = 0
    body: str | None = None
    user: User | None = None
    pull_request: dict[str, Any] | None = None
    html_url: str = ""


class _Text(msgspec.Struct):
    """A comment or an issue, as GraphQL returns it."""

    body: str
    createdAt: dt.datetime  # noqa: N815  GitHub's names
    lastEditedAt: dt.datetime | None = None  # noqa: N815
    author: User | None = None
    editor: User | None = None


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
        if why := self._not_ours(letter, there):
            raise RequestFailed(why)
        self.api.ask("PATCH", place, _Written, body=letter.sent)
        return f"edited {'the comment' if '/comments/' in place else 'the issue'}", place

    def look(self, letter: Letter) -> Letter:
        """Return the letter with what stands at its place: `trouble` if it is not this results file's to replace.

        A text that a student changed is one to edit, and so is one that a killed run left. Raises GitHubUnavailable.
        """
        before = letter.before
        if before is None or letter.trouble:
            return letter
        try:
            there = self.api.ask("GET", before.place, _Written)
            if is_one_of(there.body, {before.sha256}):
                return letter
            if why := self._not_ours(letter, there):
                return replace(letter, trouble=why)
        except RequestFailed:
            return letter  # the post itself says what is wrong, or writes a deleted text again
        return replace(letter, before=msgspec.structs.replace(before, sha256=""))

    def _not_ours(self, letter: Letter, there: _Written) -> str:
        """Return who wrote the text there, and the grade in it; empty if this results file may replace it.

        Raises RequestFailed.
        """
        # The id of a results file stands at the end of a text.
        found = re.search(r"<!-- backgrade:results-([0-9a-f]{16}) -->\s*\Z", there.body or "")
        source = found[1] if found else ""
        of_old = not source and letter.before is None and self._is_me(there.user)  # texts had no id once
        if self.take_over or of_old or is_one_of(there.body, letter.written):
            return ""
        last = self.api.query(_LAST_EDIT, _Last, id=there.node_id).data
        if last is None or last.node is None:
            return "GitHub does not say who last edited the text there; `grade post` with --take-over replaces it"
        who = last.node.editor or last.node.author
        if who is not None and not self._may_grade(f"/repos/{letter.grade.work.repository}", who):
            return ""  # a student wrote the present text, and with it the id
        name, at = who.login if who else "somebody", last.node.lastEditedAt or last.node.createdAt
        other = source not in {"", letter.source}
        why = "from another results file" if other else "by hand or from a copy of this results file"
        return f"{name} posted {_headline(last.node.body)} there, {when(at)}, {why}; `grade post` with --take-over replaces it"

    @property
    def login(self) -> str:
        """The login of the token's user."""
        self._login = self._login or self.api.ask("GET", "/user", User).login
        return self._login

    def _feedback_pull(self, home: str) -> int | None:
        """Return the number of the open pull request into `feedback`."""
        query = {"state": "open", "base": "feedback"}
        pulls = self.api.pages(f"{home}/pulls", Pull, query)
        return min((pull.number for pull in pulls if pull.base.ref == "feedback"), default=None)

    def _found(self, home: str, where: str, mark: str) -> _Written | None:
        """Return the existing post: our own, or that of another person who may grade.

        Anybody can write the mark, so the author decides.
        """
        every = self.api.pages(where, _Written, {"state": "all"} if where.endswith("/issues") else {})
        marked = [w for w in every if (w.body or "").startswith(mark) and w.pull_request is None]
        marked.sort(key=lambda w: (not self._is_me(w.user), w.number, w.id))
        return next((w for w in marked if w.user and self._may_grade(home, w.user)), None)

    def _is_me(self, user: User | None) -> bool:
        return user is not None and user.login == self.login

    def _may_grade(self, home: str, user: User) -> bool:
        """Return True for the token's user and for administrators of the repository; students may only push."""
        place = home.removeprefix("/repos/")
        return self._is_me(user) or permission(self.api, place, user.login) == "admin"


def _headline(body: str) -> str:
    """Return the lines with the grades, and those before them that say whose they are in a team."""
    found = re.findall(r"^(?:# |(?=For ))(.{1,80})", body, re.MULTILINE)
    return f"`{escape_line(': '.join(found[:4])).strip()}`" if found else "a text without a grade"
