"""Questions about a run of the sheet's graph: values, the order of calls, and the lines that make contributions."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from grader.autograd.questions.runs import Call, EngineScene, GraphRun, about_run, entries_of, is_of
from grader.topic.questions import (
    Asking,
    Question,
    QuestionKind,
    SourceEdit,
    Statement,
    differ,
    question,
    sheet_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


LITTLE = 0.01
CLEAR = 1.25  # the first leaf moves the root at least this many times as far as the second
TIMES = {3: "third", 4: "fourth", 2: "second"}
MOST = 2  # questions about lines; each needs several runs, each without one line


# --- The forward pass


@about_run
def _ask_value(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for results in the graph, the root first; for an array, ask for one entry.

    `made` shows the operation with its numbers: 2 * -3.
    """
    if not scene.forward_is_theirs(asking.statements):
        return
    for step in reversed(scene.plan.steps):
        inputs = [run.data.get(name) for name in step.inputs]
        numbers = [sheet_number(number) for number in inputs if not isinstance(number, list)]
        made = (
            f" {step.op} ".join(numbers) if step.right else "".join(f"{step.op} of {one}" for one in numbers)
        )
        found = entries_of(f"{step.name}.{scene.engine.data}", run.data.get(step.name))
        for node, number in asking.sample([*found], 1):
            yield question(
                "value", number, key=node, node=node, made=made if len(numbers) == len(inputs) else ""
            )


@about_run
def _ask_leaf(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
    """Ask for the leaf that moves the root most, if it does so clearly: each leaf grows a little in the forward pass."""
    leaves = scene.plan.leaves
    if not scene.forward_is_theirs(asking.statements) or any(
        isinstance(one, list) for one in leaves.values()
    ):
        return
    roots = scene.roots([scene.plan, *(scene.plan.nudge(name, (), LITTLE) for name in leaves)])
    if roots is None or not all(map(math.isfinite, roots)):
        return
    moves = {name: root - roots[0] for name, root in zip(leaves, roots[1:], strict=True)}
    first, second, *_rest = sorted(moves, key=lambda name: -abs(moves[name]))
    if abs(moves[first]) > CLEAR * abs(moves[second]):
        largest = [name for name in leaves if abs(leaves[name]) == max(map(abs, leaves.values()))]
        yield question(
            "leaf", first, leaves, root=f"{scene.plan.root}.{scene.engine.data}", nudge=LITTLE,
            moves=[f"{name}: {sheet_number(round(move, 4))}" for name, move in moves.items()],
            largest="" if len(largest) > 1 or largest == [first] else largest[0],
        )  # fmt: skip


# --- The order and the number of calls, and gradients around a call or at the end


@about_run
def _ask_order(_: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the third call, or another one; calls with another place in another right order come first.

    Calls of leaves are not counted.
    """
    if not run.way.endswith(")"):  # by hand, the sheet gives the order
        return
    results, calls = [step.name for step in scene.plan.steps], [call.node for call in run.calls]
    pairs = [(step.name, name) for step in scene.plan.steps for name in step.inputs if name in results]
    orders = [
        order
        for order in itertools.permutations(results)
        if all(order.index(user) < order.index(name) for user, name in pairs)
    ]
    places = [place for place in TIMES if len(calls) >= max(3, place)]
    for place in sorted(places, key=lambda place: len({order[place - 1] for order in orders}) == 1):
        answer, opposite = calls[place - 1], calls[-place]
        yield question(
            "order", answer, time=TIMES[place], calls=calls, closure=run.closure, opposite="" if opposite == answer else opposite
        )  # fmt: skip


@about_run
def _ask_calls(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the number of calls, without calls of leaves, in a graph that uses a result twice.

    A right walk makes one call for each result; a walk down each path makes `paths` calls. If the student's number is not
    the right one, the question asks for both.
    """
    if not run.calls or not run.way.endswith(")"):
        return
    theirs, right = len(run.calls), len(scene.plan.steps)
    ways = {scene.plan.root: 1}
    for step in reversed(scene.plan.steps):
        for name in step.inputs:
            ways[name] = ways.get(name, 0) + ways[step.name]
    paths = sum(ways[step.name] for step in scene.plan.steps)
    if paths <= right:
        return
    answer, options = f"{theirs}", list[str]()
    if theirs != right:
        pairs = [(theirs, right), (right, right), (theirs, theirs), (right, theirs)]
        answer, *_ = options = [f"{one} and {other}" for one, other in pairs]
    yield question(
        "calls", answer, asking.sample(options, 4), way=run.way, paths=paths, both=bool(options), closure=run.closure
    )  # fmt: skip


@about_run
def _ask_gradient(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for gradients before they are complete, and for gradients of leaves at the end.

    No question of another kind may show the same gradient around the same call, or at the end. Each entry of an array counts
    as one gradient.
    """
    if not run.way:
        return
    found = [one for call in run.once for node in call.changes for one in _around(scene, run, call, node)]
    yield from asking.sample(found, 3)
    ends = [
        question("gradient", number, key=place, hides=[place], node=expression)
        for name in scene.plan.leaves
        for place in [f"{name}.{scene.engine.grad}"]
        for expression, number in entries_of(place, run.grads.get(name))
    ]
    yield from asking.sample(ends, 2)


def _around(scene: EngineScene, run: GraphRun, call: Call, node: str) -> Iterator[Question]:
    """Yield the questions about a gradient around a call that changes it, if it is not 0 and not yet complete."""
    end, key = run.grads.get(node), f"{node} {call.node}"
    after = [(each.node, sheet_number(each.changes[node])) for each in run.calls if node in each.changes]
    for when, number in (("before", call.before.get(node)), ("after", call.changes[node])):
        if isinstance(end, float) and isinstance(number, float) and number and differ(number, end):
            known = {sheet_number(number), sheet_number(end)}
            yield question(
                "gradient", number, key=key, hides=[key], node=node, called=call.node, when=when, end=sheet_number(end),
                steps=[f"{name}: {one}" for name, one in after], early=next((one for _, one in after if one not in known), ""),
                field=scene.engine.grad, closure=run.closure,
            )  # fmt: skip


# --- The line that makes a contribution


@about_run
def _ask_line(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the line that makes a contribution: without it, and only without it, a call no longer changes a gradient."""
    filling = [
        (statement, edit)
        for statement in asking.statements
        for edit in statement.edits
        if edit.kind == "left out" and statement.fills
    ]
    calls = asking.sample(run.once, len(run.once))
    asked = (_about_call(asking, scene, run, call, filling) for call in calls)
    yield from itertools.islice(filter(None, asked), MOST)


def _about_call(
    asking: Asking,
    scene: EngineScene,
    run: GraphRun,
    call: Call,
    filling: Sequence[tuple[Statement, SourceEdit]],
) -> Question | None:
    """Return the question about one call; None if no single line makes its contribution.

    It shows four lines, and the change of the gradient. `amount` is the number that the call adds; empty for arrays.
    """
    step = next(step for step in scene.plan.steps if step.name == call.node)
    texts = [statement.text for statement, _ in filling]
    own = [
        pair for pair in filling if is_of(pair[0], step.op) and texts.count(pair[0].text) == 1
    ]  # each text in one place
    gone = {statement.text: _nodes_without_line(scene, call, statement, edit) for statement, edit in own}
    if None in gone.values() or len({*step.inputs}) != len(step.inputs):
        return None
    used = {other.op for other in scene.plan.steps}
    near = [statement.text for statement, _ in filling if any(is_of(statement, op) for op in used)]
    others = [
        *asking.sample(near, len(near)),
        *asking.sample(texts, len(texts)),
        *(one.text for one in asking.statements),
    ]
    for node in asking.sample({*step.inputs} & call.changes.keys(), 2):
        makes = [statement for statement, _ in own if node in (gone[statement.text] or ())]
        if len(makes) == 1:
            line, field = makes[0].text, scene.engine.grad
            wrong = [text for text in dict.fromkeys([*gone, *others]) if text != line][:3]
            before, after = call.before.get(node), call.changes[node]
            is_number = isinstance(before, float) and isinstance(after, float)
            options = asking.sample([line, *wrong], 4)
            return question(
                "line", line, options, key=line, hides=[line], shows=[*options, f"{node} {call.node}", f"{node}.{field}"],
                node=node, called=call.node, made=step.text, place=asking.work.place(makes[0]),
                amount=sheet_number(after - before) if is_number else "", field=field, closure=run.closure,
            ) if len(options) == 4 else None  # fmt: skip
    return None


def _nodes_without_line(
    scene: EngineScene, call: Call, statement: Statement, edit: SourceEdit
) -> set[str] | None:
    """Return the nodes that a call no longer changes without a line; None if the run fails."""
    run = scene.edit(statement, edit)
    same = next((each for each in run.calls if each.node == call.node), None) if run else None
    return {*call.changes} - {*same.changes} if same else None


# --- The table of the kinds

# Words, in order: the question, how the answer was found, what a wrong answer suggests; `doubt` is for the examiner.
OF_RUNS = {
    "gradient": QuestionKind(
        "a gradient on the way",
        2,
        _ask_gradient,
        "[called?With your code, what is `{node}.{field}` just {when} [closure?`{called}.{closure}()` is called|`{called}` hands "
        "its gradient on]?|What is `{node}` at the end, with your code?]",
        "[called?The walk was recorded. The calls that change it, each with the number after it: {steps}. At the end it is `{end}`.|The code was run.]",
        "[called?`{end}`: the number at the end, not at that moment.[early? `{early}`: one call off.]|A part of it: "
        "a path from the root was forgotten.]",
    ),
    "order": QuestionKind(
        "the order of calls",
        2,
        _ask_order,
        "Leaves do not count. [closure?The `{closure}` of which node does your code call {time}?|Which node is the {time} "
        "to hand its gradient on in your code?]",
        "The walk was recorded: {calls}.",
        "[opposite?`{opposite}`: counted from the other end. ]Another node: ask what each node waits for.",
    ),
    "leaf": QuestionKind(
        "the leaf that matters most",
        2,
        _ask_leaf,
        "The data of one leaf grows by `{nudge}`, and the forward pass runs again. For which leaf is the change of `{root}` "
        "largest, whether it rises or falls?",
        "The forward pass was run with each leaf a little larger. `{root}` moves by: {moves}.",
        "[largest?`{largest}`, the largest number: value and slope are mixed up. Another: a path to the root was forgotten.|"
        "Another leaf: a path to the root was forgotten, or the sign of a change counted, not only its size.]",
    ),
    "calls": QuestionKind(
        "the number of calls",
        2,
        _ask_calls,
        "Leaves do not count. [closure?How many calls of `{closure}` does `{way}` make in all|How many times in all do nodes "
        "hand their gradient on during `{way}`][both?, with your code and with right code]?",
        "The walk was recorded. A right walk makes one call for each result, after everything that uses it.",
        "`{paths}`: a call for each path from the root, as without a set of visited nodes.",
    ),
    "value": QuestionKind(
        "the forward pass",
        1,
        _ask_value,
        "What is `{node}`?",
        "[made?`{made}`. ]The forward pass was run.",
        "Another number: the operation or its inputs were misread.",
    ),
    # Last, because it takes many runs: the other kinds then have theirs.
    "line": QuestionKind(
        "the line behind a contribution",
        2,
        _ask_line,
        "`{called}` is `{made}`. When [closure?`{called}.{closure}()`|`{called}`] is called, it [amount?adds `{amount}` to|adds "
        "to] `{node}.{field}`. Which of these lines does that?",
        "It is {place}. The file was run without this line: the call no longer changes `{node}.{field}`.",
        "Another line: ask which input is `self`, and which method is called.",
    ),
}
