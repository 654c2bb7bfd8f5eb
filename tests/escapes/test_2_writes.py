"""Promise 2: a submission writes nothing; there is on purpose no scratch folder either."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator

import pytest
from escapes.ground import HERE, PATIENCE, Ground, Tried, attacks, opened
from escapes.stories import it_is_held

more = {attack.name: attack for attack in attacks("writes/more")}


# An interpreter that only root can read: the jails cannot become another user, and the library is theirs.


@pytest.fixture(scope="module")
def private_ground() -> Iterator[Ground]:
    if os.geteuid() != 0:
        pytest.skip("needs root: an interpreter that only root can read")
    with opened("root-only") as ground:
        yield ground
        assert ground.left_behind() == []


@pytest.mark.parametrize("name", ["as_root", pytest.param("library_of_root", marks=pytest.mark.ci)])
def test_root_stays_root(private_ground: Ground, name: str) -> None:
    it_is_held(private_ground, more[name])


@pytest.mark.whole
@pytest.mark.parametrize("name", ["as_root", "library_of_root"])
def test_root_stays_root_without_the_guard(private_ground: Ground, name: str) -> None:
    attack = more[name]
    (tried,) = private_ground.without(attack.line("guard", ""), [private_ground.submission(attack)])
    assert "escaped: " + attack.line("ways", "") in tried.told


# Where `grade` is called, a file is open for writing, and so is its standard output.


def test_what_the_grader_was_started_with(ground: Ground) -> None:
    assert _started_with_a_file(ground, str(ground.python.with_name("grade")), "vault") == ""


@pytest.mark.whole
def test_what_the_grader_was_started_with_where_the_launcher_inherits_it(weak_ground: Ground) -> None:
    without = [str(HERE / "without.py"), more["inherited"].line("guard", "")]
    assert "forged" in _started_with_a_file(weak_ground, str(weak_ground.python), *without)


def _started_with_a_file(ground: Ground, *command: str) -> str:
    """Return the text of the file afterwards; the output must not have it."""
    path = ground.submission(more["inherited"])
    with (ground.root / "open").open("w+") as file:
        fd = fcntl.fcntl(file, fcntl.F_DUPFD, 40)  # a number that nothing else takes meanwhile
        process = ground.start([*command, str(path)], pass_fds=[fd])
        os.close(fd)
        printed = process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 1), printed
        assert b"forged" not in b"".join(printed)
        file.seek(0)
        return file.read()


# Two submissions, one after the other in one warm grader.


@pytest.mark.ci
def test_nothing_stays_on_a_descriptor(weak_ground: Ground) -> None:
    assert [tried.told for tried in _one_after_another(weak_ground, "nothing")] == ["held", "held"]


@pytest.mark.whole
def test_something_stays_on_a_descriptor_without_seccomp(weak_ground: Ground) -> None:
    assert "escaped" in _one_after_another(weak_ground, "seccomp")[1].told


def _one_after_another(ground: Ground, guard: str) -> list[Tried]:
    paths = [ground.hand_in(more["flags"].source, student=name) for name in ("first", "second")]
    return ground.without(guard, paths)


# What is honest.

NOTES = """\
# %%
with open("notes.txt", "w") as file:
    file.write("today I learnt")

# %%
import contextlib
import os


def attack():
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        print("not worth reading")
    with open(os.devnull, "r+b", buffering=0) as nowhere:
        nowhere.write(bytes(1 << 20))
        assert nowhere.read() == b""
    return "held"


def answer():
    return 1.0
"""


def test_a_cell_that_keeps_notes_is_told_so(ground: Ground) -> None:
    """The error costs the cell and nothing else; /dev/null can be opened and written to."""
    tried = ground.grade(ground.hand_in(NOTES))

    assert tried.told == "held"
    (note,) = tried.report.notes
    assert note.startswith("vault.py, line 2: PermissionError: [Errno 13] Permission denied: 'notes.txt'")
