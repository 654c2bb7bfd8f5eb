"""One launcher a module, and sheets that several tests read, made once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asked import sheet_of

from grader.sandbox import Launcher
from grader.viva.sheet import Sheet


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """Yield the launcher of all jails of a module."""
    with Launcher() as running:
        yield running


@pytest.fixture(scope="module")
def usual(launcher: Launcher) -> Sheet:
    """The sheet of a right engine, as the command makes it."""
    return sheet_of(launcher, student="ada")
