"""The trace of a check in the terminal: both walks as a table, the first difference marked."""

from __future__ import annotations

import re

import pytest
from helpers import same_as_snapshot
from walks import (
    CALL_L,
    CALL_P,
    CALL_Q,
    CALL_S,
    FORWARD,
    NODES,
    RIGHT,
    SEED,
    A,
    B,
    L,
    P,
    Q,
    S,
    chain,
    made_trace,
)

from grader.render.walk import walk_text
from grader.report import CheckResult, Outcome, Trace, TraceNode, TraceStep


def result(of: Trace | None, outcome: Outcome = Outcome.FAILED) -> CheckResult:
    """A check with this trace."""
    title = "A value on two paths: L = (a·b + c)·(a + b), walked in complex_order."
    return CheckResult("complex_expression", title, outcome, 0.0, 15.0, "visible", trace=of)


def numbered(page: str) -> list[int]:
    """The steps that a page shows."""
    return [int(found) for found in re.findall(r"^[> ] +(\d+)  ", page, re.MULTILINE)]


def test_right():
    """One column."""
    same_as_snapshot("walk_right", walk_text(result(made_trace(RIGHT), Outcome.PASSED)))


def test_wrong_at_a_call():
    """The call of p forgets what a and b have received already."""
    calls = [CALL_L, CALL_S, CALL_Q, TraceStep("call", P, [(A, 10.0), (B, 15.0)])]
    words = "`p` is called with an upstream gradient of 5: `a.grad` becomes 10, but 12 in a right walk; `b.grad` becomes 15, but 17 in a right walk."
    same_as_snapshot("walk_call", walk_text(result(made_trace([*FORWARD, SEED, *calls], 8, words))))


def test_wrong_in_the_forward_pass():
    """The gradients that follow are wrong, too; the mark is at the first step that is."""
    student = [*FORWARD[:2], TraceStep("forward", S, [(S, 1.0)]), TraceStep("forward", L, [(L, 2.0)])]
    calls = [SEED, TraceStep("call", L, [(Q, 1.0), (S, 2.0)]), CALL_S, CALL_Q, CALL_P]
    words = "`a + b` is 1; a right forward pass gives 5."
    same_as_snapshot("walk_forward", walk_text(result(made_trace([*student, *calls], 2, words))))


def test_another_node_is_called():
    """Each walk has lines of its own: what the student's code calls, and what a right walk calls."""
    words = "`p` is called before `p + c`, so its gradient is not complete when it hands it on."
    student = [*FORWARD, SEED, CALL_L, CALL_S, TraceStep("call", P), CALL_Q]
    same_as_snapshot("walk_order", walk_text(result(made_trace(student, 7, words))))


def test_the_walk_stops():
    """The steps that are missing stand in the right column alone."""
    words = "The walk stops here: nothing that `p + c` and `p` should hand on arrives."
    student = [*FORWARD, SEED, CALL_L, CALL_S]
    same_as_snapshot("walk_stops", walk_text(result(made_trace(student, 7, words))))


def test_an_answer_stays_hidden():
    """Without a right walk there is one column; the step is marked all the same."""
    page = walk_text(
        result(made_trace([*FORWARD, SEED, CALL_L], 5, "This order loses a contribution.", right=[]))
    )

    assert "a right walk" not in page
    assert "> 6  call L" in page
    assert "12" not in page


def test_a_long_walk_is_shown_around_its_difference(snapshot):
    """Without --all the steps before and after are counted."""
    page = walk_text(result(chain(60, 90)))

    assert numbered(page) == [88, 89, 90, 91, 92, 93]
    assert page == snapshot
    assert numbered(walk_text(result(chain(60, 90)), whole=True)) == list(range(1, 120))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    """Long names are shortened."""
    long = [
        node if node.name != "p" else TraceNode("the_product_of_a_and_b_in_one_name", "*", node.inputs)
        for node in NODES
    ]
    student = [*FORWARD, SEED, TraceStep("call", L, [(Q, -1.23457e-05), (S, "an object of the class Value")])]
    page = walk_text(result(made_trace(student, 5, "words " * 30, nodes=long)), width=width)

    assert max(map(len, page.splitlines())) <= width


def test_colour_only_paints():
    """Without its colour codes the text is the same."""
    found = result(made_trace([*FORWARD, SEED, TraceStep("call", L, [(Q, 2.0)])], 5, "words"))
    painted = walk_text(found, colour=True)

    assert "\x1b[31m" in painted
    assert re.sub(r"\x1b\[\d+m", "", painted) == walk_text(found)


def test_hostile_texts_stay_texts():
    """A name begins no line and paints nothing."""
    nodes = [TraceNode("\x1b[31ma\n::error::x"), *NODES[1:]]
    page = walk_text(result(made_trace([*FORWARD, SEED, CALL_L, CALL_S], 7, "::error::\x1b[2J", nodes=nodes)))

    assert "error::" in page
    assert "\x1b" not in page
    assert not re.search(r"^\s*::", page, re.MULTILINE)
