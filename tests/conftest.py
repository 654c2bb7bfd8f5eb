"""Fixtures that several files of tests use."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from helpers import copy_course

if TYPE_CHECKING:
    from pathlib import Path

# Under nohup this signal is ignored, also by the commands that the tests start and then send it to.
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course folder that a test may write into: assignments and solutions."""
    return copy_course(tmp_path / "course")
