"""Random numbers of a sheet: from an examination's salt, the day and the student, so that a second print is equal."""

from __future__ import annotations

import hashlib
import hmac
import random
import secrets
from typing import TYPE_CHECKING

from grader.assignment import read_salt
from grader.console import say
from grader.files import write_new

if TYPE_CHECKING:
    from grader.assignment import Course

NAME = "viva_salt.txt"
PRACTICE = "practice"  # the salt of practice, which everybody knows


def viva_salt(course: Course) -> str:
    """Return the salt of a course's examinations; make it if there is none. Raises Refused."""
    path = course.root / "solutions" / NAME
    if not path.is_file():
        try:
            write_new(path, f"{secrets.token_hex(32)}\n".encode(), course.root)
        except FileExistsError:
            pass
        else:
            say(
                f"note: created solutions/{NAME}, a secret; commit it to the private course, to print the same sheets again",
                err=True,
            )
    return read_salt(path)


def generator(salt: str, *about: str) -> random.Random:
    """Return a generator from the HMAC of what it is for."""
    text = "\0".join(about).encode(errors="surrogatepass")
    return random.Random(hmac.digest(salt.encode(), text, hashlib.sha256))  # noqa: S311  it is keyed
