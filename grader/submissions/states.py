"""The states of a student's work: what is there, or why there is nothing; each with the fields that its words need.

    handed_in        there is work to grade
    untouched        the notebook has the code that the student got
    pushed_nothing   the same, and nothing was pushed since the repository was made
    unreadable       there is a file, and it cannot be graded
    renamed          the notebook is untouched, and another one beside it is ignored
    unclear          several files, and none of them is the one that counts
    no_file          no file that could be the work
    other_branch     the work is on a branch that does not count
    too_late         everything came after the last moment that counts
    no_branch        the branch that counts was deleted, or it is unclear which one counts
    empty            an empty repository
    elsewhere        the student worked in another student's repository
    no_access        the student may not push: the invitation was not accepted
    missing          there is no repository
    unreached        the work could not be read

The first three are graded. Of the others, those from `unreadable` to `empty` give 0 points. `elsewhere` and `no_access`
give no result, and an earlier one is dropped. With `missing` and `unreached` the work is unknown, so that an earlier
result stays.

state_words.py puts states into sentences. Nothing reads these back.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, TypeAlias

import msgspec


class _State(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A state; all times are UTC in ISO 8601, "" for an unknown one."""

    @property
    def kind(self) -> str:
        """The name of the state, by which SQL finds it."""
        return str(type(self).__struct_config__.tag)


class InWork(_State, frozen=True, tag="handed_in"):
    """There is work to grade."""


class Untouched(_State, frozen=True, tag="untouched"):
    """The notebook has the code that the student got."""


class PushedNothing(_State, frozen=True, tag="pushed_nothing"):
    """The notebook is untouched, and `who` pushed nothing to the repository since it was made."""

    who: str
    repository: str


class Unreadable(_State, frozen=True, tag="unreadable"):
    """There is a file, and it cannot be graded; `why` says so to the student, `remedy` is what helps."""

    why: str
    remedy: str = ""


class Renamed(_State, frozen=True, tag="renamed"):
    """The notebook at the path `untouched` is as it was handed out, and the one at `other` is ignored."""

    untouched: str
    other: str
    name: str  # under which work counts


class Unclear(_State, frozen=True, tag="unclear"):
    """Several `files` that differ; `named` if they have the name that counts, or one like it."""

    files: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)]
    name: str
    named: bool


class NoFile(_State, frozen=True, tag="no_file"):
    """There is no file `name`; `archive` is one that is not opened, `deep` is set if some folders were not looked into.

    `why` replaces the reason, and `remedy` what helps: a text was handed in.
    """

    name: str
    archive: str = ""
    deep: bool = False
    why: str = ""
    remedy: str = ""


class OtherBranch(_State, frozen=True, tag="other_branch"):
    """The work is on `branches`, the newest first, and not on the branch `counts`.

    `pushed` is the time of the newest push to them, "" in some earlier records. Work counts `until` then. `after` is a
    later push to the branch that counts, which was too late.
    """

    branches: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    counts: str
    pushed: str = ""
    until: str = ""
    after: str = ""


class TooLate(_State, frozen=True, tag="too_late"):
    """Work counted `until` then, and the first `push` came later; "" if only commits are known, by their own dates."""

    until: str
    push: str = ""


class NoBranch(_State, frozen=True, tag="no_branch"):
    """The branch was `deleted` then; or it was first `pushed` after `until`, and several `others` were there before."""

    branch: str
    deleted: str = ""
    pushed: str = ""
    until: str = ""
    others: tuple[str, ...] = ()


class Empty(_State, frozen=True, tag="empty"):
    """An empty repository."""


class Elsewhere(_State, frozen=True, tag="elsewhere"):
    """`login` pushed nothing to the own `repository`, and to `theirs` at `pushed`."""

    student: str
    login: str
    repository: str
    theirs: str
    pushed: str


class NoAccess(_State, frozen=True, tag="no_access"):
    """`login` may not push to the `repository`; `sent` is the time of the invitation, "" if there was none."""

    login: str
    repository: str
    sent: str = ""
    expired: bool = False


class NoRepository(_State, frozen=True, tag="missing"):
    """There is no `repository`, or the token cannot see it; "" if the roster names none."""

    repository: str = ""


class Unreached(_State, frozen=True, tag="unreached"):
    """The work could not be read; `why` says so, with the place. `repository` is set if GitHub or git failed."""

    why: str
    repository: str = ""


State: TypeAlias = (
    InWork
    | Untouched
    | PushedNothing
    | Unreadable
    | Renamed
    | Unclear
    | NoFile
    | OtherBranch
    | TooLate
    | NoBranch
    | Empty
    | Elsewhere
    | NoAccess
    | NoRepository
    | Unreached
)
IN_WORK = InWork()
NOT_WORKED = (Untouched, PushedNothing)  # the student changed no code
GRADED = (InWork, *NOT_WORKED)
NO_RESULT = (Elsewhere, NoAccess)  # a result of earlier is dropped
UNKNOWN = (NoRepository, Unreached)  # a result of earlier stays


class Later(msgspec.Struct, frozen=True, omit_defaults=True):
    """A push of other work after the last moment that counts: its `time`, its commit, and that moment `until`.

    Both are UTC in ISO 8601. The time is `verified` where only the platform can have set it.
    """

    time: str
    until: str
    commit: str = ""
    verified: bool = True

    @property
    def by(self) -> dt.timedelta:
        """By how much it was too late."""
        return dt.datetime.fromisoformat(self.time) - dt.datetime.fromisoformat(self.until)


class NotTaken(msgspec.Struct, frozen=True):
    """A push of somebody else that changed the work and was not taken: the login or the author, and the time."""

    by: str
    time: str


def times_of(state: State | Later | NotTaken | None) -> list[str]:
    """Return every time in a state."""
    return [getattr(state, name) for name in _TIMES if hasattr(state, name)]


_TIMES = ("time", "until", "pushed", "after", "push", "deleted", "sent")
