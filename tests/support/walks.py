"""Traces made by hand: of L = (a * b + c) * (a + b), of a chain, and of a diamond."""

from __future__ import annotations

from grader.report import Trace, TraceInput, TraceNode, TraceStep

# L = (a * b + c) * (a + b); p = a * b, and the two sums have no names.
A, B, C, P, Q, S, L = range(7)
NODES = [
    TraceNode("a"),
    TraceNode("b"),
    TraceNode("c"),
    TraceNode("p", "*", [TraceInput(A, 3.0, 2.0), TraceInput(B, 2.0, 3.0)]),
    TraceNode("p + c", "+", [TraceInput(P, 6.0, 1.0), TraceInput(C, -4.0, 1.0)]),
    TraceNode("a + b", "+", [TraceInput(A, 3.0, 1.0), TraceInput(B, 2.0, 1.0)]),
    TraceNode("L", "*", [TraceInput(Q, 2.0, 5.0), TraceInput(S, 5.0, 2.0)]),
]
FORWARD = [TraceStep("forward", i, [(i, x)]) for i, x in ((P, 6.0), (Q, 2.0), (S, 5.0), (L, 10.0))]
SEED = TraceStep("seed", L, [(L, 1.0)])
CALL_L = TraceStep("call", L, [(Q, 5.0), (S, 2.0)])
CALL_S = TraceStep("call", S, [(A, 2.0), (B, 2.0)])
CALL_Q = TraceStep("call", Q, [(P, 5.0), (C, 5.0)])
CALL_P = TraceStep("call", P, [(A, 12.0), (B, 17.0)])
CALLS = [SEED, CALL_L, CALL_S, CALL_Q, CALL_P]
RIGHT = [*FORWARD, *CALLS]


def made_trace(
    student: list[TraceStep], wrong: int | None = None, words: str = "", **fields: object
) -> Trace:
    """A trace of L."""
    given = "a = 3, b = 2, c = -4 in (a * b + c) * (a + b)"
    fields = {"nodes": NODES, "right": RIGHT, "field": "grad"} | fields
    return Trace(given, student=student, wrong=wrong, words=words, **fields)


def chain(count: int, slip: int) -> Trace:
    """A chain of sums; at one call the student's code hands on nothing."""
    nodes = [
        TraceNode("x0"),
        *(TraceNode(f"x{i}", "+", [TraceInput(i - 1), TraceInput(None, 1.0)]) for i in range(1, count)),
    ]
    forward = [TraceStep("forward", i, [(i, float(i))]) for i in range(1, count)]
    calls = [TraceStep("call", i, [(i - 1, 1.0)]) for i in range(count - 1, 0, -1)]
    right = [*forward, TraceStep("seed", count - 1, [(count - 1, 1.0)]), *calls]
    student = [TraceStep(s.kind, s.node, []) if i == slip else s for i, s in enumerate(right)]
    return Trace("", nodes, student, right, slip, "nothing is handed on.", "grad")


# The diamond in an engine that forgets the first contribution to a node used twice.
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
