"""The trace of a check as a table: every step of the student's code next to the same step done right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grader.render.escape import escape_line
from grader.render.layout import short_number, shorten, text_width, wrap
from grader.report import with_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.report import CheckResult, Trace, TraceInput, TraceNode, TraceStep

STUDENT, RIGHT = "your code", "a right walk"
NO_CHANGE = "no change"
MOST = 16  # steps; a longer walk is cut to those around the first difference
BEFORE, AFTER = 3, 2  # steps around the first difference
MOST_GIVEN = 12  # lines of the numbers at the end
LEAST_LEFT = 12  # columns for the names of steps
INDENT = "    "
_NOTHING = (None, 0.0, "None")  # slopes before anything has arrived
_BINARY = ("+", "-", "*", "/", "**")
_BOLD, _WRONG, _GOOD = "1", "31", "32"


class _WalkLine(NamedTuple):
    """One line of the table.

    `name` is a step, or the number that it changed; `student` and `right` are the numbers in the two walks. `step`
    is the number of the step, from 1, on its first line and 0 on the others. `wrong` marks the first difference.
    A line without a name is blank.
    """

    name: str = ""
    student: str = ""
    right: str = ""
    step: int = 0
    wrong: bool = False


HEAD = _WalkLine("step", STUDENT, RIGHT)

# --- The lines


def walk_table(trace: Trace, *, whole: bool = True) -> list[_WalkLine]:
    """Return the lines of the table; without `whole`, a long walk is cut to the steps around the first difference.

    The last lines have the numbers at the end. There is only the column `student` if the walks do not differ, or if the
    right one must not be shown.
    """
    table, count = _Table(trace), _count(trace)
    start, end = (0, count) if whole else _window(count, trace.wrong)
    lines = [_WalkLine(_left_out(1, start))] if start else []
    for index in range(start, end):
        if index and index == table.forward:
            lines.append(_WalkLine())
        lines += table.step(index)
    lines += [_WalkLine(_left_out(end + 1, count))] if end < count else []
    return lines + table.end()


def has_two(trace: Trace) -> bool:
    """Return True if the table has a column for the right walk."""
    return trace.wrong is not None and bool(trace.right)


def is_cut(trace: Trace) -> bool:
    """Return True if the table leaves out steps unless it is `whole`."""
    return _count(trace) > MOST


def _count(trace: Trace) -> int:
    """Return the number of steps of the longer walk, with the one that is missing."""
    others = [] if trace.wrong is None else [len(trace.right), trace.wrong + 1]
    return max([len(trace.student), *others])


def _window(count: int, wrong: int | None) -> tuple[int, int]:
    """Return the range of steps to show."""
    if count <= MOST:
        return 0, count
    if wrong is None:
        return count - MOST, count
    start = max(0, min(wrong, count - 1) - BEFORE)
    return start, min(count, max(wrong + 1 + AFTER, start + BEFORE + AFTER))


def _left_out(first: int, last: int) -> str:
    return f"... step {first}" if first == last else f"... steps {first} to {last}"


class _Moment(NamedTuple):
    """One step of a walk, and the known slopes before it."""

    step: TraceStep
    before: dict[int, float | str]

    @property
    def after(self) -> dict[int, float | str]:
        """The known slopes after it."""
        return self.before if self.step.kind == "forward" else self.before | dict(self.step.changes)

    def number(self, node: int) -> str:
        """Return the node's number after the step, with the one before a call that added to it."""
        changes, old = dict(self.step.changes), self.before.get(node)
        if node not in changes:
            return NO_CHANGE if old is None else f"stays {_text(old)}"
        new = _text(changes[node])
        return f"{_text(old)} → {new}" if self.step.kind == "call" and old not in _NOTHING else new


def _moments(walk: Iterable[TraceStep]) -> list[_Moment]:
    found = list[_Moment]()
    for step in walk:
        found.append(_Moment(step, found[-1].after if found else {}))
    return found


class _Table:
    """Makes the lines of a trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.forward = sum(step.kind == "forward" for step in trace.student)
        self.student = _moments(trace.student)
        self.right = _moments(() if trace.wrong is None else trace.right)

    def step(self, index: int) -> list[_WalkLine]:
        """Return the lines of one step of both walks."""
        student, right = _at(self.student, index), _at(self.right, index)
        wrong = index == self.trace.wrong
        if student and right and _about(student) != _about(right):
            lines = [*self._lines(student, None, STUDENT), *self._lines(None, right, RIGHT)]
        elif right and not student and wrong:
            lines = [_WalkLine(f"{STUDENT} stops"), *self._lines(None, right, RIGHT)]
        elif student and self.right and not right and wrong:
            lines = [*self._lines(student, None, STUDENT), _WalkLine(f"{RIGHT} has ended")]
        elif student or right:
            lines = self._lines(student, right)
        else:  # an error ended the walk, and no right one is shown
            lines = [_WalkLine(f"{STUDENT} stops")]
        differs = [wrong and (i == 0 or line.student != line.right) for i, line in enumerate(lines)]
        marked = [line._replace(wrong=mark) for line, mark in zip(lines, differs, strict=True)]
        return [marked[0]._replace(step=index + 1), *marked[1:]]

    def _lines(self, student: _Moment | None, right: _Moment | None, walk: str = "") -> list[_WalkLine]:
        """Return the lines of a step that both walks have, or only the `walk` that is named."""
        both = [moment for moment in (student, right) if moment]
        step = both[0].step
        name = f"{walk}: {self._name(step)}" if walk else self._name(step)
        changed = dict.fromkeys(node for moment in both for node, _ in moment.step.changes)

        def line(name: str, node: int) -> _WalkLine:
            return _WalkLine(
                name, student.number(node) if student else "", right.number(node) if right else ""
            )

        if not changed:
            return [_WalkLine(name, NO_CHANGE if student else "", NO_CHANGE if right else "")]
        if step.kind != "call" and list(changed) == [step.node]:
            return [line(name, step.node)]
        return [_WalkLine(name), *(line(f"  {self._slope(node)}", node) for node in changed)]

    def _name(self, step: TraceStep) -> str:
        if step.kind == "forward":
            return _node_text(self.trace.nodes, step.node)
        return f"{step.kind} {self._node(step.node) if step.kind == 'call' else self._slope(step.node)}"

    def _node(self, node: int) -> str:
        return self.trace.nodes[node].name if 0 <= node < len(self.trace.nodes) else "another object"

    def _slope(self, node: int) -> str:
        """Return the expression for a node's slope."""
        name = self._node(node)
        if not self.trace.field:
            return name
        return f"{name if name.isidentifier() else f'({name})'}.{self.trace.field}"

    def end(self) -> list[_WalkLine]:
        """Return the slopes of the given numbers at the end of both walks; no lines for a walk without slopes."""
        ours, theirs = (walk[-1].after if walk else {} for walk in (self.student, self.right))
        found = [
            _WalkLine(f"  {self._slope(i)}", _text(ours.get(i, NO_CHANGE)), _text(theirs.get(i, NO_CHANGE)))
            for i, node in enumerate(self.trace.nodes)
            if not node.inputs
        ]
        rest = [_WalkLine("  ...")] if len(found) > MOST_GIVEN else []
        return [_WalkLine(), _WalkLine("at the end"), *found[:MOST_GIVEN], *rest] if ours or theirs else []


def _at(walk: Sequence[_Moment], index: int) -> _Moment | None:
    return walk[index] if index < len(walk) else None


def _about(moment: _Moment) -> tuple[str, int]:
    return moment.step.kind, moment.step.node


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else short_number(value)


def _node_text(nodes: Sequence[TraceNode], index: int) -> str:
    """Return a node's name with the operation that made it: `d = a * b`; its expression if it has no name."""
    node = nodes[index]
    if not (node.op and node.name.isidentifier()):
        return node.name
    operands = [_operand(nodes, each) for each in node.inputs]
    if node.op in _BINARY and len(operands) == 2:
        return f"{node.name} = {operands[0]} {node.op} {operands[1]}"
    if node.op == "neg" and len(operands) == 1:
        return f"{node.name} = -{operands[0]}"
    return f"{node.name} = {node.op}({', '.join(operands)})"


def _operand(nodes: Sequence[TraceNode], each: TraceInput) -> str:
    name = _text(each.value) if each.node is None else nodes[each.node].name
    return f"({name})" if " " in name and not name.startswith("(") else name


# --- In a terminal


def walk_text(check: CheckResult, *, width: int = 80, colour: bool = False, whole: bool = False) -> str:
    """Return the trace of a check for a terminal of `width` columns; the check must have one.

    The first difference has the mark `>`, and a sentence below the table. Without `whole`, a long walk is shown only
    around it.
    """
    check = with_texts(check, escape_line)
    trace = check.trace
    assert trace is not None
    page = _Page(max(40, min(width, 100)), colour, both=has_two(trace))
    title = wrap(f"{check.id}: {check.title}", page.width).replace(check.id, page.paint(check.id, _BOLD), 1)
    parts = [title, wrap(trace.given, page.width), page.table(walk_table(trace, whole=whole))]
    if trace.wrong is not None:
        parts.append(wrap(f"> Step {trace.wrong + 1}: {trace.words}", page.width))
    return "\n\n".join(filter(None, parts)) + "\n"


class _Page(NamedTuple):
    width: int
    colour: bool
    both: bool  # there are two columns of numbers

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text

    def table(self, lines: Sequence[_WalkLine]) -> str:
        """Return the lines in columns; a text that is too long for its column is shortened."""
        names, ours, theirs = (
            max(map(text_width, cells)) for cells in list(zip(HEAD, *lines, strict=True))[:3]
        )
        figures = len(str(max((line.step for line in lines), default=0)))
        room = self.width - len("> ") - figures - 2
        if self.both:
            ours = min(ours, (room - LEAST_LEFT) // 2 - 2)
            theirs = min(theirs, room - LEAST_LEFT - 2 - ours - 2)
            names = min(names, room - 2 - ours - 2 - theirs)
        else:
            ours = min(ours, room - min(names, 2 * LEAST_LEFT) - 2)
            names = min(names, room - 2 - ours)
        head = HEAD if theirs >= len(RIGHT) else HEAD._replace(right="right")
        widths = figures, names, ours, theirs
        return "\n".join([self._row(head, *widths, head=True), *(self._row(line, *widths) for line in lines)])

    def _row(
        self, line: _WalkLine, figures: int, names: int, ours: int, theirs: int, *, head: bool = False
    ) -> str:
        differs = self.both and line.student != line.right
        codes = (_BOLD, _BOLD) if head else (_WRONG, _GOOD) if differs else ("", "")
        indent = " " * (len(line.name) - len(line.name.lstrip()))
        cells = [
            indent + self._cell(line.name, names - len(indent), _BOLD if line.wrong or head else ""),
            self._cell(line.student, ours, codes[0]),
            self._cell(line.right, theirs, codes[1]) if self.both else "",
        ]
        mark = self.paint(">", _WRONG) if line.wrong else " "
        return f"{mark} {line.step or '':>{figures}}  {'  '.join(cells)}".rstrip()

    def _cell(self, text: str, room: int, code: str) -> str:
        text = shorten(text, room)
        return self.paint(text, code) + " " * (room - text_width(text))
