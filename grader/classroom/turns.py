"""The order of answers: who has pushed since, who was answered often enough today, who is tried again."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.github.activity import iso
from grader.classroom.github.pushed import look
from grader.gradebook.store import Answer, Listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api
    from grader.gradebook.store import Store

SETTLED = dt.timedelta(minutes=10)  # after which GitHub's lists agree with each other
EXPLAINED = dt.timedelta(seconds=5)  # between a push in one list and the same in another
RETRY = dt.timedelta(hours=1)
_changed = msgspec.structs.replace


class Turns:
    """The pushes of an assignment's students that wait for an answer, kept in the file of results.

    `names` are their repositories, `owner/name`; `clock` gives the time.
    """

    def __init__(
        self, assignment: Assignment, store: Store, names: Mapping[str, str], clock: Callable[[], dt.datetime]
    ) -> None:
        self._day, self._store, self._names, self._clock = assignment.name, store, names, clock
        self.most = assignment.manifest.hidden.per_day

    def look(self, api: Api, org: str, *, keep: bool) -> None:
        """Keep whose pushes are new; with `keep` also that nobody's are. Raises LeftOut."""
        listing, known = self._store.listing(self._day, org), self._store.answers(self._day)
        found = look(api, org, self._names, known, listing)
        if found is not None and (found[1] or keep or listing == Listing()):
            self._store.keep_listing(self._day, org, *found)

    def waiting(self) -> list[Answer]:
        """Return who has pushed and was not answered, and whose time has come; the first push first."""
        now = iso(self._clock())
        kept = [
            answer for student, answer in self._store.answers(self._day).items() if student in self._names
        ]
        waiting = [a for a in kept if a.seen != a.done or (a.again and a.again <= now)]
        return sorted(waiting, key=lambda answer: (answer.seen, answer.student))

    def number(self, answer: Answer) -> int:
        """Return which answer of the day (UTC) the next one to the student would be, from 1."""
        return answer.count + 1 if answer.day == self._today else 1

    @property
    def tomorrow(self) -> dt.datetime:
        """The moment at which the next day begins, UTC."""
        return dt.datetime.fromisoformat(f"{self._today}T00:00:00+00:00") + dt.timedelta(days=1)

    @property
    def _today(self) -> str:
        return self._clock().astimezone(dt.UTC).date().isoformat()

    # What became of a turn

    def answered(self, answer: Answer, commit: str, pushed: dt.datetime | None) -> None:
        """Keep that a commit was answered, and when it was pushed, if that is known."""
        done, number = self._done(answer, pushed), self.number(answer)
        self._keep(answer, done=done, commit=commit, day=self._today, count=number, again="")

    def settled(self, answer: Answer, pushed: dt.datetime | None) -> None:
        """Keep that the newest push needs no answer; who waits for another day goes on waiting."""
        again = answer.again if answer.again > iso(self._clock()) else ""
        self._keep(answer, done=self._done(answer, pushed), again=again)

    def later(self, answer: Answer, *, commit: str = "", at: dt.datetime | None = None) -> None:
        """Keep that the student is looked at again at that time, or in an hour; `commit` was told so."""
        again = iso(at or self._clock() + RETRY)
        self._keep(answer, done=answer.seen, commit=commit or answer.commit, again=again)

    def _keep(self, answer: Answer, **changes: str | int) -> None:
        self._store.keep_answer(self._day, _changed(answer, **changes))

    def _done(self, answer: Answer, pushed: dt.datetime | None) -> str:
        """Return the push that is dealt with: not a young one that the list of pushes may not show yet."""
        seen = dt.datetime.fromisoformat(answer.seen)
        explained = pushed is not None and pushed >= seen - EXPLAINED
        young = dt.timedelta() <= self._clock() - seen < SETTLED
        return answer.done if young and not explained else answer.seen
