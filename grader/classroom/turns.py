"""The queue of `grade answer`: pushes that wait for an answer, limits per day, and retries.

New pushes come from one list of an organisation's repositories, sorted by the newest push. GET
/orgs/ORG/repos?sort=pushed (GitHub's REST documentation, "List organization repositories") returns a hundred a
page. The request is conditional: without new pushes, GitHub answers 304, which counts against no limit ("Best
practices for using the REST API", Use conditional requests). Otherwise pages are read until one ends with a push
that is older than the newest one of the last look.

A repository that was made from a template counts as not pushed to until its next push.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.collect.pushes import iso
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import Repository
from grader.gradebook.store import Listing, PushRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api, ListPage
    from grader.gradebook.store import Store

SETTLED = dt.timedelta(minutes=10)  # after this time GitHub's lists agree with each other
EXPLAINED = dt.timedelta(seconds=5)  # the most by which one push's times differ in two lists
RETRY = dt.timedelta(hours=1)
MADE = dt.timedelta(seconds=10)  # GitHub copies a template's files into a new repository within this time
_NEWEST_FIRST = {"sort": "pushed", "direction": "desc", "type": "all"}
_changed = msgspec.structs.replace


class Turns:
    """The pushes of an assignment's students that wait for an answer, kept in the results file.

    `names` are the repositories (`owner/name`) by student; `clock` returns the time.
    """

    def __init__(
        self, assignment: Assignment, store: Store, names: Mapping[str, str], clock: Callable[[], dt.datetime]
    ) -> None:
        self._day, self._store, self._names, self._clock = assignment.name, store, names, clock
        self.most = assignment.manifest.hidden.per_day

    def look(self, api: Api, org: str, *, keep: bool) -> None:
        """Keep the students with new pushes; with `keep` also record that there were none. Raises RequestFailed."""
        listing, known = self._store.listing(self._day, org), self._store.answers(self._day)
        try:
            page = api.page(f"/orgs/{org}/repos", ListedRepository, _NEWEST_FIRST, etag=listing.etag)
        except RequestFailed as error:
            if not error.missing:
                raise
            raise RequestFailed(
                f"{org}: there is no such organisation, or the token cannot see it; check `class` in solutions/course.yaml",
                error.status,
            ) from None
        if page is None:
            return
        found = list(_read(api, page, listing.newest))
        newest = max((repository.pushed for repository in found), default="")
        if not listing.newest:
            found += _renamed(api, self._names, found)
        news = list(_news(found, self._names, known))
        if news or keep or listing == Listing():
            self._store.keep_listing(self._day, org, Listing(page.etag, max(newest, listing.newest)), news)

    def waiting(self) -> list[PushRecord]:
        """Return the students with an unanswered push, and those due for a retry; the oldest push first."""
        now = iso(self._clock())
        kept = [
            answer for student, answer in self._store.answers(self._day).items() if student in self._names
        ]
        waiting = [a for a in kept if a.seen != a.done or (a.again and a.again <= now)]
        return sorted(waiting, key=lambda answer: (answer.seen, answer.student))

    def number(self, answer: PushRecord) -> int:
        """Return the number of the student's next answer today (UTC), from 1."""
        return answer.count + 1 if answer.day == self._today else 1

    @property
    def tomorrow(self) -> dt.datetime:
        """The beginning of the next day, UTC."""
        return dt.datetime.fromisoformat(f"{self._today}T00:00:00+00:00") + dt.timedelta(days=1)

    @property
    def _today(self) -> str:
        return self._clock().astimezone(dt.UTC).date().isoformat()

    # The end of a turn

    def answered(self, answer: PushRecord, commit: str, pushed: dt.datetime | None) -> None:
        """Record that a commit was answered, and the time of its push, if known."""
        done, number = self._done(answer, pushed), self.number(answer)
        self._keep(answer, done=done, commit=commit, day=self._today, count=number, again="")

    def settled(self, answer: PushRecord, pushed: dt.datetime | None) -> None:
        """Record that the newest push needs no answer; a retry that is planned for later stays."""
        again = answer.again if answer.again > iso(self._clock()) else ""
        self._keep(answer, done=self._done(answer, pushed), again=again)

    def later(self, answer: PushRecord, *, commit: str = "", at: dt.datetime | None = None) -> None:
        """Plan a retry at that time, or in an hour; `commit` got a status about it."""
        again = iso(at or self._clock() + RETRY)
        self._keep(answer, done=answer.seen, commit=commit or answer.commit, again=again)

    def _keep(self, answer: PushRecord, **changes: str | int) -> None:
        self._store.keep_answer(self._day, _changed(answer, **changes))

    def _done(self, answer: PushRecord, pushed: dt.datetime | None) -> str:
        """Return the time up to which pushes are handled: not a recent one that GitHub may not list yet."""
        seen = dt.datetime.fromisoformat(answer.seen)
        explained = pushed is not None and pushed >= seen - EXPLAINED
        young = dt.timedelta() <= self._clock() - seen < SETTLED
        return answer.done if young and not explained else answer.seen


# --- The list of repositories


class ListedRepository(Repository, frozen=True, kw_only=True):
    """A repository as lists contain it; its `id` stays the same when it is renamed."""

    created_at: dt.datetime
    pushed_at: dt.datetime | None = None

    @property
    def pushed(self) -> str:
        """The time of the newest push, to any branch; UTC in ISO 8601."""
        return iso(self.pushed_at or self.created_at)


def _read(api: Api, page: ListPage[ListedRepository] | None, newest: str) -> Iterator[ListedRepository]:
    """Yield the repositories from this page on, down to the newest push of the last look."""
    while page is not None:
        yield from page.items
        if not page.items or page.items[-1].pushed < newest:
            return
        page = api.next_page(page, ListedRepository)


def _renamed(
    api: Api, names: Mapping[str, str], found: Sequence[ListedRepository]
) -> Iterator[ListedRepository]:
    """Yield renamed repositories: they are not in the list, and GitHub redirects from their old names."""
    there = {repository.full_name.casefold() for repository in found}
    for name in dict.fromkeys(names.values()):
        if name.casefold() not in there:
            try:
                moved = api.ask("GET", f"/repos/{name}", ListedRepository)
            except RequestFailed as error:
                if not (error.missing or error.forbidden):
                    raise
                continue
            yield _changed(moved, full_name=name)


def _news(
    found: Sequence[ListedRepository], names: Mapping[str, str], known: Mapping[str, PushRecord]
) -> Iterator[PushRecord]:
    """Yield the new state of each student with a new push: found by the repository's id if known, else by its name."""
    students: dict[str | int, list[str]] = {}
    for student, name in names.items():
        students.setdefault(name.casefold(), []).append(student)
        if student in known:
            students.setdefault(known[student].repository, []).append(student)
    for repository in found:
        mine = students.get(repository.id, []) + students.get(repository.full_name.casefold(), [])
        for student in dict.fromkeys(mine):
            pushed, before = repository.pushed, known.get(student)
            if before is None:
                last, made = repository.pushed_at, repository.created_at
                done = (
                    pushed if last is None or last - made <= MADE else ""
                )  # never pushed to since it was made
                yield PushRecord(student, repository.id, pushed, done)
            elif (before.repository, before.seen) != (repository.id, pushed):
                yield _changed(before, repository=repository.id, seen=pushed)
