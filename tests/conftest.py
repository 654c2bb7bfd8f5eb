"""Fixtures that several files of tests use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import COURSE


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the course folder that a test may write into: assignments and solutions."""
    root = tmp_path / "course"
    for folder in ("assignments", "solutions"):
        shutil.copytree(COURSE / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return root
