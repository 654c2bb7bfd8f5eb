"""A check compares tables as pandas does, in the grader; a failure names the first wrong cell."""

from textwrap import dedent

import pytest
from bothways import differences_of, write_record
from tiny import put, scores

from grader.report import to_json

pytest.importorskip("pandas", reason="pip install pandas")

CHECK = '''
"""The revenue of each city."""
import pandas as pd
from pandas.testing import assert_frame_equal

SALES = pd.DataFrame({"city": ["Rome", "Oslo", "Rome"], "price": [1.5, 2.0, 3.0], "n": [1, 2, 3]})

def test_totals(student):
    """One row for each city."""
    expected = pd.DataFrame({"city": ["Oslo", "Rome"], "total": [4.0, 10.5]})
    assert_frame_equal(student.totals(SALES), expected)
'''
EQUALS = CHECK.replace(
    "assert_frame_equal(student.totals(SALES), expected)", "assert student.totals(SALES).equals(expected)"
)
RIGHT = """
import pandas as pd
def totals(sales):
    return sales.assign(total=sales["price"] * sales["n"]).groupby("city", as_index=False)["total"].sum()
"""
WRONG = {
    "a value": RIGHT.replace('sales["n"])', 'sales["n"] + (sales["n"] > 2))'),
    "an index in place of a column": RIGHT.replace(", as_index=False", ""),
    "a dtype": RIGHT.replace(".sum()", ".sum().astype({'total': 'int64'})"),
    "a column's name": RIGHT.replace(".sum()", ".sum().rename(columns={'total': '<b>\\x1b[31mx'})"),
    "a row": RIGHT.replace(".sum()", ".sum().head(1)"),
    "another index": RIGHT.replace(".sum()", ".sum().set_index(pd.Index([1, 2]))"),
    "None": "def totals(sales): pass",
    "a number": "def totals(sales): return 5",
    "an object in a cell": "def totals(sales): return sales.assign(x=[[1], 2, object()])",
}
LIARS = {
    "a subclass": RIGHT
    + """
class Mine(pd.DataFrame):
    def equals(self, other): return True
    eq = ne = equals
right = totals
def totals(sales): return Mine(right(sales) * 2)
""",
    "an object": """
class Mine:
    def equals(self, other): return True
    def __eq__(self, other): return True
def totals(sales): return Mine()
""",
    "another pandas": RIGHT
    + """
import pandas.testing
pd.DataFrame.equals = lambda *_: True
pd.testing.assert_frame_equal = pandas.testing.assert_frame_equal = lambda *_, **__: None
right = totals
def totals(sales): return right(sales) * 2
""",
}


@pytest.mark.ci
def test_the_first_wrong_cell_is_named(make, report_on, snapshot):
    assignment = make({"one": CHECK}, imports=["pandas"])
    told = {}
    for name, source in WRONG.items():
        check = report_on(assignment, source).checks[0]
        assert check.score == 0
        told[name] = [(row.label, row.actual, row.expected) for row in check.readings]

    assert scores(report_on(assignment, RIGHT)) == {"one": 10.0}
    assert told == snapshot


@pytest.mark.ci
def test_the_students_table_may_come_second(make, report_on):
    turned = CHECK.replace(
        "assert_frame_equal(student.totals(SALES), expected)",
        "assert_frame_equal(expected, student.totals(SALES))",
    )
    (row,) = report_on(make({"one": turned}, imports=["pandas"]), WRONG["a value"]).checks[0].readings

    assert (row.actual, row.expected) == ("11.5", "10.5")


@pytest.mark.ci
def test_a_hidden_table_stays_hidden(make, report_on):
    report = report_on(make({}, {"one": CHECK}, imports=["pandas"]), WRONG["a value"])

    assert report.checks[0].score == 0
    assert report.checks[0].readings == []
    assert "10.5" not in to_json(report)
    assert scores(report_on(make({}, {"one": CHECK}, imports=["pandas"]), RIGHT)) == {"one": 10.0}


def test_a_liar_gains_nothing(make, report_on):
    """Whichever way the check compares: an object that says it is equal, or a pandas that says so."""
    assignment = make({"one": CHECK, "two": EQUALS}, imports=["pandas"])
    found = {
        name: scores(report_on(assignment, source)) for name, source in {"right": RIGHT, **LIARS}.items()
    }

    assert found.pop("right") == {"one": 10.0, "two": 10.0}
    assert found == {name: {"one": 0.0, "two": 0.0} for name in LIARS}


@pytest.mark.ci
def test_tables_are_replayed(make, launcher):
    """Answers that are the reference's to the bit settle a check; the verdicts are those of a check that runs."""
    assignment = make({"one": CHECK, "two": EQUALS}, imports=["pandas"])
    put(assignment.reference, "# %%\n" + dedent(RIGHT))
    write_record(assignment, launcher)
    sources = [RIGHT, RIGHT.replace("groupby(", "groupby(by="), *WRONG.values(), *LIARS.values()]
    plain, found = differences_of(
        assignment, launcher, {f"mine{i}.py": source.encode() for i, source in enumerate(sources)}
    )
    assert "\n".join(found) == ""
    assert [each["score"] for each in plain.values()] == [20.0, 20.0, *[0.0] * (len(sources) - 2)]
