"""Sentences that a test expects stand in __snapshots__ beside it: `assert ran.out == snapshot`.

`pytest --snapshot-update` writes them anew; read what changed before you commit it.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.amber import AmberSnapshotExtension

ROOT = Path(__file__).resolve().parents[2]
BEGAN = datetime.now(UTC)
VARIES = {  # what differs from run to run, and the word that stands for it
    re.compile(r"/[\w./-]*/pytest-of-[^/]+/pytest-\d+/(popen-gw\d+/)?[\w.-]+"): "FOLDER",
    re.compile(re.escape(sys.executable)): "PYTHON",
    re.compile(re.escape(str(ROOT)) + r"(?=\W)"): "REPOSITORY",
    re.compile(r"(?<=127\.0\.0\.1:)\d+"): "PORT",
    # Also of digits alone, as one in a hundred prefixes of ten characters is; but no decimals.
    re.compile(r"(?<!\.)\b(?=[0-9a-f]*\d)([0-9a-f]{40}|[0-9a-f]{10,16})\b"): "COMMIT",
    re.compile(r"((?<= took )|(?<=graded in ))\d+(\.\d+)? s\b"): "N s",
    re.compile(r"(?<=, saved )(just now|\w+ \w+ ago)"): "THEN",
}
ARRIVED = re.compile(r"(^ *\d+/\d+  .*\n)+", re.MULTILINE)  # lines of students that are done in any order


class Told(AmberSnapshotExtension):
    """Keep values without what differs from run to run."""

    def serialize(self, data: Any, **how: Any) -> str:
        """Write the value down."""
        text = super().serialize(data, **how)
        today = {
            f"{one.astimezone(zone):%Y-%m-%d}" for one in (BEGAN, datetime.now(UTC)) for zone in (None, UTC)
        }
        now = re.compile(f"({'|'.join(today)})([ T]\\d\\d:\\d\\d(:\\d\\d)?Z?)?")
        for pattern, word in (VARIES | {now: "NOW"}).items():
            text = pattern.sub(word, text)
        return ARRIVED.sub(_in_order, text)


def _in_order(arrived: re.Match[str]) -> str:
    lines = sorted(re.sub(r"^( *)\d+/", r"\1N/", line) for line in arrived[0].splitlines(keepends=True))
    return "".join(lines)


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Equals what is kept for this test."""
    return snapshot.use_extension(Told)


def sentences_with(words: str, text: str) -> list[str]:
    """Return the sentences of a long text that hold these words, each on one line."""
    parts = (" ".join(part.split()) for part in re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=\s*[-*|#])", text))
    found = [part for part in parts if words in part]
    assert found, f"{words!r} does not stand in: {text}"
    return found
