"""Kinds of facts: typed structs that become the facts of a report, and come back from them.

A kind is declared once, as a subclass of `Kind`: its fields and its key. The words for it stand in the module `words` of
its room, and nothing reads them back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from grader.report import Fact, Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.report import Location


# The kinds of facts, the most exact first: a cause comes before the error that it explains.
ORDER = ("cause", "name", "error", "limit", "missing", "blank", "rule", "walk", "answer", "mistake")
READ_BACK = frozenset({"cause", "name", "rule", "walk"})  # kinds that a topic finds


class Kind(msgspec.Struct, frozen=True):
    """A kind of fact. The first field names what the fact is about: an operation, a function, an answer."""

    kind: ClassVar[str]

    @property
    def key(self) -> str:
        """A text that is equal for two students with the same fault: without labels, lines and numbers of a test."""
        raise NotImplementedError

    def fact(self, where: Location | None = None) -> Fact:
        """Return the fact for a report; fields with their defaults are left out."""
        defaults = {f.name: f.default for f in msgspec.structs.fields(type(self))}
        fields = [
            Field(name, _plain(value))
            for name, value in msgspec.structs.asdict(self).items()
            if value != defaults[name]
        ]
        return Fact(self.kind, self.key, fields, where)

    @classmethod
    def read(cls, fact: Fact) -> Self:
        """Return the typed struct of a fact of this kind. Raises msgspec.ValidationError for other fields."""
        return msgspec.convert({field.name: field.value for field in fact.fields}, cls, strict=False)

    @classmethod
    def all_in(cls, facts: Iterable[Fact]) -> Iterator[tuple[Self, Fact]]:
        """Yield the facts of this kind, typed and as they are."""
        for fact in facts:
            if fact.kind == cls.kind:
                yield cls.read(fact), fact


def _plain(value: Any) -> str | int | float | list[str]:
    if isinstance(value, tuple):
        return [str(item) for item in value]
    plain: str | int | float = int(value) if isinstance(value, bool) else value
    return plain


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts with the most exact first; of an unknown kind, last."""
    place = {kind: i for i, kind in enumerate(ORDER)}
    return sorted(facts, key=lambda fact: place.get(fact.kind, len(ORDER)))


def is_exact(facts: Iterable[Fact]) -> bool:
    """Return True if one of these facts says more than a known mistake, which has the same numbers.

    A symptom says less: an error, an object in place of a number, an input without a contribution.
    """
    return any(fact.kind in READ_BACK and not fact.get("symptom") for fact in facts)
