"""The words of every question: what is asked, how the answer was worked out, and what a wrong answer suggests.

Texts of the student's, and code, stand in backquotes; a page shows them as code and escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.viva.kinds.calls import CallsQuestion
from grader.viva.kinds.cause import CauseQuestion
from grader.viva.kinds.edit import EditQuestion
from grader.viva.kinds.gradient import GradientQuestion
from grader.viva.kinds.leaf import LeafQuestion
from grader.viva.kinds.line import LineQuestion
from grader.viva.kinds.order import OrderQuestion
from grader.viva.kinds.theirs import TheirsQuestion
from grader.viva.kinds.value import ValueQuestion

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.viva.question import Question
    from grader.viva.sheet import Sheet

NAMES = {
    "value": "the forward pass",
    "order": "the order of calls",
    "gradient": "a gradient on the way",
    "edit": "what an edit does",
    "line": "the line behind a contribution",
    "theirs": "a line of their own",
    "leaf": "the leaf that matters most",
    "calls": "the number of calls",
    "cause": "what is wrong",
}
_TIMES = {2: "second", 3: "third", 4: "fourth"}
_EDITS = {
    "overwrites": "what `=` in the place of `+=` loses where a node is used twice",
    "left out": "what the line adds, and to which node",
    "unseeded": "why the root's gradient is set before anything else",
    "in order": "why the walk goes from the root to the leaves",
    "no upstream": "why a contribution has the gradient of the result as a factor",
    "forgets": "what happens to a node that is listed twice",
    "unsummed": "the shape of a gradient, if the array was stretched",
}


def is_by_hand(way: str) -> bool:
    """Return True for an order in which nodes are called by hand."""
    return bool(way) and not way.endswith(")")


def way_words(way: str, field: str, closure: str) -> str:
    """Return what happens after the lines of a graph; empty if nothing goes back."""
    if is_by_hand(way):
        nodes = [f"`{node}`" for node in way.split(", ")]
        root, several = way.partition(",")[0], f"`{closure}()` of {', '.join(nodes)}, in this order"
        called = several if len(nodes) > 1 else f"`{root}.{closure}()`"
        return f"Then come `{root}.{field} = 1.0` and {called}."
    return f"Then `{way}` is called." if way else ""


def about_words(sheet: Sheet) -> str:
    """Return the sentence above the questions."""
    back = way_words(sheet.way, sheet.grad, sheet.closure)
    if not sheet.lines:
        return ""
    return f"Your own code, as it is, runs these lines. {back}".strip()


# --- What is asked


def question_words(question: Question) -> str:
    """Return the question."""
    return _ASKED[type(question)](question)


def _value(one: ValueQuestion) -> str:
    return f"What does `{one.call}` return?" if one.call else f"What is `{one.node}`?"


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


def _edit(one: EditQuestion) -> str:
    change = f"In your function `{one.function}` ({one.place}), the line `{one.old}` is "
    change += "taken out." if one.new == "pass" else f"changed to `{one.new}`."
    change += " Nothing else is changed."
    if one.call:
        return f"{change} What does `{one.call}` return then?"
    end = " at the end" if one.way and not one.forward else ""
    return f"{change} What is `{one.asked}`{end} then?"


def _line(one: LineQuestion) -> str:
    amount = f"adds `{one.amount}` to" if one.amount else "adds to"
    return (
        f"`{one.called}` is `{one.made}`. When {_rule(one.closure, one.called)} is called, it {amount} `{one.node}.{one.field}`. "
        "Which of these lines does that?"
    )


def _theirs(_: TheirsQuestion) -> str:
    return "Which of these lines stands in your file? Spaces and quotes do not count."


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
        graph = f"Your code runs {lines}. {way_words(one.way, _field_of(one.node), one.closure)} "
    what = f"{graph}Which number does your code leave in `{one.node}`, and"
    if one.node == one.root:
        return f"{what} which one would be right?"
    name, _, place = one.node.partition(f".{_field_of(one.node)}")
    return f"{what} what is the slope of `{one.root}` with respect to `{name}.{_field_of(one.root)}{place}`?"


def _field_of(expression: str) -> str:
    """Return the attribute in an expression such as `a.grad` or `A.grad[0, 1]`."""
    return expression.partition(".")[2].partition("[")[0]


# --- How it was worked out


def worked_words(question: Question) -> str:
    """Return how the answer was worked out, for the examiner."""
    return _WORKED[type(question)](question)


def _value_worked(one: ValueQuestion) -> str:
    return (
        "The function was run."
        if one.call
        else f"{f'`{one.made}`. ' if one.made else ''}The forward pass was run."
    )


def _order_worked(one: OrderQuestion) -> str:
    return f"The walk was recorded: {_listed(one.calls)}."


def _listed(nodes: tuple[str, ...]) -> str:
    return ", ".join(f"`{node}`" for node in nodes)


def _gradient_worked(one: GradientQuestion) -> str:
    if not one.called:
        return "The code was run."
    return f"Recorded, after each call that changes it: {_listed(one.steps)}. At the end it is `{one.end}`."


def _edit_worked(one: EditQuestion) -> str:
    return f"The file was run with this change. Without it: `{one.was}`."


def _line_worked(one: LineQuestion) -> str:
    return f"It is {one.place}. The file was run without this line: the call no longer changes `{one.node}.{one.field}`."


def _theirs_worked(one: TheirsQuestion) -> str:
    return f"It is {one.place}, in `{one.function}`. The others stand nowhere in the functions of the file."


def _leaf_worked(one: LeafQuestion) -> str:
    return f"The forward pass was run with each leaf a little larger. `{one.root}` moves by: {_listed(one.moves)}."


def _calls_worked(_: CallsQuestion) -> str:
    return "The walk was recorded. A right one makes a call for each result, after everything that uses it."


def _cause_worked(one: CauseQuestion) -> str:
    name = one.node.partition(".")[0]
    beside = "" if one.node == one.root else f", and its forward pass with `{name}` a little larger"
    return f"The code was run{beside}. The report says: {one.said}"


# --- What a wrong answer suggests


def suggests_words(question: Question) -> str:
    """Return what a wrong answer suggests, for the examiner."""
    return _SUGGESTS[type(question)](question)


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


_ASKED: dict[type, Callable[..., str]] = {
    ValueQuestion: _value,
    OrderQuestion: _order,
    GradientQuestion: _gradient,
    EditQuestion: _edit,
    LineQuestion: _line,
    TheirsQuestion: _theirs,
    LeafQuestion: _leaf,
    CallsQuestion: _calls,
    CauseQuestion: _cause,
}
_WORKED: dict[type, Callable[..., str]] = {
    ValueQuestion: _value_worked,
    OrderQuestion: _order_worked,
    GradientQuestion: _gradient_worked,
    EditQuestion: _edit_worked,
    LineQuestion: _line_worked,
    TheirsQuestion: _theirs_worked,
    LeafQuestion: _leaf_worked,
    CallsQuestion: _calls_worked,
    CauseQuestion: _cause_worked,
}
_SUGGESTS: dict[type, Callable[..., str]] = {
    ValueQuestion: lambda _: "Another number: the operation or its inputs were misread.",
    OrderQuestion: _order_suggests,
    GradientQuestion: _gradient_suggests,
    EditQuestion: _edit_suggests,
    LineQuestion: lambda _: "Another line: ask which input is `self`, and which method is called.",
    TheirsQuestion: lambda _: (
        "A line that means the same: the rule is understood, and the text not remembered. Another: ask what it would compute."
    ),
    LeafQuestion: _leaf_suggests,
    CallsQuestion: lambda one: (
        f"`{one.paths}`: a call for each path from the root, as without a set of visited nodes."
    ),
    CauseQuestion: _cause_suggests,
}
