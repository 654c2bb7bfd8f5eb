"""Sealing: a value opens the words about it, and its mark recognises it.

A mark is a salted hash of the value; a box is the words under a keystream from the value. Both protect from reading,
not from guessing: trying every likely value finds the right one.

`sealed.json` holds them, one item a line, beside the visible checks and beside the hidden ones:

    {"format": 1, "salt": "...",
    "answers": {
    "quiz_length": {"right": "number 5d41402abc4b2a76", ...}},
    "mistakes": {}}

Source: SHA-256 and SHAKE-256 of FIPS 180-4 and FIPS 202, as `hashlib` has them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken

if TYPE_CHECKING:
    from pathlib import Path

FILE = "sealed.json"
FORMAT = 1
MARK_BYTES = 8
_DEFLATED = b"\0"  # no words begin with it


def mark(salt: str, value: str) -> str:
    """Return the mark of a value: 16 hexadecimal digits."""
    return hashlib.sha256(key_bytes("mark", salt, value)).hexdigest()[: 2 * MARK_BYTES]


def seal(salt: str, value: str, words: str) -> str:
    """Return the words as text that `unseal` opens with the same salt and value; deflated where that is shorter."""
    plain = min(words.encode(), _DEFLATED + zlib.compress(words.encode(), 9), key=len)
    return base64.b85encode(mask(plain, salt, value)).decode()


def unseal(salt: str, value: str, box: str) -> str:
    """Return the words in a box. Raises ValueError for a box that this value does not open."""
    plain = mask(base64.b85decode(box), salt, value)
    if plain.startswith(_DEFLATED):
        try:
            plain = zlib.decompress(plain[1:])
        except zlib.error as error:
            raise ValueError(f"{error}") from error
    return plain.decode()


def mask(data: bytes, salt: str, value: str) -> bytes:
    """Return bytes under the keystream from a value; the same again gives them back."""
    stream = hashlib.shake_256(key_bytes("words", salt, value)).digest(len(data))
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")
    return mixed.to_bytes(len(data), "big")


def key_bytes(*parts: str) -> bytes:
    """Encode texts so that no two lists of texts give the same bytes."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in map(str.encode, parts)])


class SealedFile(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a sealed.json. The modules `answers` and `fingerprints` define the form of the items."""

    salt: str = ""
    answers: dict[str, Any] = {}
    mistakes: dict[str, Any] = {}
    format: int = FORMAT


def read_sealed(path: Path) -> SealedFile:
    """Return the content of a file, empty if it is missing. Raises Broken for an unreadable file."""
    if not path.is_file():
        return SealedFile()
    try:
        data = msgspec.json.decode(path.read_bytes(), type=SealedFile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Broken(
            f"{path}: this file cannot be read ({error}); get it from the course again, or write it with `grade stub`"
        ) from error
    if data.format != FORMAT:
        raise Broken(f"{path}: format {data.format} is not known to this version; run `grade stub` again")
    return data


def sealed_text(file: SealedFile) -> str:
    """Return the text of a file, always the same for the same content."""
    head = f'{{"format": {file.format}, "salt": {_json(file.salt)},'
    return f'{head}\n"answers": {_lines(file.answers)},\n"mistakes": {_lines(file.mistakes)}}}\n'


def _lines(items: dict[str, Any]) -> str:
    rows = ",\n".join(f"{_json(name)}: {_json(item)}" for name, item in items.items())
    return f"{{\n{rows}}}" if rows else "{}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
