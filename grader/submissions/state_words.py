"""States of a student's work in words: a label for lists, a reason for the student, a reason for the instructor."""

from __future__ import annotations

import datetime as dt
from functools import singledispatch
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from grader.console import count_noun
from grader.errors import first_of
from grader.report import quote
from grader.submissions.states import (
    NOT_WORKED,
    Elsewhere,
    Empty,
    InWork,
    NoAccess,
    NoBranch,
    NoFile,
    NoRepository,
    OtherBranch,
    PushedNothing,
    Renamed,
    TooLate,
    Unclear,
    Unreached,
    Unreadable,
    Untouched,
)
from grader.submissions.tree import DEEPEST

if TYPE_CHECKING:
    from grader.submissions.states import Later, NotTaken, State

MOST_OTHERS = 5  # named branches, if none of them counts
SHOWN = 60  # characters of a branch's name
LABELS: dict[type, str] = {
    InWork: "handed in",
    Untouched: "untouched",
    PushedNothing: "pushed nothing",
    Unreadable: "unreadable",
    Renamed: "renamed",
    Unclear: "several files",
    NoFile: "no file",
    OtherBranch: "on another branch",
    TooLate: "too late",
    NoBranch: "no branch",
    Empty: "empty repository",
    Elsewhere: "in another's repository",
    NoAccess: "without access",
    NoRepository: "no repository",
    Unreached: "not reached",
}


def label(state: State) -> str:
    """Return a state in a few words, for lists and tables."""
    return LABELS[type(state)]


def when(moment: dt.datetime) -> str:
    """Return a time as `2026-12-01 23:59 UTC`."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def _at(time: str) -> str:
    return when(dt.datetime.fromisoformat(time))


def _exactly(time: str) -> str:
    """Return a time to the second, to compare it with other pushes."""
    return f"{dt.datetime.fromisoformat(time).astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"


# --- Untouched work, and pushes that came too late


def untouched_words(state: State) -> str:
    """Return a sentence for a student who changed no graded part; "" for other states."""
    if isinstance(state, PushedNothing):
        return (
            f"Nothing was pushed to `{state.repository}` since it was created, so the notebook is unchanged."
        )
    if isinstance(state, Untouched):
        return "Nothing that is graded was changed in the notebook."
    return ""


def span(by: dt.timedelta) -> str:
    """Return a length of time in words.

    >>> span(dt.timedelta(days=2, hours=3, minutes=5)), span(dt.timedelta(seconds=30))
    ('2 days 3 hours', '30 seconds')
    """
    seconds = max(1, int(by.total_seconds()))
    counts = (seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60)
    first = next((place for place, count in enumerate(counts) if count), None)
    if first is None:
        return count_noun(seconds, "second")
    units = zip(counts, ("day", "hour", "minute"), strict=True)
    return " ".join(count_noun(count, unit) for count, unit in [*units][first : first + 2] if count)


def later_words(later: Later, state: State) -> str:
    """Return a sentence for the student about a push that came too late; `state` is the state of the earlier work."""
    work = "Work" if isinstance(state, NOT_WORKED) else "Other work"
    came = "pushed" if later.verified else "committed"
    doubt = "" if later.verified else ", according to the commit's own date"
    return (
        f"{work} was {came} {_at(later.time)}{doubt}, {span(later.by)} too late: "
        f"only work from before {_at(later.until)} counts."
    )


def not_taken_words(push: NotTaken) -> str:
    """Return a sentence for the student about a push or a commit by someone else."""
    what = f"push by {push.by} on" if push.verified else f"commit with the author {push.by} and the date"
    return f"A {what} {_at(push.time)} changed the work and does not count."


def later_brief(later: Later, state: State) -> str:
    """Return the same in a few words, for the instructor."""
    came = "pushed" if later.verified else "committed"
    again = "" if isinstance(state, NOT_WORKED) else " again"
    return f"{came}{again} {_at(later.time)}, {span(later.by)} too late"


def state_brief(state: State, later: Later | None) -> list[str]:
    """Return an untouched state, and a push that came too late, in a few words each."""
    notes = [label(state)] if isinstance(state, NOT_WORKED) else []
    return [*notes, *([later_brief(later, state)] if later else [])]


# --- Why there is nothing to grade


def reason(state: State) -> str:
    """Return the reason why there is no work to grade or why it earns nothing, with the remedy; "" for work.

    It begins with a small letter and has no full stop.
    """
    return "; ".join(filter(None, [_cause(state), remedy(state)]))


def reason_for_student(state: State, *, counts: bool) -> str:
    """Return the reason for the student, with the remedy if work still `counts` and students can apply it."""
    return reason(state) if counts and not isinstance(state, FOR_INSTRUCTORS) else _cause(state)


@singledispatch
def _cause(state: State) -> str:
    """Return the reason without the remedy."""
    return _FACTS[type(state)].format_map(asdict(state))


_FACTS: dict[type, str] = {
    InWork: "",
    Untouched: "nothing that is graded was changed in the notebook",
    PushedNothing: "{who} pushed nothing to {repository} since it was created",
    Unreadable: "{why}",
    Unreached: "{why}",
    Empty: "the repository is empty: nothing was pushed",
}


@_cause.register
def _(state: Renamed) -> str:
    return f"{quote(state.untouched)} is unchanged, and {quote(state.other)} is ignored"


@_cause.register
def _(state: Unclear) -> str:
    more = f" and {len(state.files) - 2} more" if len(state.files) > 2 else ""
    both = f"{quote(state.files[0])} and {quote(state.files[1])}{more}"
    if state.named:
        return f"it is unclear which of {both} counts"
    return f"there is no {state.name}, but there are {both}"


@_cause.register
def _(state: NoFile) -> str:
    missing = f"there is no {state.name}"
    if state.why:
        return state.why
    if state.archive:
        return f"{missing}; {quote(state.archive)} is an archive, and archives are not opened"
    return (
        f"{missing} in the first {DEEPEST} levels of folders, and deeper levels are not searched"
        if state.deep
        else missing
    )


@_cause.register
def _(state: OtherBranch) -> str:
    into = quote(state.counts, SHOWN)
    others = f" and {len(state.branches) - 1} more" if len(state.branches) > 1 else ""
    found = (
        f"the work is on the branch {quote(state.branches[0], SHOWN)}{others} (pushed {_at(state.pushed)})"
    )
    if state.after:
        return f"{found}; {into} was pushed to afterwards, {_at(state.after)}, too late to count"
    return f"{found}, and only {into} counts"


@_cause.register
def _(state: TooLate) -> str:
    until = _exactly(state.until)
    if not state.push:
        return f"nothing was committed by {until}, according to the commits' own dates"
    return f"GitHub shows no push by {until} to a branch that still exists; the first push to the default branch was on {_exactly(state.push)}"


@_cause.register
def _(state: NoBranch) -> str:
    if state.deleted:
        return f"the branch `{state.branch}` was deleted on {_exactly(state.deleted)}"
    return (
        f"the default branch `{state.branch}` was first pushed on {_exactly(state.pushed)}, after "
        f"{_exactly(state.until)}, and several others existed before it ({first_of(state.others, MOST_OTHERS)})"
    )


@_cause.register
def _(state: Elsewhere) -> str:
    return f"{state.login} pushed no work to {state.repository}, but pushed to {state.theirs}, {_at(state.pushed)}"


@_cause.register
def _(state: NoAccess) -> str:
    if not state.sent:
        return f"{state.login} cannot push to {state.repository}, and no invitation is open"
    sent = _at(state.sent)
    if state.expired:
        return f"the invitation of {state.login} to {state.repository}, sent {sent}, has expired"
    return f"{state.login} has not accepted the invitation to {state.repository}, sent {sent}"


@_cause.register
def _(state: NoRepository) -> str:
    if not state.repository:
        return "the roster has neither a repository nor a GitHub username"
    return f"there is no repository {state.repository}, or the token cannot see it"


# --- Remedies


FOR_INSTRUCTORS = (NoBranch, Elsewhere, NoAccess, NoRepository, Unreached)  # states that only they can repair


@singledispatch
def remedy(state: State) -> str:
    """Return the remedy, as long as work counts; "" if there is none or the reason says it."""
    return _REMEDIES.get(type(state), "").format_map(asdict(state))


_REMEDIES: dict[type, str] = {
    Unreadable: "{remedy}",
    Renamed: "rename the notebook with the work to {name}",
    Elsewhere: "if {student} may work there, make a team of both students (docs/grading.md, Teams)",
}


@remedy.register
def _(state: Unclear) -> str:
    return (
        "keep only the one that should count"
        if state.named
        else f"rename the one with the work to `{state.name.removesuffix('.ipynb')}`, and keep its ending (.ipynb or .py)"
    )


@remedy.register
def _(state: NoFile) -> str:
    if state.why:
        return state.remedy
    if state.archive:
        return "hand in the notebook itself"
    return f"hand in the notebook under this name{' in the top folder' if state.deep else ''}"


@remedy.register
def _(state: OtherBranch) -> str:
    into = quote(state.counts, SHOWN)
    by = f" by {_at(state.until)}" if state.until else ""
    return (
        ""
        if state.after
        else f"open a pull request from {quote(state.branches[0], SHOWN)} into {into} and merge it{by}"
    )


@remedy.register
def _(state: NoBranch) -> str:
    return "" if state.deleted else "make the one with the work the default branch and collect again"


@remedy.register
def _(state: NoAccess) -> str:
    if not state.sent:
        return "`grade open` sends an invitation"
    return (
        "`grade open` sends another" if state.expired else "remind them: an invitation expires after a week"
    )


# --- For the instructor


def why_no_result(state: State) -> str:
    """Return the reason why a student has no result, with the remedy."""
    if isinstance(state, NoRepository):
        return (
            f"{reason(state)}; run `grade open` for a late joiner, or correct the roster or the token's rights, and collect "
            "again"
        )
    is_remote = isinstance(state, Unreached) and state.repository
    return reason(state) + ("; correct this, and collect again" if is_remote else "")
