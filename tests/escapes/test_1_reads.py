"""Promise 1: a submission reads nothing but the standard library, the allowed imports and itself."""

from __future__ import annotations

import _ctypes
import fcntl
import os
import shutil
from pathlib import Path

import pytest
from escapes.ground import HERE, MANIFEST, PATIENCE, SECRET, Ground, attacks

more = {attack.name: attack for attack in attacks("reads/more")}


# A student hands in a folder: only one file of it is the submission, and not even that is opened again.


def test_what_lies_beside_the_submission(ground: Ground) -> None:
    assert ground.grade(_folder(ground)).told == "held"


@pytest.mark.whole
def test_what_lies_beside_the_submission_without_landlock(weak_ground: Ground) -> None:
    (tried,) = weak_ground.without("landlock", [_folder(weak_ground)])
    assert "escaped: notes helper library itself" in tried.told


def _folder(ground: Ground) -> Path:
    path = ground.submission(more["beside"])
    (path.parent / "notes.txt").write_text("notes", encoding="utf-8")
    (path.parent / "helper.py").write_text("x = 1", encoding="utf-8")
    shutil.copy(_ctypes.__file__, path.parent / "tool.so")
    return path


# What is not promised: see docs/promises.md, which must not say less.

STATS = """
import os


def attack():
    told = os.stat(f"{COURSE}/solutions/vault/vault.py")
    try:
        os.listxattr(f"{COURSE}/solutions/vault/vault.py")
    except OSError:
        return " ".join(str(n) for n in (told.st_size, told.st_mtime_ns, told.st_mode, told.st_uid, told.st_ino))
"""


@pytest.mark.ci
def test_what_stat_tells(ground: Ground) -> None:
    """`stat` gives the size, times, mode, owner and number of the reference; its attributes and text stay closed."""
    file = (ground.course / "solutions/vault/vault.py").stat()

    tried = ground.grade(ground.hand_in(ground.preamble("mallory") + STATS))

    told = " ".join(map(str, (file.st_size, file.st_mtime_ns, file.st_mode, file.st_uid, file.st_ino)))
    assert told in tried.told
    assert SECRET not in tried.printed


# Where `grade` is called, a descriptor is open on a secret, and one is its standard input.


def test_what_the_grader_was_started_with(ground: Ground) -> None:
    printed = _started_with_a_secret(ground, str(ground.python.with_name("grade")), "vault", "--format=json")
    assert '"outcome": "passed"' in printed
    assert SECRET not in printed


@pytest.mark.whole
def test_what_the_grader_was_started_with_where_the_launcher_inherits_it(weak_ground: Ground) -> None:
    without = [str(HERE / "without.py"), "inheriting+closing"]
    printed = _started_with_a_secret(weak_ground, str(weak_ground.python), *without)
    assert f"escaped: b'{SECRET}" in printed


def _started_with_a_secret(ground: Ground, *command: str) -> str:
    path = ground.submission(more["inherited"])
    with (ground.root / "home/.ssh/id_ed25519").open("rb") as secret:
        fd = fcntl.fcntl(secret, fcntl.F_DUPFD, 40)  # a number that nothing else takes meanwhile
        process = ground.start([*command, str(path)], stdin=secret, pass_fds=[fd])
        os.close(fd)
    return process.communicate(timeout=PATIENCE)[0].decode()


# The manifest allows one module; what is installed beside it stays closed.


def test_an_allowed_import(ground: Ground) -> None:
    tried = ground.grade(ground.submission(more["imports"]), cwd=_lenient(ground))
    assert tried.told == "held"


@pytest.mark.whole
def test_an_allowed_import_without_landlock(weak_ground: Ground) -> None:
    (tried,) = weak_ground.without(
        "landlock", [weak_ground.submission(more["imports"])], cwd=_lenient(weak_ground)
    )
    assert "escaped: list suite detour import" in tried.told


def _lenient(ground: Ground) -> Path:
    course = ground.root / "lenient"
    shutil.copytree(ground.course, course, dirs_exist_ok=True)
    manifest = course / "assignments/vault/assignment.yaml"
    manifest.write_text(MANIFEST + "imports: [iniconfig]\n", encoding="utf-8")
    return course
