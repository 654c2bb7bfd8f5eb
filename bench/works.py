"""Classes of submissions for bench/batch.py: all right, half wrong, lecture notebooks."""

from __future__ import annotations

import random
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from measure import ROOT

from grader.authoring.reference import strip_solutions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.assignment import Assignment

sys.path.append(str(ROOT / "tests" / "support"))
SPELLINGS = (
    "aliases_tuple",
    "dataclass_fields",
    "lambdas",
    "lecture_set",
    "recursive_nonlocal",
    "topo_on_object",
)
SPELLINGS_OF_PAIRS = (
    "pairs_appended",
    "pairs_clears_first",
    "pairs_dataclass",
    "pairs_heap",
    "pairs_none_grad",
    "pairs_tuple",
)

DEMOS = [
    "a = Value(2.0)\nb = Value(-3.0)\nc = Value(10.0)\nL = a * b + c\nprint(L.data, L)",
    "h = 0.001\nprint((((a + h) * b + c).data - L.data) / h)",
    "def parabola(x):\n    return 3 * x * x + (-4) * x + 5\n\nprint([parabola(0.5 * i) for i in range(-4, 5)])",
    "xs = [Value(0.1 * i) for i in range(10)]\ntotal = Value(0.0)\nfor x in xs:\n    total = total + x * x\ntotal",
    "e = a * b\ne.grad = 1.0\ne._backward()\nprint(a.grad, b.grad)",
]
TRAINING = {
    "day2": """
        w, bias, losses = Value(0.1), Value(0.0), []
        for step in range(600):
            for x, wanted in ((1.0, 0.5), (-1.0, -0.3), (0.5, 0.2)):
                product = w * x
                n = product + bias
                o = n.tanh()
                o.grad = 2 * (o.data - wanted)
                for node in (o, n, product):
                    node._backward()
                losses.append((o.data - wanted) ** 2)
            for p in (w, bias):
                p.data, p.grad = p.data - 0.1 * p.grad, 0.0
        print(losses[-1])""",
    "day4": """
        weights = [Value(0.1 * (i - 4)) for i in range(9)]
        history = []
        for step in range(120):
            loss = Value(0.0)
            for x, wanted in ((1.0, 0.5), (-1.0, -0.3), (0.5, 0.2)):
                hidden = [(weights[i] * x + weights[i + 1]).tanh() for i in (0, 2, 4)]
                out = weights[6] * hidden[0] + weights[7] * hidden[1] + weights[8] * hidden[2]
                loss = loss + (out - wanted) ** 2
            for p in weights:
                p.grad = 0.0
            loss.backward()
            for p in weights:
                p.data -= 0.1 * p.grad
            history.append(loss.data)
        print(history[-1])""",
}


def right(assignment: Assignment) -> list[str]:
    """Return right submissions in spellings that are not the reference's."""
    variants = import_module("variety").VARIANTS
    names = SPELLINGS_OF_PAIRS if assignment.name == "day5" else SPELLINGS
    return [variants[name].submission(assignment.name) for name in names]


def half_wrong(assignment: Assignment, count: int) -> list[str]:
    """Return a class of which one half is right.

    The other half has known mistakes, random slips, and stubs with the first answers written. Students share errors:
    the commonest is twice as common as the second, and so on.
    """
    rng = random.Random(assignment.name)  # noqa: S311  the same class in every run
    pool = [*mistakes(assignment, rng, 24), *slips(assignment, 12), *half_done(assignment, rng, 12)]
    rng.shuffle(pool)
    wrong = rng.choices(pool, [1 / rank for rank in range(1, 1 + len(pool))], k=count // 2)
    works = [*wrong, *repeated(right(assignment), count - len(wrong))]
    rng.shuffle(works)
    return works


def lectures(assignment: Assignment) -> list[str]:
    """Return three right submissions as notebooks of a lecture: with 100 further cells and a training loop."""
    return [lecture(text, TRAINING[assignment.name]) for text in right(assignment)[:3]]


def lecture(text: str, training: str) -> str:
    """Spread 100 cells below the class; the training loop is the last cell."""
    cells = [part for part in re.split(r"^# %%\n", text, flags=re.MULTILINE) if part.strip()]
    first = next(i for i, cell in enumerate(cells) if "class Value" in cell) + 1
    share = -(-100 // len(cells[first:]))
    demos = (DEMOS[i % len(DEMOS)] for i in range(100))
    for place in range(first, len(cells)):
        cells[place] = "\n# %%\n".join(
            [cells[place], *(cell for _, cell in zip(range(share), demos, strict=False))]
        )
    return "\n\n".join(
        f"# %%\n{cell}" for cell in [*cells, re.sub(r"^ {8}", "", training, flags=re.MULTILINE)]
    )


def repeated(texts: Sequence[str], count: int) -> list[str]:
    """Return so many of the texts, in turn."""
    return [texts[i % len(texts)] for i in range(count)]


def mistakes(assignment: Assignment, rng: random.Random, count: int) -> list[str]:
    """Return the reference with mistakes, known or told by facts."""
    texts = [*import_module("course_works").mistakes(assignment.name).values()]
    return rng.sample(texts, min(count, len(texts)))


def slips(assignment: Assignment, count: int) -> list[str]:
    """Return the reference with random slips in the rules of this day's class."""
    slipped, submission = import_module("slipped"), import_module("reading").submission
    day = assignment.name
    asked = set(assignment.manifest.operations or ()) - {"tanh"}  # a function of its own on day 2

    def drawn() -> Iterator[str]:
        for seed in range(1000):
            shape, rules = slipped.drawn(seed)
            if shape in {"closures", "switch"} and any(rule.slip and rule.name in asked for rule in rules):
                yield submission(day, slipped.engine(rules, shape))

    return [text for text, _ in zip(drawn(), range(count), strict=False)]


def half_done(assignment: Assignment, rng: random.Random, count: int) -> list[str]:
    """Return stubs of which the first answers are written; the first stub has none."""
    parts = import_module("blanks").SOLUTION.split(assignment.reference.read_text(encoding="utf-8"))
    written = [0, *(rng.randrange(1, len(parts) // 2) for _ in range(count - 1))]
    return [
        "".join(
            strip_solutions(part, "stub")[0] if i % 2 and i > 2 * n else part for i, part in enumerate(parts)
        )
        for n in written
    ]
