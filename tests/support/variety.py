"""Engines that are right in another way: the files of tests/course/variants, each at the days that it fits."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from helpers import cells
from sampled import WHOLE

from grader.assignment import Course
from grader.authoring.reference import top_level

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
    def read(cls, path: Path) -> Variant:
        source = path.read_text(encoding="utf-8")
        first = FITS.fullmatch(source.partition("\n")[0])
        assert first, f"{path}: the first line names the days, such as `# days: day2, day3 but deep_chain`"
        days = [DAY.fullmatch(text) for text in first[1].split(", ")]
        assert all(days), f"{path}: {first[1]}"
        return cls(path.stem, source, {day[1]: day[2] for day in days})

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
    for node in top_level(source):
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


VARIANTS = [Variant.read(path) for path in sorted(FOLDER.glob("*.py"))]
# Closures, a switch, slots, classes and pairs; gradients of None and of float32; what is computed late, or not at all.
TWELVE = set(
    "lecture_set grad_none_list match_one_method operation_classes slots_partial single_precision clears_first "
    "lazy_numbers returns_its_input pairs_closures_too pairs_none_grad pairs_numpy".split()
)
SAMPLE = [variant for variant in VARIANTS if WHOLE or variant.name in TWELVE]
