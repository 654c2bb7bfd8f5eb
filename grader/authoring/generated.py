"""The generated files of an assignment: the stub, the sealed files, the topic's records.

solutions/day6/day6_queues.py         ->  assignments/day6/day6_queues.ipynb
solutions/day6/mistakes/*.py          ->  checks/sealed.json, visible and hidden
solutions/day6/answers.yaml           ->  checks/sealed.json, visible and hidden
the requests of every test            ->  checks/replay.json, visible and hidden
the topic's own computations          ->  its record in checks/, visible and hidden
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from grader.authoring.mistakes import MistakeRun, read_mistakes, run_mistakes, sealed_mistakes
from grader.authoring.recording import make_replay
from grader.authoring.reference import NEEDED, make_notebook, read_reference, reference_blocks, topic_problems
from grader.errors import Broken, Refused
from grader.files import write_text
from grader.grading import sealed
from grader.grading.answerkey import SOURCE, read_answers, salt_of, seal_answers
from grader.grading.answers import make_tables
from grader.grading.grader import Grader, open_grader
from grader.sandbox import Launcher
from grader.topic import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.grading.answers import Table


def make_records(grader: Grader) -> dict[Path, str]:
    """Return each record of the topic with its text; the topic then grades with them.

    Raises Broken if a library that the topic needs is not installed.
    """

    def judge(visibility: str) -> None:
        for result in grader.run(reference_blocks(grader.assignment), visibility=visibility, replay=False)[1]:
            if isinstance(result.error, Unavailable):
                raise Broken(f"{result.error.needs} is not installed, and {NEEDED}") from result.error

    return grader.suite.topic.recorded(judge)


def read_sealed_answers(assignment: Assignment, secret: str) -> dict[str, sealed.SealedFile]:
    """Return the sealed answers of an assignment, visible and hidden; `secret` is the hidden checks' salt.

    Raises Refused.
    """
    salt = salt_of(secret)
    blind = assignment.manifest.letters == "blind"
    answers = seal_answers(read_answers(assignment.solutions / SOURCE), salt, blind=blind)
    return {visibility: sealed.SealedFile(salt, items) for visibility, items in answers.items()}


def tables_of(files: Mapping[str, sealed.SealedFile]) -> dict[str, Table]:
    """Return the tables that visible and hidden tests judge answers with."""
    salt = files["visible"].salt
    return make_tables({visibility: file.answers for visibility, file in files.items()}, salt)


def _sealed_texts(assignment: Assignment, files: Mapping[str, sealed.SealedFile]) -> dict[Path, str]:
    """Return each sealed file with its text; none if there is nothing to seal."""
    paths = {visibility: assignment.checks_folder(visibility) / sealed.FILE for visibility in files}
    wanted = {visibility for visibility, file in files.items() if file.answers or file.mistakes}
    return {
        p: sealed.sealed_text(files[visibility])
        for visibility, p in paths.items()
        if visibility in wanted or p.is_file()
    }


def generated(assignment: Assignment, grader: Grader) -> tuple[dict[Path, str], list[MistakeRun], list[str]]:
    """Return each generated file of an assignment with its text, the runs of its mistakes, and faults of tests."""
    files_of = read_sealed_answers(assignment, grader.suite.salts["hidden"])
    records = make_records(grader)
    runs = run_mistakes(grader, read_mistakes(assignment))
    stub = make_notebook(assignment, solved=False)
    files = {assignment.stub: stub, assignment.pristine: stub}
    for visibility, mistakes in sealed_mistakes(runs, grader.suite.salts["hidden"]).items():
        files_of[visibility].mistakes = mistakes.items()
    replay, faults = make_replay(grader, records)
    return files | _sealed_texts(assignment, files_of) | records | replay, runs, faults


def write_generated(assignment: Assignment, *, new_salt: bool = False) -> list[tuple[Path, bool]]:
    """Write the generated files; return each of them and whether it changed.

    Writes all of them or none. Raises Broken and Refused.
    """
    read_reference(assignment)
    for problem in topic_problems(assignment):
        raise Refused(problem)
    salt = assignment.salt if assignment.salt and not new_salt else secrets.token_hex(16)

    answers = tables_of(read_sealed_answers(assignment, salt))
    with Launcher() as launcher, open_grader(assignment, launcher, salt=salt, answers=answers) as grader:
        for text in grader.suite.collect().broken.values():
            raise Broken(f"{text}; fix the check file")
        files = generated(assignment, grader)[0]
    if salt != assignment.salt:
        files[assignment.solutions / "salt.txt"] = salt + "\n"
    changes = []
    for path, text in files.items():
        changed = path.is_symlink() or not path.is_file() or path.read_bytes() != text.encode()
        if changed:
            write_text(path, text, assignment.course.root, make_folder=True)
        changes.append((path, changed))
    return changes
