"""Cells of a CSV that no spreadsheet takes for a formula.

Excel, LibreOffice and Google Sheets take a cell for a formula if it begins with = + - @, or with a tab or the end of a line
before one of them; some also accept the wide forms of East Asian keyboards (OWASP, "CSV Injection"). A spreadsheet that
expects `;` or a tab between cells also cuts a cell in the middle, even inside quotes, and a new cell begins there. An
apostrophe before the sign keeps the cell a text that people can read.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from typing import TYPE_CHECKING

from grader.report import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LONGEST_CELL = 30_000  # characters; Excel's cells have at most 32,767
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?", re.ASCII)
_QUOTED = re.compile(r"""(^|[,;|])([\s"]*)('*)(?=(.))""", re.DOTALL)


def csv_table(lines: Iterable[Sequence[str | float | None]]) -> str:
    """Return a CSV as Excel writes it: harmless texts, numbers as numbers, and an empty cell for None."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerows([first_cell(first), *map(cell, rest)] for first, *rest in lines)
    return written.getvalue()


def cell(value: str | float | None) -> str:
    """Return the text of a cell before quoting."""
    if value is None:
        return ""
    return text_cell(one_line(value, LONGEST_CELL)) if isinstance(value, str) else two_decimals(value)


def first_cell(value: str | float | None) -> str:
    """Return the text of the first cell of a line, where a text such as `+1` must not stay a number.

    A spreadsheet that expects `;` reads on after the comma, so `+1,2+...` may become a formula.
    """
    text = cell(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in {"+", "-"} else text


def two_decimals(value: float) -> str:
    """Return a number with at most two decimal places."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_cell(text: str) -> str:
    """Return the text with one more apostrophe before each sign that may begin a formula; `plain` takes it away."""
    return text if _NUMBER.fullmatch(text) else _QUOTED.sub(lambda found: _shift_apostrophe(found, "'"), text)


def plain(text: str) -> str:
    """Return the text of a cell without these apostrophes."""
    return text if _NUMBER.fullmatch(text) else _QUOTED.sub(_shift_apostrophe, text)


def _shift_apostrophe(found: re.Match[str], more: str = "") -> str:
    """Return a beginning with one more apostrophe before its sign, or with one less."""
    before, quotes, sign = found[1] + found[2], found[3], found[4]
    if not _begins_formula(sign):
        return found[0]
    return before + (quotes + more if more else quotes[1:])


def _begins_formula(sign: str) -> bool:
    return unicodedata.normalize("NFKC", sign)[:1] in {"=", "+", "-", "@", "\u2212"}
