"""Fixtures that several files of tests use."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from helpers import copy_course

if TYPE_CHECKING:
    from pathlib import Path

# Under nohup and in the background of a script these are ignored, also by the commands that the tests start
# and then send one to.
for name, handler in {"SIGHUP": signal.SIG_DFL, "SIGINT": signal.default_int_handler}.items():
    if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(number, handler)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course folder that a test may write into: assignments and solutions."""
    return copy_course(tmp_path / "course")
