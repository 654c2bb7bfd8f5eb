"""The code of a submission, and the code that students got: by it, work that nobody touched is known everywhere.

The code is that of the blocks which would be executed. Outputs, execution counts, text cells and metadata are no part
of it, so a notebook that Jupyter opened and saved is still untouched. `grade release` adds the code of each notebook
that it writes to solutions/DAY/handed_out.json, and the results file keeps what was known when a class was graded: a
notebook of an earlier release stays untouched when the course has another one.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused, reason_of
from grader.files import write_bytes
from grader.submissions.submission import SubmissionError, submission_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from grader.assignment import Assignment

FILE = "handed_out.json"  # in solutions/DAY
_LINK = re.compile(rb"\[([^\[\]\n\"]*)\]\(\.\./([^/()\s\"]+)/[^()\s\"]*\)")


def code_of(name: str, data: bytes) -> str:
    """Return the SHA-256 of the blocks of a file that would be executed, in order, byte for byte.

    Empty lines at the end of a block do not count: a .py file has them between cells. A file that cannot be read has
    no code, so its bytes stand in.
    """
    try:
        blocks = submission_from(Path(name), data).blocks
    except SubmissionError:
        return hashlib.sha256(b"bytes\0" + data).hexdigest()
    digest = hashlib.sha256()
    for block in blocks:
        source = block.source.rstrip("\n").encode(errors="surrogatepass")
        digest.update(b"%d\0%b" % (len(source), source))
    return digest.hexdigest()


def is_untouched(name: str, data: bytes, handed_out: Collection[str]) -> bool:
    """Return True if a file has the code of a notebook that was handed out; `handed_out` are hashes by `code_of`."""
    return code_of(name, data) in handed_out


def without_dead_links(data: bytes, absent: Collection[str]) -> bytes:
    """Make links to the assignments in `absent` plain text, in the bytes of a lesson or a notebook."""
    return _LINK.sub(lambda m: m[1] if m[2].decode(errors="replace") in absent else m[0], data)


def handed_out(assignment: Assignment) -> frozenset[str]:
    """Return the code of each notebook of an assignment that was handed out, as far as the course knows.

    These are the notebook of today, released alone or with all others, and those that earlier releases wrote. Raises
    Refused for a damaged record.
    """
    pristine, course = assignment.pristine, assignment.course
    forms = set[str]()
    if pristine.is_file():
        data, others = pristine.read_bytes(), {*course.names} - {assignment.name}
        forms = codes_of(assignment.stub.name, [data, without_dead_links(data, others)])
    return frozenset(forms | _recorded(assignment))


def codes_of(name: str, notebooks: Iterable[bytes]) -> set[str]:
    """Return the code of each of these forms of a notebook."""
    return {code_of(name, data) for data in dict.fromkeys(notebooks)}


def record(assignment: Assignment, data: bytes) -> None:
    """Add a notebook that a release writes to the record of the assignment. Raises Refused."""
    code, known = code_of(assignment.stub.name, data), _recorded(assignment)
    if code not in known and assignment.solutions.is_dir():
        written = msgspec.json.format(msgspec.json.encode(sorted({*known, code})), indent=1) + b"\n"
        write_bytes(_path(assignment), written, assignment.course.root)


def _path(assignment: Assignment) -> Path:
    return assignment.solutions / FILE


def _recorded(assignment: Assignment) -> set[str]:
    path = _path(assignment)
    try:
        known: Sequence[str] = msgspec.json.decode(path.read_bytes(), type=list[str])
    except FileNotFoundError:
        return set()
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"{path}: the record of what was handed out cannot be read ({why}); restore it"
        ) from error
    return set(known)
