"""Overrides, and those that are in force: no other override replaces them.

An override replaces those about the same thing that were known when it was made. Two that do not know each other come from
two people; if they contradict each other, neither counts.

>>> first = Override("day2", "points", "half", "Ada", "cy", "box", 5, uid="1")
>>> second = Override("day2", "points", "all", "Ada", "cy", "box", 10, uid="2", replaces="1")
>>> Overrides.of([first, second]).points["cy", "box"].points
10
>>> Overrides.of([first, msgspec.structs.replace(second, replaces="")]).points
{}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Kind = Literal["points", "comment", "void", "excuse", "forget", "final", "request"]  # of an override
Points = Annotated[float, Meta(ge=0, le=1_000_000)]


class Override(msgspec.Struct, frozen=True):
    """An instructor's change of a grade.

    Its kinds: points for a student's check, a comment on it, a void check, an excused student, a dropped result, final
    grades, and a request to regrade a check. `why` is the reason, or the text of a comment or a request. `answer` is the
    hash of the answer that `grade mark` showed, `items` are the items of the rubric that apply, `until` is the date until
    which a request wants an answer.
    """

    assignment: str
    kind: Kind
    why: str
    who: str
    student: str = ""
    check: str = ""
    points: Points | None = None
    withdrawn: bool = False
    at: str = ""
    uid: str = ""
    replaces: str = ""  # the ids of the overrides that it replaces
    answer: str = ""
    items: tuple[str, ...] = ()
    until: str = ""

    @property
    def about(self) -> tuple[str, str, str, str]:
        """Assignment, kind, student and check: the newest override about the same counts."""
        return self.assignment, self.kind, self.student, self.check


@dataclass(frozen=True)
class Overrides:
    """The overrides in force: not replaced and not undone.

    `conflicts` has those of which none counts, because two people decided the same thing differently at the same time.
    """

    points: Mapping[tuple[str, str], Override]
    comments: Mapping[tuple[str, str], Override]
    void: Mapping[str, Override]
    excused: Mapping[str, Override]
    dropped: Mapping[str, Override]
    final: bool
    conflicts: Sequence[Sequence[Override]]

    @classmethod
    def of(cls, overrides: Iterable[Override]) -> Overrides:
        """Choose among all overrides of an assignment, the oldest first."""
        last = last_about(every := list(overrides)).values()
        conflicts = conflicts_of(every)
        counting = [some[-1] for some in last if some not in conflicts and not some[-1].withdrawn]
        return cls(
            points={(d.student, d.check): d for d in counting if d.kind == "points"},
            comments={(d.student, d.check): d for d in counting if d.kind == "comment"},
            void={d.check: d for d in counting if d.kind == "void"},
            excused={d.student: d for d in counting if d.kind == "excuse"},
            dropped={d.student: d for d in counting if d.kind == "forget"},
            final=any(d.kind == "final" for d in counting),
            conflicts=conflicts,
        )


def conflicts_of(overrides: Iterable[Override]) -> list[list[Override]]:
    """Return the overrides of which none counts: two people decided the same thing differently at the same time."""
    last = last_about(overrides).values()
    return [some for some in last if any(contradict(some[0], one) for one in some)]


def last_about(overrides: Iterable[Override]) -> dict[tuple[str, ...], list[Override]]:
    """Return the overrides that no other one replaces, by what they are about: several if two people made one at once."""
    every = list(overrides)
    replaced = {uid for one in every for uid in one.replaces.split()}
    last: dict[tuple[str, ...], list[Override]] = {}
    for one in every:
        if one.uid not in replaced:
            last.setdefault(one.about, []).append(one)
    return last


def contradict(one: Override, other: Override) -> bool:
    """Return True if two overrides about the same thing leave the student with another grade or comment."""
    if (one.points, one.withdrawn) != (other.points, other.withdrawn):
        return True
    return one.kind == "comment" and one.why != other.why
