"""Cells of a CSV that stay what they are in a spreadsheet: no text of anybody's becomes a formula.

Excel, LibreOffice and Google Sheets take a cell for a formula that begins with = + - @, or with a tab or the end
of a line before one of them; some also take the wide forms of East Asian keyboards (OWASP, "CSV Injection").
Where a spreadsheet expects `;` or a tab between cells it also cuts in the middle of ours, quotes or not, and
what follows is the beginning of a cell. An apostrophe before the sign keeps it text, and a person can read it.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import TYPE_CHECKING

from grader.report import in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST = 30_000  # characters; Excel's cells have at most 32,767
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?", re.ASCII)
_BEGINNING = re.compile(r"""(^|[,;|])([\s"]*)(?=(.))""", re.DOTALL)


def table(lines: Iterable[Sequence[str | float | None]]) -> str:
    """A CSV as Excel writes it; texts are made harmless, numbers stay numbers, None is an empty cell."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerows([cell(value) for value in line] for line in lines)
    return written.getvalue()


def cell(value: str | float | None) -> str:
    """What stands in a cell, before quotes are put around it."""
    if value is None:
        return ""
    return harmless(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A number with at most two decimal places, as a gradebook has them."""
    told = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if told == "-0" else told


def harmless(text: str) -> str:
    """The text on one line, in which no spreadsheet finds a formula, wherever it cuts."""
    text = in_one_line(text, LONGEST)
    return text if _NUMBER.fullmatch(text) else _BEGINNING.sub(_kept_text, text)


def _kept_text(found: re.Match[str]) -> str:
    sign = unicodedata.normalize("NFKC", found[3])[:1]
    return found[0] + ("'" if sign in {"=", "+", "-", "@", "\u2212"} else "")
