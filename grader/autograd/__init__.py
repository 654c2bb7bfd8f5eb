"""What is about gradients: the PyTorch oracle, random graphs, the plain nodes that log a walk."""

from grader.autograd.engines import kept_pairs, kept_slopes, trusted_backward
from grader.autograd.graphs import OPERATIONS, random_graph
from grader.autograd.nodes import choice, plain_nodes, trusted, visit_order, walk
from grader.autograd.parity import Case, Oracle, ParityUnavailable

__all__ = [
    "OPERATIONS",
    "Case",
    "Oracle",
    "ParityUnavailable",
    "choice",
    "kept_pairs",
    "kept_slopes",
    "plain_nodes",
    "random_graph",
    "trusted",
    "trusted_backward",
    "visit_order",
    "walk",
]
