"""The states of a student's work: handed in, or the reason why not; each with the fields that its sentences need.

    handed_in        there is work to grade
    untouched        the notebook has the code that the student got
    pushed_nothing   the same, and nothing was pushed since the repository was created
    unreadable       there is a file, but it cannot be graded
    renamed          the notebook is untouched, and another notebook is ignored
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

The first three are graded. `unreadable` to `empty` give 0 points. `elsewhere` and `no_access` give no result, and an
earlier result is dropped. With `missing` and `unreached`, the work is unknown, so an earlier result stays.

state_words.py puts states into sentences, which nothing parses.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, TypeAlias

import msgspec


class _State(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A state; all times are UTC in ISO 8601, "" if unknown."""

    @property
    def kind(self) -> str:
        """The name of the state, as in the results file."""
        return str(type(self).__struct_config__.tag)


class InWork(_State, frozen=True, tag="handed_in"):
    """There is work to grade."""


class Untouched(_State, frozen=True, tag="untouched"):
    """The notebook has the code that the student got."""


class PushedNothing(_State, frozen=True, tag="pushed_nothing"):
    """The notebook is untouched, and `who` pushed nothing to the repository since it was created."""

    who: str
    repository: str


class Unreadable(_State, frozen=True, tag="unreadable"):
    """There is a file, but it cannot be graded; `why` tells the student the reason, `remedy` what to do."""

    why: str
    remedy: str = ""


class Renamed(_State, frozen=True, tag="renamed"):
    """The notebook at the path `untouched` is as it was handed out, and the one at `other` is ignored.

    >>> msgspec.json.encode(Renamed("day2.ipynb", "day2 (1).ipynb", "day2.ipynb")).decode()
    '{"kind":"renamed","untouched":"day2.ipynb","other":"day2 (1).ipynb","name":"day2.ipynb"}'
    """

    untouched: str
    other: str
    name: str  # the name that counts


class Unclear(_State, frozen=True, tag="unclear"):
    """Several different `files`; `named` if their names are the one that counts or similar."""

    files: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)]
    name: str
    named: bool


class NoFile(_State, frozen=True, tag="no_file"):
    """There is no file `name`; `archive` is a file that is not opened, `deep` is set if some folders were not searched.

    `why` and `remedy` replace the usual sentences, for example if a text was handed in.
    """

    name: str
    archive: str = ""
    deep: bool = False
    why: str = ""
    remedy: str = ""


class OtherBranch(_State, frozen=True, tag="other_branch"):
    """The work is on `branches`, the newest first, and not on the branch `counts`.

    `pushed` is the time of the newest push to them. Work counts until `until`. `after` is the time of a later push to the
    branch that counts, which was too late.
    """

    branches: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    counts: str
    pushed: str
    until: str = ""
    after: str = ""


class TooLate(_State, frozen=True, tag="too_late"):
    """Work counted until `until`, and the first `push` came later; "" if only the commits' own dates are known."""

    until: str
    push: str = ""


class NoBranch(_State, frozen=True, tag="no_branch"):
    """The branch was `deleted`; or it was first `pushed` after `until`, when several `others` existed already."""

    branch: str
    deleted: str = ""
    pushed: str = ""
    until: str = ""
    others: tuple[str, ...] = ()


class Empty(_State, frozen=True, tag="empty"):
    """An empty repository."""


class Elsewhere(_State, frozen=True, tag="elsewhere"):
    """`login` pushed nothing to their own `repository`, but pushed to `theirs`, a classmate's, at `pushed`."""

    student: str
    login: str
    repository: str
    theirs: str
    pushed: str


class NoAccess(_State, frozen=True, tag="no_access"):
    """`login` may not push to the `repository`; `sent` is the time of the invitation, "" without one."""

    login: str
    repository: str
    sent: str = ""
    expired: bool = False


class NoRepository(_State, frozen=True, tag="missing"):
    """There is no `repository`, or the token cannot see it; "" if the roster names none."""

    repository: str = ""


class Unreached(_State, frozen=True, tag="unreached"):
    """The work could not be read; `why` has the reason and the place. `repository` is set if GitHub or git failed."""

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
NO_RESULT = (Elsewhere, NoAccess)  # an earlier result is dropped
UNKNOWN = (NoRepository, Unreached)  # an earlier result stays


class Later(msgspec.Struct, frozen=True, omit_defaults=True):
    """A push of other work that came too late: its `time` and commit; work counted until `until`.

    Both times are UTC in ISO 8601. The time is `verified` if only the platform can have set it.
    """

    time: str
    until: str
    commit: str = ""
    verified: bool = True

    @property
    def by(self) -> dt.timedelta:
        """The time by which it was too late."""
        return dt.datetime.fromisoformat(self.time) - dt.datetime.fromisoformat(self.until)


class NotTaken(msgspec.Struct, frozen=True):
    """A push by someone else that changed the work and does not count; a commit by its own account if not `verified`.

    `by` is the login or the commit's author.
    """

    by: str
    time: str
    verified: bool = True


def times_of(state: State | Later | NotTaken | None) -> list[str]:
    """Return every time in a state."""
    return [getattr(state, name) for name in _TIMES if hasattr(state, name)]


_TIMES = ("time", "until", "pushed", "after", "push", "deleted", "sent")
