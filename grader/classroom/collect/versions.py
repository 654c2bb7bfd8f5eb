"""The versions of a student's work that count: the last work on time, and the last late work.

A state is the content of a branch after a push, or at a commit if GitHub lists no push. Lateness belongs to work, not to a
push: work has the time of the first push after which the graded part of the submission stayed the same
(grader.submissions.handed_out). So a late push of outputs or notes costs nothing, nor does one that restores earlier work.
A push by an instructor or a bot that changes this part is ignored; a push by anybody else counts as the student's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

MOST_LATE = 200  # late states that are compared
MOST_EARLY = 100  # states before the due date that are searched for pushes by others: a page of GitHub's list


@dataclass(frozen=True)
class BranchState:
    """The state of a branch from `time` on; None if the time is unknown.

    `by` is the login of the person who pushed it; `own` is True if the push counts as the student's.
    """

    commit: str
    time: dt.datetime | None
    by: str = ""
    own: bool = True
    forced: bool = False

    @property
    def exists(self) -> bool:
        """False where the branch was deleted, which GitHub writes as zeros."""
        return self.commit.strip("0") != ""


@dataclass(frozen=True)
class Period:
    """The last moment at which work is on time, and the last at which it counts; None means no limit.

    With `best`, the last work on time is collected in addition to the last late work.
    """

    in_time: dt.datetime | None = None
    until: dt.datetime | None = None
    best: bool = True

    def is_in_time(self, time: dt.datetime | None) -> bool:
        """Return True for work that is not late; work of an unknown time counts as on time."""
        return self.in_time is None or time is None or time <= self.in_time

    def counts(self, time: dt.datetime | None) -> bool:
        """Return True for work that counts, on time or late."""
        return self.until is None or (time is not None and time <= self.until)


@dataclass(frozen=True)
class Content:
    """Hashes of the graded part of a submission, and of the assignments that it continues.

    `worked` is True if the student changed this part of the template's notebook.
    """

    files: tuple[str, ...]
    worked: bool


@dataclass(frozen=True)
class Choice:
    """The states to collect, and the newest state that counts.

    `in_time` is the last work on time, if `last` is late and different. `refused` holds pushes by others that changed the
    work. `unchanged` means that the newest state is late and has the same work as `last`.
    """

    last: BranchState
    newest: BranchState
    in_time: BranchState | None = None
    refused: tuple[BranchState, ...] = ()
    unchanged: bool = False


def to_compare(states: Sequence[BranchState], period: Period) -> list[BranchState]:
    """Return the states for `choose` to compare, the oldest first. `states` holds all, the newest first.

    These are the late ones, and those on time from the newest back to the last one before any push by others.
    """
    counting = [state for state in states if period.counts(state.time)]
    late = [state for state in counting if not period.is_in_time(state.time)]
    early = [state for state in counting if period.is_in_time(state.time)]
    others = [number for number, state in enumerate(early) if not state.own]
    return [*late[:MOST_LATE], *early[: others[-1] + 2 if others else 1]][::-1]


def choose(states: Sequence[BranchState], period: Period, contents: Mapping[str, Content]) -> Choice:
    """Choose among states, the oldest first; the first one counts as the student's.

    `contents` are the submissions by commit.
    """
    own, before = states[0], contents[states[0].commit]
    in_time: BranchState | None = None
    bringer = {before: own}  # the push that brought each content: every late one, and the last one on time
    refused = []
    for state in states:
        content, is_in_time = contents[state.commit], period.is_in_time(state.time)
        if content != before and not state.own:
            refused.append(state)
        elif content != before:
            own = state if is_in_time else bringer.setdefault(content, state)
        before = content
        if is_in_time:
            in_time, bringer = own, {contents[own.commit]: own}
    newest = states[-1]
    is_late = not period.is_in_time(newest.time)
    unchanged = is_late and newest != own and before == contents[own.commit]
    return _two(Choice(own, newest, in_time, tuple(refused), unchanged), period, contents)


def _two(choice: Choice, period: Period, contents: Mapping[str, Content]) -> Choice:
    """Drop one of the two versions if both are the same, or if it holds no work."""
    last, in_time = choice.last, choice.in_time
    if not period.best or in_time is None or in_time == last or not contents[in_time.commit].worked:
        in_time = None
    elif not contents[last.commit].worked:
        last, in_time = in_time, None
    return replace(choice, last=last, in_time=in_time)
