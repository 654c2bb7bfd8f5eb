"""The grounds on which the escapes are tried; the fixtures check that nothing is left of them at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from escapes.ground import Ground, forget_installs, kinds, opened

SHARED = [Path(name) for name in ("/tmp", "/var/tmp", "/dev/shm")]
KERNEL = [Path("/proc/self/mounts"), *(Path("/proc/sysvipc") / name for name in ("msg", "sem", "shm"))]


# What CI tries as another user, too; the rest of it is tried with all tests.
ANOTHER_USER = {"test_every_promise_holds", "test_everybody_gets_what_their_table_says"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the second user to later layers."""
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        if given.get("ground") in kinds()[1:]:
            name = getattr(item, "originalname", "")
            item.add_marker("ci" if name in ANOTHER_USER else "whole")


def pytest_sessionfinish() -> None:
    """Remove the installs."""
    forget_installs()


@pytest.fixture(scope="session", params=kinds())
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Yield a course with a secret, graded by root and by an ordinary user."""
    yield from _open(request.param)


@pytest.fixture(scope="session")
def weak_ground() -> Iterator[Ground]:
    """Yield the ground where guards are taken out: as an ordinary user, who can do little harm."""
    yield from _open("ordinary")


def _open(kind: str) -> Iterator[Ground]:
    before = _outside()
    with opened(kind) as ground:
        yield ground
        assert ground.left_behind() == []
    for _ in range(100):  # other workers try their attacks meanwhile, and tidy up after them
        if _outside() <= before:
            break
        time.sleep(0.05)
    assert _outside() - before == set()


def _outside() -> set[str]:
    """Return what an escape could leave outside of the ground; its files are called so."""
    files = {str(path) for folder in SHARED if folder.is_dir() for path in folder.glob("*escaped*")}
    lines = {f"{path}: {line}" for path in KERNEL if path.exists() for line in _lines(path)}
    sockets = {line for line in _lines(Path("/proc/net/unix")) if "escaped" in line}
    return files | lines | sockets


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
