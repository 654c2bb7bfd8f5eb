"""The code of students, read from the source that was graded. Nothing of it is executed or parsed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.errors import Refused
from grader.submissions.find import find_works
from grader.submissions.submission import read_submission, submission_from
from grader.submissions.work import version_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.submissions.submission import Block
    from grader.submissions.work import Work


class Line(NamedTuple):
    """A line of code: `where` is `7:12` for line 12 of cell 7, `12` in a .py file.

    `given` lines are also in the template.
    """

    where: str
    text: str
    given: bool


class Template:
    """The code that the students were given."""

    def __init__(self, blocks: Sequence[Block] = ()) -> None:
        self.blocks = blocks
        self._cells = {_plain(block.source) for block in blocks}
        self._lines = {line.strip() for block in blocks for line in block.source.splitlines()}

    @classmethod
    def of(cls, assignment: Assignment) -> Template:
        """Read the untouched notebook; an empty template if there is none. Raises SubmissionError."""
        found = [path for path in (assignment.pristine, assignment.stub) if path.is_file()]
        return cls(read_submission(found[0]).blocks) if found else cls()

    def own(self, blocks: Sequence[Block]) -> list[Block]:
        """Return the cells that a student wrote or changed."""
        return [block for block in blocks if _plain(block.source) not in self._cells]

    def has(self, line: str) -> bool:
        """Return True if the template has this line, with any indent."""
        return line.strip() in self._lines


def _plain(source: str) -> str:
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


class Sources:
    """The works of a class, each read when it is asked for."""

    def __init__(self, assignment: Assignment, source: Path) -> None:
        self.template, self._source = Template.of(assignment), source
        self._found = {one.student: one for one in find_works(assignment, source)}

    def lines(self, student: str, sha256: str) -> list[Line]:
        """Return the student's own lines in the file with this hash, without blank ones. Raises Refused."""
        found = self._found.get(student)
        if found is None:
            raise Refused(f"{self._source}: no work of {student} is in it")
        work = version_of(found, sha256)
        if work is None:
            raise Refused(
                f"{self._source}: the work of {student} is not the file that was graded; name the source that was "
                "graded, or grade this one with `grade batch`"
            )
        return self._lines(work)

    def _lines(self, work: Work) -> list[Line]:
        return [
            Line(
                f"{block.cell}:{number}" if work.name.endswith(".ipynb") else f"{number}",
                text.expandtabs().rstrip(),
                self.template.has(text),
            )
            for block in self.template.own(blocks_of(work))
            for number, text in enumerate(block.source.splitlines(), block.first_line)
            if text.strip()
        ]


def blocks_of(work: Work) -> Sequence[Block]:
    """Return the cells of a work that are graded. Raises SubmissionError."""
    return submission_from(Path(work.name), work.data or b"").blocks
