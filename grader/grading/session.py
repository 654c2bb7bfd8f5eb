"""One pytest session over check files, in which nobody but the course has a say."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from grader.errors import Broken
from grader.grading.shared import Shared
from grader.grading.suite import CheckFile, Suite

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from grader.grading.answers import Table
    from grader.topic import Topic

T = TypeVar("T")
_ARGUMENTS = (
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:logging", "-p", "no:doctest",
    "-p", "no:junitxml", "-p", "no:pastebin", "-p", "no:faulthandler", "-p", "no:unittest",
    "-p", "no:stepwise", "-p", "no:setuponly", "-p", "no:setupplan", "-p", "no:legacypath",
    "-p", "no:warnings", "-p", "no:threadexception", "-p", "no:unraisableexception",
    "--disable-plugin-autoload", "--noconftest", "--import-mode=importlib", "--capture=no",
    "-c", os.devnull,
)  # fmt: skip


def run_suite(
    files: list[CheckFile],
    salts: Mapping[str, str],
    job: Callable[[Suite], T],
    topic: Topic | None = None,
    answers: Mapping[str, Table] | None = None,
) -> T:
    """Collect the checks and run `job` with them; gives what the job gives.

    Nothing that lies in the environment or beside the files changes what is executed.
    Raises Broken when pytest itself cannot start.
    """
    suite = Suite(files, salts, job, topic, answers)
    paths = [str(path) for path in suite.files]
    root = _root(suite.files)
    _refuse_packages(suite.files, Path(root))
    # Without confcutdir pytest lists every folder above the checks, up to the root of the disk.
    options = [*_ARGUMENTS, f"--rootdir={root}", f"--confcutdir={root}"]
    with _clean_environment(), _own_modules():
        code = pytest.main([*options, *paths], plugins=[suite, suite.topic, Shared()])
    if suite.error is None and not hasattr(suite, "result"):
        if not suite.broken:
            raise Broken(f"pytest could not run the checks (exit code {int(code)})")
        suite.work()  # pytest stops at a broken file; the report tells which
    if suite.error is not None:
        raise suite.error
    return suite.result  # type: ignore[return-value]


def _refuse_packages(paths: Iterable[Path], root: Path) -> None:
    """Pytest would execute an `__init__.py` on the way to a check."""
    folders = {folder for path in paths for folder in path.parents if folder.is_relative_to(root)}
    for folder in sorted(folders):
        if (file := folder / "__init__.py").exists():
            raise Broken(f"{file}: a folder of checks is no package; remove this file")


def _root(paths: Mapping[Path, object]) -> str:
    return os.path.commonpath([path.parent for path in paths])


@contextlib.contextmanager
def _own_modules() -> Generator[None]:
    """Forget the check files afterwards: another course may have modules of the same names."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if _is_check(name):
                del sys.modules[name]


def _is_check(name: str) -> bool:
    """Whether a module came from a check file: the file itself, or a folder on the way to it."""
    module = sys.modules[name]
    file = getattr(module, "__file__", None)
    return Path(file).name.startswith("test_") if file else hasattr(module, "__path__")


# What pytest reads beside PYTEST_*: see `running_on_ci` and `environ` in its source. In a CI job it would compare
# long answers line by line with difflib, which takes more than the square of their length.
_STEERING = frozenset({"CI", "BUILD_NUMBER", "PY_COLORS", "PY_IGNORE_IMPORTMISMATCH", "TOX_ENV_DIR"})


@contextlib.contextmanager
def _clean_environment() -> Generator[None]:
    """Run without the variables by which pytest is told what to load, and how to compare and show."""
    names = [name for name in os.environ if name.startswith("PYTEST_") or name in _STEERING]
    taken = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(taken)


def suite_hash(files: list[Path], *others: Path, manifest: bytes = b"") -> str:
    """A hash over the checks and what belongs to them: the same suite, the same hash."""
    digest = hashlib.sha256(manifest)
    paths = sorted({*files, *others})
    root = os.path.commonpath(paths)
    for path in paths:
        if path.is_file():
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
