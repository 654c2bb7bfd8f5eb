"""Fixtures that several files of tests use."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from helpers import copy_course

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Under nohup and in the background of a script these are ignored, also by the commands that the tests start
# and then send one to.
for name, handler in {"SIGHUP": signal.SIG_DFL, "SIGINT": signal.default_int_handler}.items():
    if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(number, handler)


# What takes a minute or more by itself begins first, so that no worker is left alone with it at the end.
LONGEST = ["test_course_sound.py", "test_pairs.py", "test_shapes.py", "test_where.py"]


class OnlyAFew:
    """`@pytest.mark.few(n)`: by default the first `n` of a test's parameters, the others in the exhaustive run."""

    @pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        seen: Counter[str] = Counter()
        for item in items:
            if few := item.get_closest_marker("few"):
                test = item.nodeid.partition("[")[0]
                seen[test] += 1
                if seen[test] > few.args[0]:
                    item.add_marker("exhaustive")


def pytest_configure(config: pytest.Config) -> None:
    """Two hooks of one name cannot stand in one file."""
    config.pluginmanager.register(OnlyAFew())


@pytest.hookimpl(trylast=True)  # after pytest's own order, by fixtures
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest first where tests are given to workers one by one, as in the exhaustive run."""
    if config.getoption("markexpr") == "exhaustive":
        items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.fixture(scope="session")
def kept_course() -> list[Path]:
    """The copy of the course that the last test left as it was, if it did."""
    return []


@pytest.fixture
def course(kept_course: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the course folder that a test may write into: assignments and solutions.

    The next test gets the same one if only files beside those two were made in it: Python has
    compiled its checks by then.
    """
    root = kept_course.pop() if kept_course else copy_course(tmp_path_factory.mktemp("kept") / "course")
    before = _state(root)
    yield root
    for path in set(root.iterdir()) - {root / "assignments", root / "solutions"}:
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    if _state(root) == before:
        kept_course.append(root)


def _state(root: Path) -> dict[Path, tuple[int, int, int]]:
    """What tells that a file was changed; Python's own caches are not the course's."""
    found = ((path, path.lstat()) for path in root.rglob("*") if "__pycache__" not in path.parts)
    return {path: (of.st_mode, of.st_size, 0 if path.is_dir() else of.st_mtime_ns) for path, of in found}
