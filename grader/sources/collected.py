"""What `grade collect` fetched: a folder for each student, and a record of each beside them.

DIR/.collected/ada.json                              a Collected
DIR/ada/assignments/day2/day2_backward_pass.ipynb    as it stands in the commit
"""

from __future__ import annotations

from typing import Literal

import msgspec

FORMAT = 1
RECORDS = ".collected"


class Drift(msgspec.Struct, frozen=True):
    """A protected file that is not as it was handed out."""

    path: str
    kind: Literal["edited", "missing", "added"]


class Collected(msgspec.Struct, frozen=True):
    """One student's repository at a pinned commit.

    `files` are the places of what was taken, the submission first and then what it continues, the nearest
    first; none where nothing was there, and then `trouble` says why. `submitted` is UTC in ISO 8601: of
    the push where `verified`, else of the commit, which is the student's to set.
    """

    assignment: str
    student: str
    repository: str
    commit: str = ""
    files: tuple[str, ...] = ()
    submitted: str = ""
    verified: bool = False
    drift: tuple[Drift, ...] = ()
    trouble: str = ""
    notes: tuple[str, ...] = ()
    format: int = FORMAT
