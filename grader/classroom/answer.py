"""`grade answer`: the hidden checks answer whoever has pushed since the last run.

The answer is a status on the commit that was graded, with points and a link, and the text that `grade post` keeps,
marked provisional. Where everybody stands is kept in the file of results after each student, so a run that was
killed goes on where it stopped. Students are answered in the order of their pushes, a few at a time, so that
nobody waits for the whole class.

Only the newest push is answered. Just before an answer is written GitHub is asked once more which commit counts
(conditionally, so mostly for nothing); where that is another one by now, the next run answers it.

A token needs the rights of `grade collect` and `grade post`, and `statuses: write`. A first answer costs six
requests, a later one four, a push that changes nothing two. GitHub lets 5,000 an hour be made, so a run ends when
it has spent BUDGET, and the next one goes on. https://docs.github.com/rest/commits/statuses describes a status.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.batch import Serial, facts_of, grade_class, grade_visible
from grader.classroom.activity import iso
from grader.classroom.api import TRIES, Forbidden, Halted, LeftOut, Unsure
from grader.classroom.collect import Server, tasks_of
from grader.classroom.collection import Collection, take_turns
from grader.classroom.drift import of_course
from grader.classroom.git import refuse_old_git
from grader.classroom.naming import PATTERN
from grader.classroom.post import Poster, letter_of, letters_of
from grader.classroom.remote import FetchError
from grader.classroom.turns import Turns
from grader.console import FULL, INTERRUPTED, LESS, UNGRADABLE, say
from grader.gradebook.late import read_extensions
from grader.gradebook.record import Words, record_of
from grader.gradebook.roster import read_roster
from grader.gradebook.words import grade_words, is_provisional, when
from grader.render import one_line
from grader.sources.collected import blob_id, collected_works
from grader.store import Posted, Result, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from grader.assignment import Assignment
    from grader.classroom.api import Api
    from grader.classroom.collection import Task
    from grader.classroom.post import Letter
    from grader.sources import Work
    from grader.sources.collected import Collected
    from grader.store import Answer

AT_ONCE = 8  # students who are fetched and graded before they are answered
JOBS = 4  # of git
BUDGET = 1_100  # requests of a run: four an hour stay below 5,000
LOOK, ANSWER = 2, 4  # requests; an answer's beside the look's
LONGEST = 140  # characters of a status: GitHub refuses more
SHOWN = 5  # names
_RIGHTS = "; a token needs `statuses`, `issues` and `pull-requests: write` there"
_LEFT, _BROKEN = "left out", "could not be graded"


def run_answer(
    assignment: Assignment,
    roster: Path,
    results: Path,
    *,
    org: str,
    name: str = PATTERN,
    environment: Mapping[str, str],
    clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
) -> int:
    """Answer who has pushed since the last run, and give the exit code; `clock` tells the time. Raises Refused."""
    refuse_old_git()
    server = Server(environment)
    tasks = _listed(tasks_of(assignment, read_roster(roster), server, org=org, name=name), org)
    with ExitStack() as stack:
        store = stack.enter_context(Store(results, create=True))
        _take_turns(stack, results)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="backgrade-")))
        collection = Collection(assignment, folder, of_course(assignment))
        stack.enter_context(collection.opened(_tell))
        api, executor = stack.enter_context(server.api()), stack.enter_context(Serial())
        try:
            return _Run(assignment, tasks, store, api, collection, executor, clock).everybody(org)
        except Halted as error:
            _tell(f"grade: {error}; {_GOES_ON}", err=True)
            return UNGRADABLE
        except KeyboardInterrupt:
            _tell(f"interrupted: {_GOES_ON}", err=True)
            return INTERRUPTED


_GOES_ON = "what was answered is kept, and the same command goes on"


def _tell(text: str, *, err: bool = False) -> None:
    say(one_line(text), err=err)


def _listed(tasks: Sequence[Task], org: str) -> dict[str, Task]:
    """Return by student the tasks whose repositories the organisation has; say who has none there."""
    inside = {task.student: task for task in tasks if _is_in(task, org)}
    others = [task.student for task in tasks if task.student not in inside]
    if others:
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        _tell(f"note: {', '.join(others[:SHOWN])}{more}: no repository in {org}, so nobody answers there")
    return inside


def _is_in(task: Task, org: str) -> bool:
    on_github = task.remote is not None and task.remote.on_github
    return on_github and task.name.casefold().startswith(f"{org.casefold()}/")


def _take_turns(stack: ExitStack, results: Path) -> None:
    """Keep another run on the same file of results out until this one ends."""
    lock = stack.enter_context(results.with_name(f".{results.name}.lock").open("ab"))
    take_turns(lock.fileno(), lambda: _tell(f"another run answers from {results}; waiting", err=True))


class _Run:
    """One run: looks who has pushed, and answers one after another."""

    def __init__(  # noqa: PLR0917  what a run works with
        self,
        assignment: Assignment,
        tasks: Mapping[str, Task],
        store: Store,
        api: Api,
        collection: Collection,
        executor: Executor,
        clock: Callable[[], dt.datetime],
    ) -> None:
        self.assignment, self.tasks, self.store, self.api = assignment, tasks, store, api
        self.collection, self.executor, self.clock = collection, executor, clock
        self.poster, self.counts = Poster(api), Counter[str]()
        names = {student: task.name for student, task in tasks.items()}
        self.turns = Turns(assignment, store, names, clock)
        self.silent = assignment.manifest.hidden.answer == "final" and assignment.has_hidden

    def everybody(self, org: str) -> int:
        """Answer all who wait, and give the exit code. Raises Refused."""
        self.turns.look(self.api, org, keep=False)
        waiting = self.turns.waiting()
        pushed = len(waiting)
        while waiting and self._spent < BUDGET:
            self._some(waiting[:AT_ONCE])
            waiting = waiting[AT_ONCE:]
        if self.counts["answered"]:
            self.turns.look(self.api, org, keep=True)  # our own texts are nothing new for the next run
        self._tell_end(pushed, len(waiting))
        if self.counts[_BROKEN]:
            return UNGRADABLE
        return LESS if self.counts[_LEFT] else FULL

    @property
    def _spent(self) -> int:
        return LOOK * self.counts["looked"] + ANSWER * self.counts["answered"]

    def _tell_end(self, pushed: int, left: int) -> None:
        day = self.assignment.name
        if not pushed:
            _tell(f"{day}: nobody has pushed since the last run")
            return
        told = [f"{number} {what}" for what, number in self.counts.items() if what != "looked"]
        told += [f"{left} wait for the next run"] if left else []
        _tell(f"{day}: {pushed} looked at: {', '.join(told)}")

    # A few students

    def _some(self, answers: Sequence[Answer]) -> None:
        """Fetch, grade and answer these. Raises Refused, Broken."""
        self.counts["looked"] += len(answers)
        mine = [answer for answer in answers if self.turns.number(answer) <= self.turns.most]
        for answer in answers:
            if answer not in mine:
                self._guarded(answer, self._put_off)
        new = self._new(mine)
        for student, letter in self._letters({student: record for student, (_, record) in new.items()}):
            answer, record = new[student]
            self._guarded(answer, lambda answer: self._answer(answer, record, letter))  # noqa: B023  called at once

    def _guarded(self, answer: Answer, work: Callable[[Answer], None]) -> None:
        """Do it; where GitHub refuses, say so and try again later. Raises Halted."""
        try:
            work(answer)
        except Halted:
            raise
        except (LeftOut, FetchError) as error:
            self.turns.later(answer)
            self._say(answer, _LEFT, f"{error}{_RIGHTS if isinstance(error, Forbidden) else ''}")

    def _say(self, answer: Answer, what: str, more: str = "") -> None:
        self.counts[what] += 1
        _tell(f"  {answer.student}  {what}{f': {more}' if more else ''}")

    def _new(self, answers: Sequence[Answer]) -> dict[str, tuple[Answer, Collected]]:
        """Collect these students, and return those with something to grade."""
        tasks = [self.tasks[answer.student] for answer in answers]
        outcomes = self.collection.run(tasks, self.api, JOBS, lambda _: None) if tasks else []
        found = {}
        for answer, outcome in zip(answers, outcomes, strict=True):
            record = outcome.record
            if record.state in {"missing", "unreached"}:
                self.turns.later(answer)
                self._say(answer, _LEFT, record.trouble)
            elif self._is_new(answer, record):
                found[answer.student] = answer, record
            else:
                self.counts["with nothing new"] += 1
                self.turns.settled(answer, record.submitted)
        return found

    def _is_new(self, answer: Answer, record: Collected) -> bool:
        """Tell whether work was pushed that was not answered yet; the untouched notebook is nobody's work."""
        pristine = self.collection.wanted.pristine
        untouched = pristine and record.hashes[:1] == (blob_id(pristine, record.commit),)
        if not record.commit or (untouched and not answer.commit):
            return False
        return record.commit != answer.commit or bool(answer.again)

    # Grading

    def _letters(self, records: Mapping[str, Collected]) -> Iterator[tuple[str, Letter]]:
        """Grade these students' work, and yield the letter to each. Raises Refused, Broken."""
        if not records:
            return
        every = collected_works(self.assignment, self.collection.folder)
        works = [one for one in every if one.student in records]
        if self.silent:
            yield from ((one.student, self._advice(one.student, one.read())) for one in works)
            return
        for _ in grade_class(self.assignment, works, self.store, self.executor):
            pass  # each is kept
        letters = {letter.student: letter for letter in letters_of(self.assignment, self.store)}
        yield from ((student, letters[student]) for student in records)

    def _advice(self, student: str, work: Work) -> Letter:
        """Grade by the visible checks alone; nothing of it is kept as a grade."""
        day, manifest = self.assignment.name, self.assignment.manifest
        report = grade_visible(self.assignment, work, self.executor)
        words, extension = Words.of(self.store.decisions(day)), read_extensions(self.assignment).get(student)
        result = Result(student, "", iso(self.clock()), facts_of(work), report)
        record = record_of(result, words, manifest, extension, self.clock())
        names = [task.name.casefold() for task in self.tasks.values()]
        shared = names.count(self.tasks[student].name.casefold()) > 1
        return letter_of(self.assignment, record, report, None, shared=shared, advice=True)

    # Answering

    def _answer(self, answer: Answer, record: Collected, letter: Letter) -> None:
        """Write the text and the status, if the commit is still the one that counts. Raises LeftOut, FetchError."""
        if self.collection.now(self.tasks[answer.student], self.api)[1] != record.key:
            self._say(answer, "pushed again meanwhile")
            return
        if self.silent and not is_provisional(letter.record):
            self.turns.settled(answer, record.submitted)
            self._say(answer, "final", "`grade post` tells the grade")
            return
        if letter.trouble:
            self._tell_broken(answer, record, letter)
            return
        page = self._page(letter)
        words = grade_words(letter.record)
        words = f"visible checks: {words}" if self.silent else words
        kind = ", provisional" if is_provisional(letter.record) and not self.silent else ""
        count = f"Answer {self.turns.number(answer)} of {self.turns.most} today (UTC)."
        self._status(record.repository, record.commit, "success", f"{words}{kind}. {count}", page)
        self.turns.answered(answer, record.commit, record.submitted)
        self._say(answer, "answered", f"{words}  {record.repository}  {record.commit[:10]}")

    def _page(self, letter: Letter) -> str:
        """Write the student's text, and return the address at which it is read."""
        _, place = self.poster.post(letter)
        if not self.silent:
            kept = msgspec.json.encode(letter.record).decode()
            self.store.keep_posted(self.assignment.name, Posted(letter.student, place, letter.sha256, kept))
        return self.poster.page

    def _tell_broken(self, answer: Answer, record: Collected, letter: Letter) -> None:
        """Say once on the commit that the grader is at fault; it is graded again in an hour."""
        if answer.commit != record.commit:
            words = "This could not be graded, which is not your fault. Your instructor is told."
            self._status(record.repository, record.commit, "error", words)
        self.turns.later(answer, commit=record.commit)
        self._say(answer, _BROKEN, letter.trouble)

    def _put_off(self, answer: Answer) -> None:
        """Say on the newest commit when the next answer comes. Raises LeftOut, FetchError."""
        task, most = self.tasks[answer.student], self.turns.most
        commit, _ = self.collection.now(task, self.api)
        if commit in {"", answer.commit}:
            self.counts["with nothing new"] += 1
            self.turns.settled(answer, "")
            return
        had = "1 push was" if most == 1 else f"{most} pushes were"
        words = f"{had} answered today. This one is answered after {when(self.turns.tomorrow)}."
        self._status(task.name, commit, "pending", words)
        self.turns.later(answer, commit=commit, at=self.turns.tomorrow)
        self._say(answer, "put off", f"answered after {when(self.turns.tomorrow)}")

    def _status(self, repository: str, commit: str, state: str, words: str, page: str = "") -> None:
        """Write a status; one that is written twice is shown once. Raises LeftOut."""
        told = {
            "state": state,
            "context": f"backgrade/{self.assignment.name}",
            "description": words[:LONGEST],
        }
        told |= {"target_url": page} if page else {}
        for attempt in range(TRIES):
            try:
                self.api.ask("POST", f"/repos/{repository}/statuses/{commit}", msgspec.Raw, **told)
            except Unsure as error:
                if attempt + 1 == TRIES:
                    raise LeftOut(str(error)) from None
            else:
                return
