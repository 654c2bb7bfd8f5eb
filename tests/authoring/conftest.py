"""The miniature course of the author's tests, and the one launcher of jails that they share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from minicourse import build
from validating import launcher


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature course as `grade stub` leaves it; nobody writes into it."""
    return build(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def mini(sound: Path, tmp_path: Path) -> Path:
    """A copy of the miniature course, to be broken."""
    return Path(shutil.copytree(sound, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep results in a cache of this test's own, and return its folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "backgrade" / "runs"


@pytest.fixture(scope="session", autouse=True)
def jails_end() -> Iterator[None]:
    """With the last test."""
    yield
    if launcher.cache_info().currsize:
        launcher().__exit__(None, None, None)
        launcher.cache_clear()
