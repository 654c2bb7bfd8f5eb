"""A trace made by hand: the diamond in an engine that forgets the first contribution to a node used twice."""

from __future__ import annotations

from grader.report import Trace, TraceInput, TraceNode, TraceStep

WORDS = "b calls its _backward: a.grad becomes 6; it held 9 and should become 15."
_FORWARD = [TraceStep("forward", node, [(node, value)]) for node, value in enumerate([2.0, 3.0, 6.0, 18.0])]
_SAME = [
    TraceStep("seed", 3, [(3, 1.0)]),
    TraceStep("call", 3, [(1, 6.0), (2, 3.0)]),
    TraceStep("call", 2, [(0, 9.0)]),
]
DIAMOND = Trace(
    given="a = 2 in b = a + 1, c = a * 3, d = b * c",
    nodes=[
        TraceNode("a"),
        TraceNode("b", "+", [TraceInput(0, local=1.0), TraceInput(None, 1.0, 1.0)]),
        TraceNode("c", "*", [TraceInput(0, local=3.0), TraceInput(None, 3.0, 2.0)]),
        TraceNode("d", "*", [TraceInput(1, local=6.0), TraceInput(2, local=3.0)]),
    ],
    student=[*_FORWARD, *_SAME, TraceStep("call", 1, [(0, 6.0)])],
    right=[*_FORWARD, *_SAME, TraceStep("call", 1, [(0, 15.0)])],
    wrong=7,
    words=WORDS,
)
