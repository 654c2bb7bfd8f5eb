"""What is about gradients: the PyTorch oracle, random graphs, links between nodes, plain nodes that log a walk."""

from grader.autograd.engines import trusted_backward, trusted_engine
from grader.autograd.graphs import OPERATIONS, random_graph
from grader.autograd.kept import kept_pairs, kept_slopes
from grader.autograd.links import assert_made_from, children, reached, remembers
from grader.autograd.nodes import judge_order, plain_nodes, trusted, visit_order, walk
from grader.autograd.parity import Case, Oracle, ParityUnavailable

__all__ = [
    "OPERATIONS",
    "Case",
    "Oracle",
    "ParityUnavailable",
    "assert_made_from",
    "children",
    "judge_order",
    "kept_pairs",
    "kept_slopes",
    "plain_nodes",
    "random_graph",
    "reached",
    "remembers",
    "trusted",
    "trusted_backward",
    "trusted_engine",
    "visit_order",
    "walk",
]
