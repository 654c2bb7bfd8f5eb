"""The students who pushed since the last look: one list of an organisation's repositories, the newest push first.

GET /orgs/ORG/repos?sort=pushed (GitHub's REST documentation, "List organization repositories") gives a hundred a
page. It is asked with the ETag of the last look, and where nobody has pushed GitHub answers 304, which no limit
counts ("Best practices for using the REST API", Use conditional requests). Else the pages are read until one
ends with a push that is older than the newest of the last look.

A repository that was made from a template counts as pushed by nobody until its next push.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.activity import iso
from grader.classroom.github.api import Forbidden, LeftOut, NotThere
from grader.gradebook.store import Answer, Listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.classroom.github.api import Api, Page

MADE = dt.timedelta(seconds=10)  # within which a template's files are in a new repository
_NEWEST_FIRST = {"sort": "pushed", "direction": "desc", "type": "all"}
_changed = msgspec.structs.replace


class Repository(msgspec.Struct):
    """A repository as lists show it; `id` stays when it is renamed."""

    id: int
    full_name: str
    created_at: dt.datetime
    pushed_at: dt.datetime | None = None

    @property
    def pushed(self) -> str:
        """The time of the newest push, to any branch; UTC in ISO 8601."""
        return iso(self.pushed_at or self.created_at)

    @property
    def untouched(self) -> bool:
        """True where nobody has pushed since it was made."""
        return self.pushed_at is None or self.pushed_at - self.created_at <= MADE


def look(
    api: Api, org: str, names: Mapping[str, str], known: Mapping[str, Answer], listing: Listing
) -> tuple[Listing, list[Answer]] | None:
    """Return how the list stands and the students in whose repositories something is new.

    `names` are the repositories (`owner/name`) by student, `known` what is kept of each, `listing` how the list
    was read last. None: it stands as it stood. Raises LeftOut.
    """
    try:
        page = api.page(f"/orgs/{org}/repos", Repository, _NEWEST_FIRST, etag=listing.etag)
    except NotThere as error:
        raise LeftOut(
            f"{org}: there is no such organisation, or the token does not see it; look at --org", error.status
        ) from None
    if page is None:
        return None
    etag, found = page.etag, list(_read(api, page, listing.newest))
    newest = max((repository.pushed for repository in found), default="")
    everybody = _Students(names, known)
    if not listing.newest:
        found += _renamed(api, names, found)
    news = [answer for repository in found for answer in everybody.news(repository)]
    return Listing(etag, max(newest, listing.newest)), news


def _read(api: Api, page: Page[Repository] | None, newest: str) -> Iterator[Repository]:
    """Yield the repositories of these pages down to the newest push of the last look."""
    while page is not None:
        yield from page.items
        if not page.items or page.items[-1].pushed < newest:
            return
        page = api.next_page(page, Repository)


def _renamed(api: Api, names: Mapping[str, str], found: Sequence[Repository]) -> Iterator[Repository]:
    """Ask for those that are not in the list under their names: GitHub leads on from an earlier name."""
    there = {repository.full_name.casefold() for repository in found}
    for name in dict.fromkeys(names.values()):
        if name.casefold() not in there:
            try:
                moved = api.ask("GET", f"/repos/{name}", Repository)
            except (NotThere, Forbidden):
                continue
            moved.full_name = name
            yield moved


class _Students:
    """The students by repository: by its number where that is known, else by its name."""

    def __init__(self, names: Mapping[str, str], known: Mapping[str, Answer]) -> None:
        self._known = known
        self._by_name: dict[str, list[str]] = {}
        self._by_number: dict[int, list[str]] = {}
        for student, name in names.items():
            self._by_name.setdefault(name.casefold(), []).append(student)
            if student in known:
                self._by_number.setdefault(known[student].repository, []).append(student)

    def news(self, repository: Repository) -> Iterator[Answer]:
        """Yield what is to be kept of its students, where that is new."""
        mine = self._by_number.get(repository.id, []) + self._by_name.get(repository.full_name.casefold(), [])
        for student in dict.fromkeys(mine):
            pushed, before = repository.pushed, self._known.get(student)
            if before is None:
                done = pushed if repository.untouched else ""
                yield Answer(student, repository.id, pushed, done)
            elif (before.repository, before.seen) != (repository.id, pushed):
                yield _changed(before, repository=repository.id, seen=pushed)
