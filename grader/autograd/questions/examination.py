"""The examination about an engine: the table of its kinds of questions, and the graph of a sheet.

Texts of the student and code are between backticks; a page shows them as code and escapes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.autograd.drawing import Node, svg_of
from grader.autograd.engine import engine_with
from grader.autograd.questions import asked
from grader.autograd.questions.graphs import arrays, scalars
from grader.autograd.questions.runs import EngineScene, GraphRun
from grader.topic.questions import EDIT_WORDS, Asking, Box, Question, QuestionedWork, QuestionKind

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

    from grader.manifest import Manifest

GRAPHS = 4  # tries to find a graph that runs


def _of_run(
    ask: Callable[[Asking, EngineScene, GraphRun], Iterator[Question]],
) -> Callable[[Asking], Iterator[Question]]:
    """Return a function that asks about the run of the sheet's graph, and asks nothing if the run fails."""

    def of_run(asking: Asking) -> Iterator[Question]:
        run = asking.scene.run
        return iter(()) if run is None else ask(asking, asking.scene, run)

    return of_run


# Words, in order: the question, how the answer was found, what a wrong answer suggests; `doubt` is for the examiner.
kinds = {
    "cause": QuestionKind(
        "what is wrong",
        3,
        _of_run(asked.ask_cause),
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
        _of_run(asked.ask_edit),
        *EDIT_WORDS,
        suggests="`{was}`: they expect no change.[about? Ask {about}.]",
        doubt="[also?With one line of `{function}` changed, {also} gave numbers that this change does not explain: read the file.]",
    ),
    "gradient": QuestionKind(
        "a gradient on the way",
        2,
        _of_run(asked.ask_gradient),
        "[called?With your code, what is `{node}.{field}` just {when} [closure?`{called}.{closure}()` is called|`{called}` hands "
        "its gradient on]?|What is `{node}` at the end, with your code?]",
        "[called?The walk was recorded. The calls that change it, each with the number after it: {steps}. At the end it is `{end}`.|The code was run.]",
        "[called?`{end}`: the number at the end, not at that moment.[early? `{early}`: one call off.]|A part of it: "
        "a path from the root was forgotten.]",
    ),
    "order": QuestionKind(
        "the order of calls",
        2,
        _of_run(asked.ask_order),
        "Leave out the leaves. [closure?The `{closure}` of which node does your code call {time}?|Which node is the {time} "
        "to hand its gradient on in your code?]",
        "The walk was recorded: {calls}.",
        "[opposite?`{opposite}`: counted from the other end. ]Another node: ask what each node waits for.",
    ),
    "leaf": QuestionKind(
        "the leaf that matters most",
        2,
        _of_run(asked.ask_leaf),
        "The data of one leaf grows by `{nudge}`, and the forward pass runs again. For which leaf is the change of `{root}` "
        "largest, whether it rises or falls?",
        "The forward pass was run with each leaf a little larger. `{root}` moves by: {moves}.",
        "[largest?`{largest}`, the largest number: value and slope are mixed up. Another: a path to the root was forgotten.|"
        "Another leaf: a path to the root was forgotten, or the sign of a change counted, not only its size.]",
    ),
    "calls": QuestionKind(
        "the number of calls",
        2,
        _of_run(asked.ask_calls),
        "Leave out the leaves. [closure?How many calls of `{closure}` does `{way}` make in all|How many times in all does `{way}` "
        "let a node hand its gradient on][both? with your code, and with right code]?",
        "The walk was recorded. A right walk makes one call for each result, after everything that uses it.",
        "`{paths}`: a call for each path from the root, as without a set of visited nodes.",
    ),
    "value": QuestionKind(
        "the forward pass",
        1,
        _of_run(asked.ask_value),
        "What is `{node}`?",
        "[made?`{made}`. ]The forward pass was run.",
        "Another number: the operation or its inputs were misread.",
    ),
    # Last, because it takes many runs: the other kinds then have theirs.
    "line": QuestionKind(
        "the line behind a contribution",
        2,
        _of_run(asked.ask_line),
        "`{called}` is `{made}`. When [closure?`{called}.{closure}()`|`{called}`] is called, it [amount?adds `{amount}` to|adds "
        "to] `{node}.{field}`. Which of these lines does that?",
        "It is {place}. The file was run without this line: the call no longer changes `{node}.{field}`.",
        "Another line: ask which input is `self`, and which method is called.",
    ),
}


def attributes(manifest: Manifest) -> tuple[str, str]:
    """Return the attributes of a gradient and of a value."""
    engine = engine_with(manifest.names, arrays=manifest.arrays)
    return engine.grad, engine.data


def scene(
    work: QuestionedWork, generator: Callable[[str], random.Random], *, practice: bool
) -> EngineScene | None:
    """Return a graph that the engine can make, from the day's operations or else from + and *; None if there is none."""
    manifest = work.manifest
    known = [each for each in manifest.operations or () if isinstance(each, str)]
    node = engine_with(manifest.names, arrays=manifest.arrays).node
    for number in range(GRAPHS):
        rng, usual = generator(f"graph {number}"), known if number < GRAPHS // 2 else ()
        plan = (
            arrays(rng, node, practice=practice)
            if manifest.arrays
            else scalars(rng, usual, node, practice=practice)
        )
        if (found := EngineScene(work, plan)).run is not None:
            return found
    return None


def picture(boxes: Sequence[Box]) -> str:
    """Return the graph as SVG."""
    return svg_of([Node(*box) for box in boxes])
