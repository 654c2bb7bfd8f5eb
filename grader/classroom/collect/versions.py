"""The states of a student's branch that count: the last work in time, and the last late work.

A state is what the branch held after a push to GitHub, or with a commit of a plain remote. Late is the work,
not the push: the time of work is that of the first push after which the submission stayed as it is. So a push
that leaves the submission alone costs nothing, and neither does one that brings earlier work back. A push of an
instructor or a bot that changes the submission is not taken; anybody else counts as the student.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Mapping, Sequence

MOST_LATE = 200  # late states that are compared
MOST_EARLY = 100  # states in time that are looked through for pushes of others: a page of GitHub's list


@dataclass(frozen=True)
class State:
    """The state of a branch from `time` on; None is a time that nobody knows.

    `by` pushed it; with `own` that counts as the student.
    """

    commit: str
    time: dt.datetime | None
    by: str = ""
    own: bool = True
    forced: bool = False


@dataclass(frozen=True)
class Period:
    """Until when work is in time, and until when it counts at all; None stands for ever.

    With `best` the last work in time is taken beside the last late work.
    """

    in_time: dt.datetime | None = None
    until: dt.datetime | None = None
    best: bool = True

    def is_in_time(self, time: dt.datetime | None) -> bool:
        """Tell whether work of that time is not late; of an unknown time nobody can say that it is."""
        return self.in_time is None or time is None or time <= self.in_time

    def counts(self, time: dt.datetime | None) -> bool:
        """Tell whether work of that time counts, be it late."""
        return self.until is None or (time is not None and time <= self.until)


@dataclass(frozen=True)
class Content:
    """A submission by git's hashes, with what it continues; `worked`: it is there and not as it was handed out."""

    files: tuple[bytes, ...]
    worked: bool


@dataclass(frozen=True)
class Choice:
    """The states whose work is taken, and the newest one that counts.

    `in_time` is the last work in time, where `last` is late and other work. `refused` are the pushes of others
    that changed the work; with `unchanged` the newest is late, and its work is that of `last`.
    """

    last: State
    newest: State
    in_time: State | None = None
    refused: tuple[State, ...] = ()
    unchanged: bool = False


def is_somebody_else(names: Collection[str], instructors: Collection[str]) -> bool:
    """Tell whether a person of these names is an instructor, whose names are in lower case, or a bot."""
    return any(name.casefold() in instructors or name.endswith("[bot]") for name in names)


def to_compare(states: Sequence[State], period: Period) -> list[State]:
    """Return the states that have a say, the oldest first, from all states, the newest first.

    These are the late ones, and of those in time the newest, down to the one before any push of others.
    """
    counting = [state for state in states if period.counts(state.time)]
    late = [state for state in counting if not period.is_in_time(state.time)]
    early = [state for state in counting if period.is_in_time(state.time)]
    others = [number for number, state in enumerate(early) if not state.own]
    return [*late[:MOST_LATE], *early[: others[-1] + 2 if others else 1]][::-1]


def choose(states: Sequence[State], period: Period, contents: Mapping[str, Content]) -> Choice:
    """Choose among states, the oldest first, of which the first counts as the student's.

    `contents` has the submission of each commit.
    """
    own, before = states[0], contents[states[0].commit]
    in_time: State | None = None
    bringer = {before: own}  # the push that brought each late content; of what was in time only the last
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
    """Leave one version out where it is the other one, or holds no work."""
    last, in_time = choice.last, choice.in_time
    if not period.best or in_time is None or in_time == last or not contents[in_time.commit].worked:
        in_time = None
    elif not contents[last.commit].worked:
        last, in_time = in_time, None
    return replace(choice, last=last, in_time=in_time)
