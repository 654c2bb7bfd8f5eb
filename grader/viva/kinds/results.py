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
WORDS = ("banana", "level", "to be or not", "Anna")


class ResultQuestion(Question, frozen=True, kw_only=True):
    """The result of a call of a function of theirs."""

    kind: ClassVar[str] = "result"

    call: str

    @property
    def key(self) -> str:
        """The call."""
        return self.call


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for results of functions, called with small numbers, a list of them or a text."""
    for name, args, result in _calls(asking):
        yield ResultQuestion(call=_text(name, args), answer=written(result))


def ask_for_edits(asking: Asking) -> Iterator[Question]:
    """Ask for results that an edit changes."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    for name, args, was in _calls(asking):
        own = [pair for pair in pairs if pair[0].function.partition(".")[0] == name]
        for statement, edit in asking.sample(own, MOST_EDITS):
            sources = asking.work.edited(statement, edit)
            now = _called(asking, name, args, sources) if sources else None
            if now is not None and type(now) is type(was) and now != was:
                yield asking.change(statement, edit, _text(name, args), was, now, final=False)


def _calls(asking: Asking) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Yield functions of their own, with the first of our arguments for which they return a result, and the result."""
    own = {one.function.partition(".")[0] for one in asking.statements}
    small = [number + 6 if asking.practice else number for number in (2, 3, 4, 5, 6, 7)]
    for name, count in asking.work.functions():
        if name not in own or not 1 <= count <= MOST_ARGUMENTS:
            continue
        numbers = asking.rng.sample(small, count)
        firsts = numbers[0], asking.rng.sample(small, 4), asking.rng.choice(WORDS)
        for args in ((first, *numbers[1:]) for first in firsts):
            if (result := _called(asking, name, args)) is not None:
                yield name, args, result
                break


def _called(asking: Asking, name: str, args: Sequence[Any], sources: list[str] | None = None) -> Any:
    """Return what a function returns for these arguments, if that is a finite number or a text."""
    found = asking.work.attempt(sources, lambda student, _: getattr(student, name)(*args))
    plain = isinstance(found, int | float | str) and not isinstance(found, Proxy | bool)
    return found if plain and (isinstance(found, str) or math.isfinite(found)) else None


def _text(name: str, args: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(repr, args))})"
