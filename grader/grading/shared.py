"""`_helpers.py`: the file that the checks of one side share."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType

MODULE = HELPERS.removesuffix(".py")


class Shared:
    """A plugin of pytest: in a check file, `from _helpers import ...` takes from the file beside it.

    No other file in that folder can be imported, and no `_helpers.py` that lies anywhere else: neither
    one beside a submission nor one that the kernel of a notebook has imported.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._modules: dict[Path, ModuleType] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, object, object]:
        """Import a check file."""
        if not isinstance(collector, pytest.Module):
            return (yield)
        with self._beside(collector.path):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test, which may hold an import too."""
        with self._beside(item.path):
            return (yield)

    @contextlib.contextmanager
    def _beside(self, check: Path) -> Iterator[None]:
        other, self._folder = sys.modules.pop(MODULE, None), check.parent
        if self._folder in self._modules:
            sys.modules[MODULE] = self._modules[self._folder]
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            if found := sys.modules.pop(MODULE, None):
                self._modules[self._folder] = found
            if other is not None:
                sys.modules[MODULE] = other

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  the signature of a finder
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Find the file as Python's own finders do; pytest's, which is one of them, rewrites its asserts."""
        if name != MODULE or self._folder is None:
            return None
        pytest.register_assert_rewrite(MODULE)
        importlib.invalidate_caches()  # the folder may have been edited in the meantime
        finders = [finder for finder in sys.meta_path if finder is not self]
        specs = (finder.find_spec(name, [str(self._folder)], target) for finder in finders)
        wanted = str(self._folder / HELPERS)
        return next((spec for spec in specs if spec is not None and spec.origin == wanted), None)
