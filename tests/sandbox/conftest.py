"""Jails for the tests of this room: real ones, with one launcher for each file."""

from textwrap import dedent

import pytest

from grader.grading.feedback import load_notes
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox
from grader.submissions.submission import Block, Sources


@pytest.fixture(scope="module")
def launcher():
    """The launcher of all jails of a file."""
    with Launcher() as running:
        yield running


@pytest.fixture(scope="module", params=["fork", "pipe"])
def any_launcher(request, launcher):
    """A launcher that forks its jails, and one that starts an interpreter for each."""
    if request.param == "fork":
        yield launcher
        return
    with Launcher(fork=False) as piped:
        yield piped


@pytest.fixture
def jail(launcher):
    """Load cells in a jail of their own: `jail("x = 1", "y = x", check_seconds=1)`."""
    yield from _opening(launcher)


@pytest.fixture
def any_jail(any_launcher):
    """Do the same in both ways of starting a jail."""
    yield from _opening(any_launcher)


def _opening(launcher):
    opened = []

    def load(*cells, order="forward", imports=(), **limits):
        box = Sandbox(
            launcher, [dedent(cell) for cell in cells], Limits(**{"load_seconds": 4} | limits), imports
        )
        opened.append(box)
        box.load(order)
        return box

    yield load
    for box in opened:
        box.close()


@pytest.fixture
def loaded(launcher):
    """A function: a cell, and what a sandbox takes beside it -> a sandbox that has loaded it without an error."""
    opened = []

    def load(source, imports, *, arrays=False, **limits):
        opened.append(Sandbox(launcher, [source], Limits(**limits), imports, arrays=arrays))
        opened[-1].load()
        assert opened[-1].errors == {}
        return opened[-1]

    yield load
    for box in opened:
        box.close()


@pytest.fixture
def notes():
    """Return the notes on the loading of cells, as the report has them."""

    def load_notes_on(box, *cells):
        blocks = [Block("mine.ipynb", i + 1, 1, cell) for i, cell in enumerate(cells)]
        return " ".join(load_notes(box, Sources(blocks)))

    return load_notes_on
