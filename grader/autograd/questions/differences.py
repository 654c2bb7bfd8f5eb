"""Questions about differences: between wrong numbers and right ones, and between the code and a copy with one edit."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from grader.autograd.facts import FORWARD, ArrayFact, RuleFact, WalkFact
from grader.autograd.questions.graphs import OPERATORS, GraphPlan, MadeNode, places_in
from grader.autograd.questions.runs import (
    Call,
    EngineScene,
    GraphRun,
    about_run,
    entries_of,
    is_of,
    way_words,
)
from grader.report import Fact, Outcome
from grader.topic.questions import (
    EDIT_WORDS,
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
    from collections.abc import Callable, Iterable, Iterator, Mapping


NUDGE = 1e-4
TAKE_MORE = {"neg", "softmax", "log_softmax", "cross_entropy"}  # not methods without arguments


# --- The cause of wrong numbers


@about_run
def _ask_cause(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
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


@about_run
def _ask_edit(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
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


# --- The table of the kinds

# Words, in order: the question, how the answer was found, what a wrong answer suggests; `doubt` is for the examiner.
OF_DIFFERENCES = {
    "cause": QuestionKind(
        "what is wrong",
        3,
        _ask_cause,
        "[lines?Your code runs {lines}. {after} ]Which number does your code leave in `{node}`, and [leaf?what is the slope of "
        "`{root}` with respect to `{of}`|which number would be right]?",
        "The code was run[leaf?, and its forward pass with `{leaf}` a little larger]. The report says: {said}",
        "`{right} and {right}`: they do not know that their own code is wrong here. The numbers swapped: they do not know "
        "which is right.",
        first=True,
    ),
    "edit": QuestionKind(
        "what an edit does",
        3,
        _ask_edit,
        *EDIT_WORDS,
        suggests="`{was}`: they expect no change.[about? Ask {about}.]",
        doubt="[also?With one line of `{function}` changed, {also} gave numbers that this change does not explain: read the file.]",
    ),
}
