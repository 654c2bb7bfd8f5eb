"""A desk and the pages of a small class, for the tests of this room."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from markingcourse import essay, hand_in, marking_course

from grader.gradebook.store import Store
from grader.marking.marker import open_desk

GOOD = "Double is called, for example with 2."
WORKS = {
    "ada": essay(GOOD),
    "bob": essay(GOOD.replace(", ", ",\n\n  ")),
    "cy": essay(GOOD.replace("2", "3")),
    "dan": essay("No idea."),
}


@pytest.fixture
def opened(tmp_path):
    """A function that opens a desk on a class of these works."""
    stores = []

    def open_class(works=WORKS, checks=("essay",), **wanted):
        assignment = marking_course(tmp_path / "course")
        folder = hand_in(assignment, works, checks)
        stores.append(store := Store(tmp_path / "course" / "results.db"))

        def again(**wanted):
            return open_desk(assignment, store, folder, **wanted)

        desk = again(**wanted)
        return SimpleNamespace(desk=desk, store=store, again=again, assignment=assignment, folder=folder)

    yield open_class
    for store in stores:
        store.__exit__()
