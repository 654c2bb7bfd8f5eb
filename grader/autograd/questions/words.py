"""The words of every question about an engine: what is asked, how the answer was worked out, what a wrong one suggests.

Texts of the student's, and code, stand in backquotes; a page shows them as code and escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.topic.questions import edit_words, edit_worked

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.autograd.questions.backward import CallsQuestion, GradientQuestion, OrderQuestion
    from grader.autograd.questions.cause import CauseQuestion
    from grader.autograd.questions.forward import LeafQuestion, ValueQuestion
    from grader.autograd.questions.line import LineQuestion
    from grader.topic.questions import EditQuestion

_TIMES = {2: "second", 3: "third", 4: "fourth"}
_EDITS = {
    "overwrites": "what `=` in the place of `+=` loses where a node is used twice",
    "left out": "what the line adds, and to which node",
    "unseeded": "why the root's gradient is set before anything else",
    "in order": "why the walk goes from the root to the leaves",
    "no factor": "why a contribution has the gradient of the result as a factor",
    "forgets": "what happens to a node that is listed twice",
    "unsummed": "the shape of a gradient, if the array was stretched",
}


def way_words(way: str, field: str, closure: str) -> str:
    """Return what happens after the lines of a graph; empty if nothing goes back."""
    if way and not way.endswith(")"):  # an order in which nodes are called by hand
        nodes = [f"`{node}`" for node in way.split(", ")]
        root, several = way.partition(",")[0], f"`{closure}()` of {', '.join(nodes)}, in this order"
        called = several if len(nodes) > 1 else f"`{root}.{closure}()`"
        return f"Then come `{root}.{field} = 1.0` and {called}."
    return f"Then `{way}` is called." if way else ""


# --- What is asked


def _value(one: ValueQuestion) -> str:
    return f"What is `{one.node}`?"


def _rule(closure: str, node: str) -> str:
    return f"`{node}.{closure}()`" if closure else f"`{node}`"


def _order(one: OrderQuestion) -> str:
    place = _TIMES[one.place]
    if one.closure:
        return f"Leave out the leaves. The `{one.closure}` of which node does your code call {place}?"
    return f"Leave out the leaves. Which node does your code come to {place}, to hand its gradient on?"


def _gradient(one: GradientQuestion) -> str:
    if not one.called:
        return f"What is `{one.node}` at the end, with your code?"
    when = "before" if one.before else "after"
    happens = "is called" if one.closure else "hands its gradient on"
    return f"With your code, what is `{one.node}.{one.field}` just {when} {_rule(one.closure, one.called)} {happens}?"


def _line(one: LineQuestion) -> str:
    amount = f"adds `{one.amount}` to" if one.amount else "adds to"
    return (
        f"`{one.called}` is `{one.made}`. When {_rule(one.closure, one.called)} is called, it {amount} `{one.node}.{one.field}`. "
        "Which of these lines does that?"
    )


def _leaf(one: LeafQuestion) -> str:
    return (
        f"The data of one leaf grows by `{one.nudge}`, and the forward pass runs again. For which leaf is the change of "
        f"`{one.root}` largest, whether it rises or falls?"
    )


def _calls(one: CallsQuestion) -> str:
    both = " with your code, and with right code" if one.options else ""
    if one.closure:
        return f"Leave out the leaves. How many calls of `{one.closure}` does `{one.way}` make in all{both}?"
    return f"Leave out the leaves. How many times in all does `{one.way}` come to a node, to hand its gradient on{both}?"


def _cause(one: CauseQuestion) -> str:
    graph = ""
    if one.lines:
        lines = ", ".join(f"`{line}`" for line in one.lines)
        graph = f"Your code runs {lines}. {way_words(one.way, one.field, one.closure)} "
    what = f"{graph}Which number does your code leave in `{one.node}`, and"
    if one.node == one.root:
        return f"{what} which one would be right?"
    name, _, place = one.node.partition(f".{_field_of(one.node)}")
    return f"{what} what is the slope of `{one.root}` with respect to `{name}.{_field_of(one.root)}{place}`?"


def _field_of(expression: str) -> str:
    """Return the attribute in an expression such as `a.grad` or `A.grad[0, 1]`."""
    return expression.partition(".")[2].partition("[")[0]


# --- How it was worked out


def _value_worked(one: ValueQuestion) -> str:
    return f"`{one.made}`. The forward pass was run." if one.made else "The forward pass was run."


def _order_worked(one: OrderQuestion) -> str:
    return f"The walk was recorded: {_listed(one.calls)}."


def _listed(nodes: tuple[str, ...]) -> str:
    return ", ".join(f"`{node}`" for node in nodes)


def _gradient_worked(one: GradientQuestion) -> str:
    if not one.called:
        return "The code was run."
    return f"Recorded, after each call that changes it: {_listed(one.steps)}. At the end it is `{one.end}`."


def _line_worked(one: LineQuestion) -> str:
    return f"It is {one.place}. The file was run without this line: the call no longer changes `{one.node}.{one.field}`."


def _leaf_worked(one: LeafQuestion) -> str:
    return f"The forward pass was run with each leaf a little larger. `{one.root}` moves by: {_listed(one.moves)}."


def _calls_worked(_: CallsQuestion) -> str:
    return "The walk was recorded. A right one makes a call for each result, after everything that uses it."


def _cause_worked(one: CauseQuestion) -> str:
    name = one.node.partition(".")[0]
    beside = "" if one.node == one.root else f", and its forward pass with `{name}` a little larger"
    return f"The code was run{beside}. The report says: {one.said}"


# --- What a wrong answer suggests


def _order_suggests(one: OrderQuestion) -> str:
    first = one.calls[::-1][one.place - 1]
    if first == one.answer:
        return "Another node: ask what each node waits for."
    return f"`{first}`: counted from the other end. Another node: ask what each node waits for."


def _gradient_suggests(one: GradientQuestion) -> str:
    if not one.called:
        return "A part of it: a path from the root was forgotten."
    others = [step.partition(": ")[2] for step in one.steps]
    early = next((number for number in others if number not in {one.answer, one.end}), "")
    more = f" `{early}`: it is one call off." if early else ""
    return f"`{one.end}`: the number at the end, not the one at that moment.{more}"


def _edit_suggests(one: EditQuestion) -> str:
    about = _EDITS.get(one.edit)
    return f"`{one.was}`: nothing was seen to change. {f'Ask {about}.' if about else ''}".strip()


def _leaf_suggests(one: LeafQuestion) -> str:
    if one.largest and one.largest != one.answer:
        return f"`{one.largest}`, the largest number: value and slope are mixed up. Another: a path to the root was forgotten."
    return "Another leaf: a path to the root was forgotten, or a sign was taken for a size."


def _cause_suggests(one: CauseQuestion) -> str:
    right = one.answer.partition(" and ")[2]
    return f"`{right} and {right}`: they do not know that their own code is wrong here. The numbers exchanged: they do not know which is right."


# A short name of each kind, and its words: what is asked, how it was worked out, what a wrong answer suggests.
WORDS: dict[str, tuple[str, Callable[[Any], str], Callable[[Any], str], Callable[[Any], str]]] = {
    "cause": ("what is wrong", _cause, _cause_worked, _cause_suggests),
    "edit": ("what an edit does", edit_words, edit_worked, _edit_suggests),
    "gradient": ("a gradient on the way", _gradient, _gradient_worked, _gradient_suggests),
    "line": (
        "the line behind a contribution",
        _line,
        _line_worked,
        lambda _: "Another line: ask which input is `self`, and which method is called.",
    ),
    "order": ("the order of calls", _order, _order_worked, _order_suggests),
    "leaf": ("the leaf that matters most", _leaf, _leaf_worked, _leaf_suggests),
    "calls": (
        "the number of calls",
        _calls,
        _calls_worked,
        lambda one: f"`{one.paths}`: a call for each path from the root, as without a set of visited nodes.",
    ),
    "value": (
        "the forward pass",
        _value,
        _value_worked,
        lambda _: "Another number: the operation or its inputs were misread.",
    ),
}
