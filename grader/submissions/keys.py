"""A student's key: the name of a folder, of a row in results.db, and what `--student` takes.

It is made of letters and digits of any script and of `. _ - @ +`, begins with neither a dot nor a minus,
ends with no dot, and is no name that Windows keeps for a device. Two keys that differ only in case or in
how an accent is written are one: a Mac's or Windows' disk could hold only one of them.

A platform's name becomes a key by `key_of`: what may not stand in it becomes a minus, and the platform's
own number for the student stands last, so that two of one name stay two and each keeps the key whoever
else hands in: `Kim Lee`, 1207 is `Kim-Lee-1207`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Protocol, TypeVar

from grader.errors import Refused, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class OfStudent(Protocol):
    """Something that is a student's."""

    @property
    def student(self) -> str:
        """Their key."""


S = TypeVar("S", bound=OfStudent)
LONGEST = 100  # characters
MOST_BYTES = 200  # in UTF-8; a file's name has at most 255, and it may get a suffix
_SIGNS = frozenset("._-@+")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def trouble_with_key(key: str) -> str:
    """Why a student cannot have this key, or nothing."""
    if not key:
        return "a student needs a name"
    if len(key) > LONGEST or len(key.encode(errors="replace")) > MOST_BYTES:
        return f"it is too long; {LONGEST} characters and {MOST_BYTES} bytes are the most"
    if strange := sorted({sign for sign in key if not _may_stand(sign)}):
        told = "a blank" if strange[0] == " " else ascii(strange[0])
        return f"{told} cannot stand in it; write letters, digits and . _ - @ +"
    if key[0] in ".-" or key.endswith("."):
        return "it begins with neither a dot nor a minus, and ends with no dot"
    return "Windows makes no folder of this name" if _DEVICES.fullmatch(key) else ""


def same_key(key: str) -> str:
    """The same text for keys that one folder cannot hold side by side."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", key).casefold())


def key_of(name: str, number: str = "") -> str:
    """The key of the student that a platform calls `name` and `number`; nothing where nothing is left."""
    number = _safe(number)
    name = _cut(_safe(name), len(number.encode()))
    key = "-".join(filter(None, (name, number)))
    return f"{key.partition('.')[0]}_" if _DEVICES.fullmatch(key) else key


def _may_stand(sign: str) -> bool:
    return sign in _SIGNS or unicodedata.category(sign)[0] in "LM" or unicodedata.category(sign) == "Nd"


def _safe(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    marked = "".join(sign if _may_stand(sign) else "-" for sign in text)
    return re.sub(r"-{2,}", "-", marked).lstrip(".-").rstrip(".-")


def _cut(text: str, taken: int) -> str:
    """As much of it as has room beside `taken` bytes more and a minus."""
    text = text[: max(0, LONGEST - 1 - taken)]
    return text.encode()[: max(0, MOST_BYTES - 1 - taken)].decode(errors="ignore").rstrip(".-")


def chosen(every: Iterable[S], wanted: Sequence[str], where: object) -> list[S]:
    """What is of the students that were asked for, or all where nobody was. Raises Refused."""
    every = list(every)
    known = [one.student for one in every]
    for student in wanted:
        if student not in known:
            raise Refused(
                f"{student}: no such student among the {len(known)} of {where}{nearest(student, known)}"
            )
    return [one for one in every if not wanted or one.student in wanted]
