"""The record of a test, and the helper code of checks."""

import pytest
from sandbox.cells import VALUE

from grader.sandbox import (
    Undefined,
)


def test_a_check_may_bring_code_of_its_own(any_jail):
    """It runs in the jail, beside the submission and not in its namespace."""
    box = any_jail("x = 1")

    twice = box.helper("import math\ndef twice(n): return 2 * n", "twice")

    assert twice(4) == 8
    with pytest.raises(Undefined):
        box.get("twice")


def test_what_a_test_read_is_recorded(jail):
    """The record has every value that was read, in order, and the error at the end."""
    box = jail(VALUE, "def fail(): return 1 / 0")
    a = box.get("Value")(2.0)
    assert a.data == 2.0
    with pytest.raises(ZeroDivisionError):
        box.get("fail")()

    labels = [event.label for event in box.record.events]

    assert labels == ["Value(2)", "Value(2).data", "fail()"]
    assert box.record.events[1].value == 2.0
    assert box.record.events[2].value.type == "ZeroDivisionError"


def test_a_load_empties_the_record(jail):
    """The next test begins with an empty record."""
    box = jail(VALUE)
    assert box.get("Value")(2.0).data == 2.0

    box.load()

    assert box.record.events == []


def test_peek_reads_every_instance_that_was_met(jail):
    """The rows have the order in which the objects were met; unreadable attributes say so."""
    box = jail(VALUE, "class Bare:\n    data = property(lambda self: 1 / 0)")
    a = box.get("Value")(2.0)
    a.twice()
    box.get("Bare")()

    rows = box.peek(["data", "grad"])

    assert [row["data"] for row in rows[:2]] == [2.0, 4.0]
    assert [row["grad"] for row in rows[:2]] == [0.0, 0.0]
    assert "it cannot be read" in repr(rows[2])


def test_nothing_is_asked_while_muted(jail):
    """A request raises TypeError while a failure is explained."""
    box = jail(VALUE)
    a = box.get("Value")(2.0)

    with box.refuse_requests(), pytest.raises(TypeError, match="not asked while a failure is explained"):
        a.data  # noqa: B018
    assert a.data == 2.0
