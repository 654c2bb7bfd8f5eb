"""DataFrames and Series cross the wall as values: columns, plain cells and an index, nothing of the student's with them."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from grader.manifest import Limits
from grader.sandbox import Launcher, Proxy, Sandbox, SubmissionStopped, wire
from grader.sandbox.live import Live
from grader.sandbox.student import Student

pd = pytest.importorskip("pandas", reason="pip install pandas")

from grader.sandbox.tables import decode_table, encode_table  # noqa: E402  it needs pandas

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def box_of(loaded: Callable[..., Sandbox]) -> Callable[[str], Sandbox]:
    """A function: cells -> a loaded sandbox that has tables."""
    return lambda source: loaded(f"import pandas as pd, numpy as np\n{source}", ["pandas"])


def student_of(box: Sandbox) -> Student:
    student = Student(box)
    student._loaded = True
    return student


BASE = """
df = pd.DataFrame({
    "a": [1, 2, 3], "b": [1.5, None, np.inf], "c": ["x", None, "\\u00fc"], "e": [True, False, True],
    "d": pd.to_datetime(["2020-01-01", "2020-01-02", None]),
})
"""
TABLES = {
    "numbers, text, dates, missing values": "df",
    "single precision, ns": "pd.DataFrame({'a': np.float32([1, 2]), 'b': np.array(['2020', '2021'], 'datetime64[ns]')})",
    "categories": "df.assign(c=pd.Categorical(df['c'], ['x', 'y', '\\u00fc'], ordered=True))",
    "cells of several kinds": "pd.DataFrame({'m': [1, 'a', None], 'n': [1.5, True, float('nan')]}, dtype=object)",
    "a series": "df['b']",
    "its name has parts": "pd.Series([1, 2], index=pd.Index(['u', 'v'], name='k'), name=('p', 1))",
    "levels in both directions": "df.pivot_table(index=['a', 'e'], columns='c', values='b', aggfunc=['sum', 'mean'])",
    "dates as an index": "df.set_index('d')",
    "differences of dates": "df['d'].diff()",
    "counts": "df['e'].value_counts()",
    "two columns of one name": "pd.DataFrame([[1, 2], [3, 4]], columns=['a', 'a'])",
    "no columns": "pd.DataFrame()",
    "no rows": "pd.DataFrame({'a': []})",
    "steps": "df[::2]",
}


@pytest.mark.ci
@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_and_sent(box_of: Callable[[str], Sandbox], name: str) -> None:
    """As pandas compares it, out of the jail and back into it."""
    names: dict[str, Any] = {"pd": pd, "np": np}
    exec(BASE + f"expected = {TABLES[name]}", names)
    expected = names["expected"]
    equal = (
        pd.testing.assert_series_equal if isinstance(expected, pd.Series) else pd.testing.assert_frame_equal
    )
    box = box_of(BASE + f"found = {TABLES[name]}\ndef same(table): return table")

    equal(box.get("found"), expected)
    equal(student_of(box).same(expected), expected)


UNREAD = {
    "a subclass": "type('Mine', (pd.DataFrame,), {'columns': property(lambda s: 1 / 0)})({'a': [1]})",
    "an object in a cell": "pd.DataFrame({'a': [1, object()]})",
    "a list in a cell": "pd.DataFrame({'a': [[1], [2]]})",
    "an object of a category": "pd.Series(pd.Categorical([type('Mine', (), {})()]))",
    "an object that equals every class": "pd.Series([type('M', (type,), {'__eq__': lambda *_: True, '__hash__': lambda s: "
    "hash(str)})('X', (), {})()])",
    "an object as a name": "pd.Series([1], name=type('Mine', (), {'__hash__': lambda s: 1})())",
    "too many rows": "pd.DataFrame({'a': pd.RangeIndex(10**6)})",
    "an index of a million million rows": "pd.DataFrame(index=pd.RangeIndex(10**12))",
    "too many cells": "pd.DataFrame(np.zeros((1000, 100)))",
    "too many columns": "pd.DataFrame(np.zeros((1, 1000)))",
    "too many levels": "pd.Series([1], index=pd.MultiIndex.from_tuples([range(9)]))",
    "a time zone": "df['d'].dt.tz_localize('UTC')",
    "an extension's dtype": "df['a'].astype('Int64')",
    "an int of many digits": "pd.Series([10**30], dtype=object)",
}


@pytest.mark.ci
def test_what_is_no_table_stays_an_object(box_of: Callable[[str], Sandbox]) -> None:
    """Nothing of the student's is asked, and nothing large is copied."""
    box = box_of(BASE + "\n".join(f"x{i} = {made}" for i, made in enumerate(UNREAD.values())))
    found = {name: type(box.get(f"x{i}")) for i, name in enumerate(UNREAD)}

    assert found == dict.fromkeys(UNREAD, Proxy)


def test_no_object_of_the_students_says_that_it_equals_a_table(box_of: Callable[[str], Sandbox]) -> None:
    """Its methods would run in the jail, with the expected table as their argument."""
    box = box_of(
        "class Mine(pd.DataFrame):\n"
        "    def equals(self, other): return True\n"
        "    eq = ne = compare = equals\n"
        "class Other:\n"
        "    equals = eq = ne = compare = Mine.equals\n"
        "    __class__ = pd.DataFrame\n"
        "mine, other = Mine({'a': [1]}), Other()"
    )
    expected = pd.DataFrame({"a": [1]})
    for name in ("mine", "other"):
        found = box.get(name)
        for method in ("equals", "eq", "ne", "compare"):
            with pytest.raises(AttributeError):
                getattr(found, method)(expected)
        with pytest.raises(AssertionError):
            pd.testing.assert_frame_equal(found, expected)
        assert not expected.equals(found)


def test_a_pandas_that_was_changed_decides_nothing(box_of: Callable[[str], Sandbox]) -> None:
    """Neither its methods, nor its tests, nor what it is."""
    box = box_of(
        "pd.DataFrame.equals = lambda *_: True\npd.testing.assert_frame_equal = lambda *_, **__: None\n"
        "found = pd.DataFrame({'a': [2]})\npd.DataFrame = object"
    )
    expected = pd.DataFrame({"a": [1]})

    assert not box.get("found").equals(expected)
    with pytest.raises(AssertionError):
        pd.testing.assert_frame_equal(box.get("found"), expected)


def numbers(*values: float, dtype: str = "int64") -> dict[str, Any]:
    raw = np.array(values, dtype).tobytes()
    return {"a": [dtype, [len(values)], base64.b64encode(raw).decode()]}


ONE = ["numbers", numbers(1)]
ROW = [[None], [ONE]]
FORGED = {
    "nothing": [],
    "a text": "frame",
    "another kind": ["panel", ROW, ROW, [ONE]],
    "an unknown index": ["series", ["tree", ONE], None, ONE, 1],
    "a column that is too long": ["frame", ROW, ROW, [["numbers", numbers(1, 2)]]],
    "too many columns": ["frame", ROW, [[None], [["numbers", numbers(*range(201))]]], [ONE] * 201],
    "names for other columns": ["frame", ROW, [[None], [["numbers", numbers(1, 2)]]], [ONE]],
    "no levels": ["series", [[], []], None, ONE],
    "levels without names": ["series", [[None], [ONE, ONE]], None, ONE],
    "too many levels": ["series", [[None] * 9, [ONE] * 9], None, ONE],
    "a category that is not there": ["series", ROW, None, ["category", ONE, numbers(1), False]],
    "categories that are the same": [
        "series",
        ROW,
        None,
        ["category", ["numbers", numbers(1, 1)], numbers(0), False],
    ],
    "categories of categories": ["series", ROW, None, ["category", ["category"], numbers(0), False]],
    "a list in a cell": ["series", ROW, None, ["object", [[1]]]],
    "a handle in a cell": ["series", ROW, None, ["object", [{"h": 1, "k": "instance", "c": "x"}]]],
    "an int of many digits": ["series", ROW, None, ["object", [10**100]]],
    "a cell that is a text for a number": ["series", ROW, None, ["object", [{"f": "x"}]]],
    "numbers that are none": ["series", ROW, None, ["numbers", {"a": ["float64", [1], "!"]}]],
    "numbers of another length": [
        "series",
        ROW,
        None,
        ["numbers", {"a": ["float64", [2], "AAAAAAAA8D8="]}],
    ],
    "another dtype": ["series", ROW, None, ["numbers", {"a": ["object", [1], "AAAAAAAA8D8="]}]],
    "dates of other numbers": ["series", ROW, None, ["datetime64[ns]", numbers(1, dtype="int32")]],
    "a name that is a list": ["series", ROW, [1], ONE],
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_no_table_ends_the_submission(name: str) -> None:
    with pytest.raises(SubmissionStopped):
        decode_table(FORGED[name])


@pytest.mark.ci
def test_tables_of_one_message_are_few() -> None:
    """Each takes time to make; the time of all is bounded."""
    wide = encode_table(pd.DataFrame({i: [1] for i in range(200)}))

    assert len(wire.decode({"l": [wide] * 3}, lambda h: h, {"p": decode_table})) == 3
    with pytest.raises(SubmissionStopped):
        wire.decode({"l": [wide] * 5}, lambda h: h, {"p": decode_table})


def test_a_forged_table_is_none_where_pandas_is_not_allowed(launcher: Launcher) -> None:
    """Pandas is not even imported for it."""
    box = Sandbox(launcher, ["x = 1"], Limits())
    box.load()
    with pytest.raises(SubmissionStopped):
        box._decode(encode_table(pd.Series([1])))
    box.close()


@pytest.mark.ci
def test_what_cannot_be_sent_says_why(box_of: Callable[[str], Sandbox]) -> None:
    student = student_of(box_of("def same(x): return x"))
    with pytest.raises(TypeError, match="a Series of 1 row cannot be sent into the jail"):
        student.same(pd.Series([object()]))


@pytest.mark.ci
def test_a_notebook_s_own_check_gets_a_copy() -> None:
    """`check()` runs in the kernel: what a check does to a table changes nothing there."""
    mine = pd.DataFrame({"a": [1, 2]})
    box = Sandbox(Live({"df": mine}, lambda _: False), [], Limits(), ["pandas"])
    student = student_of(box)
    box.load()
    student.df["a"] += 1

    assert mine["a"].tolist() == [1, 2]
    assert student.df["a"].tolist() == [1, 2]


@pytest.mark.ci
def test_many_tables_in_one_answer(box_of: Callable[[str], Sandbox]) -> None:
    """Those for which there is no room are left out; the message is a good one."""
    found = box_of("df = pd.DataFrame(np.zeros((2, 100)))\nfound = [df] * 9").get("found")

    assert [type(one).__name__ for one in found] == ["DataFrame"] * 4 + ["Oversize"] * 5


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_texts_that_no_file_can_hold_are_read(box_of: Callable[[str], Sandbox]) -> None:
    """Half a character, and what would colour a terminal."""
    found = box_of(r"found = pd.Series(['\ud800', '<b>\x1b[31m'], name='\udc00')").get("found")

    assert found.tolist() == ["?", "<b>\x1b[31m"]
    assert found.name == "?"
