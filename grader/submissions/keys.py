"""A student's key: the name of their folder, of their row in results.db, and the value of `--student`.

A key has letters and digits of any script and `. _ - @ +`. It begins with neither a dot nor a minus, does not end with
a dot, and is not a name that Windows reserves for a device. Two keys that differ only in case or in the encoding of an
accent are the same key: a disk of macOS or Windows can hold only one of them.

`student_key` makes a key from a platform's name: other characters become a minus, and the platform's number for the
student comes last. So two students with one name have two keys, whoever else hands in: `Kim Lee` with the number 1207 is
`Kim-Lee-1207`.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypeVar

from grader.errors import Refused, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class OfStudent(Protocol):
    """Anything that belongs to one student."""

    @property
    def student(self) -> str:
        """The key of the student."""


S = TypeVar("S", bound=OfStudent)
LONGEST = 100  # characters
MOST_BYTES = 200  # in UTF-8; a file's name has at most 255, and it may get a suffix
_SIGNS = frozenset("._-@+")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def trouble_with_key(key: str) -> str:
    """Return the reason why a student cannot have this key; "" if they can."""
    if not key:
        return "the name is empty"
    if len(key) > LONGEST or len(key.encode(errors="replace")) > MOST_BYTES:
        return f"it is too long; at most {LONGEST} characters and {MOST_BYTES} bytes are allowed"
    if strange := sorted({sign for sign in key if not _may_stand(sign)}):
        shown = "a space" if strange[0] == " " else ascii(strange[0])
        return f"{shown} is not allowed in it; write letters, digits and . _ - @ +"
    if key[0] in ".-" or key.endswith("."):
        return "it must not begin with a dot or a minus, or end with a dot"
    return "Windows reserves this name" if _DEVICES.fullmatch(key) else ""


def same_key(key: str) -> str:
    """Return a text that is equal for two keys that cannot be two names in one folder."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", key).casefold())


def student_key(name: str, number: str = "") -> str:
    """Return the key of the student with this name and number on a platform; "" if no character is left.

    >>> student_key("Kim Lee", "1207")
    'Kim-Lee-1207'
    """
    number = _safe(number)
    name = _cut(_safe(name), len(number.encode()))
    key = "-".join(filter(None, (name, number)))
    return f"{key.partition('.')[0]}_" if _DEVICES.fullmatch(key) else key


def file_names(keys: Iterable[str]) -> dict[str, str]:
    """Return the name of each student's file, without suffix; all names differ, even on a disk that ignores case.

    The name is the key, with a hash if another student's key differs only in case, or if the key, from a damaged results
    file, is not a safe name.
    """
    keys = list(keys)
    times = Counter(map(same_key, keys))
    return {key: _file_name(key, is_unique=times[same_key(key)] == 1) for key in keys}


def _file_name(key: str, *, is_unique: bool) -> str:
    if is_unique and not trouble_with_key(key):
        return key
    return student_key(key, hashlib.sha256(key.encode(errors="replace")).hexdigest()[:8])


def _may_stand(sign: str) -> bool:
    return sign in _SIGNS or unicodedata.category(sign)[0] in "LM" or unicodedata.category(sign) == "Nd"


def _safe(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    marked = "".join(sign if _may_stand(sign) else "-" for sign in text)
    return re.sub(r"-{2,}", "-", marked).lstrip(".-").rstrip(".-")


def _cut(text: str, taken: int) -> str:
    """Shorten the text so that a minus and `taken` more bytes fit."""
    text = text[: max(0, LONGEST - 1 - taken)]
    return text.encode()[: max(0, MOST_BYTES - 1 - taken)].decode(errors="ignore").rstrip(".-")


def select_students(every: Iterable[S], wanted: Sequence[str], where: object) -> list[S]:
    """Return the items of the wanted students; all items if `wanted` is empty. Raises Refused."""
    every = list(every)
    known = [one.student for one in every]
    for student in wanted:
        if student not in known:
            raise Refused(
                f"`{student}` is none of the {len(known)} students of {where}{nearest(student, known)}"
            )
    return [one for one in every if not wanted or one.student in wanted]
