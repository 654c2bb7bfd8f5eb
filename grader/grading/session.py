"""A session of pytest over check files, controlled only by the course."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.config import _prepareconfig

from grader.errors import Broken
from grader.topic import HELPERS, helpers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from grader.grading.plugin import Plugin


_HELPERS_MODULE = HELPERS.removesuffix(".py")
ARGUMENTS = (
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:logging", "-p", "no:doctest",
    "-p", "no:junitxml", "-p", "no:pastebin", "-p", "no:faulthandler", "-p", "no:unittest",
    "-p", "no:stepwise", "-p", "no:setuponly", "-p", "no:setupplan", "-p", "no:legacypath",
    "-p", "no:capture", "-p", "no:debugging", "-p", "no:warnings", "-p", "no:threadexception",
    "-p", "no:unraisableexception", "--disable-plugin-autoload", "--noconftest", "--import-mode=importlib",
    "-c", os.devnull,
)  # fmt: skip


@contextlib.contextmanager
def open_session(plugin: Plugin) -> Generator[None]:
    """Open a session of pytest with this plugin, which can then collect its files and run their tests.

    The environment and other files beside the checks do not change the code that is executed.
    Raises Broken when pytest itself cannot start.
    """
    root = os.path.commonpath([path.parent for path in plugin.files])
    _refuse_packages(plugin.files, Path(root))
    # Without confcutdir, pytest lists every folder above the checks, up to the root of the disk.
    options = [*ARGUMENTS, f"--rootdir={root}", f"--confcutdir={root}"]
    plugins = [plugin, _fixtures_of(plugin.topic.fixtures()), _HelpersFinder()]
    with _clean_environment(), _own_modules(), contextlib.ExitStack() as session:
        try:
            plugin.session = session.enter_context(_session(options, plugins))
        except (Exception, SystemExit) as error:
            raise Broken(f"pytest could not run the checks ({type(error).__name__}: {error})") from error
        yield


@contextlib.contextmanager
def _session(arguments: list[str], plugins: list[object]) -> Generator[pytest.Session]:
    """Open a session: the steps of `pytest.main`, with the caller's body as the collection and the test loop.

    Source: `wrap_session` and `_main` of _pytest/main.py, pytest 9.2.
    """
    config = _prepareconfig(arguments, plugins)
    session = pytest.Session.from_config(config)
    try:
        config._do_configure()  # noqa: SLF001  pytest has no public name for it
        config.hook.pytest_sessionstart(session=session)
        try:
            yield session
        finally:
            os.chdir(session.startpath)
            config.hook.pytest_sessionfinish(session=session, exitstatus=pytest.ExitCode.OK)
    finally:
        config._ensure_unconfigure()  # noqa: SLF001  nor for this


def _fixtures_of(functions: Mapping[str, Callable[[], object]]) -> object:
    """Return an object whose attributes are fixtures of pytest with these names."""

    def made(name: str) -> object:
        def fixture(self: object) -> object:  # noqa: ARG001  pytest calls it as a method
            return functions[name]()

        return pytest.fixture(name=name)(fixture)

    return type("TopicFixtures", (), {name: made(name) for name in functions})()


def _refuse_packages(paths: Iterable[Path], root: Path) -> None:
    """Raise Broken for an `__init__.py` in a folder of checks: pytest would execute it."""
    folders = {folder for path in paths for folder in path.parents if folder.is_relative_to(root)}
    for folder in sorted(folders):
        if (file := folder / "__init__.py").exists():
            raise Broken(f"{file}: a folder of checks is not a package; remove this file")


@contextlib.contextmanager
def _own_modules() -> Generator[None]:
    """Remove the modules of check files afterwards: another course may have modules of the same names."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if _is_check(name):
                del sys.modules[name]


def _is_check(name: str) -> bool:
    """Return True for the module of a check file or of a folder around it."""
    module = sys.modules[name]
    file = getattr(module, "__file__", None)
    return Path(file).name.startswith("test_") if file else hasattr(module, "__path__")


# Variables that pytest reads besides PYTEST_*: see `running_on_ci` and `environ` in its source. In a CI job it would
# compare long answers line by line with difflib, which takes more than quadratic time.
_STEERING = frozenset({"CI", "BUILD_NUMBER", "PY_COLORS", "PY_IGNORE_IMPORTMISMATCH", "TOX_ENV_DIR"})


@contextlib.contextmanager
def _clean_environment() -> Generator[None]:
    """Run without the variables that change what pytest loads and how it compares and prints."""
    names = [name for name in os.environ if name.startswith("PYTEST_") or name in _STEERING]
    taken = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(taken)


# --- _helpers.py


class _HelpersFinder:
    """A plugin of pytest: `from _helpers import ...` in a check file imports its helpers (`helpers_of`).

    Nothing else in that folder can be imported, and no other `_helpers.py`, such as one next to a submission or one
    that a notebook's kernel has imported.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._modules: dict[Path, ModuleType] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, object, object]:
        """Import a check file with its helpers."""
        if not isinstance(collector, pytest.Module):
            return (yield)
        with self._beside(collector.path):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test with its helpers: it may contain an import."""
        with self._beside(item.path):
            return (yield)

    @contextlib.contextmanager
    def _beside(self, check: Path) -> Iterator[None]:
        other, self._folder = sys.modules.pop(_HELPERS_MODULE, None), helpers_of(check).parent
        if self._folder in self._modules:
            sys.modules[_HELPERS_MODULE] = self._modules[self._folder]
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            if found := sys.modules.pop(_HELPERS_MODULE, None):
                self._modules[self._folder] = found
            if other is not None:
                sys.modules[_HELPERS_MODULE] = other

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  the signature of a finder
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Find the file through Python's other finders; pytest's rewrites its asserts."""
        if name != _HELPERS_MODULE or self._folder is None:
            return None
        pytest.register_assert_rewrite(_HELPERS_MODULE)
        importlib.invalidate_caches()  # the folder may have changed
        finders = [finder for finder in sys.meta_path if finder is not self]
        specs = (finder.find_spec(name, [str(self._folder)], target) for finder in finders)
        wanted = str(self._folder / HELPERS)
        return next((spec for spec in specs if spec is not None and spec.origin == wanted), None)
