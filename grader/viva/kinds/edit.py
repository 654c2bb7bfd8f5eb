"""What would come out if one of their lines were another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from grader.submissions.submission import Block
from grader.viva.kinds.value import call_text, calls
from grader.viva.question import Question, differ, entries, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.viva.question import Asking
    from grader.viva.work import Edit, Run, Statement


class EditQuestion(Question, frozen=True, kw_only=True):
    """What comes out if one line is changed. `edit` is a kind of edit of inside/lines.py.

    `asked` is what is read afterwards, `was` its value without the change. `call` is what is called in the place of a
    graph.
    """

    kind: ClassVar[str] = "edit"
    level: ClassVar[int] = 3

    edit: str
    place: str
    function: str
    old: str
    new: str
    asked: str
    was: str
    way: str = ""
    call: str = ""
    forward: bool = False  # True for a value of the forward pass

    @property
    def key(self) -> str:
        """The edit and the line."""
        return f"{self.edit} {self.old}"

    @property
    def shows(self) -> tuple[str, ...]:
        """The line that is changed."""
        return (self.old,)


MOST = 9  # edits that are tried
LAST = {"other sign", "compares"}  # the kinds that say least about going back


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a number that an edit changes: a gradient of the graph, its root, or the result of a function."""
    if asking.plan is None:
        yield from _of_calls(asking)
        return
    if asking.run is None:
        return
    plan, run = asking.plan, asking.run
    for statement, edit in _edits(asking):
        sources = asking.work.edited(statement, edit)
        other = asking.work.run(plan, sources) if sources else None
        if other is None or other.way != run.way:
            continue
        changed = _changed(asking, run, other)
        for asked, was, number in asking.sample(changed, 1):
            yield _question(asking, statement, edit, sources or [], asked, was, number, way=run.way)


def _of_calls(asking: Asking) -> Iterator[Question]:
    for name, args in calls(asking):
        was = asking.work.called(name, args)
        own = [pair for pair in _edits(asking) if pair[0].function.partition(".")[0] == name]
        for statement, edit in own if was is not None else ():
            sources = asking.work.edited(statement, edit)
            number = asking.work.called(name, args, sources) if sources else None
            if number is not None and type(number) is type(was) and number != was:
                call = call_text(name, args)
                yield _question(asking, statement, edit, sources or [], call, was, number, call=call)


def _edits(asking: Asking) -> list[tuple[Statement, Edit]]:
    """Return some edits at random, those of the graph's operations and of the walk before others."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    steps = asking.plan.steps if asking.plan else ()

    def rank(pair: tuple[Statement, Edit]) -> tuple[bool, bool]:
        statement, edit = pair
        special = any(part.startswith("__") for part in statement.function.split("."))
        return special and not any(statement.is_of(step.op) for step in steps), edit.kind in LAST

    return sorted(asking.sample(pairs, len(pairs)), key=rank)[:MOST]


def _changed(asking: Asking, run: Run, other: Run) -> list[tuple[str, float, float]]:
    """Return what an edit changes of the leaves' gradients, or else of the root: expression, number without it and with it."""
    assert asking.plan is not None
    grads = {
        f"{name}.{asking.grad}": (run.grads.get(name), other.grads.get(name)) for name in asking.plan.leaves
    }
    root = asking.plan.root
    found = [one for name, pair in grads.items() for one in _differing(name, *pair)]
    return found or [*_differing(f"{root}.{asking.data}", run.data.get(root), other.data.get(root))]


def _differing(name: str, was: Any, now: Any) -> Iterator[tuple[str, float, float]]:
    for (expression, x), (same, y) in zip(entries(name, was), entries(name, now), strict=False):
        if expression == same and differ(x, y):
            yield expression, x, y


def _question(  # noqa: PLR0917  a question is made of all of it
    asking: Asking,
    statement: Statement,
    edit: Edit,
    sources: list[str],
    asked: str,
    was: Any,
    number: Any,
    *,
    way: str = "",
    call: str = "",
) -> Question:
    return EditQuestion(
        edit=edit.kind,
        place=asking.work.place(statement._replace(line=edit.line)),
        old=asking.work.sources[statement.block].line(edit.line),
        new=Block("", None, 1, sources[statement.block]).line(edit.line),
        function=statement.function,
        asked=asked,
        forward=asked.endswith(f".{asking.data}"),
        was=written(was),
        answer=written(number),
        way=way,
        call=call,
    )
