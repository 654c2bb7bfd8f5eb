"""The examination about an engine: its kinds of questions, and the graph of a sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.autograd.drawing import Node, svg_of
from grader.autograd.engine import engine_with
from grader.autograd.questions.asked import OF_RUNS
from grader.autograd.questions.differences import OF_DIFFERENCES
from grader.autograd.questions.graphs import arrays, scalars
from grader.autograd.questions.runs import EngineScene

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from grader.manifest import Manifest
    from grader.topic.questions import Box, QuestionedWork

GRAPHS = 4  # tries to find a graph that runs


kinds = OF_DIFFERENCES | OF_RUNS


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
