"""A cell of a submission as a page shows it: plain data, capped where it was read."""

from __future__ import annotations

from typing import Literal

import msgspec


class Cell(msgspec.Struct, frozen=True):
    """A cell of a notebook, or of a .py file.

    `number` counts all cells from 1; it is None for code of a .py file that is in no cell. `label` says in words where
    the cell is in its file. `first_line` is the number of its first line in a report. An output is a table from media
    types to text or a picture in base64, and an attachment a picture with a name.
    """

    kind: Literal["code", "markdown", "raw"]
    source: str
    number: int | None
    label: str
    first_line: int = 1
    outputs: list[dict[str, str]] = []
    attachments: dict[str, dict[str, str]] = {}
