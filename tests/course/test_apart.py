"""Days 3 and 5 judge `backward` apart from `build_topo`: a wrong sort costs no more than the checks of sorts."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

import pytest
from helpers import reference
from oneslip import judging, with_outcome

from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import CheckResult

LIST = "    return order\n"
WALK = "in reversed(build_topo(root)):"
METHOD = "Value.backward = backward"
OF_SORTS = {"build_topo", "diamond", "shared_nodes", "pytorch_parity"}
OF_WALKS = {"reverse_order", "seed", "accumulates"}

SLIPS = {
    "root first": ([(LIST, "    return order[::-1]\n")], OF_SORTS),
    "root first, and not reversed": (
        [(LIST, "    return order[::-1]\n"), (WALK, "in build_topo(root):")],
        {"build_topo"},
    ),
    "no list": ([(LIST, "")], OF_SORTS | {"deep_chain"}),
    "a blank": ([(LIST, '    raise NotImplementedError("sort")\n')], OF_SORTS | {"deep_chain"}),
    "another name": ([("def build_topo", "def sort")], OF_SORTS | {"deep_chain"}),
    "a blank, and no method": (
        [(LIST, '    raise NotImplementedError("sort")\n'), (METHOD, "")],
        OF_SORTS | OF_WALKS | {"deep_chain"},
    ),
    "the sort itself reversed, and no method": (
        [(WALK, "in reversed(build_topo):"), (METHOD, "")],
        OF_WALKS | {"diamond", "shared_nodes", "pytorch_parity"},
    ),
    "not reversed": (
        [(WALK, "in build_topo(root):")],
        {"reverse_order", "diamond", "shared_nodes", "pytorch_parity"},
    ),
}


OF_DAY5 = {"build_topo", "agreement"}
SLIPS_OF_DAY5 = {
    "root first": ([("    return topo\n", "    return topo[::-1]\n")], OF_DAY5),
    "no list": ([("    return topo\n", "")], OF_DAY5),
    "a blank": ([("    return topo\n", '    raise NotImplementedError("sort")\n')], OF_DAY5),
    "day 3's children": ([("in node._children)\n    return", "in node._prev)\n    return")], OF_DAY5),
    "by data": (
        [("node not in visited", "node.data not in visited"), ("add(node)", "add(node.data)")],
        OF_DAY5,
    ),
    "kept": (
        [('build_topo(root):\n    "', 'build_topo(root, topo=[]):\n    "'), ("    topo = []\n", "")],
        {"build_topo"},
    ),
    "not reversed": (
        [("in reversed(build_topo(root)):", "in build_topo(root):")],
        {"backward", "reads_pairs", "shared_nodes", "agreement"},
    ),
}


@pytest.fixture(scope="module")
def failing():
    """Return a function: day, changes of the reference -> the checks that do not pass."""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def judged(day: str) -> Callable[[str], dict[str, CheckResult]]:
            return stack.enter_context(judging(day))

        def failing(day: str, changes: list[tuple[str, str]]) -> set[str]:
            source = reference(day)
            for old, new in changes:
                assert source.count(old) == 1, old
                source = source.replace(old, new)
            checks = judged(day)(source)
            return checks.keys() - with_outcome(checks, Outcome.PASSED)

        yield failing


@pytest.mark.parametrize(
    ("day", "slip"),
    [*(("day3", slip) for slip in SLIPS.values()), *(("day5", slip) for slip in SLIPS_OF_DAY5.values())],
    ids=[*SLIPS, *SLIPS_OF_DAY5],
)
def test_what_a_slip_costs(failing, day: str, slip: tuple[list[tuple[str, str]], set[str]]) -> None:
    """A right walk earns its checks beside a wrong sort, but not a lone function in an empty notebook."""
    changes, lost = slip
    assert failing(day, changes) == lost
