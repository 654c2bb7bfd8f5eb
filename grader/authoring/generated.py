"""The generated files of an assignment: the stub, the sealed files, the topic's records.

solutions/day6/day6_queues.py         ->  assignments/day6/day6_queues.ipynb
solutions/day6/mistakes/*.py          ->  checks/sealed.json, visible
solutions/day6/answers.yaml           ->  checks/sealed.json, visible and hidden
the requests of every test            ->  checks/replay.json, visible and hidden
the topic's own computations          ->  its record in checks/, visible and hidden
"""

from __future__ import annotations

import contextlib
import secrets
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.assignment import SALT, read_salt
from grader.authoring.mistakes import MistakeRun, run_mistakes, sealed_mistakes, ways_of
from grader.authoring.recording import make_replay
from grader.authoring.reference import make_notebook, read_reference, reference_blocks, topic_problems
from grader.authoring.runner import open_runner, read_sealed_answers
from grader.errors import Broken, Refused, to_install
from grader.files import read_cache, write_cache, write_text
from grader.grading import sealed
from grader.grading.records import keep_unchanged
from grader.sandbox import Launcher
from grader.submissions.intake import refuse_missing_imports
from grader.topic import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.assignment import Assignment
    from grader.authoring.mistakes import Way
    from grader.authoring.runner import Progress, Replay, Runner
    from grader.authoring.workers import ProcessPool


def make_records(runner: Runner) -> dict[Path, str]:
    """Return each record of the topic with its text.

    Raises Broken if a library that the topic needs is not installed.
    """
    if runner.records is None:
        folders = runner.assignment.checks_folders.values()
        there = [(folder / runner.grader.suite.topic.record).is_file() for folder in folders]
        key = runner.key_of_reference(str(there))
        kept = read_cache("records", key)
        texts = msgspec.msgpack.decode(kept, type=dict[str, str]) if kept else _record_texts(runner)
        if not kept:
            write_cache("records", key, msgspec.msgpack.encode(texts))
        runner.records = {Path(path): _kept_record(runner, Path(path), text) for path, text in texts.items()}
    return runner.records


def _kept_record(runner: Runner, path: Path, text: str) -> str:
    """Return the existing record if another machine could have made it from this course, else the new one."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        there = path.read_bytes().decode()
        if runner.grader.suite.topic.same_record(there, text):
            return there
    return text


def _record_texts(runner: Runner) -> dict[str, str]:
    def judge(visibility: str) -> None:
        blocks = reference_blocks(runner.assignment)
        for result in runner.grader.run(blocks, visibility=visibility, replay=False)[1]:
            if isinstance(result.error, Unavailable):
                needs = f"{result.error.needs} is not installed, and the checks need it"
                raise Broken(f"{needs}; run {to_install('instructor')}") from result.error

    return {str(path): text for path, text in runner.grader.suite.topic.record_texts(judge).items()}


def _sealed_texts(assignment: Assignment, files: Mapping[str, sealed.SealedFile]) -> dict[Path, str]:
    """Return each sealed file with its text; none if there is nothing to seal."""
    paths = {visibility: assignment.checks_folder(visibility) / sealed.FILE for visibility in files}
    wanted = {visibility for visibility, file in files.items() if file.answers or file.mistakes}
    return {
        p: sealed.sealed_text(files[visibility])
        for visibility, p in paths.items()
        if visibility in wanted or p.is_file()
    }


def _notebooks(assignment: Assignment, *, as_it_is: bool) -> dict[Path, str]:
    """Return the stub and its untouched copy with their text.

    With `as_it_is`, none where the tools for notebooks are not installed and both files are there. Raises Broken.
    """
    paths = (assignment.stub, assignment.pristine)
    try:
        return dict.fromkeys(paths, make_notebook(assignment, solved=False))
    except Broken as error:
        is_missing = isinstance(error.__cause__, ModuleNotFoundError)
        if not (as_it_is and is_missing and all(path.is_file() for path in paths)):
            raise
        return {}


def make_files(
    runner: Runner, ways: Sequence[Way], *, notebook_as_it_is: bool = False
) -> tuple[dict[Path, str], list[MistakeRun], list[str]]:
    """Return each generated file of an assignment with its text, the runs of its mistakes, and faults of tests.

    With `notebook_as_it_is`, a notebook that cannot be made is left out: a salt does not change it.
    """
    assignment, salt = runner.assignment, runner.settings.salt
    files_of = read_sealed_answers(assignment, salt)
    records, waiting = make_records(runner), start_replay(runner)
    runs = run_mistakes(runner, ways)
    files = _notebooks(assignment, as_it_is=notebook_as_it_is)
    files_of["visible"].mistakes = sealed_mistakes(runs, salt).items()
    replay, faults = waiting.result()
    replay = {path: keep_unchanged(path, text) for path, text in replay.items()}
    return files | _sealed_texts(assignment, files_of) | records | replay, runs, faults


def start_replay(runner: Runner) -> Future[Replay]:
    """Start making each replay.json, and searching for tests that cannot be replayed."""
    if runner.replay is None:
        records = make_records(runner)
        key = runner.key_of_reference(*records.values())
        if kept := read_cache("replay", key):
            texts, faults = msgspec.msgpack.decode(kept, type=tuple[dict[str, str], list[str]])
            runner.replay = Future()
            runner.replay.set_result(({Path(path): text for path, text in texts.items()}, faults))
        else:
            runner.replay = runner.submit(make_replay, records)
            runner.replay.add_done_callback(lambda made: _keep_replay(key, made))
    return runner.replay


def _keep_replay(key: str, made: Future[Replay]) -> None:
    if not made.cancelled() and made.exception() is None:
        texts, faults = made.result()
        named = {str(path): text for path, text in texts.items()}
        write_cache("replay", key, msgspec.msgpack.encode((named, faults)))


def write_generated(
    assignment: Assignment,
    *,
    new_salt: bool = False,
    salts: Path | None = None,
    workers: ProcessPool | None = None,
    progress: Progress | None = None,
) -> list[tuple[Path, bool]]:
    """Write the generated files; return each of them and whether it changed.

    With `salts`, writes only the salt and the hidden files into that folder. Writes all of them or none. Raises Broken and Refused.
    """
    refuse_missing_imports(assignment)
    read_reference(assignment)
    for problem in topic_problems(assignment):
        raise Refused(problem)
    folder = assignment.solutions if salts is None else _folder_for(assignment, salts)
    known = read_salt(folder / SALT)
    salt = known if known and not new_salt else secrets.token_hex(16)

    with (
        Launcher() as launcher,
        open_runner(assignment, launcher, salt=salt, workers=workers, progress=progress) as runner,
    ):
        for text in runner.grader.suite.collect().broken.values():
            raise Broken(f"{text}; fix the check file")
        renews = new_salt or salts is not None
        files = make_files(runner, ways_of(assignment), notebook_as_it_is=renews)[0]
    if salts is not None:
        hidden = assignment.checks_folder("hidden")
        files = {folder / path.name: text for path, text in files.items() if path.parent == hidden}
    if salt != known:
        files[folder / SALT] = salt + "\n"
    changes = []
    for path, text in files.items():
        changed = path.is_symlink() or not path.is_file() or path.read_bytes() != text.encode()
        if changed:
            write_text(path, text, salts or assignment.course.root, make_folder=True)
        changes.append((path, changed))
    return changes


def _folder_for(assignment: Assignment, salts: Path) -> Path:
    """Return the assignment's folder in a folder of salts. Raises Refused where it must not be."""
    shipped, own = assignment.course.root / "assignments", assignment.course.root / "solutions"
    place = salts.resolve()
    if not assignment.has_hidden:
        raise Refused(
            f"{assignment.name}: it has no hidden checks, so a salt changes nothing; leave out --salts"
        )
    if salts.exists() and not salts.is_dir():
        raise Refused(f"{salts}: this is a file; name a folder, which may be new")
    if place.is_relative_to(shipped.resolve()):
        raise Refused(f"{salts}: students get what is in {shipped}; name a folder elsewhere")
    if place == own.resolve():
        raise Refused(f"{salts}: this folder has the salts that grade pushes; name another one")
    return salts / assignment.name
