"""The push of a template, or of a course, to a git remote.

Git runs with the identity, keys and helpers of the user. It never pushes with force.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from grader.classroom.git.process import NOT_INSTALLED, environment, in_words, without_credentials
from grader.console import say, somebody_can_answer
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BRANCH = "main"
_SOLUTIONS = ":(glob)**/solutions/**"


def address(url: str) -> str:
    """Return the address for git, which runs in another folder: a local folder becomes an absolute path.

    Raises Refused for a text that cannot be an address.
    """
    if not url.strip() or url.startswith("-") or not url.isprintable():
        raise Refused(f"{without_credentials(url)!r}: not the address of a git repository")
    return str(absolute(Path(url))) if "://" not in url and Path(url).is_dir() else url


class WorkTree:
    """A folder that is a git repository, or will be one."""

    def __init__(self, folder: Path, variables: Mapping[str, str] = MappingProxyType({})) -> None:
        """`variables` are added to the environment of git."""
        self.folder, self.variables = folder, variables

    @property
    def exists(self) -> bool:
        """True if the folder itself is a repository."""
        return os.path.lexists(self.folder / ".git")

    @property
    def has_commits(self) -> bool:
        """True if it has a commit."""
        return self.exists and self.succeeds("rev-parse", "-q", "--verify", "HEAD")

    def git(self, *words: str, secret: str = "") -> str:
        """Return the output of git. Raises Refused with git's message, without the password in the address `secret`."""
        done = self.run(*words)
        if done.returncode:
            output = in_words(done.stderr.strip() or done.stdout.strip(), secret)
            raise Refused(f"{self.folder}: `git {words[0]}` failed: {output.rstrip('.') or 'no message'}")
        return done.stdout.strip()

    def succeeds(self, *words: str) -> bool:
        """Return True if git exits with 0."""
        return self.run(*words).returncode == 0

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run git in the repository; before it exists, in the root folder, away from any other repository.

        Raises Refused if git is not installed.
        """
        asks = somebody_can_answer()
        no_prompt = {} if asks else {"GIT_TERMINAL_PROMPT": "0"}
        try:
            return subprocess.run(
                ["git", *words],
                cwd=self.folder if self.exists else absolute(self.folder).anchor,
                env={**environment(), **no_prompt, **self.variables},
                stdin=None if asks else subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except FileNotFoundError as error:
            raise Refused(NOT_INSTALLED) from error


# --- Before anything is written


def check_remote(folder: Path, url: str, variables: Mapping[str, str] = MappingProxyType({})) -> str:
    """Verify that the template can be pushed there; return a sentence about the push. Raises Refused."""
    shown = without_credentials(url)
    repository = WorkTree(folder, variables)
    author = _identity(repository)
    _refuse_secrets(repository)
    _refuse_other_branch(repository)
    try:
        listed = repository.git("ls-remote", "--heads", "--", url, secret=url)
    except Refused as error:
        raise Refused(
            f"{error}. Verify the address and your permission to write there; "
            "if there is no repository yet, create an empty one first"
        ) from error
    heads = {name: tip for tip, _, name in (line.partition("\t") for line in listed.splitlines())}
    wanted = heads.get(f"refs/heads/{BRANCH}")
    tips = [wanted] if wanted else list(heads.values())
    continues = (repository.succeeds("merge-base", "--is-ancestor", tip, "HEAD") for tip in tips)
    if heads and not (repository.exists and any(continues)):  # the folder must continue the remote's history
        raise Refused(
            f"{shown}: this repository has commits that {folder} does not have, and a release never pushes with force. "
            "Push to an empty repository; or, to update an earlier template, clone it and release "
            f"into the clone: `git clone ADDRESS template`, then `grade release ... template --push ADDRESS`"
        )
    return f"{folder} will be committed as {author} and pushed to {shown}, branch {BRANCH}, without force"


def _refuse_secrets(repository: WorkTree) -> None:
    """Raise Refused for a history with solutions/, because a clone has the whole history."""
    folder = repository.folder
    if (folder / ".git").is_symlink():
        raise Refused(
            f"{folder / '.git'}: this is a symbolic link to another repository; name another folder"
        )
    if repository.has_commits and repository.git("log", "--all", "-1", "--format=%h", "--", _SOLUTIONS):
        raise Refused(
            f"{folder}: the history of this repository holds solutions/, which every student would get; "
            "release into a new folder"
        )


def _refuse_other_branch(repository: WorkTree) -> None:
    """Raise Refused if another branch than `main` is checked out."""
    if not repository.has_commits:
        return
    branch = repository.git("symbolic-ref", "--short", "HEAD")
    if branch != BRANCH:
        there = repository.succeeds("rev-parse", "-q", "--verify", f"refs/heads/{BRANCH}")
        line = f"git switch {BRANCH}" if there else f"git branch -m {BRANCH}"
        raise Refused(
            f"{repository.folder}: the branch {branch} is checked out; run `{line}` there, then release again"
        )


def _identity(repository: WorkTree) -> str:
    """Return the author of the commit, `Name <address>`. Raises Refused."""
    done = repository.run("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
    if done.returncode:
        raise Refused(
            "git does not know who you are, so it cannot commit; run these two lines with your own name and "
            'address: git config --global user.name "Ada Lovelace"  and  '
            'git config --global user.email "ada@example.org"'
        )
    return done.stdout.partition(">")[0] + ">"


# --- After the template was written


def push(repository: WorkTree, url: str, *, names: Sequence[str], message: str, branch: str = BRANCH) -> None:
    """Commit these files, including removed ones, and push them on top of what others pushed. Raises Refused."""
    folder, shown = repository.folder, without_credentials(url)
    author = _identity(repository)
    if not repository.exists:
        repository.git("init", "-q", "--", str(absolute(folder)))
        say(f"git init            {folder}, branch {branch}")
    if not repository.has_commits:
        repository.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    for i in range(0, len(names), 200):  # the length of a command line is limited
        repository.git("add", "--force", "--", *names[i : i + 200])  # even files that git ignores
    if repository.succeeds("diff", "--cached", "--quiet"):
        say("git commit          nothing has changed since the last commit")
    else:
        repository.git("commit", "-q", "-m", message)
        say(f"git commit          as {author}: {message}")
    if not repository.succeeds("remote", "get-url", "origin"):
        repository.git("remote", "add", "origin", shown)
    tip = repository.git("ls-remote", "--", url, f"refs/heads/{branch}", secret=url).partition("\t")[0]
    if tip and not repository.succeeds("merge-base", "--is-ancestor", tip, "HEAD"):
        repository.git("pull", "-q", "--rebase", "--autostash", "--", url, branch, secret=url)
    say(f"git push            {branch} to {shown}")
    try:
        repository.git("push", "-q", "--", url, f"HEAD:refs/heads/{branch}", secret=url)
    except Refused as error:
        remedy = _REMEDY if "workflow" in str(error) else ""
        raise Refused(f"{error}. Everything is written and committed; nothing was pushed{remedy}") from error


_REMEDY = (
    ". GitHub accepts a workflow only with the right to change workflows: run `gh auth refresh -s workflow`, or push "
    "over SSH"
)


TO_PUSH = """
To push the template, add `--push ADDRESS` to the command. ADDRESS is an empty repository (no README, no license), or
the one to which you pushed an earlier release.
"""
AS_TEMPLATE = """
Once, on GitHub: Settings, General, tick `Template repository`; or

  gh repo edit OWNER/NAME --template

Students then get their repositories by `grade open`, by `Use this template`, or from your classroom.
"""
