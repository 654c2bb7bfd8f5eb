"""Wrong work that has the numbers of a known mistake, or right ones, and not its cause: what is told of it, and what is not."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import pytest
from helpers import reference
from judged import grading

from grader.render.words import reading_words

HEAD_OF_LOOP = "    shifted = z - z.data.max(axis=1, keepdims=True)\n"
ROW_BY_ROW = """\
    m = []
    for row in z.data:
        best = 0
        for score in row:
            if score > best:
                best = score
        m.append([best])
    shifted = z - np.array(m)
"""
ZEROS = "            parameter.grad = np.zeros_like(parameter.data)\n"
PICKED = """\
    hot = np.eye(scores)[targets]
    return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)
"""
CLOSURE = """\
    lp = log_softmax(z)
    out = Tensor(-lp.data[np.arange(rows_of_z), targets].mean(){inputs})

    def _backward():
        p = np.exp(lp.data)
        p[np.arange(rows_of_z), targets] -= 1
        z.grad += p / rows_of_z * out.grad

{attached}    return out
"""
UNBROADCAST = '''
def unbroadcast(grad, shape):
    """Return `grad` summed over what broadcasting repeated: an array of this shape."""
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
'''
CALL = """\
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)
"""


@dataclass(frozen=True)
class Work:
    """A reference with edits: the check that it loses, words that are told there, and words that are not."""

    check: str
    edits: dict[str, str]
    told: str
    untold: tuple[str, ...] = ()
    day: str = "day7"
    line: str = ""  # the place that is shown


WORKS = {
    "a new Value for each parameter": Work(
        "zero_grad",
        {
            "parameter.grad = 0.0": "parameter = Value(parameter.data)",
            "        loss = loss_of()\n        loss.backward()": "        loss.backward()",
            "    losses = []\n    for _": "    losses = []\n    loss = loss_of()\n    for _",
        },
        "After zero_grad([a, b, c]) all gradients are as they were: set `parameter.grad` with one `=`.",
        day="day4",
    ),
    "data in the place of gradients": Work(
        "zero_grad",
        {
            "parameter.grad = 0.0": "parameter.data = 0.0",
            "parameter.data -= rate * parameter.grad": "parameter = parameter - rate * parameter.grad",
        },
        "After zero_grad([a, b, c]) all gradients are as they were, and a.data has changed: set `parameter.grad`, and leave data",
        day="day4",
    ),
    "the size that a gradient should have": Work(
        "traps", {"trap_size = 32": "trap_size = 4"}, "4 is the size that b.grad should have.", day="day6"
    ),
    "a search for the largest that begins at 0": Work(
        "log_softmax",
        {HEAD_OF_LOOP: ROW_BY_ROW},
        "not the largest score of the row, which is below 0, too. Does a search for the largest begin at 0?",
        ("largest score of the whole matrix",),
    ),
    "a sum that z is not asked for": Work(
        "log_softmax",
        {
            "    return shifted - shifted.exp().sum(axis=1, keepdims=True).log()\n": (
                "    total = shifted.exp().sum(axis=1)\n"
                "    return shifted - Tensor(np.log(total.data.reshape(-1, 1)))\n"
            )
        },
        "z gets the upstream gradient and nothing more, as if the logarithm of the sum were a plain number.",
    ),
    "a closure without inputs": Work(
        "cross_entropy",
        {PICKED: CLOSURE.format(inputs="", attached="    out._backward = _backward\n")},
        "the gradient ends at z: x has none. Does the result know that it was made from z?",
    ),
    "a closure that nothing calls": Work(
        "cross_entropy",
        {PICKED: CLOSURE.format(inputs=", (z,)", attached="")},
        "No gradient reaches z: the `_backward` of cross_entropy(z, [2, 0, 3]) is the one that every new Tensor has.",
    ),
    "zero_grad takes momentum away": Work(
        "zero_grad",
        {ZEROS: f"{ZEROS}        self.momentum = 0.0\n"},
        "zero_grad changes `momentum` of the optimizer from 0.5 to 0.",
        ("clears the velocities",),
    ),
    "momentum that is not kept": Work(
        "sgd",
        {"self.momentum = momentum\n": "self.momentum = 0.0\n"},
        "SGD keeps the momentum that it is given",
        ("Either momentum times",),
    ),
    "copies of the parameters": Work(
        "sgd",
        {"self.parameters = list(parameters)": "self.parameters = [Tensor(p.data) for p in parameters]"},
        "The optimizer keeps other Tensors, and not the p and q that it was given: step changes those.",
        ("sets a name of the method's own",),
    ),
    "copies of the parameters, cleared": Work(
        "zero_grad",
        {"self.parameters = list(parameters)": "self.parameters = [Tensor(p.data) for p in parameters]"},
        "The optimizer keeps other Tensors, and not the p and q that it was given: zero_grad changes those.",
        ("sets a name of the method's own",),
    ),
    "each size with itself": Work(
        "mlp", {"zip(sizes, sizes[1:])]": "zip(sizes, sizes)]"}, "the number of layers is 4, expected 3"
    ),
    "new layers in each call": Work(
        "mlp",
        {
            "        self.layers = [Linear(": "        self.sizes, self.rng = sizes, rng\n        self.layers = [Linear(",
            CALL: (
                "        for inputs, outputs in zip(self.sizes, self.sizes[1:]):\n"
                "            x = Linear(inputs, outputs, self.rng)(x)\n"
                "        return x\n"
            ),
        },
        "model(x) called none of the layers in `layers`.",
    ),
    "the last layer twice": Work(
        "mlp",
        {CALL: CALL.replace("[:-1]:", ":")},
        "model(x) called layers[0], layers[1], layers[2], layers[2].",
    ),
    "a return inside the loop": Work(
        "mlp",
        {CALL: CALL.replace("        return", "            return")},
        "model(x) called layers[0], layers[2].",
        line="def __call__(self, x):",
    ),
    "the bias's numbers": Work(
        "linear",
        {"return x @ self.weight + self.bias": "return x @ self.weight + self.bias.data"},
        "No gradient reaches the layer's bias.",
        line="def __call__(self, x):",
    ),
    "velocities that are cleared": Work(
        "zero_grad",
        {ZEROS: f"{ZEROS}        self.velocities = [np.zeros_like(p.data) for p in self.parameters]\n"},
        "zero_grad clears the velocities, too",
        line="def zero_grad(self):",
    ),
    "means over the passes": Work(
        "train",
        {"means.append(sum(losses) / len(losses))": "means.append(sum(losses) / passes)"},
        "train divides the sum of the losses by the number of passes.",
    ),
    "a function of day 6 that was not pasted": Work(
        "learns",
        {UNBROADCAST: ""},
        "The original notebook says: paste unbroadcast and Tensor from day 6 into this cell.",
    ),
    "numbers that are not drawn from rng": Work(
        "linear",
        {"rng.normal(0.0, spread": "np.random.normal(0.0, spread"},
        "Two generators that are alike give layers with other weights. Draw them only from `rng`.",
    ),
}


DECIDES_POINTS = {"a closure without inputs", "means over the passes", "numbers that are not drawn from rng"}


@pytest.fixture(scope="module")
def graded():
    """Return the report of a work."""
    graders = {}
    with contextlib.ExitStack() as stack:

        def report(work: Work):
            source = reference(work.day)
            for old, new in work.edits.items():
                assert source.count(old) == 1, old
                source = source.replace(old, new)
            if work.day not in graders:
                graders[work.day] = stack.enter_context(grading(work.day))
            return graders[work.day](source)

        yield report


@pytest.mark.whole
@pytest.mark.parametrize(
    "name", [name if name in DECIDES_POINTS else pytest.param(name, marks=pytest.mark.ci) for name in WORKS]
)
def test_only_what_was_seen_is_told(graded, name):
    """In the check that the work loses first."""
    work = WORKS[name]
    check = next(check for check in graded(work).checks if check.id == work.check)
    told = " ".join([check.message, *map(reading_words, check.readings), *(m.text for m in check.mistakes)])

    assert check.score < check.max_score
    assert work.told in told, told
    assert not [words for words in work.untold if words in told], told
    assert not work.line or work.line == check.where.text
