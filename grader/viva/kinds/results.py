"""Questions about functions, for a topic without an examination: their results, and their results after an edit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from grader.sandbox.proxy import Proxy
from grader.topic.questions import Question, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.topic.questions import Asking

MOST_ARGUMENTS = 3
MOST_EDITS = 9  # that are tried


class ResultQuestion(Question, frozen=True, kw_only=True):
    """The result of a call of a function of theirs."""

    kind: ClassVar[str] = "result"

    call: str

    @property
    def key(self) -> str:
        """The call."""
        return self.call


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for results of functions, called with small numbers."""
    for name, args in _calls(asking):
        result = _called(asking, name, args)
        if result is not None:
            yield ResultQuestion(call=_text(name, args), answer=written(result))


def ask_for_edits(asking: Asking) -> Iterator[Question]:
    """Ask for results that an edit changes."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    for name, args in _calls(asking):
        was = _called(asking, name, args)
        own = [pair for pair in pairs if pair[0].function.partition(".")[0] == name]
        for statement, edit in asking.sample(own, MOST_EDITS) if was is not None else ():
            sources = asking.work.edited(statement, edit)
            number = _called(asking, name, args, sources) if sources else None
            if number is not None and type(number) is type(was) and number != was:
                yield asking.change(statement, edit, _text(name, args), was, number, final=False)


def _calls(asking: Asking) -> list[tuple[str, tuple[int, ...]]]:
    """Return functions of their own with small numbers to call them with."""
    own = {one.function.partition(".")[0] for one in asking.statements}
    small = [number + 6 if asking.practice else number for number in (2, 3, 4, 5, 6, 7)]
    return [
        (name, tuple(asking.rng.sample(small, count)))
        for name, count in asking.work.functions()
        if name in own and 1 <= count <= MOST_ARGUMENTS
    ]


def _called(asking: Asking, name: str, args: Sequence[int], sources: list[str] | None = None) -> Any:
    """Return what a function returns for plain numbers, if that is a finite number or a text."""
    found = asking.work.attempt(sources, lambda student, _: getattr(student, name)(*args))
    plain = isinstance(found, int | float | str) and not isinstance(found, Proxy | bool)
    return found if plain and (isinstance(found, str) or math.isfinite(found)) else None


def _text(name: str, args: Sequence[int]) -> str:
    return f"{name}({', '.join(map(str, args))})"
