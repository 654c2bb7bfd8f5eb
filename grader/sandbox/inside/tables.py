"""DataFrames and Series in the form of the wire: see `../wire.py` and `../tables.py`."""

import types
from typing import Any

from .arrays import MAX_ELEMENTS, Arrays
from .holding import _mro

MAX_COLUMNS, MAX_LEVELS, MAX_CELLS = 200, 8, 50_000  # of a table
ITEMS = 30  # a column counts as so many values of a reply
MAX_TEXT = 60_000  # characters of a cell
TIMES = frozenset(
    f"{kind}64[{unit}]" for kind in ("datetime", "timedelta") for unit in ("s", "ms", "us", "ns")
)
# By their ids: a student's metaclass may define equality.
_PLAIN = frozenset(map(id, (types.NoneType, bool, int, float, str)))


class Tables:
    """Writes tables for the grader, and makes those that it sends; the grader makes those of the jail with it, too.

    A table is its index, its columns or its name, and for each column numbers as an array, cells that are plain values, or
    categories. It keeps its own references to pandas' classes, because a submission may rebind the module's names.
    """

    def __init__(self, pandas: Any, numpy: Any) -> None:
        self.arrays, self.dtype, self.array_of = Arrays(numpy), id(numpy.dtype), numpy.array
        self.frame, self.series, self.categorical = pandas.DataFrame, pandas.Series, pandas.Categorical
        self.index, self.multi = pandas.Index, pandas.MultiIndex
        kinds = ("", "Categorical", "Datetime", "Multi", "Range", "Timedelta")
        self.indexes = {id(getattr(pandas, f"{kind}Index")) for kind in kinds}
        self.dtypes = {id(pandas.CategoricalDtype), id(pandas.StringDtype)}

    # Out

    def to_wire(self, table: Any) -> dict[str, Any] | None:
        """Return a table in the form of the wire; None for any other value, and for a table that does not fit it.

        No code of the student's runs: a subclass that they define, or a table with one of their objects in it, is no table.
        """
        try:
            if type(table) is self.series:
                column = self.written_column(table)
                return {"p": ["series", self.written_index(table.index), _written_label(table.name), column]}
            if type(table) is not self.frame or len(table.columns) > MAX_COLUMNS:
                return None
            if len(table.columns) * len(table.index) > MAX_CELLS:
                return None
            columns = [self.written_column(table.iloc[:, i]) for i in range(len(table.columns))]
            return {"p": ["frame", *map(self.written_index, (table.index, table.columns)), columns]}
        except Exception:  # of one of the parts
            return None

    def written_index(self, index: Any) -> list[Any]:
        """Return the names of an index and the values of its levels. Raises TypeError for one of another class."""
        if id(type(index)) not in self.indexes or index.nlevels > MAX_LEVELS:
            raise TypeError
        levels = (index.get_level_values(i) for i in range(index.nlevels))
        return [[*map(_written_label, index.names)], [*map(self.written_column, levels)]]

    def written_column(self, of: Any) -> list[Any]:
        """Return the values of a Series or an Index. Raises TypeError for those of another kind."""
        dtype = of.dtype
        is_known = id(type(dtype)) in self.dtypes or self.dtype in map(id, _mro(type(dtype)))
        if len(of) > MAX_ELEMENTS or not is_known:
            raise TypeError
        if (name := str(dtype)) == "category":
            of = of.array
            return [
                name,
                self.written_column(of.categories),
                self.numbers(of.codes.astype("int64")),
                of.ordered,
            ]
        if name in {"object", "str"}:
            return [name, [_written_cell(value) for value in of.to_numpy(dtype=object)]]
        array = of.to_numpy()
        return (
            [name, self.numbers(array.view("int64"))] if name in TIMES else ["numbers", self.numbers(array)]
        )

    def numbers(self, array: Any) -> Any:
        data = self.arrays.to_wire(array, type(array))
        if "a" not in data:
            raise TypeError
        return data

    # In

    def from_wire(self, body: list[Any]) -> Any:
        """Return the table in the body of `{"p": ...}`. Raises an exception for another body."""
        kind, index, columns, data = body
        rows = self.taken_index(index)
        if kind == "series":
            return self.taken_column(self.series, data, index=rows, name=_taken_label(columns))
        if kind != "frame" or len(data) > MAX_COLUMNS or len(data) * len(rows) > MAX_CELLS:
            raise ValueError
        made = {i: self.taken_column(self.series, column, index=rows) for i, column in enumerate(data)}
        frame = self.frame(made, index=rows)
        frame.columns = self.taken_index(columns)
        return frame

    def taken_index(self, data: list[Any]) -> Any:
        names, levels = map(_taken_label, data[0]), data[1][:MAX_LEVELS]
        made = [
            self.taken_column(self.index, level, name=name) for level, name in zip(levels, names, strict=True)
        ]
        return made[0] if len(made) == 1 else self.multi.from_arrays(made)

    def taken_column(self, kind: Any, data: list[Any], **how: Any) -> Any:
        """Return a Series or an Index of these values."""
        name, values, *more = data
        if name == "category":
            categories, codes = self.taken_column(self.index, values), self.taken_numbers(more[0])
            return kind(self.categorical.from_codes(codes, categories, ordered=more[1] is True), **how)
        if name in {"object", "str"}:
            return kind(
                [_taken_label(value) for value in values], dtype=object if name == "object" else name, **how
            )
        array = self.taken_numbers(values)
        return kind(array.view(name) if name in TIMES else array, **how)

    def taken_numbers(self, data: dict[str, Any]) -> Any:
        return self.array_of(self.arrays.from_wire(data["a"]))


def _written_cell(value: Any) -> Any:
    """Return a plain value in the form of the wire. Raises TypeError for any other."""
    kind = type(value)
    if id(kind) not in _PLAIN or (kind is int and not -(2**63) <= value < 2**63):
        raise TypeError
    if kind is float and value - value != 0:  # nan, or infinite
        return {"f": str(value)}
    if kind is not str:
        return value
    if len(value) > MAX_TEXT:
        raise TypeError
    return value.encode("utf-8", "replace").decode()


def _written_label(value: Any) -> Any:
    """Return the name of a column or an index, also one of several parts. Raises TypeError for another value."""
    return {"t": [_written_cell(part) for part in value]} if type(value) is tuple else _written_cell(value)


def _taken_label(data: Any) -> Any:
    """Return what `_written_label` has written. Raises an exception for other data."""
    if isinstance(data, dict):
        return tuple(map(_taken_label, data["t"])) if "t" in data else float(data["f"])
    _written_cell(data)
    return data
