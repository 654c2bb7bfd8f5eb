"""`grade answer`: hidden checks grade the pushes since the last run.

An answer is a status on the graded commit, with points and a link, and the text of `grade post`, marked provisional.
The state of each student is kept in the results file, so a killed run can be repeated. Students are answered in the
order of their pushes, a few at a time, so that none waits for the whole class.

A team is answered once: with the status of one of its students, and the text of all of them.

Only the newest push is answered. Just before an answer is written, GitHub is asked again for the commit that counts, by
a conditional request; a newer one waits for the next run.

A token needs the permissions of `grade collect` and `grade post`, and `statuses: write`. An answer costs at most six
requests, a push that changes nothing two. GitHub allows 5,000 an hour, so a run ends when it has spent BUDGET, and the
next one continues. https://docs.github.com/rest/commits/statuses describes a status.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from grader.classroom.collect.collect import Server, logins, tasks_of
from grader.classroom.collect.collection import Collection, take_turns
from grader.classroom.git.process import GitError, refuse_old_git
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed
from grader.classroom.letters import letters_of
from grader.classroom.own_repository import Deciding, own_repositories, refuse_public_salt
from grader.classroom.post import Poster
from grader.classroom.record import begin_posting
from grader.classroom.turns import Turns
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, say
from grader.errors import first_of
from grader.fleet.batch import grade_class
from grader.fleet.workers import Workers, patience_for, usable_cores
from grader.gradebook.roster import by_repository, read_roster
from grader.gradebook.sentences import grade_words, is_provisional
from grader.gradebook.store import Store
from grader.grading.suitehash import hash_of_suite
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
    from grader.gradebook.store import PushRecord
    from grader.submissions.collected import Collected

T = TypeVar("T")
AT_ONCE = 16  # students who are fetched and graded before the first is answered
JOBS = 4  # processes of git at once
BUDGET = 1_100  # requests of a run: four an hour stay below 5,000
LOOK, ANSWER = 2, 4  # requests for a look, and further ones for an answer
LONGEST = 140  # characters of a status, GitHub's limit
SHOWN = 5  # names
_RIGHTS = "; a token needs `statuses`, `issues` and `pull-requests: write` there"
_LEFT, _BROKEN = "left out", "could not be graded"


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
    tasks = _listed(tasks_of(assignment, read_roster(class_.roster), server, class_), org)
    with ExitStack() as stack:
        store = stack.enter_context(Store(results, create=True))
        # Other runs wait until this one ends.
        lock = stack.enter_context(results.with_name(f".{results.name}.lock").open("ab"))
        take_turns(lock.fileno(), lambda: say(f"another run is using {results}; waiting", err=True))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="backgrade-")))
        collection = Collection(assignment, folder, logins(class_))
        stack.enter_context(collection.opened(say))
        api, jobs = stack.enter_context(server.api()), min(AT_ONCE, len(usable_cores()))
        workers = stack.enter_context(Workers(jobs, patience_for(assignment.manifest.limits)))
        try:
            return _Run(assignment, tasks, store, api, collection, workers, clock).everybody(org)
        except GitHubUnavailable as error:
            say(f"grade: {error}; {_GOES_ON}", err=True)
            return UNGRADABLE
        except KeyboardInterrupt:
            say(f"interrupted: {_GOES_ON}", err=True)
            return INTERRUPTED


_SILENT = (
    "nothing is written: the manifest says `hidden: final`, so hidden checks answer with the final grade, which "
    "`grade post` sends; until then `grade ci` runs the visible checks at each push"
)
_GOES_ON = "answers are kept; run the same command again to continue"


def _listed(tasks: Sequence[CollectTask], org: str) -> dict[str, CollectTask]:
    """Return the tasks with a repository in the organisation, by student; print the other students."""
    place = f"{org.casefold()}/"
    inside = {task.student: task for task in tasks if task.name.casefold().startswith(place)}
    others = [task.student for task in tasks if task.student not in inside]
    if others:
        say(f"note: {first_of(others, SHOWN)}: no repository in {org}, so their pushes get no answer")
    return inside


@dataclass
class _Turn:
    """A push that is answered; `record` is the record of its collected work."""

    answer: PushRecord
    push: BranchState
    record: Collected | None = None


def _teams(tasks: Mapping[str, CollectTask]) -> dict[str, list[str]]:
    """Return the students who share a repository, by the one of them whose pushes count longest.

    The team is answered in that student's place; each student without a team is one of their own.
    """
    end = dt.datetime.max.replace(tzinfo=dt.UTC)
    teams = by_repository((student, task.name) for student, task in tasks.items()).values()
    return {max(team, key=lambda student: tasks[student].period.until or end): team for team in teams}


class _Run:
    """One run: finds new pushes and answers them one after another."""

    def __init__(  # noqa: PLR0917  what a run works with
        self,
        assignment: Assignment,
        tasks: Mapping[str, CollectTask],
        store: Store,
        api: Api,
        collection: Collection,
        workers: Workers,
        clock: Callable[[], dt.datetime],
    ) -> None:
        self.assignment, self.tasks, self.store, self.api = assignment, tasks, store, api
        self.collection, self.workers, self.clock = collection, workers, clock
        self.poster, self.counts = Poster(api, assignment, store), Counter[str]()
        self.letters: dict[str, Letter] = {}
        self.teams = _teams(tasks)
        names = {student: tasks[student].name for student in self.teams}
        self.turns = Turns(assignment, store, names, clock)

    def everybody(self, org: str) -> int:
        """Answer all waiting students, and return the exit code. Raises Refused."""
        self.turns.look(self.api, org, keep=False)
        waiting = self.turns.waiting()
        pushed = len(waiting)
        if waiting:
            begin_posting(self.assignment.name)
        while waiting and LOOK * self.counts["looked"] + ANSWER * self.counts["answered"] < BUDGET:
            self._some(waiting[:AT_ONCE])
            waiting = waiting[AT_ONCE:]
        if self.counts["answered"]:
            self.turns.look(self.api, org, keep=True)  # so that the next run ignores this run's own writes
        self._summarise(pushed, len(waiting))
        if self.counts[_BROKEN]:
            return UNGRADABLE
        return LESS if self.counts[_LEFT] else FULL

    def _summarise(self, pushed: int, left: int) -> None:
        day = self.assignment.name
        if not pushed:
            say(f"{day}: no pushes since the last run")
            return
        parts = [f"{number} {what}" for what, number in self.counts.items() if what != "looked"]
        parts += [f"{left} wait for the next run"] if left else []
        say(f"{day}: {pushed} looked at: {', '.join(parts)}")

    # One batch of students

    def _some(self, answers: Sequence[PushRecord]) -> None:
        """Fetch, grade and answer these students. Raises Refused, Broken."""
        self.counts["looked"] += len(answers)
        turns = [_Turn(answer, push) for answer, push in self._pushes(answers)]
        for turn, letter in self._letters(self._collected(turns)):
            self._guarded(turn.answer, partial(self._answer, turn, letter))

    def _guarded(self, answer: PushRecord, work: Callable[[], T]) -> T | None:
        """Do the work; print a failure, and retry it in a later run. Raises GitHubUnavailable."""
        try:
            return work()
        except (RequestFailed, GitError) as error:
            rights = _RIGHTS if isinstance(error, RequestFailed) and error.forbidden else ""
            self._leave_out(answer, f"{error}{rights}")
        return None

    def _leave_out(self, answer: PushRecord, why: str) -> None:
        self.turns.later(answer)
        self._say(answer, _LEFT, why)

    def _say(self, answer: PushRecord, what: str, more: str = "") -> None:
        self.counts[what] += 1
        say(f"  {answer.student}  {what}{f': {more}' if more else ''}")

    def _pushes(self, answers: Sequence[PushRecord]) -> Iterator[tuple[PushRecord, BranchState]]:
        """Yield the pushes to answer now; a student over the daily limit gets a status with the next time."""
        for answer in answers:
            found = self._guarded(
                answer, partial(self.collection.selector.now, self.tasks[answer.student], self.api)
            )
            if found is None:
                continue
            push, task = found[0], self.tasks[answer.student]
            if (late := self.collection.selector.newest_too_late(task)) is not None:
                self._guarded(answer, partial(self._tell_too_late, task, late))
            if push is None or (push.commit == answer.commit and not answer.again):
                self._settle(answer, push)
            elif self.turns.number(answer) <= self.turns.most:
                yield answer, push
            elif push.commit == answer.commit:
                self._settle(answer, push)
            else:
                self._guarded(answer, partial(self._put_off, answer, push))

    def _settle(self, answer: PushRecord, push: BranchState | None) -> None:
        """Record that the newest push needs no answer: another branch, too late, or not the student's work."""
        self.counts["with nothing new"] += 1
        self.turns.settled(answer, push.time if push else None)

    def _collected(self, turns: Sequence[_Turn]) -> list[_Turn]:
        """Fetch these students' work, and return the turns with something to grade. Raises Refused."""
        tasks = [self.tasks[one] for turn in turns for one in self.teams[turn.answer.student]]
        outcomes = self.collection.run(tasks, self.api, JOBS, lambda _: None) if tasks else []
        records, found = {outcome.record.student: outcome.record for outcome in outcomes}, []
        for turn in turns:
            record = turn.record = records[turn.answer.student]
            if isinstance(record.state, UNKNOWN):
                self._leave_out(turn.answer, reason(record.state))
            elif isinstance(record.state, NO_RESULT):
                self.turns.settled(turn.answer, turn.push.time)
                self._say(turn.answer, "nothing to grade", reason(record.state))
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
        with self.store.running(self.assignment.name, "answer", hash_of_suite(self.assignment)):
            graded = grade_class(self.assignment, works, self.store, self.workers)
            trouble = {one.student: one.trouble for one in graded if one.trouble}
        letters = self.letters = {one.student: one for one in letters_of(self.assignment, self.store)}
        for turn in turns:
            student = turn.answer.student
            if student in trouble or student not in letters:
                self._leave_out(turn.answer, trouble.get(student, "there is no result"))
            else:
                yield turn, letters[student]

    # Answering

    def _answer(self, turn: _Turn, letter: Letter) -> None:
        """Write the text and the status, if the push is still the newest one. Raises RequestFailed, GitError."""
        answer, record, commit = turn.answer, turn.record, turn.push.commit
        assert record is not None
        newest, key = self.collection.selector.now(self.tasks[answer.student], self.api)
        if newest is None or newest.commit != commit or record.key not in {"", key}:
            self._say(answer, "pushed again meanwhile")
        elif letter.trouble:
            self._write_broken(turn, letter)
        else:
            page, words = self._page(letter), self._grades(answer.student)
            # A status stays as it is when the grade changes or becomes final; the text behind "Details" is edited.
            told = f"So far {words}; Details has your grade." if is_provisional(letter.grade) else f"{words}."
            count = f"Answer {self.turns.number(answer)} of {self.turns.most} today (UTC)."
            state = "failure" if letter.grade.score == 0 else "success"
            self._status(record.repository, commit, state, f"{told} {count}", page)
            self.turns.answered(answer, commit, turn.push.time)
            self._say(answer, "answered", f"{words}  {record.repository}  {commit[:10]}")

    def _page(self, letter: Letter) -> str:
        """Write the student's text, and return the address of its web page."""
        for one in sorted(self.teams[letter.student], key=lambda one: one != letter.student):
            if one in self.letters:
                self.poster.send(self.letters[one])
        return self.poster.page

    def _grades(self, student: str) -> str:
        """Return the grade of a student, or those of the team: each with its student where they differ."""
        team = [self.letters[one] for one in self.teams[student] if one in self.letters]
        grades = {letter.student: grade_words(letter.grade) for letter in team if not letter.trouble}
        if len(set(grades.values())) == 1:
            return grades[student]
        return ", ".join(f"{one}: {words}" for one, words in grades.items())

    def _write_broken(self, turn: _Turn, letter: Letter) -> None:
        """Write once on the commit that the grader failed; the push is graded again in an hour."""
        answer, commit, record = turn.answer, turn.push.commit, letter.grade
        if answer.commit != commit:
            words = "This could not be graded. It is not your fault, and your instructor is informed."
            self._status(record.work.repository, commit, "error", words)
        self.turns.later(answer, commit=commit)
        self._say(answer, _BROKEN, letter.trouble)

    def _tell_too_late(self, task: CollectTask, push: BranchState) -> None:
        """Write on the commit of a push that came too late by how much it did. Raises RequestFailed."""
        until = task.period.until
        assert until is not None
        assert push.time is not None
        by = span(push.time - until)
        words = (
            f"Pushed {when(push.time)}, {by} too late: work counted until {when(until)}. This does not count."
        )
        self._status(task.name, push.commit, "failure", words)

    def _put_off(self, answer: PushRecord, push: BranchState) -> None:
        """Write the time of the next answer on the commit. Raises RequestFailed."""
        most, tomorrow = self.turns.most, self.turns.tomorrow
        had = "1 push was" if most == 1 else f"{most} pushes were"
        words = f"{had} answered today. This one will be answered after {when(tomorrow)}."
        self._status(self.tasks[answer.student].name, push.commit, "pending", words)
        self.turns.later(answer, commit=push.commit, at=tomorrow)
        self._say(answer, "put off", f"answered after {when(tomorrow)}")

    def _status(self, repository: str, commit: str, state: str, words: str, page: str = "") -> None:
        """Write a status; GitHub shows a repeated one once. Raises RequestFailed."""
        status = {
            "state": state,
            "context": f"backgrade/{self.assignment.name}",
            "description": words[:LONGEST],
        }
        status |= {"target_url": page} if page else {}
        place = f"/repos/{repository}/statuses/{commit}"
        self.api.until_sure(lambda _: self.api.ask("POST", place, msgspec.Raw, **status))
