"""Fixtures that several files of this room use."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import collecting
import httpx
import pytest
from github_server import GitHub
from handing import Class, released
from helpers import Ran
from releasing import Instructor, without_solutions

Run = Callable[..., Ran]


@pytest.fixture(scope="session", autouse=True)
def _certificates() -> Iterator[None]:
    """Read the trusted certificates once: that takes 25 ms for each client."""
    read = functools.cache(lambda variables, **options: httpx.create_ssl_context(**options))
    known = ("SSL_CERT_FILE", "SSL_CERT_DIR")

    def cached(**options: object) -> object:
        return read(tuple(os.environ.get(name) for name in known), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", cached)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return released(tmp_path_factory.mktemp("released"))


@pytest.fixture
def klass(tmp_path: Path, files: dict[str, bytes]) -> Iterator[Class]:
    """Three students, who have nothing yet."""
    with GitHub(tmp_path / "github") as github:
        made = Class(tmp_path, github, files)
        made.roster("ada", "bob", "carol")
        yield made


@pytest.fixture
def run(klass: Class, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`grade open mini --only repositories ...`."""

    def ran(*words: str, answer: str | None = None) -> Ran:
        return klass.distribute(monkeypatch, capsys, *words, answer=answer)

    return ran


@pytest.fixture
def class_(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[collecting.Class]:
    made = collecting.Class(tmp_path, monkeypatch, capsys)
    with made.end:
        yield made


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    return without_solutions(tmp_path / "course")


@pytest.fixture
def teacher(mini: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Instructor:
    """Stands in the folder of the miniature course."""
    return Instructor(mini, monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place for a template, which is not there yet."""
    return tmp_path / "template"
