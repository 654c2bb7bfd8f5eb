"""Fixtures that several files of this room use."""

from __future__ import annotations

from pathlib import Path

import pytest
from oneclass import GradedClass

from grader.assignment import Assignment


@pytest.fixture
def mini(graded_class: GradedClass, tmp_path: Path) -> Assignment:
    """Two students: full marks, and one check wrong and two days late."""
    return graded_class.take(tmp_path / "course", "ada", "bob")
