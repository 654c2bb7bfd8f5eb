"""Strangers' git repositories: what is fetched of them, and all that is not done with it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest
from collecting import commit
from git_http import GitHttp
from github_server.bare import Bare

from grader.classroom.git import process as git_module
from grader.classroom.git import remote as remote_module
from grader.classroom.git.process import GitError, environment, refuse_old_git, run, settings
from grader.classroom.git.remote import Fetcher, Remote, on_github
from grader.errors import Refused

LIMIT = 1 << 20
LARGEST = 200 << 20  # bytes of a file that nobody wants


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine's settings of git have no say."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    made = Bare(tmp_path / "remote.git")
    made.make()
    return made


@pytest.fixture
def fetcher(tmp_path: Path) -> Iterator[Fetcher]:
    """Fetches into a folder that is empty again when the test is over."""
    folder = tmp_path / "fetched"
    folder.mkdir()
    yield Fetcher(folder, threading.Event())
    assert list(folder.iterdir()) == []


def fetch(fetcher: Fetcher, remote: Remote) -> None:
    """Fetch a commit that nobody has."""
    with fetcher.commits(remote, ["1" * 40], LIMIT):
        pass


def of(bare: Bare) -> Remote:
    return Remote(f"file://{bare.path}", "file")


# --- Addresses


@pytest.mark.parametrize("name", ["course", "course/../x", "-x/y", "course/..", "a/b/c", "a b/c", "a/b\n"])
def test_no_names_on_github(name):
    """They are refused."""
    with pytest.raises(Refused):
        on_github(name, "https://github.com", "")


@pytest.mark.parametrize("server", ["http://github.com", "ext::sh", "https://a@b", "https://x/y", ""])
def test_no_servers(server):
    """The variable may be anybody's."""
    with pytest.raises(Refused, match="GITHUB_SERVER_URL"):
        on_github("course/ada", server, "ghs_secret")


# --- What a process is started with


def test_the_token_goes_to_github_only(monkeypatch):
    """It is in the environment, under the server's own address, and no redirect takes it elsewhere."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/somebody's")
    monkeypatch.setenv("GIT_SSH_COMMAND", "touch pwned")
    remote = on_github("course/ada", "https://github.com", "ghs_secret")
    known = remote.environment
    told = settings_in(known)
    assert told["http.https://github.com/.extraHeader"].startswith("Authorization: Basic ")
    assert told["http.followRedirects"] == "false"
    assert (known["GIT_CONFIG_GLOBAL"], known["GIT_ALLOW_PROTOCOL"]) == (os.devnull, "https")
    assert "GIT_SSH_COMMAND" not in known
    assert "ghs_secret" not in repr(remote)


def settings_in(known: dict[str, str]) -> dict[str, str]:
    count = int(known["GIT_CONFIG_COUNT"])
    return {known[f"GIT_CONFIG_KEY_{n}"]: known[f"GIT_CONFIG_VALUE_{n}"] for n in range(count)}


def test_an_old_git_is_refused(monkeypatch, tmp_path: Path):
    """One that would pass over settings in the environment."""
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\necho git version 2.25.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match=r"git is too old here \(git version 2.25.1\); install 2.31"):
        refuse_old_git()
    program.unlink()
    with pytest.raises(Refused, match="not installed"):
        refuse_old_git()


# --- What is fetched


def test_one_commit(bare: Bare, fetcher: Fetcher):
    """Its files, and nothing before it."""
    first = commit(bare, {"a.txt": "one"})
    second = commit(bare, {"a.txt": "two", "folder/b.txt": "b"})
    with fetcher.commits(of(bare), [second], LIMIT) as objects:
        entry = objects.entry(objects.tree_of(second), "folder/b.txt")
        assert entry is not None
        assert objects.read(entry.id, "blob", LIMIT) == b"b"
        with pytest.raises(GitError, match="is not here"):
            objects.tree_of(first)


def test_a_commit_that_no_branch_has(bare: Bare, fetcher: Fetcher):
    """A commit before a force push is fetched by its hash."""
    left = commit(bare, {"a.txt": "left"})
    bare.git("update-ref", "-d", "refs/heads/main")
    commit(bare, {"a.txt": "now"})
    with fetcher.commits(of(bare), [left], LIMIT) as objects:
        assert b"a.txt" in objects.folder(objects.tree_of(left))


def test_a_large_file_is_not_fetched(bare: Bare, fetcher: Fetcher):
    """Also from a folder whose own settings do not offer that."""
    tip = commit(bare, {"a.txt": "a", "big.bin": bytes(4 << 20)})
    (bare.path / "config").write_text("[core]\n\tbare = true\n")
    with fetcher.commits(of(bare), [tip], LIMIT) as objects:
        (folder,) = fetcher.folder.iterdir()
        tree = objects.tree_of(tip)
        assert objects.read(objects.folder(tree)[b"a.txt"].id, "blob", LIMIT) == b"a"
        with pytest.raises(Exception, match="is not here"):
            objects.read(objects.folder(tree)[b"big.bin"].id, "blob", LIMIT)
        assert "promisor" not in (folder / "config").read_text()


def test_too_large_to_be_read(bare: Bare, fetcher: Fetcher):
    """The server sent the file anyway; objects after it can still be read."""
    tip = commit(bare, {"a.txt": "a", "big.bin": bytes(4 << 20)})
    with fetcher.commits(of(bare), [tip], LARGEST) as objects:
        folder = objects.folder(objects.tree_of(tip))
        with pytest.raises(GitError) as caught:
            objects.read(folder[b"big.bin"].id, "blob", LIMIT)
        assert caught.value.cause == "too large"
        assert objects.read(folder[b"a.txt"].id, "blob", LIMIT) == b"a"


def test_a_repository_of_the_other_format(tmp_path: Path, fetcher: Fetcher):
    """With SHA-256 hashes."""
    bare = Bare(tmp_path / "remote.git")
    known = environment() | {"GIT_CONFIG_GLOBAL": os.devnull}
    words = ["init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(bare.path)]
    run(words, folder=tmp_path, environment=known, seconds=10, ended=threading.Event())
    blob = bare.line("hash-object", "-w", "--stdin", data=b"a")
    tree = bare.line("mktree", data=f"100644 blob {blob}\ta.txt\n".encode())
    tip = bare.line("commit-tree", tree, "-m", "Work")
    bare.git("update-ref", "refs/heads/main", tip)
    assert len(tip) == 64
    with fetcher.commits(of(bare), [tip], LIMIT) as objects:
        assert list(objects.folder(objects.tree_of(tip))) == [b"a.txt"]


STRANGE = ["new\nline.txt", "\x1b[31mred", "::error::x", "blank ", "'quoted\"", "ünï.txt", "-x", "a\\b"]


def test_names_that_anybody_has_chosen(bare: Bare, fetcher: Fetcher):
    """They are bytes in a list, each as it is; those that collide on a disk stay two."""
    tip = commit(bare, dict.fromkeys(STRANGE, "x") | {"A.txt": "1", "a.txt": "2"})
    with fetcher.commits(of(bare), [tip], LIMIT) as objects:
        found = set(objects.folder(objects.tree_of(tip)))
    assert found == {name.encode() for name in [*STRANGE, "A.txt", "a.txt"]}


def test_what_a_name_is(bare: Bare, fetcher: Fetcher):
    """Links and submodules are recognised and never followed."""
    files = {"link": ("120000", "/etc/passwd"), "sub": ("160000", "1" * 40), "run.sh": ("100755", "x")}
    tip = commit(bare, files | {".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./x\n', "d/a": "1"})
    with fetcher.commits(of(bare), [tip], LIMIT) as objects:
        tree = objects.tree_of(tip)
        told = {name: objects.entry(tree, name) for name in ("link", "sub", "run.sh", "d", "link/x", "no")}
    assert {name: entry and entry.kind for name, entry in told.items()} == {
        "link": "link",
        "sub": "submodule",
        "run.sh": "file",
        "d": "folder",
        "link/x": None,
        "no": None,
    }


# --- Over HTTP


@pytest.fixture
def http(tmp_path: Path) -> Iterator[GitHttp]:
    """A server with one student's repository, for those who have the token."""
    bare = Bare(tmp_path / "served" / "course" / "ada.git")
    bare.make()
    commit(bare, {"a.txt": "a", "big.bin": bytes(4 << 20)})
    with GitHttp(tmp_path / "served", "ghs_secret") as server:
        yield server


def test_with_the_token(http: GitHttp, fetcher: Fetcher, tmp_path: Path):
    """The token is the password; no git settings are needed."""
    remote = on_github("course/ada", http.url, "ghs_secret")
    tip = Bare(tmp_path / "served" / "course" / "ada.git").tip("refs/heads/main")
    assert tip is not None
    with fetcher.commits(remote, [tip], LIMIT) as objects:
        assert sorted(objects.folder(objects.tree_of(tip))) == [b"a.txt", b"big.bin"]
    assert {told for _, told in http.asked} == {http.wanted}


def test_with_another_token(http: GitHttp, fetcher: Fetcher):
    """Git asks no question, and the message does not contain the token."""
    with pytest.raises(GitError, match="no access") as caught:
        fetch(fetcher, on_github("course/ada", http.url, "ghs_other"))
    assert "ghs_other" not in str(caught.value)
    assert caught.value.cause == ""


def test_not_over_http(http: GitHttp, fetcher: Fetcher):
    """A repository that does not exist."""
    with pytest.raises(GitError) as caught:
        fetch(fetcher, on_github("course/none", http.url, "ghs_secret"))
    assert caught.value.cause == "no repository"


def test_the_token_follows_no_redirect(http: GitHttp, fetcher: Fetcher, tmp_path: Path):
    """The other server gets no request."""
    with GitHttp(tmp_path, "ghs_secret") as other:
        http.moved["/course/ada.git"] = f"{other.url}/course/ada.git"
        with pytest.raises(GitError):
            fetch(fetcher, on_github("course/ada", http.url, "ghs_secret"))
        assert other.asked == []


# --- Hostile and broken


def test_hooks_do_not_run(bare: Bare, fetcher: Fetcher, tmp_path: Path):
    """Neither the student's nor those that the user's settings name."""
    (tmp_path / "hooks").mkdir()
    for folder in (tmp_path / "hooks", bare.path / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-checkout", "reference-transaction", "post-merge", "pre-auto-gc"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
            (folder / name).chmod(0o755)
    (tmp_path / "gitconfig").write_text(
        f"[core]\n\thooksPath = {tmp_path}/hooks\n[init]\n\ttemplateDir = {bare.path}\n"
    )
    tip = commit(bare, {"a.txt": "a"})
    (tmp_path / "ran").unlink(missing_ok=True)
    with fetcher.commits(of(bare), [tip], LIMIT):
        pass
    assert not (tmp_path / "ran").exists()


def test_an_object_that_is_malformed(bare: Bare, fetcher: Fetcher):
    """Git refuses a folder that holds `.git`; it costs this student."""
    blob = bare.line("hash-object", "-w", "--stdin", data=b"x")
    raw = b"100644 .git\0" + bytes.fromhex(blob)
    tree = bare.line("hash-object", "-w", "-t", "tree", "--literally", "--stdin", data=raw)
    tip = bare.line("commit-tree", tree, "-m", "x")
    bare.git("update-ref", "refs/heads/main", tip)
    with pytest.raises(GitError, match="hasDotgit"), fetcher.commits(of(bare), [tip], LIMIT):
        pass


def test_a_missing_repository(tmp_path: Path, fetcher: Fetcher):
    """The error differs from that of an unreachable one."""
    with pytest.raises(GitError, match=r"/none.git: no such repository") as missing:
        fetch(fetcher, Remote(f"file://{tmp_path}/none.git", "file"))
    assert missing.value.cause == "no repository"
    with pytest.raises(GitError) as caught:
        fetch(fetcher, Remote("git://127.0.0.1:1/ada.git", "git"))
    assert caught.value.cause == ""
    assert "\n" not in str(caught.value)


def test_a_commit_that_is_gone(bare: Bare, fetcher: Fetcher):
    """Git's words for it are not a student's."""
    commit(bare, {"a.txt": "a"})
    with pytest.raises(GitError, match="the commit no longer exists") as caught:
        fetch(fetcher, of(bare))
    assert caught.value.cause == "no commit"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes calls and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/ada.git"


def test_a_remote_that_hangs(fetcher: Fetcher, silent: str, monkeypatch):
    """It costs its time limit, and nothing of it goes on."""
    monkeypatch.setattr(remote_module, "SECONDS", 0.1)
    with pytest.raises(GitError, match="not finished after 0 seconds"):
        fetch(fetcher, Remote(silent, "git"))


def test_nobody_waits_any_more(fetcher: Fetcher, silent: str):
    """A remote that hangs does not keep the command when it is interrupted."""
    threading.Timer(0.05, fetcher.ended.set).start()
    with pytest.raises(CancelledError):
        fetch(fetcher, Remote(silent, "git"))


def test_more_than_there_is_room_for(tmp_path: Path, monkeypatch):
    """A server that sends without an end is cut short."""
    with pytest.raises(GitError, match="more data than allowed"):
        run(
            ["-c", "alias.x=!yes", "x"],
            folder=tmp_path,
            environment=environment(),
            seconds=20,
            ended=threading.Event(),
        )
    monkeypatch.setattr(git_module, "MOST_SAID", 1 << 40)
    with pytest.raises(GitError, match="more data than allowed"):
        run(
            ["-c", "alias.x=!sleep 9", "x"],
            folder=tmp_path,
            environment=environment(),
            seconds=20,
            ended=threading.Event(),
            too_much=lambda: True,
        )


def test_settings_are_added(monkeypatch):
    """To those that the environment has."""
    assert settings([("a.b", "c")], {"GIT_CONFIG_COUNT": "2"}) == {
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_2": "a.b",
        "GIT_CONFIG_VALUE_2": "c",
    }
    assert settings([], {"GIT_CONFIG_COUNT": "x"}) == {"GIT_CONFIG_COUNT": "0"}


@pytest.mark.parametrize("zone", ["+9999", "-9999", "+2400"])
def test_a_commit_of_an_absurd_zone(bare: Bare, fetcher: Fetcher, zone: str):
    """It is read."""
    tree = bare.line("mktree")
    text = f"tree {tree}\nauthor a <a@b> 1 {zone}\ncommitter a <a@b> 60 {zone}\n\nx\n"
    tip = bare.line("hash-object", "-w", "-t", "commit", "--literally", "--stdin", data=text.encode())
    bare.git("update-ref", "refs/heads/main", tip)
    with fetcher.commits(of(bare), [tip], LIMIT) as objects:
        assert objects.tree_of(tip) == tree
