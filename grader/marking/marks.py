"""Marks in the results file: overrides of the kinds points, comment and request, with the hash of the marked answer.

Rows are only added (store.py), so `record: branch` or a table can merge the marks of two markers. If both mark the same
answer differently at the same time, neither mark counts, and the answer is listed again.

Equal answers form one group, which is marked once. Nearly equal answers are proposed; only the marker merges them.
"""

from __future__ import annotations

import functools
import hashlib
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from grader.gradebook.in_force import Override, contradict, last_about
from grader.gradebook.store import now
from grader.gradebook.table import GRADED
from grader.render.words import points_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.gradebook.in_force import Kind
    from grader.marking.answers import ManualAnswer

MarkState = Literal["conflict", "request", "changed", "new", "marked"]  # the first that fits
STATES: dict[MarkState, str] = {
    "conflict": "conflicting marks",
    "request": "regrade requested",
    "changed": "changed after marking",
    "new": "to mark",
    "marked": "marked",
}
KINDS: tuple[Kind, ...] = ("points", "comment", "request")
NEAR = 0.8  # least share of words that two nearly equal answers have in common, in the same order
SHOWN = 3  # nearly equal answers that are proposed


class GivenMark(msgspec.Struct, frozen=True):
    """A mark: points, the items of the rubric that apply, and a comment, which may be empty."""

    points: float
    items: tuple[str, ...] = ()
    comment: str = ""


class AnswerMark(msgspec.Struct, frozen=True):
    """An answer with its mark. Each override is the last of its kind, even if it was undone.

    `seen` are the ids of all overrides that count for the answer or contradict each other.
    """

    answer: ManualAnswer
    points: Override | None
    comment: Override | None
    request: Override | None
    state: MarkState
    seen: tuple[str, ...]

    @property
    def given(self) -> GivenMark | None:
        """The mark in force; None without one."""
        if self.points is None or self.points.withdrawn or self.state == "conflict":
            return None
        said = self.comment.why if self.comment and not self.comment.withdrawn else ""
        return GivenMark(self.points.points or 0.0, self.points.items, said)


def marks_of(answers: Iterable[ManualAnswer], overrides: Iterable[Override]) -> list[AnswerMark]:
    """Return the marks of answers, in their order, by all overrides of the assignment."""
    last = {about[1:]: some for about, some in last_about(overrides).items()}
    return [
        _mark_of(one, [last.get((kind, one.student, one.check), []) for kind in KINDS]) for one in answers
    ]


def _mark_of(answer: ManualAnswer, every: Sequence[Sequence[Override]]) -> AnswerMark:
    points, comment, request = (some[-1] if some else None for some in every)
    given = points if points and not points.withdrawn else None
    facts: dict[MarkState, bool] = {
        "conflict": any(contradict(some[0], one) for some in every for one in some),
        "request": request is not None and not request.withdrawn,
        "changed": given is not None and given.answer not in ("", answer.sha256),
        "new": given is None,
        "marked": True,
    }
    state = next(state for state in STATES if facts[state])
    return AnswerMark(
        answer, points, comment, request, state, tuple(one.uid for some in every for one in some)
    )


# --- Groups


class AnswerGroup(msgspec.Struct, frozen=True):
    """Answers to a check that get the same mark, with their current marks."""

    key: str
    marks: tuple[AnswerMark, ...]

    @property
    def first(self) -> ManualAnswer:
        """The answer that the page shows first."""
        return self.marks[0].answer

    @property
    def variants(self) -> list[ManualAnswer]:
        """One answer of each content."""
        return list({one.answer.sha256: one.answer for one in reversed(self.marks)}.values())[::-1]

    @property
    def state(self) -> MarkState:
        """The state of the group: the first of STATES that one of its answers has."""
        return min((mark.state for mark in self.marks), key=[*STATES].index)

    @property
    def given(self) -> GivenMark | None:
        """The most frequent mark of its answers; marks of answers that changed later count only without others."""
        every = [(mark.state == "marked", mark.given) for mark in self.marks if mark.given]
        return max(every, key=lambda one: (one[0], every.count(one)))[1] if every else None

    @property
    def seen(self) -> list[str]:
        """The key of its answers and the ids of its overrides: a page that shows the group knows these."""
        members = (f"{mark.answer.student} {mark.answer.sha256}" for mark in self.marks)
        return [key_of(*members), *(uid for mark in self.marks for uid in mark.seen)]


def key_of(*parts: ManualAnswer | str) -> str:
    """Return the key of a group: a hash of an answer's check and content, and of further texts."""
    texts = [part if isinstance(part, str) else f"{part.check} {part.sha256}" for part in parts]
    return hashlib.sha256("\n".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]


def near(group: AnswerGroup, others: Sequence[AnswerGroup]) -> list[AnswerGroup]:
    """Return the groups whose first answer is nearly equal to the first of this group, the nearest first."""
    likeness = {one.key: _likeness(group.first.words, one.first.words) for one in others}
    found = sorted(others, key=lambda one: (-likeness[one.key], one.key))
    return [one for one in found if likeness[one.key] >= NEAR][:SHOWN]


@functools.lru_cache(maxsize=100_000)
def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    compared = SequenceMatcher(None, one, other, autojunk=False)
    if compared.real_quick_ratio() < NEAR or compared.quick_ratio() < NEAR:
        return 0.0
    return compared.ratio()


# --- New marks


def overrides_for(
    make: Override, mark: AnswerMark, given: GivenMark, rubric: Mapping[str, float]
) -> Iterator[Override]:
    """Yield the overrides for a new mark of an answer, which also closes an open request; `make` has day and author."""
    answer = mark.answer
    make = replace(make, student=answer.student, check=answer.check, answer=answer.sha256, at=now())
    words = "; ".join(f"{item} ({sign_points(rubric[item])})" for item in given.items)
    new = replace(make, why=words or GRADED, points=given.points, items=given.items)
    last = mark.points if mark.given else None
    if last is None or (last.points, last.items, last.answer) != (new.points, new.items, new.answer):
        yield new
    said = replace(make, kind="comment", why=given.comment)
    if given.comment and (mark.state == "conflict" or mark.comment is None or contradict(mark.comment, said)):
        yield said
    elif not given.comment and mark.comment is not None and not mark.comment.withdrawn:
        yield replace(said, why=mark.comment.why, withdrawn=True)
    if mark.request is not None and not mark.request.withdrawn:
        yield replace(mark.request, withdrawn=True, who=make.who, at=make.at)


def sign_points(points: float) -> str:
    """Return points with a sign."""
    return f"{'+' if points > 0 else '−'}{points_text(abs(points))}"
