"""Sealing: words that only the value which they are about opens, and marks by which it is recognised.

A mark is a salted hash of the value, a box the words under a keystream from it. Both hide from reading, not
from guessing: who tries every likely value finds the right one.

Source: SHA-256 and SHAKE-256 of FIPS 180-4 and FIPS 202, as `hashlib` has them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

SEALED = "sealed.json"  # beside the checks of each side; generated
FORMAT = 1
MARK_BYTES = 8


def sealed_text(**parts: Any) -> str:
    """Return the text of a sealed file of these parts, one line an entry."""
    return json.dumps({"format": FORMAT, **parts}, indent=1, ensure_ascii=False) + "\n"


def mark(salt: str, value: str) -> str:
    """Return the mark of a value: 16 hexadecimal digits."""
    return hashlib.sha256(_bytes("mark", salt, value)).hexdigest()[: 2 * MARK_BYTES]


def seal(salt: str, value: str, words: str) -> str:
    """Return the words as text that `unseal` opens with the same salt and value."""
    plain = words.encode()
    return base64.b85encode(_xor(plain, salt, value)).decode()


def unseal(salt: str, value: str, box: str) -> str:
    """Return the words in a box. Raises ValueError for a box that this value does not open."""
    return _xor(base64.b85decode(box), salt, value).decode()


def _xor(data: bytes, salt: str, value: str) -> bytes:
    stream = hashlib.shake_256(_bytes("words", salt, value)).digest(len(data))
    return bytes(a ^ b for a, b in zip(data, stream, strict=True))


def _bytes(*parts: str) -> bytes:
    """Encode texts so that no two lists of texts give the same bytes."""
    return b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
