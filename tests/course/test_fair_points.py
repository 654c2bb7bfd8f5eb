"""One slip costs what it is worth, and what is told first is a check that is wrong; lazy work earns little.

The slips and their bounds stand in tests/support/slip_table.py and fair.py; bench/slips.py prints what each of them costs.
"""

from __future__ import annotations

import pytest
from blanks import blanks, lazy
from fair import FREE, NOT_OTHERWISE, WHOLE, all_slips, cost_of, problems
from helpers import reference
from judged import grading, judging, with_outcome
from sampled import every
from slip_table import DAYS, changed

from grader.grading.verdicts import score_of
from grader.report import Outcome

COMMON = {
    "day2": ("*  wrong sign, self", "+  earlier node for equal numbers"),
    "day3": ("*  wrong sign, other", "backward: `reversed` forgotten"),
    "day4": ("+  wrong sign, self", "backward: the seed forgotten"),
    "day5": ("*  own value", "backward: the seed forgotten"),
}
# The points that lazy notebooks may earn at most; the others earn none. One right operation earns its own check, and the
# engines of days 2 to 4 are of one kind, so one of them alone is right work for another of these days.
LAZY = {
    ("day2", "the engine of day3 alone"): 35,
    ("day2", "the engine of day4 alone"): 35,
    ("day2", "the engine of day5, all else right"): 45,  # all answers on paper are right
    ("day2", "null: all ones"): 0.63,  # one answer of the quiz is 1
    ("day3", "only list every node once, children before parents"): 20,
    ("day3", "the walk alone"): 90,  # all that day 3 asks for; its engine is day 2's
    ("day3", "the engine of day4 alone"): 5,
    ("day3", "the engine of day5 alone"): 5,
    ("day3", "the engine of day5, all else right"): 10,
    ("day4", "only Value.__pow__"): 8,
    ("day4", "only Value.exp"): 5,
    ("day4", "only Value.tanh"): 5,
    ("day4", "only Value.relu"): 6,
    ("day4", "only chain_gradient"): 2,
    ("day4", "the engine of day2 alone"): 17,
    ("day4", "the engine of day3 alone"): 27,
    ("day4", "the engine of day5 alone"): 75,
    **{("day5", f"only Value.{name}"): 0.84 for name in "__add__ __neg__ __sub__ __truediv__".split()},
    **{("day5", f"only Value.{name}"): 0.84 for name in "exp tanh relu".split()},
    ("day5", "only Value.__mul__"): 1.67,
    ("day5", "only Value.__pow__"): 6.67,
    ("day5", "only meaning"): 7.5,
    ("day5", "only build_topo"): 5,
    ("day5", "the walk alone"): 5,
    ("day5", "the engine of day2, all else right"): 25,
    ("day5", "the engine of day3, all else right"): 30,  # its build_topo is right for its own nodes
    ("day5", "the engine of day3 alone"): 5,
    ("day5", "the engine of day4, all else right"): 25,
    ("day5", "null: all zeros"): 1.25,  # f_in_truth is 0
}


# Operations whose closures day 2 has too: of their slips half as many are made on these days.
AGAIN = {"day3": ("+  ", "*  ", "tanh  "), "day4": ("+  ", "*  ", "tanh  ")}


def to_make(day):
    """The names of a day's slips but the common: every second, and few of those in a closure."""
    names = [slip.name for slip in all_slips(day) if slip.name not in COMMON[day]]
    closures = [name for name in names if "  " in name]
    again = [name for name in closures if name.startswith(AGAIN.get(day, ()))]
    others = [name for name in closures if name not in again]
    made = {*every(160, again), *every(32 if day == DAYS[0] else 80, others)}
    made.update(every(2, [name for name in names if name not in closures]))
    return [name for name in names if name in made]


def unfair(day, chosen):
    """The problems of the slips with the chosen names."""
    with grading(day) as graded:
        found = {
            slip.name: problems(slip, cost_of(graded(slip.source)))
            for slip in all_slips(day)
            if slip.name in chosen
        }
    assert found.keys() == set(chosen)
    return {name: told for name, told in found.items() if told}


@pytest.mark.parametrize("day", DAYS)
def test_common_slips_cost_what_they_are_worth(day):
    """The commonest slips of each day."""
    assert unfair(day, COMMON[day]) == {}


@pytest.mark.whole
@pytest.mark.parametrize("day", DAYS)
def test_every_slip_costs_what_it_is_worth(day):
    """No slip costs more than its bound, none is free, and the first check that is told is one of its own."""
    assert unfair(day, to_make(day)) == {}


@pytest.mark.ci
@pytest.mark.parametrize("day", DAYS)
def test_lazy_work_earns_little(day):
    """A stub with one method written, the walk alone, another day's engine, null engines."""
    sources = lazy(day)
    with judging(day) as judged:
        points = {name: score_of(judged(sources[name]).values()) for name in every(4, sources)}

    assert None not in points.values()

    allowed = {name: LAZY.get((day, name), 0) for name in points}
    assert {name: earned for name, earned in points.items() if earned > allowed[name]} == {}
    assert {name for of, name in LAZY if of == day} <= sources.keys()


def test_exceptions_are_slips():
    """Each exception from the bounds is one of the slips."""
    assert {*NOT_OTHERWISE, *FREE, *WHOLE} <= {
        (slip.day, slip.name) for day in DAYS for slip in all_slips(day)
    }


def test_every_blank_is_a_slip():
    """Each blank is left alone once, and each slip is another notebook."""
    for day in DAYS:
        found = all_slips(day)
        assert len(blanks(day)) >= 5
        assert len({slip.name for slip in found}) == len({slip.source for slip in found}) == len(found)


def test_an_edit_that_does_not_occur_is_an_error():
    """Also one that occurs in another function, and one that occurs twice."""
    source = "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        y = 1\n        z = 1\n"

    assert changed(source, [("y = 1", "y = 2")], "g(self") == source.replace("y = 1", "y = 2")
    for text in ("x = 1", " = 1"):
        with pytest.raises(AssertionError, match="times"):
            changed(source, [(text, "y = 2")], "g(self")


# --- Days 3 and 5 judge `backward` apart from `build_topo`: a wrong sort costs no more than the checks of sorts

LIST = "    return order\n"
WALK = "in reversed(build_topo(root)):"
METHOD = "Value.backward = backward"
OF_SORTS = {"build_topo", "diamond", "shared_nodes", "pytorch_parity"}
OF_WALKS = {"reverse_order", "seed", "accumulates"}

APART3 = {
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
APART5 = {
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


@pytest.mark.ci
@pytest.mark.parametrize(
    ("day", "apart"),
    [pytest.param("day3", APART3, id="day3"), pytest.param("day5", APART5, id="day5", marks=pytest.mark.ci)],
)
def test_a_right_walk_earns_its_checks_beside_a_wrong_sort(day, apart):
    """But not a lone function in an empty notebook."""
    failing = {}
    with judging(day) as judged:
        for name, (changes, _) in apart.items():
            checks = judged(changed(reference(day), changes))
            failing[name] = checks.keys() - with_outcome(checks, Outcome.PASSED)

    assert failing == {name: lost for name, (_, lost) in apart.items()}
