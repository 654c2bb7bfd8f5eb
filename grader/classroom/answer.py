"""`grade answer`: grade the pushes since the last run with the hidden checks.

An answer is a status on the graded commit, with points and a link, and the text of `grade post`, marked provisional.
The results file keeps the state of each student, so a killed run can be repeated. Students are answered in the
order of their pushes, a few at a time, so that none waits for the whole class.

A team is answered once: with one status, and the text for the whole team.

Only the newest push is answered. Just before writing an answer, a conditional request asks GitHub again for the commit
that counts; a newer one waits for the next run.

A token needs the permissions of `grade collect` and `grade post`, and `statuses: write`. An answer costs at most six
requests, a push that changes nothing two. GitHub allows 5,000 an hour, so a run ends when it has spent BUDGET, and the
next one continues. https://docs.github.com/rest/commits/statuses describes a status.

New pushes come from one list of an organisation's repositories, sorted by the newest push. GET
/orgs/ORG/repos?sort=pushed (GitHub's REST documentation, "List organization repositories") returns a hundred a
page. The request is conditional: without new pushes, GitHub answers 304, which counts against no limit ("Best
practices for using the REST API", Use conditional requests). Otherwise pages are read until one ends with a push
that is older than the newest one of the last look.

A repository that was made from a template counts as not pushed to until its next push.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.classroom.collect.collect import Server, logins, tasks_of
from grader.classroom.collect.collection import Collection, take_turns
from grader.classroom.collect.pushes import iso
from grader.classroom.git.process import GitError, refuse_old_git
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.classroom.github.repository import Repository
from grader.classroom.letters import letters_of
from grader.classroom.own_repository import Deciding, own_repositories, refuse_public_salt
from grader.classroom.post import Poster
from grader.classroom.record import begin_posting
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, count_noun, say
from grader.errors import first_of
from grader.fleet.batch import grade_class
from grader.gradebook.roster import by_repository, read_roster
from grader.gradebook.sentences import grade_words, is_provisional
from grader.gradebook.store import Listing, PushRecord, Store
from grader.grading.suitehash import hash_of_suite
from grader.grading.workers import Workers, patience_for, usable_cores
from grader.submissions.collected import find_collected_works
from grader.submissions.state_words import reason, span, when
from grader.submissions.states import NO_RESULT, NOT_WORKED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.classroom.collect.pushes import CollectTask
    from grader.classroom.collect.versions import BranchState
    from grader.classroom.github.api import Api
    from grader.classroom.letters import Letter
    from grader.gradebook.settings import Class
    from grader.submissions.collected import CollectedWork

AT_ONCE = 16  # students who are fetched and graded before the first is answered
JOBS = 4  # processes of git at once
BUDGET = 1_100  # requests of a run: four an hour stay below 5,000
LOOK, ANSWER = 2, 4  # requests for a look, and further ones for an answer
LONGEST = 140  # characters of a status, GitHub's limit
SHOWN = 5  # names
_RIGHTS = "; the token needs `statuses: write`, `issues: write` and `pull-requests: write` for the student's repository"
_LEFT, _BROKEN = "left out", "could not be graded"
SETTLED = dt.timedelta(minutes=10)  # after this time GitHub's lists agree
EXPLAINED = dt.timedelta(seconds=5)  # the most by which one push's times differ in two lists
RETRY = dt.timedelta(hours=1)
MADE = dt.timedelta(seconds=10)  # GitHub copies a template's files into a new repository within this time
_NEWEST_FIRST = {"sort": "pushed", "direction": "desc", "type": "all"}
_changed = msgspec.structs.replace


def run_answer(
    assignment: Assignment,
    class_: Class,
    results: Path,
    *,
    environment: Mapping[str, str],
    clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
) -> int:
    """Answer the pushes since the last run, and return the exit code. Raises Refused.

    Pushes of instructors and of bots get no answer, and with `hidden: final` no push gets one. `clock`
    returns the time.
    """
    if assignment.has_hidden and assignment.manifest.hidden.answer == "final":
        say(f"{assignment.name}: {_SILENT}")
        return FULL
    refuse_public_salt(assignment)
    refuse_old_git()
    server = Server(environment)
    own = own_repositories(assignment.course.root, server.url)
    if own and environment.get("GITHUB_ACTIONS") != "true":  # a job has the remote's files
        Deciding([assignment], class_, server.variables_of(own[0])).say_differing()
    org = class_.needed_organisation
    tasks = _find_listed(tasks_of(assignment, read_roster(class_.roster), server, class_), org)
    with ExitStack() as stack:
        store = stack.enter_context(Store(results, create=True))
        # Other runs wait until this one ends.
        lock = stack.enter_context(results.with_name(f".{results.name}.lock").open("ab"))
        take_turns(lock.fileno(), lambda: say(f"another run is using {results}; waiting", err=True))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="backgrade-")))
        collection = Collection(assignment, folder, logins(class_))
        stack.enter_context(collection.open(say))
        api, jobs = stack.enter_context(server.api()), min(AT_ONCE, len(usable_cores()))
        workers = stack.enter_context(Workers(jobs, patience_for(assignment.manifest.limits)))
        try:
            return _Run(assignment, tasks, org, store, api, collection, workers, clock).everybody()
        except GitHubUnavailable as error:
            say(f"grade: {error}; {_GOES_ON}", err=True)
            return UNGRADABLE
        except KeyboardInterrupt:
            say(f"interrupted: {_GOES_ON}", err=True)
            return INTERRUPTED


_SILENT = (
    "nothing to do. assignment.yaml says `hidden: final`, so students get the results of hidden checks with the final "
    "grade, from `grade post`"
)
_GOES_ON = "what was answered stays; run the same command later to continue"


def _find_listed(tasks: Sequence[CollectTask], org: str) -> dict[str, CollectTask]:
    """Return the tasks with a repository in the organisation, by student; print the names of the others."""
    place = f"{org.casefold()}/"
    inside = {task.student: task for task in tasks if task.name.casefold().startswith(place)}
    others = [task.student for task in tasks if task.student not in inside]
    if others:
        say(
            f"note: these students get no answers, because they have no repository in the organisation {org}: "
            f"{first_of(others, SHOWN)}"
        )
    return inside


@dataclass
class _Turn:
    """A push to answer; `record` describes its collected work."""

    answer: PushRecord
    push: BranchState
    record: CollectedWork | None = None


class _Run:
    """One run: finds new pushes, and answers them one after another.

    The queue is in the results file: the students with an unanswered push, and those due for a retry.
    """

    def __init__(  # noqa: PLR0917  what a run works with
        self,
        assignment: Assignment,
        tasks: Mapping[str, CollectTask],
        org: str,
        store: Store,
        api: Api,
        collection: Collection,
        workers: Workers,
        clock: Callable[[], dt.datetime],
    ) -> None:
        self.assignment, self.tasks, self.org, self.store, self.api = assignment, tasks, org, store, api
        self.collection, self.workers, self.clock = collection, workers, clock
        self.day, self.most = assignment.name, assignment.manifest.hidden.per_day
        self.poster, self.counts = Poster(api, assignment, store), Counter[str]()
        self.letters: dict[str, Letter] = {}
        # Each team by the student whose pushes count longest; a student without a team is a team of one.
        end = dt.datetime.max.replace(tzinfo=dt.UTC)
        teams = by_repository((student, task.name) for student, task in tasks.items()).values()
        self.teams = {max(team, key=lambda one: tasks[one].period.until or end): team for team in teams}

    def everybody(self) -> int:
        """Answer all waiting students, and return the exit code. Raises Refused."""
        self._look(keep=False)
        known = self.store.answers(self.day).values()
        now = iso(self.clock())
        waiting = [a for a in known if a.seen != a.done or (a.again and a.again <= now)]
        waiting = sorted((a for a in waiting if a.student in self.teams), key=lambda a: (a.seen, a.student))
        pushed = len(waiting)
        if waiting:
            begin_posting(self.day)
        while waiting and LOOK * self.counts["looked"] + ANSWER * self.counts["answered"] < BUDGET:
            self._some(waiting[:AT_ONCE])
            waiting = waiting[AT_ONCE:]
        if self.counts["answered"]:
            self._look(keep=True)  # so that the next run ignores this run's own writes
        parts = [f"{number} {what}" for what, number in self.counts.items() if what != "looked"]
        parts += [f"{len(waiting)} wait for the next run"] if waiting else []
        say(
            f"{count_noun(pushed, 'student')} to answer in {self.day}: {', '.join(parts)}"
            if pushed
            else f"{self.day}: no pushes since the last run"
        )
        if self.counts[_BROKEN]:
            return UNGRADABLE
        return LESS if self.counts[_LEFT] else FULL

    def _look(self, *, keep: bool) -> None:
        """Keep the students with new pushes; with `keep`, also that there were none. Raises RequestFailed."""
        listing, found = self.store.listing(self.day, self.org), list[_ListedRepository]()
        try:
            first = page = self.api.page(
                f"/orgs/{self.org}/repos", _ListedRepository, _NEWEST_FIRST, etag=listing.etag
            )
        except RequestFailed as error:
            if not error.missing:
                raise
            raise RequestFailed(
                f"{self.org}: no such organisation, or the token cannot see it; correct `class` in "
                "solutions/course.yaml, or use another token",
                error.status,
            ) from None
        if first is None:
            return
        while page is not None:
            found += page.items
            is_last = not page.items or page.items[-1].pushed < listing.newest
            page = None if is_last else self.api.next_page(page, _ListedRepository)
        newest = max([listing.newest, *(repository.pushed for repository in found)])
        names = {student: self.tasks[student].name for student in self.teams}
        if not listing.newest:
            found += _find_renamed(self.api, names, found)
        news = list(_news(found, names, self.store.answers(self.day)))
        if news or keep or listing == Listing():
            self.store.keep_listing(self.day, self.org, Listing(first.etag, newest), news)

    # One batch of students

    def _some(self, answers: Sequence[PushRecord]) -> None:
        """Fetch, grade and answer these students. Raises Refused, Broken."""
        self.counts["looked"] += len(answers)
        turns = []
        for answer in answers:
            with self._report_failure(answer):
                turns += self._turn(answer)
        for turn, letter in self._letters(self._collect(turns)):
            with self._report_failure(turn.answer):
                self._answer(turn, letter)

    @contextmanager
    def _report_failure(self, answer: PushRecord) -> Iterator[None]:
        """Print a failure, and retry it in a later run. Raises GitHubUnavailable."""
        try:
            yield
        except (RequestFailed, GitError) as error:
            rights = _RIGHTS if isinstance(error, RequestFailed) and error.forbidden else ""
            self._leave_out(answer, f"{error}{rights}")

    def _leave_out(self, answer: PushRecord, why: str) -> None:
        self._later(answer)
        self._say(answer, _LEFT, why)

    def _say(self, answer: PushRecord, what: str, more: str = "") -> None:
        self.counts[what] += 1
        say(f"  {answer.student}  {what}{f': {more}' if more else ''}")

    def _turn(self, answer: PushRecord) -> list[_Turn]:
        """Return the push to answer now, if any; over the daily limit, write the time of the next answer."""
        task, selector = self.tasks[answer.student], self.collection.selector
        push, _ = selector.now(task, self.api)
        if (late := selector.newest_too_late(task)) is not None:
            self._tell_too_late(task, late)
        is_over = self._number(answer) > self.most
        if push is None or (push.commit == answer.commit and (is_over or not answer.again)):
            self._settle(answer, push)  # another branch, too late, or not the student's work
        elif is_over:
            self._put_off(answer, push)
        else:
            return [_Turn(answer, push)]
        return []

    def _collect(self, turns: Sequence[_Turn]) -> list[_Turn]:
        """Fetch these students' work, and return the turns with something to grade. Raises Refused."""
        tasks = [self.tasks[one] for turn in turns for one in self.teams[turn.answer.student]]
        outcomes = self.collection.run(tasks, self.api, JOBS, lambda _: None) if tasks else []
        records, found = {outcome.record.student: outcome.record for outcome in outcomes}, []
        for turn in turns:
            record = turn.record = records[turn.answer.student]
            if isinstance(record.state, UNKNOWN):
                self._leave_out(turn.answer, reason(record.state))
            elif isinstance(record.state, NO_RESULT):
                self._settle(turn.answer, turn.push, reason(record.state))
            elif not record.commit or (not turn.answer.commit and isinstance(record.state, NOT_WORKED)):
                self._settle(turn.answer, turn.push)
            else:
                found.append(turn)
        return found

    # Grading

    def _letters(self, turns: Sequence[_Turn]) -> Iterator[tuple[_Turn, Letter]]:
        """Grade these students' work, and yield the letter for each. Raises Refused, Broken."""
        if not turns:
            return
        every = {one.student: one for one in find_collected_works(self.assignment, self.collection.folder)}
        works = [every[one] for turn in turns for one in self.teams[turn.answer.student] if one in every]
        with self.store.running(self.day, "answer", hash_of_suite(self.assignment)):
            graded = grade_class(self.assignment, works, self.store, self.workers)
            trouble = {one.student: one.trouble for one in graded if one.trouble}
        letters = self.letters = {one.student: one for one in letters_of(self.assignment, self.store)}
        for turn in turns:
            student = turn.answer.student
            if student in trouble or student not in letters:
                self._leave_out(turn.answer, trouble.get(student, "no result"))
            else:
                yield turn, letters[student]

    # Answering

    def _answer(self, turn: _Turn, letter: Letter) -> None:
        """Write the text and the status, if the push is still the newest one. Raises RequestFailed, GitError."""
        answer, record, commit = turn.answer, turn.record, turn.push.commit
        assert record is not None
        newest, key = self.collection.selector.now(self.tasks[answer.student], self.api)
        if newest is None or newest.commit != commit or record.key not in {"", key}:
            self._say(answer, "pushed again in the meantime")
        elif letter.trouble:
            self._write_broken(turn, letter)
        else:
            is_repeated = answer.day == self._today and letter.state == "as posted"
            number = answer.count if is_repeated else self._number(answer)
            page, now = self._page(letter), iso(self.clock())
            # The text is the answer: it counts even if a student keeps the status from being written.
            counted = self._keep(answer, commit=commit, day=self._today, count=number, again=now)
            with self._report_failure(counted):
                self._write_status(turn, letter, counted, page)

    def _write_status(self, turn: _Turn, letter: Letter, counted: PushRecord, page: str) -> None:
        """Write the status of an answer that was `counted`, and record that it is done. Raises RequestFailed."""
        repository, commit = letter.grade.work.repository, turn.push.commit
        words = self._grades(counted.student)
        # A status stays as it is when the grade changes or becomes final; the text behind "Details" is edited.
        shown = (
            f"So far {words}; the link Details shows your latest grade."
            if is_provisional(letter.grade)
            else f"{words}."
        )
        count = f"Graded push {counted.count} of at most {self.most} today (UTC)."
        state = "failure" if letter.grade.score == 0 else "success"
        self._status(repository, commit, state, f"{shown} {count}", page)
        self._keep(counted, done=self._handled_until(counted, turn.push), again="")
        self._say(counted, "answered", f"{words}  {repository}  {commit[:10]}")

    def _page(self, letter: Letter) -> str:
        """Write the student's text, and return the address of its web page."""
        for one in sorted(self.teams[letter.student], key=lambda one: one != letter.student):
            if one in self.letters:
                self.poster.send(self.letters[one])
        return self.poster.page

    def _grades(self, student: str) -> str:
        """Return the grade of a student, or the grades of the team with names if they differ."""
        team = [self.letters[one] for one in self.teams[student] if one in self.letters]
        grades = {letter.student: grade_words(letter.grade) for letter in team if not letter.trouble}
        if len(set(grades.values())) == 1:
            return grades[student]
        return ", ".join(f"{one}: {words}" for one, words in grades.items())

    def _write_broken(self, turn: _Turn, letter: Letter) -> None:
        """Write on the commit, once, that the grader failed; the push is graded again in an hour."""
        answer, commit, record = turn.answer, turn.push.commit, letter.grade
        if answer.commit != commit:
            words = "This push could not be graded. That is not your fault, and your instructor can see it."
            self._status(record.work.repository, commit, "error", words)
        self._later(answer, commit=commit)
        self._say(answer, _BROKEN, letter.trouble)

    def _tell_too_late(self, task: CollectTask, push: BranchState) -> None:
        """Write on the commit how much too late its push was. Raises RequestFailed."""
        until = task.period.until
        assert until is not None
        assert push.time is not None
        by = span(push.time - until)
        words = f"Pushed {when(push.time)}, {by} too late: work counted until {when(until)}. This push does not count."
        self._status(task.name, push.commit, "failure", words)

    def _put_off(self, answer: PushRecord, push: BranchState) -> None:
        """Write the time of the next answer on the commit. Raises RequestFailed."""
        tomorrow = dt.datetime.fromisoformat(f"{self._today}T00:00:00+00:00") + dt.timedelta(days=1)
        had = "1 push was" if self.most == 1 else f"{self.most} pushes were"
        words = f"{had} graded today. This one will be graded after {when(tomorrow)}."
        self._status(self.tasks[answer.student].name, push.commit, "pending", words)
        self._later(answer, commit=push.commit, at=tomorrow)
        self._say(answer, "put off", f"answered after {when(tomorrow)}")

    def _status(self, repository: str, commit: str, state: str, words: str, page: str = "") -> None:
        """Write a status; GitHub shows a repeated one once. Raises RequestFailed."""
        status = {
            "state": state,
            "context": f"backgrade/{self.day}",
            "description": words[:LONGEST],
        }
        status |= {"target_url": page} if page else {}
        place = f"/repos/{repository}/statuses/{commit}"
        self.api.until_sure(lambda _: self.api.ask("POST", place, msgspec.Raw, **status))

    # The end of a turn

    def _number(self, answer: PushRecord) -> int:
        """Return the number of the student's next answer today (UTC), from 1."""
        return answer.count + 1 if answer.day == self._today else 1

    @property
    def _today(self) -> str:
        return self.clock().astimezone(dt.UTC).date().isoformat()

    def _settle(self, answer: PushRecord, push: BranchState | None, why: str = "") -> None:
        """Record that the newest push needs no answer; a retry planned for later stays."""
        again = answer.again if answer.again > iso(self.clock()) else ""
        self._keep(answer, done=self._handled_until(answer, push), again=again)
        if why:
            self._say(answer, "nothing to grade", why)
        else:
            self.counts["unchanged"] += 1

    def _later(self, answer: PushRecord, *, commit: str = "", at: dt.datetime | None = None) -> None:
        """Plan a retry at that time, or in an hour; `commit` got a status about it."""
        again = iso(at or self.clock() + RETRY)
        self._keep(answer, done=answer.seen, commit=commit or answer.commit, again=again)

    def _keep(self, answer: PushRecord, **changes: str | int) -> PushRecord:
        kept = _changed(answer, **changes)
        self.store.keep_answer(self.day, kept)
        return kept

    def _handled_until(self, answer: PushRecord, push: BranchState | None) -> str:
        """Return the time up to which pushes are handled; excludes recent ones that GitHub may not list yet."""
        seen, pushed = dt.datetime.fromisoformat(answer.seen), push.time if push else None
        explained = pushed is not None and pushed >= seen - EXPLAINED
        young = dt.timedelta() <= self.clock() - seen < SETTLED
        return answer.done if young and not explained else answer.seen


# --- The list of repositories


class _ListedRepository(Repository, frozen=True, kw_only=True):
    """A repository as lists contain it; its `id` stays the same when it is renamed."""

    created_at: dt.datetime
    pushed_at: dt.datetime | None = None

    @property
    def pushed(self) -> str:
        """The time of the newest push, to any branch; UTC in ISO 8601."""
        return iso(self.pushed_at or self.created_at)


def _find_renamed(
    api: Api, names: Mapping[str, str], found: Sequence[_ListedRepository]
) -> Iterator[_ListedRepository]:
    """Yield renamed repositories: they are not in the list, and GitHub redirects from their old names."""
    there = {repository.full_name.casefold() for repository in found}
    for name in dict.fromkeys(names.values()):
        if name.casefold() not in there:
            try:
                moved = api.ask("GET", f"/repos/{name}", _ListedRepository)
            except RequestFailed as error:
                if not (error.missing or error.forbidden):
                    raise
                continue
            yield _changed(moved, full_name=name)


def _news(
    found: Sequence[_ListedRepository], names: Mapping[str, str], known: Mapping[str, PushRecord]
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
