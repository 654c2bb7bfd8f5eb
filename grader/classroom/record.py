"""The results file on the branch `results` of the private repository, shared by several people and the workflow.

This applies with `record: branch` in solutions/course.yaml, or with BACKGRADE_RECORD=branch, as in the workflow. Each
command that reads results.db first merges the branch's file into it; a command that changes it then pushes it. The
branch is one commit without a parent, so that no history keeps a forgotten student. It is pushed with a lease: if
somebody else pushed first, their file is merged, and the push is tried again. shared.py merges the rows.

Before posting, a command writes to the branch that it will post. So two never post at once, and a killed one is noticed.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import platform
import re
import tempfile
import time
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.collect.collect import Server
from grader.classroom.github.api import api_from
from grader.classroom.own_repository import own_repositories, refuse_readers
from grader.classroom.release.push import WorkTree
from grader.console import say
from grader.errors import Refused
from grader.gradebook.overrides import who
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import class_of, read_course_settings
from grader.gradebook.shared import SharedStore
from grader.gradebook.store import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.assignment import Course

BRANCH = "refs/heads/results"
VARIABLE, TOKEN = "BACKGRADE_RECORD", "BACKGRADE_RECORD_TOKEN"
READING, CHANGING, POSTING = (
    {"report", "diff", "copies", "viva"},
    {"batch", "override", "mark", "class"},
    {"post", "answer"},
)
TRIES = 8  # pushes, each after somebody else's
KILLED = dt.timedelta(hours=1)  # a post that lasts longer counts as killed
LOOKS, PAUSE = 30, 10.0  # attempts while somebody else posts, and seconds between two
_FASTER = re.compile(r"stale info|fetch first|non-fast-forward|cannot lock ref|already exists")
_AUTHOR = ("-c", "user.name=Backgrade", "-c", "user.email=backgrade@users.noreply.github.com")


_POSTING: ContextVar[_RecordBranch | None] = ContextVar("_POSTING", default=None)  # set while a command posts


@contextlib.contextmanager
def shared_record(course: Course, words: Sequence[str], environment: Mapping[str, str]) -> Iterator[None]:
    """Run the command line `words` with the results file of the branch, if the class uses one. Raises Refused."""
    name = words[0]
    on_branch = environment.get(VARIABLE) == "branch" or read_course_settings(course).record == "branch"
    others = any(word.startswith(("--results", "-r", "--help", "-h")) for word in words)
    is_setup = name == "class" and "--forget" not in words
    if not on_branch or others or is_setup or name not in READING | CHANGING | POSTING:
        yield
        return
    record = _RecordBranch(course, environment)
    record.fetch()
    if name in READING or "--dry-run" in words:
        yield
        return
    with record.push_after():
        token = _POSTING.set(record if name in POSTING else None)
        try:
            yield
        finally:
            _POSTING.reset(token)


def begin_posting(day: str) -> None:
    """Write to the branch, if the class uses one, that this command posts grades.

    Raises Refused while somebody else posts, or if the branch has changed since this command read it.
    """
    if record := _POSTING.get():
        record.begin(day)


class _RecordBranch:
    """The branch, and the results file here."""

    def __init__(self, course: Course, environment: Mapping[str, str]) -> None:
        """Raise Refused if the course has no repository on GitHub."""
        token = environment.get(TOKEN)
        self.environment = {**environment, "GITHUB_TOKEN": token} if token else environment
        server = Server(self.environment)
        self.course, self.results = course, Path(RESULTS)
        self.name = next(iter(own_repositories(course.root, server.url)), "")
        if not self.name:
            raise Refused(
                "results.db is kept on a branch (`record: branch`), but the course's git remote `origin` is not a repository "
                "on GitHub; run `grade class`"
            )
        self.variables = server.variables_of(self.name)
        self.git = WorkTree(course.root, self.variables)
        in_job = environment.get("GITHUB_ACTIONS") == "true"
        self.holder = "the workflow" if in_job else f"{who()} on {platform.node()}"
        self.pause = 0.1 if environment.get("BACKGRADE_PACE") == "0" else PAUSE
        self.tip = self.there = ""  # the commit merged last, and the hash of its file
        self._ends = contextlib.ExitStack()

    def fetch(self) -> None:
        """Merge the branch's file into the local one, if the branch exists. Raises Refused."""
        tip = self.git.git("ls-remote", "origin", BRANCH).partition("\t")[0]
        if tip == self.tip:
            return
        if not tip:
            raise Refused(
                f"{self.name}: the branch `results` is gone; its last contents are in {self.results}, and the next "
                "command that changes results pushes them again"
            )
        self.git.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", tip)
        with tempfile.TemporaryDirectory(prefix="backgrade-") as folder:
            there = self._beside(folder)
            there.git("read-tree", tip)
            there.git("checkout-index", f"--prefix={folder}/", RESULTS)
            with SharedStore(Path(folder) / RESULTS) as copy:
                self.there = copy.digest()
            with SharedStore(self.results, create=True) as store:
                store.take_in(Path(folder) / RESULTS)
        self.tip = tip

    def _beside(self, folder: str) -> WorkTree:
        """Return the repository with a separate index."""
        return WorkTree(self.course.root, {**self.variables, "GIT_INDEX_FILE": f"{folder}/index"})

    def push(self) -> None:
        """Merge the branch, and push the results file unless both are equal. Raises Refused."""
        for _ in range(TRIES if self.results.exists() else 0):
            self.fetch()
            with SharedStore(self.results) as store:
                here = store.digest()
            if here == self.there or self._push():
                self.there = here
                return
        if self.results.exists():
            raise Refused(f"{self.name}: others keep pushing to the branch `results`; try again")

    def _push(self) -> bool:
        """Push with a lease; return False if somebody else pushed first. Raises Refused."""
        self._refuse_readers  # noqa: B018  verified once
        with tempfile.TemporaryDirectory(prefix="backgrade-") as folder:
            there, copy = self._beside(folder), Path(folder) / RESULTS
            with SharedStore(self.results) as store:
                store.copy_to(copy)
            blob = there.git("hash-object", "-w", "--no-filters", "--", str(copy))
            there.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{RESULTS}")
            tree = there.git("write-tree")
            commit = there.git(*_AUTHOR, "commit-tree", tree, "-m", "Results")
            lease = f"--force-with-lease={BRANCH}:{self.tip}"
            done = there.run("push", "--quiet", lease, "origin", f"{commit}:{BRANCH}")
        if done.returncode and not _FASTER.search(done.stderr):
            raise Refused(
                f"{self.name}: the branch `results` cannot be pushed: {' '.join(done.stderr.split())[:300]}"
            )
        self.tip = self.tip if done.returncode else commit
        return not done.returncode

    @cached_property
    def _refuse_readers(self) -> None:
        """Print which readers of the repository cannot be seen. Raises Refused if students can read it."""
        with api_from(self.environment, waiting=lambda line: say(line, err=True)) as api:
            refuse_readers(api, [self.name], read_roster(class_of(self.course).roster))

    @contextlib.contextmanager
    def push_after(self) -> Iterator[None]:
        """Push the results of the block, even if it failed: rows are only added. Raises Refused."""
        try:
            with self._ends:
                yield
        finally:
            self.push()

    def begin(self, day: str) -> None:
        """Push the intention to post; its end is pushed with the posts. Raises Refused, as `begin_posting` does."""
        known = self.tip
        store = self._ends.enter_context(SharedStore(self.results))
        self._ends.enter_context(store.posting(day, self.holder))
        before = store.digest("posting")
        self.push()
        if other := self._wait_for_others(store):
            raise Refused(
                f"{other} is posting grades, so none were posted here; run the command again when that has ended (a killed "
                "command counts as ended after an hour)"
            )
        if known and store.digest("posting") != before:
            raise Refused(
                "somebody else changed the results in the meantime, so nothing was posted; run the command again"
            )

    def _wait_for_others(self, store: SharedStore) -> str:
        """Wait until nobody else posts; return who still does. Raises Refused."""
        since = (dt.datetime.now(dt.UTC) - KILLED).isoformat(timespec="seconds")
        for number in range(LOOKS):
            other = store.under_way(self.holder, since)
            if not other:
                break
            if not number:
                say(f"{other} is posting grades; waiting", err=True)
            time.sleep(self.pause)
            self.fetch()
        return other
