"""What is about gradients: the PyTorch oracle, random graphs, the plain nodes that log a walk."""

from grader.autograd.engines import trusted_engine
from grader.autograd.graphs import OPERATIONS, random_graph
from grader.autograd.nodes import choice, plain_nodes, trusted, visit_order, walk
from grader.autograd.parity import Case, Oracle, ParityUnavailable

__all__ = [
    "OPERATIONS",
    "Case",
    "Oracle",
    "ParityUnavailable",
    "choice",
    "plain_nodes",
    "random_graph",
    "trusted",
    "trusted_engine",
    "visit_order",
    "walk",
]
