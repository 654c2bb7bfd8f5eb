"""Reads and writes arrays and tables; imports numpy or pandas for the first one, which takes a tenth of a second.

A submission whose tests are all replayed needs neither.
"""

from __future__ import annotations

import sys
from typing import Any


def array_of(value: object) -> Any:
    """Return the data of an array, None for any other value. Raises TypeError for one that cannot go into the jail."""
    if "numpy" not in sys.modules:
        return None
    from grader.sandbox.arrays import encode_array

    return encode_array(value)


def table_of(value: object) -> Any:
    """Return the data of a table, None for any other value. Raises TypeError for one that cannot go into the jail."""
    if "pandas" not in sys.modules:
        return None
    from grader.sandbox.tables import encode_table

    return encode_table(value)


def read_table(data: Any) -> Any:
    """Return the table in this data. Raises SubmissionStopped for any other data."""
    from grader.sandbox.tables import decode_table

    return decode_table(data)


def read_array(data: Any) -> Any:
    """Return the array in this data. Raises SubmissionStopped for any other data."""
    from grader.sandbox.arrays import decode_array

    return decode_array(data)
