"""Students of whom `grade collect` can take nothing: what is missing, too large, hostile or silent."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping

import pytest
from collecting import (
    BEFORE,
    NOTEBOOK,
    Class,
    commit,
    everything,
    work,
    works,
)
from github_server.bare import Bare

from grader.assignment import Course
from grader.classroom.git import remote
from grader.classroom.git.remote import GitEntry, Objects
from grader.classroom.release.protected import protected_files
from grader.submissions.state_words import label, reason, why_no_result
from grader.submissions.tree import MOST, TOO_LONG, TOO_MANY

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
SUBMODULE = '[submodule "x"]\n\tpath = assignments/mini/mini.ipynb\n\turl = ./x\n'
TROUBLES = {
    "link": ({NOTEBOOK: ("120000", "/etc/passwd")}, "it is a symbolic link; put the file itself there"),
    "submodule": (
        {NOTEBOOK: ("160000", "1" * 40), ".gitmodules": SUBMODULE},
        "it is a submodule; put the file itself there",
    ),
    "pointer": ({NOTEBOOK: POINTER}, "the repository holds only a Git LFS pointer"),
    "nothing": ({"README.md": "x"}, "there is no mini.ipynb; hand in the notebook under this name"),
    "folder": ({f"{NOTEBOOK}/x": "x"}, "there is no mini.ipynb"),
    "link above": ({"assignments": ("120000", "/srv/others")}, "there is no mini.ipynb"),
}


@pytest.mark.ci
@pytest.mark.parametrize("kind", TROUBLES)
def test_nothing_to_take(class_: Class, kind: str, snapshot):
    """One student gets the reason; the others are collected."""
    files, why = TROUBLES[kind]
    class_.good("ada", "grace")
    commit(class_.remote("bob"), files)
    ran = class_.collect()
    assert ran.code == 1
    assert why in reason(class_.record("bob").state)
    state = class_.record("bob").state
    unreadable = kind in {"link", "submodule", "pointer"}
    assert (class_.taken("bob"), state.kind) == ({}, "unreadable" if unreadable else "no_file")
    assert ran.out == snapshot
    assert f"  bob  {label(state)}: {reason(state)}" in ran.out.split("3 students")[1]


def test_a_file_that_is_too_large(class_: Class, snapshot):
    """It is never fetched."""
    add_zeros(class_.good("ada")["ada"], NOTEBOOK)
    ran = class_.collect()
    assert reason(class_.record("ada").state) == snapshot
    assert ran.code == 1


def tree(bare: Bare, entries: Mapping[str, str]) -> str:
    """A tree object of those names; the values are hashes, of blobs where a name has a dot in it."""
    kinds = {name: ("100644 blob" if "." in name else "040000 tree") for name in entries}
    lines = "".join(f"{kinds[name]} {id_}\t{name}\n" for name, id_ in entries.items())
    return bare.line("mktree", data=lines.encode())


def pushed(bare: Bare, top: str) -> None:
    """A commit of that tree on the branch."""
    who = {"GIT_AUTHOR_DATE": BEFORE, "GIT_COMMITTER_DATE": BEFORE}
    bare.git("update-ref", "refs/heads/main", bare.line("commit-tree", top, "-m", "Work", **who))


def in_one_folder(bare: Bare, blob: str) -> str:
    """More names than are looked at, hidden ones."""
    return tree(bare, {"data": tree(bare, {f".{n:06}": blob for n in range(MOST + 1)})})


def in_some_folders(bare: Bare, blob: str) -> str:
    """The same in folders of which each is small enough."""
    names = {f".{n:06}": blob for n in range(MOST // 2)}
    return tree(bare, {f"d{n}": tree(bare, names | {f".of{n}": blob}) for n in range(3)})


def in_one_and_the_same(bare: Bare, blob: str) -> str:
    """Folders that are all one object, within each other: thirty times thirty times thirty ..."""
    inner = tree(bare, {"x.csv": blob})
    for _ in range(7):
        inner = tree(bare, {f"d{n:02}": inner for n in range(30)})
    return inner


def among_the_checks(bare: Bare, blob: str) -> str:
    """The same in a folder whose files are compared with those that were handed out."""
    return tree(
        bare, {"assignments": tree(bare, {"mini": tree(bare, {"checks": in_one_and_the_same(bare, blob)})})}
    )


def under_a_long_name(bare: Bare, blob: str) -> str:
    """Make a tree with a name that no disk takes."""
    return tree(bare, {"x" * 5_000 + ".csv": blob})


@pytest.mark.ci
@pytest.mark.parametrize(
    ("made", "why"),
    [
        pytest.param(in_one_folder, TOO_MANY, marks=pytest.mark.ci),
        (in_some_folders, TOO_MANY),
        (in_one_and_the_same, TOO_MANY),
        pytest.param(among_the_checks, TOO_MANY, marks=pytest.mark.ci),
        (under_a_long_name, TOO_LONG),
    ],
)
def test_more_names_than_anybody_looks_at(class_: Class, monkeypatch, made, why, snapshot):
    """Of a repository no more is read than its budget, and the class goes on.

    Twelve folders of 490,000 hidden names each, in 1.4 MB, took 136 seconds and 1.57 GB.
    """
    class_.good("ada")
    bob = class_.remote("bob")
    pushed(bob, made(bob, bob.line("hash-object", "-w", "--stdin", data=b"x")))
    made_of: list[GitEntry] = []
    monkeypatch.setattr(remote, "GitEntry", lambda *told: made_of.append(GitEntry(*told)) or made_of[-1])

    ran = class_.collect()

    assert ran.out == snapshot
    assert reason(class_.record("bob").state) == "; ".join(why)
    assert len(made_of) < 3 * MOST


def test_many_checks_are_no_more_than_are_compared(class_: Class):
    """Folders that are one object count each time, in the protected places too."""
    bare = class_.good("ada")["ada"]
    with Objects(bare.path, os.environ) as read:
        top = among_the_checks(bare, bare.line("hash-object", "-w", "--stdin", data=b"x"))
        assert len(protected_files(Course(class_.course).assignment("mini"), read, top)) < 500


def add_zeros(bare: Bare, name: str, size: int = 65 << 20) -> None:
    """Commit a file of that many zeros, without handing them to git."""
    header, pack = b"blob %d\0" % size, zlib.compressobj(1)
    hash_ = hashlib.sha1(header)
    packed = [pack.compress(header)]
    for _ in range(size >> 20):
        hash_.update(ZEROS)
        packed.append(pack.compress(ZEROS))
    path = bare.path / "objects" / hash_.hexdigest()[:2] / hash_.hexdigest()[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join([*packed, pack.flush()]))
    index = {"GIT_INDEX_FILE": str(bare.path / "index")}
    bare.git("read-tree", "main", **index)
    bare.git("update-index", "--add", "--cacheinfo", f"100644,{hash_.hexdigest()},{name}", **index)
    dates = {f"GIT_{role}_DATE": BEFORE for role in ("AUTHOR", "COMMITTER")}
    tip = bare.line("commit-tree", bare.line("write-tree", **index), "-p", "main", "-m", "Data", **dates)
    bare.git("update-ref", "refs/heads/main", tip)


ZEROS = bytes(1 << 20)


def test_a_repository_that_is_not_there(class_: Class, snapshot):
    """One student has no result, which is not a zero."""
    class_.good("ada")
    class_.roster["missing"] = "course/none"
    ran = class_.collect()
    assert ran.code == 1
    assert {name: class_.record(name).state.kind for name in class_.roster} == {
        "ada": "handed_in",
        "missing": "missing",
    }
    assert ran.out == snapshot
    told = works(class_)
    assert told["ada"].data == work("name = 'ada'").encode()
    assert why_no_result(told["missing"].state) == snapshot


def test_what_was_collected_stays(class_: Class, snapshot):
    """A repository that cannot be reached later takes nothing away."""
    class_.good("ada")
    class_.collect()
    before = everything(class_.works)
    assert class_.github is not None
    del class_.github.repositories["course/mini-ada"]
    ran = class_.collect()
    assert ran.code == 1
    assert ran.out == snapshot
    assert everything(class_.works) == before


def test_a_roster_with_a_command_or_another_server_in_it(class_: Class):
    """It is refused before anything is done; of another server the student's work is cloned by hand."""
    class_.good("ada")
    for place in (
        "ext::sh -c touch% pwned",
        "--upload-pack=touch",
        "https://git.example.org/x",
        "file:///srv/x.git",
    ):
        class_.roster["bob"] = place
        ran = class_.collect()
        assert ran.code == 2
        assert "::" in place or place.startswith("--") or "Clone it by hand" in ran.err
        assert not class_.works.exists()
