"""The state of a GitHub: repositories, pull requests, issues, comments, tokens, and planned faults."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github_server.bare import NOTHING, Bare, Content

if TYPE_CHECKING:
    from github_server.server import GitHub

BOT = "github-actions[bot]"
LONGEST = 65_536  # characters of a comment, an issue, a pull request
REFUSED = "Resource not accessible by integration"
# What an instructor's token may.
EVERYTHING = (
    "administration",
    "contents",
    "issues",
    "metadata",
    "pull_requests",
    "secrets",
    "statuses",
    "workflows",
)


class Problem(Exception):
    """An answer that is an error."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, *errors: str
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})
        self.errors = errors

    @property
    def told(self) -> dict[str, Any]:
        """The body of the error."""
        return {"message": self.message} | (
            {"errors": [{"message": error} for error in self.errors]} if self.errors else {}
        )


def invalid(error: str) -> Problem:
    """422, in GitHub's words."""
    return Problem(422, "Validation Failed", None, error)


class Dropped(Exception):
    """Raised by a test's hook: the request is neither worked on nor answered."""


class Text:
    """A text that others may edit; `editor` did so last."""

    body: str
    edits = 0
    editor: str | None = None
    edited_at: str | None = None
    created_at = "2025-11-20T12:00:00Z"

    def edit(self, login: str, body: str, at: str) -> None:
        """Write another text in its place."""
        self.body, self.editor, self.edited_at = body, login, at
        self.edits += 1


@dataclass
class Comment(Text):
    """A comment on a pull request, an issue or a commit."""

    id: int
    author: str | None  # None: the account is gone
    body: str

    @property
    def node_id(self) -> str:
        return f"IC_{self.id}"


@dataclass
class Pull:
    """A pull request; `head` is a branch of `owner`."""

    number: int
    head: str
    base: str
    owner: str
    state: str = "open"
    title: str = ""
    body: str = ""
    author: str = ""
    merged: bool = False
    labels: list[str] = field(default_factory=list)
    created_at: str = "2025-11-20T12:00:00Z"


@dataclass
class Issue(Text):
    """An issue; a pull request is none, though it is listed among them."""

    number: int
    title: str
    body: str
    author: str
    labels: list[str] = field(default_factory=list)
    state: str = "open"
    id: int = 0

    @property
    def node_id(self) -> str:
        return f"I_{self.id}"


@dataclass
class Activity:
    """A push to a ref, as GitHub keeps it."""

    id: int
    type: str
    ref: str
    before: str
    after: str
    at: str
    actor: str


@dataclass(frozen=True)
class Status:
    """A status of a commit; of one context the newest is shown."""

    state: str
    context: str
    description: str
    target_url: str
    creator: str


@dataclass
class Invitation:
    """An invitation to a repository that is not accepted yet."""

    id: int
    login: str
    permission: str
    expired: bool = False


@dataclass
class Repository:
    """A repository; comments by the number of their pull request or issue, and by their commit."""

    name: str
    id: int
    private: bool = True
    visibility: str = ""  # `internal`, else what `private` says
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, list[Comment]] = field(default_factory=dict)
    commit_comments: dict[str, list[Comment]] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    statuses: dict[str, list[Status]] = field(default_factory=dict)  # by their commit
    transferred: dict[int, str] = field(default_factory=dict)  # where issues went that were here
    has_issues: bool = True
    of_others: bool = False  # the tokens here may read it at most
    archived: bool = False
    is_template: bool = False
    template: int | None = None  # the id of what it was generated from
    default_branch: str = "main"
    created_at: str = ""
    pushed_at: str = ""
    collaborators: dict[str, str] = field(default_factory=dict)
    invitations: list[Invitation] = field(default_factory=list)
    invited: list[str] = field(default_factory=list)  # everybody who ever got an invitation, in order
    activity: list[Activity] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)  # of Actions, opened
    coming: list[Any] = field(default_factory=list)  # after how many requests what happens
    github: GitHub | None = None

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0]

    @property
    def path(self) -> Path:
        """Of the bare repository."""
        assert self.github is not None
        assert self.github.folder is not None, "this GitHub has no folder"
        return self.github.folder / f"{self.name}.git"

    @property
    def bare(self) -> Bare:
        return Bare(self.path)

    # What a test prepares

    def pull(
        self, number: int, *, head: str = "main", base: str = "feedback", owner: str = "", state: str = "open"
    ) -> Pull:
        """Open a pull request."""
        pull = Pull(number, head, base, owner or self.owner, state)
        self.pulls[number], self.comments[number] = pull, []
        return pull

    def issue(
        self, title: str, body: str = "", *, author: str = "ada", labels: list[str] | None = None
    ) -> Issue:
        """Open an issue."""
        number = self.next_number()
        issue = Issue(number, title, body, author, labels or [], id=self.id * 1_000 + number)
        self.issues[issue.number], self.comments[issue.number] = issue, []
        return issue

    def transfer(self, number: int, to: Repository) -> None:
        """Move an issue to another repository of the owner, as everybody may who may push to both."""
        assert self.github is not None
        issue, said, new = self.issues.pop(number), self.comments.pop(number), to.next_number()
        issue.number, to.issues[new], to.comments[new] = new, issue, said
        self.transferred[number] = f"{self.github.url}/repositories/{to.id}/issues/{new}"

    def next_number(self) -> int:
        """Issues and pull requests are counted together."""
        return max([0, *self.pulls, *self.issues, *self.transferred]) + 1

    def commit(self, sha: str) -> None:
        """Have a commit that exists by name only."""
        self.commit_comments[sha] = []

    def push(
        self,
        files: Mapping[str, Content],
        *,
        at: str | None = None,
        author_date: str | None = None,
        force: bool = False,
        onto: str | None = None,
        ref: str = "main",
        actor: str = "ada",
        message: str = "Work",
        committer_date: str | None = None,
    ) -> str:
        """Push a commit that changes these files; gives its hash.

        `at` is when GitHub saw it, by which nothing in the commit is set but where no other date is given.
        With `force` it is made on top of `onto` (without it: a first commit of these files alone).
        """
        at = at or self.now()
        branch = f"refs/heads/{ref}"
        before = self.bare.tip(branch)
        own = committer_date or author_date or at
        parent = onto if force or onto else before
        after = self.bare.commit(
            branch, files, parent=parent, at=own, author_date=author_date or at, name=actor, message=message
        )
        self.note(branch, before, after, actor=actor, at=at, force=force)
        return after

    def delete(self, ref: str, *, at: str | None = None, actor: str = "ada") -> None:
        """Delete a branch."""
        before = self.bare.tip(f"refs/heads/{ref}")
        self.bare.git("update-ref", "-d", f"refs/heads/{ref}")
        self.note(f"refs/heads/{ref}", before, None, actor=actor, at=at or self.now())

    def merge(self, number: int, *, actor: str = "ada", at: str | None = None) -> str:
        """Press the button of a pull request; gives the commit. Conflicts are the test's fault."""
        pull, at = self.pulls[number], at or self.now()
        base, head = (self.bare.tip(f"refs/heads/{name}") for name in (pull.base, pull.head))
        assert base
        assert head
        tree = self.bare.line("merge-tree", "--write-tree", base, head)
        made = self.bare.commit_tree(tree, [base, head], f"Merge #{number}", at)
        self.bare.set(f"refs/heads/{pull.base}", made)
        pull.state, pull.merged = "closed", True
        self.note(f"refs/heads/{pull.base}", base, made, actor=actor, at=at, kind="pr_merge")
        return made

    def rename(self, name: str) -> None:
        """Give it another name; the old one leads here, also for git."""
        assert self.github is not None
        old, old_path = self.name, self.path if self.github.folder else None
        self.github.renamed[old.casefold()] = self.id
        self.github.repositories[name] = self.github.repositories.pop(old)
        self.name = name
        if old_path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            old_path.rename(self.path)
            old_path.symlink_to(self.path)

    def accept(self, login: str) -> None:
        """Somebody accepts an invitation."""
        (found,) = [i for i in self.invitations if i.login.casefold() == login.casefold()]
        self.invitations.remove(found)
        self.collaborators[found.login] = found.permission

    def files(self, ref: str = "main") -> dict[str, bytes]:
        """Every file at the tip of a branch, by its place."""
        return self.bare.files(f"refs/heads/{ref}")

    # What happens

    def now(self) -> str:
        assert self.github is not None
        return self.github.now()

    def note(
        self,
        ref: str,
        before: str | None,
        after: str | None,
        *,
        actor: str,
        at: str,
        force: bool = False,
        kind: str = "",
    ) -> None:
        """Keep an activity."""
        assert self.github is not None
        if before is None:
            kind = "branch_creation"
        elif after is None:
            kind = "branch_deletion"
        kind = kind or ("force_push" if force else "push")
        number = self.github.next_id()
        self.activity.append(Activity(number, kind, ref, before or NOTHING, after or NOTHING, at, actor))
        self.pushed_at = max(self.pushed_at, at)


@dataclass
class Token:
    """A token: its user, repositories and rights. A token of an installation may not ask for its user."""

    login: str
    repositories: frozenset[str] | None  # None: all
    write: frozenset[str]
    read: frozenset[str]
    installation: bool

    def may(self, permission: str, access: str) -> bool:
        return permission in self.write or (access == "read" and permission in self.read)


@dataclass
class Fault:
    """A fault of one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Fault"
    body: bytes = b""  # instead of the message
    after_work: bool = False  # whether the work is done before the answer is lost
    truncated: bool = False  # the answer ends in the middle
    hung_up: bool = False  # no answer at all
    only: str = ""  # the method that it waits for
    path: str = ""  # what its path must hold


@dataclass(frozen=True)
class Asked:
    """A request that came, and how it was answered."""

    method: str
    path: str
    status: int
    authorization: str


def iso(time: dt.datetime) -> str:
    """As GitHub writes it."""
    return time.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
