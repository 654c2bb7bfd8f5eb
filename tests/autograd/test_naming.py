"""What a check asks for is there under another name: the report says under which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from reading import edited, graded

if TYPE_CHECKING:
    from pathlib import Path

    from grader.sandbox import Launcher

RENAMED = {
    ("day1", "leaf", "self.data = data", "self.date = data"): "A Value has `date`, and no `data`.",
    ("day1", "leaf", "self._op = _op", "self.op = _op"): "A Value has `op`, and no `_op`.",
    ("day1", "leaf", "self._prev = ", "self._children = "): "A Value has `_children`, and no `_prev`.",
    ("day4", "tanh", "def tanh", "def tahn"): "A Value has `tahn`, and no `tanh`.",
    ("day1", "leaf", "self.data = data", "data = data"): "",
    ("day1", "leaf", "self.data = data", "self.number = data"): "",
    ("day4", "relu", "def relu", "def rectify"): "",
}


@pytest.mark.parametrize("renamed", RENAMED, ids=lambda renamed: renamed[-1])
def test_the_name_that_is_there_is_told(
    launcher: Launcher, tmp_path: Path, renamed: tuple[str, str, str, str]
) -> None:
    """Beside the error about the name that is not there. A name that is not similar may mean anything."""
    day, name, before, after = renamed

    (report,) = graded(launcher, tmp_path, day, edited(day, (before, after)))

    told = next(check.message for check in report.checks if check.id == name)
    assert re.findall(r"A Value has .*?\.(?= |$)", told) == ([RENAMED[renamed]] if RENAMED[renamed] else [])


@pytest.mark.parametrize("name", ["data", "grad"])
def test_an_attribute_that_no_new_value_has(launcher: Launcher, tmp_path: Path, name: str, snapshot) -> None:
    """The constructor forgets it: told once, at the first check that meets it, beside the line that asked."""
    value = {"data": "data", "grad": "0.0"}[name]

    (report,) = graded(launcher, tmp_path, "day2", edited("day2", (f"self.{name} = {value}", "pass")))

    found = {check.id: check for check in report.checks}
    assert found["add_rule"].message == snapshot
    assert found["add_rule"].where is not None
    assert found["swap_rule"].see == found["tanh_neuron"].see == "add_rule"


def test_a_name_that_only_a_later_test_asks_for(launcher: Launcher, tmp_path: Path, snapshot) -> None:
    """It does not explain the wrong numbers that the message is about, so these are told alone."""
    (report,) = graded(launcher, tmp_path, "day2", edited("day2", ("self.grad = 0.0", "self.data = 0.0")))

    reset = next(check for check in report.checks if check.id == "complex_expression")
    assert reset.message == snapshot
    assert (reset.see, [reading.actual for reading in reset.readings]) == ("", ["0", "0", "0"])
