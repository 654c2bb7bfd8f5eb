"""A check has a load of its own in each order of sets, and its tests share it, as tests of a module do."""

import pytest

from grader.sandbox import SubmissionStopped
from grader.sandbox.student import Student

COUNTING = """
import sys
sys.runs = getattr(sys, 'runs', 0) + 1
calls = 0
def runs(): return sys.runs
def call():
    global calls
    calls += 1
    return calls
"""


def checked(box, *orders):
    """Begin a check and run a test in each of these orders; how often the cells ran, and how often `call` was called."""
    box.begin_check()
    return [(student.runs(), student.call()) for student in (Student(box, order) for order in orders)]


def test_tests_of_a_check_share_a_load(any_jail):
    """What one test changes, the next one finds."""
    box = any_jail(COUNTING)

    found = checked(box, "forward", "forward", "forward")

    assert [calls for _, calls in found] == [1, 2, 3]
    assert len({runs for runs, _ in found}) == 1


def test_each_check_and_each_order_loads_afresh(any_jail):
    """Nothing of the check before is left, nor of another order of sets."""
    box = any_jail(COUNTING)

    first = checked(box, "forward", "reverse")
    second = checked(box, "reverse", "reverse")

    assert [calls for _, calls in first + second] == [1, 1, 1, 2]
    assert len({runs for runs, _ in first + second}) == 3


def test_a_question_after_a_failure_loads_afresh(any_jail):
    """And so does the next test: what was asked has changed something."""
    box = any_jail(COUNTING)
    box.begin_check()
    student = Student(box)

    first = student.call()
    with student.afresh() as again:
        asked = again.call(), again.call()
    after = Student(box).call()

    assert (first, asked, after) == (1, (1, 2), 1)


def test_a_jail_that_has_ended_is_loaded_again(jail):
    """The tests of a check after one that ended the process have a load."""
    box = jail(COUNTING + "def end():\n    import os\n    os._exit(0)\n")
    box.begin_check()
    with pytest.raises(SubmissionStopped):
        Student(box).end()

    assert Student(box).call() == 1


def test_checks_share_a_load_where_the_time_for_loads_is_over(jail, notes):
    """The report says so."""
    box = jail(COUNTING)

    first = checked(box, "forward", "forward")
    box.budget.reloading = box.limits.total_seconds
    later = checked(box, "forward"), checked(box, "forward")

    assert [calls for _, calls in [*first, *later[0], *later[1]]] == [1, 2, 3, 4]
    assert "the last checks share one run of the cells" in notes(box, COUNTING)


def test_a_module_that_a_cell_replaced(jail):
    """The names of the cells stay the submission's."""
    box = jail("import sys, types\nsys.modules[__name__] = types.ModuleType('other')", "x = 1")

    box.load()

    assert box.get("x") == 1


def test_a_cell_that_used_up_the_memory_is_not_executed_again(jail):
    """What it kept is gone, and the other cells are executed without it."""
    box = jail("hoard = []\nwhile True: hoard.append(bytearray(1 << 20))", COUNTING, memory_mb=100)

    box.load()

    assert box.errors[0].type == "MemoryError"
    assert box.get("runs")() == 2, "in a new jail"
