"""Fixtures that several files of this room use."""

import pytest
from classes import build_two


@pytest.fixture
def assignment(tmp_path):
    """`next`, which continues `mini`."""
    return build_two(tmp_path / "course")
