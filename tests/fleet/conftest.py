"""Fixtures that several files of this room use."""

import pytest
from students import course

from grader.gradebook.store import Store


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.db", create=True) as opened:
        yield opened


@pytest.fixture
def mini(tmp_path):
    return course(tmp_path / "course")
