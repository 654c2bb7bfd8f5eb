"""Fixtures of this room: one launcher of jails, and the reading of rules without a time limit."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest
from reading import be_patient, read_engine

from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.autograd.rules.wrong import WrongOperation


@pytest.fixture(scope="session")
def launcher() -> Iterator[Launcher]:
    """One launcher of jails for all tests of this room."""
    with Launcher() as launcher:
        yield launcher


@pytest.fixture
def read(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[WrongOperation]]:
    """Return what is wrong about the engine in a source, however long that takes."""
    be_patient(monkeypatch)
    return functools.partial(read_engine, launcher)
