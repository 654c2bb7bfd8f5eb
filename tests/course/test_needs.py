"""A check uses what its `needs` name, and nothing else: where one operation is broken, all others are judged or wait."""

from __future__ import annotations

import ast

import pytest
from helpers import reference
from judged import judging, with_outcome
from sampled import every

from grader.report import Outcome

BREAK = """

# %%
def broken(*_, **__):
    raise ZeroDivisionError("broken")
"""
# Methods of the engine, and functions that are broken alone, each with the checks that ask for it by themselves.
ALONE = {
    "day4": {
        **{key: {"add_multiply"} for key in ["__add__", "__radd__", "__mul__", "__rmul__"]},
        **{key: {"subtract"} for key in ["__neg__", "__sub__", "__rsub__"]},
        **{key: {"divide"} for key in ["__truediv__", "__rtruediv__"]},
        "__pow__": {"power"},
        **{name: {name} for name in ("exp", "tanh", "relu", "backward")},
        "zero_grad": {"zero_grad"},
        **{key: {"gradient_descent"} for key in ["descend", "train"]},
        "chain_gradient": {"chain_products"},
    },
    "day5": {  # local_grads looks at each operation
        **{key: {"local_grads", "add_multiply"} for key in ["__add__", "__mul__", "__radd__"]},
        **{
            key: {"local_grads", "subtract_divide"}
            for key in ["__neg__", "__sub__", "__rsub__", "__truediv__", "__rtruediv__"]
        },
        "__rmul__": {"add_multiply"},
        "__pow__": {"local_grads", "power"},
        **{key: {"local_grads", "one_input"} for key in ["exp", "tanh", "relu"]},
        "meaning": {"meaning"},
    },
    "day6": {
        "unbroadcast": {"unbroadcast"},
        "__add__": {"add"},
        "__mul__": {"multiply", "means"},  # the reference's mean is a sum times a number
        "__rmul__": {"multiply"},
        "backward": {"backward"},
        "__matmul__": {"matmul"},
        "sum": {"sums", "means"},
        "mean": {"means"},
        **{key: {"one_input"} for key in ["__pow__", "exp", "log", "tanh", "relu"]},
        "__getitem__": {"rows"},
    },
    "day7": {
        **{name: {name} for name in "log_softmax cross_entropy numeric_gradient batches train".split()},
        **{name: {name} for name in "accuracy dead_units".split()},
        **{key: {"linear"} for key in ["Linear.__call__", "Linear.parameters"]},
        **{key: {"mlp"} for key in ["MLP.__call__", "MLP.parameters"]},
        "SGD.step": {"sgd"},
        "SGD.zero_grad": {"zero_grad"},
    },
}


def place_of(name: str, source: str) -> str:
    """Return where the name is defined: a function of the module, or a method of the engine's class."""
    functions = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    engine = "Tensor" if "class Tensor" in source else "Value"
    return name if "." in name or name in functions - {"backward"} else f"{engine}.{name}"


@pytest.mark.parametrize(
    ("day", "names"),
    [
        pytest.param("day4", ["__mul__", "exp", "backward"], id="day4, some"),
        *(pytest.param(day, every(3, alone), id=day, marks=pytest.mark.ci) for day, alone in ALONE.items()),
    ],
)
def test_an_operation_that_is_broken_fails_its_own_checks(day: str, names: list[str]) -> None:
    """All others pass or wait for one that failed."""
    source = reference(day)
    with judging(day) as judged:
        failed = {
            name: with_outcome(
                judged(f"{source}{BREAK}\n{place_of(name, source)} = broken\n"), Outcome.FAILED
            )
            for name in names
        }

    assert failed == {name: ALONE[day][name] for name in names}
