"""Pairs of slips in different functions, told by words or by a fact, for bench/two_mistakes.py and the test of pairs."""

from __future__ import annotations

import ast
import copy
import itertools
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from helpers import COURSE
from judged import judging, with_outcome
from told_slips import all_ways

from grader.assignment import Course
from grader.authoring.mistakes import apply_mistake
from grader.authoring.reference import reference_blocks
from grader.errors import Broken
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.assignment import Assignment
    from grader.authoring.mistakes import Way
    from grader.submissions.submission import Block

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

DAYS = ("day2", "day3", "day4", "day5", "day6", "day7")

# Pairs whose faults cancel, with the checks that pass with both and fail with one: what they compute is right.
CANCEL = {
    # A bias of the wrong shape that no layer adds.
    ("day7", "linear_bias_of_inputs.0", "linear_without_bias.0"): {"learns"},
}


class Pair(NamedTuple):
    """Two mistakes of one day, each in one way, in functions of their own, and the reference with both."""

    day: str
    first: Way
    second: Way
    blocks: list[Block]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the mistakes, each with the index of its way."""
        return (
            f"{self.first.mistake.name}.{self.first.number}",
            f"{self.second.mistake.name}.{self.second.number}",
        )


def functions_edited(before: Sequence[Block], after: Sequence[Block]) -> set[str] | None:
    """Return the names of the functions whose own lines differ; None if any line outside of functions does."""
    if len(before) != len(after):
        return None
    edited = set()
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old.source == new.source:
            continue
        try:
            (outside, *olds), (outside_now, *news) = map(_parts, (old.source, new.source))
        except SyntaxError:
            return None  # a magic: code in a notebook, a comment in a reference
        if outside != outside_now or len(olds) != len(news):
            return None
        edited |= {f"{number}.{i}" for i, (a, b) in enumerate(zip(olds, news, strict=True)) if a != b}
    return edited


def _parts(source: str) -> list[str]:
    """Return the code outside of functions and the body of each function, as texts, without what is in functions inside."""
    tree = ast.parse(source)
    functions = list(_functions(tree))
    bodies = [copy.copy(function.body) for function in functions]
    for function in functions:
        function.body = []
    return [ast.dump(tree), *("".join(map(ast.dump, body)) for body in bodies)]


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def pairs(assignment: Assignment) -> list[Pair]:
    """Return every pair of a day whose edits are in functions, in different ones, and can be made together."""
    reference = reference_blocks(assignment)
    edited = [(way, functions_edited(reference, way.blocks)) for way in all_ways(assignment)]
    found = []
    for (first, names), (second, others) in itertools.combinations(edited, 2):
        if not names or not others or names & others:
            continue
        try:
            both = apply_mistake(first.blocks, second.mistake, second.number)
        except Broken:  # the text of the second edit is gone, or is there twice
            continue
        found.append(Pair(assignment.name, first, second, both))
    return found


@contextmanager
def open_checks(day: str) -> Iterator[tuple[Assignment, Callable[[Sequence[Block]], set[str]]]]:
    """Yield a day and a function that returns the checks that blocks of source do not pass, by all tests."""
    known: dict[tuple[str, ...], set[str]] = {}
    with judging(day) as judged:

        def not_passed(blocks: Sequence[Block]) -> set[str]:
            key = tuple(block.source for block in blocks)
            if key not in known:
                checks = judged(blocks)
                known[key] = checks.keys() - with_outcome(checks, Outcome.PASSED)
            return known[key]

        yield Course(COURSE).assignment(day), not_passed


def gained(pair: Pair, not_passed: Callable[[Sequence[Block]], set[str]]) -> set[str]:
    """Return the checks that fail with one mistake of the pair and pass with both, without those that are listed."""
    with_both = not_passed(pair.blocks)
    alone = not_passed(pair.first.blocks) | not_passed(pair.second.blocks)
    return alone - with_both - CANCEL.get((pair.day, *pair.names), set())
