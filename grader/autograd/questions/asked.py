"""Questions about runs of a graph: values, the order of calls, the lines behind them, causes of wrong numbers, and edits."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from grader.autograd.facts import FORWARD, ArrayFact, RuleFact, WalkFact
from grader.autograd.questions.graphs import OPERATORS, GraphPlan, MadeNode, places_in
from grader.autograd.questions.runs import Call, EngineScene, GraphRun, entries_of, is_of, way_words
from grader.report import Fact, Outcome
from grader.topic.questions import Asking, Question, SourceEdit, Statement, differ, question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


LITTLE = 0.01
NUDGE = 1e-4
CLEAR = 1.25  # the first leaf moves the root at least this many times as far as the second
TIMES = {3: "third", 4: "fourth", 2: "second"}
MOST = 2  # questions about lines; each needs several runs, each without one line
TAKE_MORE = {"neg", "softmax", "log_softmax", "cross_entropy"}  # not methods without arguments


# --- The forward pass


def ask_value(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


def ask_leaf(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
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


def ask_order(_: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


def ask_calls(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


def ask_gradient(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


def ask_line(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


# --- The cause of wrong numbers


def ask_cause(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
    """Ask for a gradient of the student's code and the slope of their forward pass, if the report has a cause.

    If the forward pass is wrong, ask for its value instead.
    """
    checks = asking.report.checks if asking.report else ()
    facts = [fact for check in checks if check.outcome is Outcome.FAILED for fact in check.facts]
    causes: list[tuple[Fact, str, Iterable[GraphPlan]]] = [
        (fact, {FORWARD: "M", "other": "e"}.get(rule.input, "d"), _small(asking, scene.plan, rule.operation))
        for rule, fact in [*RuleFact.all_in(facts), *ArrayFact.all_in(facts)]
    ]
    # Ask about a walk only if no rule is wrong.
    causes = causes or [(fact, "", [scene.plan]) for _walk, fact in WalkFact.all_in(facts)]
    for fact, node, plans in causes:
        made = (_about_cause(asking, scene, plan, fact, node) for plan in plans)
        yield from itertools.islice(filter(None, made), 1)


def _about_cause(
    asking: Asking, scene: EngineScene, plan: GraphPlan, fact: Fact, node: str
) -> Question | None:
    """Return the question about a graph in which a node, or any leaf, has a wrong number; else None.

    It shows the expression in the sheet's graph, or the lines of another graph.
    """
    engine, run = scene.engine, scene.run_of(plan)
    wrong = _wrong(scene, plan, run, node) if run else iter(())
    if run is None or (first := next(wrong, None)) is None:
        return None
    expression, theirs, right = first
    leaf, _, place = expression.partition(f".{engine.grad}") if node != plan.root else ("", "", "")
    x, y = sheet_number(theirs), sheet_number(right)
    told = asking.work.topic.words_for([fact])
    said = told.walk.words if told.walk else told.rules[0].words
    lines = [] if plan is scene.plan else plan.lines
    return question(
        "cause", f"{x} and {y}", asking.sample([f"{x} and {y}", f"{y} and {y}", f"{x} and {x}", f"{y} and {x}"], 4),
        key=said, shows=() if lines else [expression], said=said, lines=lines, node=expression, right=y, leaf=leaf,
        after=way_words(run.way, engine.grad, run.closure), root=f"{plan.root}.{engine.data}", of=f"{leaf}.{engine.data}{place}",
    )  # fmt: skip


def _small(asking: Asking, sheet: GraphPlan, operation: str) -> Iterator[GraphPlan]:
    """Yield graphs of one operation: by itself, and with an input that is used again; none if it takes a number."""
    first, second, *_ = sheet.leaves.values()
    node, arrays = sheet.node, asking.work.manifest.arrays
    if operation in OPERATORS:
        leaves = {"d": first, "e": first[::-1] if operation == "@" else second}
    elif operation.isidentifier() and operation not in TAKE_MORE:
        leaves = {"d": first if arrays else first / 4}  # tanh of 4 is nearly flat
    else:
        return
    made = MadeNode("t", operation, *leaves)
    if arrays:
        summed = MadeNode("M", "sum", "t")
        yield GraphPlan(leaves, (MadeNode("M", "sum", "d"),) if operation == "sum" else (made, summed), node)
        return
    yield GraphPlan(leaves, (MadeNode("M", operation, *leaves),), node)
    yield from (GraphPlan(leaves, (made, MadeNode("M", "+", "t", again)), node) for again in leaves)


def _wrong(
    scene: EngineScene, plan: GraphPlan, run: GraphRun, node: str
) -> Iterator[tuple[str, float, float]]:
    """Yield wrong numbers: the expression, the student's number, the right one.

    They are the value of the root, or the entries of gradients of `node`, or of all leaves, compared with the root's slope.
    """
    step, engine = plan.steps[-1], scene.engine
    numbers = [plan.leaves.get(name) for name in step.inputs]
    known: list[tuple[str, Any, list[float]]] = []
    if node != plan.root:
        for name in [name for name in plan.leaves if run.way and node in {"", name}]:
            places = places_in(plan.leaves[name])
            roots = scene.roots([plan.nudge(name, at, way * NUDGE) for at in places for way in (1, -1)])
            both = zip(roots[::2], roots[1::2], strict=True) if roots else ()
            slopes = [round((up - down) / (2 * NUDGE), 6) for up, down in both]
            known.append((f"{name}.{engine.grad}", run.grads.get(name), slopes))
    elif step.op in OPERATORS and all(isinstance(one, int | float) for one in numbers):
        known = [(f"{node}.{engine.data}", run.data.get(node), [float(OPERATORS[step.op](*numbers))])]
    for place, value, right in known:
        pairs = [*entries_of(place, value)]
        for (expression, theirs), number in zip(pairs, right, strict=False):
            if len(pairs) == len(right) and differ(theirs, number):  # else the shapes differ
                yield expression, theirs, number


# --- The effect of an edit

TRIED, ABOUT_EDITS = 12, 5  # most edits to try, and most questions about them
FEW = 4  # if so many edits change no number, the examiner reads of it
# The local derivatives of an operation, from the values of its inputs.
SLOPES: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "+": lambda _x, _y: (1, 1),
    "-": lambda _x, _y: (1, -1),
    "*": lambda x, y: (y, x),
}
LAST = {"other sign", "compares"}  # the kinds of edits that say least about the backward pass


# Questions for a student who gives the wrong number, by the kind of the edit.
ABOUT = {
    "overwrites": "what `=` instead of `+=` loses when a node is used twice",
    "left out": "what the line adds, and to which node",
    "unseeded": "why the root's gradient is set before anything else",
    "in order": "why the walk goes from the root to the leaves",
    "no factor": "why a contribution has the gradient of the result as a factor",
    "forgets": "what happens to a node that is listed twice",
    "unsummed": "the shape of a gradient, if the array was stretched",
}


def ask_edit(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for a number that an edit changes: a gradient of a leaf, or else the root's value."""
    edits, found = _edits(asking, scene), 0
    for statement, edit in edits:
        # Draw one number for each edit, so that a different run does not change the questions about later edits.
        chance = asking.rng.random()
        other = scene.edit(statement, edit)
        changes = _changes(scene, run, other) if other and other.way == run.way else []
        if other and changes:
            found += 1
            is_final, expression, was, number = changes[int(chance * len(changes))]
            also = " and ".join(f"`{op}`" for op in _find_unexplained(scene, statement, edit, run, other))
            about = ABOUT.get(edit.kind, "")
            yield asking.change(
                statement, edit, expression, was, number, final=is_final, also=also, about=about
            )
        if found == ABOUT_EDITS:
            return
    if len(edits) >= FEW and not found:
        asking.work.doubts.append(
            f"{len(edits)} changes of single lines were tried: after each, the numbers were the same, or the file failed."
        )


def _edits(asking: Asking, scene: EngineScene) -> list[tuple[Statement, SourceEdit]]:
    """Return some random edits; edits of the graph's operations and of the walk come first."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    walk = {scene.engine.backward, "build_topo"}

    def rank(pair: tuple[Statement, SourceEdit]) -> tuple[bool, bool]:
        statement, edit = pair
        used = any(is_of(statement, step.op) for step in scene.plan.steps)
        return not used and not walk & {*statement.function.split(".")}, edit.kind in LAST

    return sorted(asking.sample(pairs, len(pairs)), key=rank)[:TRIED]


def _find_unexplained(
    scene: EngineScene, statement: Statement, edit: SourceEdit, run: GraphRun, other: GraphRun
) -> list[str]:
    """Return the operations whose numbers an edit of one line does not explain.

    Without a line, its own operation may lack a contribution. Code that detects edits changes more.
    """
    plan = scene.plan
    loses = edit.kind == "left out" and statement.fills
    if loses and run.calls and not other.calls:  # leaving out a line cannot add a node
        return sorted({step.op for step in plan.steps})
    new = _odd(plan, other, statement if loses else None) - _odd(plan, run)
    if not any(
        is_of(statement, step.op) for step in plan.steps
    ):  # the rule of another operation, or a helper of several
        return sorted(new) if statement.function.endswith(f".{run.closure}") and len(new) > 1 else []
    return sorted(op for op in new if loses or not is_of(statement, op))


def _odd(plan: GraphPlan, run: GraphRun, without: Statement | None = None) -> set[str]:
    """Return the operations that compute or hand on wrong numbers; the operation of the line `without` may lack contributions."""
    return {
        step.op
        for call in run.calls
        for step in plan.steps
        if step.name == call.node
        and step.op in SLOPES
        and _is_odd(step, call, run.data, lacks=without is not None and is_of(without, step.op))
    }


def _is_odd(step: MadeNode, call: Call, data: Mapping[str, Any], *, lacks: bool) -> bool:
    """Return True if the result or a contribution is wrong; with `lacks`, a missing contribution is not wrong."""
    known: list[Any] = [call.before.get(step.name), *(data.get(name) for name in (step.name, *step.inputs))]
    if not all(isinstance(number, float) for number in known):
        return False
    upstream, result, *inputs = known
    if differ(result, OPERATORS[step.op](*inputs)):
        return True
    for name in {*step.inputs}:
        slopes = zip(step.inputs, SLOPES[step.op](*inputs), strict=True)
        shares = [upstream * slope for each, slope in slopes if each == name]
        parts = itertools.product(*((0.0, share) if lacks else (share,) for share in shares))
        before = call.before.get(name) or 0.0
        change = (call.changes.get(name, before) or 0.0) - before
        if all(differ(change, sum(part)) for part in parts):
            return True
    return False


def _changes(scene: EngineScene, run: GraphRun, other: GraphRun) -> list[tuple[bool, str, float, float]]:
    """Return the changes that an edit makes to the leaves' gradients, or else to the root's data.

    A change is True for a gradient, the expression, the number without the edit, and the number with it.
    """
    root, field = scene.plan.root, scene.engine
    places = [(True, f"{name}.{field.grad}", run.grads, other.grads, name) for name in scene.plan.leaves]
    places.append((False, f"{root}.{field.data}", run.data, other.data, root))
    found = [
        (is_final, expression, x, y)
        for is_final, place, was, now, name in places
        for (expression, x), (same, y) in zip(
            entries_of(place, was.get(name)), entries_of(place, now.get(name)), strict=False
        )
        if expression == same and differ(x, y)
    ]
    return [one for one in found if one[0]] or found
