"""`grade release --push`: real git, real remotes on this disk, and never anything forced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from releasing import ADA, Instructor, git, set_own_git, tree, without_solutions

from grader.classroom.release.push import without_credentials


@pytest.fixture
def teacher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Instructor:
    """Somebody with an identity of their own, whose settings of git are not this machine's."""
    set_own_git(monkeypatch, tmp_path)
    return Instructor(without_solutions(tmp_path / "course"), monkeypatch, capsys)


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """An empty repository, as it is made on GitHub."""
    git("init", "-q", "--bare", "-b", "main", "remote.git", cwd=tmp_path)
    return tmp_path / "remote.git"


def test_a_template_is_pushed(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path, snapshot
) -> None:
    """A student's clone has every file of it, by the instructor, on main."""
    ran = teacher.release(folder, "--push", remote)
    git("clone", "-q", remote, "clone", cwd=tmp_path)

    assert ran.code == 0, ran.text
    assert tree(tmp_path / "clone") == tree(folder)
    assert git("log", "--format=%an <%ae> %s", "main", cwd=remote).startswith(
        "Ada Lovelace <ada@example.org> mini"
    )
    assert ran.text == snapshot
    assert "tick `Template repository`" in ran.text


@pytest.mark.ci
def test_a_name_in_the_courses_own_settings_is_nobodys_elsewhere(
    teacher: Instructor, folder: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The template is a repository of its own: it is refused before anything is written, or has the name that is told."""
    for name in ADA:
        monkeypatch.delenv(name)
    git("init", "-q", cwd=teacher.course)
    for name, value in (("user.name", "Of the course"), ("user.email", "course@example.org")):
        git("config", name, value, cwd=teacher.course)

    refused = teacher.release(folder, "--push", remote)

    assert "git does not know who you are" in refused.text
    assert not folder.exists()

    git("config", "--global", "user.name", "Ada Lovelace", cwd=teacher.course)
    git("config", "--global", "user.email", "ada@example.org", cwd=teacher.course)
    ran = teacher.release(folder, "--push", remote)

    assert "will be committed as Ada Lovelace <ada@example.org>" in ran.text
    assert git("log", "--format=%an", "main", cwd=remote) == "Ada Lovelace"


@pytest.mark.ci
def test_a_folder_beside_the_course(teacher: Instructor, remote: Path, tmp_path: Path) -> None:
    """It is meant from where the command is typed, wherever the template lies."""
    ran = teacher.release("../deep/below/template", "--push", "../remote.git")

    assert ran.code == 0, ran.text
    assert git("rev-list", "--count", "main", cwd=remote) == "1"


@pytest.mark.ci
def test_an_update_is_pushed(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path, snapshot
) -> None:
    """On top of the first, removals too; without a change there is nothing to commit."""
    extra = teacher.course / "assignments/mini/extra.txt"
    extra.write_text("data\n")
    teacher.release(folder, "--push", remote)
    extra.unlink()

    changed = teacher.release(folder, "--push", remote, "--yes")
    again = teacher.release(folder, "--push", remote)

    assert (changed.code, again.code) == (0, 0)
    assert git("rev-list", "--count", "main", cwd=remote) == "2"
    assert "extra.txt" not in git("ls-tree", "-r", "--name-only", "main", cwd=remote)
    assert again.text == snapshot


@pytest.mark.ci
def test_what_an_unpushed_release_removed_is_removed(teacher: Instructor, folder: Path, remote: Path) -> None:
    """A release between two that are pushed was only looked at."""
    extra = teacher.course / "assignments/mini/extra.txt"
    extra.write_text("data\n")
    teacher.release(folder, "--push", remote)
    extra.unlink()
    teacher.release(folder, "--yes")

    assert teacher.release(folder, "--push", remote).code == 0
    assert "extra.txt" not in git("ls-tree", "-r", "--name-only", "main", cwd=remote)


def test_only_the_template_is_committed(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path
) -> None:
    """Not what else is in the folder; and all of it, whatever the user's git ignores."""
    (tmp_path / "gitconfig").write_text(f"[core]\n\texcludesFile = {(tmp_path / 'ignored').as_posix()}\n")
    (tmp_path / "ignored").write_text("docs\n*.txt\n")
    folder.mkdir()
    (folder / "grades.csv").write_text("ada,100\n")

    ran = teacher.release(folder, "--push", remote, "--yes")

    pushed = git("ls-tree", "-r", "--name-only", "main", cwd=remote).split("\n")
    assert ran.code == 0, ran.text
    assert "grades.csv" not in pushed
    assert {"docs/students.md", "requirements.txt"} <= set(pushed)


def test_a_history_of_others_is_never_overwritten(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path, snapshot
) -> None:
    """The error comes before anything is written, and names the way that works."""
    git("init", "-q", "-b", "main", "theirs", cwd=tmp_path)
    (tmp_path / "theirs/README.md").write_text("made with the repository\n")
    git("add", "-A", cwd=tmp_path / "theirs")
    git("commit", "-q", "-m", "theirs", cwd=tmp_path / "theirs")
    git("push", "-q", remote, "main", cwd=tmp_path / "theirs")

    refused = teacher.release(folder, "--push", remote)
    git("clone", "-q", remote, "template", cwd=tmp_path)
    remedied = teacher.release(folder, "--push", remote, "--yes")

    assert refused.code == 2
    assert refused.text == snapshot
    assert remedied.code == 0, remedied.text
    assert git("rev-list", "--count", "main", cwd=remote) == "2"


@pytest.mark.ci
def test_somebody_pushed_meanwhile(teacher: Instructor, folder: Path, remote: Path, tmp_path: Path) -> None:
    """The earlier template went on without this folder."""
    teacher.release(folder, "--push", remote)
    git("clone", "-q", remote, "other", cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", "mended on the web", cwd=tmp_path / "other")
    git("push", "-q", cwd=tmp_path / "other")
    tip = git("rev-parse", "main", cwd=remote)

    ran = teacher.release(folder, "--push", remote)

    assert ran.code == 2
    assert "commits that" in ran.text
    assert git("rev-parse", "main", cwd=remote) == tip


def test_git_does_not_know_who_commits(
    teacher: Instructor, folder: Path, remote: Path, monkeypatch: pytest.MonkeyPatch, snapshot
) -> None:
    """Both lines to type; no name is made up from the machine's."""
    for name in ADA:
        monkeypatch.delenv(name)

    ran = teacher.release(folder, "--push", remote)

    assert ran.code == 2
    assert ran.text == snapshot
    assert not folder.exists()


def test_a_remote_that_is_not_there(teacher: Instructor, folder: Path, tmp_path: Path, snapshot) -> None:
    """Git's own words, and what to look at."""
    ran = teacher.release(folder, "--push", tmp_path / "nowhere.git")

    assert ran.code == 2
    assert "nowhere.git" in ran.text
    assert ran.text == snapshot
    assert not folder.exists()


@pytest.mark.parametrize("url", ["--upload-pack=touch x", "", "ext::sh -c touch% x", "a\nb"])
def test_an_address_is_no_option(teacher: Instructor, folder: Path, url: str, tmp_path: Path) -> None:
    """A text that is not an address is refused, and not executed."""
    ran = teacher.release(folder, f"--push={url}")

    assert ran.code == 2
    assert not list(tmp_path.rglob("x"))
    assert not folder.exists()


def test_credentials_are_never_printed(teacher: Instructor, folder: Path) -> None:
    """Neither by us nor by git, and they are not kept in the folder."""
    ran = teacher.release(folder, "--push", "http://ada:pa55word@127.0.0.1:9/t.git")

    assert ran.code == 2
    assert "pa55word" not in ran.text
    assert "http://127.0.0.1:9/t.git" in ran.text
    assert without_credentials("https://token@github.com/o/r") == "https://github.com/o/r"
    assert without_credentials("https://ada:pa55@word@github.com/o/r") == "https://github.com/o/r"
    for address in ("git@github.com:o/r.git", "ssh://git@github.com/o/r.git"):  # no secret, and needed
        assert without_credentials(address) == address


def test_credentials_are_not_kept(teacher: Instructor, folder: Path, remote: Path, tmp_path: Path) -> None:
    """The settings of git in the folder go to everybody who gets the folder."""
    url = "https://ada:pa55word@example.org/t.git"
    (tmp_path / "gitconfig").write_text(f'[url "{remote.as_posix()}"]\n\tinsteadOf = {url}\n')

    ran = teacher.release(folder, "--push", url)

    assert ran.code == 0, ran.text
    assert git("remote", "get-url", "origin", cwd=folder) == "https://example.org/t.git"
    assert "pa55word" not in ran.text


@pytest.mark.ci
def test_another_repository_by_a_variable(
    teacher: Instructor, folder: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a hook of another repository starts the command."""
    git("init", "-q", "other", cwd=teacher.course)
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(teacher.course / "other/.git"))
        ran = teacher.release(folder, "--push", remote)

    assert ran.code == 0, ran.text
    assert git("rev-list", "--count", "main", cwd=remote) == "1"
    assert not list((teacher.course / "other/.git/refs/heads").iterdir())


@pytest.mark.ci
def test_another_branch_is_checked_out(teacher: Instructor, folder: Path, remote: Path, snapshot) -> None:
    """A draft is not pushed as main."""
    teacher.release(folder, "--push", remote)
    git("switch", "-q", "-c", "draft", cwd=folder)
    (folder / "README.md").unlink()

    ran = teacher.release(folder, "--push", remote)

    assert ran.code == 2
    assert not (folder / "README.md").exists()
    assert ran.text == snapshot


def test_a_history_with_solutions_is_never_pushed(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path, snapshot
) -> None:
    """A copy of the course's own repository, from which the solutions were only deleted."""
    (folder / "solutions/mini").mkdir(parents=True)
    git("init", "-q", "-b", "main", cwd=folder)
    (folder / "solutions/mini/mini.py").write_text("x = 1\n")
    git("add", "-A", cwd=folder)
    git("commit", "-q", "-m", "course", cwd=folder)
    git("rm", "-rq", "solutions", cwd=folder)
    git("commit", "-q", "-m", "template", cwd=folder)

    ran = teacher.release(folder, "--push", remote, "--yes")

    assert ran.code == 2
    assert ran.text == snapshot
    assert git("ls-remote", remote, cwd=tmp_path) == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")
def test_another_repository_by_a_link(
    teacher: Instructor, folder: Path, remote: Path, tmp_path: Path, snapshot
) -> None:
    """A release commits nothing in a repository that the folder only links to."""
    git("init", "-q", "-b", "main", "own", cwd=tmp_path)
    folder.mkdir()
    (folder / ".git").symlink_to(tmp_path / "own/.git")

    ran = teacher.release(folder, "--push", remote, "--yes")

    assert ran.code == 2
    assert ran.text == snapshot


@pytest.mark.ci
def test_a_repository_without_a_commit(teacher: Instructor, folder: Path, remote: Path) -> None:
    """Whatever its first branch would have been called."""
    folder.mkdir()
    git("init", "-q", "-b", "trunk", cwd=folder)

    ran = teacher.release(folder, "--push", remote)

    assert ran.code == 0, ran.text
    assert git("branch", "--show-current", cwd=folder) == "main"
