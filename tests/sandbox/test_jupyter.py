"""What costs no cell in Jupyter costs none in the jail, where it is cheap and safe."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "display(1, 2, display_id=True)",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "import os; os.environ['PATH'] += os.pathsep + r'C:\\Graphviz\\bin'",
        "import os; os.environ['HOME'], os.environ['USER']",
        "import asyncio; await asyncio.sleep(0)",
        "class A:\n async def __aenter__(self): return 1\n async def __aexit__(self, *_): pass\nasync with A(): pass",
        "%time x = [1]\nassert x == [1]",
        "if True:\n    %time x = 1\nn = %time 1 + x\nassert n == 2",
        "%time for i in [3]: pass",
        "\n  x = 1\n  def f():\n    return x\nassert f() == 1",
        "async def two():\n yield 1\n yield 2\nasync for n in two(): pass\nn = [n async for n in two()]",
    ],
)
def test_a_cell_runs_as_in_jupyter(jail, line):
    """It ends, and so do the lines after it."""
    box = jail(f"{line}\nreached = 1")
    assert (box.errors, box.get("reached")) == ({}, 1)


def test_what_needs_an_event_loop_fails_that_cell_alone(jail):
    """The jail has none."""
    box = jail(
        "import asyncio\nawait asyncio.sleep(1)",
        "class Wait:\n def __await__(self): yield 1\nawait Wait()",
        "x = 1",
    )
    assert {0, 1} == box.errors.keys()
    assert all("event loop" in str(error) for error in box.errors.values())
    assert box.get("x") == 1


def test_an_error_behind_await_has_its_line(jail):
    """A coroutine is the cell itself."""
    box = jail("async def f(): 1 / 0\n\nawait f()")
    assert [(frame.block, frame.line) for frame in box.errors[0].frames] == [(0, 3), (0, 1)]


def test_no_process_has_these_variables(jail):
    """They are in `os.environ` alone."""
    box = jail("def of(name):\n    return name.encode() in open('/proc/self/environ', 'rb').read()", "")
    with pytest.raises(Exception, match=r"Permission|No such"):
        box.get("of")("HOME")
