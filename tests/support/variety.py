"""Engines that are right in another way, each at the days that it fits: the files of tests/course/variants, and edits."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from helpers import cells
from sampled import WHOLE
from slip_table import Edit, changed

from grader.assignment import Course
from grader.authoring.reference import parse_source

FOLDER = Path(__file__).resolve().parents[1] / "course" / "variants"
COURSE = Course.find(FOLDER)
FITS = re.compile(r"# days: (.+)")
DAY = re.compile(r"(day\d)(?: but (\w+))?")
ENGINE = {"Value", "Value.tanh"}  # what every variant defines, however it does


@dataclass(frozen=True)
class Variant:
    """An engine, and for each day that it fits the check that its style cannot pass, if there is one."""

    name: str
    source: str
    days: dict[str, str | None]

    @classmethod
    def of(cls, name: str, source: str) -> Variant:
        """Return the variant of a source, whose first line names the days."""
        first = FITS.fullmatch(source.partition("\n")[0])
        assert first, f"{name}: the first line names the days, such as `# days: day2, day3 but deep_chain`"
        days = [DAY.fullmatch(text) for text in first[1].split(", ")]
        assert all(days), f"{name}: {first[1]}"
        return cls(name, source, {day[1]: day[2] for day in days})

    def submission(self, day: str) -> str:
        """The day's reference in percent format, with this engine instead of its own."""
        body = ast.parse(self.source).body
        mine = ENGINE | {part.name for part in body if isinstance(part, ast.ClassDef | ast.FunctionDef)}
        replaced = [i for i, source in enumerate(cells(day)) if mine & defined_names(source)]
        kept = [(i, source) for i, source in enumerate(cells(day)) if i not in replaced]
        sources = [source for _, source in sorted([*kept, (replaced[0], self.source)])]
        return "\n\n".join(f"# %%\n{source}" for source in sources)


def defined_names(source: str) -> set[str]:
    """The names that a cell of the author's defines or deletes at its top level; `Box.x` is one."""
    names: set[str] = set()
    for node in parse_source(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            names.update(ast.unparse(part) for target in targets for part in _parts(target))
    return names


def _parts(target: ast.expr) -> list[ast.expr]:
    """`a` and `b` of `a, b = ...`; else the target itself."""
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


# Variants that differ from another in a few lines: its name, and what is replaced in it.
OWN_GRADIENT = [
    ("lambda gradient: None", "lambda: None"),
    ("def _backward(gradient):", "def _backward():"),
    ("slope * gradient", "slope * out.grad"),
    ("node._backward(node.grad)", "node._backward()"),
]
WRAP = "        other = other if isinstance(other, Value) else Value(other)\n"
EDITED: dict[str, tuple[str, list[Edit]]] = {
    "single_precision": (
        "numpy_scalars",
        [
            (
                "# numpy's functions, so that data and gradients become numpy scalars.",
                "# Single precision, as somebody who comes from PyTorch has it: numpy scalars of 32 bits.",
            ),
            ("np.float64(2) * value", "np.float32(2) * value"),
            ("np.float64(data)", "np.float32(data)"),
            ("np.float64(0)", "np.float32(0)"),
            ("np.where(self.data > 0, 1.0, 0.0)", "np.float32(self.data > 0)"),
            ("np.ones(1)[0]", "np.float32(1)"),
        ],
    ),
    "pairs_single_precision": (
        "pairs_numpy",
        [
            (
                "# Local gradients in a numpy array, children in a tuple.",
                "# Single precision throughout, with local gradients in an array.",
            ),
            ("np.float64(data)", "np.float32(data)"),
            ("np.float64(0.0)", "np.float32(0.0)"),
            ("_local_grads, dtype=float", "_local_grads, dtype=np.float32"),
            ("np.ones(2)", "np.ones(2, dtype=np.float32)"),
            ("np.float64(1)", "np.float32(1)"),
        ],
    ),
    "returns_its_input": (
        "closures_take_the_gradient",
        [
            (
                "# Each closure is given the gradient of its result.",
                "# What changes nothing returns its input itself: "
                "an open relu, a sum with 0, a product with 1, a second minus.",
            ),
            *OWN_GRADIENT,
            *(
                (
                    f"__{name}__(self, other):\n{WRAP}",
                    f"__{name}__(self, other):\n"
                    f"        if isinstance(other, int) and other == {number}:\n"
                    f"            return self\n{WRAP}",
                )
                for name, number in (("add", 0), ("mul", 1))
            ),
            (
                "return self * -1\n",
                'if self._op == "-":\n            return self._prev[0]\n'
                '        return self.made(-self.data, "-", (self, -1.0))\n',
            ),
            (
                'return self.made(max(self.data, 0.0), "relu", (self, float(self.data > 0)))',
                "return self if self.data > 0 else Value(0.0)",
            ),
        ],
    ),
    "walk_asks_for_leaves": (
        "closures_take_the_gradient",
        [
            (
                "# Each closure is given the gradient of its result.",
                "# A node knows whether it is a leaf, how deep it lies, and which operation made it; "
                "the walk asks for all three.",
            ),
            *OWN_GRADIENT,
            (
                "        self._backward = lambda: None\n",
                "        self.is_leaf, self.depth = True, 0\n        self._backward = None\n",
            ),
            (
                "slopes_of], op)\n",
                "slopes_of], op)\n"
                "        out.is_leaf, out.depth = False, 1 + max(node.depth for node, _ in slopes_of)\n",
            ),
            (
                "order, found = [], set()\n\n        def visit(node):\n            if node not in found:",
                "found, waiting = set(), [self]\n        while waiting:\n            node = waiting.pop()\n"
                "            if node not in found and not node.is_leaf:",
            ),
            (
                "for each in node._prev:\n                    visit(each)\n"
                "                order.append(node)\n\n        visit(self)\n",
                "waiting.extend(node._prev)\n",
            ),
            (
                "in reversed(order):\n",
                "in sorted(found, key=lambda node: -node.depth):\n            assert node._op\n",
            ),
        ],
    ),
}


def _sources() -> dict[str, str]:
    """Return the sources of all variants by name."""
    found = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")}
    found |= {name: changed(found[base], edits) for name, (base, edits) in EDITED.items()}
    return dict(sorted(found.items()))


VARIANTS = {name: Variant.of(name, source) for name, source in _sources().items()}
# Closures, a switch, slots, classes and pairs; gradients of None and of float32; what is computed late, or not at all.
TWELVE = set(
    "lecture_set grad_none_list match_one_method operation_classes slots_partial single_precision clears_first "
    "lazy_numbers returns_its_input pairs_closures_too pairs_none_grad pairs_numpy".split()
)
SAMPLE = [variant for variant in VARIANTS.values() if WHOLE or variant.name in TWELVE]
