"""DataFrames and Series from the jail and for it, and the first difference from an expected one.

Imported with the first table, because pandas takes a third of a second to import. A table comes as plain values
(`inside/tables.py`); no object of the student's comes with it.
"""

from __future__ import annotations

import inspect
from bisect import bisect
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from grader.sandbox.arrays import decode_array
from grader.sandbox.errors import forged_data
from grader.sandbox.inside.tables import MAX_CELLS, Tables
from grader.sandbox.kinds import kind_words
from grader.sandbox.proxy import Proxy, short

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class _CheckedTables(Tables):
    """Trusts no data from the jail: it reads numbers as those of any array."""

    def taken_numbers(self, data: dict[str, Any]) -> Any:
        return np.array(decode_array(data["a"]))


_TABLES = _CheckedTables(pd, np)
_COMPARE = {
    inspect.unwrap(real).__code__: real
    for real in (pd.testing.assert_frame_equal, pd.testing.assert_series_equal)
}


def decode_table(data: Any) -> Any:
    """Return the table in the body of `{"p": ...}`. Raises SubmissionStopped for any other data."""
    try:
        return _TABLES.from_wire(data)
    except Exception as error:
        raise forged_data("an invalid table") from error


def encode_table(value: Any) -> Any:
    """Return the data of a table, None for any other value. Raises TypeError for a table that cannot go into the jail."""
    if not isinstance(value, pd.DataFrame | pd.Series):
        return None
    if (data := _TABLES.to_wire(value)) is None:
        raise TypeError(
            f"{kind_words(value)} cannot be sent into the jail; the jail takes at most {MAX_CELLS:,} cells, and "
            "columns of numbers, dates, categories or text"
        )
    return data


def compared_tables(trace: TracebackType | None) -> tuple[Any, Any, Callable[[Any, Any], bool]] | None:
    """Return the tables of a failed comparison by pandas, and a function that compares others in the same way."""
    while trace is not None:
        if (real := _COMPARE.get(trace.tb_frame.f_code)) is not None:
            names = trace.tb_frame.f_locals
            options = list(inspect.signature(real).parameters.values())[2:]
            how = {each.name: names[each.name] for each in options if names[each.name] is not each.default}
            return names["left"], names["right"], partial(_differ, real, how)
        trace = trace.tb_next
    return None


def _differ(real: Callable[..., None], how: dict[str, Any], left: Any, right: Any) -> bool:
    try:
        real(left, right, **how)
    except AssertionError:
        return True
    return False


def table_difference(left: Any, right: Any, differ: Callable[[Any, Any], bool]) -> tuple[str, str, str]:
    """Return the first difference: its part of an expression, its value, the expected value."""
    unread = " that cannot be read as a table" if isinstance(left, Proxy) else ""
    whole = "", kind_words(left) + unread, kind_words(right)
    if type(left) is not type(right) or left.shape != right.shape:
        return whole
    column = ""
    if isinstance(left, pd.DataFrame):
        for part in ("index", "columns"):
            have, want = getattr(left, part), getattr(right, part)
            if not have.equals(want):
                return f".{part}", short([*have]), short([*want])
        wrong = (i for i in range(left.shape[1]) if differ(left.iloc[:, [i]], right.iloc[:, [i]]))
        if (place := next(wrong, None)) is None:
            return whole
        column, left, right = short(left.columns[place]), left.iloc[:, [place]], right.iloc[:, [place]]
    one, other = (each.iloc[:, 0] if column else each for each in (left, right))
    if differ(left.iloc[:0], right.iloc[:0]):
        parts = ("dtype", "index.dtype", "index.names", "name")
        found = [(part, *map(attrgetter(part), (one, other))) for part in parts]
        part, have, want = next(((p, str(h), str(w)) for p, h, w in found if h != w), ("", *whole[1:]))
        return f"{f'[{column}]' if column else ''}.{part}" if part else "", have, want
    row = bisect(range(1, len(left)), False, key=lambda n: differ(left.iloc[:n], right.iloc[:n]))
    at = ", ".join(filter(None, [short(_plain(left.index[row])), column]))
    return f".loc[{at}]", short(_plain(one.iloc[row])), short(_plain(other.iloc[row]))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
