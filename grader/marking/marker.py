"""`grade mark`: reads the work of a day, and serves the page on 127.0.0.1 until Ctrl-C."""

from __future__ import annotations

import contextlib
import re
import socket
import webbrowser
from functools import partial
from typing import TYPE_CHECKING

from grader.console import count_noun, say, say_notes
from grader.errors import Refused, to_install
from grader.gradebook.grade import grades_of, roster_of
from grader.gradebook.overrides import next_words
from grader.gradebook.roster import read_roster
from grader.gradebook.settings import read_collected_folder
from grader.gradebook.store import Store
from grader.marking.again import run_again
from grader.marking.answers import ManualAnswer, parts_of, read_cells
from grader.marking.desk import MarkingDesk
from grader.sandbox import Launcher
from grader.submissions.find import find_works
from grader.submissions.handed_out import forms_of, manual_checks
from grader.submissions.intake import refuse_weak_isolation
from grader.submissions.work import version_of

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.marking.answers import CellOutput
    from grader.submissions.work import FoundStudent, Work


def run_mark(
    assignment: Assignment,
    results: Path,
    source: Path | None,
    *,
    share: str,
    anonymous: bool,
    browser: bool,
    allow_weak_isolation: bool,
) -> None:
    """Serve the page until Ctrl-C. Raises Refused."""
    try:
        import PIL.Image  # noqa: F401
        import uvicorn

        from grader.marking.server import MarkingPages
    except ImportError as error:
        raise Refused(
            f"the page needs {error.name}, which is not installed; run {to_install('classroom')}"
        ) from error
    source = source or read_collected_folder(assignment)
    with Store(results) as store, Launcher() as launcher, contextlib.closing(socket.socket()) as listening:
        desk = open_desk(assignment, store, source, share=share, anonymous=anonymous)
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # the address is printed before the server runs

        def run(answer: ManualAnswer, number: int) -> list[CellOutput]:
            refuse_weak_isolation(launcher, "this is other people's work", allowed=allow_weak_isolation)
            return run_again(launcher, assignment, answer.read(), number)

        pages = MarkingPages(desk, run, f"127.0.0.1:{listening.getsockname()[1]}")
        say(f"{pages.address}  (Ctrl-C ends it)")
        if browser:
            webbrowser.open(pages.address)
        settings = uvicorn.Config(
            pages.app(),
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[listening])
        progress = desk.list_page()["progress"]
    say(f"{assignment.name}  {progress['done']} of {count_noun(progress['of'], 'answer')} marked")
    say(next_words(assignment.name, results))


def open_desk(
    assignment: Assignment, store: Store, source: Path, *, share: str = "1/1", anonymous: bool = False
) -> MarkingDesk:
    """Return a marker's desk; print a note for each student without readable work. Raises Refused without any answer."""
    works = {one.student: one for one in find_works(assignment, source)}
    answers, missing = list[ManualAnswer](), list[str]()
    manual = manual_checks(assignment)
    stub = [cell for form in forms_of(assignment) for cell in read_cells("stub.ipynb", form)]
    given = {(cell.is_code, cell.text) for cell in stub}
    lines = {line.strip() for cell in stub for line in cell.source.split("\n")}
    for one in grades_of(assignment, store):
        checks = [check.id for check in one.report.waiting if one.excused is None and check.id in manual]
        read = partial(_graded_file, works.get(one.student), one.report.submission.sha256)
        try:
            work = read() if checks else None
            cells = read_cells(work.name, work.data or b"") if work else []
        except Refused as error:
            missing.append(f"{one.student}: {error}")
        else:
            answers += [
                ManualAnswer(one.student, check, parts_of(cells, check, manual, given), read, lines)
                for check in checks
            ]
    if anonymous and missing:
        missing = [
            f"the work of {count_noun(len(missing), 'student')} cannot be shown; run this without --anonymous to read the reasons"
        ]
    say_notes(missing)
    if not answers:
        raise Refused(
            f"{assignment.name}: there are no answers to mark; set `manual: true` for a check in the manifest, and run "
            "`grade batch`"
        )
    names = _names(assignment, store) if anonymous else None
    return MarkingDesk(assignment, store, answers, share=read_share(share), names=names)


def _graded_file(found: FoundStudent | None, sha256: str) -> Work:
    """Return the work that was graded. Raises Refused if it is missing."""
    work = version_of(found, sha256) if found else None
    if work is None:
        raise Refused("the graded file is missing; run `grade batch` again")
    return work


def read_share(text: str) -> tuple[int, int]:
    """Return a share such as `2/4`. Raises Refused."""
    match = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    number, of = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= of:
        raise Refused(f"--share: `{text}` is not a share; write `--share 2/4` for the second of four people")
    return number, of


def _names(assignment: Assignment, store: Store) -> set[str]:
    """Return all names of students that the course knows: keys, logins, names and their parts, email addresses."""
    names = {*store.students(assignment.name)}
    roster = roster_of(assignment.course)
    for one in read_roster(roster) if roster else ():
        names |= {
            one.student,
            one.github,
            one.name,
            *one.name.split(),
            one.email,
            one.email.partition("@")[0],
        }
    return names
