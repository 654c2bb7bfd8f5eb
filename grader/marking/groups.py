"""Equal answers are one group, which is marked once; nearly equal ones are proposed, and nobody merges them unasked."""

from __future__ import annotations

import functools
import hashlib
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import msgspec

from grader.marking.marks import STATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.marking.answers import ManualAnswer
    from grader.marking.marks import AnswerMark, GivenMark, MarkState

NEAR = 0.8  # of all words of two answers are the same and in the same order
SHOWN = 3  # answers that are proposed


class AnswerGroup(msgspec.Struct, frozen=True):
    """Answers to a check that get the same mark, with the marks that they have."""

    key: str
    marks: tuple[AnswerMark, ...]

    @property
    def first(self) -> ManualAnswer:
        """The answer that is shown first."""
        return self.marks[0].answer

    @property
    def variants(self) -> list[ManualAnswer]:
        """One of the answers for each that differs."""
        return list({one.answer.sha256: one.answer for one in reversed(self.marks)}.values())[::-1]

    @property
    def state(self) -> MarkState:
        """The state of the group: the first in order that one of its answers has."""
        return min((mark.state for mark in self.marks), key=[*STATES].index)

    @property
    def given(self) -> GivenMark | None:
        """The mark that its answers have, the most frequent one; that of an answer before it changed if there is no other."""
        every = [(mark.state == "marked", mark.given) for mark in self.marks if mark.given]
        return max(every, key=lambda one: (one[0], every.count(one)))[1] if every else None

    @property
    def seen(self) -> list[str]:
        """The ids of its overrides, and the key of its answers: what a page knows that shows it."""
        members = (f"{mark.answer.student} {mark.answer.sha256}" for mark in self.marks)
        return [key_of(*members), *(uid for mark in self.marks for uid in mark.seen)]


def in_share(answer: ManualAnswer, number: int, of: int) -> bool:
    """Return True if an answer is in share `number` of `of`; equal ones are in the same, whoever else hands in."""
    return int(key_of(answer), 16) % of == number - 1


def key_of(*parts: ManualAnswer | str) -> str:
    """Return the key of a group of answers like one, or of those of them that `parts` name."""
    texts = [part if isinstance(part, str) else f"{part.check} {part.sha256}" for part in parts]
    return hashlib.sha256("\n".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]


def near(group: AnswerGroup, others: Sequence[AnswerGroup]) -> list[AnswerGroup]:
    """Return the groups whose answers are nearly equal to the first of this one, the nearest first."""
    likeness = {one.key: _likeness(group.first.words, one.first.words) for one in others}
    found = sorted(others, key=lambda one: (-likeness[one.key], one.key))
    return [one for one in found if likeness[one.key] >= NEAR][:SHOWN]


@functools.lru_cache(maxsize=100_000)
def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    compared = SequenceMatcher(None, one, other, autojunk=False)
    if compared.real_quick_ratio() < NEAR or compared.quick_ratio() < NEAR:
        return 0.0
    return compared.ratio()
